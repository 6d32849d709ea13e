//! A check of a scene at many rows of poses: a line of JSON for each row, in the order of rows.
//!
//! Rows are read, decided on all threads, and written some thousands at a time, so that memory does not grow
//! with their number. A row that cannot be checked gets a line that says why, and the next row is checked.

mod on_device;
mod source;
mod table;

use closefit_geometry::clock::Instant;
use std::collections::BTreeMap;
use std::io::Write;
use std::iter;
use std::ops::Range;
use std::slice;
use std::sync::Mutex;
use std::time::Duration;

use crate::error::{JobError, NothingAsked};
use crate::job::Job;
use crate::journal::{RowAnswer, RowJournal, of_check_rows};
use closefit::{
    CheckError, CheckRequest, Observer, PosedPair, PreparedCheck, PreparedScene, RowScratch, Stage, Verdict,
};
use closefit_geometry::lanes::{FourPoses, ROWS};
use closefit_geometry::parallel;
use closefit_geometry::scene::Scene;
use closefit_report::json;
use closefit_report::rows::{RowLine, RowOutcome, RowPairs};
use on_device::{Near, Searching};
use source::{PoseScratch, RawRow};
pub use source::{RowSource, joint_values_in};

/// The largest number of rows that are decided together, and the time that they should take: a run that is
/// killed loses no more.
const MOST: usize = 4096;
const SOON: Duration = Duration::from_secs(1);

/// The largest number of poses, and of pairs, that wait for a device, over all rows.
const WAITING: usize = 1 << 18;

/// The least number of runs of rows for each thread, so that none waits long for another.
const RUNS: usize = 16;

/// The things that a check of rows does in addition to deciding pairs.
#[derive(Clone, Debug, Default)]
pub struct RowOptions {
    /// True if a row ends at its first pair that clashes or meets.
    pub ends_at_clash: bool,
    /// True to accept a scene without a pair to decide.
    pub allow_empty: bool,
    /// The journal to which lines are added, and from which known ones are taken.
    pub journal: Option<RowJournal>,
}

/// The findings of all rows in short.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RowSummary {
    /// The number of rows.
    pub rows: u64,
    /// The numbers of rows by their worst verdicts.
    pub by_verdict: BTreeMap<Verdict, u64>,
    /// The number of rows that could not be checked.
    pub refused: u64,
    /// The first of these, with the reason.
    pub first_refused: Option<(u64, String)>,
    /// True if some row fails.
    pub fails: bool,
}

/// The findings about a row.
#[derive(Debug)]
pub struct FoundRow {
    /// The number of rows before it.
    pub row: u64,
    /// Its id, if the rows have ids.
    pub id: Option<String>,
    /// Its time in seconds, if it is a time.
    pub at: Option<f64>,
    /// The pairs that are not clear, or the reason in one line why the row cannot be checked.
    pub pairs: Result<Vec<PosedPair>, String>,
}

impl Job {
    /// Decides every pair at every row, or at those that are left, and writes a line for each. A shard writes
    /// none, and keeps them. `fails` says which pairs fail.
    ///
    /// # Errors
    /// [`JobError`].
    pub fn check_rows(
        &self,
        rows: &mut RowSource,
        (request, options): (&CheckRequest, &RowOptions),
        fails: &(dyn Fn([u32; 2], Verdict) -> bool + Sync),
        observer: &dyn Observer,
        out: &mut dyn Write,
    ) -> Result<RowSummary, JobError> {
        let mut summary = RowSummary::default();
        let mut write = |answer: RowAnswer| {
            out.write_all(answer.line.as_bytes())?;
            summary.add(answer.verdict, answer.fails);
            Ok(())
        };
        let left = match &options.journal {
            None => iter::once(0..u64::MAX).collect(),
            Some(journal) => {
                let (count, digest) = rows.counted(self.scene())?;
                let settings = of_check_rows(self.scene(), request, (digest, options.ends_at_clash));
                journal.begin(settings, count, &mut write)?
            }
        };
        let answer = |found| answer_of(self.scene(), found, fails);
        self.each_row((rows, &left), (request, options), observer, answer, |answer: RowAnswer| {
            if let Some(journal) = &options.journal {
                journal.keep(&answer)?;
            }
            write(answer)
        })?;
        Ok(summary)
    }

