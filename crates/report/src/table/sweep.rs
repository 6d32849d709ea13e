//! The table of a sweep.

use super::display::{Scale, brackets};
use super::pairs::{self, PairEntry};
use super::{and_more, as_is, scene_line};
use crate::document::word::Word;
use crate::document::{ContainedRow, MovingPairRow, SweepReport};
use crate::json::number;
use closefit::internals::query::Verdict;
use closefit_geometry::text::printable;

/// Returns one line with the scene and the settings of the sweep.
pub fn header(report: &SweepReport) -> String {
    let (scene, settings) = (&report.scene, &report.settings);
    let scale = Scale::of(scene.unit);
    format!(
        "{}{}; {} to {} s; clearance {}, tolerance {}, precision {}",
        scene_line(scene.unit, scene.up, report.parts.len(), scene.triangles),
        as_is(settings.as_is),
        seconds(settings.from),
        seconds(settings.to),
        scale.length(settings.clearance),
        scale.length(settings.tolerance),
        scale.length(settings.precision),
    )
}

/// Returns the listed pairs, worst first and then in order of time, at most `limit` of them, on lines of
/// `width` characters if that is known and possible; empty when nothing is listed.
pub fn pairs(report: &SweepReport, limit: usize, width: Option<usize>) -> String {
    if report.pairs.is_empty() {
        return String::new();
    }
    let mut worst_first: Vec<_> = report.pairs.iter().collect();
    worst_first.sort_by(|p, q| {
        let time = |pair: &MovingPairRow| {
            let found = pair.again.as_ref().or(pair.time_of_contact.as_ref());
            found.map_or(f64::INFINITY, |found| found.before)
        };
        let closest = |pair: &MovingPairRow| pair.clearance.map_or(f64::INFINITY, |c| c.at_most);
        let order = p.verdict.cmp(&q.verdict).then(time(p).total_cmp(&time(q)));
        order.then(closest(p).total_cmp(&closest(q))).then(p.sides.ids.cmp(&q.sides.ids))
    });
    let shown = &worst_first[..worst_first.len().min(limit)];

    let scale = Scale::of(report.scene.unit);
    let met = |pair: &MovingPairRow| pair.time_of_contact.is_some();
    let bracket =
        |pair: &&MovingPairRow| pair.clearance.filter(|_| !met(pair)).map(|c| (c.at_least, Some(c.at_most)));
    let sizes = brackets(&shown.iter().map(bracket).collect::<Vec<_>>(), scale);
    let place = |pair: &&MovingPairRow| {
        let found = pair.again.as_ref().or(pair.time_of_contact.as_ref());
        found.map(|found| found.point)
    };
    let places = scale.points(&shown.iter().map(place).collect::<Vec<_>>());
    let rows = shown.iter().zip(sizes).zip(places);
    let entries: Vec<PairEntry> = rows
        .map(|((pair, size), place)| {
            let at = pair.clearance.filter(|_| !met(pair)).map_or_else(String::new, |c| seconds(c.at));
            PairEntry {
                ids: pair.sides.ids,
                verdict: pair.verdict.word(),
                measures: vec![[contact(pair), at], [size.trim_end().to_owned(), place]],
                note: note(pair),
            }
        })
        .collect();
    let titles =
        [["contact, s".to_owned(), "at, s".to_owned()], [scale.title("clearance"), scale.title("where")]];
    pairs::render(&report.parts, &titles, &entries, width) + &and_more(worst_first.len() - shown.len())
}

/// Returns the times of contact.
fn contact(pair: &MovingPairRow) -> String {
    match (&pair.time_of_contact, &pair.again) {
        (None, _) => String::new(),
        (Some(_), Some(again)) => format!("start, {}", seconds(again.before)),
        (Some(_), None) if pair.start_contact => "start".to_owned(),
        (Some(found), None) => seconds(found.before),
    }
}

fn note(pair: &MovingPairRow) -> Option<String> {
    let undecided = pair.verdict == Verdict::Undecided;
    match &pair.contained {
        None => pair.depth_unknown.as_deref().filter(|_| undecided).map(printable),
        Some(ContainedRow::Known(inside)) => Some(format!("{}, without contact", inside.word())),
        Some(ContainedRow::Unknown { undecidable }) => Some(printable(undecidable)),
    }
}

/// Returns a time with six significant digits.
pub(super) fn seconds(x: f64) -> String {
    number(format!("{x:.5e}").parse().unwrap_or(x))
}
