//! `pairs.csv`: one row per listed pair, for spreadsheets; a check's columns. Lengths are in the scene's unit; what a
//! pair does not have is an empty cell. Text that is not this crate's own goes through [`inert`], numbers never do.

use std::sync::Arc;

use super::json::number;
use super::rows::{ContainedRow, PairRow, Report, Sides};
use crate::text::inert;

/// A column's name, and its cell for a pair.
type Column = (&'static str, fn(&PairRow<'_>) -> String);

/// The same for a column that says which pair it is; these are the first of every table of pairs.
type SideColumn = (&'static str, fn(&Sides<'_>) -> String);

const SIDES: [SideColumn; 13] = [
    ("key", |s| s.key.clone()),
    ("id_a", |s| s.ids[0].to_string()),
    ("id_b", |s| s.ids[1].to_string()),
    ("a", |s| inert(&s.parts[0].name)),
    ("b", |s| inert(&s.parts[1].name)),
    ("type_a", |s| known(&s.parts[0].kind)),
    ("type_b", |s| known(&s.parts[1].kind)),
    ("model_a", |s| inert(&s.parts[0].model)),
    ("model_b", |s| inert(&s.parts[1].model)),
    ("storey_a", |s| known(&s.parts[0].storey)),
    ("storey_b", |s| known(&s.parts[1].storey)),
    ("key_a", |s| inert(&s.keys[0])),
    ("key_b", |s| inert(&s.keys[1])),
];

const COLUMNS: [Column; 24] = [
    ("verdict", |p| p.verdict.to_owned()),
    ("distance", |p| number(p.distance)),
    ("contacts", |p| p.contacts.to_string()),
    ("contained", |p| p.contained.as_ref().map_or_else(String::new, contained)),
    ("duplicate", |p| p.duplicate.to_string()),
    ("crossing", |p| p.crossing.to_string()),
    ("depth_at_least", |p| optional(p.depth.as_ref().map(|d| d.at_least))),
    ("depth_at_most", |p| optional(p.depth.as_ref().map(|d| d.at_most))),
    ("depth_unknown", |p| inert(p.depth_unknown.unwrap_or_default())),
    ("where_x", |p| optional(p.location.as_ref().map(|w| w.point[0]))),
    ("where_y", |p| optional(p.location.as_ref().map(|w| w.point[1]))),
    ("where_z", |p| optional(p.location.as_ref().map(|w| w.point[2]))),
    ("box_min_x", |p| optional(p.location.as_ref().map(|w| w.bounds[0][0]))),
    ("box_min_y", |p| optional(p.location.as_ref().map(|w| w.bounds[0][1]))),
    ("box_min_z", |p| optional(p.location.as_ref().map(|w| w.bounds[0][2]))),
    ("box_max_x", |p| optional(p.location.as_ref().map(|w| w.bounds[1][0]))),
    ("box_max_y", |p| optional(p.location.as_ref().map(|w| w.bounds[1][1]))),
    ("box_max_z", |p| optional(p.location.as_ref().map(|w| w.bounds[1][2]))),
    ("a_x", |p| optional(p.points.map(|[a, _]| a[0]))),
    ("a_y", |p| optional(p.points.map(|[a, _]| a[1]))),
    ("a_z", |p| optional(p.points.map(|[a, _]| a[2]))),
    ("b_x", |p| optional(p.points.map(|[_, b]| b[0]))),
    ("b_y", |p| optional(p.points.map(|[_, b]| b[1]))),
    ("b_z", |p| optional(p.points.map(|[_, b]| b[2]))),
];

/// The pairs of a check's report as CSV, with a header.
pub fn pairs(report: &Report<'_>) -> Vec<u8> {
    let header = side_names().chain(COLUMNS.map(|(name, _)| name));
    rows(header, &report.pairs, |pair| sides(&pair.sides).chain(COLUMNS.iter().map(|(_, cell)| cell(pair))))
}

/// The names of the columns that [`sides`] fills.
pub(super) fn side_names() -> impl Iterator<Item = &'static str> {
    SIDES.iter().map(|(name, _)| *name)
}

/// The cells that say which pair it is.
pub(super) fn sides(sides: &Sides<'_>) -> impl Iterator<Item = String> {
    SIDES.iter().map(move |(_, cell)| cell(sides))
}

/// A header and a row per pair.
///
/// # Panics
/// Never: a `Vec` takes every byte, and all rows have a cell per column.
pub(super) fn rows<'p, P, R: Iterator<Item = String>>(
    header: impl Iterator<Item = &'static str>,
    pairs: &'p [P],
    cells: impl Fn(&'p P) -> R,
) -> Vec<u8> {
    const EVERY: &str = "a Vec takes every byte";
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(header).expect(EVERY);
    for pair in pairs {
        writer.write_record(cells(pair)).expect(EVERY);
    }
    writer.into_inner().expect(EVERY)
}

fn known(text: &Option<Arc<str>>) -> String {
    inert(text.as_deref().unwrap_or_default())
}

pub(super) fn optional(x: Option<f64>) -> String {
    x.map_or_else(String::new, number)
}

pub(super) fn contained(row: &ContainedRow<'_>) -> String {
    match row {
        ContainedRow::Known(words) => (*words).to_owned(),
        ContainedRow::Unknown { undecidable } => inert(&format!("undecidable: {undecidable}")),
    }
}
