//! Rows files: what a run has decided, kept while it lasts, so that it can be stopped and resumed, and shared
//! by machines.
//!
//! A rows file has the records of the engine, bit by bit. A resumed run and a merge take the way of any other
//! run, with some or all pairs known, so that rules, tables, exports and exit status need no second way, and
//! the report has the very bytes of an uninterrupted run.

mod budget;
mod file;
mod format;
mod known;
mod merge;
mod plan;
mod rows;
mod settings;
mod shard;

use std::marker::PhantomData;

use closefit::{PairSink, PartId, Settled, Task, Verdict};

pub use budget::Budget;
use format::{Entry, Header, encoded};
pub use known::KeptRecord;
use known::Known;
pub use merge::{Merge, missing_in_words};
pub use plan::Plan;
pub use rows::{RowsFile, RowsOptions, Start};
pub(crate) use settings::{of_check, of_sweep};
pub use shard::Shard;

use crate::error::JobError;

/// The reason of pairs that stay undecided because the budget is spent.
pub const BUDGET: &str = "budget";

/// The reason of pairs that stay undecided because their shard is missing.
pub const SHARD_MISSING: &str = "shard missing";

/// The rows of a run as the sink of its pairs.
pub(crate) struct KeptPairs<'a, R> {
    rows: &'a RowsFile,
    settings: Vec<(String, String)>,
    /// The headers of the files of known pairs, with the paths and the whole bytes of these files.
    earlier: Vec<(String, Header, u64)>,
    known: Known,
    records: PhantomData<fn() -> R>,
}

impl<'a, R: KeptRecord> KeptPairs<'a, R> {
    /// Reads what is known, for a run with these settings.
    ///
    /// # Errors
    /// [`JobError::File`] if the records cannot be read.
    pub fn of(rows: &'a RowsFile, settings: Vec<(String, String)>) -> Result<Self, JobError> {
        let (mut earlier, mut bytes) = (Vec::new(), Vec::new());
        let found = rows.take_earlier();
        let all = found.iter().map(|(path, _)| path.display().to_string()).collect::<Vec<_>>().join(", ");
        for (path, mut contents) in found {
            earlier.push((path.display().to_string(), contents.header, contents.whole as u64));
            bytes.append(&mut contents.entries);
        }
        let known = Known::read::<R>(bytes).map_err(|why| JobError::File { file: all, why })?;
        Ok(Self { rows, settings, earlier, known, records: PhantomData })
    }

    /// Compares the files of known pairs with the run, and begins to keep its rows.
    fn join(&self, near: u64) -> Result<(), JobError> {
        let header = Header { settings: self.settings.clone(), near, shard: self.rows.shard() };
        for (file, found, _) in &self.earlier {
            // A merge takes those of any shards.
            let shard = if self.is_merge() { found.shard } else { header.shard };
            if let Some(difference) = (Header { shard, ..header.clone() }).difference(found) {
                let why = format!("it is of another run: {difference}");
                return Err(JobError::File { file: file.clone(), why });
            }
        }
        let whole = if self.is_merge() { 0 } else { self.earlier.first().map_or(0, |&(_, _, whole)| whole) };
        self.rows.begin(&header, self.known.len(), whole)
    }

    fn is_merge(&self) -> bool {
        self.rows.is_merge()
    }
}

impl<R: KeptRecord> PairSink<R> for KeptPairs<'_, R> {
    fn begin(&self, near: u64) {
        if let Err(error) = self.join(near) {
            self.rows.fail(error);
        }
    }

    fn is_selective(&self) -> bool {
        let rows = self.rows;
        self.known.len() > 0 || rows.shard().is_some() || rows.budget().is_some() || rows.missing().is_some()
    }

    fn task(&self, at: u64, pair: [PartId; 2]) -> Task {
        let rows = self.rows;
        let near = rows.near();
        if rows.shard().is_some_and(|shard| !shard.has(at, near)) {
            return Task::Elsewhere;
        }
        let is_spent = || match rows.budget() {
            Some(Budget::Pairs(most)) => {
                let before = rows.shard().map_or(at, |shard| shard.before(at, near));
                before.saturating_sub(self.known.before(pair)) >= most
            }
            Some(Budget::Time(_)) => rows.is_late(),
            None => false,
        };
        match self.known.has(pair) || rows.missing().is_some() || is_spent() {
            true => Task::Settled,
            false => Task::Open,
        }
    }

    fn settled(&self, pair: [PartId; 2]) -> Settled<R> {
        let why = self.rows.missing().unwrap_or(BUDGET);
        self.known.get(pair).unwrap_or(Settled::Undecided(why))
    }

    fn ended(&self) -> Option<&'static str> {
        self.rows.is_late().then_some(BUDGET)
    }

    fn decided(&self, record: &R) {
        let entry = match record.verdict() {
            Verdict::Clear => encoded(&Entry::<()>::Clear(record.ids())),
            _ => encoded(&Entry::Listed(record)),
        };
        self.rows.keep(&entry);
    }

    fn stopped(&self) -> bool {
        self.rows.is_closed()
    }
}
