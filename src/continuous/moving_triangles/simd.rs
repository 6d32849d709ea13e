//! Four pairs at a time, with the operations of [`scalar`](super::scalar) and so with equal bits.

use super::{LONG, SHORT, acceleration_bound};
use crate::narrow::posed_leaf::PosedLeaf;
use crate::narrow::triangle_distance::simd::{bits, directions, edge_directions, extent, normal, recentred};
use closefit_geometry::lanes::{Select, Simd, SimdBase, SimdFloat, f64x4, mask64x4};
use closefit_geometry::lanes::{Triangles4, Vec3x4};
use closefit_geometry::math::error_bounds::{LENGTH, SHORTEST, SQUARES};
use closefit_geometry::motion::moment::Moment;

/// A moment and a limit, broadcast to all lanes.
#[derive(Clone, Copy, Debug)]
pub struct PreparedMoment<S: Simd> {
    velocity: Vec3x4<S>,
    angular: Vec3x4<S>,
    half: f64x4<S>,
    /// The limit plus the moment's deviation.
    limit: f64,
    /// The limit plus the moment's slack, the half width, and the acceleration bound.
    ahead: [f64; 3],
}

impl<S: Simd> PreparedMoment<S> {
    /// Prepares a moment, for distances of at most `limit`.
    #[inline(always)]
    pub fn new(simd: S, moment: &Moment, limit: f64) -> Self {
        Self {
            velocity: Vec3x4::splat(simd, moment.velocity),
            angular: Vec3x4::splat(simd, moment.angular),
            half: f64x4::splat(simd, moment.half),
            limit: limit + moment.deviation(1),
            ahead: [limit + moment.slack, moment.half, acceleration_bound(moment)],
        }
    }

    /// Returns the velocity of a point.
    #[inline(always)]
    fn speed(&self, p: Vec3x4<S>) -> Vec3x4<S> {
        self.angular.cross(p) + self.velocity
    }

    /// Returns the movement of a point in half the stretch.
    #[inline(always)]
    fn way(&self, p: Vec3x4<S>) -> Vec3x4<S> {
        self.speed(p) * self.half
    }
}

/// Sets bit `l` only if the pair in lane `l` stays farther apart than the limit, and for spare lanes.
#[inline(always)]
pub fn beyond<S: Simd>(a: &PosedLeaf<S>, b: &PosedLeaf<S>, moving: &PreparedMoment<S>) -> u32 {
    let spare = 0b1111 & !(a.lanes & b.lanes);
    let size = extent(a, b);
    let limit = size * LENGTH + moving.limit;
    let ways = [moving.way(b.corner[0]), moving.way(b.corner[1]), moving.way(b.corner[2])];
    let (p, q) = recentred(a, b);
    let middles = (q[0] + q[1] + q[2]) - (p[0] + p[1] + p[2]);
    let mut beyond = stays_beyond(&p, &q, &ways, middles, limit);
    if bits(beyond) | spare == 0b1111 {
        return 0b1111;
    }
    beyond |= stays_beyond(&p, &q, &ways, normal(&p), limit) | stays_beyond(&p, &q, &ways, normal(&q), limit);
    if bits(beyond) | spare == 0b1111 {
        return 0b1111;
    }
    let long = ways[0].dot(ways[0]).max(ways[1].dot(ways[1])).max(ways[2].dot(ways[2]));
    let asked = !long.simd_gt(size * size * LONG) & !beyond;
    if bits(asked) & !spare != 0 {
        let [apart, perpendicular] = directions(a, b);
        let stays = |direction| stays_beyond(&p, &q, &ways, direction, limit);
        beyond |= (stays(apart) | stays(perpendicular)) & asked;
        let short = apart.dot(apart).simd_lt(size * size * SHORT) & asked & !beyond;
        if bits(short) & !spare != 0 {
            for direction in edge_directions(a, b) {
                beyond |= stays(direction) & short;
            }
        }
    }
    bits(beyond) | spare
}

