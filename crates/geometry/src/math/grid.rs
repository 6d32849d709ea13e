//! Exact integer geometry for what f64 cannot decide.
//!
//! Any f64 is an integer times a power of two, so points on a common grid are integer vectors. Sums,
//! differences and products of them stay exact, and a quotient or its root is rounded to f64 once.

use std::cmp::Ordering;

use glam::DVec3;
use num_bigint::{BigInt, BigUint, Sign};
use num_traits::{Signed, ToPrimitive, Zero};

/// An integer vector on some grid.
pub type Vector = [BigInt; 3];

/// Integers with the arithmetic that geometry on a grid needs.
pub trait Number: Clone + Ord {
    /// Returns `mantissa * 2^shift`.
    fn shifted(mantissa: i64, shift: usize) -> Self;

    /// Returns the sum with another number.
    fn plus(self, other: &Self) -> Self;

    /// Returns the difference from another number.
    fn minus(self, other: &Self) -> Self;

    /// Returns the product with another number.
    fn times(&self, other: &Self) -> Self;

    /// Compares a product with another product.
    fn compare_products([a, b]: [&Self; 2], [c, d]: [&Self; 2]) -> Ordering {
        a.times(b).cmp(&c.times(d))
    }

    /// Compares the number with 0.
    fn sign(&self) -> Ordering;

    /// Returns the number as an integer of any size.
    fn to_big(&self) -> BigInt;
}

impl Number for BigInt {
    fn shifted(mantissa: i64, shift: usize) -> Self {
        Self::from(mantissa) << shift
    }

    fn plus(self, other: &Self) -> Self {
        self + other
    }

    fn minus(self, other: &Self) -> Self {
        self - other
    }

    fn times(&self, other: &Self) -> Self {
        self * other
    }

    fn sign(&self) -> Ordering {
        match self.sign() {
            Sign::Minus => Ordering::Less,
            Sign::NoSign => Ordering::Equal,
            Sign::Plus => Ordering::Greater,
        }
    }

    fn to_big(&self) -> BigInt {
        self.clone()
    }
}

/// Returns `a - b`.
pub fn sub<N: Number>(a: &[N; 3], b: &[N; 3]) -> [N; 3] {
    std::array::from_fn(|i| a[i].clone().minus(&b[i]))
}

/// Returns `a . b`.
pub fn dot<N: Number>(a: &[N; 3], b: &[N; 3]) -> N {
    a[0].times(&b[0]).plus(&a[1].times(&b[1])).plus(&a[2].times(&b[2]))
}

/// Returns `a x b`.
pub fn cross<N: Number>(a: &[N; 3], b: &[N; 3]) -> [N; 3] {
    let minor = |i: usize, j: usize| a[i].times(&b[j]).minus(&a[j].times(&b[i]));
    [minor(1, 2), minor(2, 0), minor(0, 1)]
}

/// Returns the sign of an integer.
pub fn sign<N: Number>(x: &N) -> Ordering {
    x.sign()
}

/// Returns an odd mantissa and the exponent with `x = mantissa * 2^exponent`; (0, 0) for 0.
fn decompose(x: f64) -> (i64, i32) {
    if x == 0.0 {
        return (0, 0);
    }
    let bits = x.to_bits();
    let biased = ((bits >> 52) & 0x7ff) as i32;
    let fraction = (bits & ((1 << 52) - 1)) as i64;
    let (mantissa, exponent) =
        if biased == 0 { (fraction, -1074) } else { (fraction | (1 << 52), biased - 1075) };
    let shift = mantissa.trailing_zeros();
    let mantissa = mantissa >> shift;
    (if x < 0.0 { -mantissa } else { mantissa }, exponent + shift as i32)
}

/// The grid of multiples of `2^exponent`. Finer grids compare as less.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Grid {
    /// log2 of the spacing.
    pub exponent: i32,
}

