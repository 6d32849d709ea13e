//! The summary of a sweep for people: the worst first, rounded. Exact numbers are in the report.

use super::super::display::Scale;
use super::super::json::number;
use super::super::pair_table::{self, PairEntry};
use super::super::rows::verdict_word;
use super::super::table::{as_is, brackets, scene_line};
use crate::engine::SweepResult;
use crate::query::moving_pair::MovingPairRecord;
use crate::query::{Containment, Verdict};
use crate::scene::Scene;
use crate::text::printable;

/// What was swept, and how: one line.
pub fn header(scene: &Scene, result: &SweepResult) -> String {
    let (scale, request) = (Scale::of(scene.unit), &result.request);
    format!(
        "{}{}; {} to {} s; clearance {}, tolerance {}, precision {}",
        scene_line(scene),
        as_is(request.winding),
        seconds(request.from),
        seconds(request.to),
        scale.length(request.clearance),
        scale.length(request.tolerance),
        scale.length(request.precision),
    )
}

/// The listed pairs, worst first and in the order of time, at most `limit` of them, on lines of `width`
/// characters if that is known and can be; empty when nothing is listed.
pub fn pairs(scene: &Scene, result: &SweepResult, limit: usize, width: Option<usize>) -> String {
    if result.pairs.is_empty() {
        return String::new();
    }
    let mut worst_first: Vec<_> = result.pairs.iter().collect();
    worst_first.sort_by(|p, q| {
        let time = |pair: &MovingPairRecord| {
            let found = pair.again.as_ref().or(pair.time_of_contact.as_ref());
            found.map_or(f64::INFINITY, |found| found.before)
        };
        let closest = |pair: &MovingPairRecord| pair.clearance.map_or(f64::INFINITY, |c| c.at_most);
        let order = p.verdict.cmp(&q.verdict).then(time(p).total_cmp(&time(q)));
        order.then(closest(p).total_cmp(&closest(q))).then(p.ids.cmp(&q.ids))
    });
    let shown = &worst_first[..worst_first.len().min(limit)];

    let scale = Scale::of(scene.unit);
    let met = |pair: &MovingPairRecord| pair.time_of_contact.is_some();
    let bracket = |pair: &&MovingPairRecord| {
        pair.clearance.filter(|_| !met(pair)).map(|c| (c.at_least, Some(c.at_most)))
    };
    let sizes = brackets(&shown.iter().map(bracket).collect::<Vec<_>>(), scale);
    let place = |pair: &&MovingPairRecord| {
        let found = pair.again.as_ref().or(pair.time_of_contact.as_ref());
        found.map(|found| found.touch.point.to_array())
    };
    let places = scale.points(&shown.iter().map(place).collect::<Vec<_>>());
    let rows = shown.iter().zip(sizes).zip(places);
    let entries: Vec<PairEntry> = rows
        .map(|((pair, size), place)| {
            let at = pair.clearance.filter(|_| !met(pair)).map_or_else(String::new, |c| seconds(c.at));
            PairEntry {
                ids: pair.ids,
                verdict: verdict_word(pair.verdict),
                measures: vec![[contact(pair), at], [size.trim_end().to_owned(), place]],
                note: note(pair),
            }
        })
        .collect();
    let titles =
        [["contact, s".to_owned(), "at, s".to_owned()], [scale.title("clearance"), scale.title("where")]];
    let mut text = pair_table::render(scene, &titles, &entries, width);
    if worst_first.len() > limit {
        text += &format!("and {} more: see --out or --json\n", worst_first.len() - limit);
    }
    text
}

/// When they meet.
fn contact(pair: &MovingPairRecord) -> String {
    match (&pair.time_of_contact, &pair.again) {
        (None, _) => String::new(),
        (Some(_), Some(again)) => format!("start, {}", seconds(again.before)),
        (Some(_), None) if pair.start_contact => "start".to_owned(),
        (Some(found), None) => seconds(found.before),
    }
}

fn note(pair: &MovingPairRecord) -> Option<String> {
    let undecided = pair.verdict == Verdict::Undecided;
    match &pair.contained {
        Containment::None => pair.depth_unknown.as_deref().filter(|_| undecided).map(printable),
        Containment::AInB => Some("a in b, without contact".to_owned()),
        Containment::BInA => Some("b in a, without contact".to_owned()),
        Containment::Undecidable(reason) => Some(printable(reason)),
    }
}

/// Six significant digits.
fn seconds(x: f64) -> String {
    number(format!("{x:.5e}").parse().unwrap_or(x))
}
