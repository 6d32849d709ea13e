//! All stretches of a motion in which two parts are near each other, or one lies in the other.
//!
//! The cells of the motion, and the poses that hold at once (the start, and after a jump), are a row of
//! *places*. A place is near if the distance is within the limit at the middle of the cell, or at the pose.
//! An interval is a run of places that are near. Its ends are brackets as for a time of contact: at a cell
//! that is not near, the parts are farther apart than the limit less half the precision throughout.

use std::ops::Range;

use super::Containment;
use super::containment::containment;
use super::entering::entered;
use super::lasting::NearWalk;
use super::pair_sweep::{PairSweep, SweepSearch};
use super::pressed::{Pressed, pressed_quickly};
use super::stage_work::StageWork;
use closefit_geometry::motion::cells::Cells;

/// A stretch of time in which two parts are near each other.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Interval {
    /// The times between which they come near: apart until the first, near at the second. Both are the start,
    /// or the time of a jump, if they are near at once there.
    pub enter: [f64; 2],
    /// The times between which they part: near at the first, apart from the second on. Both are the end if
    /// they are near until then.
    pub leave: [f64; 2],
}

/// The intervals of a pair over a sweep, each list in order of time.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Intervals {
    /// The stretches in which the parts are in contact, or one lies in the other's solid.
    pub contact: Vec<Interval>,
    /// The largest depth in each of these, or the reason why that is unknown.
    pub pressed: Vec<Result<Pressed, String>>,
    /// The stretches between those in which it cannot be decided, at some time, if one lies in the other.
    pub undecided: Vec<[f64; 2]>,
    /// The stretches in which the surfaces may come within the clearance, if there is one.
    pub clearance: Vec<Interval>,
}

impl Intervals {
    /// Returns the memory in bytes.
    pub fn bytes(&self) -> usize {
        let Self { contact, pressed, undecided, clearance } = self;
        let reasons = pressed.iter().filter_map(|found| found.as_ref().err());
        size_of::<Self>()
            + size_of_val(&contact[..])
            + size_of_val(&pressed[..])
            + reasons.map(String::len).sum::<usize>()
            + size_of_val(&undecided[..])
            + size_of_val(&clearance[..])
    }
}

/// Largest number of intervals of a pair.
pub const MOST_INTERVALS: usize = 1 << 16;

/// The refusal of more intervals than [`MOST_INTERVALS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooManyIntervals;

/// Returns the intervals of a pair within half the precision, and within a clearance. A cell is within the
/// clearance if its middle is within that and half the precision more: so in no other cell do the parts come
/// within it. Open shells count for containment as a tolerance says.
///
/// # Errors
/// [`TooManyIntervals`].
pub fn intervals(
    sweep: &PairSweep,
    [clearance, tolerance]: [f64; 2],
    searched: &mut SweepSearch,
) -> Result<Intervals, TooManyIntervals> {
    let Near { intervals: touching, cells } = near(sweep, &[], searched)?;
    let (contact, undecided) = with_containment(sweep, touching, tolerance, &mut searched.work);
    let clearance = match clearance > 0.0 {
        // What is in contact is within the clearance.
        true => near(&sweep.clone().within(clearance + sweep.unit()), &cells, searched)?.intervals,
        false => Vec::new(),
    };
    let of_stretch = |&Interval { enter, leave }: &Interval| {
        pressed_quickly(sweep, [enter[0], leave[1]], tolerance, searched).map_err(|unknown| unknown.why)
    };
    let pressed = contact.iter().map(of_stretch).collect();
    Ok(Intervals { contact, pressed, undecided, clearance })
}

/// The stretches in which the surfaces are near.
#[derive(Default)]
struct Near {
    intervals: Vec<Interval>,
    /// The same as spans with cells, in order.
    cells: Vec<(usize, Range<u64>)>,
}