impl Grid {
    /// Returns the coarsest grid that contains all the points.
    pub fn of<'a>(points: impl IntoIterator<Item = &'a DVec3>) -> Self {
        let exponent = points
            .into_iter()
            .flat_map(|p| p.to_array())
            .filter(|&x| x != 0.0)
            .map(|x| decompose(x).1)
            .min()
            .unwrap_or(0);
        Self { exponent }
    }

    /// Returns a coordinate in grid units. It must lie on the grid.
    pub fn integer(self, x: f64) -> BigInt {
        self.number(x)
    }

    /// Returns a point in grid units. It must lie on the grid.
    pub fn vector(self, p: DVec3) -> Vector {
        self.numbers(p)
    }

    /// Returns [`Grid::vector`] in numbers of any kind that has room for it.
    pub fn numbers<N: Number>(self, p: DVec3) -> [N; 3] {
        p.to_array().map(|x| self.number(x))
    }

    /// Returns the number of bits of the largest coordinate in grid units; 0 for points at the origin.
    pub fn bits<'a>(self, points: impl IntoIterator<Item = &'a DVec3>) -> i32 {
        let bits = |x: f64| {
            let (mantissa, exponent) = decompose(x);
            if mantissa == 0 {
                0
            } else {
                exponent - self.exponent + mantissa.unsigned_abs().ilog2() as i32 + 1
            }
        };
        points.into_iter().flat_map(|p| p.to_array()).map(bits).max().unwrap_or(0)
    }

    fn number<N: Number>(self, x: f64) -> N {
        let (mantissa, exponent) = decompose(x);
        if mantissa == 0 {
            return N::shifted(0, 0);
        }
        assert!(exponent >= self.exponent, "{x} is off the grid");
        N::shifted(mantissa, (exponent - self.exponent) as usize)
    }
}

/// Returns the f64 nearest to `numerator / denominator * 2^exponent`, ties to even; 0 below 2^-1000. The
/// denominator must be positive and the value below the largest f64.
pub fn round_quotient(numerator: &BigInt, denominator: &BigInt, exponent: i32) -> f64 {
    if numerator.is_zero() {
        return 0.0;
    }
    let (n, d) = (numerator.magnitude(), denominator.magnitude());
    // 55 to 56 quotient bits: 53 of the mantissa, a rounding bit and one more. The remainder is the sticky
    // bit.
    let shift = d.bits() as i64 + 55 - n.bits() as i64;
    let (n, d) = (shift_left(n, shift.max(0)), shift_left(d, (-shift).max(0)));
    let quotient = &n / &d;
    let sticky = &quotient * &d != n;
    if (quotient.bits() as i64) + i64::from(exponent) - shift < -1000 {
        return 0.0;
    }
    let magnitude = round_sticky(&quotient, sticky, i64::from(exponent) - shift);
    if numerator.is_negative() { -magnitude } else { magnitude }
}

/// Returns the f64 nearest to `sqrt(numerator / denominator) * 2^exponent`, ties to even. The denominator
/// must be positive and the numerator 0 or positive. A positive result below 2^-1000 becomes 2^-1000.
pub fn round_root(numerator: &BigInt, denominator: &BigInt, exponent: i32) -> f64 {
    if numerator.is_zero() {
        return 0.0;
    }
    let (n, d) = (numerator.magnitude(), denominator.magnitude());
    // An even shift that leaves at least 2 * 55 quotient bits, so the root has at least 55 bits.
    let shift = d.bits() as i64 + 111 - n.bits() as i64;
    let shift = shift + (shift & 1);
    let (n, d) = (shift_left(n, shift.max(0)), shift_left(d, (-shift).max(0)));
    let quotient = &n / &d;
    let root = quotient.sqrt();
    let sticky = &root * &root != quotient || &quotient * &d != n;
    let scale = i64::from(exponent) - shift / 2;
    if (root.bits() as i64) + scale < -1000 {
        return SMALLEST_DISTANCE;
    }
    round_sticky(&root, sticky, scale).max(SMALLEST_DISTANCE)
}

