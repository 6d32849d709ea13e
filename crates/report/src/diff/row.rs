//! The rows of `diff.json`.

use serde::{Deserialize, Serialize};

use super::review::{ReviewRow, ReviewStatus};
use crate::document::Finding;
use crate::document::word::{self, Word};
use closefit::Verdict;

/// A pair that at least one of two reports lists.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DiffRow {
    /// The key of the pair: in the new report, if that has both parts, else in the old one.
    pub key: String,
    /// Its key in the old report, if that is another one, since a part was renamed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old_key: Option<String>,
    /// The name of the first part.
    pub a: String,
    /// The name of the second part.
    pub b: String,
    /// Its status: new, active, resolved, or why it cannot be determined.
    #[serde(with = "word")]
    pub status: Status,
    /// The direction in which an active one has changed.
    #[serde(with = "optional_change")]
    pub change: Option<Change>,
    /// The reason, such as `a moved`; empty for an active pair that has not changed.
    pub why: String,
    /// The finding of the old report.
    pub old: Option<FoundRow>,
    /// The finding of the new report.
    pub new: Option<FoundRow>,
    /// One place of it, in the new report or else in the old one.
    pub at: Option<[f64; 3]>,
    /// True if a person had called it resolved, and it is found all the same.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reopened: bool,
    /// The status that a person has given it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review: Option<ReviewRow>,
}

impl DiffRow {
    /// True if a person has approved it.
    pub fn is_approved(&self) -> bool {
        self.review.as_ref().is_some_and(|review| review.status == ReviewStatus::Approved)
    }

    /// Returns what is found of it, in the new report or else in the old one.
    pub fn found(&self) -> Option<&FoundRow> {
        self.new.as_ref().or(self.old.as_ref())
    }
}

/// A finding as one report has it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct FoundRow {
    /// The verdict.
    #[serde(with = "word")]
    pub verdict: Verdict,
    /// A bracket of the depth or, below zero, of the distance; `null` if they touch and it is not known.
    pub overlap: Option<[f64; 2]>,
}

impl FoundRow {
    pub(super) fn of(pair: &impl Finding) -> Self {
        Self { verdict: pair.verdict(), overlap: pair.overlap() }
    }
}

/// The fate of a pair from the old report to the new one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// Only the new report lists it.
    New,
    /// Both list it.
    Active,
    /// Only the old one lists it; the new run looked at it and found nothing.
    Resolved,
    /// A part of it is not in the new report.
    PartGone,
    /// The new run may not have looked at it.
    NotChecked,
    /// Only one of them lists it, and the settings alone explain that.
    SettingsChanged,
}

impl Word for Status {
    const WORDS: &[(Self, &str)] = &[
        (Self::New, "new"),
        (Self::Active, "active"),
        (Self::Resolved, "resolved"),
        (Self::PartGone, "part gone"),
        (Self::NotChecked, "not checked"),
        (Self::SettingsChanged, "settings changed"),
    ];
}

/// The direction in which a finding has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Change {
    /// A worse verdict, or deeper or nearer.
    Worse,
    /// Undecided now, or of a depth that is not known any more.
    Unknown,
    /// A milder verdict, or less deep or farther apart.
    Better,
}

impl Word for Change {
    const WORDS: &[(Self, &str)] =
        &[(Self::Worse, "worse"), (Self::Unknown, "unknown now"), (Self::Better, "better")];
}

/// A change as its word, or `null`.
mod optional_change {
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

    use super::{Change, Word};

    pub fn serialize<S: Serializer>(change: &Option<Change>, serializer: S) -> Result<S::Ok, S::Error> {
        change.map(Word::word).serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Change>, D::Error> {
        let word = Option::<String>::deserialize(deserializer)?;
        let known = |text: &String| Change::of_word(text).ok_or_else(|| D::Error::custom("no such change"));
        word.as_ref().map(known).transpose()
    }
}

/// The number of pairs of each status.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CountsRow {
    /// Pairs that only the new report lists.
    pub new: usize,
    /// New pairs that a person had called resolved.
    pub reopened: usize,
    /// Pairs that both list.
    pub active: usize,
    /// Active pairs that got worse.
    pub worse: usize,
    /// Active pairs about which less is known now; absent from JSON if there are none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unknown_now: usize,
    /// Active pairs that got better.
    pub better: usize,
    /// Pairs that the new run looked at and found nothing.
    pub resolved: usize,
    /// Pairs with a part that is gone.
    pub part_gone: usize,
    /// Pairs that the new run may not have looked at.
    pub not_checked: usize,
    /// Pairs that only one report lists because of its settings.
    pub settings_changed: usize,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl CountsRow {
    pub(super) fn of(rows: &[DiffRow]) -> Self {
        let count = |is: &dyn Fn(&DiffRow) -> bool| rows.iter().filter(|row| is(row)).count();
        let status = |status| count(&move |row| row.status == status);
        Self {
            new: status(Status::New),
            reopened: count(&|row| row.reopened),
            active: status(Status::Active),
            worse: count(&|row| row.change == Some(Change::Worse)),
            unknown_now: count(&|row| row.change == Some(Change::Unknown)),
            better: count(&|row| row.change == Some(Change::Better)),
            resolved: status(Status::Resolved),
            part_gone: status(Status::PartGone),
            not_checked: status(Status::NotChecked),
            settings_changed: status(Status::SettingsChanged),
        }
    }
}
