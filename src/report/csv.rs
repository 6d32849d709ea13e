//! `pairs.csv`: one row per listed pair, for spreadsheets; a check's columns. Lengths are in the scene's unit; what a pair does
//! not have is an empty cell. Text that is not this crate's own goes through [`inert`], numbers never do.

use super::json::number;
use super::rows::{ContainedRow, PairRow, Report};
use crate::text::inert;

/// A column's name, and its cell for a pair.
type Column = (&'static str, fn(&PairRow<'_>) -> String);

const COLUMNS: [Column; 28] = [
    ("id_a", |p| p.ids[0].to_string()),
    ("id_b", |p| p.ids[1].to_string()),
    ("a", |p| inert(p.a)),
    ("b", |p| inert(p.b)),
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
    rows(&COLUMNS, &report.pairs)
}

/// A header and a row per pair.
///
/// # Panics
/// Never: a `Vec` takes every byte, and all rows have a cell per column.
pub(super) fn rows<P>(columns: &[(&str, impl Fn(&P) -> String)], pairs: &[P]) -> Vec<u8> {
    const EVERY: &str = "a Vec takes every byte";
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(columns.iter().map(|(name, _)| name)).expect(EVERY);
    for pair in pairs {
        writer.write_record(columns.iter().map(|(_, cell)| cell(pair))).expect(EVERY);
    }
    writer.into_inner().expect(EVERY)
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
