//! What is left to look at, the largest bound first.

use std::cmp::Ordering;

/// Some of a surface's points.
#[derive(Clone, Copy, Debug)]
pub enum Item {
    /// All.
    Surface,
    /// Those of one triangle; true if it lies inside as a whole.
    Triangle(u32, bool),
    /// Those of a patch, by its place.
    Patch(u32),
}

/// An item with its bound.
#[derive(Clone, Copy, Debug)]
pub struct Queued {
    /// Nothing of it inside lies deeper.
    pub at_most: f64,
    /// Age, to break ties.
    pub serial: u32,
    pub side: u8,
    pub item: Item,
}

impl Ord for Queued {
    fn cmp(&self, other: &Self) -> Ordering {
        self.at_most.total_cmp(&other.at_most).then(other.serial.cmp(&self.serial))
    }
}

impl PartialOrd for Queued {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Queued {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Queued {}
