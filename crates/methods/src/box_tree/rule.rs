//! The parameters of a BoxTree.

/// The parameters by which the trees of a mesh are cut, and by which their leaves are searched. No answer
/// depends on them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoxRule {
    /// Largest number of levels above a leaf; `None` for the [paper's](depth_of_paper).
    pub depth: Option<u32>,
    /// The cuts that count as levels.
    pub levels: Levels,
    /// The paper's gamma: the factor by which an item that crosses a plane is worse than one that is too many
    /// on a side. Among equal planes, the one that fewest items cross is taken.
    pub crossing: f32,
    /// Largest number of items in boxes that are not cut: the paper's Min.
    pub min: usize,
    /// Largest share of a box's items that may be in one of its children: the paper's lambda.
    pub lambda: f32,
    /// Share of a box above which its largest empty part is cut off. At 1 or more, none is.
    pub empty: f32,
    /// Half the thickness of cuts, per length of the root's diagonal: the paper's delta. Items that reach
    /// past a plane by less do not count as crossing it.
    pub thickness: f32,
    /// Tests of boxes before two leaves are searched.
    pub prechecks: Prechecks,
}

/// The cuts that count as levels of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Levels {
    /// Those that part the items, and those at an empty part, as in the paper.
    AllCuts,
    /// Only those that part the items.
    Balanced,
}

/// The tests of boxes that the paper's simple algorithm makes before edges meet polygons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prechecks {
    /// Leaves out the polygons that are not in the box around the edges.
    pub polygons: bool,
    /// Leaves out the edges that are not in the box around the polygons.
    pub edges: bool,
}

impl Prechecks {
    /// Both tests.
    pub const BOTH: Self = Self { polygons: true, edges: true };
    /// Neither.
    pub const NEITHER: Self = Self { polygons: false, edges: false };
}

impl BoxRule {
    /// The rule of `--tree box`. Its depth is the paper's, and so are its numbers of items; the paper gives
    /// neither the thickness nor the threshold for empty parts. The paper's factor for items that cross takes
    /// a plane that all items cross for perfectly balanced.
    pub const DEFAULT: Self = Self {
        depth: None,
        levels: Levels::Balanced,
        crossing: 1.0,
        min: 1,
        lambda: 0.8,
        empty: 0.1,
        thickness: 1.0 / (1 << 20) as f32,
        prechecks: Prechecks::BOTH,
    };

    /// The rule as the paper prints it: every cut is a level, and items that cross do not count against a
    /// plane.
    pub const PRINTED: Self = Self { levels: Levels::AllCuts, crossing: 0.0, ..Self::DEFAULT };

    /// The rule of the simple algorithm: one leaf.
    pub const SIMPLE: Self = Self { depth: Some(0), thickness: 0.0, ..Self::DEFAULT };

    /// Returns the largest number of levels above a leaf, for a number of items.
    pub fn depth_for(&self, items: usize) -> u32 {
        self.depth.unwrap_or_else(|| depth_of_paper(items))
    }
}

/// Returns the optimal depth that the paper measured for a number of polygons, and beyond its table one more
/// for each doubling.
pub fn depth_of_paper(items: usize) -> u32 {
    let table = [(100, 4), (300, 5), (700, 6), (1_300, 7), (2_000, 8), (3_000, 9)];
    let known = table.into_iter().find(|&(most, _)| items <= most);
    known.map_or_else(|| 9 + items.div_ceil(3_000).next_power_of_two().ilog2(), |(_, depth)| depth)
}
