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

/// `-a`.
#[inline]
pub fn opposite(a: &Vector) -> Vector {
    [-a[0], -a[1], -a[2]]
}

/// `p - q`, exactly.
#[inline]
pub fn difference(p: DVec3, q: DVec3) -> Vector {
    let along = |k: usize| DoubleDouble::difference(p[k], q[k]);
    [along(0), along(1), along(2)]
}

/// `a - b * factor`.
#[inline]
pub fn minus_scaled(a: &Vector, b: &Vector, factor: DoubleDouble) -> Vector {
    let along = |k: usize| a[k] - b[k] * factor;
    [along(0), along(1), along(2)]
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

    /// `|x - y| <= units u^2 size`.
    fn is_within(x: &BigRational, y: &BigRational, units: f64, size: &BigRational) -> bool {
        (x - y).abs() <= exact(units * UNIT * UNIT) * size.abs()
    }

    /// Full mantissas, short ones and 0, with exponents up to 2^150 either way.
    fn float() -> impl Strategy<Value = f64> {
        let full = (-1.0..1.0f64, -150..150i32).prop_map(|(x, e)| libm::ldexp(x, e));
        let short = (-9..9i32, -150..150i32).prop_map(|(x, e)| libm::ldexp(f64::from(x), e));
        prop_oneof![4 => full, 2 => short, 1 => Just(0.0)]
    }

    fn number() -> impl Strategy<Value = DoubleDouble> {
        (float(), -1.0..1.0f64).prop_map(|(high, part)| DoubleDouble::sum(high, high * part * UNIT))
    }

    /// Two numbers, often ones that nearly cancel.
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
