//! Columns that the CPU and the kernels share; `shaders/shared/columns.wgsl` has the same structs, and
//! `tests/gpu` compares them.

use bytemuck::{Pod, Zeroable};

use crate::hierarchy::obb8::search::Leaf;

/// Words of a block on the device.
pub const BLOCK_WORDS: usize = 112;

/// Of an item's block: it is the guest's.
pub const GUEST_BIT: u32 = 1 << 31;

/// Two trees. The home tree is the larger one; its normal coordinates are those of the pair. The guest is placed in
/// them.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Pair {
    /// Rows of the guest's linear part, in fixed point, times `2^exponent`.
    pub turn: [[u32; 2]; 9],
    /// Where the guest's origin is, in fixed point.
    pub shift: [[u32; 2]; 3],
    /// The rotation, by columns.
    pub rotation: [f32; 9],
    /// A guest's length of 1 in home units.
    pub ratio: f32,
    /// The reverse.
    pub inverse_ratio: f32,
    /// How far vertices may be from their places, in home units and in the guest's.
    pub margin: [f32; 2],
    /// The same for corners of triangles, in steps of the fixed point.
    pub blur: f32,
    /// See `turn`.
    pub exponent: u32,
    /// Where the blocks of both are in their arenas, in words.
    pub blocks: [u32; 2],
    /// Where the corners are.
    pub corners: [u32; 2],
    /// Where the vertices are.
    pub vertices: [u32; 2],
    /// 1 if one contact is enough.
    pub any: u32,
    /// Zeros.
    pub padding: [u32; 2],
}

/// The eight boxes of a block, to be tested against a box of the other tree.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct BoxItem {
    /// Which pair.
    pub pair: u32,
    /// The block; with [`GUEST_BIT`], of the guest.
    pub block: u32,
    /// The box: eight times its block, plus its lane.
    pub other: u32,
    /// Zero.
    pub unused: u32,
}

/// A leaf of each tree.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct LeafItem {
    /// Which pair.
    pub pair: u32,
    /// The first triangle of each leaf, by its place in the tree.
    pub first: [u32; 2],
    /// Bit 0 is set where the home tree's leaf has two triangles, bit 1 where the guest's has.
    pub two: u32,
}

/// A leaf pair with triangles that meet, or may.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Record {
    /// Which pair.
    pub pair: u32,
    /// As in [`LeafItem`].
    pub first: [u32; 2],
    /// Bits 0 and 1: as [`LeafItem::two`]; 8 to 11: meets; 12 to 15: unsure.
    pub found: u32,
}

impl Record {
    /// The leaves.
    pub fn leaves(&self) -> [Leaf; 2] {
        [0, 1].map(|side| Leaf { first: self.first[side], count: 1 + (self.found >> side & 1) })
    }

    /// The pairs of triangles that meet, by lane.
    pub fn meets(&self) -> u32 {
        self.found >> 8 & 15
    }

    /// The pairs of triangles of which nothing is proven, by lane.
    pub fn unsure(&self) -> u32 {
        self.found >> 12 & 15
    }
}

/// What the kernels have room for.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Settings {
    /// Items on the stack.
    pub stack: u32,
    /// Of these, kept free for a depth-first search of the deepest pair.
    pub reserve: u32,
    /// Leaf pairs.
    pub leaves: u32,
    /// Records.
    pub records: u32,
    /// Most items of a round.
    pub round: u32,
    /// Zero, which no compiler knows.
    pub zero: u32,
}

/// Most segments of the stack, and so the largest depth of two trees together.
pub const SEGMENTS: usize = 512;

/// The counts of the queue, which the CPU reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Counts {
    /// Where the items begin that a round opens.
    pub slice_begin: u32,
    /// How many.
    pub slice: u32,
    /// Where their survivors go.
    pub fresh_begin: u32,
    /// How many there are.
    pub fresh: u32,
    /// Leaf pairs that wait.
    pub leaves: u32,
    /// Leaf pairs that a round tests.
    pub drain: u32,
    /// Records.
    pub records: u32,
    /// Segments of the stack.
    pub segments: u32,
    /// Rounds that had something to do.
    pub rounds: u32,
    /// Items opened.
    pub items: u32,
    /// Pairs of boxes tested.
    pub box_tests: u32,
    /// Pairs of triangles tested.
    pub triangle_tests: u32,
}

/// The queue.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Queue {
    /// The counts.
    pub counts: Counts,
    /// Where the segments begin.
    pub begins: [u32; SEGMENTS],
    /// Where they end.
    pub ends: [u32; SEGMENTS],
}
