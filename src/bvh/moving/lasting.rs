//! The proof that two moving shapes stay near for a while: triangles that pierce each other deeply, or lie
//! nearer than they must.
//!
//! Over a time `h` about a moment, no point of one part moves by more than `h |v| + h^2 K / 2` as seen from
//! the other, with its velocity `v` and an acceleration bound K. So triangles at a distance `d` stay within a
//! limit while that is at most `limit - d`, and an edge that pierces a triangle keeps doing so while it is
//! below the edge's [margin](pierced).

use glam::DVec3;

use super::{Memory, MovingPair};
use crate::narrow::Work;
use closefit_geometry::exact::distance::distance;
use closefit_geometry::math::Triangle;
use closefit_geometry::math::error_bounds::{PIERCED, UNIT};
use closefit_geometry::motion::moment::Moment;

/// The memory from one near cell to the next.
#[derive(Clone, Debug, Default)]
pub struct NearWalk {
    memory: Memory,
    /// Steps since all triangles were searched for ones that stay near for longer.
    since: u32,
    /// Steps until they are searched again.
    wait: u32,
}

/// Number of cells from which a step is long enough.
const LONG: f64 = 32.0;

/// Largest number of steps from one search of all triangles to the next.
const LONGEST_WAIT: u32 = 1 << 12;

/// Number of triangles in contact among which a search picks.
const MANY: usize = 1 << 12;

/// Number of seconds, in widths of cells, over which the motion is bounded.
const AHEAD: f64 = 4096.0;

impl MovingPair<'_> {
    /// Returns the last of a run of cells that begins with this one, at whose middles the shapes are
    /// certainly within `limit` of each other; `None` if they are not at its own. It may not be the last such
    /// cell.
    pub fn last_near(&self, cell: u64, limit: f64, walk: &mut NearWalk, work: &mut Work) -> Option<u64> {
        let time = self.cells.middle(self.cells.cell(cell));
        if !self.is_within_still(time, limit, &mut walk.memory, work) {
            return None;
        }
        let (width, left) = (self.cells.width(), self.cells.count() - cell);
        let moment = self.motion.moment(time, width * AHEAD.min(left as f64));
        let mut lasting = self.lasting(&moment, limit, &walk.memory.pairs());
        walk.since += 1;
        if lasting < LONG * width && walk.since > walk.wait {
            let best = self.ask_at(time, |pair| match pair.contacts_up_to(MANY, work) {
                none if none.is_empty() => pair.nearest(limit, work).map(|nearest| nearest.triangles),
                found => self.most_lasting(&moment, limit, &found),
            });
            let found = best.map_or(0.0, |best| self.lasting(&moment, limit, &[best]));
            let pays = found > 4.0 * lasting;
            (walk.since, walk.wait) = (0, if pays { 4 } else { LONGEST_WAIT.min(2 * walk.wait + 1) });
            best.into_iter().for_each(|best| walk.memory.add(best));
            lasting = lasting.max(found);
        }
        // A little less, because the times of middles are rounded.
        let passed = (lasting / width * (1.0 - 1e-9)) as u64;
        Some(cell + passed.saturating_sub(1).min(left - 1))
    }

    /// Returns the longest time after a moment's middle, of those for some pairs of triangles, for which they
    /// certainly stay within `limit`.
    fn lasting(&self, moment: &Moment, limit: f64, pairs: &[[u32; 2]]) -> f64 {
        pairs.iter().map(|&pair| self.lasting_of(moment, limit, pair)).fold(0.0, f64::max)
    }

    /// Returns the pair of triangles that certainly stays within `limit` for longest.
    fn most_lasting(&self, moment: &Moment, limit: f64, pairs: &[[u32; 2]]) -> Option<[u32; 2]> {
        let timed = pairs.iter().map(|&pair| (self.lasting_of(moment, limit, pair), pair));
        timed.max_by(|(a, _), (b, _)| a.total_cmp(b)).map(|(_, pair)| pair)
    }

    fn lasting_of(&self, moment: &Moment, limit: f64, [a, b]: [u32; 2]) -> f64 {
        let meshes = self.shapes.meshes();
        let posed = |side: usize, triangle: u32| -> Triangle {
            meshes[side].corners(triangle).map(|v| moment.poses[side].apply(v))
        };
        let (a, b) = (posed(0, a), posed(1, b));
        let flipped = moment.flipped();
        let pierced = stays(&flipped, &a, margin(&a, &b)).max(stays(moment, &b, margin(&b, &a)));
        // The contract's distance is off by less than that.
        let spare = limit - distance(&a, &b) * (1.0 + 1e-9);
        pierced.max(stays(moment, &b, spare))
    }
}

