//! Boxes of a block, eight at a time: the leaves' bounds along axes, and boxes proven to contain given
//! bounds.

use glam::DVec3;

use super::super::Block;
use super::leaf_frames::LeafCorners;
use closefit_geometry::lanes::*;
use closefit_geometry::math::error_bounds::{
    F32_CENTER, F32_EXTENT, F32_PROJECTION, F32_SKEW, F32_SKEW_GAIN,
};

/// The corners of two triangles per lane: three of the first, three of the second.
pub(super) type Corners = [[[f64; LANES]; 3]; 6];

/// Bounds along three axes, per lane.
#[derive(Clone, Copy)]
pub(super) struct LaneBounds {
    pub lo: [[f64; LANES]; 3],
    pub hi: [[f64; LANES]; 3],
}

impl LaneBounds {
    const ZERO: Self = Self { lo: [[0.0; LANES]; 3], hi: [[0.0; LANES]; 3] };
}

/// Two axes per lane, by coordinate, in f32.
pub(super) type TwoAxes = [[[f32; LANES]; 3]; 2];

/// Vectors of eight lanes are processed in two halves.
const HALVES: [usize; 2] = [0, 1];

#[inline(always)]
fn load<S: Simd, const N: usize>(simd: S, from: &[[f64; LANES]; N], half: usize) -> [f64x4<S>; N] {
    let mut halves = [f64x4::splat(simd, 0.0); N];
    for (lanes, from) in halves.iter_mut().zip(from) {
        *lanes = f64x4::from_slice(simd, &from[4 * half..4 * half + 4]);
    }
    halves
}

#[inline(always)]
fn store<S: Simd>(to: &mut [[f64; LANES]; 3], from: [f64x4<S>; 3], half: usize) {
    for (to, from) in to.iter_mut().zip(from) {
        from.store_slice(&mut to[4 * half..4 * half + 4]);
    }
}

/// Returns both axes in f64, each in two halves.
#[inline(always)]
fn widen<S: Simd>(simd: S, axes: &TwoAxes) -> [[Vec3x4<S>; 2]; 2] {
    let zero = Vector([f64x4::splat(simd, 0.0); 3]);
    let mut halves = [[zero; 2]; 2];
    for (i, axis) in axes.iter().enumerate() {
        for (k, lanes) in axis.iter().enumerate() {
            let (low, high) = f32x8::load_array_ref(simd, lanes).widen();
            (halves[0][i][k], halves[1][i][k]) = (low, high);
        }
    }
    halves
}

#[inline(always)]
fn narrow<S: Simd>(to: &mut [[f32; LANES]; 3], low: Vec3x4<S>, high: Vec3x4<S>) {
    for (to, (low, high)) in to.iter_mut().zip(low.0.into_iter().zip(high.0)) {
        low.narrow(high).store_array(to);
    }
}

/// Makes axes orthonormal in f64 and rounds them back. They become NaN where that is impossible.
#[inline(always)]
pub(super) fn orthonormal<S: Simd>(simd: S, axes: &mut TwoAxes) {
    let mut halves = widen(simd, axes);
    let one = f64x4::splat(simd, 1.0);
    for [a, b] in &mut halves {
        *a = *a * (one / a.dot(*a).sqrt());
        *b = *b - *a * a.dot(*b);
        *b = *b * (one / b.dot(*b).sqrt());
    }
    for (i, axis) in axes.iter_mut().enumerate() {
        narrow(axis, halves[0][i], halves[1][i]);
    }
}

/// Returns bounds along the coordinate axes.
#[inline(always)]
pub(super) fn bounds<S: Simd>(simd: S, corners: &Corners) -> LaneBounds {
    let mut bounds = LaneBounds::ZERO;
    for half in HALVES {
        let first = load(simd, &corners[0], half);
        let (mut lo, mut hi) = (first, first);
        for corner in &corners[1..] {
            for (k, x) in load(simd, corner, half).into_iter().enumerate() {
                lo[k] = lo[k].min(x);
                hi[k] = hi[k].max(x);
            }
        }
        store(&mut bounds.lo, lo, half);
        store(&mut bounds.hi, hi, half);
    }
    bounds
}

/// Returns the corners relative to the first corner, times `unit`.
#[inline(always)]
pub(super) fn relative<S: Simd>(simd: S, corners: &Corners, unit: f64) -> LeafCorners {
    let unit = f64x4::splat(simd, unit);
    let (low, high) = (Vector(load(simd, &corners[0], 0)), Vector(load(simd, &corners[0], 1)));
    let mut relative = [[[0.0; LANES]; 3]; 6];
    for (to, corner) in relative[1..].iter_mut().zip(&corners[1..]) {
        let from_low = (Vector(load(simd, corner, 0)) - low) * unit;
        let from_high = (Vector(load(simd, corner, 1)) - high) * unit;
        narrow(to, from_low, from_high);
    }
    relative
}

