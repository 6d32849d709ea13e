//! The test of two moving boxes over a stretch of time: the test of boxes at rest, with intervals in place of
//! numbers (section 4.1.1, equation 7).

use std::cmp::Ordering;
use std::ops::{Add, Mul, Neg, Sub};

use closefit::DVec3;
use closefit_generate::random::Random;
use closefit_methods::internals::counted::{Counted, Operations, counted};
use glam::DMat3;

use crate::lin::box_test::{Boxes, are_separated, boxes};
use crate::reference::Number;
use crate::simulate::rotation::turned;

/// All numbers from one to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval<N> {
    lo: N,
    hi: N,
}

impl<N: Number> Interval<N> {
    /// Returns the interval from the least to the largest of some numbers.
    fn around(numbers: [N; 4]) -> Self {
        let [a, b, c, d] = numbers;
        let least = |x: N, y: N| if y < x { y } else { x };
        let most = |x: N, y: N| if y > x { y } else { x };
        Self { lo: least(least(a, b), least(c, d)), hi: most(most(a, b), most(c, d)) }
    }
}

impl<N: Number> From<f64> for Interval<N> {
    fn from(x: f64) -> Self {
        Self { lo: N::from(x), hi: N::from(x) }
    }
}

/// An interval is greater than another one if all its numbers are.
impl<N: Number> PartialOrd for Interval<N> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        if self.lo > other.hi {
            Some(Ordering::Greater)
        } else if self.hi < other.lo {
            Some(Ordering::Less)
        } else {
            None
        }
    }
}

impl<N: Number> Neg for Interval<N> {
    type Output = Self;

    fn neg(self) -> Self {
        Self { lo: -self.hi, hi: -self.lo }
    }
}

impl<N: Number> Add for Interval<N> {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { lo: self.lo + other.lo, hi: self.hi + other.hi }
    }
}

impl<N: Number> Sub for Interval<N> {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self { lo: self.lo - other.hi, hi: self.hi - other.lo }
    }
}

impl<N: Number> Mul for Interval<N> {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        Self::around([self.lo * other.lo, self.lo * other.hi, self.hi * other.lo, self.hi * other.hi])
    }
}

impl<N: Number> Number for Interval<N> {
    fn magnitude(self) -> Self {
        let zero = N::from(0.0);
        if self.lo >= zero {
            self
        } else if self.hi <= zero {
            -self
        } else {
            Self { lo: zero, hi: if self.hi > -self.lo { self.hi } else { -self.lo } }
        }
    }
}

/// Two boxes. The second moves along a screw through its middle.
#[derive(Clone, Copy, Debug)]
struct Moving {
    start: Boxes<f64>,
    /// The path of its middle, and the axis of its turn times the angle, which is small.
    path: DVec3,
    turn: DVec3,
}

impl Moving {
    fn random(random: &mut Random) -> Self {
        let start = boxes(random);
        let size = start.half[1].iter().sum::<f64>();
        let path = random.direction() * (0.1 * size);
        Self { start, path, turn: random.direction() * 0.1 }
    }

    /// Returns the boxes at a parameter from 0 to 1.
    fn at(&self, s: f64) -> Boxes<f64> {
        let turn = DMat3::from_quat(turned(self.turn * s)) * DMat3::from_cols_array_2d(&self.start.turn);
        let middle = DVec3::from(self.start.middle) + self.path * s;
        Boxes { turn: turn.to_cols_array_2d(), middle: middle.to_array(), ..self.start }
    }

