//! `pairs.csv`: one row per listed pair, for spreadsheets. Lengths are in the scene's unit; missing values
//! are empty cells. Text from outside this crate is made inert, so that no spreadsheet runs it as a formula;
//! numbers are left alone.

mod cell;
mod check;
mod sweep;

use std::io::{self, Write};
use std::iter::once;

use super::document::word::Word;
use super::document::{PartRow, Report, RuleOfPair, Sides, StatusOfPair};
use cell::Cell;
pub use check::{pairs as check, write_pairs as write_check};
pub use sweep::{pairs as sweep, write_pairs as write_sweep, write_trace};

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

/// The columns of every table of pairs after those that identify the pair: the unit of its lengths, and one
/// place of the finding.
const PLACE: [&str; 4] = ["unit", "x", "y", "z"];

/// Writes a header and a row per pair: the columns that identify it, unit and place, then those of the
/// command, and last the rule if the report has rules, and the status if they have waivers.
fn write_pairs<S, P>(
    writer: &mut dyn Write,
    columns: &[Column<P>],
    report: &Report<S, P>,
    of: impl Fn(&P) -> (&Sides, &RuleOfPair, Option<&StatusOfPair>, Option<[f64; 3]>),
) -> io::Result<()> {
    let names = SIDES.iter().map(|(name, _)| *name).chain(PLACE);
    let has_rules = report.rules.is_some();
    let names = names.chain(columns.iter().map(|(name, _)| *name)).chain(has_rules.then_some("rule"));
    let has_waivers = report.rules.as_ref().is_some_and(|rules| !rules.waivers.is_empty());
    let names = names.chain(["status", "status_cause"].into_iter().filter(|_| has_waivers));
    let (unit, parts) = (report.scene.unit, &report.parts[..]);
    write_rows(writer, names, &report.pairs, |pair| {
        let (sides, rule, status, at) = of(pair);
        let which = SIDES.iter().map(move |(_, cell)| cell(sides, sides.parts(parts)));
        let unit = unit.map_or(Cell::Empty, |unit| Cell::word(unit.suffix()));
        let place = [0, 1, 2].map(|axis| Cell::optional(at.map(|point| point[axis])));
        let rule = has_rules.then(|| Cell::known(rule.rule.as_deref()));
        let own = columns.iter().map(move |(_, cell)| cell(pair));
        let status = status.filter(|_| has_waivers).into_iter().flat_map(|status| {
            let word = status.status.map_or(Cell::Empty, |status| Cell::word(status.word()));
            [word, Cell::known(status.status_cause.as_deref())]
        });
        which.chain(once(unit)).chain(place).chain(own).chain(rule).chain(status)
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
