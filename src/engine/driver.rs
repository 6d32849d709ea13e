//! The loop over all candidate pairs, on the threads of the current pool. Checks and sweeps share it.

use std::mem;
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use super::candidates::{Candidates, Find};
use super::ledger::{Counters, Ledger};
use super::{CheckError, Observer, Stage};
use crate::query::moving_pair::MovingPairRecord;
use crate::query::stage_work::StageWork;
use crate::query::{Containment, PairRecord, Verdict};
use closefit_geometry::ids::PartId;
use closefit_geometry::memory::MemoryAccount;
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

    fn verdict(&self) -> Verdict;

    /// Returns the bytes of the record and of its row in a report.
    fn bytes(&self) -> usize;
}

impl Record for PairRecord {
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
pub(super) struct Driver<'a> {
    pub scene: &'a Scene,
    pub memory: &'a MemoryAccount,
    pub observer: &'a dyn Observer,
    /// True if the next pairs are to be prepared while some are decided, because a device prepares them.
    pub overlaps: bool,
}

impl Driver<'_> {
    /// Decides every pair. `prepare` computes one value for each of many pairs, in order; `decide` completes
    /// one pair. Returns the ledger and the records of the pairs that are not clear, in order; adds to the
    /// counters.
    pub fn run<P: Send, R: Record>(
        &self,
        candidates: &Candidates<impl Find>,
        counted: PairCounts,
        counters: &mut Counters,
        mut prepare: impl FnMut(&[(PartId, PartId)]) -> Result<Vec<P>, CheckError> + Send,
        decide: impl Fn([PartId; 2], P) -> (R, StageWork) + Sync,
    ) -> Result<(Ledger, Vec<R>), CheckError> {
        let Self { scene, memory, observer, overlaps } = *self;
        observer.begin(Stage::Deciding, candidates.total);
        let mut ledger = Ledger::new(scene.parts.len(), counted, candidates.total);
        let mut listed: Vec<R> = Vec::new();
        let done = WorkOfThreads::new();
        let mut prepare_all = |near: &[(PartId, PartId)]| {
            if observer.cancelled() { Err(CheckError::Interrupted) } else { prepare(near) }
        };
        let decide_all = |near: &[(PartId, PartId)], prepared: Vec<P>| {
            let decided = near.par_iter().zip(prepared).with_max_len(1).map(|(&(a, b), prepared)| {
                if observer.cancelled() {
                    return None;
                }
                observer.enter([a, b]);
                let (record, work) = decide([a, b], prepared);
                done.add(work);
                observer.leave([a, b]);
                Some(record)
            });
            decided.collect::<Vec<Option<R>>>()
        };
        let mut enter = |decided: Vec<Option<R>>| {
            for decided in decided {
                let record = decided.ok_or(CheckError::Interrupted)?;
                ledger.enter(record.verdict());
                if record.verdict() != Verdict::Clear {
                    memory.take(1, record.bytes(), || listing(listed.len(), candidates.total))?;
                    if listed.len() == listed.capacity() {
                        listed.reserve_exact(TOGETHER + listed.len() / 8);
                    }
                    listed.push(record);
                }
            }
            Ok(())
        };
        let mut waiting = (Vec::new(), Vec::new());
        let mut take = |near: &[(PartId, PartId)]| {
            if !overlaps {
                return enter(decide_all(near, prepare_all(near)?));
            }
            let (pairs, before) = mem::take(&mut waiting);
            let (prepared, decided) = rayon::join(|| prepare_all(near), || decide_all(&pairs, before));
            enter(decided)?;
            waiting = (near.to_vec(), prepared?);
            Ok(())
        };
        candidates.for_each(|pairs| pairs.chunks(TOGETHER).try_for_each(&mut take))?;
        enter(decide_all(&waiting.0, waiting.1))?;
        counters.work += done.total();
        Ok((ledger, listed))
    }
}

/// The work of a pool's threads, a sum for each. Kept with the record of each pair, it would double their
/// size.
struct WorkOfThreads(Vec<Mutex<StageWork>>);

impl WorkOfThreads {
    /// No work, on the threads of the current pool.
    fn new() -> Self {
        Self((0..rayon::current_num_threads()).map(|_| Mutex::default()).collect())
    }

    /// Adds the work of a pair to that of the thread that did it.
    fn add(&self, work: StageWork) {
        let thread = rayon::current_thread_index().unwrap_or(0);
        *self.0[thread].lock().unwrap_or_else(PoisonError::into_inner) += work;
    }

    /// Returns the sum.
    fn total(self) -> StageWork {
        self.0.into_iter().fold(StageWork::default(), |mut total, work| {
            total += work.into_inner().unwrap_or_else(PoisonError::into_inner);
            total
        })
    }
}

/// Names the list of the first pairs found.
pub(super) fn listing(listed: usize, near: u64) -> String {
    format!("more than {listed} listed pairs, of {near} near ones,")
}
