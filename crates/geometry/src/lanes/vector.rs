//! Vectors of space, one per lane.
//!
//! Code on lanes uses `#[inline(always)]` functions and no closures, not even in `array::map`: a closure that
//! the compiler leaves out of line has no instruction set, and every operation in it becomes a call.

use std::ops::{Add, Index, IndexMut, Mul, Sub};

use glam::DVec3;

use super::{Select, Simd, SimdBase, f64x4, mask64x4};

/// Three coordinates, each a vector of lanes, in the operation order of [`glam::DVec3`].
#[derive(Clone, Copy, Debug)]
pub struct Vector<T>(pub [T; 3]);

/// Four vectors in f64.
pub type Vec3x4<S> = Vector<f64x4<S>>;

/// Three corners of four triangles.
pub type Triangles4<S> = [Vec3x4<S>; 3];

impl<T: Copy + Add<Output = T> + Sub<Output = T> + Mul<Output = T>> Vector<T> {
    /// `(x x' + y y') + z z'`.
    #[inline(always)]
    pub fn dot(self, other: Self) -> T {
        let ([a, b, c], [x, y, z]) = (self.0, other.0);
        a * x + b * y + c * z
    }

    /// Each coordinate the difference of two products.
    #[inline(always)]
    pub fn cross(self, other: Self) -> Self {
        let ([a, b, c], [x, y, z]) = (self.0, other.0);
        Self([b * z - c * y, c * x - a * z, a * y - b * x])
    }
}

impl<S: Simd> Vec3x4<S> {
    /// Puts the same vector in every lane.
    #[inline(always)]
    pub fn splat(simd: S, v: DVec3) -> Self {
        Self([f64x4::splat(simd, v.x), f64x4::splat(simd, v.y), f64x4::splat(simd, v.z)])
    }

    /// Returns the lesser of each coordinate.
    #[inline(always)]
    pub fn min(self, other: Self) -> Self {
        let ([a, b, c], [x, y, z]) = (self.0, other.0);
        Self([a.min(x), b.min(y), c.min(z)])
    }

    /// Returns the greater of each coordinate.
    #[inline(always)]
    pub fn max(self, other: Self) -> Self {
        let ([a, b, c], [x, y, z]) = (self.0, other.0);
        Self([a.max(x), b.max(y), c.max(z)])
    }

    /// Takes the first vector where the mask is set, and the second elsewhere.
    #[inline(always)]
    pub fn select(mask: mask64x4<S>, first: Self, second: Self) -> Self {
        let ([a, b, c], [x, y, z]) = (first.0, second.0);
        Self([mask.select(a, x), mask.select(b, y), mask.select(c, z)])
    }
}

impl<T> Index<usize> for Vector<T> {
    type Output = T;

    #[inline(always)]
    fn index(&self, coordinate: usize) -> &T {
        &self.0[coordinate]
    }
}

impl<T> IndexMut<usize> for Vector<T> {
    #[inline(always)]
    fn index_mut(&mut self, coordinate: usize) -> &mut T {
        &mut self.0[coordinate]
    }
}

impl<T: Add<Output = T>> Add for Vector<T> {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        let ([a, b, c], [x, y, z]) = (self.0, other.0);
        Self([a + x, b + y, c + z])
    }
}

impl<T: Sub<Output = T>> Sub for Vector<T> {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        let ([a, b, c], [x, y, z]) = (self.0, other.0);
        Self([a - x, b - y, c - z])
    }
}

impl<T: Copy + Mul<Output = T>> Mul<T> for Vector<T> {
    type Output = Self;

    #[inline(always)]
    fn mul(self, factor: T) -> Self {
        let [x, y, z] = self.0;
        Self([x * factor, y * factor, z * factor])
    }
}
