//! Data structures shared by the CPU and the kernels of the sweep. `shaders/shared/sweep.wgsl` declares the
//! same structs; `tests/gpu` compares them.

use bytemuck::{Pod, Zeroable};

/// Number of tests by one thread.
pub const CHUNK: u32 = 32;

/// A box in a strip: its ends as integers in their order, the axis to sweep along first.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Ends {
    /// Lower ends.
    pub lo: [u32; 3],
    /// Twice the number of the strip, plus 1 if the box begins in it.
    pub strip: u32,
    /// Upper ends.
    pub hi: [u32; 3],
    /// The part.
    pub id: u32,
}

/// A record to be sorted: by strip, then by lower end.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Key {
    /// Number of the strip.
    pub strip: u32,
    /// Lower end of the box along the axis to sweep.
    pub lo: u32,
    /// Unused.
    pub zero: u32,
    /// Place of the box in its page before that is sorted.
    pub place: u32,
}

/// The boxes to be tested by some launches, and against which others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct SweepSettings {
    /// Index of the first box that sweeps.
    pub first: u32,
    /// Number of boxes that sweep.
    pub rows: u32,
    /// Number of boxes in the page over which they sweep.
    pub others: u32,
    /// 1 if that is their own page, otherwise 0.
    pub own: u32,
    /// First of the lower ids of the pairs that are wanted.
    pub lower_begin: u32,
    /// End of the lower ids of the pairs that are wanted.
    pub lower_end: u32,
    /// Capacity of the buffer of pairs.
    pub pairs: u32,
    /// Largest number of chunks that one round tests.
    pub round: u32,
}

/// State and counts of a sweep, read back by the CPU.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Sweep {
    /// Number of chunks, of at most [`CHUNK`] tests each.
    pub chunks: u32,
    /// Index of the first chunk of this round.
    pub begin: u32,
    /// Number of chunks of this round.
    pub slice: u32,
    /// Number of pairs found.
    pub found: u32,
    /// Number of tests.
    pub tests: u32,
}
