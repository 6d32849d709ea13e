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
    let columns = COLUMNS.map(|name| (Own::of(name), names.iter().position(|known| *known == name)));
    let (table, columns) = (&table, &columns);
    write_rows(writer, COLUMNS.into_iter(), &rows, |row| {
        let parts = row.pair.sides().parts(&report.parts);
        let of_pair = move |at: Option<usize>| at.map_or(Cell::Empty, |at| table.cell((row.pair, parts), at));
        let of_row = move |own: Option<Own>| own.and_then(|own| row.cell(parts, own));
        columns.iter().map(move |&(own, at)| of_row(own).unwrap_or_else(|| of_pair(at)))
    })
}

/// A pair of an issue.
struct Row<'r, P> {
    group: Option<&'r str>,
    pair: &'r P,
    /// The status and comment that people have given it.
    review: Option<&'r ReviewRow>,
}

/// A column that `pairs.csv` does not have, or calls differently.
#[derive(Clone, Copy)]
enum Own {
    Group,
    Severity,
    /// The status, and what is said of it: of waivers, as `pairs.csv` has them, or of the review.
    Status,
    Comment,
    Guid(usize),
    Name(usize),
}

impl Own {
    fn of(column: &str) -> Option<Self> {
        Some(match column {
            "group" => Self::Group,
            "severity" => Self::Severity,
            "status" => Self::Status,
            "comment" => Self::Comment,
            "guid_a" => Self::Guid(0),
            "guid_b" => Self::Guid(1),
            "name_a" => Self::Name(0),
            "name_b" => Self::Name(1),
            _ => return None,
        })
    }
}

impl<'r, P: Tabled> Row<'r, P> {
    /// Returns the cell of such a column; `None` for the status of a waiver.
    fn cell(&self, parts: [&'r PartRow; 2], column: Own) -> Option<Cell<'r>> {
        Some(match column {
            Own::Group => Cell::known(self.group),
            Own::Severity => Cell::known(self.pair.rule().severity.as_deref()),
            Own::Status if self.is_waived() => return None,
            Own::Status => Cell::known(self.review.map(|review| review.status.word())),
            Own::Comment if self.is_waived() => {
                Cell::known(self.pair.status().and_then(|status| status.status_cause.as_deref()))
            }
            Own::Comment => Cell::known(self.review.and_then(|review| review.comment.as_deref())),
            Own::Guid(side) => Cell::known(parts[side].guid.as_deref()),
            Own::Name(side) => Cell::Text(Cow::Borrowed(&parts[side].name)),
        })
    }

    /// True if a waiver is about the pair.
    fn is_waived(&self) -> bool {
        self.pair.status().is_some_and(|status| status.status.is_some())
    }
}
