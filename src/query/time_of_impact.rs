//! The time at which two moving parts first come near each other: within half the precision, or another
//! distance.
//!
//! The bracket is a cell's start and its middle: the parts are apart until the start, and near at the middle.
//! The pose at the start of the sweep or after a jump is tested by itself.

use super::pair_sweep::{PairSweep, SweepSearch};
use super::stage_work::StageWork;
use super::touch::{self, Touch};
use crate::bvh::moving::Memory;
use closefit_geometry::motion::cells::Stretch;

/// A bracket of the time at which two parts come near.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct TimeOfImpact {
    /// They are apart until then, from the start or since they last parted.
    pub after: f64,
    /// They are near at this time.
    pub before: f64,
    /// The contact at `before`.
    pub touch: Touch,
}

/// The first contact and, if that is at the very start, the next one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimesOfImpact {
    /// The first contact.
    pub first: TimeOfImpact,
    /// True when the parts are near from the start.
    pub at_start: bool,
    /// A time at which they have parted, if they are near from the start: the first of those that are tested.
    pub parted: Option<f64>,
    /// The first contact after they have parted, if they are near from the start.
    pub again: Option<TimeOfImpact>,
}

/// The finest subdivision of a span at which parts that began in contact are tested for parting: `2^8`
/// pieces.
const PARTINGS: u32 = 8;

/// The cell at which a search begins.
#[derive(Clone, Copy)]
struct Place {
    span: usize,
    cell: u64,
}

/// Returns the first contact and, if that is at the start, the next one.
pub fn contacts(sweep: &PairSweep, searched: &mut SweepSearch) -> Option<TimesOfImpact> {
    let start = sweep.from();
    if sweep.is_near(start, &mut searched.work.continuous) {
        let first = told(sweep, start, start, searched);
        let place = parted(sweep, searched);
        let parted = place.map(|Place { span, cell }| {
            let cells = sweep.cells(span);
            cells.start(cells.cell(cell))
        });
        let again = place.and_then(|place| search(sweep, place, searched));
        return Some(TimesOfImpact { first, at_start: true, parted, again });
    }
    let first = search(sweep, Place { span: 0, cell: 0 }, searched)?;
    Some(TimesOfImpact { first, at_start: false, parted: None, again: None })
}

/// Returns the first contact from a cell on.
fn search(sweep: &PairSweep, from: Place, searched: &mut SweepSearch) -> Option<TimeOfImpact> {
    for span in from.span..sweep.spans() {
        let (cells, start) = (sweep.cells(span), if span == from.span { from.cell } else { 0 });
        if start == 0
            && sweep.jumps_at(cells.from)
            && sweep.is_near(cells.from, &mut searched.work.continuous)
        {
            return Some(told(sweep, cells.from, cells.from, searched));
        }
        let SweepSearch { scratch, work: StageWork { continuous: work, .. } } = searched;
        let range = start..cells.count();
        if let Some(cell) = sweep.moving(span).first_within(range, sweep.near(), scratch, work) {
            let cell = cells.cell(cell);
            return Some(told(sweep, cells.start(cell), cells.middle(cell), searched));
        }
    }
    let end = sweep.to();
    let near = sweep.jumps_at(end) && sweep.is_near(end, &mut searched.work.continuous);
    near.then(|| told(sweep, end, end, searched))
}

fn told(sweep: &PairSweep, after: f64, before: f64, searched: &mut SweepSearch) -> TimeOfImpact {
    let touch = touch::touch(sweep, before, sweep.near(), &mut searched.work.continuous);
    TimeOfImpact { after, before, touch: touch.expect("near at that time") }
}

/// Returns the first time after the start at which the two are not near, among the keyframes and the starts
/// of the `2^min(k, 8)` equal pieces of each span.
fn parted(sweep: &PairSweep, searched: &mut SweepSearch) -> Option<Place> {
    let mut memory = Memory::default();
    for span in 0..sweep.spans() {
        let cells = sweep.cells(span);
        let level = cells.level.min(PARTINGS);
        for index in u64::from(span == 0)..1 << level {
            let time = cells.start(Stretch { level, index });
            if !sweep.is_still_near(time, &mut memory, &mut searched.work.continuous) {
                return Some(Place { span, cell: index << (cells.level - level) });
            }
        }
    }
    None
}
