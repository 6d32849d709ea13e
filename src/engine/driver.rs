//! The loop over all candidate pairs, on the threads of the current pool. Checks and sweeps share it.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::ledger::{Counters, Ledger};
use super::{CheckError, Observer, Stage};
use crate::ids::PartId;
use crate::narrow::Work;
use crate::query::moving_pair::MovingPairRecord;
use crate::query::{PairRecord, Verdict};
use crate::scene::Scene;

/// Number of candidate pairs prepared together: enough for a batch, and few enough to keep memory bounded.
const TOGETHER: usize = 4096;

/// The record of a decided pair.
pub(super) trait Record: Send {
    fn verdict(&self) -> Verdict;
}

impl Record for PairRecord {
    fn verdict(&self) -> Verdict {
        self.verdict
    }
}

impl Record for MovingPairRecord {
    fn verdict(&self) -> Verdict {
        self.verdict
    }
}

/// The sorted candidate pairs of a scene, and the observer of the run.
pub(super) struct Driver<'a> {
    pub scene: &'a Scene,
    pub near: &'a [(PartId, PartId)],
    pub observer: &'a dyn Observer,
}

impl Driver<'_> {
    /// Decides every pair. `prepare` computes one value for each of many pairs, in order; `decide` completes one
    /// pair. Returns the ledger and the records of the pairs that are not clear, in order; adds to the counters.
    pub fn run<P: Send, R: Record>(
        &self,
        excluded: BTreeMap<String, u64>,
        counters: &mut Counters,
        prepare: impl Fn(&[(PartId, PartId)]) -> Vec<P>,
        decide: impl Fn([PartId; 2], P) -> (R, Work) + Sync,
    ) -> Result<(Ledger, Vec<R>), CheckError> {
        let Self { scene, near, observer } = *self;
        observer.begin(Stage::Deciding, near.len() as u64);
        let mut ledger = Ledger::new(scene.parts.len(), excluded, near.len());
        let mut listed = Vec::new();
        for near in near.chunks(TOGETHER) {
            if observer.cancelled() {
                return Err(CheckError::Interrupted);
            }
            let decided = near.par_iter().zip(prepare(near)).with_max_len(1).map(|(&(a, b), prepared)| {
                if observer.cancelled() {
                    return None;
                }
                observer.enter([a, b]);
                let decided = decide([a, b], prepared);
                observer.leave([a, b]);
                Some(decided)
            });
            for decided in decided.collect::<Vec<Option<(R, Work)>>>() {
                let (record, work) = decided.ok_or(CheckError::Interrupted)?;
                counters.add(work);
                ledger.enter(record.verdict());
                if record.verdict() != Verdict::Clear {
                    listed.push(record);
                }
            }
        }
        Ok((ledger, listed))
    }
}
