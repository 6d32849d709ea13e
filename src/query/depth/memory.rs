//! What a search works with: kept by each thread and used again, so that a warm one allocates next to nothing.

use std::cell::Cell;
use std::collections::BinaryHeap;

use hashbrown::HashSet;

use super::marks::Marks;
use super::part::PartMemory;
use super::patch::Patches;
use super::queue::Queued;
use super::surface::SurfaceMemory;

/// Buffers of a search, empty between searches.
#[derive(Default)]
pub struct Memory {
    pub parts: [PartMemory; 2],
    /// Contacts by surface triangle, for either side.
    pub contacts: [Vec<[u32; 2]>; 2],
    pub queue: BinaryHeap<Queued>,
    pub patches: Patches,
    pub surfaces: SurfaceMemory,
    pub near: [Marks; 2],
    /// Corners, by side, that have been looked at.
    pub seen: HashSet<(u8, u32)>,
}

thread_local! {
    /// Taken while in use: a thread that waits for others may begin another search meanwhile.
    static MEMORY: Cell<Option<Box<Memory>>> = const { Cell::new(None) };
}

impl Memory {
    /// This thread's buffers.
    pub fn take() -> Box<Self> {
        MEMORY.take().unwrap_or_default()
    }

    /// Gives them back.
    pub fn put(self: Box<Self>) {
        MEMORY.set(Some(self));
    }
}
