//! The `pairs.csv` and `trace.csv` of a sweep.

use std::io::{self, Write};

use super::cell::Cell;
use super::{Column, in_memory, write_rows};
use crate::document::word::Word;
use crate::document::{ClearanceRow, MovingPairRow, SweepReport, TimeOfContactRow, TraceRow};

const COLUMNS: [Column<MovingPairRow>; 19] = [
    ("verdict", |p| Cell::word(p.verdict.word())),
    ("contact_after", |p| contact(p, |c| c.after)),
    ("contact_before", |p| contact(p, |c| c.before)),
    ("start_contact", |p| Cell::of_bool(p.start_contact)),
    ("again_after", |p| Cell::optional(p.again.as_ref().map(|c| c.after))),
    ("again_before", |p| Cell::optional(p.again.as_ref().map(|c| c.before))),
    ("clearance_at_least", |p| clearance(p, |c| c.at_least)),
    ("clearance_at_most", |p| clearance(p, |c| c.at_most)),
    ("clearance_at", |p| clearance(p, |c| c.at)),
    ("signed_distance", signed_distance),
    ("contained", |p| Cell::contained(&p.contained)),
    ("depth_unknown", |p| Cell::known(p.depth_unknown.as_deref())),
    ("feature", |p| feature(&p.time_of_contact)),
    ("triangle_a", |p| triangle(p, 0)),
    ("triangle_b", |p| triangle(p, 1)),
    ("normal_x", |p| contact(p, |c| c.normal[0])),
    ("normal_y", |p| contact(p, |c| c.normal[1])),
    ("normal_z", |p| contact(p, |c| c.normal[2])),
    ("again_feature", |p| feature(&p.again)),
];

fn contact(pair: &MovingPairRow, value: impl Fn(&TimeOfContactRow) -> f64) -> Cell<'static> {
    Cell::optional(pair.time_of_contact.as_ref().map(value))
}

fn clearance(pair: &MovingPairRow, value: impl Fn(&ClearanceRow) -> f64) -> Cell<'static> {
    Cell::optional(pair.clearance.as_ref().map(value))
}

/// Returns a distance to which the parts certainly come; nothing if one may be inside the other.
fn signed_distance(pair: &MovingPairRow) -> Cell<'static> {
    if pair.contained.is_some() { Cell::Empty } else { clearance(pair, |c| c.at_most) }
}

fn triangle(pair: &MovingPairRow, side: usize) -> Cell<'static> {
    pair.time_of_contact.as_ref().map_or(Cell::Empty, |c| Cell::Count(c.triangles[side].into()))
}

fn feature(contact: &Option<TimeOfContactRow>) -> Cell<'static> {
    contact.as_ref().map_or(Cell::Empty, |c| Cell::word(c.feature.word()))
}

/// Returns the pairs of a sweep as CSV, with a header.
pub fn pairs(report: &SweepReport) -> Vec<u8> {
    in_memory(|writer| write_pairs(report, writer))
}

/// Writes the pairs of a sweep as CSV, with a header.
///
/// # Errors
/// Those of the writer.
pub fn write_pairs(report: &SweepReport, writer: &mut dyn Write) -> io::Result<()> {
    super::write_pairs(writer, &COLUMNS, report, |pair| (&pair.sides, &pair.rule, None, pair.at))
}

/// Writes rows of time and distance as CSV, with a header.
///
/// # Errors
/// Those of the writer.
pub fn write_trace(trace: &TraceRow, writer: &mut dyn Write) -> io::Result<()> {
    let header = ["time", "distance"].into_iter();
    write_rows(writer, header, &trace.distances, |row| row.iter().map(|&x| Cell::Number(x)))
}
