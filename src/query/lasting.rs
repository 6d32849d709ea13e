//! The proof that two moving parts stay near for a while: they cross deeply (`immersion`), triangles pierce
//! each other deeply, triangles lie nearer than they must, or they slide along each other (`beside`).
//!
//! Over a time `h` about a moment, no point of one part moves by more than `h |v| + h^2 K / 2` as seen from
//! the other, with its velocity `v` and an acceleration bound K. So triangles at a distance `d` stay within
//! a limit while that is at most `limit - d`, and an edge that pierces a triangle keeps doing so while it
//! is below the edge's [margin](pierced).

use glam::DVec3;

use super::beside::{beside, may_last, unit_normal};
use super::immersion::Immersion;
use super::level;
use crate::bvh::moving::{Memory, MovingPair};
use crate::bvh::static_pair::StaticPair;
use crate::narrow::Work;
use closefit_geometry::exact::distance::distance;
use closefit_geometry::math::Triangle;
use closefit_geometry::math::error_bounds::UNIT;
use closefit_geometry::motion::moment::Moment;

/// A walk from one near cell to the next.
#[derive(Clone, Debug, Default)]
pub struct NearWalk {
    memory: Memory,
    immersion: Immersion,
    /// Steps since vertices were searched for that lie deep in the other part.
    since_immersed: Patience,
    /// Steps since all triangles were searched for ones that stay near for longer.
    since_picked: Patience,
    /// Number of times that the time over which the motion is bounded has grown.
    farther: u32,
}

/// Steps since a search, and until it is tried again.
#[derive(Clone, Debug, Default)]
struct Patience {
    since: u32,
    wait: u32,
}

impl Patience {
    /// Counts a step. Returns true if the search is due.
    fn step(&mut self) -> bool {
        self.since += 1;
        self.since > self.wait
    }

    /// Notes a search: after one that did not pay, twice as many steps are waited, up to `longest`.
    fn tried(&mut self, has_paid: bool, [after_success, longest]: [u32; 2]) {
        let wait = if has_paid { after_success } else { longest.min(2 * self.wait + 1) };
        *self = Self { since: 0, wait };
    }
}

/// Number of cells from which a step is long enough.
const LONG: f64 = 32.0;

/// Number of cells from which a step is so long that no vertices are searched for.
const VERY_LONG: f64 = 1024.0;

/// Steps to wait after a search of all triangles that has paid, and at most.
const PICKED: [u32; 2] = [4, 1 << 12];

/// Steps to wait after a search for vertices that has paid, and at most.
const IMMERSED: [u32; 2] = [0, 15];

/// Number of triangles in contact among which a search picks.
const MANY: usize = 1 << 12;

/// Number of seconds, in widths of cells, over which the motion is bounded at first, and the factor by
/// which they grow after a step of half of them, and shrink after much shorter ones. A bound over less time
/// is sharper, but where a number of cells limits all steps, there are the more of them the finer the cells
/// are.
const AHEAD: [f64; 2] = [4096.0, 8.0];

impl NearWalk {
    /// Returns the last of a run of cells that begins with this one, at whose middles the shapes are
    /// certainly within `limit` of each other; `None` if they are not at its own. It may not be the last
    /// such cell.
    pub fn last_near(&mut self, pair: &MovingPair, cell: u64, limit: f64, work: &mut Work) -> Option<u64> {
        let cells = pair.cells;
        let (width, left) = (cells.width(), cells.count() - cell);
        let [least, factor] = AHEAD;
        let ahead = (0..self.farther).fold(least, |ahead, _| ahead * factor);
        let moment = pair.motion.moment(cells.middle(cells.cell(cell)), width * ahead.min(left as f64));
        let near = Near { limit, least: 2.0 * width, enough: LONG * width, cell };
        let mut lasting = self.immersion.lasting(pair, &moment, work);
        if lasting < LONG * width {
            if !pair.is_within_still(moment.time, limit, &mut self.memory, work) {
                return None;
            }
            let found = most_lasting(pair, &moment, &near, &self.memory.pairs());
            lasting = lasting.max(found.map_or(0.0, |(lasting, _)| lasting));
        }
        if lasting < VERY_LONG * width
            && self.since_immersed.step()
            && let Some(&triangles) = self.memory.pairs().last()
        {
            let found = self.immersion.find((pair, &moment), triangles, lasting, work);
            self.since_immersed.tried(found.is_some(), IMMERSED);
            lasting = found.unwrap_or(lasting);
        }
        if lasting < LONG * width && self.since_picked.step() {
            let best = pair.ask_at(moment.time, |asked| {
                let found = match asked.contacts_up_to(MANY, work) {
                    none if none.is_empty() => around(asked, asked.nearest(limit, work)?.triangles),
                    found => found,
                };
                most_lasting(pair, &moment, &near, &found)
            });
            let found = best.map_or(0.0, |(lasting, _)| lasting);
            self.since_picked.tried(found > 4.0 * lasting, PICKED);
            best.into_iter().for_each(|(_, best)| self.memory.add(best));
            lasting = lasting.max(found);
        }
        if lasting >= 0.5 * moment.half && ahead < left as f64 {
            self.farther += 1;
        } else if lasting * (factor * factor) < moment.half {
            self.farther = self.farther.saturating_sub(1);
        }
        // A little less, because the times of middles are rounded.
        let passed = (lasting / width * (1.0 - 1e-9)) as u64;
        Some(cell + passed.saturating_sub(1).min(left - 1))
    }
}

