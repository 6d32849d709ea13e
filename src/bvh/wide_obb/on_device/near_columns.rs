//! Data structures of the search for distances, shared by the CPU and the kernels.
//! `shaders/shared/near_columns.wgsl` declares the same structs; `tests/gpu` compares them. Lengths are in
//! home units.

use bytemuck::{Pod, Zeroable};

use crate::bvh::wide_obb::search::Leaf;

/// A queue item: a block and a box of the other tree, with a lower bound of their distance.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct NearItem {
    /// Index of the pair, plus `2^16` times the number of boxes opened on the way here.
    pub pair: u32,
    /// The same as [`BoxItem::block`](super::columns::BoxItem::block).
    pub block: u32,
    /// The same as [`BoxItem::other`](super::columns::BoxItem::other).
    pub other: u32,
    /// Bits of the lower bound.
    pub at_least: u32,
}

/// A leaf pair with triangles that may be the closest. Its key for the device's sort is the lower half of
/// `pair` and `first`.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct NearRecord {
    /// Bits 0 to 15: index of the pair. Bits 16 and 17: as [`LeafItem::two`](super::columns::LeafItem::two).
    /// Bits 24 to 27: the lanes.
    pub pair: u32,
    /// The same as [`LeafItem::first`](super::columns::LeafItem::first).
    pub first: [u32; 2],
    /// Bits of a lower bound of the distance of all these triangles.
    pub at_least: u32,
}

impl NearRecord {
    /// Returns the index of the pair.
    pub fn pair(&self) -> u32 {
        self.pair & 0xffff
    }

    /// Returns the two leaves, home first.
    pub fn leaves(&self) -> [Leaf; 2] {
        [0, 1].map(|side| Leaf { first: self.first[side], count: 1 + (self.pair >> (16 + side) & 1) })
    }

    /// Returns the mask of the triangle pairs that may be the closest, by lane.
    pub fn lanes(&self) -> u32 {
        self.pair >> 24 & 15
    }
}

/// The progress of one query: the smallest distance of two trees.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Search {
    /// Bits of an upper bound of the distance.
    pub limit: u32,
    /// The limit one round before.
    pub last: u32,
    /// Number of items that a round may open.
    pub share: u32,
    /// The bin of items that is only partly opened in this round.
    pub bin: u32,
    /// Number of items of this bin that are opened.
    pub partial: u32,
    /// Number of items of this bin that have been found.
    pub taken: u32,
}

/// Buffer capacities and limits for the kernels.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct NearSettings {
    /// Capacity of each half of the items.
    pub capacity: u32,
    /// Places kept free for a depth-first search of the deepest pair.
    pub reserve: u32,
    /// Capacity of the buffer of leaf pairs.
    pub leaves: u32,
    /// Capacity of the buffer of records.
    pub records: u32,
    /// Largest number of items that one round opens.
    pub round: u32,
    /// Number of queries.
    pub queries: u32,
    /// Zero at run time, unknown to the shader compiler.
    pub zero: u32,
}

/// State and counters of a batch, read back by the CPU.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Progress {
    /// Number of waiting items.
    pub waiting: u32,
    /// The half of the items that holds them.
    pub half: u32,
    /// Number of items for the next round.
    pub next: u32,
    /// Number of items opened in this round.
    pub opened: u32,
    /// Number of items that this round may open.
    pub allowance: u32,
    /// 1 if the deepest items of all queries are opened, for lack of room; otherwise 0.
    pub crowded: u32,
    /// Number of queries with items.
    pub busy: u32,
    /// The same, counted for the next round.
    pub still_busy: u32,
    /// Number of leaf pairs of this round.
    pub leaves: u32,
    /// Number of records.
    pub records: u32,
    /// 1 once the first round has begun.
    pub begun: u32,
    /// Number of rounds that had work.
    pub rounds: u32,
    /// Number of items opened.
    pub items: u32,
    /// Number of box pairs tested.
    pub box_tests: u32,
    /// Number of triangle pairs tested.
    pub triangle_tests: u32,
}

/// Number of bins by which the items of a query are ranked.
pub const BINS: usize = 256;