/// Returns the bounds of corners, relative to an origin, along the axes and their cross product.
#[inline(always)]
pub(super) fn bounds_along<S: Simd>(simd: S, corners: &Corners, origin: DVec3, axes: &TwoAxes) -> LaneBounds {
    let mut bounds = LaneBounds::ZERO;
    let origin = Vec3x4::splat(simd, origin);
    for (half, [a, b]) in widen(simd, axes).into_iter().enumerate() {
        let axes = [a, b, a.cross(b)];
        let mut lo = [f64x4::splat(simd, f64::INFINITY); 3];
        let mut hi = [f64x4::splat(simd, f64::NEG_INFINITY); 3];
        for corner in corners {
            let p = Vector(load(simd, corner, half)) - origin;
            for k in 0..3 {
                let x = axes[k].dot(p);
                lo[k] = lo[k].min(x);
                hi[k] = hi[k].max(x);
            }
        }
        store(&mut bounds.lo, lo, half);
        store(&mut bounds.hi, hi, half);
    }
    bounds
}

/// Returns half of the surface area.
#[inline(always)]
fn area<S: Simd>(lo: &[f64x4<S>; 3], hi: &[f64x4<S>; 3]) -> f64x4<S> {
    let [x, y, z] = [hi[0] - lo[0], hi[1] - lo[1], hi[2] - lo[2]];
    x * y + y * z + z * x
}

/// Fits boxes around what lies within `straight` along the coordinate axes and, where the given axes are a
/// frame, within `along` along those; both are relative to the block's origin. Each box takes the axes that
/// make it smaller.
///
/// [`closefit_geometry::bounds::obb::Obb::around`] explains why the boxes contain their points; here the
/// projection of the rounded centre takes the place of the centre.
#[inline(always)]
pub(super) fn fit<S: Simd>(
    simd: S,
    block: &mut Block,
    axes: &TwoAxes,
    straight: &LaneBounds,
    along: &LaneBounds,
) {
    let number = |x: f64| f64x4::splat(simd, x);
    let (zero, one) = (number(0.0), number(1.0));
    let mut chosen = widen(simd, axes);
    let mut lower = [[zero; 3]; 2];
    let mut upper = [[zero; 3]; 2];
    let mut spans = [zero; 2];
    let mut centers = [Vector([zero; 3]); 2];
    for half in HALVES {
        let [a, b] = chosen[half];
        let (lo, hi) = (load(simd, &straight.lo, half), load(simd, &straight.hi, half));
        let (lo_along, hi_along) = (load(simd, &along.lo, half), load(simd, &along.hi, half));
        // A NaN is neither a frame nor a smaller area.
        let skew = number(F32_SKEW);
        let better = (a.dot(a) - one).abs().simd_le(skew)
            & (b.dot(b) - one).abs().simd_le(skew)
            & a.dot(b).abs().simd_le(skew)
            & area(&lo_along, &hi_along).simd_lt(area(&lo, &hi));
        for k in 0..3 {
            spans[half] = spans[half].max(lo[k].abs()).max(hi[k].abs());
            lower[half][k] = better.select(lo_along[k], lo[k]);
            upper[half][k] = better.select(hi_along[k], hi[k]);
            for (i, axis) in chosen[half].iter_mut().enumerate() {
                axis[k] = better.select(axis[k], if i == k { one } else { zero });
            }
        }
        let [a, b] = chosen[half];
        let middle = |k: usize| (lower[half][k] + upper[half][k]) * number(0.5);
        centers[half] = a * middle(0) + b * middle(1) + a.cross(b) * middle(2);
    }
    narrow(&mut block.center, centers[0], centers[1]);
    for (i, axis) in block.axes.iter_mut().enumerate() {
        narrow(axis, chosen[0][i], chosen[1][i]);
    }
    let mut halves = centers;
    let rounded = widen(simd, &[block.center, block.center]);
    for half in HALVES {
        let ([a, b], center) = (chosen[half], rounded[half][0]);
        let at = [a.dot(center), b.dot(center), a.cross(b).dot(center)];
        let size = center[0].abs().max(center[1].abs()).max(center[2].abs());
        let slack = (spans[half] + size) * number(F32_PROJECTION);
        let mut extent = [zero; 3];
        for k in 0..3 {
            extent[k] = (upper[half][k] - at[k]).max(at[k] - lower[half][k]) + slack;
        }
        let sum = extent[0] + extent[1] + extent[2];
        let gain = sum * number(F32_SKEW_GAIN + F32_EXTENT) + size * number(F32_CENTER);
        // This much more, and the nearest f32 is not below.
        let room =
            |x: f64x4<S>| x * number(1.0 + f64::from(f32::EPSILON)) + number(f64::from(f32::MIN_POSITIVE));
        halves[half] = Vector([room(extent[0] + gain), room(extent[1] + gain), room(extent[2] + gain)]);
    }
    narrow(&mut block.half, halves[0], halves[1]);
}
