//! Rows files: what a run has decided, kept while it lasts, so that it can be stopped and resumed, and shared
//! by machines.
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
mod rows;
mod settings;
mod shard;

use std::marker::PhantomData;
use std::ops::Range;
use std::path::PathBuf;

use closefit::{KnownPair, NoJournal, PairJournal, PairState, PartId, Verdict};

use attempt::Attempt;
pub use budget::Budget;
use format::{Entry, Header};
pub use known::KeptRecord;
use known::Known;
pub use lines::{KeptRows, MergedRows, RowAnswer};
pub use merge::{Merge, missing_in_words};
pub use plan::Plan;
pub use rows::{RowsFile, RowsOptions, Start};
pub(crate) use settings::{hash_of, of_check, of_check_rows, of_list, of_sweep};
pub use shard::{Items, Shard};

use crate::error::JobError;
pub use closefit_report::document::{BUDGET, CRASHED, SHARD_MISSING};

/// Decides the pairs of a run by `decide`, all of them or those that its rows file does not know.
///
/// # Errors
/// That of `decide`, or [`JobError::File`] for the rows file.
pub(crate) fn decided<R: KeptRecord, T>(
    rows: Option<&RowsFile>,
    settings: impl FnOnce() -> Vec<(String, String)>,
    decide: impl FnOnce(&dyn PairJournal<R>) -> Result<T, JobError>,
) -> Result<T, JobError> {
    let Some(rows) = rows else { return decide(&NoJournal) };
    let kept = KeptPairs::of(rows, settings())?;
    decide(&kept).map_err(|error| rows.failure().unwrap_or(error))
}

/// The file of an earlier run: its path, its header, and the number of its bytes that are whole.
type Earlier = (PathBuf, Header, u64);

/// Returns the error of files whose records cannot be read, or do not agree.
fn unreadable(files: &[Earlier], why: String) -> JobError {
    let paths = files.iter().map(|(path, ..)| path.display().to_string());
    JobError::File { file: paths.collect::<Vec<_>>().join(", "), why }
}

/// The rows of a run as the journal of its pairs.
struct KeptPairs<'a, R> {
    rows: &'a RowsFile,
    settings: Vec<(String, String)>,
    /// The files of known pairs.
    earlier: Vec<Earlier>,
    known: Known,
    /// The pairs that the run was at when it ended, and those that are not tried again.
    attempt: Attempt,
    records: PhantomData<fn() -> R>,
}

impl<'a, R: KeptRecord> KeptPairs<'a, R> {
    /// Reads what is known, for a run with these settings.
    ///
    /// # Errors
    /// [`JobError::File`] if the records cannot be read.
    fn of(rows: &'a RowsFile, settings: Vec<(String, String)>) -> Result<Self, JobError> {
        let (mut earlier, mut files, mut attempt) = (Vec::new(), Vec::new(), Attempt::default());
        for (path, contents) in rows.take_earlier() {
            earlier.push((path, contents.header, contents.whole));
            files.push(contents.entries);
            let crashed = [attempt.crashed, contents.attempt.crashed.clone()].concat();
            attempt = Attempt { crashed, ..contents.attempt };
        }
        attempt.crashed.sort_unstable();
        let attempt = if rows.is_merge() { attempt.at(0..0) } else { attempt.resumed() };
        let known = Known::read(files).map_err(|why| unreadable(&earlier, why))?;
        Ok(Self { rows, settings, earlier, known, attempt, records: PhantomData })
    }

    /// Compares the files of known pairs with the run, and begins to keep its rows.
    fn join(&self, count: u64) -> Result<(), JobError> {
        let (settings, shard) = (self.settings.clone(), self.rows.shard());
        let header = Header { settings, items: Items::NearPairs, count, shard };
        for (file, found, _) in &self.earlier {
            // A merge takes those of any shards.
            let shard = if self.is_merge() { found.shard } else { header.shard };
            (Header { shard, ..header.clone() }).refuse_other(file, found)?;
        }
        let whole = if self.is_merge() { 0 } else { self.earlier.first().map_or(0, |&(_, _, whole)| whole) };
        self.rows.begin(&header, (self.known.len(), &self.attempt.crashed), whole)
    }

    fn is_merge(&self) -> bool {
        self.rows.is_merge()
    }

    /// True for the place of a pair that ends the process.
    fn has_crashed(&self, at: u64) -> bool {
        self.attempt.crashed.binary_search(&at).is_ok()
    }
}

impl<R: KeptRecord> PairJournal<R> for KeptPairs<'_, R> {
    fn begin(&self, near: u64) {
        if let Err(error) = self.join(near) {
            self.rows.fail(error);
        }
    }

    fn is_selective(&self) -> bool {
        let (rows, crashed) = (self.rows, &self.attempt.crashed);
        let is_known = self.known.len() > 0 || !crashed.is_empty();
        is_known || rows.shard().is_some() || rows.budget().is_some() || rows.missing().is_some()
    }

    fn state(&self, at: u64, pair: [PartId; 2]) -> PairState {
        let rows = self.rows;
        let near = rows.count();
        if rows.shard().is_some_and(|shard| !shard.has(at, near)) {
            return PairState::OtherShard;
        }
        let is_spent = || match rows.budget() {
            Some(Budget::Pairs(most)) => {
                let before = rows.shard().map_or(at, |shard| shard.before(at, near));
                before.saturating_sub(self.known.before(pair)) >= most
            }
            Some(Budget::Time(_)) => rows.is_late(),
            None => false,
        };
        match self.known.has(pair) || self.has_crashed(at) || rows.missing().is_some() || is_spent() {
            true => PairState::Known,
            false => PairState::Pending,
        }
    }

    fn known(&self, at: u64, pair: [PartId; 2]) -> KnownPair<R> {
        let why = if self.has_crashed(at) { CRASHED } else { self.rows.missing().unwrap_or(BUDGET) };
        let known = self.known.get(pair).unwrap_or_else(|why| {
            self.rows.fail(unreadable(&self.earlier, why.to_owned()));
            None
        });
        known.unwrap_or(KnownPair::Undecided(why))
    }

    fn together(&self, at: u64) -> Option<u64> {
        self.attempt.together(at)
    }

    fn begins(&self, places: Range<u64>) {
        self.rows.note(&self.attempt.at(places));
    }

    fn ended(&self) -> Option<&'static str> {
        self.rows.is_late().then_some(BUDGET)
    }

    fn decided(&self, record: &R) {
        let listed = Some(record).filter(|record| record.verdict() != Verdict::Clear);
        Entry::with_bytes(record.ids(), listed, |bytes| self.rows.keep(bytes));
    }

    fn stopped(&self) -> bool {
        self.rows.is_closed()
    }
}
