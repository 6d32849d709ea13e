//! Proof, before any pair is decided, that the list of pairs would not fit into memory.
//!
//! Deciding a pair takes many times as long as proving that it will be listed. So a run whose candidate pairs
//! might not all fit first counts those that are certain to be listed, and ends as soon as their rows alone
//! are too many. A run that would have fitted is never refused.

use std::hash::Hash;

use hashbrown::HashMap;

use super::CheckError;
use super::candidates::Candidates;
use super::driver::{Driver, Record, TOGETHER, listing};
use super::journal::PairStates;
use crate::query::stage_work::StageWork;
use closefit_geometry::ids::PartId;
use closefit_geometry::memory::{MemoryAccount, OutOfMemory};
use closefit_geometry::parallel;
use closefit_geometry::scene::{Part, Scene};

impl<R: Record> Driver<'_, R> {
    /// Counts the open pairs for which `is_listed` proves that they will be listed, unless all candidate
    /// pairs fit. Returns the work of the proofs.
    ///
    /// # Errors
    /// [`CheckError::OutOfMemory`] if they do not fit, [`CheckError::Interrupted`], and the errors of
    /// finding the pairs.
    pub fn look_ahead(
        &self,
        candidates: &Candidates,
        is_listed: impl Fn([PartId; 2], &mut StageWork) -> bool + Sync,
    ) -> Result<StageWork, CheckError> {
        let memory = self.memory;
        let room = usize::try_from(memory.left()).unwrap_or(usize::MAX) / R::LEAST_BYTES;
        let (mut listed, mut done) = (0, StageWork::default());
        if candidates.total <= room as u64 {
            return Ok(done);
        }
        let mut states = PairStates::new(self.journal);
        let mut count = |near: &[(PartId, PartId)]| {
            if self.is_stopped() {
                return Err(CheckError::Interrupted);
            }
            let open = states.open(near, |_, _, _| ());
            let proofs = parallel::map_items(&open, 1, |&(a, b)| {
                let mut work = StageWork::default();
                (usize::from(is_listed([a, b], &mut work)), work)
            });
            for (one, work) in proofs {
                listed += one;
                done += work;
            }
            if listed > room {
                memory.foresee(room + 1, R::LEAST_BYTES, || listing(room, candidates.total))?;
            }
            Ok(())
        };
        candidates.for_each(|pairs| pairs.chunks(TOGETHER).try_for_each(&mut count))?;
        Ok(done)
    }
}

/// Returns the number of pairs of parts that have equal keys.
fn pairs_of_equals<K: Eq + Hash>(
    scene: &Scene,
    pairs_of: impl Fn(usize) -> usize,
    key: impl Fn(&Part) -> K,
) -> usize {
    let mut parts: HashMap<K, usize> = HashMap::new();
    scene.parts.iter().for_each(|part| *parts.entry(key(part)).or_insert(0) += 1);
    parts.into_values().map(pairs_of).sum()
}

/// Refuses instances of a mesh at exactly the same pose, if their pairs do not fit: each of these pairs is
/// in contact.
///
/// # Errors
/// [`OutOfMemory`].
pub(super) fn refuse_coincident<R: Record>(scene: &Scene, memory: &MemoryAccount) -> Result<(), OutOfMemory> {
    let pairs_of = |parts: usize| parts * parts.saturating_sub(1) / 2;
    let fits = |pairs: usize| (pairs as u64).saturating_mul(R::LEAST_BYTES as u64) <= memory.left();
    if fits(pairs_of(scene.parts.len())) {
        return Ok(());
    }
    // Those with a coordinate in common are at least as many, and far fewer in most scenes.
    let bits = |part: &Part| part.pose.rows.map(|row| row.map(f64::to_bits));
    if fits(pairs_of_equals(scene, pairs_of, |part| bits(part)[0][3])) {
        return Ok(());
    }
    let coincident = pairs_of_equals(scene, pairs_of, |part| (part.mesh, bits(part)));
    if fits(coincident) {
        return Ok(());
    }
    let excluded: u64 = scene.count_pairs(None).excluded.values().sum();
    let pairs = coincident.saturating_sub(usize::try_from(excluded).unwrap_or(usize::MAX));
    memory.foresee(pairs, R::LEAST_BYTES, || format!("{pairs} listed pairs of coincident parts"))
}
