//! The `pairs.csv` and `trace.csv` of a sweep.

use std::io::{self, Write};

use super::{in_memory, write_rows};
use crate::columns::Cell;
use crate::document::{IntervalRow, MovingPairRow, Sides, SweepReport, TraceRow};

/// Returns the pairs of a sweep as CSV, with a header.
pub fn pairs(report: &SweepReport) -> Vec<u8> {
    in_memory(|writer| write_pairs(report, writer))
}

/// Writes the pairs of a sweep as CSV, with a header.
///
/// # Errors
/// Those of the writer.
pub fn write_pairs(report: &SweepReport, writer: &mut dyn Write) -> io::Result<()> {
    super::write_pairs(writer, report)
}

/// Writes a row for each interval of each pair as CSV, with a header.
///
/// # Errors
/// Those of the writer.
pub fn write_intervals(report: &SweepReport, writer: &mut dyn Write) -> io::Result<()> {
    let header = ["key", "a", "b", "of", "enter_after", "enter_before", "leave_after", "leave_before"];
    let rows: Vec<IntervalOfPair> = report.pairs.iter().flat_map(intervals_of).collect();
    write_rows(writer, header.into_iter(), &rows, |(pair, of, [enter, leave])| {
        let Sides { key, a, b, .. } = &pair.sides;
        let texts = [Cell::Text(key.as_str().into()), Cell::Text((&**a).into()), Cell::Text((&**b).into())];
        let times = enter.iter().chain(leave).map(|&time| Cell::Number(time));
        texts.into_iter().chain([Cell::Text((*of).into())]).chain(times)
    })
}

/// A pair, what an interval is of, and its two brackets.
type IntervalOfPair<'r> = (&'r MovingPairRow, &'static str, [[f64; 2]; 2]);

fn intervals_of(pair: &MovingPairRow) -> impl Iterator<Item = IntervalOfPair<'_>> {
    let all = pair.intervals.iter().flat_map(move |found| {
        let row = |of: &'static str| move |row: &IntervalRow| (of, [row.enter, row.leave]);
        let contact = found.contact.iter().map(row("contact"));
        let undecided = found.undecided.iter().map(|&[from, to]| ("undecided", [[from; 2], [to; 2]]));
        contact.chain(undecided).chain(found.clearance.iter().map(row("clearance")))
    });
    all.map(move |(of, brackets)| (pair, of, brackets))
}

/// Writes rows of time and distance as CSV, with a header.
///
/// # Errors
/// Those of the writer.
pub fn write_trace(trace: &TraceRow, writer: &mut dyn Write) -> io::Result<()> {
    let header = ["time", "distance"].into_iter();
    write_rows(writer, header, &trace.distances, |row| row.iter().map(|&x| Cell::Number(x)))
}
