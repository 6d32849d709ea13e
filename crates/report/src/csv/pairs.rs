//! `pairs.csv`: a row per listed pair.

use std::io::{self, Write};

use super::{in_memory, write_rows};
use crate::columns::{PairTable, Tabled};
use crate::document::Report;

/// Returns the pairs of a report as CSV, with a header.
pub fn pairs<S: Sync, P: Tabled>(report: &Report<S, P>) -> Vec<u8> {
    in_memory(|writer| write_pairs(report, writer))
}

/// Writes the pairs of a report as CSV, with a header.
///
/// # Errors
/// Errors of the writer.
pub fn write_pairs<S: Sync, P: Tabled>(report: &Report<S, P>, writer: &mut dyn Write) -> io::Result<()> {
    let table = PairTable::of(report);
    write_rows(writer, table.columns().map(|(name, _)| name), &report.pairs, |pair| table.cells(pair))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{CheckReport, pair_key};
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
        assert_eq!(cell(1, "key"), *pair_key("2O2Fr$t4X7Zf8NOew3FNtn", "m/bolt"));
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
