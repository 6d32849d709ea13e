//! `pairs.csv`: one row per listed pair, for spreadsheets. Lengths are in the scene's unit; missing values are empty
//! cells. Text from outside this crate is made inert, so that no spreadsheet runs it as a formula; numbers are left alone.

mod cell;
mod check;
mod sweep;

use std::io::{self, Write};

use super::document::{PartRow, Sides};
use cell::Cell;
pub use check::{pairs as check, write_pairs as write_check};
pub use sweep::{pairs as sweep, trace, write_pairs as write_sweep};

/// A column: its name, and its cell for a pair of type `P`.
type Column<P> = (&'static str, fn(&P) -> Cell);

/// A column that identifies the pair. These come first in every table of pairs.
type SideColumn = (&'static str, for<'p> fn(&'p Sides, [&'p PartRow; 2]) -> Cell<'p>);

const SIDES: [SideColumn; 13] = [
    ("key", |s, _| Cell::Text(s.key.as_str().into())),
    ("id_a", |s, _| Cell::Count(s.ids[0].into())),
    ("id_b", |s, _| Cell::Count(s.ids[1].into())),
    ("a", |s, _| Cell::foreign(&s.a)),
    ("b", |s, _| Cell::foreign(&s.b)),
    ("type_a", |_, [a, _]| Cell::known(a.kind.as_deref())),
    ("type_b", |_, [_, b]| Cell::known(b.kind.as_deref())),
    ("model_a", |_, [a, _]| Cell::foreign(&a.model)),
    ("model_b", |_, [_, b]| Cell::foreign(&b.model)),
    ("storey_a", |_, [a, _]| Cell::known(a.storey.as_deref())),
    ("storey_b", |_, [_, b]| Cell::known(b.storey.as_deref())),
    ("key_a", |_, [a, _]| Cell::foreign(&a.key)),
    ("key_b", |_, [_, b]| Cell::foreign(&b.key)),
];

/// Writes a header and a row per pair: the columns that identify it, then those of the command.
fn write_pairs<P>(
    writer: &mut dyn Write,
    columns: &[Column<P>],
    parts: &[PartRow],
    pairs: &[P],
    sides: impl Fn(&P) -> &Sides,
) -> io::Result<()> {
    let names = SIDES.iter().map(|(name, _)| *name).chain(columns.iter().map(|(name, _)| *name));
    write_rows(writer, names, pairs, |pair| {
        let sides = sides(pair);
        let which = SIDES.iter().map(move |(_, cell)| cell(sides, sides.parts(parts)));
        which.chain(columns.iter().map(move |(_, cell)| cell(pair)))
    })
}

/// Bytes that are collected before they are written.
const BUFFER: usize = 1 << 16;

/// Writes a header and a row per item.
fn write_rows<'p, P, R: Iterator<Item = Cell<'p>>>(
    writer: &mut dyn Write,
    header: impl Iterator<Item = &'static str>,
    items: &'p [P],
    cells: impl Fn(&'p P) -> R,
) -> io::Result<()> {
    let mut writer = csv::WriterBuilder::new().buffer_capacity(BUFFER).from_writer(writer);
    writer.write_record(header)?;
    for item in items {
        for cell in cells(item) {
            cell.write(&mut writer)?;
        }
        writer.write_record(None::<&[u8]>)?; // ends the row
    }
    writer.flush()
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
