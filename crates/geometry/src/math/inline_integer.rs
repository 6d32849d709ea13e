//! Integers that are kept in place: exact arithmetic that asks for no memory.

use std::cmp::Ordering::{self, Equal, Greater, Less};

use num_bigint::{BigInt, Sign};

use super::grid::Number;

/// Number of digits of 64 bits.
const DIGITS: usize = 12;

/// An integer of at most [`InlineInteger::BITS`] bits and a sign. What grows beyond panics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InlineInteger {
    /// The magnitude, the lowest digit first; zeros after those in use.
    digits: [u64; DIGITS],
    /// Number of digits up to the highest that is not 0.
    used: usize,
    /// False for 0.
    is_negative: bool,
}

impl InlineInteger {
    /// Largest number of bits of the magnitude.
    pub const BITS: usize = 64 * DIGITS;

    const ZERO: Self = Self { digits: [0; DIGITS], used: 0, is_negative: false };

    /// Returns the number without leading zeros. There may be some below `used`.
    #[inline(always)]
    fn trimmed(mut self) -> Self {
        while self.used > 0 && self.digits[self.used - 1] == 0 {
            self.used -= 1;
        }
        self.is_negative &= self.used > 0;
        self
    }

    fn compare_magnitudes(&self, other: &Self) -> Ordering {
        self.used.cmp(&other.used).then_with(|| compare(&self.digits, &other.digits, self.used))
    }

    /// Returns the number of bits of the magnitude.
    fn bits(&self) -> usize {
        self.digits[..self.used].last().map_or(0, |last| 64 * self.used - last.leading_zeros() as usize)
    }

    /// Adds the magnitude of another number.
    #[inline(always)]
    fn grown_by(mut self, other: &Self) -> Self {
        let used = self.used.max(other.used);
        let mut carry = false;
        for (digit, more) in self.digits[..used].iter_mut().zip(&other.digits) {
            let (sum, over) = digit.overflowing_add(*more);
            let (sum, again) = sum.overflowing_add(u64::from(carry));
            (*digit, carry) = (sum, over | again);
        }
        self.used = used;
        if carry {
            self.digits[used] = 1;
            self.used += 1;
        }
        self
    }

    /// Takes away the magnitude of another number, which must not be larger.
    #[inline(always)]
    fn reduced_by(mut self, other: &Self) -> Self {
        let mut borrow = false;
        for (digit, less) in self.digits[..self.used].iter_mut().zip(&other.digits) {
            let (rest, under) = digit.overflowing_sub(*less);
            let (rest, again) = rest.overflowing_sub(u64::from(borrow));
            (*digit, borrow) = (rest, under | again);
        }
        self.trimmed()
    }

    /// Adds a number that is taken with the sign given.
    #[inline(always)]
    fn sum(self, other: &Self, is_negative: bool) -> Self {
        if self.is_negative == is_negative {
            return self.grown_by(other);
        }
        match self.compare_magnitudes(other) {
            Less => Self { is_negative, ..other.reduced_by(&self) },
            Equal => Self::ZERO,
            Greater => self.reduced_by(other),
        }
    }
}

/// Returns the product of two magnitudes. Panics if it has more digits.
#[inline(always)]
fn product<const D: usize>(x: &InlineInteger, y: &InlineInteger) -> [u64; D] {
    let mut product = [0; D];
    let ys = &y.digits[..y.used];
    for (place, &x) in x.digits[..x.used].iter().enumerate() {
        let end = place + ys.len();
        let mut carry = 0;
        for (digit, &y) in product[place..end].iter_mut().zip(ys) {
            let sum = u128::from(x) * u128::from(y) + u128::from(*digit) + u128::from(carry);
            (*digit, carry) = (sum as u64, (sum >> 64) as u64);
        }
        if carry != 0 {
            product[end] = carry;
        }
    }
    product
}

/// Compares the lowest digits of two magnitudes.
#[inline(always)]
fn compare<const D: usize>(x: &[u64; D], y: &[u64; D], digits: usize) -> Ordering {
    x[..digits].iter().rev().cmp(y[..digits].iter().rev())
}

impl Number for InlineInteger {
    fn shifted(mantissa: i64, shift: usize) -> Self {
        let mut shifted = Self { is_negative: mantissa < 0, ..Self::ZERO };
        let (place, bits) = (shift / 64, shift % 64);
        let both = u128::from(mantissa.unsigned_abs()) << bits;
        for (place, digit) in [(place, both as u64), (place + 1, (both >> 64) as u64)] {
            if digit != 0 {
                shifted.digits[place] = digit;
                shifted.used = place + 1;
            }
        }
        shifted
    }

    fn plus(self, other: &Self) -> Self {
        self.sum(other, other.is_negative)
    }

    fn minus(self, other: &Self) -> Self {
        // 0 is taken as negative here, which adds nothing.
        self.sum(other, !other.is_negative)
    }

    fn times(&self, other: &Self) -> Self {
        let digits = product(self, other);
        let used = DIGITS.min(self.used + other.used);
        Self { digits, used, is_negative: self.is_negative != other.is_negative }.trimmed()
    }

