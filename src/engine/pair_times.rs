//! The times of pairs: the slowest, compared with the median.

use std::time::Duration;

use crate::query::stage_work::StageWork;
use closefit_geometry::ids::PartId;

/// Number of times the median pair from which on a pair is slow.
const SLOW: u32 = 1000;

/// Steps of the median in each power of two.
const STEPS: u32 = 8;

/// A pair that took more than a thousand times as long as the median pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SlowPair {
    /// Its parts.
    pub ids: [PartId; 2],
    /// The time that threads spent on it.
    pub time: Duration,
    /// The median of all pairs' times, or up to an eighth more.
    pub median: Duration,
    /// The stage that took longest, and its time.
    pub stage: (&'static str, Duration),
}

/// The times of some pairs.
#[derive(Clone, Debug, Default)]
pub(super) struct PairTimes {
    /// Numbers of pairs by the logarithm of their time.
    counts: Vec<u64>,
    /// The pair that took longest, with its longest stage.
    slowest: Option<([PartId; 2], Duration, (&'static str, Duration))>,
}

impl PairTimes {
    /// Adds a pair.
    pub fn add(&mut self, ids: [PartId; 2], work: &StageWork) {
        let time = work.named().map(|(_, spent)| spent.time).sum();
        let step = step(time);
        if self.counts.len() <= step {
            self.counts.resize(step + 1, 0);
        }
        self.counts[step] += 1;
        if self.slowest.is_none_or(|(_, most, _)| time > most) {
            let stages = work.named().map(|(name, spent)| (name, spent.time));
            let stage = stages.max_by_key(|(_, time)| *time).expect("there are stages");
            self.slowest = Some((ids, time, stage));
        }
    }

    /// Adds the pairs of another thread.
    pub fn join(&mut self, other: Self) {
        let steps = self.counts.len().max(other.counts.len());
        self.counts.resize(steps, 0);
        self.counts.iter_mut().zip(&other.counts).for_each(|(count, more)| *count += more);
        self.slowest = [self.slowest, other.slowest].into_iter().flatten().max_by_key(|slowest| slowest.1);
    }

    /// Returns the slowest pair, if it took far longer than the median pair.
    pub fn slow(&self) -> Option<SlowPair> {
        let (ids, time, stage) = self.slowest?;
        let half = self.counts.iter().sum::<u64>().div_ceil(2);
        let mut below = 0;
        let median = self.counts.iter().position(|count| {
            below += count;
            below >= half
        })?;
        let median = end_of(median);
        (time > median * SLOW).then_some(SlowPair { ids, time, median, stage })
    }
}

/// Returns the number of the step, of times below a power of two, in which a time lies.
fn step(time: Duration) -> usize {
    let nanoseconds = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX).max(1);
    let power = nanoseconds.ilog2();
    let part = (u128::from(nanoseconds) * u128::from(STEPS)) >> power;
    (power * STEPS) as usize + part as usize - STEPS as usize
}

/// Returns the time at which a step ends.
fn end_of(step: usize) -> Duration {
    let (power, part) = (step as u32 / STEPS, step as u32 % STEPS);
    let end = (u128::from(STEPS + part + 1) << power) / u128::from(STEPS);
    Duration::from_nanos(u64::try_from(end).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::narrow::{Spent, Work};

    fn pair(a: u32, nanoseconds: u64) -> ([PartId; 2], StageWork) {
        let spent = |time| Spent { tests: Work::NONE, time: Duration::from_nanos(time) };
        let work = StageWork {
            contacts: spent(nanoseconds / 4),
            distance: spent(nanoseconds * 3 / 4),
            ..Default::default()
        };
        ([PartId(a), PartId(a + 1)], work)
    }

    fn times(of: &[u64]) -> PairTimes {
        let mut times = PairTimes::default();
        for (a, &time) in (0..).zip(of) {
            let (ids, work) = pair(a, time);
            times.add(ids, &work);
        }
        times
    }

    #[test]
    fn a_pair_is_slow_beside_the_median() {
        assert_eq!(PairTimes::default().slow(), None);
        assert_eq!(times(&[5_000_000]).slow(), None, "alone, it is the median");
        assert_eq!(times(&[400, 800, 1200, 800_000]).slow(), None);
        let slow = times(&[400, 800, 1200, 4_000_000]).slow().expect("a slow pair");
        assert_eq!((slow.ids, slow.time), ([PartId(3), PartId(4)], Duration::from_millis(4)));
        assert_eq!(slow.stage, ("distance", Duration::from_millis(3)));
        assert!((800..=900).contains(&slow.median.as_nanos()), "{:?}", slow.median);
    }

    #[test]
    fn threads_are_joined_in_any_order() {
        let parts = [times(&[400, 800]), times(&[1200, 4_000_000]), PairTimes::default()];
        for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2]] {
            let mut all = PairTimes::default();
            order.iter().for_each(|&i: &usize| all.join(parts[i].clone()));
            assert_eq!(all.slow().map(|slow| slow.time), Some(Duration::from_millis(4)));
            assert_eq!(all.counts.iter().sum::<u64>(), 4);
        }
    }

    #[test]
    fn steps_are_an_eighth() {
        for nanoseconds in (1..5000).chain([1 << 40, u64::MAX / 2]) {
            let end = end_of(step(Duration::from_nanos(nanoseconds))).as_nanos();
            let least = u128::from(nanoseconds);
            assert!(end >= least && end <= least + least / 8 + 1, "{nanoseconds}: {end}");
        }
    }
}
