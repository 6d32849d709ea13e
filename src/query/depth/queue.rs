//! The queue of the search, largest bound first.

use std::cmp::Ordering;

/// A set of points of a surface.
#[derive(Clone, Copy, Debug)]
pub enum PointSet {
    /// All points.
    Surface,
    /// The points of one triangle; true if the whole triangle lies inside.
    Triangle(u32, bool),
    /// The points of the patch at this place.
    Patch(u32),
}

/// An item with its bound.
#[derive(Clone, Copy, Debug)]
pub struct Queued {
    /// An upper bound of the depth of the item's points.
    pub at_most: f64,
    /// The order of insertion, to break ties.
    pub serial: u32,
    pub side: u8,
    pub item: PointSet,
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
