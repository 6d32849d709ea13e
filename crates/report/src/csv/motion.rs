//! `intervals.csv` and `trace.csv` of a sweep.

use std::io::{self, Write};

use super::write_rows;
use crate::columns::Cell;
use crate::document::{ContactRow, IntervalRow, MovingPairRow, PressedRow, Sides, SweepReport, TraceRow};

/// Writes a row for each interval of each pair as CSV, with a header.
///
/// # Errors
/// Whatever the writer returns.
pub fn write_intervals(report: &SweepReport, writer: &mut dyn Write) -> io::Result<()> {
    let ends = ["enter_after", "enter_before", "leave_after", "leave_before"];
    let pressed = ["pressed_at_least", "pressed_at_most", "pressed_at", "depth_unknown"];
    let header = ["key", "a", "b", "of"].into_iter().chain(ends).chain(pressed);
    let rows: Vec<IntervalOfPair> = report.pairs.iter().flat_map(intervals_of).collect();
    write_rows(writer, header, &rows, |row| {
        let Sides { key, a, b, .. } = &row.pair.sides;
        let texts = [&**key, a, b, row.of].map(|text| Cell::Text(text.into()));
        let times = row.ends.into_iter().flatten().map(Cell::Number);
        let pressed = row.contact.and_then(|contact| contact.pressed);
        let depths: [fn(PressedRow) -> f64; 3] = [|row| row.at_least, |row| row.at_most, |row| row.at];
        let depths = depths.map(|value| Cell::optional(pressed.map(value)));
        let why = row.contact.and_then(|contact| contact.depth_unknown.as_deref());
        texts.into_iter().chain(times).chain(depths).chain([Cell::known(why)])
    })
}

/// An interval of a pair.
struct IntervalOfPair<'r> {
    pair: &'r MovingPairRow,
    /// The word for the kind of interval.
    of: &'static str,
    /// The brackets of its two ends.
    ends: [[f64; 2]; 2],
    /// The row of a contact, with what is pressed.
    contact: Option<&'r ContactRow>,
}

fn intervals_of(pair: &MovingPairRow) -> impl Iterator<Item = IntervalOfPair<'_>> {
    pair.intervals.iter().flat_map(move |found| {
        let row = move |of, ends, contact| IntervalOfPair { pair, of, ends, contact };
        let ends = |row: &IntervalRow| [row.enter, row.leave];
        let contact =
            found.contact.iter().map(move |found| row("contact", ends(&found.interval), Some(found)));
        let undecided =
            found.undecided.iter().map(move |&[from, to]| row("undecided", [[from; 2], [to; 2]], None));
        let clearance = found.clearance.iter().map(move |found| row("clearance", ends(found), None));
        contact.chain(undecided).chain(clearance)
    })
}

/// Writes rows of time and distance as CSV, with a header.
///
/// # Errors
/// Whatever the writer returns.
pub fn write_trace(trace: &TraceRow, writer: &mut dyn Write) -> io::Result<()> {
    let header = ["time", "distance"].into_iter();
    write_rows(writer, header, &trace.distances, |row| row.iter().map(|&x| Cell::Number(x)))
}
