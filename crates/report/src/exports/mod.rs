//! Results for other programs: JUnit for the tests of a build server, Markdown for a comment on a change.

mod junit;
mod markdown;
mod srdf;

use crate::diff::DiffRow;
use crate::document::word::Word;
use crate::document::{Finding, PairRow};
use crate::table::overlap_in_words;
use closefit_geometry::text::printable;
use closefit_geometry::units::Unit;
pub use junit::{check as check_junit, diff as diff_junit};
pub use markdown::{check as check_markdown, diff as diff_markdown, worst as markdown_issues};
pub use srdf::{unwritten_links, write_srdf};

/// The command that compares two reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compares {
    /// `closefit diff`.
    Diff,
    /// `closefit check --baseline`.
    Check,
}

impl Compares {
    fn word(self) -> &'static str {
        match self {
            Self::Diff => "diff",
            Self::Check => "check",
        }
    }

    fn title(self) -> &'static str {
        match self {
            Self::Diff => "diff",
            Self::Check => "check: changes since the baseline",
        }
    }
}

/// Returns the verdict, the parts and the numbers of a pair on one line.
fn pair_in_words(pair: &PairRow, unit: Option<Unit>) -> String {
    let (verdict, measure) = (pair.verdict.word(), overlap_in_words(pair.overlap(), unit));
    let why = pair.unknown().map_or_else(String::new, |why| format!(" ({why})"));
    let line = format!("{verdict}: {} x {}: {measure}{why} [{}]", pair.sides.a, pair.sides.b, pair.sides.key);
    printable(&line)
}

/// Returns the change, the parts and the numbers of a pair on one line.
fn row_in_words(row: &DiffRow, unit: Option<Unit>) -> String {
    use crate::table::{measure, status_in_words, verdicts};
    let (status, verdicts) = (status_in_words(row), verdicts(row));
    let why = if row.why.is_empty() { String::new() } else { format!(" ({})", row.why) };
    let line =
        format!("{status} {verdicts}: {} x {}: {}{why} [{}]", row.a, row.b, measure(row, unit), row.key);
    printable(&line)
}
