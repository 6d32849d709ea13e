//! The journal of one run: the records of an earlier run, and those that it decides now.

use closefit_geometry::clock::Instant;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use super::attempt::Attempt;
use super::budget::Budget;
use super::file::Writer;
use super::format::{Contents, Header, Place};
use super::plan::Plan;
use super::shard::{Items, Shard};
use super::{BUDGET, CRASHED};
use crate::error::JobError;
use closefit_report::LeftRecord;

/// The treatment of an earlier run's journal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Start {
    /// Refuse it.
    #[default]
    New,
    /// Decide nothing again that it has.
    Resume,
    /// Drop it.
    Restart,
}

/// The options of a journal.
#[derive(Clone, Debug, Default)]
pub struct JournalOptions {
    /// The treatment of an earlier run's journal.
    pub start: Start,
    /// The limit of the run.
    pub budget: Option<Budget>,
    /// The share of the items that it decides, and the arguments of the whole run, which its plan keeps.
    pub shard: Option<(Shard, Vec<String>)>,
}

/// The journal of one run, in a file of its output directory. A run of a few seconds makes none, unless it
/// is stopped.
#[derive(Debug)]
pub struct Journal {
    dir: PathBuf,
    options: JournalOptions,
    started: Instant,
    writer: Mutex<Writer>,
    /// The files of earlier runs, until they are read.
    earlier: Mutex<Vec<(PathBuf, Contents)>>,
    /// True for the journals of shards that are put together: nothing is added.
    is_merge: bool,
    /// The reason why pairs without a record stay undecided, if they do.
    missing: Option<&'static str>,
    /// The items of the whole run, and the number of them, once it has begun.
    whole: OnceLock<(Items, u64)>,
    /// The numbers of items that this run decides, and of those that are done.
    share: AtomicU64,
    decided: AtomicU64,
    /// The indices of the pairs that end the process.
    crashed: OnceLock<Vec<u64>>,
    is_closed: AtomicBool,
    failure: Mutex<Option<JobError>>,
}

impl Journal {
    /// Opens the journal of a directory.
    ///
    /// # Errors
    /// [`JobError::File`] if a stopped run is there although none is expected, if another run writes there,
    /// or if its journal cannot be read.
    pub fn open(dir: &Path, options: JournalOptions) -> Result<Self, JobError> {
        let started = Instant::now();
        let path = dir.join(name(options.shard.as_ref().map(|(shard, _)| *shard)));
        let (writer, found) = Writer::open(&path, started, options.start == Start::Restart)?;
        if let Some(found) = found.as_ref().filter(|_| options.start == Start::New) {
            let all = found.header.count;
            let share = found.header.shard.map_or(all, |shard| shard.items(all));
            let percent = 100 * found.done().min(share) / share.max(1);
            let why = format!("contains an unfinished run ({percent} %): use --resume or --restart");
            let place = if options.shard.is_some() { &path } else { dir };
            return Err(JobError::File { file: place.display().to_string(), why });
        }
        let earlier = found.into_iter().map(|found| (path.clone(), found)).collect();
        Ok(Self::new(dir, options, writer, earlier))
    }

    /// Joins the journals of shards. Pairs without a record stay undecided if there is a reason.
    pub(super) fn of_shards(
        dir: &Path,
        shards: Vec<(PathBuf, Contents)>,
        missing: Option<&'static str>,
    ) -> Self {
        let writer = Writer::new(&dir.join(name(None)), Instant::now());
        let journal = Self::new(dir, JournalOptions::default(), writer, shards);
        Self { is_merge: true, missing, ..journal }
    }

    fn new(dir: &Path, options: JournalOptions, writer: Writer, earlier: Vec<(PathBuf, Contents)>) -> Self {
        Self {
            dir: dir.to_owned(),
            options,
            started: Instant::now(),
            writer: Mutex::new(writer),
            earlier: Mutex::new(earlier),
            is_merge: false,
            missing: None,
            whole: OnceLock::new(),
            share: AtomicU64::new(0),
            decided: AtomicU64::new(0),
            crashed: OnceLock::new(),
            is_closed: AtomicBool::new(false),
            failure: Mutex::default(),
        }
    }

