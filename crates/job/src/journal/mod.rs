//! The journal of a run: its rows file, with what it has decided so far, so that it can be stopped and
//! resumed, and shared by machines.
//!
//! A rows file has the records of the engine, bit by bit. A resumed run and a merge take the way of any other
//! run, with some or all pairs known, so that rules, tables, exports and exit status need no second way, and
//! the report has the very bytes of an uninterrupted run.

mod attempt;
mod budget;
mod file;
mod format;
mod known;
mod lines;
mod merge;
mod plan;
mod run;
mod settings;
mod shard;

use std::marker::PhantomData;
use std::ops::Range;
use std::path::PathBuf;

use closefit::{KnownPair, NoJournal, PairJournal, PairState, PartId, Verdict};

use attempt::Attempt;
pub use budget::Budget;
use format::{Entry, Header, Place};
pub use known::JournalRecord;
use known::Known;
pub use lines::{MergedRows, RowAnswer, RowJournal};
pub use merge::{Merge, missing_in_words};
pub use plan::Plan;
pub use run::{Journal, JournalOptions, Start};
pub(crate) use settings::{hash_of, of_check, of_check_rows, of_list, of_sweep};
pub use shard::{Items, Shard};

use crate::error::JobError;
pub use closefit_report::document::{BUDGET, CRASHED, SHARD_MISSING};

/// Decides by `decide` the pairs of a run, all of them or those that its journal does not know.
///
/// # Errors
/// Whatever `decide` returns, or [`JobError::File`] for the rows file.
pub(crate) fn decided<R: JournalRecord, T>(
    journal: Option<&Journal>,
    settings: impl FnOnce() -> Vec<(String, String)>,
    decide: impl FnOnce(&dyn PairJournal<R>) -> Result<T, JobError>,
) -> Result<T, JobError> {
    let Some(journal) = journal else { return decide(&NoJournal) };
    let kept = JournaledPairs::of(journal, settings())?;
    let found = decide(&kept);
    // A run without candidate pairs ends before it asks whether its journal failed.
    journal.failure().map_or(found, Err)
}

/// The file of an earlier run: its path, its header, and the place up to which it is whole.
type Earlier = (PathBuf, Header, Place);

/// Returns the error of files whose records cannot be read, or do not agree.
fn unreadable(files: &[Earlier], why: String) -> JobError {
    let paths = files.iter().map(|(path, ..)| path.display().to_string());
    JobError::File { file: paths.collect::<Vec<_>>().join(", "), why }
}

/// Hands the pairs of a run to its journal, and takes known ones from there.
struct JournaledPairs<'a, R> {
    journal: &'a Journal,
    settings: Vec<(String, String)>,
    /// The files of known pairs.
    earlier: Vec<Earlier>,
    known: Known,
    /// The pairs in progress when the run ended, and those that are not tried again.
    attempt: Attempt,
    records: PhantomData<fn() -> R>,
}

impl<'a, R: JournalRecord> JournaledPairs<'a, R> {
    /// Reads what is known, for a run with these settings.
    ///
    /// # Errors
    /// [`JobError::File`] if the records cannot be read.
    fn of(journal: &'a Journal, settings: Vec<(String, String)>) -> Result<Self, JobError> {
        let (mut earlier, mut files, mut attempt) = (Vec::new(), Vec::new(), Attempt::default());
        for (path, contents) in journal.take_earlier() {
            earlier.push((path, contents.header, contents.whole));
            files.push(contents.entries);
            let crashed = [attempt.crashed, contents.attempt.crashed.clone()].concat();
            attempt = Attempt { crashed, ..contents.attempt };
        }
        attempt.crashed.sort_unstable();
        let attempt = if journal.is_merge() { attempt.at(0..0) } else { attempt.resumed() };
        let known = Known::read(files).map_err(|why| unreadable(&earlier, why))?;
        Ok(Self { journal, settings, earlier, known, attempt, records: PhantomData })
    }

    /// Compares the files of known pairs with the run, and begins its journal.
    fn join(&self, count: u64) -> Result<(), JobError> {
        let (settings, shard) = (self.settings.clone(), self.journal.shard());
        let header = Header { settings, items: Items::NearPairs, count, shard };
        for (file, found, _) in &self.earlier {
            // A merge takes the files of any shards.
            let shard = if self.is_merge() { found.shard } else { header.shard };
            (Header { shard, ..header.clone() }).refuse_other(file, found)?;
        }
        let earlier = self.earlier.first().filter(|_| !self.is_merge());
        let whole = earlier.map_or_else(Place::default, |&(_, _, whole)| whole);
        self.journal.begin(&header, (self.known.len(), &self.attempt.crashed), whole)
    }

    fn is_merge(&self) -> bool {
        self.journal.is_merge()
    }

    /// True for the place of a pair that ends the process.
    fn has_crashed(&self, at: u64) -> bool {
        self.attempt.crashed.binary_search(&at).is_ok()
    }
}

impl<R: JournalRecord> PairJournal<R> for JournaledPairs<'_, R> {
    fn begin(&self, near: u64) {
        if let Err(error) = self.join(near) {
            self.journal.fail(error);
        }
    }

    fn is_selective(&self) -> bool {
        let (journal, crashed) = (self.journal, &self.attempt.crashed);
        let is_known = self.known.len() > 0 || !crashed.is_empty();
        is_known || journal.shard().is_some() || journal.budget().is_some() || journal.missing().is_some()
    }

    fn state(&self, at: u64, pair: [PartId; 2]) -> PairState {
        let journal = self.journal;
        let near = journal.count();
        if journal.shard().is_some_and(|shard| !shard.has(at, near)) {
            return PairState::OtherShard;
        }
        let is_spent = || match journal.budget() {
            Some(Budget::Pairs(most)) => {
                let before = journal.shard().map_or(at, |shard| shard.before(at, near));
                before.saturating_sub(self.known.before(pair)) >= most
            }
            Some(Budget::Time(_)) => journal.is_late(),
            None => false,
        };
        match self.known.has(pair) || self.has_crashed(at) || journal.missing().is_some() || is_spent() {
            true => PairState::Known,
            false => PairState::Pending,
        }
    }

    fn known(&self, at: u64, pair: [PartId; 2]) -> KnownPair<R> {
        let why = if self.has_crashed(at) { CRASHED } else { self.journal.missing().unwrap_or(BUDGET) };
        let known = self.known.get(pair).unwrap_or_else(|why| {
            self.journal.fail(unreadable(&self.earlier, why.to_owned()));
            None
        });
        known.unwrap_or(KnownPair::Undecided(why))
    }

    fn together(&self, at: u64) -> Option<u64> {
        self.attempt.together(at)
    }

    fn begins(&self, places: Range<u64>) {
        self.journal.note(&self.attempt.at(places));
    }

    fn ended(&self) -> Option<&'static str> {
        self.journal.is_late().then_some(BUDGET)
    }

    fn decided(&self, record: &R) {
        let listed = Some(record).filter(|record| record.verdict() != Verdict::Clear);
        Entry::with_bytes(record.ids(), listed, |bytes| self.journal.keep(bytes));
    }

    fn stopped(&self) -> bool {
        self.journal.is_closed()
    }
}
