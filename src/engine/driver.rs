//! The loop over all candidate pairs, on the threads of the current pool. Checks and sweeps share it.

use std::borrow::Cow;
use std::mem;
use std::sync::{Mutex, PoisonError};

use super::candidates::Candidates;
use super::journal::{KnownPair, PairJournal, PairState, PairStates};
use super::ledger::{Counters, Ledger};
use super::pair_times::PairTimes;
use super::{CheckError, Observer, Stage};
use crate::query::moving_pair::MovingPairRecord;
use crate::query::stage_work::StageWork;
use crate::query::{Containment, PairRecord, Verdict};
use closefit_geometry::ids::PartId;
use closefit_geometry::memory::MemoryAccount;
use closefit_geometry::parallel;
use closefit_geometry::scene::Scene;
use closefit_geometry::scene::pair_rules::PairCounts;

/// Number of candidate pairs prepared together: enough for a batch, and few enough to keep memory bounded.
pub(super) const TOGETHER: usize = 4096;

/// Bytes of a row of the report, made of a record, with its key and an eighth of spare room in the list of
/// records.
pub const ROW_BYTES: usize = 640;

/// The record of a decided pair.
pub(super) trait Record: Send + Sized {
    /// The least bytes of a record and of its row in a report.
    const LEAST_BYTES: usize = size_of::<Self>() + ROW_BYTES;

    /// The record of a pair that stays undecided, for a reason.
    fn undecided(ids: [PartId; 2], why: &str) -> Self;

    fn verdict(&self) -> Verdict;

    /// Returns the bytes of the record and of its row in a report.
    fn bytes(&self) -> usize;
}

impl Record for PairRecord {
    fn undecided(ids: [PartId; 2], why: &str) -> Self {
        Self::undecided(ids, why)
    }

    fn verdict(&self) -> Verdict {
        self.verdict
    }

    fn bytes(&self) -> usize {
        let reasons = match &self.contained {
            Containment::Undecidable(why) => why.len(),
            _ => 0,
        } + self.depth_unknown.as_ref().map_or(0, String::len);
        let triangles = self.triangles.as_ref().map_or(0, |triangles| size_of_val(&triangles[..]));
        Self::LEAST_BYTES + reasons + triangles
    }
}

impl Record for MovingPairRecord {
    fn undecided(ids: [PartId; 2], why: &str) -> Self {
        Self::undecided(ids, why)
    }

    fn verdict(&self) -> Verdict {
        self.verdict
    }

    fn bytes(&self) -> usize {
        // An interval has a row in the report, too.
        let intervals = self.intervals.as_ref().map_or(0, |all| 2 * all.bytes());
        Self::LEAST_BYTES + self.depth_unknown.as_ref().map_or(0, String::len) + intervals
    }
}

/// Decides the candidate pairs of a scene within a limit of memory.
pub(super) struct Driver<'a, R> {
    pub scene: &'a Scene,
    pub memory: &'a MemoryAccount,
    pub observer: &'a dyn Observer,
    pub journal: &'a dyn PairJournal<R>,
    /// True if the next pairs are to be prepared while some are decided, because a device prepares them.
    pub overlaps: bool,
}

impl<R: Record> Driver<'_, R> {
    /// Decides every open pair. `prepare` computes one value for each of many pairs, in order; `decide`
    /// completes one pair, or refuses it, which ends the run. Returns the ledger and the records of the pairs
    /// that are not clear, in order; adds to the counters.
    pub fn run<P: Send>(
        &self,
        candidates: &Candidates,
        counted: PairCounts,
        counters: &mut Counters,
        mut prepare: impl FnMut(&[(PartId, PartId)]) -> Result<Vec<P>, CheckError> + Send,
        decide: impl Fn([PartId; 2], P) -> Option<(R, StageWork)> + Sync,
    ) -> Result<(Ledger, Vec<R>), CheckError> {
        self.observer.begin(Stage::Deciding, candidates.total);
        let ledger = Ledger::new(self.scene.parts.len(), counted, candidates.total);
        let mut book = Book { memory: self.memory, near: candidates.total, ledger, listed: Vec::new() };
        let done = WorkOfThreads::new();
        let mut prepare_all = |near: &[(PartId, PartId)]| {
            if self.is_stopped() { Err(CheckError::Interrupted) } else { prepare(near) }
        };
        let decide_all = |near: &[(PartId, PartId)], prepared: Vec<P>| {
            // Each by itself, since one may take longer than all others.
            parallel::map_owned(prepared, 1, |at, prepared| {
                self.one(near[at].into(), prepared, &decide, &done)
            })
        };
        let mut states = PairStates::new(self.journal);
        // The first place of the pairs that wait, prepared, for those after them to be prepared.
        let (mut since, mut waiting) = (0, (Vec::new(), Vec::new(), Vec::new()));
        let mut take = |near: &[(PartId, PartId)], states: &mut PairStates<R>, overlaps: bool| {
            let first = states.at;
            let (open, others) = self.split(near, states);
            let (pairs, before, between) = mem::take(&mut waiting);
            let begins =
                |from| (!open.is_empty()).then(|| self.journal.begins(from..first + near.len() as u64));
            if !overlaps {
                book.enter_all(decide_all(&pairs, before), between)?;
                begins(first);
                return book.enter_all(decide_all(&open, prepare_all(&open)?), others);
            }
            begins(if pairs.is_empty() { first } else { since });
            let (prepared, decided) = parallel::both(|| prepare_all(&open), || decide_all(&pairs, before));
            book.enter_all(decided, between)?;
            (since, waiting) = (first, (open.into_owned(), prepared?, others));
            Ok(())
        };
        candidates.for_each(|pairs| {
            let mut left = &pairs[..];
            while !left.is_empty() {
                let most = self.journal.together(states.at);
                let count = most.map_or(TOGETHER, |most| most.min(TOGETHER as u64) as usize);
                let (near, after) = left.split_at(count.min(left.len()));
                take(near, &mut states, self.overlaps && most.is_none())?;
                left = after;
            }
            Ok(())
        })?;
        let (pairs, before, between) = waiting;
        book.enter_all(decide_all(&pairs, before), between)?;
        let (work, times) = done.total();
        counters.work += work;
        counters.slow = times.slow();
        Ok((book.ledger, book.listed))
    }

    /// Decides a pair, and hands its record on. `None` if the run is to stop.
    fn one<P>(
        &self,
        pair: [PartId; 2],
        prepared: P,
        decide: &impl Fn([PartId; 2], P) -> Option<(R, StageWork)>,
        done: &WorkOfThreads,
    ) -> Option<R> {
        if self.is_stopped() {
            return None;
        }
        if let Some(why) = self.journal.ended() {
            self.observer.advance();
            return Some(R::undecided(pair, why));
        }
        self.observer.enter(pair);
        let (record, work) = decide(pair, prepared)?;
        done.add(pair, work);
        self.journal.decided(&record);
        self.observer.leave(pair);
        Some(record)
    }

    /// Splits pairs into the open ones and the entries of the others, each with its place among all of them.
    fn split<'b>(
        &self,
        near: &'b [(PartId, PartId)],
        states: &mut PairStates<R>,
    ) -> (OpenPairs<'b>, Others<R>) {
        let mut others = Others::new();
        let open = states.open(near, |[place, at], pair, state| {
            let entry = match state {
                PairState::OtherShard => Entry::Elsewhere,
                _ => match self.journal.known(at, pair) {
                    KnownPair::Clear => Entry::Clear,
                    KnownPair::Listed(record) => Entry::Record(record),
                    KnownPair::Undecided(why) => Entry::Record(R::undecided(pair, why)),
                },
            };
            others.push((place as usize, entry));
        });
        self.observer.advance_by(others.len() as u64);
        (open, others)
    }

    /// True if the run is to end without a result.
    pub fn is_stopped(&self) -> bool {
        self.observer.cancelled() || self.journal.stopped()
    }
}

