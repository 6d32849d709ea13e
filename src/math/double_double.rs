//! Numbers of about 106 bits as unevaluated sums of two f64 (Dekker, "A floating-point technique for
//! extending the available precision", 1971; sums by Knuth's TwoSum).
//!
//! With `u` the unit roundoff, every operation is within a multiple of `u^2` of the exact result as its
//! comment says, provided that nothing overflows; where a product of f64 is below 2^-960 an absolute error
//! of 2^-1070 may be added. The products split their factors instead of fusing: `mul_add` is a library
//! call where the target has no such instruction.

use std::ops::{Add, Mul, Neg, Sub};

use glam::DVec3;

/// `high + low`, where `high` is that sum rounded to nearest. Such sums compare like pairs.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct DoubleDouble {
    /// The value rounded to nearest.
    pub high: f64,
    /// The rest.
    pub low: f64,
}

impl DoubleDouble {
    /// 0.
    pub const ZERO: Self = Self { high: 0.0, low: 0.0 };
    /// 1.
    pub const ONE: Self = Self { high: 1.0, low: 0.0 };

    /// `a + b`, exactly.
    #[inline]
    pub fn sum(a: f64, b: f64) -> Self {
        let high = a + b;
        let b_part = high - a;
        Self { high, low: (a - (high - b_part)) + (b - b_part) }
    }

    /// `a - b`, exactly.
    #[inline]
    pub fn difference(a: f64, b: f64) -> Self {
        Self::sum(a, -b)
    }

    /// `a * b`, exactly.
    #[inline]
    pub fn product(a: f64, b: f64) -> Self {
        let high = a * b;
        let ([a1, a0], [b1, b0]) = (halves(a), halves(b));
        Self { high, low: a0 * b0 - (((high - a1 * b1) - a0 * b1) - a1 * b0) }
    }

    /// `a + b` where `a` is 0 or `|a| >= |b|`, exactly.
    #[inline]
    fn ordered_sum(a: f64, b: f64) -> Self {
        let high = a + b;
        Self { high, low: b - (high - a) }
    }

    /// `self / divisor` within `32 u^2` of it (the first quotient's remainder loses at most 16 u^2, the
    /// second quotient 6 u^2); not a number for a divisor of 0.
    #[inline]
    pub fn quotient(self, divisor: Self) -> Self {
        let first = self.high / divisor.high;
        let rest = self - divisor * Self { high: first, low: 0.0 };
        Self::ordered_sum(first, rest.high / divisor.high)
    }
}

/// Veltkamp's splitting into parts of 26 bits, whose products are exact.
#[inline]
fn halves(x: f64) -> [f64; 2] {
    let scaled = ((1u64 << 27) + 1) as f64 * x;
    let upper = scaled - (scaled - x);
    [upper, x - upper]
}

impl From<f64> for DoubleDouble {
    fn from(high: f64) -> Self {
        Self { high, low: 0.0 }
    }
}

impl Neg for DoubleDouble {
    type Output = Self;
    #[inline]
    fn neg(self) -> Self {
        Self { high: -self.high, low: -self.low }
    }
}

impl Add for DoubleDouble {
    type Output = Self;
    /// Within `4 u^2 (|a| + |b|)`: the low parts are at most `u (|a| + |b|)` and lose `u^2` of it, the high
    /// parts' error is as large and the sum of both loses `2 u^2`.
    #[inline]
    fn add(self, other: Self) -> Self {
        let high = Self::sum(self.high, other.high);
        // Where the high parts cancel, the low ones may outweigh what is left.
        Self::sum(high.high, high.low + (self.low + other.low))
    }
}

impl Sub for DoubleDouble {
    type Output = Self;
    /// As the sum.
    #[inline]
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for DoubleDouble {
    type Output = Self;
    /// Within `10 u^2 |a b|`: the product of the low parts is dropped (1), the mixed products lose 1 each,
    /// their sum 2, and the sum with the high product's error 3.
    #[inline]
    fn mul(self, other: Self) -> Self {
        let high = Self::product(self.high, other.high);
        Self::ordered_sum(high.high, high.low + (self.high * other.low + self.low * other.high))
    }
}

/// The largest power of two that is not above a normal, positive `x`; infinite if it is.
#[inline]
pub fn power_of_two_below(x: f64) -> f64 {
    f64::from_bits(x.to_bits() & f64::INFINITY.to_bits())
}

/// A vector of them.
pub type Vector = [DoubleDouble; 3];

/// `p - q`, exactly.
#[inline]
pub fn difference(p: DVec3, q: DVec3) -> Vector {
    std::array::from_fn(|k| DoubleDouble::difference(p[k], q[k]))
}

/// `a - b * factor`.
#[inline]
pub fn minus_scaled(a: &Vector, b: &Vector, factor: DoubleDouble) -> Vector {
    std::array::from_fn(|k| a[k] - b[k] * factor)
}

/// `a . b` within `18 u^2 sum |a_k b_k|`: a product's 10 and two sums' 4 each.
#[inline]
pub fn dot(a: &Vector, b: &Vector) -> DoubleDouble {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// `a x b`.
#[inline]
pub fn cross(a: &Vector, b: &Vector) -> Vector {
    let minor = |i: usize, j: usize| a[i] * b[j] - a[j] * b[i];
    [minor(1, 2), minor(2, 0), minor(0, 1)]
}

/// Each coordinate rounded to nearest.
#[inline]
pub fn rounded(a: &Vector) -> DVec3 {
    DVec3::from_array(a.map(|x| x.high))
}
