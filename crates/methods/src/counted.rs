//! A number that counts the operations made with it. Reading copies of kernels are generic over their
//! numbers, so that what they cost is counted on the code itself.

use std::cell::Cell;
use std::cmp::Ordering;
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub};

/// Numbers of operations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Operations {
    /// Multiplications.
    pub multiplications: u64,
    /// Additions and subtractions.
    pub additions: u64,
    /// Divisions.
    pub divisions: u64,
    /// Comparisons, including the comparisons of a minimum or a magnitude. Changes of sign are free.
    pub comparisons: u64,
}

impl Operations {
    /// No operations.
    pub const NONE: Self = Self { multiplications: 0, additions: 0, divisions: 0, comparisons: 0 };

    /// Returns the number of all but comparisons.
    pub fn arithmetic(&self) -> u64 {
        self.multiplications + self.additions + self.divisions
    }

    /// Returns the number of all.
    pub fn total(&self) -> u64 {
        self.arithmetic() + self.comparisons
    }
}

impl AddAssign for Operations {
    fn add_assign(&mut self, other: Self) {
        self.multiplications += other.multiplications;
        self.additions += other.additions;
        self.divisions += other.divisions;
        self.comparisons += other.comparisons;
    }
}

thread_local! {
    static MADE: Cell<Operations> = const { Cell::new(Operations::NONE) };
}

/// Does some work, and returns the operations that it makes with [`Counted`] numbers on this thread.
pub fn counted<R>(work: impl FnOnce() -> R) -> (R, Operations) {
    let before = MADE.replace(Operations::NONE);
    let result = work();
    let made = MADE.get();
    let mut all = before;
    all += made;
    MADE.set(all);
    (result, made)
}

fn count(add: impl FnOnce(&mut Operations)) {
    let mut made = MADE.get();
    add(&mut made);
    MADE.set(made);
}

/// A number that counts its operations. Copies and conversions are free.
#[derive(Clone, Copy, Debug)]
pub struct Counted<F>(pub F);

impl<F> From<F> for Counted<F> {
    fn from(x: F) -> Self {
        Self(x)
    }
}

impl<F: PartialEq> PartialEq for Counted<F> {
    fn eq(&self, other: &Self) -> bool {
        count(|made| made.comparisons += 1);
        self.0 == other.0
    }
}

impl<F: PartialOrd> PartialOrd for Counted<F> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        count(|made| made.comparisons += 1);
        self.0.partial_cmp(&other.0)
    }
}

impl<F: Neg<Output = F>> Neg for Counted<F> {
    type Output = Self;

    fn neg(self) -> Self {
        Self(-self.0)
    }
}

macro_rules! counting {
    ($($operator:ident $method:ident $kind:ident),+ $(,)?) => {
        $(impl<F: $operator<Output = F>> $operator for Counted<F> {
            type Output = Self;

            fn $method(self, other: Self) -> Self {
                count(|made| made.$kind += 1);
                Self(self.0.$method(other.0))
            }
        })+
    };
}

counting!(Add add additions, Sub sub additions, Mul mul multiplications, Div div divisions);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_counts_once() {
        let [x, y] = [Counted(3.0), Counted(4.0)];
        let (outer, made) = counted(|| {
            let (inner, made) = counted(|| (x * y + x - y) / -x);
            assert_eq!(made, Operations { multiplications: 1, additions: 2, divisions: 1, comparisons: 0 });
            assert_eq!(inner.0, -11.0 / 3.0);
            (x < y, x == y, if y > x { y } else { x })
        });
        assert_eq!((outer.0, outer.1, outer.2.0), (true, false, 4.0));
        assert_eq!(made, Operations { multiplications: 1, additions: 2, divisions: 1, comparisons: 3 });
        assert_eq!((made.arithmetic(), made.total()), (4, 7));
    }
}