    /// Decides every pair at every row. `make` makes something of the findings about a row, on all threads;
    /// `take` takes it, in the order of rows.
    ///
    /// # Errors
    /// [`JobError`], also from `take`.
    pub fn for_each_row<T: Send>(
        &self,
        rows: &mut RowSource,
        asked: (&CheckRequest, &RowOptions),
        observer: &dyn Observer,
        make: impl Fn(FoundRow) -> T + Sync,
        take: impl FnMut(T) -> Result<(), JobError>,
    ) -> Result<(), JobError> {
        self.each_row((rows, slice::from_ref(&(0..u64::MAX))), asked, observer, make, take)
    }

    /// Decides every pair at some rows in the same way.
    fn each_row<T: Send>(
        &self,
        (rows, wanted): (&mut RowSource, &[Range<u64>]),
        (request, options): (&CheckRequest, &RowOptions),
        observer: &dyn Observer,
        make: impl Fn(FoundRow) -> T + Sync,
        mut take: impl FnMut(T) -> Result<(), JobError>,
    ) -> Result<(), JobError> {
        let scene = self.scene();
        self.refuse_no_pair(options)?;
        if !options.allow_empty {
            self.refuse_no_claim(None)?;
            rows.refuse_no_row(&self.files())?;
        }
        let refused = |error: CheckError| self.refused(error, scene);
        let prepared = PreparedScene::with_models(scene, &rows.moves(scene), request, observer, &self.models);
        let prepared = prepared.map_err(refused)?;
        let check = &prepared.checks();
        let asked = RowCheck {
            scene,
            check,
            ends_at_clash: options.ends_at_clash,
            observer,
            spare: Mutex::default(),
        };
        let mut searching = Searching::begin(&asked);
        let waiting = if searching.is_some() { scene.parts.len().max(prepared.asked()) } else { 0 };
        let most = (WAITING / waiting.max(1)).clamp(1, MOST);
        observer.begin(Stage::Deciding, 0);
        let mut take_all = |made: Vec<T>| {
            let count = made.len() as u64;
            made.into_iter().try_for_each(&mut take)?;
            observer.advance_by(count);
            Ok::<_, JobError>(())
        };
        let fewest = parallel::threads().min(most);
        let (mut at, mut together) = (0, fewest);
        'all: for range in wanted {
            rows.skip(range.start - at)?;
            at = range.start;
            while at < range.end {
                let started = Instant::now();
                let raw = rows.read((range.end - at).min(together as u64) as usize)?;
                if raw.is_empty() {
                    break 'all;
                }
                let raw_rows = (&*rows, at, &raw[..]);
                take_all(match &mut searching {
                    None => asked.each(raw_rows, |row, buffers| make(asked.at(row, buffers))),
                    Some(searching) => asked
                        .each(raw_rows, |row, buffers| asked.near(row, buffers))
                        .and_then(|near| searching.next(&asked, near, &make)),
                }?)?;
                at += raw.len() as u64;
                let is_soon = started.elapsed() < SOON;
                together = if is_soon { most.min(2 * together) } else { fewest.max(together / 2) };
            }
        }
        match searching {
            None => Ok(()),
            Some(mut searching) => take_all(searching.next(&asked, Vec::new(), &make)?),
        }
    }

    /// Refuses a scene without a pair to decide.
    fn refuse_no_pair(&self, options: &RowOptions) -> Result<(), JobError> {
        let parts = self.scene().parts.len() as u64;
        let excluded = self.scene().count_pairs(None).excluded;
        let why = match parts * parts.saturating_sub(1) / 2 {
            _ if options.allow_empty => return Ok(()),
            0 => NothingAsked::OnePart,
            pairs if excluded.values().sum::<u64>() == pairs => match self.pairs.why_empty() {
                Some(notes) => NothingAsked::NoParts(notes),
                None => NothingAsked::Excluded(excluded),
            },
            _ => return Ok(()),
        };
        Err(JobError::Nothing { files: self.files(), why })
    }
}

impl RowSummary {
    /// Counts the next row: its worst verdict, or the reason why it could not be checked, and if a pair
    /// fails.
    pub fn add(&mut self, verdict: Result<Verdict, String>, fails: bool) {
        match verdict {
            Ok(verdict) => *self.by_verdict.entry(verdict).or_default() += 1,
            Err(why) => {
                self.refused += 1;
                self.first_refused.get_or_insert((self.rows, why));
            }
        }
        self.fails |= fails;
        self.rows += 1;
    }

    /// Passes over a row about which nothing is known.
    pub fn skip(&mut self) {
        self.rows += 1;
    }
}

