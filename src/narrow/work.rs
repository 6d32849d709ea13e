//! Counters of a search's work.

/// Counters of the tests that a search made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Number of pairs of boxes tested.
    pub box_tests: u64,
    /// Number of pairs of triangles tested.
    pub triangle_tests: u64,
    /// Number of those pairs left to the exact stage.
    pub exact_tests: u64,
}

impl std::ops::AddAssign for Work {
    fn add_assign(&mut self, other: Self) {
        self.box_tests += other.box_tests;
        self.triangle_tests += other.triangle_tests;
        self.exact_tests += other.exact_tests;
    }
}
