//! Jacobi rotations (see [`closefit_geometry::math::jacobi`]) on eight matrices at once, only as precise as
//! frames of boxes need: any frame is valid, and better ones make smaller boxes.

use closefit_geometry::lanes::*;

/// Number of sweeps. They converge quadratically: what the second leaves off the diagonal makes boxes no
/// larger that can be measured, and more sweeps take a twentieth of a build.
const SWEEPS: usize = 2;

/// Returns two eigenvectors of each symmetric matrix `[xx, yy, zz, xy, yz, zx]`, whose entries are near 1 or
/// smaller.
#[inline(always)]
pub(super) fn eigenvectors<S: Simd>(simd: S, matrices: &[[f32; LANES]; 6]) -> [[[f32; LANES]; 3]; 2] {
    let [zero, one] = [f32x8::splat(simd, 0.0), f32x8::splat(simd, 1.0)];
    let mut diagonal = [zero; 3];
    let mut off = [zero; 3];
    for k in 0..3 {
        diagonal[k] = f32x8::load_array_ref(simd, &matrices[k]);
        off[k] = f32x8::load_array_ref(simd, &matrices[3 + k]);
    }
    let mut columns = [Vector([one, zero, zero]), Vector([zero, one, zero]), Vector([zero, zero, one])];
    for _ in 0..SWEEPS {
        // off[p] is the entry of rows p and q; off[q] is the entry of q and r, off[r] of r and p.
        for [p, q, r] in [[0, 1, 2], [1, 2, 0], [2, 0, 1]] {
            let apart = diagonal[q] - diagonal[p];
            let twice = off[p] + off[p];
            let long = (apart * apart + twice * twice).sqrt() + apart.abs();
            let t = twice / long.max(f32x8::splat(simd, f32::MIN_POSITIVE));
            let t = t * one.copysign(apart);
            let c = one / (t * t + one).sqrt();
            let s = t * c;
            diagonal[p] -= t * off[p];
            diagonal[q] += t * off[p];
            off[p] = zero;
            (off[r], off[q]) = (off[r] * c - off[q] * s, off[r] * s + off[q] * c);
            let (a, b) = (columns[p], columns[q]);
            columns[p] = a * c - b * s;
            columns[q] = a * s + b * c;
        }
    }
    let mut axes = [[[0.0; LANES]; 3]; 2];
    for (axis, column) in axes.iter_mut().zip(columns) {
        for (out, x) in axis.iter_mut().zip(column.0) {
            x.store_array(out);
        }
    }
    axes
}
