//! Numbers of near pairs by part, counted without keeping the pairs.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};

use closefit_geometry::ids::PartId;

/// Numbers of near pairs.
#[derive(Debug)]
pub struct Counts {
    /// The number of pairs in which a part has the lower id, by part; it stops at `u32::MAX`.
    lower: Vec<AtomicU32>,
    is_in_pair: Vec<AtomicBool>,
}

impl Counts {
    /// No pairs of a number of parts.
    pub fn new(parts: usize) -> Self {
        let lower = (0..parts).map(|_| AtomicU32::new(0)).collect();
        Self { lower, is_in_pair: (0..parts).map(|_| AtomicBool::new(false)).collect() }
    }

    /// Counts a pair.
    pub(super) fn add(&self, (a, b): (PartId, PartId)) {
        let _ = self.lower[a.index()].fetch_update(Relaxed, Relaxed, |count| count.checked_add(1));
        self.is_in_pair[a.index()].store(true, Relaxed);
        self.is_in_pair[b.index()].store(true, Relaxed);
    }

    /// Adds other counts of the same parts.
    #[cfg(feature = "gpu")]
    pub(super) fn add_all(&self, other: Self) {
        let (lower, is_in_pair) = other.into_parts();
        for (part, (more, is_in_pair)) in lower.into_iter().zip(is_in_pair).enumerate() {
            let _ = self.lower[part].fetch_update(Relaxed, Relaxed, |count| Some(count.saturating_add(more)));
            self.is_in_pair[part].fetch_or(is_in_pair, Relaxed);
        }
    }

    /// Returns for each part the number of pairs in which it has the lower id, at most `u32::MAX`, and
    /// whether it is in a pair.
    pub fn into_parts(self) -> (Vec<u32>, Vec<bool>) {
        let lower = self.lower.into_iter().map(AtomicU32::into_inner).collect();
        (lower, self.is_in_pair.into_iter().map(AtomicBool::into_inner).collect())
    }
}
