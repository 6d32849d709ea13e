//! Vectors of three coordinates, each of which is a vector of lanes.

use std::ops::{Add, Mul, Sub};

use crate::lanes::*;

/// One vector per lane.
#[derive(Clone, Copy)]
pub(super) struct LaneVector<T>(pub [T; 3]);

impl<T: Copy + Add<Output = T> + Sub<Output = T> + Mul<Output = T>> LaneVector<T> {
    #[inline(always)]
    pub(super) fn dot(self, other: Self) -> T {
        let ([a, b, c], [x, y, z]) = (self.0, other.0);
        a * x + b * y + c * z
    }

    #[inline(always)]
    pub(super) fn cross(self, other: Self) -> Self {
        let ([a, b, c], [x, y, z]) = (self.0, other.0);
        Self([b * z - c * y, c * x - a * z, a * y - b * x])
    }

    #[inline(always)]
    pub(super) fn scale(self, by: T) -> Self {
        let [x, y, z] = self.0;
        Self([x * by, y * by, z * by])
    }

    #[inline(always)]
    pub(super) fn plus(self, other: Self) -> Self {
        let ([a, b, c], [x, y, z]) = (self.0, other.0);
        Self([a + x, b + y, c + z])
    }

    #[inline(always)]
    pub(super) fn minus(self, other: Self) -> Self {
        let ([a, b, c], [x, y, z]) = (self.0, other.0);
        Self([a - x, b - y, c - z])
    }
}

impl LaneVector<f64> {
    /// The same in every lane.
    #[inline(always)]
    pub(super) fn splat<S: Simd>(self, simd: S) -> LaneVector<f64x4<S>> {
        let [x, y, z] = self.0;
        LaneVector([f64x4::splat(simd, x), f64x4::splat(simd, y), f64x4::splat(simd, z)])
    }
}
