//! Counts of cells and of the work of queries, as in the paper's tables.

/// The kind of a cell: the answer that its list gives without a test of boxes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CellKind {
    /// It is empty.
    Empty,
    /// It has boxes.
    Partial,
    /// The cell lies inside one of the boxes, which therefore overlaps every box that meets the cell.
    Full,
}

/// Numbers of cells by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Kinds {
    /// Cells without boxes.
    pub empty: u64,
    /// Cells with boxes.
    pub partial: u64,
    /// Cells inside one of their boxes.
    pub full: u64,
}

/// The work of queries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Visits {
    /// Cells that were looked at, cut ones included.
    pub cells: u64,
    /// Those that decided something: leaves, and cut cells that keep boxes. In the paper, an empty one
    /// decides that there is no interference, and a full one that there is, without a test.
    pub decisions: Kinds,
    /// Tests of two boxes.
    pub box_tests: u64,
    /// Those of them with boxes outside of the first cell.
    pub outside_tests: u64,
    /// Tests of a sphere with a cell or a box.
    pub sphere_tests: u64,
}

/// The size of the structure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shape {
    /// Leaves, and cut cells that keep boxes.
    pub cells: Kinds,
    /// Number of levels, the first cell included.
    pub levels: u64,
    /// Number of entries in all lists; a box may be in several.
    pub references: u64,
    /// Largest number of boxes in a leaf.
    pub largest_leaf: u64,
}

impl Kinds {
    pub(super) fn count(&mut self, kind: CellKind) {
        match kind {
            CellKind::Empty => self.empty += 1,
            CellKind::Partial => self.partial += 1,
            CellKind::Full => self.full += 1,
        }
    }
}

impl std::ops::AddAssign for Visits {
    fn add_assign(&mut self, other: Self) {
        self.cells += other.cells;
        self.decisions.empty += other.decisions.empty;
        self.decisions.partial += other.decisions.partial;
        self.decisions.full += other.decisions.full;
        self.box_tests += other.box_tests;
        self.outside_tests += other.outside_tests;
        self.sphere_tests += other.sphere_tests;
    }
}
