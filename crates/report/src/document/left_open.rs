//! Pairs that a run was to decide and never looked at.

use std::collections::BTreeMap;

use super::{ContainedRow, Finding, Report};

/// The reason of pairs that stay undecided because the budget is spent.
pub const BUDGET: &str = "budget";

/// The reason of pairs that stay undecided because their shard is missing.
pub const SHARD_MISSING: &str = "shard missing";

/// The reason of pairs that stay undecided because the process ended whenever it came to them.
pub const CRASHED: &str = "crashed here";

impl ContainedRow {
    /// Returns the reason why the run did not look at the pair, if it did not.
    pub(super) fn left_open(&self) -> Option<&'static str> {
        let Self::Unknown { undecidable } = self else { return None };
        [BUDGET, SHARD_MISSING, CRASHED].into_iter().find(|why| why == undecidable)
    }
}

impl<S, P: Finding> Report<S, P> {
    /// Returns the number of pairs that the run did not look at, by the reason.
    pub fn left_open(&self) -> BTreeMap<&'static str, u64> {
        let mut counts = BTreeMap::new();
        for why in self.pairs.iter().filter_map(Finding::left_open) {
            *counts.entry(why).or_default() += 1;
        }
        counts
    }
}
