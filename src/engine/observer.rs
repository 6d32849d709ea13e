//! How a run tells what it is doing.

use crate::ids::PartId;

/// What a run is at, and what it counts meanwhile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Reading files.
    Reading,
    /// Looking for pairs of parts that are near each other: for parts that move, in stretches of time.
    Pairing,
    /// Building trees for the meshes of those pairs.
    Building,
    /// Deciding the pairs.
    Deciding,
    /// Measuring the distance of two parts over time.
    Tracing,
    /// Examining what is wrong with meshes.
    Inspecting,
}

/// Follows a run and may stop it. Every method does nothing unless it is written; all but [`Observer::begin`] may be
/// called from many threads at once, and should return quickly.
pub trait Observer: Sync {
    /// A stage begins, of which `total` items are to be done; 0 where there is nothing to count.
    fn begin(&self, _stage: Stage, _total: u64) {}
    /// One more item of the stage is done.
    fn advance(&self) {}
    /// The calling thread begins to decide a pair. It may turn to another pair before it is done.
    fn enter(&self, _pair: [PartId; 2]) {}
    /// The calling thread has decided the pair that it entered last: an item of [`Stage::Deciding`].
    fn leave(&self, _pair: [PartId; 2]) {}
    /// True once the run should stop.
    fn cancelled(&self) -> bool {
        false
    }
}

/// An observer that neither reports nor stops.
pub struct Unobserved;

impl Observer for Unobserved {}
