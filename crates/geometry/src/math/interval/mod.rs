//! Interval arithmetic: the result of an operation contains its value for any numbers of the operands (Moore
//! 1966; Redon et al. 2002, section 3.2).
//!
//! The ends are f64, rounded outwards by one step of [`f64::next_up`] or [`f64::next_down`] unless the
//! operation is found to be exact. No rounding mode is changed, so an optimizer cannot remove the rounding
//! and every machine gives the same bits. A lower end is never +infinity or NaN and an upper end never
//! -infinity or NaN, so intervals that overflow stay correct, though wide.
//!
//! The operations are limited to those that shading languages have: + - * /, square roots, comparisons and
//! steps of the bits. An f32 twin would differ in [`CIRCULAR_STEPS`], and would have to step further after a
//! division or a square root, which WGSL rounds to 2.5 units.

mod vector;

pub use vector::{IntervalMat3, IntervalVec3};

use std::f64::consts::FRAC_1_PI;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// A closed interval of real numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// Lower end; below +infinity.
    pub lo: f64,
    /// Upper end; above -infinity.
    pub hi: f64,
}

/// Number of steps by which `libm`'s sine and cosine may be off. They are FreeBSD's msun, whose notes claim
/// "nearly rounded": half a unit in the last place for the last sum. The addend to the larger term is at most
/// a third of it and takes some rounding errors of its own size, the polynomial is within 2^-58, and the tail
/// of the reduction is carried along. That is less than one unit; one more covers the step of a binade.
pub const CIRCULAR_STEPS: u32 = 2;

/// Encloses 1 / pi, which is not an f64, by the neighbours of its rounded value.
const INVERSE_PI: Interval = Interval { lo: FRAC_1_PI.next_down(), hi: FRAC_1_PI.next_up() };

impl Interval {
    /// The number 0.
    pub const ZERO: Self = Self::point(0.0);
    /// The number 1.
    pub const ONE: Self = Self::point(1.0);
    /// All numbers.
    pub const WHOLE: Self = Self { lo: f64::NEG_INFINITY, hi: f64::INFINITY };
    /// The range of sine and cosine.
    pub const UNIT: Self = Self { lo: -1.0, hi: 1.0 };

    /// Creates the interval from `lo` to `hi`, which must be in order.
    pub fn new(lo: f64, hi: f64) -> Self {
        debug_assert!(lo <= hi, "{lo} {hi}");
        Self { lo, hi }
    }

    /// Creates the interval of one number, which must be finite.
    pub const fn point(x: f64) -> Self {
        Self { lo: x, hi: x }
    }

    /// Creates the interval of numbers at most `radius` from 0.
    pub fn within(radius: f64) -> Self {
        Self::new(-radius, radius)
    }

    /// True when the interval contains `x`.
    pub fn contains(self, x: f64) -> bool {
        self.lo <= x && x <= self.hi
    }

    /// True when the interval contains all of another.
    pub fn includes(self, other: Self) -> bool {
        self.lo <= other.lo && other.hi <= self.hi
    }

    /// Returns a finite number in the interval; the midpoint where that is finite.
    pub fn middle(self) -> f64 {
        (0.5 * self.lo + 0.5 * self.hi).clamp(self.lo.max(f64::MIN), self.hi.min(f64::MAX))
    }

    /// Returns the width, rounded up.
    pub fn width(self) -> f64 {
        (Self::point(self.hi) - Self::point(self.lo)).hi
    }

    /// Returns the largest magnitude of a number in the interval.
    pub fn magnitude(self) -> f64 {
        self.lo.abs().max(self.hi.abs())
    }

    /// Returns the smallest interval that contains both.
    pub fn hull(self, other: Self) -> Self {
        Self { lo: self.lo.min(other.lo), hi: self.hi.max(other.hi) }
    }

    /// Returns the numbers in both intervals; `None` if there are none.
    pub fn intersection(self, other: Self) -> Option<Self> {
        let both = Self { lo: self.lo.max(other.lo), hi: self.hi.min(other.hi) };
        (both.lo <= both.hi).then_some(both)
    }

    /// Returns the intersection of two intervals that are known to contain a common number.
    pub fn meet(self, other: Self) -> Self {
        self.intersection(other).unwrap_or(self)
    }

    /// Encloses the absolute values.
    pub fn abs(self) -> Self {
        if self.lo >= 0.0 {
            self
        } else if self.hi <= 0.0 {
            -self
        } else {
            Self { lo: 0.0, hi: self.magnitude() }
        }
    }

    /// Encloses the squares.
    pub fn square(self) -> Self {
        let size = self.abs();
        Self { lo: times(size.lo, size.lo).lo, hi: times(size.hi, size.hi).hi }
    }

    /// Encloses the square roots of the numbers that are not negative.
    pub fn sqrt(self) -> Self {
        let root = |x: f64| if x > 0.0 { x.sqrt() } else { 0.0 };
        let (lo, hi) = (root(self.lo), root(self.hi));
        Self {
            lo: if lo > 0.0 { lo.next_down() } else { 0.0 },
            hi: if hi > 0.0 { hi.next_up() } else { 0.0 },
        }
    }

