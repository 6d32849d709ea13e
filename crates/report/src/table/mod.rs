//! Tables for people: worst pairs first, rounded, in lines that fit the terminal. Exact numbers are in the
//! document.

mod audit;
mod bench;
mod check;
mod claims;
mod diff;
mod display;
mod features;
mod fit;
mod grid;
mod headline;
mod inspect;
mod joint_box;
mod layout;
mod names;
mod notes;
mod pairs;
mod parameter;
mod repairs;
mod robots;
mod rules;
mod screen;
mod slack;
mod sweep;
mod view;
mod way_out;

use std::collections::BTreeMap;

pub use audit::{
    counts as audit_counts, header as audit_header, links as audited_links,
    never_lines as audited_never_lines,
};
pub use bench::{best as bench_best, header as bench_header, methods as bench_methods};
pub use claims::{certified, claims, not_certified};
pub(crate) use claims::{claim_in_words, not_asked_in_words};
use closefit::Verdict;
use closefit_geometry::scene::Up;
use closefit_geometry::text::printable;
use closefit_geometry::units::Unit;
pub use diff::{diff_counts, diff_notes, diff_pairs};
pub(crate) use diff::{measure, overlap_in_words, status_in_words, verdicts};
pub use display::{counted, measured};
pub use fit::{elided, folded};
pub use grid::{GridColumn, grid};
pub use headline::headline;
pub use inspect::inspection;
pub use joint_box::{counts as joint_box_counts, header as joint_box_header, pairs as joint_box_pairs};
pub use names::{brief, number_behind, spoken};
pub use notes::{clearance_note, slow_note};
pub use pairs::{Numbers, Printed, header, pairs};
pub use parameter::{beyond_limits_in_words, seconds};
pub use repairs::repairs;
pub use rules::rules;
pub use screen::Screen;
pub use slack::{all as slack_of_all, header as slack_header, of_part as slack_of_part};
pub use sweep::intervals as sweep_intervals;
pub use view::{Only, Ordered, Sort, View};

use super::document::word::Word;
use super::document::{CheckReport, LedgerRow, Status};

/// Returns the beginning of a line: parts, triangles, unit, and the axis that points up.
pub fn scene_line(unit: Option<Unit>, up: Option<Up>, parts: usize, triangles: u64) -> String {
    let unit = unit.map_or("none", Unit::suffix);
    let parts = counted(parts as u64, "part", "parts");
    let up = match up {
        Some(Up::Y) => ", y up",
        Some(Up::Z) => ", z up",
        None => "",
    };
    format!("{parts}, {}, unit {unit}{up}", counted(triangles, "triangle", "triangles"))
}

/// Returns a length of the scene for people: with four digits, in millimetres or inches if its unit is known.
pub fn scene_length(unit: Option<Unit>, length: f64) -> String {
    display::Scale::of(unit).length(length)
}

/// Returns a remark if meshes are taken as they are.
fn as_is(as_is: bool) -> &'static str {
    if as_is { ", meshes as they are" } else { "" }
}

/// Returns one line with the number of pairs of each verdict; the numbers add up.
pub fn counts(listed: impl Iterator<Item = Verdict>, ledger: &LedgerRow) -> String {
    let mut listed_as: BTreeMap<Verdict, u64> = BTreeMap::new();
    listed.for_each(|verdict| *listed_as.entry(verdict).or_default() += 1);
    let count = |verdict: Verdict| listed_as.get(&verdict).copied().unwrap_or(0);
    let shown = [Verdict::Clash, Verdict::Meets, Verdict::Undecided, Verdict::Contact, Verdict::Clearance];
    // Parts merely meet only if no depths were requested.
    let shown = shown.into_iter().filter(|v| *v != Verdict::Meets || count(*v) > 0);
    let verdicts = shown.map(|v| format!("{} {}", count(v), v.word())).collect::<Vec<_>>().join(", ");
    let clear = ledger.decided + ledger.undecided - listed_as.values().sum::<u64>();
    let excluded: String =
        ledger.excluded.iter().map(|(reason, n)| format!(", {n} excluded ({})", printable(reason))).collect();
    let pairs = counted(ledger.pairs, "pair", "pairs");
    format!("{pairs}: {verdicts}, {clear} clear, {} apart{excluded}", ledger.apart)
}

/// Returns the end of a line of counts: the numbers of accepted pairs and of stale waivers, if there are any.
pub fn accepted(report: &CheckReport) -> String {
    let of = |status: Status| (report.count(status), status.word());
    let found = [of(Status::Accepted), of(Status::Stale)].into_iter().filter(|(n, _)| *n > 0);
    found.map(|(n, word)| format!(", {n} {word}")).collect()
}