    /// Returns intervals that contain the boxes at all parameters: ends, widened by what an arc may go beyond
    /// its chord.
    fn over(&self) -> Boxes<Interval<f64>> {
        let [from, to] = [0.0, 1.0].map(|s| self.at(s));
        let beyond = self.turn.length_squared() / 8.0;
        let between = |x: f64, y: f64, by: f64| Interval { lo: x.min(y) - by, hi: x.max(y) + by };
        let along = |k: usize, j: usize| between(from.turn[j][k], to.turn[j][k], beyond);
        Boxes {
            half: self.start.half.map(|half| half.map(Interval::from)),
            turn: std::array::from_fn(|j| std::array::from_fn(|k| along(k, j))),
            middle: std::array::from_fn(|k| between(from.middle[k], to.middle[k], 0.0)),
        }
    }
}

impl Boxes<Interval<f64>> {
    fn counting(self) -> Boxes<Interval<Counted<f64>>> {
        let counted = |p: [Interval<f64>; 3]| p.map(|x| Interval { lo: Counted(x.lo), hi: Counted(x.hi) });
        Boxes { half: self.half.map(counted), turn: self.turn.map(counted), middle: counted(self.middle) }
    }
}

/// The operations of a discrete and of a continuous test.
#[derive(Clone, Copy, Debug)]
pub struct TestCosts {
    pub discrete: f64,
    pub continuous: f64,
}

/// Returns the mean operations of tests of near boxes, in the three cases of `lin-obb-test`: all, those that
/// overlap at the start, and those that are apart throughout.
pub fn test_costs(pairs: u32) -> [(&'static str, TestCosts); 3] {
    let mut random = Random::new(4);
    let mut sums = [[0_u64; 3]; 3];
    for _ in 0..pairs {
        let moving = Moving::random(&mut random);
        let boxes = moving.start.to_counted();
        let (discrete, of_discrete) = counted(|| are_separated(&boxes));
        let boxes = moving.over().counting();
        let (continuous, of_continuous) = counted(|| are_separated(&boxes));
        let cost = |made: Operations| made.total();
        let mut add = |case: usize| {
            let by = [1, cost(of_discrete), cost(of_continuous)];
            sums[case].iter_mut().zip(by).for_each(|(sum, by)| *sum += by);
        };
        add(0);
        if !discrete {
            add(1);
        }
        if continuous {
            add(2);
        }
    }
    let names = ["near boxes", "overlapping boxes", "boxes apart"];
    std::array::from_fn(|i| {
        let [count, discrete, continuous] = sums[i].map(|sum| sum as f64);
        (names[i], TestCosts { discrete: discrete / count, continuous: continuous / count })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Boxes that are separated over a stretch are separated at each time of it; and over most stretches in
    /// which they are, some axis shows it.
    #[test]
    fn boxes_separated_over_a_stretch_are_so_at_each_time() {
        let mut random = Random::new(6);
        let [mut proven, mut apart] = [0; 2];
        for _ in 0..4_000 {
            let moving = Moving::random(&mut random);
            let always = (0..=16).all(|i| are_separated(&moving.at(f64::from(i) / 16.0)));
            let separated = are_separated(&moving.over());
            assert!(always || !separated, "{moving:?}");
            proven += u32::from(separated);
            apart += u32::from(always);
        }
        assert!(apart > 800 && proven * 10 > apart * 7, "{proven} of {apart}");
    }

    #[test]
    fn operations_of_intervals_contain_those_of_numbers() {
        let mut random = Random::new(8);
        for _ in 0..2_000 {
            let mut interval = || {
                let (a, b) = (random.between(-2.0, 2.0), random.between(-2.0, 2.0));
                (Interval { lo: a.min(b), hi: a.max(b) }, a + (b - a) * random.between(0.0, 1.0))
            };
            let ((p, x), (q, y)) = (interval(), interval());
            let contains = |i: Interval<f64>, z: f64| i.lo - 1e-12 <= z && z <= i.hi + 1e-12;
            assert!(contains(p + q, x + y) && contains(p - q, x - y) && contains(p * q, x * y));
            assert!(contains(-p, -x) && contains(p.magnitude(), x.abs()) && p.magnitude().lo >= 0.0);
            if p > q {
                assert!(x > y);
            }
        }
    }
}