/// Smallest positive distance, by definition: 2^-1000.
pub const SMALLEST_DISTANCE: f64 = f64::from_bits((1023 - 1000) << 52);

fn shift_left(x: &BigUint, by: i64) -> BigUint {
    x << by as u64
}

/// Returns `m * 2^scale` rounded to nearest even. `m` has at least 55 bits, and `sticky` says that it was
/// truncated.
fn round_sticky(m: &BigUint, sticky: bool, scale: i64) -> f64 {
    let drop = m.bits() - 54;
    let kept = (m >> drop).to_u64().expect("54 bits fit");
    let lost = sticky || m.trailing_zeros().is_some_and(|zeros| zeros < drop);
    // 54 bits; the last is the rounding bit.
    let (head, half) = (kept >> 1, kept & 1 == 1);
    let rounded = head + u64::from(half && (lost || head & 1 == 1));
    ldexp(rounded as f64, scale + drop as i64 + 1)
}

/// Returns `x * 2^e` for results in the normal range.
fn ldexp(x: f64, e: i64) -> f64 {
    let half = e / 2;
    let power = |e: i64| f64::from_bits(((1023 + e) as u64) << 52);
    // Two steps, because 2^e alone may overflow although the product does not.
    x * power(half) * power(e - half)
}

/// A quotient of integers with a positive denominator, compared by cross-multiplication.
#[derive(Clone, Debug)]
pub struct Quotient<N = BigInt> {
    /// The numerator.
    pub numerator: N,
    /// The denominator; positive.
    pub denominator: N,
}

impl<N: Number> Quotient<N> {
    /// Compares two quotients exactly.
    pub fn compare(&self, other: &Self) -> Ordering {
        N::compare_products([&self.numerator, &other.denominator], [&other.numerator, &self.denominator])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decomposition_is_exact() {
        for x in [1.0, -0.75, 3e-60, -7.1e60, f64::MIN_POSITIVE / 4.0] {
            let (m, e) = decompose(x);
            assert_eq!(m as f64 * 2f64.powi(e.max(-1000)) * 2f64.powi(e.min(-1000) + 1000), x);
            assert_eq!(m % 2, if m < 0 { -1 } else { 1 });
        }
    }

    #[test]
    fn quotients_round_to_nearest() {
        for (n, d) in [(1i64, 3i64), (2, 7), (-22, 7), (1 << 60, 3), (9_007_199_254_740_993, 1), (5, 1)] {
            let expected = if d == 1 { n as f64 } else { n as f64 / d as f64 };
            assert_eq!(round_quotient(&n.into(), &d.into(), 0), expected, "{n}/{d}");
        }
        assert_eq!(round_quotient(&1.into(), &1.into(), -200), 2f64.powi(-200));
    }

    #[test]
    fn roots_round_to_nearest() {
        for (n, d) in [(2i64, 1i64), (1, 4), (9, 1), (3, 7), (10, 9)] {
            let root = round_root(&n.into(), &d.into(), 3);
            // Correct rounding means that the squared value lies between the squared midpoints to the
            // neighbours.
            let exact = |x: f64| {
                let (m, e) = decompose(x);
                (BigInt::from(m), e)
            };
            for (neighbour, order) in
                [(root.next_down(), Ordering::Less), (root.next_up(), Ordering::Greater)]
            {
                let (a, ea) = exact(root);
                let (b, eb) = exact(neighbour);
                let e = ea.min(eb);
                let mid = (a << (ea - e) as usize) + (b << (eb - e) as usize); // 2 * midpoint / 2^e
                // (mid/2 * 2^e / 8)^2 ? n/d
                let left = &mid * &mid * d;
                let right = BigInt::from(n) << (8 - 2 * e) as usize;
                assert_eq!(left.cmp(&right), order, "{n}/{d}");
            }
        }
        assert_eq!(round_root(&1.into(), &1.into(), -1050), SMALLEST_DISTANCE);
        assert_eq!(round_root(&0.into(), &1.into(), 0), 0.0);
    }
}
