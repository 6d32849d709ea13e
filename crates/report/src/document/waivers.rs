//! Waivers in a report: which findings are accepted, and which waivers no longer hold.

use serde::{Deserialize, Serialize};

use super::rarely::Usual;
use super::word::{self, Word};
use super::{CheckReport, DepthRow, Finding, PairRow, PartRow};
use closefit::Verdict;

/// A waiver of the rules file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WaiverRow {
    /// The reason.
    pub reason: String,
    /// The largest depth that it accepts.
    pub up_to: f64,
    /// The number of listed pairs that it is about.
    pub pairs: u64,
    /// The pairs among them that are accepted by it, and by no waiver before it.
    pub accepted: u64,
    /// The pairs among them that no waiver accepts, if this is the most generous one.
    pub stale: u64,
}

/// The outcome of waivers for a pair, and of the largest volume that its rule allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// It is proven to be no deeper than the waiver allows, or to share no more volume than its rule does.
    Accepted,
    /// That is not proven, or a pinned part has changed.
    Stale,
}

impl Word for Status {
    const WORDS: &[(Self, &str)] = &[(Self::Accepted, "accepted"), (Self::Stale, "waiver stale")];
}

/// The status of a pair; absent from JSON if no waiver is about it and its rule does not accept it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StatusOfPair {
    /// The status.
    #[serde(default, with = "word::optional", skip_serializing_if = "Option::is_none")]
    pub status: Option<Status>,
    /// The reason why the waiver is stale.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status_cause: Option<Box<str>>,
}

impl Usual for StatusOfPair {
    const USUAL: &'static Self = &Self { status: None, status_cause: None };
}

impl StatusOfPair {
    /// The status of an accepted pair.
    pub fn accepted() -> Self {
        Self { status: Some(Status::Accepted), status_cause: None }
    }

    /// The status of a pair whose waiver is stale.
    pub fn stale(cause: &str) -> Self {
        Self { status: Some(Status::Stale), status_cause: Some(cause.into()) }
    }
}

impl PairRow {
    /// Returns whether the row proves that the parts overlap by no more than a depth: `None` if it proves
    /// neither side.
    pub fn is_within(&self, depth: f64) -> Option<bool> {
        match (self.verdict, self.depth) {
            (Verdict::Clearance | Verdict::Clear, _) => Some(true),
            (Verdict::Contact, None) if self.contacts == 0 => Some(true),
            (_, Some(DepthRow { at_least, .. })) if at_least > depth => Some(false),
            (_, Some(DepthRow { at_most, .. })) if at_most <= depth && self.doubt().is_none() => Some(true),
            _ => None,
        }
    }
}

impl PartRow {
    /// Returns the text that pins the part in a waiver: it changes when its mesh or its place does.
    pub fn pin(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        hasher.update(self.mesh_digest.as_bytes()).update(self.pose_digest.as_bytes());
        hasher.finalize().to_hex().to_string()
    }
}

impl CheckReport {
    /// Returns the number of pairs with a status.
    pub fn count(&self, status: Status) -> usize {
        self.pairs.iter().filter(|pair| pair.status.status == Some(status)).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    #[test]
    fn a_row_proves_one_side_of_a_depth_or_neither() {
        let (scene, result) = testing::run();
        let [clash, clearance, undecided] = CheckReport::new(&scene, result).pairs.try_into().unwrap();
        let sides = [0.1, 0.1205, 0.1212].map(|depth| clash.is_within(depth));
        assert_eq!(sides, [Some(false), None, Some(true)]);
        assert_eq!(clearance.is_within(0.0), Some(true), "parts that keep apart");
        assert_eq!(undecided.is_within(1e9), None, "an undecided pair has no bound");
        let open = PairRow { depth_unknown: Some("open".into()), ..clash.clone() };
        assert_eq!([0.1, 1.0].map(|depth| open.is_within(depth)), [Some(false), None]);
        let crossing = PairRow { crossing: true, ..clash.clone() };
        assert_eq!(crossing.is_within(1.0), None);
        let touching = PairRow { verdict: Verdict::Contact, depth: None, ..clash };
        assert_eq!(touching.is_within(0.0), None, "surfaces that touch may cross");
        assert_eq!(PairRow { contacts: 0, ..touching }.is_within(0.0), Some(true));
    }
}
