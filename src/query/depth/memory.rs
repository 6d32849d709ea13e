//! Buffers of the search. Each thread keeps and reuses them, so that a warm search allocates next to nothing.

use std::cell::Cell;
use std::collections::BinaryHeap;

use hashbrown::HashSet;

use super::convex::ConvexMemory;
use super::marks::Marks;
use super::part::PartMemory;
use super::patch::Patches;
use super::queue::Queued;
use super::surface::SurfaceMemory;

/// Buffers of a search, empty between searches.
#[derive(Default)]
pub struct Memory {
    pub convex: ConvexMemory,
    pub parts: [PartMemory; 2],
    /// Contacts of each side, sorted by surface triangle.
    pub contacts: [Vec<[u32; 2]>; 2],
    /// Contacts with the triangles of each pair exchanged.
    pub swapped: Vec<[u32; 2]>,
    pub queue: BinaryHeap<Queued>,
    pub patches: Patches,
    pub surfaces: SurfaceMemory,
    /// Vertices behind the planes of the other part, with their depths below them.
    pub corners: Vec<(f64, u32)>,
    pub near: [Marks; 2],
    /// Corners, by side, that have been tried.
    pub seen: HashSet<(u8, u32)>,
}

thread_local! {
    /// Taken while in use: a thread that waits for others may begin another search meanwhile.
    static MEMORY: Cell<Option<Box<Memory>>> = const { Cell::new(None) };
}

impl Memory {
    /// Takes this thread's buffers, or new ones if they are in use.
    pub fn take() -> Box<Self> {
        MEMORY.take().unwrap_or_default()
    }

    /// Returns the buffers to this thread.
    pub fn put(self: Box<Self>) {
        MEMORY.set(Some(self));
    }
}
