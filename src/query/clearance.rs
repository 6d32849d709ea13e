//! The smallest distance of two moving parts that never meet.

use super::pair_sweep::{PairSweep, SweepSearch};
use super::stage_work::StageWork;
use super::time_of_impact::TimeOfImpact;
use crate::continuous::lowest::steps_of;

/// A bracket of the smallest distance over a motion, no wider than the precision.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Clearance {
    /// A lower bound of the distance at all times.
    pub at_least: f64,
    /// The distance at `at`.
    pub at_most: f64,
    /// A time at which the distance is `at_most`.
    pub at: f64,
}

impl Clearance {
    /// The clearance of parts that meet: from 0 to their distance at the time of contact.
    pub fn in_contact(first: &TimeOfImpact) -> Self {
        Self { at_least: 0.0, at_most: first.touch.distance, at: first.before }
    }
}

/// Returns the smallest clearance of a pair that is never within half the precision, or `None` if its
/// `at_least` exceeds `limit`.
///
/// Distances are counted in steps of half the precision, rounded up. The result comes from the smallest count
/// over the middles of all cells, at the first cell that has it. A jump at the very end counts as a cell of
/// its own.
pub fn clearance(sweep: &PairSweep, limit: f64, searched: &mut SweepSearch) -> Option<Clearance> {
    let unit = sweep.unit();
    let mut below = steps_beyond(limit, unit);
    let mut closest = None;
    for span in 0..sweep.spans() {
        let (moving, cells) = (sweep.moving(span), sweep.cells(span));
        let SweepSearch { scratch, work: StageWork { continuous: work, .. } } = searched;
        if let Some((steps, cell)) = moving.lowest(0..cells.count(), unit, below, scratch, work) {
            below = steps;
            closest = Some((steps, cells.middle(cells.cell(cell))));
        }
    }
    let end = sweep.to();
    if sweep.jumps_at(end)
        && let Some(nearest) = sweep.nearest(end, below as f64 * unit, &mut searched.work.continuous)
    {
        let steps = steps_of(nearest.distance, unit);
        if steps < below {
            closest = Some((steps, end));
        }
    }
    let (steps, at) = closest?;
    let nearest = sweep.nearest(at, steps as f64 * unit, &mut searched.work.continuous);
    let at_most = nearest.expect("as close as that").distance;
    Some(Clearance { at_least: at_least(steps, unit), at_most, at })
}

/// Returns the largest distance with which the search for a clearance up to `limit` compares the distances of
/// cells.
pub fn largest_compared(limit: f64, unit: f64) -> f64 {
    (steps_beyond(limit, unit) - 1) as f64 * unit
}

/// Returns the lower bound at all times that follows from a number of steps at the middles of cells. It is
/// two steps fewer: between two middles the distance changes by at most one step, and rounding up added up to
/// another.
fn at_least(steps: u64, unit: f64) -> f64 {
    steps.saturating_sub(2) as f64 * unit
}

/// Returns the smallest number of steps for which `at_least` exceeds a limit. All limits of 2^52 steps or
/// more give 2^53: no pair is cut into cells if a step is so small a part of its distance.
fn steps_beyond(limit: f64, unit: f64) -> u64 {
    const MOST: f64 = (1u64 << 52) as f64;
    let ratio = limit / unit;
    if ratio.is_nan() || ratio >= MOST {
        return 1 << 53;
    }
    let mut steps = ratio as u64 + 2;
    while steps > 2 && at_least(steps - 1, unit) > limit {
        steps -= 1;
    }
    while at_least(steps, unit) <= limit {
        steps += 1;
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn steps_beyond_is_the_first(limit in 0.0..10.0f64, unit in 1e-9..1.0f64) {
            let steps = steps_beyond(limit, unit);
            prop_assert!(at_least(steps, unit) > limit && at_least(steps - 1, unit) <= limit);
        }
    }

    #[test]
    fn limits_of_every_size() {
        assert_eq!(steps_beyond(0.0, 1e-3), 3);
        assert_eq!(steps_beyond(1.0, 0.5), 5);
        assert_eq!(steps_beyond(f64::INFINITY, 1e-3), 1 << 53);
        assert_eq!(steps_beyond(1.0, f64::MIN_POSITIVE), 1 << 53);
    }
}
