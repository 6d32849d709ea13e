//! Four pairs at a time; operations, and so bits, as in [`scalar`](super::scalar).

use glam::DVec3;

use crate::lanes::{Simd, SimdBase, SimdFloat, SimdMask, f64x4, mask64x4};
use crate::math::error_bounds::{LENGTH, SHORTEST};
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
        }
    }

    /// Half the way of a point.
    #[inline(always)]
    fn way(&self, p: Vec3x4<S>) -> Vec3x4<S> {
        (self.angular.cross(p) + self.velocity) * self.half
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
