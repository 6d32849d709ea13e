//! `pairs.csv`: one row per listed pair, for spreadsheets. Lengths are in the scene's unit; missing values are empty
//! cells. Text from outside this crate goes through [`inert`], numbers never do.

mod check;
mod sweep;

use std::io::{self, Write};
use std::sync::Arc;

use super::document::word::Word;
use super::document::{ContainedRow, PartRow, Sides};
use super::json::number;
use crate::text::inert;
pub use check::{pairs as check, write_pairs as write_check};
pub use sweep::{pairs as sweep, trace, write_pairs as write_sweep};

/// A column: its name, and its cell for a pair of type `P`.
type Column<P> = (&'static str, fn(&P) -> String);

/// A column that identifies the pair. These come first in every table of pairs.
type SideColumn = (&'static str, fn(&Sides, [&PartRow; 2]) -> String);

const SIDES: [SideColumn; 13] = [
    ("key", |s, _| s.key.clone()),
    ("id_a", |s, _| s.ids[0].to_string()),
    ("id_b", |s, _| s.ids[1].to_string()),
    ("a", |s, _| inert(&s.a)),
    ("b", |s, _| inert(&s.b)),
    ("type_a", |_, [a, _]| known(&a.kind)),
    ("type_b", |_, [_, b]| known(&b.kind)),
    ("model_a", |_, [a, _]| inert(&a.model)),
    ("model_b", |_, [_, b]| inert(&b.model)),
    ("storey_a", |_, [a, _]| known(&a.storey)),
    ("storey_b", |_, [_, b]| known(&b.storey)),
    ("key_a", |_, [a, _]| inert(&a.key)),
    ("key_b", |_, [_, b]| inert(&b.key)),
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

/// Writes a header and a row per item.
fn write_rows<'p, P, R: Iterator<Item = String>>(
    writer: &mut dyn Write,
    header: impl Iterator<Item = &'static str>,
    items: &'p [P],
    cells: impl Fn(&'p P) -> R,
) -> io::Result<()> {
    let mut writer = csv::Writer::from_writer(writer);
    writer.write_record(header)?;
    for item in items {
        writer.write_record(cells(item))?;
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

fn known(text: &Option<Arc<str>>) -> String {
    inert(text.as_deref().unwrap_or_default())
}

fn optional(x: Option<f64>) -> String {
    x.map_or_else(String::new, number)
}

fn contained(row: &Option<ContainedRow>) -> String {
    match row {
        None => String::new(),
        Some(ContainedRow::Known(inside)) => inside.word().to_owned(),
        Some(ContainedRow::Unknown { undecidable }) => inert(&format!("undecidable: {undecidable}")),
    }
}

fn unknown(text: &Option<String>) -> String {
    inert(text.as_deref().unwrap_or_default())
}
