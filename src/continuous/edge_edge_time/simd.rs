//! Four pairs of edges at a time, with the operations of [`scalar`](super::scalar) and so with equal bits.

use crate::continuous::root::Moved4;
use closefit_geometry::lanes::Vec3x4;
use closefit_geometry::lanes::{Simd, SimdBase, SimdFloat, SimdMask, f64x4};
use closefit_geometry::math::error_bounds::{
    GAP_OVER_TIME, NORMAL_OVER_TIME, SHORTEST, SUMS, VOLUME_OVER_TIME,
};

/// Sets bit `l` only if the fixed and the moving edge of lane `l` stay farther apart than `limit` throughout.
/// The moving edge's ends deviate from their paths by at most `deviation`.
#[inline(always)]
pub fn beyond<S: Simd>(fixed: [Vec3x4<S>; 2], moving: [Moved4<S>; 2], deviation: f64, limit: f64) -> u32 {
    let origin = fixed[0];
    let u = fixed[1] - origin;
    let (c, d) = (moving[0].at - origin, moving[1].at - origin);
    let (c_path, d_path) = (moving[0].path, moving[1].path);
    let reach = size(u).max(size(c)).max(size(d)).max(size(c_path)).max(size(d_path));
    let v = d - c;
    let volume = u.dot(d.cross(c)).abs()
        - u.dot(d_path.cross(c) + d.cross(c_path)).abs()
        - u.dot(d_path.cross(c_path)).abs();
    let long = length(u);
    let lengths = length(c) + length(d) + length(c_path) + length(d_path);
    let off =
        long * deviation * (lengths + deviation) * (1.0 + SUMS) + reach * reach * reach * VOLUME_OVER_TIME;
    let normal = length(u.cross(v)) + length(u.cross(d_path - c_path)) + long * 2.0 * deviation;
    let normal = normal * (1.0 + SUMS) + reach * reach * NORMAL_OVER_TIME;
    let crossing = (volume - off).simd_gt(normal * limit);
    if crossing.to_bitmask() == 0b1111 {
        return 0b1111;
    }
    let (uu, vv, uv, uc, vc) = (u.dot(u), v.dot(v), u.dot(v), u.dot(c), v.dot(c));
    let s = fraction((uc * vv - uv * vc) / positive(uu * vv - uv * uv));
    let t = fraction((uv * s - vc) / positive(vv));
    let s = fraction((uv * t + uc) / positive(uu));
    let apart = (c - u * s) + v * t;
    let squared = apart.dot(apart);
    let from = apart.dot(u).max(0.0);
    let to = (apart.dot(c) - apart.dot(c_path).abs()).min(apart.dot(d) - apart.dot(d_path).abs());
    let room = reach * GAP_OVER_TIME + (limit + deviation);
    let gap = squared.simd_ge(SHORTEST) & (to - from).simd_gt(squared.sqrt() * room);
    (crossing | gap).to_bitmask() as u32
}

/// Returns the largest magnitude of a coordinate.
#[inline(always)]
fn size<S: Simd>(v: Vec3x4<S>) -> f64x4<S> {
    v[0].abs().max(v[1].abs()).max(v[2].abs())
}

#[inline(always)]
fn length<S: Simd>(v: Vec3x4<S>) -> f64x4<S> {
    v.dot(v).sqrt()
}

/// Returns a positive divisor, so that no quotient is NaN.
#[inline(always)]
fn positive<S: Simd>(x: f64x4<S>) -> f64x4<S> {
    x.max(f64::MIN_POSITIVE)
}

#[inline(always)]
fn fraction<S: Simd>(x: f64x4<S>) -> f64x4<S> {
    x.max(0.0).min(1.0)
}
