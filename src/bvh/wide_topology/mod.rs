//! The partition of triangles in trees with eight volumes to a block. It does not depend on the kind of
//! volume, so that two kinds can be compared on the same tree.

mod binary;
mod items;
mod leaf_order;
mod normal_frame;
mod pairs;
mod partition;
mod sorting_network;
mod surface_area;

pub use leaf_order::{LeafOrder, put_vertices_of, vertices_before};
pub use normal_frame::NormalFrame;
pub use partition::Partition;
pub use surface_area::MOST_DEPTH;

/// Largest number of triangles in a leaf.
pub const LEAF: u32 = 2;

/// The contents of a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Child {
    /// Nothing: the lane is not used.
    None,
    /// Eight more boxes: the index of a block.
    Block(u32),
    /// `count` (1 or 2) triangles from `first` on, in the tree's order.
    Leaf {
        /// The first triangle.
        first: u32,
        /// Number of triangles.
        count: u32,
    },
}

pub(super) const LEAF_BIT: u32 = 1 << 31;
const TWO_BIT: u32 = 1 << 30;

// Every triangle of a mesh has a place that fits into a leaf's word.
const _: () = assert!(closefit_geometry::mesh::MOST <= TWO_BIT as usize - 2);

impl Child {
    /// Packs the child into one word.
    pub const fn code(self) -> u32 {
        match self {
            Self::None => u32::MAX,
            Self::Block(block) => block,
            Self::Leaf { first, count } => LEAF_BIT | ((count - 1) * TWO_BIT) | first,
        }
    }

    /// Unpacks a word.
    #[inline(always)]
    pub const fn of(code: u32) -> Self {
        if is_opened(code) {
            Self::Block(code)
        } else if code == u32::MAX {
            Self::None
        } else {
            Self::Leaf { first: code & (TWO_BIT - 1), count: 1 + (code & TWO_BIT) / TWO_BIT }
        }
    }
}

/// True for the code of a box that has boxes inside.
#[inline(always)]
pub(crate) const fn is_opened(code: u32) -> bool {
    code < LEAF_BIT
}
