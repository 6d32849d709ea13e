//! Double-double numbers: about 106 bits as unevaluated sums of two f64 (Dekker, "A floating-point technique
//! for extending the available precision", 1971; sums by Knuth's TwoSum).
//!
//! With `u` the unit roundoff, every operation is within the multiple of `u^2` of the exact result that its
//! comment states, provided that nothing overflows. If a product of f64 is below 2^-960, an absolute error of
//! 2^-1070 may be added. Products split their factors instead of fusing, because `mul_add` is a library call
//! where the target has no such instruction.

use std::ops::{Add, Mul, Neg, Sub};

use glam::DVec3;

/// The number `high + low`, where `high` is that sum rounded to nearest. Comparing the pairs (high, low)
/// compares the numbers.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct DoubleDouble {
    /// The value rounded to nearest.
    pub high: f64,
    /// The remainder, value minus `high`.
    pub low: f64,
}

impl DoubleDouble {
    /// 0.
    pub const ZERO: Self = Self { high: 0.0, low: 0.0 };
    /// 1.
    pub const ONE: Self = Self { high: 1.0, low: 0.0 };

    /// Returns `a + b`, exactly.
    #[inline]
    pub fn sum(a: f64, b: f64) -> Self {
        let high = a + b;
        let b_part = high - a;
        Self { high, low: (a - (high - b_part)) + (b - b_part) }
    }

    /// Returns `a - b`, exactly.
    #[inline]
    pub fn difference(a: f64, b: f64) -> Self {
        Self::sum(a, -b)
    }

    /// Returns `a * b`, exactly.
    #[inline]
    pub fn product(a: f64, b: f64) -> Self {
        let high = a * b;
        let ([a1, a0], [b1, b0]) = (halves(a), halves(b));
        Self { high, low: a0 * b0 - (((high - a1 * b1) - a0 * b1) - a1 * b0) }
    }

    /// Returns `a + b`, exactly, for `a` equal to 0 or `|a| >= |b|`.
    #[inline]
    fn ordered_sum(a: f64, b: f64) -> Self {
        let high = a + b;
        Self { high, low: b - (high - a) }
    }

    /// Returns `self / divisor` within a relative error of `32 u^2`: the remainder after the first quotient
    /// loses at most 16 u^2, the second quotient 6 u^2. NaN for a divisor of 0.
    #[inline]
    pub fn quotient(self, divisor: Self) -> Self {
        let first = self.high / divisor.high;
        let rest = self - divisor * Self { high: first, low: 0.0 };
        Self::ordered_sum(first, rest.high / divisor.high)
    }
}

/// Splits a number into two parts of 26 bits, whose products are exact (Veltkamp).
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
    /// Returns the sum within `4 u^2 (|a| + |b|)`: the low parts are at most `u (|a| + |b|)` and lose `u^2`
    /// of it, the error of the high parts is as large, and the sum of both loses `2 u^2`.
    #[inline]
    fn add(self, other: Self) -> Self {
        let high = Self::sum(self.high, other.high);
        // When the high parts cancel, the low parts may outweigh the rest.
        Self::sum(high.high, high.low + (self.low + other.low))
    }
}

