//! A tree of cuts. The box of a node is not stored: it follows from the root's on the way down.

/// A box along the axes of a tree's frame, in normal coordinates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extents {
    /// The lowest corner.
    pub lo: [f32; 3],
    /// The highest corner.
    pub hi: [f32; 3],
}

impl Extents {
    /// The box that contains nothing.
    pub const EMPTY: Self = Self { lo: [f32::INFINITY; 3], hi: [f32::NEG_INFINITY; 3] };

    /// Returns the smallest box around both.
    pub fn union(self, other: Self) -> Self {
        let [lo, hi] = [f32::min as fn(f32, f32) -> f32, f32::max];
        Self {
            lo: std::array::from_fn(|k| lo(self.lo[k], other.lo[k])),
            hi: std::array::from_fn(|k| hi(self.hi[k], other.hi[k])),
        }
    }

    /// Returns the parts below and above a plane.
    #[inline(always)]
    pub fn cut(self, axis: usize, at: f32) -> [Self; 2] {
        let [mut left, mut right] = [self; 2];
        (left.hi[axis], right.lo[axis]) = (at, at);
        [left, right]
    }

    /// Returns the largest extent.
    pub fn size(&self) -> f32 {
        (0..3).map(|k| self.hi[k] - self.lo[k]).fold(0.0, f32::max)
    }
}

/// The content of a box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Content {
    /// Two boxes, below and above a plane: the nodes `first` and `first + 1`.
    Cut {
        /// The axis across which the box is cut.
        axis: u8,
        /// The plane.
        at: f32,
        /// The lower box.
        first: u32,
    },
    /// One box; the part of this one on the other side of a plane is empty.
    Chipped {
        /// The axis across which the empty part is cut off.
        axis: u8,
        /// The side that is left: 0 below the plane, 1 above.
        left: u8,
        /// The plane.
        at: f32,
        /// The box that is left.
        child: u32,
    },
    /// `count` entries of [`CutTree::items`] from `first` on.
    Leaf {
        /// The first entry.
        first: u32,
        /// Number of entries.
        count: u32,
    },
}

/// A node of a tree of cuts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CutNode {
    /// The content of the box.
    pub content: Content,
    /// Largest distance by which the items below reach beyond the box, along any axis.
    pub overhang: f32,
}

const _: () = assert!(size_of::<CutNode>() == 16);

/// A tree of cuts over the edges or the triangles of a mesh.
///
/// An item that crosses a cut is in both children. Every point of an item lies, but for half the thickness of
/// the cuts along each axis, in the box of a leaf that has the item.
#[derive(Clone, Debug, PartialEq)]
pub struct CutTree {
    /// CutNode 0 is the root; children come after their parents.
    pub nodes: Vec<CutNode>,
    /// The box of the root.
    pub root: Extents,
    /// The items of the leaves.
    pub items: Vec<u32>,
    /// Half the thickness of the cuts.
    pub thickness: f32,
    /// Number of tests of an item against a plane that building took.
    pub plane_tests: u64,
}

/// A node with its box.
pub type Place = (u32, Extents);

impl CutTree {
    /// Returns the root with its box.
    pub fn whole(&self) -> Place {
        (0, self.root)
    }

    /// Returns the content of a node.
    #[inline(always)]
    pub fn content(&self, node: u32) -> Content {
        self.nodes[node as usize].content
    }

    /// True for a leaf.
    #[inline(always)]
    pub fn is_leaf(&self, node: u32) -> bool {
        matches!(self.content(node), Content::Leaf { .. })
    }

    /// Returns the items of a leaf.
    ///
    /// # Panics
    /// If the node is not a leaf.
    pub fn leaf(&self, node: u32) -> &[u32] {
        let Content::Leaf { first, count } = self.content(node) else { unreachable!("a leaf") };
        &self.items[first as usize..][..count as usize]
    }

    /// Returns the children of a node with their boxes; the node itself if it is a leaf.
    #[inline(always)]
    pub fn open(&self, (node, extents): Place) -> (usize, [Place; 2]) {
        match self.content(node) {
            Content::Leaf { .. } => (1, [(node, extents); 2]),
            Content::Chipped { axis, left, at, child } => {
                (1, [(child, extents.cut(axis.into(), at)[usize::from(left)]); 2])
            }
            Content::Cut { axis, at, first } => {
                let [below, above] = extents.cut(axis.into(), at);
                (2, [(first, below), (first + 1, above)])
            }
        }
    }

    /// Returns the memory in bytes.
    pub fn bytes(&self) -> usize {
        size_of_val(self.nodes.as_slice()) + size_of_val(self.items.as_slice())
    }
}
