//! Counters of the work of searches and questions.

use std::cell::Cell;
use std::ops::{AddAssign, Deref, DerefMut};
use std::time::Duration;

use super::thread_clock;

/// Counters of the tests that a search or a question made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Number of tests of boxes against boxes or points. Wide trees test eight boxes at a time, and all eight
    /// count.
    pub box_tests: u64,
    /// Number of tests of boxes as they stand at one time of a stretch, before they are tested over all of it
    /// (Redon et al. 2002, section 6: discrete tests). Not among the others.
    pub discrete_tests: u64,
    /// Number of tests of triangles against triangles, points, polygons or rays.
    pub triangle_tests: u64,
    /// Number of those triangle tests that exact predicates or exact arithmetic decided.
    pub exact_tests: u64,
    /// Number of bounding volumes refitted to a turned frame before they were tested (Sanna and Milani
    /// 2004: N_u). Boxes and spheres that turn with their part need none.
    pub updates: u64,
    /// Numbers of exchanges of neighbours in the sorted lists of ends of boxes along x, y and z (Ponamgi,
    /// Manocha and Lin 1995: e_x, e_y, e_z). Only octrees keep such lists.
    pub exchanges: [u64; 3],
    /// Number of pairs of boxes that such lists found to overlap.
    pub overlaps: u64,
    /// Number of searches of trees, for a pair of parts, a point or a region, in which boxes could exclude
    /// nothing: searches at poses with shear or uneven scale for which a tree was not built, and searches
    /// of parts whose sizes f32 cannot compare.
    pub unboxed: u64,
}

impl Work {
    /// No tests.
    pub const NONE: Self = Self {
        box_tests: 0,
        discrete_tests: 0,
        triangle_tests: 0,
        exact_tests: 0,
        updates: 0,
        exchanges: [0; 3],
        overlaps: 0,
        unboxed: 0,
    };

    /// The work of tests of boxes alone.
    #[inline]
    pub fn boxes(box_tests: u64) -> Self {
        Self { box_tests, ..Self::NONE }
    }

    /// The work of tests of triangles alone, in f64.
    #[inline]
    pub fn triangles(triangle_tests: u64) -> Self {
        Self { triangle_tests, ..Self::NONE }
    }

    /// The work of exact tests of triangles.
    #[inline]
    pub fn exact(triangle_tests: u64) -> Self {
        Self { triangle_tests, exact_tests: triangle_tests, ..Self::NONE }
    }

    /// Counts a search that begins, as one without boxes unless it has a frame to compare them in.
    #[inline(always)]
    pub fn begin<F>(&mut self, frame: Option<&F>) {
        self.unboxed += u64::from(frame.is_none());
    }

    /// Answers a question, and adds the tests that it counts on the way.
    pub fn ask<R>(&mut self, answer: impl FnOnce() -> R) -> R {
        let (answer, work) = counted(answer);
        *self += work;
        answer
    }
}

impl AddAssign for Work {
    fn add_assign(&mut self, other: Self) {
        self.box_tests += other.box_tests;
        self.discrete_tests += other.discrete_tests;
        self.triangle_tests += other.triangle_tests;
        self.exact_tests += other.exact_tests;
        self.updates += other.updates;
        self.exchanges = [0, 1, 2].map(|axis| self.exchanges[axis] + other.exchanges[axis]);
        self.overlaps += other.overlaps;
        self.unboxed += other.unboxed;
    }
}

/// The cost of a stage: its tests, and the time that threads spent on it. Tests can be counted into it as
/// into [`Work`].
///
/// Time is measured by the thread's [own clock](thread_clock), so a thread that had to wait for a core does
/// not count the wait.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    /// The tests.
    pub tests: Work,
    /// The time, added over threads.
    pub time: Duration,
}

impl Spent {
    /// Runs a search, and adds its tests and its time.
    pub fn on<R>(&mut self, search: impl FnOnce(&mut Work) -> R) -> R {
        let start = thread_clock::now();
        let found = search(&mut self.tests);
        self.time += thread_clock::now() - start;
        found
    }

    /// Answers a question, and adds the tests that it counts on the way and its time.
    pub fn ask<R>(&mut self, answer: impl FnOnce() -> R) -> R {
        self.on(|tests| tests.ask(answer))
    }
}

impl From<Work> for Spent {
    fn from(tests: Work) -> Self {
        Self { tests, time: Duration::ZERO }
    }
}

impl Deref for Spent {
    type Target = Work;

    fn deref(&self) -> &Work {
        &self.tests
    }
}

impl DerefMut for Spent {
    fn deref_mut(&mut self) -> &mut Work {
        &mut self.tests
    }
}

impl AddAssign for Spent {
    fn add_assign(&mut self, other: Self) {
        self.tests += other.tests;
        self.time += other.time;
    }
}

thread_local! {
    /// The work of the question that this thread is answering, so far.
    static COUNTED: Cell<Work> = const { Cell::new(Work::NONE) };
}

/// Adds to the work of the question that this thread is answering. Searches count in their own state and add
/// once.
#[inline]
pub fn count(work: Work) {
    COUNTED.with(|counted| {
        let mut sum = counted.get();
        sum += work;
        counted.set(sum);
    });
}

/// Answers a question. Returns the answer with the work counted on the way.
///
/// A thread that waits for others may meanwhile answer another question, so each question counts from zero
/// and puts back what it found.
pub fn counted<R>(answer: impl FnOnce() -> R) -> (R, Work) {
    let outer = COUNTED.replace(Work::NONE);
    let answer = answer();
    (answer, COUNTED.replace(outer))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_are_counted_apart() {
        let (inner, outer) = counted(|| {
            count(Work::triangles(1));
            let ((), inner) = counted(|| count(Work::triangles(10)));
            count(Work::boxes(100));
            inner
        });
        assert_eq!(inner, Work::triangles(10));
        assert_eq!(outer, Work { triangle_tests: 1, ..Work::boxes(100) });
    }
}