/// Returns for how many seconds the pairs certainly stay farther apart than the limit, as
/// [`scalar::free_time`](super::scalar::free_time) does; meaningless for spare lanes.
#[inline(always)]
pub fn free_time<S: Simd>(a: &PosedLeaf<S>, b: &PosedLeaf<S>, moving: &PreparedMoment<S>) -> f64x4<S> {
    let [limit, most, acceleration_bound] = moving.ahead;
    let size = extent(a, b);
    let limit = size * LENGTH + limit;
    let (p, q) = recentred(a, b);
    let speeds = [moving.speed(b.corner[0]), moving.speed(b.corner[1]), moving.speed(b.corner[2])];
    let [apart, perpendicular] = directions(a, b);
    let along = |direction| free_along(&p, &q, &speeds, direction, (limit, acceleration_bound));
    let mut time = along(apart).max(along(perpendicular));
    let short = apart.dot(apart).simd_lt(size * size * SHORT) & time.simd_lt(most);
    if bits(short) != 0 {
        for direction in edge_directions(a, b) {
            time = short.select(time.max(along(direction)), time);
        }
    }
    time.min(most)
}

#[inline(always)]
fn free_along<S: Simd>(
    p: &Triangles4<S>,
    q: &Triangles4<S>,
    speeds: &Triangles4<S>,
    direction: Vec3x4<S>,
    (limit, acceleration_bound): (f64x4<S>, f64),
) -> f64x4<S> {
    let squared = direction.dot(direction);
    let simd = limit.simd;
    let zero = f64x4::splat(simd, 0.0);
    let inverse = f64x4::splat(simd, 1.0) / squared.sqrt();
    let p0 = direction.dot(p[0]) * inverse;
    let p1 = direction.dot(p[1]) * inverse;
    let p2 = direction.dot(p[2]) * inverse;
    let q0 = direction.dot(q[0]) * inverse;
    let q1 = direction.dot(q[1]) * inverse;
    let q2 = direction.dot(q[2]) * inverse;
    let v0 = direction.dot(speeds[0]) * inverse;
    let v1 = direction.dot(speeds[1]) * inverse;
    let v2 = direction.dot(speeds[2]) * inverse;
    let (lo, hi) = (p0.min(p1).min(p2), p0.max(p1).max(p2));
    let of = Corner { lo, hi, limit, acceleration_bound, zero };
    let least = of.time(q0, v0).min(of.time(q1, v1)).min(of.time(q2, v2));
    let past = q0.min(q1).min(q2).simd_gt(hi) | q0.max(q1).max(q2).simd_lt(lo);
    (squared.simd_ge(SHORTEST) & past).select(least, zero)
}

/// The projection of the first triangle, which the corners of the second approach.
struct Corner<S: Simd> {
    lo: f64x4<S>,
    hi: f64x4<S>,
    limit: f64x4<S>,
    acceleration_bound: f64,
    zero: f64x4<S>,
}

impl<S: Simd> Corner<S> {
    #[inline(always)]
    fn time(&self, q: f64x4<S>, speed: f64x4<S>) -> f64x4<S> {
        let after = q.simd_gt(self.hi);
        let gap = after.select(q - self.hi, self.lo - q) - self.limit;
        let closing = after.select(self.zero - speed, speed);
        let root = (closing * closing + gap * 2.0 * self.acceleration_bound).sqrt();
        let soon = gap * 2.0 / (closing + root);
        let late = (root - closing) / f64x4::splat(self.zero.simd, self.acceleration_bound);
        let time = closing.simd_gt(0.0).select(soon, late);
        // An infinite acceleration bound gives NaN, which counts as no time.
        (gap.simd_gt(0.0) & time.simd_gt(0.0)).select(time * (1.0 - SQUARES), self.zero)
    }
}

#[inline(always)]
fn stays_beyond<S: Simd>(
    a: &Triangles4<S>,
    b: &Triangles4<S>,
    ways: &Triangles4<S>,
    direction: Vec3x4<S>,
    limit: f64x4<S>,
) -> mask64x4<S> {
    let squared = direction.dot(direction);
    let (p0, p1, p2) = (direction.dot(a[0]), direction.dot(a[1]), direction.dot(a[2]));
    let (q0, q1, q2) = (direction.dot(b[0]), direction.dot(b[1]), direction.dot(b[2]));
    let w0 = direction.dot(ways[0]).abs();
    let w1 = direction.dot(ways[1]).abs();
    let w2 = direction.dot(ways[2]).abs();
    let after = (q0 - w0).min(q1 - w1).min(q2 - w2) - p0.max(p1).max(p2);
    let before = p0.min(p1).min(p2) - (q0 + w0).max(q1 + w1).max(q2 + w2);
    squared.simd_ge(SHORTEST) & after.max(before).simd_gt(squared.sqrt() * limit)
}