    /// Returns the shard that the run decides, if it does not decide all.
    pub fn shard(&self) -> Option<Shard> {
        self.options.shard.as_ref().map(|(shard, _)| *shard)
    }

    /// Returns the directory.
    pub(super) fn dir(&self) -> &Path {
        &self.dir
    }

    /// Takes the files of earlier runs.
    pub(super) fn take_earlier(&self) -> Vec<(PathBuf, Contents)> {
        std::mem::take(&mut locked(&self.earlier))
    }

    pub(super) fn is_merge(&self) -> bool {
        self.is_merge
    }

    pub(super) fn missing(&self) -> Option<&'static str> {
        self.missing
    }

    pub(super) fn budget(&self) -> Option<Budget> {
        self.options.budget
    }

    /// True if the user wants a journal: for a shard, to resume or to restart.
    pub(super) fn is_wanted(&self) -> bool {
        self.options.start != Start::New || self.options.shard.is_some()
    }

    /// Returns what the run decides: pairs or rows.
    pub fn items(&self) -> Items {
        self.whole.get().map_or(Items::NearPairs, |&(items, _)| items)
    }

    /// Returns the number of items of the whole run.
    pub(super) fn count(&self) -> u64 {
        self.whole.get().map_or(0, |&(_, count)| count)
    }

    /// True if the time of the run is over.
    pub(super) fn is_late(&self) -> bool {
        matches!(self.options.budget, Some(Budget::Time(time)) if self.started.elapsed() >= time)
    }

    /// Begins the journal of a run: `known` items are decided already, pairs at the indices `crashed` end the
    /// process, and the file has `whole` intact bytes.
    pub(super) fn begin(
        &self,
        header: &Header,
        (known, crashed): (u64, &[u64]),
        whole: Place,
    ) -> Result<(), JobError> {
        let mut writer = locked(&self.writer);
        writer.begin(header, whole);
        let share = self.shard().map_or(header.count, |shard| shard.items(header.count));
        let _ = self.whole.set((header.items, header.count));
        self.share.store(share, Relaxed);
        self.decided.store(known + crashed.len() as u64, Relaxed);
        let _ = self.crashed.set(crashed.to_vec());
        let Some((shard, arguments)) = &self.options.shard else {
            // What ended the process last time may do so again within seconds.
            return if self.options.start == Start::Resume { writer.write() } else { Ok(()) };
        };
        std::fs::create_dir_all(&self.dir).map_err(|error| JobError::File {
            file: self.dir.display().to_string(),
            why: format!("cannot be written: {error}"),
        })?;
        Plan::of(header, *shard, arguments.clone()).join(&self.dir)?;
        writer.sync()
    }

    /// Records the pairs in progress, so a crash can be blamed on them.
    pub(super) fn note(&self, attempt: &Attempt) {
        let mut writer = locked(&self.writer);
        if self.is_closed.load(Relaxed) || self.is_merge {
            return;
        }
        let noted = writer.note(attempt);
        drop(writer);
        if let Err(error) = noted {
            self.fail(error);
        }
    }

    /// Adds the record of an item.
    pub(super) fn keep(&self, record: &[u8]) {
        let mut writer = locked(&self.writer);
        if self.is_closed.load(Relaxed) || self.is_merge {
            return;
        }
        let kept = writer.keep(record);
        drop(writer);
        match kept {
            // Others decide on meanwhile.
            Ok(file) => drop(file.map(|file| file.sync_data())),
            Err(error) => return self.fail(error),
        }
        self.decided.fetch_add(1, Relaxed);
    }

    /// Ends the run with an error.
    pub(super) fn fail(&self, error: JobError) {
        locked(&self.failure).get_or_insert(error);
        self.is_closed.store(true, Relaxed);
    }

    /// True once the run is to end without a result.
    pub fn is_closed(&self) -> bool {
        self.is_closed.load(Relaxed)
    }

    /// Returns the error with which the run has ended.
    pub(crate) fn failure(&self) -> Option<JobError> {
        locked(&self.failure).take()
    }

    /// Returns the number of items that are decided, and the number of items to decide.
    pub fn progress(&self) -> [u64; 2] {
        [self.decided.load(Relaxed), self.share.load(Relaxed)]
    }

    /// Stops the run, and flushes the journal. Returns a message for the user if anything was decided.
    pub fn stop(&self) -> Option<String> {
        let mut writer = locked(&self.writer);
        self.is_closed.store(true, Relaxed);
        let [decided, share] = self.progress();
        if self.is_merge || self.whole.get().is_none() {
            return None;
        }
        if decided == 0 {
            // Without a file, nothing has to be said to begin again.
            let _ = if self.shard().is_none() { writer.remove() } else { self.leave(&mut writer) };
            return None;
        }
        match self.leave(&mut writer) {
            Ok(()) => Some(format!("stopped {}: continue with --resume", self.in_words(decided, share))),
            Err(error) => Some(format!("stopped {}: {error}", self.in_words(decided, share))),
        }
    }

    /// Flushes the journal, with no pair in progress.
    fn leave(&self, writer: &mut Writer) -> Result<(), JobError> {
        let crashed = self.crashed.get().cloned().unwrap_or_default();
        writer.note(&Attempt { crashed, ..Attempt::default() })?;
        writer.sync()
    }

    /// Returns how much of a share is decided, in words.
    fn in_words(&self, decided: u64, share: u64) -> String {
        let of = self.shard().map_or_else(String::new, |shard| format!(" of shard {shard}"));
        format!("after {} of {} {}{of}", spaced(decided), spaced(share), self.items())
    }

    /// Ends the journal of a run that has a result. A complete run with a report needs none: it is removed.
    ///
    /// # Errors
    /// [`JobError::File`].
    pub fn finish(&self) -> Result<(), JobError> {
        let mut writer = locked(&self.writer);
        self.is_closed.store(true, Relaxed);
        match self.left() {
            _ if self.is_merge => Ok(()),
            None if self.shard().is_none() => writer.remove(),
            _ => self.leave(&mut writer),
        }
    }

    /// Returns the account of a run that has left pairs undecided.
    pub fn left(&self) -> Option<LeftRecord> {
        let [decided, near] = self.progress();
        let crashed = self.crashed.get().map_or(0, |crashed| crashed.len() as u64);
        let left = |why, decided| Some(LeftRecord { why, decided, near });
        match (decided < near, crashed > 0) {
            (true, _) => left(self.missing.unwrap_or(BUDGET), decided - crashed),
            (false, true) => left(CRASHED, decided - crashed),
            (false, false) => None,
        }
    }

    /// Returns a message for the user if pairs were left undecided.
    pub fn left_in_words(&self) -> Option<String> {
        let LeftRecord { decided, near, why } = self.left()?;
        let remedy = match self.is_merge {
            _ if why == CRASHED => {
                let pairs = if near - decided == 1 { "pair" } else { "pairs" };
                return Some(format!(
                    "{} {pairs} ended the process each time, and stay undecided: --restart tries again",
                    spaced(near - decided)
                ));
            }
            true => "merge again once the missing shards are there",
            false => "continue with --resume",
        };
        Some(format!("stopped {}: {remedy}", self.in_words(decided, near)))
    }
}

/// Returns the name of the rows file of a shard, or of a whole run.
pub(super) fn name(shard: Option<Shard>) -> String {
    match shard {
        None => "rows.cfr".to_owned(),
        Some(shard) => format!("shard-{}-of-{}.cfr", shard.number(), shard.of()),
    }
}

/// Returns a number with a space before every three digits.
fn spaced(number: u64) -> String {
    let digits = number.to_string();
    let grouped = digits.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy);
    grouped.collect::<Vec<_>>().join(" ")
}

/// Locks a mutex, ignoring a panic elsewhere.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
