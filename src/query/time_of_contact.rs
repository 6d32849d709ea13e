//! When do two moving parts first come near each other: within half the precision, or another distance?
//!
//! The answer is a cell's start and its middle: the parts are apart until the one, and near at the other. A
//! pose that holds at once, at the start or where a motion jumps, is looked at by itself.

use super::passage::{Passage, Searched};
use super::touch::{self, Touch};
use crate::hierarchy::Hierarchy;
use crate::motion::cells::Stretch;

/// A bracket of the time at which two parts come together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeOfContact {
    /// They are apart until then, since the start or since they last parted.
    pub after: f64,
    /// They are near then.
    pub before: f64,
    /// How, at `before`.
    pub touch: Touch,
}

/// First and second contact, where the first is at the very start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contacts {
    /// The first.
    pub first: TimeOfContact,
    /// True where the parts are near from the start.
    pub at_start: bool,
    /// If so, the first after they have parted.
    pub again: Option<TimeOfContact>,
}

/// The finest parts of a span at which parts that began in contact are looked at: `2^8` of them.
const PARTINGS: u32 = 8;

/// Where a search begins.
#[derive(Clone, Copy)]
struct Place {
    span: usize,
    cell: u64,
}

/// The first contact, and what comes after it where it is at the start.
pub fn contacts<T: Hierarchy>(passage: &Passage<T>, searched: &mut Searched<T>) -> Option<Contacts> {
    let start = passage.from();
    if passage.is_near(start, &mut searched.work) {
        let first = told(passage, start, start, searched);
        let again = parted(passage, searched).and_then(|place| search(passage, place, searched));
        return Some(Contacts { first, at_start: true, again });
    }
    let first = search(passage, Place { span: 0, cell: 0 }, searched)?;
    Some(Contacts { first, at_start: false, again: None })
}

/// The first contact from a place on.
fn search<T: Hierarchy>(
    passage: &Passage<T>,
    from: Place,
    searched: &mut Searched<T>,
) -> Option<TimeOfContact> {
    for span in from.span..passage.spans() {
        let (cells, start) = (passage.cells(span), if span == from.span { from.cell } else { 0 });
        if start == 0 && passage.jumps_at(cells.from) && passage.is_near(cells.from, &mut searched.work) {
            return Some(told(passage, cells.from, cells.from, searched));
        }
        let Searched { scratch, work } = searched;
        let range = start..cells.count();
        if let Some(cell) = passage.moving(span).first_within(range, passage.near(), scratch, work) {
            let cell = cells.cell(cell);
            return Some(told(passage, cells.start(cell), cells.middle(cell), searched));
        }
    }
    let end = passage.to();
    let near = passage.jumps_at(end) && passage.is_near(end, &mut searched.work);
    near.then(|| told(passage, end, end, searched))
}

fn told<T: Hierarchy>(
    passage: &Passage<T>,
    after: f64,
    before: f64,
    searched: &mut Searched<T>,
) -> TimeOfContact {
    let touch = touch::touch(passage, before, passage.near(), &mut searched.work);
    TimeOfContact { after, before, touch: touch.expect("near at that time") }
}

/// The first keyframe after the start, or `2^min(k, 8)`-th part of a span, at which the two are not near.
fn parted<T: Hierarchy>(passage: &Passage<T>, searched: &mut Searched<T>) -> Option<Place> {
    for span in 0..passage.spans() {
        let cells = passage.cells(span);
        let level = cells.level.min(PARTINGS);
        for index in u64::from(span == 0)..1 << level {
            if !passage.is_near(cells.start(Stretch { level, index }), &mut searched.work) {
                return Some(Place { span, cell: index << (cells.level - level) });
            }
        }
    }
    None
}
