//! Bounds on the relative movement of two parts within half a stretch of time, where one may be inside the
//! other.
//!
//! A point that lies in both parts at some time of the stretch is, at its middle, within the movement of the
//! whole parts of both boxes. There the velocity at the middle, a linear function of the place, is largest at
//! a corner of what the two boxes have in common. The acceleration bound covers the rest. So a door whose
//! hinge is in contact moves no farther than the hinge does.

use glam::DVec3;

use crate::query::pair_sweep::PairSweep;
use crate::query::unknown::open_where_they_overlap;
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::motion::cells::Stretch;
use closefit_geometry::motion::moment::Moment;

/// The relative movement of two parts within half a stretch, rounding included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Movement {
    /// A bound of how far any point that lies in both parts at some time of the stretch is from its place at
    /// the middle, as seen from the other part.
    pub near: f64,
    /// True unless the box of an open component, not declared a surface, certainly overlaps the other part's
    /// by no more than the given depth during the stretch.
    pub may_enter_open: bool,
}

impl Movement {
    /// Returns the movement; `None` if the parts' boxes are apart during the whole stretch.
    pub fn of(sweep: &PairSweep, span: usize, stretch: Stretch, depth: f64) -> Option<Self> {
        let moment = sweep.around(span, stretch);
        let whole = moment.speed * moment.half + moment.slack;
        let (common, may_enter_open) = sweep.ask_at(moment.time, |pair| {
            let [a, b] = pair.bodies();
            let common = common(a.bounds(), b.bounds(), whole);
            let is_open = a.has_incomplete_solid() || b.has_incomplete_solid();
            (common, is_open && open_where_they_overlap(a, b, depth - whole).is_some())
        });
        let Aabb { lo, hi } = common?;
        let corners =
            (0..8).map(|k| DVec3::select(glam::BVec3::new(k & 1 > 0, k & 2 > 0, k & 4 > 0), lo, hi));
        let velocity = |p: DVec3| (moment.velocity + moment.angular.cross(p)).length();
        let fastest = corners.map(velocity).fold(0.0, f64::max);
        let near = (moment.half * fastest + deviation(&moment)).min(whole);
        // The products and sums above have rounded less often than that.
        Some(Self { near: near * (1.0 + 16.0 * f64::EPSILON), may_enter_open })
    }
}

/// Returns the smaller deviation from linear motion. A point of one part that lies in the other moves, as
/// seen from that, as the other's point in the same place moves as seen from the one; so either bound holds.
fn deviation(moment: &Moment) -> f64 {
    moment.deviation(0).min(moment.deviation(1))
}

/// Returns what two boxes have in common, each larger by a margin on all sides.
fn common(a: &Aabb, b: &Aabb, margin: f64) -> Option<Aabb> {
    let (lo, hi) = (a.lo.max(b.lo) - margin, a.hi.min(b.hi) + margin);
    lo.cmple(hi).all().then_some(Aabb { lo, hi })
}
