//! `pairs.csv`: one row per listed pair, for spreadsheets; and `issues.csv`, for lists of issues. Lengths are
//! in the scene's unit; missing values are empty cells. Text is made inert, so that no spreadsheet runs it as
//! a formula; numbers are left alone.

mod issues;
mod motion;
mod pairs;
mod slack;

use std::io::{self, Write};

use serde_json::ser::{CompactFormatter, Formatter};

use super::columns::Cell;
use super::in_order::in_order;
use super::json::{AHEAD, with_number};
use closefit_geometry::text::{begins_formula, inert};
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
    let mut first = Vec::new();
    add_row(&mut first, header.map(|name| Cell::Text(name.into())));
    writer.write_all(&first)?;
    let rows = |few: &'p [P]| {
        let mut rows = Vec::new();
        for (at, item) in few.iter().enumerate() {
            add_row(&mut rows, cells(item));
            if at == 0 {
                // Most others are about as long.
                rows.reserve((rows.len() * few.len()).min(AHEAD));
            }
        }
        rows
    };
    in_order(items, rows, |few: Vec<u8>| writer.write_all(&few))
}

/// Adds a row of two or more cells. Most cells are numbers, empty or plain text, which take a fraction of the
/// time that the library for reading CSV would take to write them.
fn add_row<'c>(rows: &mut Vec<u8>, cells: impl Iterator<Item = Cell<'c>>) {
    for (at, cell) in cells.enumerate() {
        if at > 0 {
            rows.push(b',');
        }
        match cell {
            Cell::Empty => {}
            Cell::Text(text) => add_text(rows, &text),
            Cell::Number(x) => with_number(x, |text| rows.extend_from_slice(text)),
            Cell::Count(count) => {
                CompactFormatter.write_u64(rows, count).expect("a Vec accepts every byte");
            }
            Cell::Truth(value) => rows.extend_from_slice(if value { b"true" } else { b"false" }),
        }
    }
    rows.push(b'\n');
}

/// Adds a text, made inert, in quotes if it has a comma, a quote or a line break.
fn add_text(rows: &mut Vec<u8>, text: &str) {
    // Most texts are plain. Without an early end, the loop takes many bytes at a time.
    let is_plain = |plain, &byte: &u8| plain & matches!(byte, b' '..=b'~') & (byte != b',') & (byte != b'"');
    if !begins_formula(text) && text.as_bytes().iter().fold(true, is_plain) {
        rows.extend_from_slice(text.as_bytes());
        return;
    }
    let text = inert(text);
    let text = text.as_bytes();
    let special = |byte: &u8| matches!(byte, b',' | b'"' | b'\r' | b'\n');
    if !text.iter().any(special) {
        rows.extend_from_slice(text);
        return;
    }
    rows.push(b'"');
    for &byte in text {
        rows.push(byte);
        if byte == b'"' {
            rows.push(byte);
        }
    }
    rows.push(b'"');
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Rows are what the csv library writes.
        #[test]
        fn texts_are_quoted_as_in_the_library(
            rows in prop::collection::vec(prop::array::uniform3("[ -~\r\n\té＝]{0,4}"), 0..5),
        ) {
            let (mut written, mut library) = (Vec::new(), ::csv::Writer::from_writer(Vec::new()));
            for row in &rows {
                add_row(&mut written, row.iter().map(|text| Cell::Text(text.into())));
                for text in row {
                    library.write_field(inert(text).as_bytes()).unwrap();
                }
                library.write_record(None::<&[u8]>).unwrap();
            }
            prop_assert_eq!(written, library.into_inner().unwrap());
        }
    }
}
