//! Finds the smallest distance over a range of cells.

use std::ops::Range;

use crate::narrow::Work;
use closefit_geometry::motion::cells::Cells;

/// Two moving parts, as the search for their smallest distance needs them.
pub trait Approach {
    /// Returns the cells of their time.
    fn cells(&self) -> &Cells;

    /// Returns the first of a range of cells at whose middle the two are within `limit` of each other.
    fn first_within(&mut self, range: Range<u64>, limit: f64, work: &mut Work) -> Option<u64>;

    /// True if the two are within `bound` of each other at a time.
    fn is_within(&self, time: f64, bound: f64, work: &mut Work) -> bool;

    /// Returns the distance at a time and its rate of change.
    fn slope(&self, time: f64, work: &mut Work) -> (f64, f64);
}

/// Finds the cell with the smallest distance at its middle, in steps of `unit`, rounded up. Returns the
/// number of steps and the first such cell of the range, or `None` if no cell has fewer than `below` steps.
pub fn lowest(
    pair: &mut impl Approach,
    range: Range<u64>,
    unit: f64,
    below: u64,
    work: &mut Work,
) -> Option<(u64, u64)> {
    if range.is_empty() {
        return None;
    }
    // No cell from `from` on has fewer steps than `floor`; every cell before it has more than `steps`.
    let (mut from, mut floor, mut steps, mut best) = (range.start, 0, below, None);
    let mut slow = false;
    // Parts that are near at the first cell need no search for a first time among all their boxes.
    let start = middle(pair, from);
    let mut known = pair.is_within(start, steps.saturating_sub(1) as f64 * unit, work).then_some(from);
    while floor < steps {
        // If a descent gained little, the next may too; bisecting the remaining range always ends soon.
        let aim = if slow { floor + (steps - 1 - floor) / 2 } else { steps - 1 };
        let found = known.take().or_else(|| pair.first_within(from..range.end, aim as f64 * unit, work));
        let Some(found) = found else {
            floor = aim + 1;
            continue;
        };
        let (distance, cell) = descend(pair, found, range.end, unit, work);
        let reached = steps_of(distance, unit);
        slow = reached.saturating_sub(floor) > (steps - floor) / 2;
        (from, steps, best) = (found, reached, Some(cell));
    }
    let cell = best?;
    let first = pair.first_within(from..cell, steps as f64 * unit, work);
    Some((steps, first.unwrap_or(cell)))
}

/// Returns the smallest `j` with `distance <= j * unit`.
pub fn steps_of(distance: f64, unit: f64) -> u64 {
    let mut steps = (distance / unit).ceil() as u64;
    while steps > 0 && (steps - 1) as f64 * unit >= distance {
        steps -= 1;
    }
    while (steps as f64) * unit < distance {
        steps += 1;
    }
    steps
}

/// Number of distances sampled to see where in a range they are small.
const SAMPLES: u64 = 8;

fn middle(pair: &impl Approach, cell: u64) -> f64 {
    pair.cells().middle(pair.cells().cell(cell))
}

/// Returns a small distance and a cell that has it, at or after a given cell: samples some cells ahead and
/// follows the slope downhill from the best. Proves nothing.
fn descend(pair: &impl Approach, from: u64, end: u64, unit: f64, work: &mut Work) -> (f64, u64) {
    let cells = pair.cells();
    let (ahead, width) = (end - from, (cells.to - cells.from) / cells.count() as f64);
    let (mut best, mut slope) = ((f64::INFINITY, from), 0.0);
    for sample in 0..SAMPLES.min(ahead) {
        let cell = from + (u128::from(ahead) * u128::from(sample) / u128::from(SAMPLES)) as u64;
        let (distance, change) = pair.slope(middle(pair, cell), work);
        if distance < best.0 {
            (best, slope) = ((distance, cell), change);
        }
    }
    let stride = ahead / SAMPLES + 1;
    let (mut lo, mut hi) = if slope < 0.0 {
        (best.1, best.1.saturating_add(stride).min(end - 1))
    } else {
        (best.1.saturating_sub(stride).max(from), best.1)
    };
    let mut at = best.1;
    while hi - lo > 1 && best.0 > 0.0 {
        // Stop if this slope can gain no more than a fraction of a step in the remaining range.
        if slope.abs() * width * ((hi - lo) as f64) < 0.25 * unit {
            break;
        }
        at = if at == lo || at == hi { lo + (hi - lo) / 2 } else { at };
        let (distance, change) = pair.slope(middle(pair, at), work);
        slope = change;
        if distance < best.0 {
            best = (distance, at);
        }
        if change < 0.0 {
            lo = at;
        } else {
            hi = at;
        }
        at = lo;
    }
    best
}