/// Returns the stretches in which the surfaces are near. They are known to be near in some cells.
fn near(
    sweep: &PairSweep,
    known: &[(usize, Range<u64>)],
    searched: &mut SweepSearch,
) -> Result<Near, TooManyIntervals> {
    let mut run = Run::default();
    let mut walk = NearWalk::default();
    for (span, known) in (0..sweep.spans()).map(|span| (span, of_span(known, span))) {
        let from = sweep.cells(span).from;
        if span == 0 || sweep.jumps_at(from) {
            if sweep.is_near(from, &mut searched.work.continuous) {
                run.near([from; 2], [from; 2]);
            } else {
                run.end()?;
            }
        }
        cells_of(sweep, (span, known), &mut run, &mut walk, searched)?;
    }
    let end = sweep.to();
    if (run.open.is_some() || sweep.jumps_at(end)) && sweep.is_near(end, &mut searched.work.continuous) {
        run.near([end; 2], [end; 2]);
    }
    run.end()?;
    Ok(run.found)
}

/// Returns the cells, in order of their spans, that belong to one.
fn of_span(cells: &[(usize, Range<u64>)], span: usize) -> &[(usize, Range<u64>)] {
    let [from, to] = [span, span + 1].map(|span| cells.partition_point(|(of, _)| *of < span));
    &cells[from..to]
}

/// Finds the next cell within the clearance, then extends it while a bound keeps it there, over a span. The
/// surfaces are known to be near in some cells.
fn cells_of(
    sweep: &PairSweep,
    (span, known): (usize, &[(usize, Range<u64>)]),
    run: &mut Run,
    walk: &mut NearWalk,
    searched: &mut SweepSearch,
) -> Result<(), TooManyIntervals> {
    let (cells, moving, limit) = (sweep.cells(span), sweep.moving(span), sweep.near());
    let SweepSearch { scratch, work: StageWork { continuous: work, .. } } = searched;
    let mut known = known.iter().map(|(_, cells)| cells).peekable();
    let mut cell = 0;
    while cell < cells.count() {
        while known.next_if(|known| known.end <= cell).is_some() {}
        let next_known = known.peek().map_or(cells.count(), |known| known.start);
        if run.open.is_none() && cell < next_known {
            cell = moving.first_within(cell..next_known, limit, scratch, work).unwrap_or(next_known);
            if cell == cells.count() {
                break;
            }
        }
        let last = match known.peek() {
            Some(known) if known.contains(&cell) => Some(known.end - 1),
            _ => walk.last_near(&moving, cell, limit, work),
        };
        match last {
            Some(last) => {
                run.near_cells(cells, (span, cell..last + 1));
                cell = last + 1;
            }
            None => {
                run.end()?;
                cell += 1;
            }
        }
    }
    Ok(())
}

/// Returns the bracket of coming near in a cell.
fn ends_before(cells: &Cells, cell: u64) -> [f64; 2] {
    let cell = cells.cell(cell);
    [cells.start(cell), cells.middle(cell)]
}

/// Returns the bracket of parting after a cell.
fn ends_after(cells: &Cells, cell: u64) -> [f64; 2] {
    let end = if cell + 1 == cells.count() { cells.to } else { cells.start(cells.cell(cell + 1)) };
    [cells.middle(cells.cell(cell)), end]
}

/// The runs found so far, and the one that may go on.
#[derive(Default)]
struct Run {
    found: Near,
    open: Option<Interval>,
}

impl Run {
    /// Takes the next places, which are near: the brackets of coming near in the first and of parting after
    /// the last.
    fn near(&mut self, enter: [f64; 2], leave: [f64; 2]) {
        self.open.get_or_insert(Interval { enter, leave }).leave = leave;
    }

    /// Takes the next cells of a span, which are near.
    fn near_cells(&mut self, cells: &Cells, (span, range): (usize, Range<u64>)) {
        self.near(ends_before(cells, range.start), ends_after(cells, range.end - 1));
        match self.found.cells.last_mut() {
            Some((of, before)) if *of == span && before.end == range.start => before.end = range.end,
            _ => self.found.cells.push((span, range)),
        }
    }

    /// Ends the run: the next place is not near.
    fn end(&mut self) -> Result<(), TooManyIntervals> {
        self.found.intervals.extend(self.open.take());
        if self.found.intervals.len() > MOST_INTERVALS { Err(TooManyIntervals) } else { Ok(()) }
    }
}

/// The state of a pair throughout a stretch of time.
#[derive(Clone, Copy, PartialEq)]
enum State {
    /// The parts share space, or touch.
    Shared,
    /// It cannot be decided if one lies in the other.
    Undecided,
    /// They are apart, and neither lies in the other.
    Free,
}

