//! The pairs that a run is deciding, so that pairs which end the process (for want of memory, or by a fault)
//! are found when the run is resumed.
//!
//! A run notes the pairs that it decides together before it begins with them. If it ends without a word, one
//! of them may be to blame: the next run decides them in smaller groups, and at last one by one. A kill from
//! outside can hit any pair, so one that was alone is given up only the third time: of three thousand
//! kills at random moments, two hit the same pair.

use std::ops::Range;

use serde::{Deserialize, Serialize};

/// Number of suspects that are decided together: more are cut into groups of so many, and so many are decided
/// one by one.
const GROUP: u64 = 64;

/// Number of times that a pair may be what the process was at, alone, when it ended.
const PATIENCE: u32 = 3;

/// The pairs that a run is deciding, by their places in the order of ids.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    /// The first of them, and the first one after them. Both are the same if the run is at nothing.
    pub from: u64,
    pub to: u64,
    /// The number of earlier processes that ended at the only one of them.
    pub failed: u32,
    /// The pairs that are not tried again, in ascending order.
    pub crashed: Vec<u64>,
}

impl Attempt {
    /// Reads what a file says; nothing if that cannot be.
    pub fn read(bytes: &[u8]) -> Self {
        let found = postcard::from_bytes(bytes).ok();
        found.filter(|found: &Self| found.from <= found.to && found.failed < PATIENCE).unwrap_or_default()
    }

    /// Returns what is known when a run is resumed that was at this and did not say how it ended.
    pub fn resumed(mut self) -> Self {
        if self.to == self.from + 1 {
            self.failed += 1;
            if self.failed == PATIENCE {
                self.crashed.push(self.from);
                self.crashed.sort_unstable();
                return self.at(0..0);
            }
        }
        self
    }

    /// Returns the number of pairs from a place on that may be decided together, if there are suspects.
    pub fn together(&self, place: u64) -> Option<u64> {
        let suspects = self.to - self.from;
        match place {
            _ if place >= self.to => None,
            _ if place < self.from => Some(self.from - place),
            _ if suspects > GROUP => Some(GROUP.min(self.to - place)),
            _ => Some(1),
        }
    }

    /// Returns what to note of a run that continues with these pairs; nothing else is known of others.
    pub fn at(&self, places: Range<u64>) -> Self {
        let is_same = places == (self.from..self.to);
        let failed = if is_same { self.failed } else { 0 };
        Self { from: places.start, to: places.end, failed, crashed: self.crashed.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Decides pairs, one of which ends the process, until a run ends by itself. Returns the number of
    /// runs, and the pairs given up.
    fn runs(all: u64, fatal: u64) -> (u32, Vec<u64>) {
        let mut noted = Attempt::default();
        for run in 1.. {
            let known = noted.clone().resumed();
            let mut place = 0;
            let end = loop {
                if place == all {
                    break None;
                }
                let most = known.together(place).unwrap_or(4096).min(all - place);
                let group = place..place + most;
                noted = known.at(group.clone());
                if group.contains(&fatal) && !known.crashed.contains(&fatal) {
                    break Some(());
                }
                place += most;
            };
            if end.is_none() {
                return (run, known.crashed);
            }
        }
        unreachable!("there is no last run")
    }

    #[test]
    fn a_pair_that_ends_the_process_is_found() {
        for (all, fatal) in [(1, 0), (40, 39), (64, 0), (9000, 5000), (9000, 8999), (9000, 4096)] {
            let (count, crashed) = runs(all, fatal);
            assert_eq!(crashed, [fatal]);
            assert!(count <= 6, "{fatal} of {all}: {count}");
        }
    }

    /// A kill from outside at any moment blames nobody, and nor does the next one, even at the same pair.
    #[test]
    fn a_kill_blames_no_pair() {
        let resumed = Attempt::default().at(7..8).resumed();
        assert_eq!((resumed.together(7), &resumed.crashed[..]), (Some(1), &[][..]));
        assert!(resumed.at(8..9).resumed().crashed.is_empty());
        assert!(resumed.at(7..8).resumed().crashed.is_empty());
        assert_eq!(resumed.at(7..8).resumed().at(7..8).resumed().crashed, [7]);
        assert_eq!(Attempt::default().resumed(), Attempt::default());
    }
}
