//! Data structures shared by the CPU and the kernels. `shaders/shared/columns.wgsl` declares the same
//! structs; `tests/gpu` compares them.

use bytemuck::{Pod, Zeroable};

use crate::bvh::wide_obb::search::Leaf;

/// Number of words in a block on the device.
pub const BLOCK_WORDS: usize = 112;

/// Flag in [`BoxItem::block`]: the block belongs to the guest.
pub const GUEST_BIT: u32 = 1 << 31;

/// Flag in the answer about a pair over a stretch of time: something is left to test.
pub const UNFINISHED: u32 = 1 << 31;

/// Marks an empty record, and a group without a question.
pub const NO_PAIR: u32 = u32::MAX;

/// A pair of trees. The home tree is the larger one, and the pair uses its normal coordinates. The guest is
/// placed in them.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Pair {
    /// Rows of the guest's linear part times `2^exponent`, in fixed point.
    pub turn: [[u32; 2]; 9],
    /// Position of the guest's origin, in fixed point.
    pub shift: [[u32; 2]; 3],
    /// Centres of the normal coordinates of home and guest, in fixed point modulo `2^64`.
    pub centers: [[[u32; 2]; 3]; 2],
    /// Poses of home and guest: rows of four doubles.
    pub poses: [[[u32; 2]; 12]; 2],
    /// Rotation of the guest, by columns.
    pub rotation: [f32; 9],
    /// Home units per guest unit.
    pub ratio: f32,
    /// Guest units per home unit.
    pub inverse_ratio: f32,
    /// Bound of the error of a vertex position, in home units and in guest units.
    pub margin: [f32; 2],
    /// Bound of the error of a triangle corner, in steps of the fixed point.
    pub blur: f32,
    /// Exponent of the scaling of `turn`.
    pub exponent: u32,
    /// Exponents of two that bring the vertices of home and guest into fixed point.
    pub scalings: [i32; 2],
    /// Offsets of the blocks of home and guest in their arenas, in words.
    pub blocks: [u32; 2],
    /// Offsets of the corners, in words.
    pub corners: [u32; 2],
    /// Offsets of the vertices, in words.
    pub vertices: [u32; 2],
    /// 1 if the search may stop at the first contact, otherwise 0.
    pub any: u32,
    /// Index of the search for a distance that the pair is a part of.
    pub query: u32,
    /// Zero at run time, unknown to the shader compiler.
    pub zero: u32,
}

/// A queue item: the eight boxes of a block, to be tested against one box of the other tree.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct BoxItem {
    /// Index of the pair.
    pub pair: u32,
    /// Index of the block, with [`GUEST_BIT`] if it is the guest's.
    pub block: u32,
    /// The other box: eight times the index of its block, plus its lane.
    pub other: u32,
}

/// A pair of leaves, one of each tree.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct LeafItem {
    /// Index of the pair.
    pub pair: u32,
    /// Index of the first triangle of each leaf, counted within its piece.
    pub first: [u32; 2],
    /// Bit 0: the home leaf has two triangles. Bit 1: the guest leaf has two triangles.
    pub two: u32,
}

/// A leaf pair with at least one triangle pair that is in contact or undecided.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Record {
    /// Index of the pair, or [`NO_PAIR`].
    pub pair: u32,
    /// The same as [`LeafItem::first`].
    pub first: [u32; 2],
    /// Bits 0 and 1: as [`LeafItem::two`]. Bits 8 to 11: lanes in contact. Bits 12 to 15: undecided lanes.
    pub found: u32,
}

impl Record {
    /// Returns the two leaves, home first.
    pub fn leaves(&self) -> [Leaf; 2] {
        [0, 1].map(|side| Leaf { first: self.first[side], count: 1 + (self.found >> side & 1) })
    }

    /// Returns the mask of the triangle pairs that are in contact, by lane.
    pub fn meets(&self) -> u32 {
        self.found >> 8 & 15
    }

    /// Returns the mask of the undecided triangle pairs, by lane.
    pub fn unsure(&self) -> u32 {
        self.found >> 12 & 15
    }
}

/// The beginning of a group's search. `shaders/shared/groups.wgsl` declares the same struct.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Root {
    /// An item: [`BoxItem::block`] and [`BoxItem::other`]. Or a leaf pair: the words of both leaves, home
    /// first.
    pub words: [u32; 2],
    /// 1 for a leaf pair, otherwise 0.
    pub are_leaves: u32,
}

/// Limits of groups. `shaders/shared/group_settings.wgsl` declares the same struct.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct GroupSettings {
    /// Number of questions.
    pub questions: u32,
    /// Largest number of steps of a group in a launch.
    pub steps: u32,
    /// Room of a team for items.
    pub stack: u32,
    /// Room of a team for leaf pairs.
    pub leaves: u32,
    /// Items kept free for a depth-first search of the deepest pair.
    pub reserve: u32,
    /// Capacity of the buffer of records, if contacts are searched.
    pub records: u32,
    /// Zero at run time, unknown to the shader compiler.
    pub zero: u32,
}

/// Buffer capacities and limits for the kernels.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Settings {
    /// Capacity of the stack, in items.
    pub stack: u32,
    /// Stack items kept free for a depth-first search of the deepest pair.
    pub reserve: u32,
    /// Capacity of the buffer of leaf pairs.
    pub leaves: u32,
    /// Capacity of the buffer of records.
    pub records: u32,
    /// Largest number of items that one round opens.
    pub round: u32,
    /// Zero at run time, unknown to the shader compiler.
    pub zero: u32,
}

/// Largest number of stack segments, and so the largest total depth of two trees.
pub const SEGMENTS: usize = 512;

/// State and counters of the queue, read back by the CPU.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Counts {
    /// Index of the first item that this round opens.
    pub slice_begin: u32,
    /// Number of items that this round opens.
    pub slice: u32,
    /// Index at which the survivors are written.
    pub fresh_begin: u32,
    /// Number of survivors.
    pub fresh: u32,
    /// Number of waiting leaf pairs.
    pub leaves: u32,
    /// Number of leaf pairs that this round tests.
    pub drain: u32,
    /// Number of records.
    pub records: u32,
    /// Number of stack segments.
    pub segments: u32,
    /// Number of rounds that had work.
    pub rounds: u32,
    /// Number of items opened.
    pub items: u32,
    /// Number of box pairs tested.
    pub box_tests: u32,
    /// Number of triangle pairs tested.
    pub triangle_tests: u32,
    /// Number of undecided triangle pairs tested again at their posed corners.
    pub posed_tests: u32,
    /// The next question that a group takes.
    pub next: u32,
    /// Number of questions that groups have answered.
    pub finished: u32,
    /// Number of steps in which groups opened boxes.
    pub box_steps: u32,
    /// Number of steps in which groups tested leaf pairs.
    pub leaf_steps: u32,
}

/// The queue: counts and stack segments.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Queue {
    /// State and counters.
    pub counts: Counts,
    /// Start of each segment.
    pub begins: [u32; SEGMENTS],
    /// End of each segment.
    pub ends: [u32; SEGMENTS],
}
