//! The candidate pairs of a scene, in order, in batches: memory does not grow with their number.

use std::iter::once;
use std::ops::Range;

use super::journal::{PairJournal, PairState};
use super::{CheckError, Observer, Stage, Unobserved};
use crate::broad::Pairs;
use crate::broad::counts::Counts;
use closefit_geometry::ids::to_u32;

/// Number of pairs that a batch may have, unless all have one part in common.
const MOST: u64 = 1 << 21;

/// A function that finds the candidate pairs whose lower id is in a range, sorted, and informs an observer.
type Find<'a> = dyn Fn(Range<u32>, &dyn Observer) -> Result<Pairs, CheckError> + Sync + 'a;

/// Candidate pairs that are found lazily, in batches by their lower id.
pub(super) struct Candidates<'a> {
    find: Box<Find<'a>>,
    batches: Vec<Range<u32>>,
    /// The pairs, if there is one batch.
    only: Option<Pairs>,
    /// Number of pairs, or more if `count` counts some of them repeatedly and there are several batches.
    pub total: u64,
    /// True for each part that is in a pair.
    pub is_in_pair: Vec<bool>,
}

impl<'a> Candidates<'a> {
    /// Finds the pairs of a number of parts, which `count` counts if there may be many. `find` advances the
    /// observer by a number of steps.
    ///
    /// # Errors
    /// Those of `find` and `count`.
    pub fn new(
        parts: usize,
        count: impl FnOnce(&Counts) -> Result<(), CheckError>,
        find: impl Fn(Range<u32>, &dyn Observer) -> Result<Pairs, CheckError> + Sync + 'a,
        (observer, steps): (&dyn Observer, u64),
    ) -> Result<Self, CheckError> {
        observer.begin(Stage::Pairing, steps);
        let find = Box::new(find);
        let mut all = Self { find, batches: Vec::new(), only: None, total: 0, is_in_pair: Vec::new() };
        if (parts as u64).pow(2) / 2 <= MOST {
            all.batches.push(0..to_u32(parts));
        } else {
            let counts = Counts::new(parts);
            count(&counts)?;
            let (lower, is_in_pair) = counts.into_parts();
            all.batches = batches(&lower);
            all.total = lower.into_iter().map(u64::from).sum();
            all.is_in_pair = is_in_pair;
        }
        if all.batches.len() == 1 {
            let pairs = (all.find)(0..to_u32(parts), observer)?;
            all.total = pairs.len() as u64;
            all.is_in_pair = vec![false; parts];
            for part in pairs.iter().flat_map(|&(a, b)| [a, b]) {
                all.is_in_pair[part.index()] = true;
            }
            all.only = Some(pairs);
        }
        Ok(all)
    }

    /// Leaves in `is_in_pair` the parts in open pairs alone. Returns the parts in a pair that is known
    /// already and in no open pair.
    ///
    /// # Errors
    /// Those of `find`.
    pub fn restrict<R>(&mut self, journal: &dyn PairJournal<R>) -> Result<Vec<bool>, CheckError> {
        let parts = self.is_in_pair.len();
        if !journal.is_selective() {
            return Ok(vec![false; parts]);
        }
        let [mut open, mut settled, mut elsewhere] = [0; 3].map(|_| vec![false; parts]);
        let mut at = 0;
        self.for_each(|pairs| {
            for &(a, b) in pairs {
                let is_in = match journal.state(at, [a, b]) {
                    PairState::Pending => &mut open,
                    PairState::Known => &mut settled,
                    PairState::OtherShard => &mut elsewhere,
                };
                (is_in[a.index()], is_in[b.index()]) = (true, true);
                at += 1;
            }
            Ok(())
        })?;
        settled.iter_mut().zip(&open).for_each(|(settled, open)| *settled &= !open);
        self.is_in_pair = open;
        Ok(settled)
    }

    /// Calls `each` with the pairs of every batch, in order.
    ///
    /// # Errors
    /// Those of `find` and `each`.
    pub fn for_each(&self, mut each: impl FnMut(&Pairs) -> Result<(), CheckError>) -> Result<(), CheckError> {
        match &self.only {
            Some(pairs) => each(pairs),
            None => self.batches.iter().try_for_each(|batch| each(&(self.find)(batch.clone(), &Unobserved)?)),
        }
    }
}

/// Cuts the ids into ranges with at most [`MOST`] pairs, or a single id.
fn batches(counts: &[u32]) -> Vec<Range<u32>> {
    let (mut starts, mut pairs) = (Vec::new(), u64::MAX);
    for (id, &count) in counts.iter().enumerate() {
        pairs = pairs.saturating_add(count.into());
        if pairs > MOST {
            starts.push(to_u32(id));
            pairs = count.into();
        }
    }
    let ends = starts.iter().skip(1).copied().chain(once(to_u32(counts.len())));
    starts.iter().copied().zip(ends).map(|(start, end)| start..end).collect()
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;
    use crate::broad::sweep_and_prune::Frame;
    use closefit_geometry::bounds::aabb::Aabb;
    use closefit_geometry::ids::PartId;

    #[test]
    fn batches_are_as_large_as_allowed() {
        let most = MOST as u32;
        assert_eq!(batches(&[]), []);
        assert_eq!(batches(&[0, most, 0, 1]), [0..3, 3..4]);
        assert_eq!(batches(&[most, 0, 1, most - 1, 5, u32::MAX, 2]), [0..2, 2..4, 4..5, 5..6, 6..7]);
    }

    #[test]
    fn every_pair_is_found_in_order() {
        let find = |parts: u32| {
            move |lower: Range<u32>, _: &dyn Observer| {
                Ok(lower.flat_map(|a| (a + 1..parts).map(move |b| (PartId(a), PartId(b)))).collect::<Pairs>())
            }
        };
        let boxes = [Aabb::EMPTY.with(DVec3::ZERO); 2100];
        for (parts, times, batches) in [(2000, 0, 1), (2100, 1, 2), (2100, 3, 4)] {
            let frame = Frame::new(&boxes[..parts as usize], 0.0);
            let count = |counts: &Counts| {
                (0..times).for_each(|_| frame.count(counts, |_| true));
                Ok(())
            };
            let all = Candidates::new(parts as usize, count, find(parts), (&Unobserved, 0)).unwrap();
            let mut found = Pairs::new();
            all.for_each(|pairs| {
                found.extend(pairs);
                Ok(())
            })
            .unwrap();
            assert!(found == find(parts)(0..parts, &Unobserved).unwrap());
            assert_eq!((all.total, all.batches.len()), (found.len() as u64 * times.max(1), batches));
            assert!(all.is_in_pair == vec![true; parts as usize]);
        }
    }
}