    /// Encloses the sines. The range extends to a crest or trough that may be inside, by the enclosure of pi.
    pub fn sin(self) -> Self {
        self.wave(libm::sin, 0.5)
    }

    /// Encloses the cosines, in the same way.
    pub fn cos(self) -> Self {
        self.wave(libm::cos, 0.0)
    }

    /// Encloses 1 - cos, without cancellation.
    pub fn versine(self) -> Self {
        let half = (self * Self::point(0.5)).sin().square();
        half + half
    }

    /// Encloses a sine or cosine. Crests are where `x / pi - crest` is even, troughs where it is odd.
    fn wave(self, function: fn(f64) -> f64, crest: f64) -> Self {
        if self.width() == f64::INFINITY {
            return Self::UNIT;
        }
        let place = self * INVERSE_PI - Self::point(crest);
        let (at_lo, at_hi) = (circular(function, self.lo), circular(function, self.hi));
        let Self { mut lo, mut hi } = at_lo.hull(at_hi);
        if place.holds_even() {
            hi = 1.0;
        }
        if (place - Self::ONE).holds_even() {
            lo = -1.0;
        }
        Self { lo, hi }
    }

    /// True when the interval contains an even integer.
    fn holds_even(self) -> bool {
        (0.5 * self.lo).ceil() <= (0.5 * self.hi).floor()
    }
}

/// Encloses the sine or cosine of one number.
fn circular(function: fn(f64) -> f64, x: f64) -> Interval {
    let value = function(x);
    if x == 0.0 {
        return Interval::point(value);
    }
    let around = (0..CIRCULAR_STEPS).fold(Interval::point(value), |Interval { lo, hi }, _| Interval {
        lo: lo.next_down(),
        hi: hi.next_up(),
    });
    around.meet(Interval::UNIT)
}

/// Encloses the sum of two ends, rounded in the direction of its error (Dekker's two-sum, which overflows
/// only with the sum).
fn plus(a: f64, b: f64) -> Interval {
    let sum = a + b;
    let (larger, smaller) = if a.abs() < b.abs() { (b, a) } else { (a, b) };
    let error = smaller - (sum - larger);
    // An error that is NaN or infinite decides nothing.
    let (no_less, no_more) =
        ((0.0..f64::INFINITY).contains(&error), error <= 0.0 && error > f64::NEG_INFINITY);
    Interval {
        lo: if no_less { sum } else { sum.next_down() },
        hi: if no_more { sum } else { sum.next_up() },
    }
}

/// Encloses the product of two ends. 0 times anything is 0, because an infinite end is not itself in the
/// interval.
fn times(a: f64, b: f64) -> Interval {
    if a == 0.0 || b == 0.0 { Interval::ZERO } else { stepped(a * b, (a < 0.0) == (b < 0.0)) }
}

/// Encloses the quotient of two ends, the second of which is not 0.
fn over(a: f64, b: f64) -> Interval {
    let quotient = a / b;
    if a == 0.0 {
        Interval::ZERO
    } else if quotient.is_nan() {
        // Both ends are infinite, so the ratio may be any number of this sign.
        let any = Interval { lo: 0.0, hi: f64::INFINITY };
        if (a < 0.0) == (b < 0.0) { any } else { -any }
    } else {
        stepped(quotient, (a < 0.0) == (b < 0.0))
    }
}

/// Steps to both sides, but not past 0, where results that underflow stay.
fn stepped(rounded: f64, positive: bool) -> Interval {
    let (lo, hi) = (rounded.next_down(), rounded.next_up());
    if positive { Interval { lo: lo.max(0.0), hi } } else { Interval { lo, hi: hi.min(0.0) } }
}

impl Neg for Interval {
    type Output = Self;

    fn neg(self) -> Self {
        Self { lo: -self.hi, hi: -self.lo }
    }
}

impl Add for Interval {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { lo: plus(self.lo, other.lo).lo, hi: plus(self.hi, other.hi).hi }
    }
}

impl Sub for Interval {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Interval {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        let [a, b] = [times(self.lo, other.lo), times(self.lo, other.hi)];
        let [c, d] = [times(self.hi, other.lo), times(self.hi, other.hi)];
        a.hull(b).hull(c.hull(d))
    }
}

impl Div for Interval {
    type Output = Self;

    /// Encloses the quotients; all numbers if the divisor may be 0.
    fn div(self, other: Self) -> Self {
        if other.contains(0.0) {
            return Self::WHOLE;
        }
        let [a, b] = [over(self.lo, other.lo), over(self.lo, other.hi)];
        let [c, d] = [over(self.hi, other.lo), over(self.hi, other.hi)];
        a.hull(b).hull(c.hull(d))
    }
}

#[cfg(test)]
mod tests;