/// Joins the stretches of contact with those between in which one part lies in the other. Returns all that
/// are then left, and those in which that cannot be decided.
fn with_containment(
    sweep: &PairSweep,
    touching: Vec<Interval>,
    tolerance: f64,
    work: &mut StageWork,
) -> (Vec<Interval>, Vec<[f64; 2]>) {
    let mut free_from = sweep.from();
    let end = [sweep.to(); 2];
    let is_near_at_end = touching.last().is_some_and(|last| last.leave == end);
    let mut stretches: Vec<(State, Interval)> = Vec::new();
    for next in touching.into_iter().map(Some).chain([None]) {
        let free_to = next.map_or(sweep.to(), |next| next.enter[0]);
        // Two stretches of contact may have no more between them than the moment of a jump.
        if free_from < free_to || (next.is_some() && !stretches.is_empty()) {
            for [from, to] in pieces(sweep, [free_from, free_to]) {
                let state = between(sweep, [from, to], tolerance, work);
                stretches.push((state, Interval { enter: [from; 2], leave: [to; 2] }));
            }
        }
        if let Some(next) = next {
            stretches.push((State::Shared, next));
            free_from = next.leave[1];
        }
    }
    // A jump at the end leaves no more than its moment.
    if sweep.jumps_at(sweep.to()) && !is_near_at_end {
        stretches.push((between(sweep, end, tolerance, work), Interval { enter: end, leave: end }));
    }
    let (mut joined, mut before) = (Vec::<Interval>::new(), State::Free);
    for &(state, stretch) in &stretches {
        match joined.last_mut() {
            _ if state != State::Shared => {}
            Some(last) if before == State::Shared => last.leave = stretch.leave,
            _ => joined.push(stretch),
        }
        before = state;
    }
    let undecided = stretches.iter().filter(|(state, _)| *state == State::Undecided);
    (joined, undecided.map(|(_, stretch)| [stretch.enter[0], stretch.leave[1]]).collect())
}

/// Returns the first containment by open shells between stretches of contact.
pub(super) fn entered_apart(sweep: &PairSweep, tolerance: f64, searched: &mut SweepSearch) -> Containment {
    if !sweep.has_incomplete_solid() {
        return Containment::None;
    }
    let Ok(Near { intervals: touching, .. }) = near(sweep, &[], searched) else {
        return Containment::Undecidable("they touch too often to be asked in between".to_owned());
    };
    let starts = [sweep.from()].into_iter().chain(touching.iter().map(|touching| touching.leave[1]));
    let ends = touching.iter().map(|touching| touching.enter[0]).chain([sweep.to()]);
    let apart = starts.zip(ends).filter(|(from, to)| from < to);
    searched.work.containment.ask(|| {
        let mut found = apart.map(|(from, to)| entered(sweep, [from, to], tolerance));
        found.find(|found| *found != Containment::None).unwrap_or(Containment::None)
    })
}

/// Cuts a stretch of time at the jumps inside.
fn pieces(sweep: &PairSweep, [from, to]: [f64; 2]) -> Vec<[f64; 2]> {
    let cuts: Vec<f64> = std::iter::once(from).chain(sweep.jumps_inside([from, to])).chain([to]).collect();
    cuts.windows(2).map(|piece| [piece[0], piece[1]]).collect()
}

/// Returns the state throughout a stretch without contact and jumps: that at any time in it, but undecided
/// where an open shell might hold a part at some time.
fn between(sweep: &PairSweep, [from, to]: [f64; 2], tolerance: f64, work: &mut StageWork) -> State {
    let contained = work.containment.ask(|| {
        let at_middle = sweep.ask_at(0.5 * from + 0.5 * to, |pair| {
            let [a, b] = pair.bodies();
            containment(a, b, tolerance)
        });
        match at_middle {
            Containment::None => entered(sweep, [from, to], tolerance),
            known => known,
        }
    });
    match contained {
        Containment::None => State::Free,
        Containment::Undecidable(_) => State::Undecided,
        Containment::AInB | Containment::BInA => State::Shared,
    }
}
