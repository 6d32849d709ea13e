//! A sweep's `pairs.csv` and `trace.csv`.

use super::super::csv::{contained, optional, rows, side_names, sides};
use super::super::json::number;
use super::rows::{ClearanceRow, MovingPairRow, SweepReport, TimeOfContactRow};

/// A column's name, and its cell for a pair.
type Column = (&'static str, fn(&MovingPairRow<'_>) -> String);

const COLUMNS: [Column; 21] = [
    ("verdict", |p| p.verdict.to_owned()),
    ("contact_after", |p| contact(p, |c| c.after)),
    ("contact_before", |p| contact(p, |c| c.before)),
    ("start_contact", |p| p.start_contact.to_string()),
    ("again_after", |p| optional(p.again.as_ref().map(|c| c.after))),
    ("again_before", |p| optional(p.again.as_ref().map(|c| c.before))),
    ("clearance_at_least", |p| clearance(p, |c| c.at_least)),
    ("clearance_at_most", |p| clearance(p, |c| c.at_most)),
    ("clearance_at", |p| clearance(p, |c| c.at)),
    ("contained", |p| p.contained.as_ref().map_or_else(String::new, contained)),
    ("depth_unknown", |p| p.depth_unknown.unwrap_or_default().to_owned()),
    ("feature", |p| p.time_of_contact.as_ref().map_or_else(String::new, |c| c.feature.to_owned())),
    ("triangle_a", |p| triangle(p, 0)),
    ("triangle_b", |p| triangle(p, 1)),
    ("x", |p| contact(p, |c| c.point[0])),
    ("y", |p| contact(p, |c| c.point[1])),
    ("z", |p| contact(p, |c| c.point[2])),
    ("normal_x", |p| contact(p, |c| c.normal[0])),
    ("normal_y", |p| contact(p, |c| c.normal[1])),
    ("normal_z", |p| contact(p, |c| c.normal[2])),
    ("again_feature", |p| p.again.as_ref().map_or_else(String::new, |c| c.feature.to_owned())),
];

fn contact(pair: &MovingPairRow<'_>, value: impl Fn(&TimeOfContactRow) -> f64) -> String {
    optional(pair.time_of_contact.as_ref().map(value))
}

fn clearance(pair: &MovingPairRow<'_>, value: impl Fn(&ClearanceRow) -> f64) -> String {
    optional(pair.clearance.as_ref().map(value))
}

fn triangle(pair: &MovingPairRow<'_>, side: usize) -> String {
    pair.time_of_contact.as_ref().map_or_else(String::new, |c| c.triangles[side].to_string())
}

/// The pairs of a sweep's report as CSV, with a header.
pub fn pairs(report: &SweepReport<'_>) -> Vec<u8> {
    let header = side_names().chain(COLUMNS.map(|(name, _)| name));
    rows(header, &report.pairs, |pair| sides(&pair.sides).chain(COLUMNS.iter().map(|(_, cell)| cell(pair))))
}

/// Rows of time and distance as CSV, with a header.
pub fn trace(distances: &[[f64; 2]]) -> Vec<u8> {
    rows(["time", "distance"].into_iter(), distances, |row| row.iter().map(|&x| number(x)))
}
