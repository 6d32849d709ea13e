//! Results for other programs: JUnit for the tests of a build server, Markdown for a comment on a change.

mod junit;
mod markdown;

use crate::diff::DiffRow;
use crate::document::word::Word;
use crate::document::{CheckReport, Finding, PairRow};
use crate::groups::GroupRow;
use crate::table::overlap_in_words;
use closefit_geometry::text::printable;
use closefit_geometry::units::Unit;
pub use junit::{check as check_junit, diff as diff_junit};
pub use markdown::{check as check_markdown, diff as diff_markdown};

/// A group of pairs or, in a report without groups, a pair.
struct Issue<'r> {
    title: String,
    group: Option<&'r GroupRow>,
    /// Its pairs, the worst first.
    pairs: Vec<&'r PairRow>,
}

impl<'r> Issue<'r> {
    /// Returns the issues of a report, the worst first.
    fn all(report: &'r CheckReport) -> Vec<Self> {
        if report.groups.is_empty() {
            let mut pairs: Vec<&PairRow> = report.pairs.iter().collect();
            pairs.sort_by(|p, q| p.worst_first(q));
            return pairs.into_iter().map(Self::of_pair).collect();
        }
        let by_key: std::collections::HashMap<&str, &PairRow> =
            report.pairs.iter().map(|pair| (&pair.sides.key[..], pair)).collect();
        let of_group = |group: &'r GroupRow| Self {
            title: group.title.clone(),
            group: Some(group),
            pairs: group.pairs.iter().filter_map(|key| by_key.get(&key[..]).copied()).collect(),
        };
        report.groups.iter().map(of_group).filter(|issue| !issue.pairs.is_empty()).collect()
    }

    fn of_pair(pair: &'r PairRow) -> Self {
        Self { title: format!("{} x {}", pair.sides.a, pair.sides.b), group: None, pairs: vec![pair] }
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
