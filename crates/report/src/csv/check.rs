//! The `pairs.csv` of a check.

use std::io::{self, Write};

use super::cell::Cell;
use super::{Column, in_memory};
use crate::document::word::Word;
use crate::document::{CheckReport, PairRow};
use closefit::internals::query::Verdict;

const COLUMNS: [Column<PairRow>; 25] = [
    ("verdict", |p| Cell::word(p.verdict.word())),
    ("distance", |p| Cell::Number(p.distance)),
    ("signed_distance", |p| Cell::optional(signed_distance(p))),
    ("contacts", |p| Cell::Count(p.contacts)),
    ("contained", |p| Cell::contained(&p.contained)),
    ("duplicate", |p| Cell::of_bool(p.duplicate)),
    ("crossing", |p| Cell::of_bool(p.crossing)),
    ("depth_at_least", |p| Cell::optional(p.depth.as_ref().map(|d| d.at_least))),
    ("depth_at_most", |p| Cell::optional(p.depth.as_ref().map(|d| d.at_most))),
    ("depth_unknown", |p| Cell::known(p.depth_unknown.as_deref())),
    ("where_x", |p| Cell::optional(p.location.as_ref().map(|w| w.point[0]))),
    ("where_y", |p| Cell::optional(p.location.as_ref().map(|w| w.point[1]))),
    ("where_z", |p| Cell::optional(p.location.as_ref().map(|w| w.point[2]))),
    ("box_min_x", |p| Cell::optional(p.location.as_ref().map(|w| w.bounds[0][0]))),
    ("box_min_y", |p| Cell::optional(p.location.as_ref().map(|w| w.bounds[0][1]))),
    ("box_min_z", |p| Cell::optional(p.location.as_ref().map(|w| w.bounds[0][2]))),
    ("box_max_x", |p| Cell::optional(p.location.as_ref().map(|w| w.bounds[1][0]))),
    ("box_max_y", |p| Cell::optional(p.location.as_ref().map(|w| w.bounds[1][1]))),
    ("box_max_z", |p| Cell::optional(p.location.as_ref().map(|w| w.bounds[1][2]))),
    ("a_x", |p| Cell::optional(p.points.map(|[a, _]| a[0]))),
    ("a_y", |p| Cell::optional(p.points.map(|[a, _]| a[1]))),
    ("a_z", |p| Cell::optional(p.points.map(|[a, _]| a[2]))),
    ("b_x", |p| Cell::optional(p.points.map(|[_, b]| b[0]))),
    ("b_y", |p| Cell::optional(p.points.map(|[_, b]| b[1]))),
    ("b_z", |p| Cell::optional(p.points.map(|[_, b]| b[2]))),
];

/// Returns the distance of parts that do not overlap; of others, the certified depth below 0. `None` if they
/// may overlap and no depth is known.
fn signed_distance(pair: &PairRow) -> Option<f64> {
    let touch = pair.contacts > 0 || pair.contained.is_some();
    match pair.depth {
        _ if pair.duplicate || pair.crossing => None,
        Some(depth) => Some(0.0 - depth.at_least), // not -0
        None if touch && pair.verdict != Verdict::Contact => None,
        None => Some(pair.distance),
    }
}

/// Returns the pairs of a check as CSV, with a header.
pub fn pairs(report: &CheckReport) -> Vec<u8> {
    in_memory(|writer| write_pairs(report, writer))
}

/// Writes the pairs of a check as CSV, with a header.
///
/// # Errors
/// Those of the writer.
pub fn write_pairs(report: &CheckReport, writer: &mut dyn Write) -> io::Result<()> {
    super::write_pairs(writer, &COLUMNS, report, |pair| {
        (&pair.sides, &pair.rule, Some(&pair.status), pair.at)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::pair_key;
    use crate::testing;

    #[test]
    fn the_csv_has_a_row_per_pair() {
        let (scene, result) = testing::run();
        let text = String::from_utf8(pairs(&CheckReport::new(&scene, result))).unwrap();
        let mut reader = ::csv::Reader::from_reader(text.as_bytes());
        let header = reader.headers().unwrap().clone();
        let rows: Vec<_> = reader.records().map(Result::unwrap).collect();
        let cell =
            |row: usize, name: &str| rows[row][header.iter().position(|h| h == name).expect(name)].to_owned();
        assert_eq!(rows.len(), 3);
        assert_eq!((cell(0, "verdict"), cell(0, "depth_at_most")), ("clash".into(), "0.1212".into()));
        assert_eq!((cell(1, "b_x"), cell(1, "where_x")), ("0.25".into(), String::new()));
        let signed = [0, 1, 2].map(|row| cell(row, "signed_distance"));
        assert_eq!(signed, ["-0.12", "0.25", ""]);
        let place = |row: usize| ["unit", "x", "y", "z"].map(|name| cell(row, name));
        assert_eq!(place(0), ["mm", "0", "0", "0"]);
        assert_eq!(place(1), ["mm", "0.125", "0", "0"]);
        assert_eq!(place(2), ["mm", "", "", ""]);
        assert_eq!(cell(1, "key"), pair_key("2O2Fr$t4X7Zf8NOew3FNtn", "m/bolt"));
        let side = |row: usize, side: &str| {
            ["type", "model", "storey", "key"].map(|name| cell(row, &format!("{name}_{side}")))
        };
        assert_eq!(side(1, "a"), ["IfcFastener", "m", "Level 1", "2O2Fr$t4X7Zf8NOew3FNtn"]);
        assert_eq!(side(1, "b"), ["", "m", "", "m/bolt"]);
        assert_eq!(cell(2, "b"), r#"a,"b"\n"#);
        assert_eq!(cell(2, "contained"), "undecidable: the shell has 4 open edges");
        assert_eq!(cell(2, "depth_unknown"), "neither part has a solid");
    }
}
