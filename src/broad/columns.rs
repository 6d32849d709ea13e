//! Boxes of f32 around boxes of f64, in a structure of arrays: the filter that tests eight at a time.

use glam::DVec3;

use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::lanes::{LANES, Simd, SimdBase, SimdInto, SimdMask, f32x8, mask32x8};

/// Number of boxes rounded together, in loops over columns that the compiler vectorizes.
pub(super) const BATCH: usize = 64;

/// A box of f32 around a box of f64. If two boxes are not apart, their outer boxes overlap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct InflatedBox {
    pub lo: [f32; 3],
    pub hi: [f32; 3],
}

impl InflatedBox {
    /// The point at the origin.
    pub const POINT: Self = Self { lo: [0.0; 3], hi: [0.0; 3] };

    /// Returns the outer box of `b` with its upper ends raised by `reach`.
    pub fn of(b: &Aabb, reach: f64) -> Self {
        Self { lo: b.lo.to_array().map(below), hi: raised(b.hi, reach).to_array().map(above) }
    }

    /// True when the closed boxes share a point.
    #[inline(always)]
    pub fn overlaps(&self, b: &Self) -> bool {
        let along = |k: usize| (self.lo[k] <= b.hi[k]) & (b.lo[k] <= self.hi[k]);
        along(0) & along(1) & along(2)
    }
}

impl InflatedBox {
    /// True only if the boxes inside are certainly near. An outer end is less than `4 e |end| + 2 m` outside
    /// (e the machine epsilon, m the smallest normal number): half a gap from rounding to nearest, and the
    /// amount that [`more_than_gap`] adds with its own rounding. The factor 16 for the two ends leaves room
    /// for the rounding of this expression itself. If an end is infinite, both sides are, and nothing is
    /// certain.
    #[inline(always)]
    pub fn surely_near(&self, b: &Self) -> bool {
        let sure = |lo: f32, hi: f32| {
            hi - lo > 16.0 * f32::EPSILON * (lo.abs() + hi.abs()) + 16.0 * f32::MIN_POSITIVE
        };
        let along = |k: usize| sure(self.lo[k], b.hi[k]) & sure(b.lo[k], self.hi[k]);
        along(0) & along(1) & along(2)
    }
}

/// Returns an upper bound of `x + reach` in exact arithmetic.
#[inline(always)]
pub(super) fn raised(x: DVec3, reach: f64) -> DVec3 {
    if reach == 0.0 { x } else { (x + reach).map(f64::next_up) }
}

/// Returns an f32 of at most `x`; `x` itself if it is an f32.
#[allow(clippy::manual_clamp, reason = "NaN becomes a number")]
#[inline(always)]
fn below(x: f64) -> f32 {
    let near = (x as f32).max(f32::MIN).min(f32::MAX);
    if f64::from(near) > x { near - more_than_gap(near) } else { near }
}

/// Returns an f32 of at least `x`; `x` itself if it is an f32. In this order of operations, a NaN becomes a
/// large number here and a small one in [`below`], so it excludes nothing.
#[allow(clippy::manual_clamp, reason = "NaN becomes a number")]
#[inline(always)]
fn above(x: f64) -> f32 {
    let near = (x as f32).min(f32::MAX).max(f32::MIN);
    if f64::from(near) < x { near + more_than_gap(near) } else { near }
}

/// Returns more than the distance from `x` to its neighbours.
#[inline(always)]
fn more_than_gap(x: f32) -> f32 {
    x.abs() * (2.0 * f32::EPSILON) + f32::MIN_POSITIVE
}

/// A batch of boxes in columns.
pub(super) struct Batch {
    lo: [[f64; BATCH]; 3],
    hi: [[f64; BATCH]; 3],
    pub outer_lo: [[f32; BATCH]; 3],
    pub outer_hi: [[f32; BATCH]; 3],
}

impl Batch {
    pub fn new() -> Self {
        let (wide, narrow) = ([[0.0; BATCH]; 3], [[0.0; BATCH]; 3]);
        Self { lo: wide, hi: wide, outer_lo: narrow, outer_hi: narrow }
    }

    /// Loads `len` boxes. Returns true when none had to be rounded, so that overlap of two outer boxes is
    /// exact.
    #[inline(always)]
    pub fn load(&mut self, len: usize, boxes: impl Fn(usize) -> Aabb, reach: f64) -> bool {
        for k in 0..len.min(BATCH) {
            let b = boxes(k);
            let hi = raised(b.hi, reach);
            (self.lo[0][k], self.lo[1][k], self.lo[2][k]) = (b.lo.x, b.lo.y, b.lo.z);
            (self.hi[0][k], self.hi[1][k], self.hi[2][k]) = (hi.x, hi.y, hi.z);
        }
        let mut rounded = reach != 0.0;
        for axis in 0..3 {
            for k in 0..BATCH {
                let (lo, hi) = (self.lo[axis][k], self.hi[axis][k]);
                (self.outer_lo[axis][k], self.outer_hi[axis][k]) = (below(lo), above(hi));
                rounded |= f64::from(self.outer_lo[axis][k]) != lo;
                rounded |= f64::from(self.outer_hi[axis][k]) != hi;
            }
        }
        !rounded
    }

