//! Intervals of numbers, or of lanes of them. Both make the same operations in the same order, each rounded
//! once, so they have the same bits.

use std::ops::{Add, Mul, Neg, Sub};

use closefit_geometry::lanes::{LANES, Simd, SimdBase, SimdMask, f64x4};
use closefit_geometry::math::interval::Interval;

/// A number, or one in each of some lanes.
pub trait Number:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Neg<Output = Self>
{
    /// Number of lanes.
    const COUNT: usize;

    /// Returns a number in every lane.
    fn number(self, x: f64) -> Self;

    /// Returns [`COUNT`](Self::COUNT) numbers of a column.
    fn of_column(self, column: &[f32; LANES], from: usize) -> Self;

    /// Returns the smaller number of two.
    fn least(self, other: Self) -> Self;

    /// Returns the larger number of two.
    fn most(self, other: Self) -> Self;

    /// Returns the lanes in which this exceeds another number.
    fn exceeding(self, other: Self) -> u32;
}

impl Number for f64 {
    const COUNT: usize = 1;

    #[inline(always)]
    fn number(self, x: f64) -> Self {
        x
    }

    #[inline(always)]
    fn of_column(self, column: &[f32; LANES], from: usize) -> Self {
        f64::from(column[from])
    }

    #[inline(always)]
    fn least(self, other: Self) -> Self {
        if self < other { self } else { other }
    }

    #[inline(always)]
    fn most(self, other: Self) -> Self {
        if self > other { self } else { other }
    }

    #[inline(always)]
    fn exceeding(self, other: Self) -> u32 {
        u32::from(self > other)
    }
}

impl<S: Simd> Number for f64x4<S> {
    const COUNT: usize = 4;

    #[inline(always)]
    fn number(self, x: f64) -> Self {
        Self::splat(self.simd, x)
    }

    #[inline(always)]
    fn of_column(self, column: &[f32; LANES], from: usize) -> Self {
        let [a, b, c, d] = [column[from], column[from + 1], column[from + 2], column[from + 3]];
        Self::load_array(self.simd, [f64::from(a), f64::from(b), f64::from(c), f64::from(d)])
    }

    #[inline(always)]
    fn least(self, other: Self) -> Self {
        self.min(other)
    }

    #[inline(always)]
    fn most(self, other: Self) -> Self {
        self.max(other)
    }

    #[inline(always)]
    fn exceeding(self, other: Self) -> u32 {
        self.simd_gt(other).to_bitmask() as u32
    }
}

/// The numbers from one to another. Ends are rounded to nearest.
#[derive(Clone, Copy, Debug)]
pub struct Ends<N> {
    /// The lower end.
    pub lo: N,
    /// The upper end.
    pub hi: N,
}

impl<N: Number> Ends<N> {
    /// Returns an interval in every lane.
    #[inline(always)]
    pub fn of(like: N, Interval { lo, hi }: Interval) -> Self {
        Self { lo: like.number(lo), hi: like.number(hi) }
    }

    /// Returns the interval of one number.
    #[inline(always)]
    pub fn point(x: N) -> Self {
        Self { lo: x, hi: x }
    }

    /// Returns the multiples by a number.
    #[inline(always)]
    pub fn times(self, by: N) -> Self {
        let (a, b) = (self.lo * by, self.hi * by);
        Self { lo: a.least(b), hi: a.most(b) }
    }

    /// Returns the magnitudes.
    #[inline(always)]
    pub fn magnitude(self) -> Self {
        let below = -self.hi;
        Self { lo: self.lo.most(below).most(self.lo.number(0.0)), hi: self.hi.most(-self.lo) }
    }
}

impl<N: Number> Add for Ends<N> {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self { lo: self.lo + other.lo, hi: self.hi + other.hi }
    }
}

impl<N: Number> Sub for Ends<N> {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self { lo: self.lo - other.hi, hi: self.hi - other.lo }
    }
}

impl<N: Number> Mul for Ends<N> {
    type Output = Self;

    /// Multiplies as in the paper's equation 3.
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        let (a, b) = (self.lo * other.lo, self.lo * other.hi);
        let (c, d) = (self.hi * other.lo, self.hi * other.hi);
        Self { lo: a.least(b).least(c.least(d)), hi: a.most(b).most(c.most(d)) }
    }
}