/// The pairs that are decided now.
type OpenPairs<'a> = Cow<'a, [(PartId, PartId)]>;

/// The entries of pairs that are not decided now, with their places among all pairs.
type Others<R> = Vec<(usize, Entry<R>)>;

/// The entry of a candidate pair.
enum Entry<R> {
    Record(R),
    /// It is clear, by a record that is not kept.
    Clear,
    Elsewhere,
}

/// The account of a run, to which pairs are entered in order.
struct Book<'a, R> {
    memory: &'a MemoryAccount,
    near: u64,
    ledger: Ledger,
    /// The pairs that are not clear.
    listed: Vec<R>,
}

impl<R: Record> Book<'_, R> {
    /// Enters the pairs that were decided, and the others between them.
    fn enter_all(&mut self, decided: Vec<Option<R>>, others: Others<R>) -> Result<(), CheckError> {
        let (mut decided, mut others) = (decided.into_iter(), others.into_iter().peekable());
        for place in 0.. {
            let entry = match others.next_if(|(at, _)| *at == place) {
                Some((_, entry)) => entry,
                None => match decided.next() {
                    Some(record) => Entry::Record(record.ok_or(CheckError::Interrupted)?),
                    None => break,
                },
            };
            self.enter(entry)?;
        }
        Ok(())
    }

    fn enter(&mut self, entry: Entry<R>) -> Result<(), CheckError> {
        let record = match entry {
            Entry::Record(record) => record,
            Entry::Clear => {
                self.ledger.enter(Verdict::Clear);
                return Ok(());
            }
            Entry::Elsewhere => {
                self.ledger.elsewhere += 1;
                return Ok(());
            }
        };
        self.ledger.enter(record.verdict());
        if record.verdict() != Verdict::Clear {
            self.memory.take(1, record.bytes(), || listing(self.listed.len(), self.near))?;
            if self.listed.len() == self.listed.capacity() {
                self.listed.reserve_exact(TOGETHER + self.listed.len() / 8);
            }
            self.listed.push(record);
        }
        Ok(())
    }
}

/// The work of a pool's threads and the times of their pairs, a sum for each. Kept with the record of each
/// pair, work would double their size.
struct WorkOfThreads(Vec<Mutex<(StageWork, PairTimes)>>);

impl WorkOfThreads {
    /// No work, on the threads of the current pool.
    fn new() -> Self {
        Self((0..parallel::threads()).map(|_| Mutex::default()).collect())
    }

    /// Adds the work of a pair to the work of the thread that did it.
    fn add(&self, ids: [PartId; 2], work: StageWork) {
        let thread = parallel::thread_index().unwrap_or(0);
        let mut done = self.0[thread].lock().unwrap_or_else(PoisonError::into_inner);
        done.1.add(ids, &work);
        done.0 += work;
    }

    /// Returns the sum.
    fn total(self) -> (StageWork, PairTimes) {
        self.0.into_iter().fold(Default::default(), |(mut total, mut all), done| {
            let (work, times) = done.into_inner().unwrap_or_else(PoisonError::into_inner);
            total += work;
            all.join(times);
            (total, all)
        })
    }
}

/// Names the list of the first pairs found.
pub(super) fn listing(listed: usize, near: u64) -> String {
    format!("more than {listed} listed pairs, of {near} near ones,")
}
