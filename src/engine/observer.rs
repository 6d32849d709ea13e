//! The interface through which a run reports its progress.

use closefit_geometry::ids::PartId;

/// A stage of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stage {
    /// Reading files.
    Reading,
    /// Finding the candidate pairs; in a sweep, in one stretch of time after another.
    Pairing,
    /// Building trees for the meshes of candidate pairs. Its items are steps, several for each triangle.
    Building,
    /// Deciding the candidate pairs, or the rows of a [`PoseBatch`](crate::PoseBatch).
    Deciding,
    /// Comparing what several kinds of trees find of the candidate pairs.
    CrossChecking,
    /// Finding the room that parts have, or the ways out of clashes.
    Moving,
    /// Measuring the distance between two parts over time.
    Tracing,
    /// Examining meshes for defects.
    Inspecting,
    /// Writing files.
    Writing,
}

impl Stage {
    /// Returns the stage in a word, as the other languages have it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Reading => "reading",
            Self::Pairing => "pairing",
            Self::Building => "building",
            Self::Deciding => "deciding",
            Self::CrossChecking => "cross-checking",
            Self::Moving => "moving",
            Self::Tracing => "tracing",
            Self::Inspecting => "inspecting",
            Self::Writing => "writing",
        }
    }
}

/// Follows a run and may stop it. By default no method does anything. All methods but [`Observer::begin`] may
/// be called from many threads at once and should return quickly.
pub trait Observer: Sync {
    /// A stage with `total` items begins; 0 if there is nothing to count.
    fn begin(&self, _stage: Stage, _total: u64) {}
    /// Items of the stage are done.
    fn advance_by(&self, _items: u64) {}
    /// An item of the stage is done.
    fn advance(&self) {
        self.advance_by(1);
    }
    /// The calling thread begins to decide a pair. It may begin another before it leaves this one.
    fn enter(&self, _pair: [PartId; 2]) {}
    /// The calling thread has decided the pair it entered last, which is an item of [`Stage::Deciding`].
    fn leave(&self, _pair: [PartId; 2]) {}
    /// A compute device is opened, by calling `open` once.
    fn opens_device(&self, open: &mut dyn FnMut()) {
        open();
    }
    /// The motion of some pair has so many cells that the run may take long, as the text says in one line.
    fn may_take_long(&self, _why: &str) {}
    /// Returns true if the run should stop.
    fn cancelled(&self) -> bool {
        false
    }
}

/// An observer that ignores the run and never stops it.
pub struct Unobserved;

impl Observer for Unobserved {}