/// The buffers of a thread.
struct Buffers {
    poses: Vec<FourPoses>,
    placing: PoseScratch,
    checking: RowScratch,
}

impl Buffers {
    fn of(scene: &Scene) -> Self {
        let poses = scene.parts.iter().map(|part| FourPoses::splat(&part.pose)).collect();
        Self { poses, placing: PoseScratch::default(), checking: RowScratch::default() }
    }
}

/// A row whose poses have been found, among four rows.
struct PlacedRow {
    row: u64,
    id: Option<String>,
    at: Option<f64>,
    lane: usize,
    /// The reason why it has no poses.
    refused: Option<String>,
}

/// A check that runs row by row.
struct RowCheck<'a> {
    scene: &'a Scene,
    check: &'a PreparedCheck<'a>,
    ends_at_clash: bool,
    observer: &'a dyn Observer,
    /// Buffers that no thread has.
    spare: Mutex<Vec<Buffers>>,
}

impl RowCheck<'_> {
    /// Returns what `of` returns for each row, on all threads, unless the observer stops it. The first one
    /// has the number given.
    fn each<T: Send>(
        &self,
        (source, first, raw): (&RowSource, u64, &[RawRow]),
        of: impl Fn(PlacedRow, &mut Buffers) -> T + Sync,
    ) -> Result<Vec<T>, JobError> {
        let made = parallel::map_runs(raw.len(), run(raw.len()), |places| {
            let spare = self.spare.lock().expect("no panic").pop();
            let mut buffers = spare.unwrap_or_else(|| Buffers::of(self.scene));
            let mut made = Vec::with_capacity(places.len());
            let mut row = first + places.start as u64;
            for some in raw[places].chunks(ROWS) {
                let Buffers { poses, placing, checking } = &mut buffers;
                let refused = source.place(some, self.scene, placing, poses);
                self.check.place(poses, some.len(), checking);
                for (lane, (raw, refused)) in some.iter().zip(refused).enumerate() {
                    let placed = PlacedRow { row, id: source.id(raw), at: raw.time(), lane, refused };
                    made.push(self.unless_stopped(|| of(placed, &mut buffers))?);
                    row += 1;
                }
            }
            self.spare.lock().expect("no panic").push(buffers);
            Ok::<_, JobError>(made)
        });
        Ok(made.into_iter().collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
    }

    fn unless_stopped<T>(&self, of: impl FnOnce() -> T) -> Result<T, JobError> {
        if self.observer.cancelled() { Err(JobError::Interrupted) } else { Ok(of()) }
    }

    /// Returns the findings about a row.
    fn at(&self, PlacedRow { row, id, at, lane, refused }: PlacedRow, buffers: &mut Buffers) -> FoundRow {
        let Buffers { poses, checking, .. } = buffers;
        let pairs = match refused {
            Some(why) => Err(why),
            None => {
                self.check.at((lane, poses), self.ends_at_clash, checking).map_err(|error| error.to_string())
            }
        };
        FoundRow { row, id, at, pairs }
    }

    /// Returns a row that waits for a device.
    fn near(&self, PlacedRow { row, id, at, lane, refused }: PlacedRow, buffers: &mut Buffers) -> Near {
        let Buffers { poses, checking, .. } = buffers;
        let near = match refused {
            Some(why) => Err(why),
            None => self.check.near((lane, poses), checking).map_err(|error| error.to_string()),
        };
        Near { row, id, at, near }
    }
}

/// Returns the number of rows that a thread takes at once.
fn run(rows: usize) -> usize {
    (rows / (RUNS * parallel::threads())).clamp(1, parallel::SMALL)
}

/// Returns the answer of a row.
fn answer_of(
    scene: &Scene,
    FoundRow { row, id, at, pairs }: FoundRow,
    fails: &(dyn Fn([u32; 2], Verdict) -> bool + Sync),
) -> RowAnswer {
    let found = pairs.map(|pairs| RowPairs::new(scene, pairs));
    let verdict = found.as_ref().map(|found| found.verdict).map_err(String::clone);
    let pairs = found.iter().flat_map(|found| &found.pairs);
    let fails = pairs.map(|pair| pair.decided()).any(|(ids, verdict)| fails(ids, verdict));
    let outcome = match found {
        Ok(found) => RowOutcome::Found(found),
        Err(error) => RowOutcome::Refused { error },
    };
    let line = json::line(&RowLine { row, id: id.as_deref(), at, outcome });
    RowAnswer { line, verdict, fails }
}
