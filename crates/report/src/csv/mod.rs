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
use super::json::AHEAD;
use super::numbers::Numbers;
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
    add_row(&mut first, &mut Numbers::default(), header.map(|name| Cell::Text(name.into())));
    writer.write_all(&first)?;
    let rows = |few: &'p [P]| {
        let (mut rows, mut numbers) = (Vec::new(), Numbers::default());
        for (at, item) in few.iter().enumerate() {
            add_row(&mut rows, &mut numbers, cells(item));
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
fn add_row<'c>(rows: &mut Vec<u8>, numbers: &mut Numbers, cells: impl Iterator<Item = Cell<'c>>) {
    // Each cell ends with a comma, in whose place the row ends.
    cells.for_each(|cell| {
        match cell {
            Cell::Empty => {}
            Cell::Text(text) => add_text(rows, &text),
            Cell::Number(x) => numbers.add(x, rows),
            Cell::Count(count) => {
                CompactFormatter.write_u64(rows, count).expect("a Vec accepts every byte");
            }
            Cell::Truth(value) => rows.extend_from_slice(if value { b"true" } else { b"false" }),
        }
        rows.push(b',');
    });
    rows.pop();
    rows.push(b'\n');
}

/// Adds a text, made inert, in quotes if it has a comma, a quote or a line break.
fn add_text(rows: &mut Vec<u8>, text: &str) {
    // Most texts are plain, and short: a look at each byte.
    let is_plain = text.bytes().fold(true, |plain, byte| plain & IS_PLAIN[usize::from(byte)]);
    if is_plain && !begins_formula(text) {
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

/// True for printable ASCII characters that take no quotes.
const IS_PLAIN: [bool; 256] = {
    let mut is_plain = [false; 256];
    let mut byte = b' ' as usize;
    while byte <= b'~' as usize {
        is_plain[byte] = byte != b',' as usize && byte != b'"' as usize;
        byte += 1;
    }
    is_plain
};

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
                add_row(&mut written, &mut Numbers::default(), row.iter().map(|text| Cell::Text(text.into())));
                for text in row {
                    library.write_field(inert(text).as_bytes()).unwrap();
                }
                library.write_record(None::<&[u8]>).unwrap();
            }
            prop_assert_eq!(written, library.into_inner().unwrap());
        }
    }
}
