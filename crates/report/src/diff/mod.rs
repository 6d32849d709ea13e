//! The changes from one report to another: a pure function of the two, and of what people have said.
//!
//! Parts are matched first, also where an exporter has renamed them. A pair that is no longer listed counts
//! as resolved only if the new run looked at it as far as the old one did: a part that is gone, a pair that
//! may be excluded, or a smaller clearance resolves nothing.

mod change;
mod compare;
mod nearest;
mod parts;
mod review;
mod row;
mod rules;
mod settings;
mod sizes;

use serde::{Deserialize, Serialize};

use crate::document::word::{self, Word};
use crate::document::{CheckReport, Command, Document, Finding, Report};
use closefit::Verdict;
use closefit_geometry::units::Unit;
use compare::Comparison;
pub use parts::{RecognisedBy, RenamedRow};
pub use review::{Review, ReviewError, ReviewRow, ReviewStatus};
pub use row::{Change, CountsRow, DiffRow, FoundRow, Status};
use settings::Limits;
pub use settings::SettingRow;

/// The `diff.json` of two reports.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Diff {
    /// The version of the format, 1.
    #[serde(rename = "closefit-diff")]
    pub format: u32,
    /// The command of both reports.
    #[serde(with = "word")]
    pub command: Command,
    /// The unit of all lengths.
    pub unit: Option<Unit>,
    /// The digest of the old scene.
    pub old: String,
    /// The digest of the new scene.
    pub new: String,
    /// The settings that differ.
    pub settings: Vec<SettingRow>,
    /// The parts that have other keys.
    pub renamed: Vec<RenamedRow>,
    /// The keys of the old parts that the new report does not have.
    pub gone: Vec<String>,
    /// The keys of the new parts that the old report does not have.
    pub added: Vec<String>,
    /// The number of keys of the review that no pair and no group has.
    pub unused_reviews: usize,
    /// The number of pairs of each status.
    pub counts: CountsRow,
    /// All pairs, those that need a look first.
    pub pairs: Vec<DiffRow>,
}

/// The reason why two reports cannot be compared.
#[derive(Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DiffError {
    /// They are not of the same command, or not of one that lists pairs.
    #[error("one is of {old}, the other of {new}: two reports of check, or two of sweep, can be compared")]
    Commands {
        /// The command of the old report.
        old: &'static str,
        /// The command of the new report.
        new: &'static str,
    },
    /// Their lengths are in different units.
    #[error("the unit is {old} in one and {new} in the other")]
    Units {
        /// The unit of the old report.
        old: &'static str,
        /// The unit of the new report.
        new: &'static str,
    },
    /// Only one of them lists a pair, and nothing that they say explains it.
    #[error(
        "internal: please report: only the {which} report lists the pair {key}, although parts and settings are equal"
    )]
    Unexplained {
        /// The key of the pair.
        key: String,
        /// The report: `old` or `new`.
        which: &'static str,
    },
}

/// The changes with which a comparison fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailOnDiff {
    /// New findings, and pairs that neither run has looked at. Contacts are no findings: parts that are added
    /// touch others.
    New,
    /// New findings, pairs that got worse, and pairs about which the new report knows less.
    Worse,
    /// Whatever is not as it was.
    Any,
    /// None.
    Never,
}

impl Diff {
    /// Compares two reports.
    ///
    /// # Errors
    /// [`DiffError`].
    pub fn of(old: &Document, new: &Document, review: &Review) -> Result<Self, DiffError> {
        match (old, new) {
            (Document::Check(old), Document::Check(new)) => Self::of_reports(old, new, review),
            (Document::Sweep(old), Document::Sweep(new)) => Self::of_reports(old, new, review),
            _ => Err(DiffError::Commands { old: command(old), new: command(new) }),
        }
    }

    /// Compares an older report with the report of a check.
    ///
    /// # Errors
    /// [`DiffError`].
    pub fn since(old: &Document, new: &CheckReport, review: &Review) -> Result<Self, DiffError> {
        match old {
            Document::Check(old) => Self::of_reports(old, new, review),
            _ => Err(DiffError::Commands { old: command(old), new: Command::Check.word() }),
        }
    }

    fn of_reports<S: Limits, P: Finding>(
        old: &Report<S, P>,
        new: &Report<S, P>,
        review: &Review,
    ) -> Result<Self, DiffError> {
        let units = [old, new].map(|report| report.scene.unit);
        if units[0] != units[1] {
            let [old, new] = units.map(|unit| unit.map_or("none", Unit::suffix));
            return Err(DiffError::Units { old, new });
        }
        let comparison = Comparison::of(old, new, review);
        let pairs = comparison.rows()?;
        let left = |report: &Report<S, P>, of: &[Option<usize>]| -> Vec<String> {
            let left = report.parts.iter().zip(of).filter(|(_, found)| found.is_none());
            left.map(|(part, _)| part.key.to_string()).collect()
        };
        let parts = &comparison.parts;
        let renamed = parts.renamed.iter().map(|&(p, q, by)| RenamedRow {
            old: old.parts[p].key.to_string(),
            new: new.parts[q].key.to_string(),
            by,
        });
        Ok(Self {
            format: 1,
            command: new.command,
            unit: new.scene.unit,
            old: old.scene.digest.to_hex().to_string(),
            new: new.scene.digest.to_hex().to_string(),
            renamed: renamed.collect(),
            gone: left(old, &parts.of_old),
            added: left(new, &parts.of_new),
            unused_reviews: review.unused(&[old, new]),
            counts: CountsRow::of(&pairs),
            settings: comparison.settings,
            pairs,
        })
    }

    /// Returns the rows with which the comparison fails.
    pub fn failing(&self, fail_on: FailOnDiff) -> impl Iterator<Item = &DiffRow> {
        self.pairs.iter().filter(move |row| row.fails(fail_on))
    }
}

/// Returns the word for the command of a document.
fn command(document: &Document) -> &'static str {
    match document {
        Document::Check(_) => Command::Check.word(),
        Document::Sweep(_) => Command::Sweep.word(),
        Document::Inspect(_) => Command::Inspect.word(),
    }
}

impl DiffRow {
    /// True if a comparison fails because of this pair.
    pub fn fails(&self, fail_on: FailOnDiff) -> bool {
        let is_finding = self.new.as_ref().is_some_and(|found| found.verdict != Verdict::Contact);
        let is_new = self.status == Status::New && is_finding && !self.is_approved();
        let is_worse = matches!(self.change, Some(Change::Worse | Change::Unknown));
        // The new run did not look at it.
        let is_unseen = self.status == Status::NotChecked && self.new.is_some();
        let was_found = self.old.is_some_and(|found| found.verdict != Verdict::Undecided);
        match fail_on {
            FailOnDiff::New => is_new || is_unseen && !was_found && !self.is_approved(),
            FailOnDiff::Worse => is_new || is_worse || is_unseen,
            FailOnDiff::Any => self.status != Status::Active || self.change.is_some(),
            FailOnDiff::Never => false,
        }
    }

    /// Returns the word for the pair's verdict.
    #[cfg(feature = "tables")]
    pub(crate) fn kind(&self) -> &'static str {
        self.found().map_or("none", |found| found.verdict.word())
    }
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod truth;
