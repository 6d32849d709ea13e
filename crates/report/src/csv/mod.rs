//! `pairs.csv`: one row per listed pair, for spreadsheets; and `issues.csv`, for lists of issues. Lengths are
//! in the scene's unit; missing values are empty cells. Text is made inert, so that no spreadsheet runs it as
//! a formula; numbers are left alone.

mod issues;
mod motion;
mod pairs;
mod slack;

use std::io::{self, Write};

use csv::IntoInnerError;

use super::columns::Cell;
use super::in_order::in_order;
use super::json::NumberText;
use closefit_geometry::text::inert;
pub use issues::write_issues;
pub use motion::{write_intervals, write_trace};
pub use pairs::{pairs, write_pairs};
pub use slack::{slack, write_slack};

/// Writes a header and a row per item. Rows are made on all threads.
fn write_rows<'p, P: Sync, R: Iterator<Item = Cell<'p>>>(
    writer: &mut dyn Write,
    header: impl Iterator<Item = &'static str>,
    items: &'p [P],
    cells: impl Fn(&'p P) -> R + Sync,
) -> io::Result<()> {
    let mut first = csv::Writer::from_writer(Vec::new());
    first.write_record(header)?;
    writer.write_all(&first.into_inner().map_err(IntoInnerError::into_error)?)?;
    let rows = |few: &'p [P]| {
        let mut rows = csv::Writer::from_writer(Vec::new());
        for item in few {
            for cell in cells(item) {
                write_cell(&cell, &mut rows)?;
            }
            rows.write_record(None::<&[u8]>)?; // ends the row
        }
        rows.into_inner().map_err(IntoInnerError::into_error)
    };
    in_order(items, rows, |few: io::Result<Vec<u8>>| writer.write_all(&few?))
}

/// Writes a cell as the next field of a row.
fn write_cell(cell: &Cell, writer: &mut csv::Writer<impl Write>) -> csv::Result<()> {
    match cell {
        Cell::Empty => writer.write_field(""),
        Cell::Text(text) => writer.write_field(inert(text).as_bytes()),
        Cell::Number(x) => writer.write_field(NumberText::of(*x).as_bytes()),
        Cell::Count(count) => writer.write_field(NumberText::of_count(*count).as_bytes()),
        Cell::Truth(value) => writer.write_field(if *value { "true" } else { "false" }),
    }
}

/// Returns what is written to a `Vec`.
///
/// # Panics
/// Never panics: a `Vec` accepts every byte.
fn in_memory(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Vec<u8> {
    let mut out = Vec::new();
    write(&mut out).expect("a Vec accepts every byte");
    out
}