impl Sub for DoubleDouble {
    type Output = Self;
    /// Returns the difference, within the same bound as the sum.
    #[inline]
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for DoubleDouble {
    type Output = Self;
    /// Returns the product within `10 u^2 |a b|`: the product of the low parts is dropped (1), the mixed
    /// products lose 1 each, their sum 2, and the sum with the error of the high product 3.
    #[inline]
    fn mul(self, other: Self) -> Self {
        let high = Self::product(self.high, other.high);
        Self::ordered_sum(high.high, high.low + (self.high * other.low + self.low * other.high))
    }
}

/// Returns the largest power of two that is not above a normal, positive `x`; infinity for infinity.
#[inline]
pub fn power_of_two_below(x: f64) -> f64 {
    f64::from_bits(x.to_bits() & f64::INFINITY.to_bits())
}

/// A vector of double-double numbers.
pub type Vector = [DoubleDouble; 3];

/// Returns `-a`.
#[inline]
pub fn opposite(a: &Vector) -> Vector {
    [-a[0], -a[1], -a[2]]
}

/// Returns `p - q`, exactly.
#[inline]
pub fn difference(p: DVec3, q: DVec3) -> Vector {
    let along = |k: usize| DoubleDouble::difference(p[k], q[k]);
    [along(0), along(1), along(2)]
}

/// Returns `a - b * factor`.
#[inline]
pub fn minus_scaled(a: &Vector, b: &Vector, factor: DoubleDouble) -> Vector {
    let along = |k: usize| a[k] - b[k] * factor;
    [along(0), along(1), along(2)]
}

/// Returns `a . b` within `18 u^2 sum |a_k b_k|`: 10 for a product and 4 for each of two sums.
#[inline]
pub fn dot(a: &Vector, b: &Vector) -> DoubleDouble {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Returns `a x b`.
#[inline]
pub fn cross(a: &Vector, b: &Vector) -> Vector {
    let minor = |i: usize, j: usize| a[i] * b[j] - a[j] * b[i];
    [minor(1, 2), minor(2, 0), minor(0, 1)]
}

/// Rounds each coordinate to the nearest f64.
#[inline]
pub fn rounded(a: &Vector) -> DVec3 {
    DVec3::new(a[0].high, a[1].high, a[2].high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::error_bounds::UNIT;
    use num_rational::BigRational;
    use num_traits::{Signed, Zero};
    use proptest::prelude::*;

    fn exact(x: f64) -> BigRational {
        BigRational::from_float(x).expect("finite")
    }

    fn value(x: DoubleDouble) -> BigRational {
        assert_eq!(x.high + x.low, x.high, "{x:?} is not normal");
        exact(x.high) + exact(x.low)
    }

    /// Tests `|x - y| <= units u^2 size`.
    fn is_within(x: &BigRational, y: &BigRational, units: f64, size: &BigRational) -> bool {
        (x - y).abs() <= exact(units * UNIT * UNIT) * size.abs()
    }

    /// Full mantissas, short ones and 0, with exponents from -150 to 150.
    fn float() -> impl Strategy<Value = f64> {
        let full = (-1.0..1.0f64, -150..150i32).prop_map(|(x, e)| libm::ldexp(x, e));
        let short = (-9..9i32, -150..150i32).prop_map(|(x, e)| libm::ldexp(f64::from(x), e));
        prop_oneof![4 => full, 2 => short, 1 => Just(0.0)]
    }

    fn number() -> impl Strategy<Value = DoubleDouble> {
        (float(), -1.0..1.0f64).prop_map(|(high, part)| DoubleDouble::sum(high, high * part * UNIT))
    }

    /// Two numbers that often nearly cancel.
    fn pair() -> impl Strategy<Value = (DoubleDouble, DoubleDouble)> {
        let near = (number(), -1.0..1.0f64, 40..110i32).prop_map(|(a, part, bits)| {
            let b = -a;
            (a, b + DoubleDouble::from(libm::ldexp(b.high * part, -bits)))
        });
        prop_oneof![(number(), number()), near]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        #[test]
        fn sums_and_products_of_floats_are_exact(a in float(), b in float()) {
            prop_assert_eq!(value(DoubleDouble::sum(a, b)), exact(a) + exact(b));
            prop_assert_eq!(value(DoubleDouble::difference(a, b)), exact(a) - exact(b));
            prop_assert_eq!(value(DoubleDouble::product(a, b)), exact(a) * exact(b));
        }

        #[test]
        fn operations_keep_their_bounds((a, b) in pair()) {
            let (x, y) = (value(a), value(b));
            let size = x.abs() + y.abs();
            prop_assert!(is_within(&value(a + b), &(&x + &y), 4.0, &size));
            prop_assert!(is_within(&value(a - b), &(&x - &y), 4.0, &size));
            let product = &x * &y;
            prop_assert!(is_within(&value(a * b), &product, 10.0, &product));
            if !y.is_zero() {
                let quotient = &x / &y;
                prop_assert!(is_within(&value(a.quotient(b)), &quotient, 32.0, &quotient));
            }
            prop_assert_eq!(a.partial_cmp(&b), x.partial_cmp(&y));
        }

        #[test]
        fn scalar_products_keep_their_bound(pairs in proptest::array::uniform3(pair())) {
            let (a, b) = (pairs.map(|p| p.0), pairs.map(|p| p.1));
            let terms = [0, 1, 2].map(|k| value(a[k]) * value(b[k]));
            let size = terms.iter().map(Signed::abs).sum();
            prop_assert!(is_within(&value(dot(&a, &b)), &terms.iter().sum(), 18.0, &size));
        }
    }

    #[test]
    fn powers_of_two_are_below() {
        for (x, power) in
            [(1.0, 1.0), (1.999, 1.0), (2.0, 2.0), (0.3, 0.25), (2f64.powi(-250) * 1.5, 2f64.powi(-250))]
        {
            assert_eq!(power_of_two_below(x), power);
        }
    }
}
