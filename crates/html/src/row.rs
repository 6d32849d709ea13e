//! Rows of a report as the page lists them.

use closefit_report::document::{ContainedRow, IntervalRow, MovingPairRow, PairRow, Word};
use closefit_views::Shown;

/// A listed pair, of a check or of a sweep, as the page lists it.
pub trait Row: Shown {
    /// Returns the bounds of its depth, or of its distance.
    fn size(&self) -> Option<[f64; 2]>;

    /// Returns the number of pairs of triangles in contact, as far as they were counted.
    fn contacts(&self) -> u64;

    /// Returns what is special about it: one part in the other, a duplicate, or a crossing.
    fn how(&self) -> Option<&'static str>;

    /// Returns what a waiver says about it.
    fn status(&self) -> Option<&'static str>;

    /// Returns the times between which the parts come into contact.
    fn contact_times(&self) -> Option<[f64; 2]>;

    /// Returns the stretches of time in which the parts are in contact, and those in which they may come
    /// within the clearance, if they are known.
    fn intervals(&self) -> Option<[Vec<[f64; 2]>; 2]>;

    /// Returns the bounds of the depth to which parts in contact from the start are pressed, and its time.
    fn pressed(&self) -> Option<[f64; 3]>;
}

impl Row for PairRow {
    fn size(&self) -> Option<[f64; 2]> {
        match self.depth {
            Some(depth) => Some([depth.at_least, depth.at_most]),
            None => self.known_distance().filter(|&distance| distance > 0.0).map(|distance| [distance; 2]),
        }
    }

    fn contacts(&self) -> u64 {
        self.contacts
    }

    fn how(&self) -> Option<&'static str> {
        match self.contained.as_deref() {
            _ if self.duplicate => Some("duplicate"),
            Some(ContainedRow::Known(inside)) => Some(inside.word()),
            _ => self.crossing.then_some("crossing"),
        }
    }

    fn status(&self) -> Option<&'static str> {
        self.status.status.map(Word::word)
    }

    fn contact_times(&self) -> Option<[f64; 2]> {
        None
    }

    fn intervals(&self) -> Option<[Vec<[f64; 2]>; 2]> {
        None
    }

    fn pressed(&self) -> Option<[f64; 3]> {
        None
    }
}

impl Row for MovingPairRow {
    fn size(&self) -> Option<[f64; 2]> {
        self.clearance.map(|clearance| [clearance.at_least, clearance.at_most])
    }

    fn contacts(&self) -> u64 {
        0
    }

    fn how(&self) -> Option<&'static str> {
        match &self.contained {
            Some(ContainedRow::Known(inside)) => Some(inside.word()),
            _ => None,
        }
    }

    fn status(&self) -> Option<&'static str> {
        None
    }

    fn contact_times(&self) -> Option<[f64; 2]> {
        self.contact().map(|contact| [contact.after, contact.before])
    }

    fn intervals(&self) -> Option<[Vec<[f64; 2]>; 2]> {
        let found = self.intervals.as_deref()?;
        let stretch = |row: &IntervalRow| [row.enter[0], row.leave[1]];
        let contact = found.contact.iter().map(|row| stretch(&row.interval));
        let contact = contact.chain(found.undecided.iter().copied()).collect();
        Some([contact, found.clearance.iter().map(stretch).collect()])
    }

    fn pressed(&self) -> Option<[f64; 3]> {
        self.pressed.flatten().map(|found| [found.at_least, found.at_most, found.at])
    }
}