    fn compare_products([a, b]: [&Self; 2], [c, d]: [&Self; 2]) -> Ordering {
        let is_negative = |x: &Self, y: &Self| x.is_negative != y.is_negative;
        let is_zero = |x: &Self, y: &Self| x.used == 0 || y.used == 0;
        let sign = |x: &Self, y: &Self| if is_zero(x, y) { 0 } else { 1 - 2 * i32::from(is_negative(x, y)) };
        let (own, others) = (sign(a, b), sign(c, d));
        if own != others || own == 0 {
            return own.cmp(&others);
        }
        // A product has as many bits as its factors together, or one less.
        let (bits, of_others) = (a.bits() + b.bits(), c.bits() + d.bits());
        let order = if bits.abs_diff(of_others) > 1 {
            bits.cmp(&of_others)
        } else {
            compare(&product::<{ 2 * DIGITS }>(a, b), &product(c, d), 2 * DIGITS)
        };
        if own < 0 { order.reverse() } else { order }
    }

    fn sign(&self) -> Ordering {
        match (self.used, self.is_negative) {
            (0, _) => Equal,
            (_, true) => Less,
            (_, false) => Greater,
        }
    }

    fn to_big(&self) -> BigInt {
        let sign = if self.is_negative { Sign::Minus } else { Sign::Plus };
        let bytes: Vec<u8> = self.digits[..self.used].iter().flat_map(|digit| digit.to_le_bytes()).collect();
        BigInt::from_bytes_le(sign, &bytes)
    }
}

impl PartialOrd for InlineInteger {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for InlineInteger {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self.is_negative, other.is_negative) {
            (false, true) => Greater,
            (true, false) => Less,
            (false, false) => self.compare_magnitudes(other),
            (true, true) => other.compare_magnitudes(self),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::testing::{Stream, cases};

    /// Returns a number of at most so many bits, often with digits of zeros or ones only.
    fn number(stream: &mut Stream, bits: u64) -> InlineInteger {
        let mut number = InlineInteger::ZERO;
        for digit in 0..bits / 64 {
            number.digits[digit as usize] = match stream.below(4) {
                0 => 0,
                1 => u64::MAX,
                _ => stream.bits() >> stream.below(64),
            };
            number.used = digit as usize + 1;
        }
        number.is_negative = stream.below(2) == 0;
        number.trimmed()
    }

    /// Every operation gives what integers of any size give, and unused digits stay zero.
    #[test]
    fn arithmetic_is_that_of_integers_of_any_size() {
        let mut stream = Stream(5);
        for case in 0..cases(20_000) {
            let bits = 64 * stream.below(7);
            let (x, mut y) = (number(&mut stream, bits), number(&mut stream, 384 - bits));
            if stream.below(8) == 0 {
                y = InlineInteger { is_negative: y.is_negative, ..x }.trimmed();
            }
            let (p, q) = (x.to_big(), y.to_big());
            for (found, expected) in
                [(x.plus(&y), &p + &q), (x.minus(&y), &p - &q), (x.times(&y), &p * &q), (x, p.clone())]
            {
                assert_eq!(found.to_big(), expected, "case {case}: {x:?} {y:?}");
                assert_eq!(found.trimmed(), found, "case {case}");
                assert!(found.digits[found.used..].iter().all(|&digit| digit == 0), "case {case}");
                assert_eq!(Number::sign(&found), Number::sign(&expected), "case {case}");
            }
            assert_eq!(x.cmp(&y), p.cmp(&q), "case {case}: {x:?} {y:?}");
            let z = number(&mut stream, bits);
            let r = z.to_big();
            for ([a, b], [c, d], order) in [
                ([&x, &y], [&y, &z], (&p * &q).cmp(&(&q * &r))),
                ([&x, &x], [&z, &x], (&p * &p).cmp(&(&r * &p))),
                ([&x, &y], [&y, &x], Equal),
            ] {
                assert_eq!(InlineInteger::compare_products([a, b], [c, d]), order, "case {case}");
            }
            let (mantissa, shift) = (stream.bits() as i64 >> stream.below(64), stream.below(700) as usize);
            assert_eq!(InlineInteger::shifted(mantissa, shift).to_big(), BigInt::from(mantissa) << shift);
        }
    }

    /// The largest numbers fit, and a larger one panics instead of losing digits.
    #[test]
    fn what_does_not_fit_panics() {
        let largest = InlineInteger { digits: [u64::MAX; DIGITS], used: DIGITS, is_negative: false };
        let one = InlineInteger::shifted(1, 0);
        assert_eq!(largest.minus(&one).plus(&one), largest);
        assert_eq!(largest.times(&one), largest);
        let half = InlineInteger::shifted(1, InlineInteger::BITS / 2);
        let panics = |question: &(dyn Fn() -> InlineInteger + std::panic::RefUnwindSafe)| {
            std::panic::catch_unwind(question).is_err()
        };
        assert!(panics(&|| largest.plus(&one)));
        assert!(panics(&|| half.times(&half)));
        assert!(panics(&|| InlineInteger::shifted(1, InlineInteger::BITS)));
    }
}