    /// Returns the outer box at a position.
    #[inline(always)]
    pub fn outer(&self, k: usize) -> InflatedBox {
        let ([lx, ly, lz], [hx, hy, hz]) = (&self.outer_lo, &self.outer_hi);
        InflatedBox { lo: [lx[k], ly[k], lz[k]], hi: [hx[k], hy[k], hz[k]] }
    }
}

/// Up to eight boxes in columns.
#[derive(Clone, Copy)]
#[repr(align(32))]
pub(super) struct Packed {
    pub lo: [[f32; LANES]; 3],
    pub hi: [[f32; LANES]; 3],
}

impl Packed {
    /// Packs the first eight boxes. Unused lanes overlap nothing.
    #[inline(always)]
    pub fn of<'a>(boxes: impl Iterator<Item = &'a InflatedBox>) -> Self {
        let mut packed = Self { lo: [[f32::NAN; LANES]; 3], hi: [[f32::NAN; LANES]; 3] };
        for (k, b) in (0..LANES).zip(boxes) {
            for axis in 0..3 {
                packed.lo[axis][k] = b.lo[axis];
                packed.hi[axis][k] = b.hi[axis];
            }
        }
        packed
    }
}

/// A [`Packed`] in vector registers.
pub(super) struct Block<S: Simd> {
    lo: [f32x8<S>; 3],
    hi: [f32x8<S>; 3],
}

impl<S: Simd> Block<S> {
    #[inline(always)]
    pub fn of(simd: S, packed: &Packed) -> Self {
        let all = |[x, y, z]: [[f32; LANES]; 3]| [x.simd_into(simd), y.simd_into(simd), z.simd_into(simd)];
        Self { lo: all(packed.lo), hi: all(packed.hi) }
    }

    /// Returns the mask of the boxes that overlap `b`, with bit k for lane k.
    #[inline(always)]
    pub fn overlaps(&self, simd: S, b: &InflatedBox) -> u32 {
        let all = self.along(simd, 0, b) & self.along(simd, 1, b) & self.along(simd, 2, b);
        all.to_bitmask() as u32
    }

    #[inline(always)]
    fn along(&self, simd: S, axis: usize, b: &InflatedBox) -> mask32x8<S> {
        let (lo, hi) = (f32x8::splat(simd, b.lo[axis]), f32x8::splat(simd, b.hi[axis]));
        self.lo[axis].simd_le(hi) & lo.simd_le(self.hi[axis])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn outer_ends_enclose_tightly(bits in any::<u64>(), near in -1e3..1e3f64) {
            for x in [f64::from_bits(bits), near, f64::from(near as f32), 0.0, -0.0, f64::MAX, f64::MIN_POSITIVE] {
                prop_assume!(!x.is_nan());
                prop_assert!(f64::from(below(x)) <= x && x <= f64::from(above(x)));
                if f64::from(x as f32) == x && x.is_finite() {
                    prop_assert_eq!((f64::from(below(x)), f64::from(above(x))), (x, x));
                }
            }
            prop_assert!(above(near) - below(near) <= 1e-6 * near.abs() as f32 + 1e-30);
        }
    }

    proptest! {
        #[test]
        fn what_is_sure_is_near(a in -9.0..9.0f64, width in 0.0..9.0f64, steps in -40..40i32, reach in prop_oneof![Just(0.0), 0.0..2.0f64], scale in -200..200i32) {
            // The second box begins a few f32 gaps from the end of the first.
            let scale = 2f64.powi(scale);
            let hi = a + width;
            let lo = hi + reach + f64::from(steps) * 1e-7 * hi.abs();
            let cube = |lo: f64, hi: f64| Aabb { lo: DVec3::splat(lo * scale), hi: DVec3::splat(hi * scale) };
            let (a, b, reach) = (cube(a, hi), cube(lo, lo + 1.0), reach * scale);
            let sure = InflatedBox::of(&a, reach).surely_near(&InflatedBox::of(&b, reach));
            prop_assert!(!(sure && super::super::apart(&a, &b, reach)));
        }
    }

    #[test]
    fn a_clear_overlap_is_sure() {
        let cube = |x: f64| InflatedBox::of(&Aabb { lo: DVec3::splat(x), hi: DVec3::splat(x + 1.0) }, 0.0);
        assert!(cube(0.1).surely_near(&cube(1.0999)));
        assert!(!cube(0.1).surely_near(&cube(1.1)), "touching is for the exact test");
    }

    #[test]
    fn not_a_number_excludes_nothing() {
        assert_eq!((below(f64::NAN), above(f64::NAN)), (f32::MIN, f32::MAX));
    }
}
