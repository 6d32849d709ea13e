//! Four pairs at a time; operations, and so bits, as in [`scalar`](super::scalar).

use glam::DVec3;

use super::STRAIGHT;
use crate::lanes::{Select, Simd, SimdBase, SimdFloat, SimdMask, f64x4, mask64x4};
use crate::math::error_bounds::{LENGTH, SHORTEST, SQUARES};
use crate::motion::pair::Moment;
use crate::narrow::posed_leaf::PosedLeaf;
use crate::narrow::triangle_distance::simd::direction;
use crate::narrow::vec3x4::{Triangles4, Vec3x4};

/// What a moment is to every pair.
#[derive(Clone, Copy, Debug)]
pub struct Moving<S: Simd> {
    velocity: Vec3x4<S>,
    angular: Vec3x4<S>,
    half: f64x4<S>,
    /// A limit, and what the moment sags.
    limit: f64,
    /// A limit, and what rounding may add; how far ahead the moment reaches; its bend.
    ahead: [f64; 3],
}

impl<S: Simd> Moving<S> {
    /// Of a moment, for distances of at most `limit`.
    #[inline(always)]
    pub fn new(simd: S, moment: &Moment, limit: f64) -> Self {
        Self {
            velocity: splat(simd, moment.velocity),
            angular: splat(simd, moment.angular),
            half: f64x4::splat(simd, moment.half),
            limit: limit + moment.sag(1),
            ahead: [limit + moment.slack, moment.half, moment.bend[1].max(STRAIGHT)],
        }
    }

    /// The velocity of a point.
    #[inline(always)]
    fn speed(&self, p: Vec3x4<S>) -> Vec3x4<S> {
        self.angular.cross(p) + self.velocity
    }

    /// Half the way of a point.
    #[inline(always)]
    fn way(&self, p: Vec3x4<S>) -> Vec3x4<S> {
        self.speed(p) * self.half
    }
}

#[inline(always)]
fn splat<S: Simd>(simd: S, v: DVec3) -> Vec3x4<S> {
    Vec3x4 { x: f64x4::splat(simd, v.x), y: f64x4::splat(simd, v.y), z: f64x4::splat(simd, v.z) }
}

/// Bit `l` is set only if the pair in lane `l` stays farther apart than the limit, and for spare lanes.
#[inline(always)]
pub fn beyond<S: Simd>(a: &PosedLeaf<S>, b: &PosedLeaf<S>, moving: &Moving<S>) -> u32 {
    let spare = 0b1111 & !(a.lanes & b.lanes);
    let size = a.hi.max(b.hi) - a.lo.min(b.lo);
    let limit = size.x.max(size.y).max(size.z) * LENGTH + moving.limit;
    let ways = [moving.way(b.corner[0]), moving.way(b.corner[1]), moving.way(b.corner[2])];
    let origin = a.corner[0];
    let p = [a.corner[0] - origin, a.corner[1] - origin, a.corner[2] - origin];
    let q = [b.corner[0] - origin, b.corner[1] - origin, b.corner[2] - origin];
    let middles = (q[0] + q[1] + q[2]) - (p[0] + p[1] + p[2]);
    let mut beyond = stays_beyond(&p, &q, &ways, middles, limit);
    if bits(beyond) | spare == 0b1111 {
        return 0b1111;
    }
    beyond |= stays_beyond(&p, &q, &ways, normal(&p), limit) | stays_beyond(&p, &q, &ways, normal(&q), limit);
    if bits(beyond) | spare == 0b1111 {
        return 0b1111;
    }
    beyond |= stays_beyond(&p, &q, &ways, direction(a, b), limit);
    bits(beyond) | spare
}

/// Seconds for which the pairs certainly stay farther apart than the limit, as
/// [`scalar::free_time`](super::scalar::free_time); of any use for lanes that are not spare.
#[inline(always)]
pub fn free_time<S: Simd>(a: &PosedLeaf<S>, b: &PosedLeaf<S>, moving: &Moving<S>) -> f64x4<S> {
    let [limit, most, bend] = moving.ahead;
    let size = a.hi.max(b.hi) - a.lo.min(b.lo);
    let limit = size.x.max(size.y).max(size.z) * LENGTH + limit;
    let origin = a.corner[0];
    let direction = direction(a, b);
    let squared = direction.dot(direction);
    let simd = limit.simd;
    let zero = f64x4::splat(simd, 0.0);
    let inverse = f64x4::splat(simd, 1.0) / squared.sqrt();
    let p0 = direction.dot(a.corner[0] - origin) * inverse;
    let p1 = direction.dot(a.corner[1] - origin) * inverse;
    let p2 = direction.dot(a.corner[2] - origin) * inverse;
    let q0 = direction.dot(b.corner[0] - origin) * inverse;
    let q1 = direction.dot(b.corner[1] - origin) * inverse;
    let q2 = direction.dot(b.corner[2] - origin) * inverse;
    let v0 = direction.dot(moving.speed(b.corner[0])) * inverse;
    let v1 = direction.dot(moving.speed(b.corner[1])) * inverse;
    let v2 = direction.dot(moving.speed(b.corner[2])) * inverse;
    let (lo, hi) = (p0.min(p1).min(p2), p0.max(p1).max(p2));
    let of = Corner { lo, hi, limit, bend, zero };
    let least = of.time(q0, v0).min(of.time(q1, v1)).min(of.time(q2, v2));
    let past = q0.min(q1).min(q2).simd_gt(hi) | q0.max(q1).max(q2).simd_lt(lo);
    (squared.simd_ge(SHORTEST) & past).select(least.min(most), zero)
}

/// What the corners of a triangle come closer to.
struct Corner<S: Simd> {
    lo: f64x4<S>,
    hi: f64x4<S>,
    limit: f64x4<S>,
    bend: f64,
    zero: f64x4<S>,
}

impl<S: Simd> Corner<S> {
    #[inline(always)]
    fn time(&self, q: f64x4<S>, speed: f64x4<S>) -> f64x4<S> {
        let after = q.simd_gt(self.hi);
        let gap = after.select(q - self.hi, self.lo - q) - self.limit;
        let closing = after.select(self.zero - speed, speed);
        let root = (closing * closing + gap * 2.0 * self.bend).sqrt();
        let soon = gap * 2.0 / (closing + root);
        let late = (root - closing) / f64x4::splat(self.zero.simd, self.bend);
        let time = closing.simd_gt(0.0).select(soon, late) * (1.0 - SQUARES);
        gap.simd_gt(0.0).select(time, self.zero)
    }
}

#[inline(always)]
fn bits<S: Simd>(mask: mask64x4<S>) -> u32 {
    mask.to_bitmask() as u32
}

#[inline(always)]
fn normal<S: Simd>(t: &Triangles4<S>) -> Vec3x4<S> {
    (t[1] - t[0]).cross(t[2] - t[0])
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
