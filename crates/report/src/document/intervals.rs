//! The intervals of a sweep's pairs.

use serde::{Deserialize, Serialize};

use super::{PressedRow, SweepReport};
use closefit::{Interval, Intervals, Pressed};

/// The stretches of a sweep in which two parts are near each other, in order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct IntervalsRow {
    /// The stretches in which they are in contact, or one lies in the other.
    pub contact: Vec<ContactRow>,
    /// The stretches between those in which it cannot be decided, at some time, if one lies in the other;
    /// absent if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub undecided: Vec<[f64; 2]>,
    /// The stretches in which they may come within the clearance; absent if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub clearance: Vec<IntervalRow>,
}

/// A stretch of a sweep in which two parts are near each other.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct IntervalRow {
    /// A bracket of coming near: they are apart until its start, and near at its end.
    pub enter: [f64; 2],
    /// A bracket of parting: they are near at its start, and apart from its end on.
    pub leave: [f64; 2],
}

/// A stretch of a sweep in which two parts are in contact, or one lies in the other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ContactRow {
    /// Its ends.
    #[serde(flatten)]
    pub interval: IntervalRow,
    /// The largest depth in it, if that is known.
    pub pressed: Option<PressedRow>,
    /// The reason why that is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth_unknown: Option<String>,
}

impl IntervalRow {
    fn new(Interval { enter, leave }: Interval) -> Self {
        Self { enter, leave }
    }
}

impl IntervalsRow {
    pub(super) fn new(found: Intervals) -> Self {
        let Intervals { contact, pressed, undecided, clearance } = found;
        let row = |(interval, pressed): (Interval, Result<Pressed, String>)| {
            let interval = IntervalRow::new(interval);
            let (pressed, depth_unknown) = match pressed {
                Ok(pressed) => (Some(PressedRow::new(pressed)), None),
                Err(why) => (None, Some(why)),
            };
            ContactRow { interval, pressed, depth_unknown }
        };
        Self {
            contact: contact.into_iter().zip(pressed).map(row).collect(),
            undecided,
            clearance: clearance.into_iter().map(IntervalRow::new).collect(),
        }
    }

    /// Returns the stretches of time that certainly have none of these intervals.
    pub fn clear(&self, range: [f64; 2]) -> Vec<[f64; 2]> {
        let near = self.contact.iter().map(|row| &row.interval).chain(&self.clearance);
        let near = near.map(|found| [found.enter[0], found.leave[1]]);
        without(range, near.chain(self.undecided.iter().copied()).collect())
    }
}

impl SweepReport {
    /// Returns the stretches of time in which all pairs are certainly clear of each other, if intervals were
    /// requested.
    pub fn clear(&self) -> Option<Vec<[f64; 2]>> {
        if !self.settings.intervals {
            return None;
        }
        let range = [self.settings.from, self.settings.to];
        let all = self.pairs.iter().filter_map(|pair| pair.intervals.as_deref());
        let closed = all.flat_map(|row| without(range, row.clear(range)));
        Some(without(range, closed.collect()))
    }
}

/// Returns what is left of a stretch of time without others.
fn without([from, to]: [f64; 2], mut others: Vec<[f64; 2]>) -> Vec<[f64; 2]> {
    others.sort_by(|a, b| a[0].total_cmp(&b[0]));
    let (mut left, mut at) = (Vec::new(), from);
    for [start, end] in others {
        if start > at {
            left.push([at, start]);
        }
        at = end.max(at);
    }
    if at < to {
        left.push([at, to]);
    }
    left
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_lies_between() {
        let contact = [[0.0, 1.0], [3.0, 4.0], [3.5, 6.0]];
        let row = |[from, to]: [f64; 2]| ContactRow {
            interval: IntervalRow { enter: [from; 2], leave: [to; 2] },
            pressed: None,
            depth_unknown: None,
        };
        let row = IntervalsRow {
            contact: contact.map(row).to_vec(),
            undecided: vec![[7.0, 8.0]],
            clearance: Vec::new(),
        };
        assert_eq!(row.clear([0.0, 9.0]), [[1.0, 3.0], [6.0, 7.0], [8.0, 9.0]]);
        assert_eq!(row.clear([0.0, 8.0]), [[1.0, 3.0], [6.0, 7.0]]);
        assert_eq!(without([0.0, 1.0], Vec::new()), [[0.0, 1.0]]);
        assert_eq!(without([0.0, 1.0], vec![[0.0, 1.0]]), Vec::<[f64; 2]>::new());
    }
}
