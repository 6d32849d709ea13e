//! The `pairs.csv` and `trace.csv` of a sweep.

use std::io::{self, Write};

use super::{in_memory, write_rows};
use crate::columns::Cell;
use crate::document::{SweepReport, TraceRow};

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

/// Writes rows of time and distance as CSV, with a header.
///
/// # Errors
/// Those of the writer.
pub fn write_trace(trace: &TraceRow, writer: &mut dyn Write) -> io::Result<()> {
    let header = ["time", "distance"].into_iter();
    write_rows(writer, header, &trace.distances, |row| row.iter().map(|&x| Cell::Number(x)))
}
