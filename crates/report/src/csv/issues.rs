//! `issues.csv`: the findings that people work off, for lists of issues: one row per listed pair that is more
//! than a contact, in the order of the issues.

use std::borrow::Cow;
use std::io::{self, Write};

use super::write_rows;
use crate::columns::{Cell, PairTable, Tabled};
use crate::diff::{Review, ReviewRow};
use crate::document::{PartRow, Report, Word};
use crate::issues::Issue;
use closefit::Verdict;

/// The columns. Those that are not of the issue are columns of `pairs.csv`; without rules or waivers, some of
/// these are missing there and empty here.
const COLUMNS: [&str; 26] = [
    "key",
    "group",
    "rule",
    "verdict",
    "severity",
    "status",
    "comment",
    "guid_a",
    "guid_b",
    "name_a",
    "name_b",
    "type_a",
    "type_b",
    "storey_a",
    "storey_b",
    "model_a",
    "model_b",
    "key_a",
    "key_b",
    "unit",
    "signed_distance",
    "depth_at_least",
    "depth_at_most",
    "x",
    "y",
    "z",
];

/// Writes the issues of a report as CSV, with a header. Pairs have the status of their waiver or, without
/// one, the status in a review, and what either says.
///
/// # Errors
/// Whatever the writer returns.
pub fn write_issues<S: Sync, P: Tabled>(
    report: &Report<S, P>,
    review: &Review,
    writer: &mut dyn Write,
) -> io::Result<()> {
    let table = PairTable::of(report);
    let names: Vec<&str> = table.columns().map(|(name, _)| name).collect();
    let said = review.of_pairs(report);
    let mut rows = Vec::new();
    for issue in Issue::all(report) {
        let group = issue.group.map(|group| &group.key[..]);
        let told = issue.pairs.into_iter().filter(|pair| pair.verdict() != Verdict::Contact);
        rows.extend(told.map(|pair| Row { group, pair, review: said.get(&pair.sides().key[..]).copied() }));
    }
    let columns = COLUMNS.map(|name| (name, names.iter().position(|known| *known == name)));
    write_rows(writer, COLUMNS.into_iter(), &rows, |row| {
        let of_pair = |at: Option<usize>| at.map_or(Cell::Empty, |at| table.cell(row.pair, at));
        columns.iter().map(move |&(name, at)| row.cell(report, name).unwrap_or_else(|| of_pair(at)))
    })
}

/// A pair of an issue.
struct Row<'r, P> {
    group: Option<&'r str>,
    pair: &'r P,
    /// The status and comment that people have given it.
    review: Option<&'r ReviewRow>,
}

impl<'r, P: Tabled> Row<'r, P> {
    /// Returns the cell of a column that `pairs.csv` does not have, or calls differently.
    fn cell<S>(&self, report: &'r Report<S, P>, column: &str) -> Option<Cell<'r>> {
        let [a, b] = self.pair.sides().parts(&report.parts);
        let guid = |part: &'r PartRow| Cell::known(part.guid.as_deref());
        Some(match column {
            "group" => Cell::known(self.group),
            "severity" => Cell::known(self.pair.rule().severity.as_deref()),
            "status" if !self.is_waived() => Cell::known(self.review.map(|review| review.status.word())),
            "comment" if !self.is_waived() => {
                Cell::known(self.review.and_then(|review| review.comment.as_deref()))
            }
            "comment" => Cell::known(self.pair.status().and_then(|status| status.status_cause.as_deref())),
            "guid_a" => guid(a),
            "guid_b" => guid(b),
            "name_a" => Cell::Text(Cow::Borrowed(&a.name)),
            "name_b" => Cell::Text(Cow::Borrowed(&b.name)),
            _ => return None,
        })
    }

    /// True if a waiver is about the pair.
    fn is_waived(&self) -> bool {
        self.pair.status().is_some_and(|status| status.status.is_some())
    }
}
