//! Four vectors of space at a time, one per lane, in the operation order of [`glam::DVec3`].
//!
//! What works on lanes is `#[inline(always)]` functions and no closures, not even in `array::map`: a closure
//! that the compiler leaves out of line has no instruction set, and every operation in it becomes a call.

use std::ops::{Add, Mul, Sub};

use glam::DVec3;

use crate::lanes::{Select, Simd, SimdBase, f64x4, mask64x4};

/// Four vectors, by coordinate.
#[derive(Clone, Copy, Debug)]
pub struct Vec3x4<S: Simd> {
    /// First coordinates.
    pub x: f64x4<S>,
    /// Second coordinates.
    pub y: f64x4<S>,
    /// Third coordinates.
    pub z: f64x4<S>,
}

/// Three corners of four triangles.
pub type Triangles4<S> = [Vec3x4<S>; 3];

impl<S: Simd> Vec3x4<S> {
    /// The same in every lane.
    #[inline(always)]
    pub fn splat(simd: S, v: DVec3) -> Self {
        Self { x: f64x4::splat(simd, v.x), y: f64x4::splat(simd, v.y), z: f64x4::splat(simd, v.z) }
    }

    /// `(x x' + y y') + z z'`.
    #[inline(always)]
    pub fn dot(self, other: Self) -> f64x4<S> {
        self.x * other.x + self.y * other.y + self.z * other.z
    }

    /// Each coordinate the difference of two products.
    #[inline(always)]
    pub fn cross(self, other: Self) -> Self {
        Self {
            x: self.y * other.z - other.y * self.z,
            y: self.z * other.x - other.z * self.x,
            z: self.x * other.y - other.x * self.y,
        }
    }

    /// The lesser, by coordinate.
    #[inline(always)]
    pub fn min(self, other: Self) -> Self {
        Self { x: self.x.min(other.x), y: self.y.min(other.y), z: self.z.min(other.z) }
    }

    /// The greater, by coordinate.
    #[inline(always)]
    pub fn max(self, other: Self) -> Self {
        Self { x: self.x.max(other.x), y: self.y.max(other.y), z: self.z.max(other.z) }
    }

    /// Where the mask is set the first, elsewhere the second.
    #[inline(always)]
    pub fn select(mask: mask64x4<S>, a: Self, b: Self) -> Self {
        Self { x: mask.select(a.x, b.x), y: mask.select(a.y, b.y), z: mask.select(a.z, b.z) }
    }
}

impl<S: Simd> Add for Vec3x4<S> {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self { x: self.x + other.x, y: self.y + other.y, z: self.z + other.z }
    }
}

impl<S: Simd> Sub for Vec3x4<S> {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self { x: self.x - other.x, y: self.y - other.y, z: self.z - other.z }
    }
}

impl<S: Simd> Mul<f64x4<S>> for Vec3x4<S> {
    type Output = Self;

    #[inline(always)]
    fn mul(self, factor: f64x4<S>) -> Self {
        Self { x: self.x * factor, y: self.y * factor, z: self.z * factor }
    }
}