/// Returns the pair of triangles that certainly stays within the limit for longest after a moment's middle,
/// with that time. Sliding is looked at only where nothing else lasts long enough.
fn most_lasting(
    pair: &MovingPair,
    moment: &Moment,
    near: &Near,
    triangles: &[[u32; 2]],
) -> Option<(f64, [u32; 2])> {
    let longest = |mut found: Option<(f64, [u32; 2])>, lasting: LastingOf| {
        for &of in triangles {
            let known = found.map_or(0.0, |(known, _)| known);
            let lasting = lasting(pair, moment, near, of, known.max(near.least));
            if found.is_none() || lasting > known {
                found = Some((lasting, of));
            }
        }
        found
    };
    let found = longest(None, lasting_of)?;
    if found.0 >= near.enough {
        return Some(found);
    }
    longest(Some(found), sliding_of)
}

/// Returns for how long triangles stay within a limit, or anything smaller if that is no longer than a time.
type LastingOf = fn(&MovingPair, &Moment, &Near, [u32; 2], f64) -> f64;

/// Returns the pairs of the triangles that share a corner with one of a pair, one of each part: which of
/// many equally close ones is found says nothing of the others.
fn around(asked: &dyn StaticPair, triangles: [u32; 2]) -> Vec<[u32; 2]> {
    let bodies = asked.bodies();
    let [a, b] = [0, 1].map(|side| {
        let (body, triangle) = (bodies[side], triangles[side] as usize);
        let corners = body.mesh.triangles()[triangle];
        let mut found: Vec<u32> =
            corners.iter().flat_map(|&v| body.incidence().at(v).iter().copied()).collect();
        found.sort_unstable();
        found.dedup();
        found
    });
    if a.len() * b.len() > MANY {
        return vec![triangles];
    }
    a.iter().flat_map(|&a| b.iter().map(move |&b| [a, b])).collect()
}

/// The limit within which triangles have to stay from a cell on, and for how long is enough.
struct Near {
    limit: f64,
    /// A time up to which a step passes no more cells than the first.
    least: f64,
    enough: f64,
    cell: u64,
}

fn lasting_of(pair: &MovingPair, moment: &Moment, near: &Near, triangles: [u32; 2], longer_than: f64) -> f64 {
    let [a, b] = posed(pair, moment, triangles);
    let flipped = moment.flipped();
    let pierced = stays(&flipped, &a, margin(&a, &b)).max(stays(moment, &b, margin(&b, &a)));
    // No more than the limit is left of it.
    if stays(moment, &b, near.limit) <= pierced.max(longer_than) {
        return pierced;
    }
    // What is pierced is met. The contract's distance is off by less than that.
    let apart = if pierced > 0.0 { 0.0 } else { distance(&a, &b) };
    pierced.max(stays(moment, &b, near.limit - apart * (1.0 + 1e-9)))
}

/// Returns for how long after a moment's middle triangles certainly stay within the limit while they slide.
fn sliding_of(pair: &MovingPair, moment: &Moment, near: &Near, triangles: [u32; 2], longer_than: f64) -> f64 {
    let [a, b] = &posed(pair, moment, triangles);
    let flipped = moment.flipped();
    let lasting = |moment: &Moment, a: &Triangle, b: &Triangle| match may_last(moment, a, b, near.limit) {
        time if time <= longer_than => 0.0,
        _ => beside(moment, a, b, near.limit),
    };
    let lasting = lasting(moment, a, b).max(lasting(&flipped, b, a));
    if lasting >= near.enough {
        return lasting;
    }
    lasting.max(level::lasting((pair, moment), near.cell, triangles, [a, b], near.limit))
}

fn posed(pair: &MovingPair, moment: &Moment, triangles: [u32; 2]) -> [Triangle; 2] {
    let meshes = pair.shapes.meshes();
    [0, 1].map(|side| meshes[side].corners(triangles[side]).map(|v| moment.poses[side].apply(v)))
}

/// Returns for how long, at most for the moment's half width, none of some points of the second part, and
/// nothing between them, moves by more than a margin, as seen from the first.
pub(super) fn stays(moment: &Moment, points: &[DVec3], margin: f64) -> f64 {
    let room = margin - moment.slack;
    if room.is_nan() || room <= 0.0 {
        return 0.0;
    }
    // Linear in the point, so the largest speed is a corner's.
    let speed = |p: &DVec3| (moment.velocity + moment.angular.cross(*p)).length();
    let fastest = points.iter().map(speed).fold(0.0, f64::max) * (1.0 + 64.0 * UNIT);
    let acceleration = moment.acceleration_bound[1];
    let time = 2.0 * room / (fastest + (fastest * fastest + 2.0 * acceleration * room).sqrt());
    // A NaN lasts for no time.
    if time > 0.0 { (time * (1.0 - 1e-9)).min(moment.half) } else { 0.0 }
}

/// Returns the largest margin with which an edge of the first triangle pierces the second; 0 or less if
/// none certainly does.
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
/// the edge meets the plane has been within `m` of it before: it slides along the edge by at most `m l / (s
/// + r)`, and moves by `m`. It stays inside while `m (1 + l / (s + r)) <= e`.
pub fn pierced([p, q]: [DVec3; 2], [a, b, c]: &Triangle) -> f64 {
    let [p, q, b, c] = [p, q, *b, *c].map(|point| point - *a);
    let size = [p, q, b, c].iter().map(|point| point.length()).fold(0.0, f64::max);
    let Some((normal, error)) = unit_normal(b.cross(c), size) else { return 0.0 };
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
    room - error * (size + a.abs().max_element())
}
