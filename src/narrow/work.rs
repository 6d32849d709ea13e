//! The work that a search does.

/// Counts of what a search tested.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Pairs of boxes tested.
    pub box_tests: u64,
    /// Pairs of triangles tested.
    pub triangle_tests: u64,
    /// Of those, pairs left to exact arithmetic.
    pub settled: u64,
}

impl std::ops::AddAssign for Work {
    fn add_assign(&mut self, other: Self) {
        self.box_tests += other.box_tests;
        self.triangle_tests += other.triangle_tests;
        self.settled += other.settled;
    }
}
