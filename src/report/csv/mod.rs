//! `pairs.csv`: one row per listed pair, for spreadsheets. Lengths are in the scene's unit; missing values are empty
//! cells. Text from outside this crate goes through [`inert`], numbers never do.

mod check;
mod sweep;

use std::sync::Arc;

use super::document::word::Word;
use super::document::{ContainedRow, PartRow, Sides};
use super::json::number;
use crate::text::inert;
pub use check::pairs as check;
pub use sweep::{pairs as sweep, trace};

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

/// Returns a header and a row per pair: the columns that identify it, then those of the command.
fn pairs<P>(columns: &[Column<P>], parts: &[PartRow], pairs: &[P], sides: impl Fn(&P) -> &Sides) -> Vec<u8> {
    let names = SIDES.iter().map(|(name, _)| *name).chain(columns.iter().map(|(name, _)| *name));
    rows(names, pairs, |pair| {
        let sides = sides(pair);
        let which = SIDES.iter().map(move |(_, cell)| cell(sides, sides.parts(parts)));
        which.chain(columns.iter().map(move |(_, cell)| cell(pair)))
    })
}

/// Returns a header and a row per item.
///
/// # Panics
/// Never panics: a `Vec` accepts every byte, and all rows have a cell per column.
fn rows<'p, P, R: Iterator<Item = String>>(
    header: impl Iterator<Item = &'static str>,
    items: &'p [P],
    cells: impl Fn(&'p P) -> R,
) -> Vec<u8> {
    const EVERY: &str = "a Vec takes every byte";
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(header).expect(EVERY);
    for item in items {
        writer.write_record(cells(item)).expect(EVERY);
    }
    writer.into_inner().expect(EVERY)
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
