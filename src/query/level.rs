//! The proof that two level faces stay near each other while they slide, to the last bit.
//!
//! Along some [axes](PairSpan::monotone_axes) each computed coordinate only grows or only falls. So between
//! two times it lies between those at both. Rounding blurs nothing of this, while any other proof needs a
//! distance that is below the limit by more than all that rounding may add.

use super::beside::over;
use crate::bvh::moving::MovingPair;
use crate::narrow::SLACK;
use closefit_geometry::math::Triangle;
use closefit_geometry::motion::moment::Moment;
#[cfg(doc)]
use closefit_geometry::motion::span::PairSpan;

/// Largest slope of a level face. Its square, 2^-44, is far below what [`SLACK`] leaves.
const LEVEL: f64 = 1.0 / (1u64 << 22) as f64;

/// Returns for how long after the middle of a moment, which is the middle of a cell, two triangles certainly
/// stay within a limit in the middles of cells, if the first is level along an axis; 0 if it is not.
///
/// While a point of the second triangle is over the first, both it and its foot lie, along the axis,
/// between corners of their triangles. So they are no farther apart along it than two corners, and by no
/// more than `1 + s^2` times as much in all, for a slope s.
pub(super) fn lasting(
    (pair, moment): (&MovingPair, &Moment),
    cell: u64,
    triangles: [u32; 2],
    posed: [&Triangle; 2],
    limit: f64,
) -> f64 {
    let is_level = |&axis: &usize| is_level(posed[0], axis, moment.slack);
    let Some(axis) = (0..3).find(is_level).filter(|&axis| pair.motion.monotone_axes()[axis]) else {
        return 0.0;
    };
    let (cells, width) = (pair.cells, pair.cells.width());
    let over = (over(moment, posed, limit) / width * (1.0 - 1e-9)) as u64;
    let time = |cell: u64| cells.middle(cells.cell(cell));
    // The range of both triangles along the axis.
    let ranges = |cell: u64| {
        let poses = pair.motion.moment(time(cell), 0.0).poses;
        [0, 1].map(|side| {
            let corners = pair.shapes.meshes()[side].corners(triangles[side]);
            let [a, b, c] = corners.map(|v| poses[side].apply(v)[axis]);
            [a.min(b).min(c), a.max(b).max(c)]
        })
    };
    let first = ranges(cell);
    let stay = |last: u64| {
        let ranges = ranges(last);
        let [a, b] = [0, 1].map(|side| {
            let ([lo, hi], [low, high]) = (first[side], ranges[side]);
            [lo.min(low), hi.max(high)]
        });
        let farthest = (a[1] - b[0]).max(b[1] - a[0]);
        pair.motion.holds([time(cell), time(last)]) && farthest <= limit / SLACK
    };
    // They stay until some cell, and not until any later one.
    let (mut until, mut not) = (cell, (cell + over).min(cells.count()));
    while not - until > 1 {
        let between = until + (not - until) / 2;
        if stay(between) {
            until = between;
        } else {
            not = between;
        }
    }
    if stay(until) { (until - cell) as f64 * width } else { 0.0 }
}

/// True if a triangle's slope against the plane across an axis is small, also where each corner is off by a
/// slack. Along any way on the triangle, the coordinate changes for each unit of length by at most the
/// spread of the corners by the triangle's least height, since no strip that holds it is narrower.
fn is_level(corners: &Triangle, axis: usize, slack: f64) -> bool {
    let [u, v, w] = [0, 1, 2].map(|i| corners[(i + 1) % 3] - corners[i]);
    let longest = u.length().max(v.length()).max(w.length());
    let spread = u[axis].abs().max(v[axis].abs()).max(w[axis].abs()) + 2.0 * slack;
    // A little less, because all this is rounded.
    4.0 * spread * longest <= LEVEL * u.cross(v).length()
}