/// Returns for how long, at most for the moment's half width, no point of a triangle of the second part moves
/// by more than a margin, as seen from the first.
fn stays(moment: &Moment, triangle: &Triangle, margin: f64) -> f64 {
    let room = margin - moment.slack;
    if room.is_nan() || room <= 0.0 {
        return 0.0;
    }
    // Linear in the point, so the largest speed is that of a corner.
    let speed = |p: &DVec3| (moment.velocity + moment.angular.cross(*p)).length();
    let fastest = triangle.iter().map(speed).fold(0.0, f64::max) * (1.0 + 64.0 * UNIT);
    let acceleration = moment.acceleration_bound[1];
    let time = 2.0 * room / (fastest + (fastest * fastest + 2.0 * acceleration * room).sqrt());
    // A NaN lasts for no time.
    if time > 0.0 { (time * (1.0 - 1e-9)).min(moment.half) } else { 0.0 }
}

/// Returns the largest margin with which an edge of the first triangle pierces the second; 0 or less if none
/// certainly does.
fn margin(of: &Triangle, pierces: &Triangle) -> f64 {
    let edges = [[of[0], of[1]], [of[1], of[2]], [of[2], of[0]]];
    edges.iter().map(|&edge| pierced(edge, pierces)).fold(0.0, f64::max)
}

/// Returns by how much the ends of an edge can move, each on its own, while the edge certainly pierces a
/// triangle; 0 or less if it may not pierce it now.
///
/// The ends lie `s` and `r` beyond the plane on either side, and the edge of length `l` meets it at a
/// distance of at least `e` from the triangle's edges, inside. If both ends move by less than `m`, then so
/// does every point between them. If `m` is at most s and r, they stay on their sides, and the point where
/// the edge meets the plane has been within `m` of it before: it slides along the edge by at most `m l / (s +
/// r)`, and moves by `m`. It stays inside while `m (1 + l / (s + r)) <= e`.
pub fn pierced([p, q]: [DVec3; 2], [a, b, c]: &Triangle) -> f64 {
    let [p, q, b, c] = [p, q, *b, *c].map(|point| point - *a);
    let size = [p, q, b, c].iter().map(|point| point.length()).fold(0.0, f64::max);
    let normal = b.cross(c);
    let area = normal.length();
    // A needle has no plane that rounding leaves alone.
    if area.is_nan() || area <= 1e-6 * size * size {
        return 0.0;
    }
    let normal = normal / area;
    let (s, r) = (normal.dot(p), normal.dot(q));
    if s * r >= 0.0 {
        return 0.0;
    }
    let x = p + (q - p) * (s / (s - r));
    let inside = |from: DVec3, to: DVec3| {
        let along = to - from;
        normal.cross(along).dot(x - from) / along.length()
    };
    let e = inside(DVec3::ZERO, b).min(inside(b, c)).min(inside(c, DVec3::ZERO));
    let apart = (s - r).abs();
    let room = s.abs().min(r.abs()).min(e * apart / (apart + (q - p).length()));
    room - PIERCED * (size + a.abs().max_element())
}
