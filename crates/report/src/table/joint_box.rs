//! The table of the pairs of a robot's parts over all configurations.

use super::display::{Scale, brackets};
use super::layout::{Cell, ColumnOf, Table, Treatment};
use super::screen::Screen;
use super::{as_is, counted, scene_line};
use crate::document::word::Word;
use crate::document::{Configuration, EncounterRow, EncounterWord, JointBoxReport};
use closefit_geometry::text::printable;

/// Returns one line with the scene and the settings.
pub fn header(report: &JointBoxReport) -> String {
    let (scene, settings) = (&report.scene, &report.settings);
    let scale = Scale::of(scene.unit);
    let joints = counted(settings.joints.len() as u64, "joint", "joints");
    format!(
        "{}{}; all configurations of {joints}, in rad or m; clearance {}, precision {}",
        scene_line(scene.unit, scene.up, report.parts.len(), scene.triangles),
        as_is(settings.as_is),
        scale.length(settings.clearance),
        scale.length(settings.precision),
    )
}

/// Returns a line for each pair, those that may meet first, on lines that fit the screen if its width is
/// known and that is possible.
pub fn pairs(report: &JointBoxReport, rows: Option<usize>, screen: Screen) -> String {
    let scale = Scale::of(report.scene.unit);
    let mut pairs: Vec<&EncounterRow> = report.pairs.iter().collect();
    pairs.sort_by(|a, b| a.encounter.cmp(&b.encounter).then(least(a).total_cmp(&least(b))));
    let shown = &pairs[..rows.unwrap_or(usize::MAX).min(pairs.len())];
    let distances: Vec<_> =
        shown.iter().map(|pair| pair.distance.as_ref().map(|d| [d.at_least, d.at_most])).collect();
    let items: Vec<_> = shown.iter().zip(brackets(&distances, scale)).collect();
    type Item<'r> = (&'r &'r EncounterRow, String);
    let title = scale.title("least distance");
    let columns: [ColumnOf<Item>; 5] = [
        ("meet", Treatment::VERDICT, &|item| item.0.encounter.word().to_owned().into()),
        ("a", Treatment::PART, &|item| Cell::Part(item.0.ids[0] as usize)),
        ("b", Treatment::PART, &|item| Cell::Part(item.0.ids[1] as usize)),
        (&title, Treatment::LEFT, &|item| item.1.clone().into()),
        ("", Treatment::REMARK, &|item| remark(item.0).into()),
    ];
    let table = Table::of(&columns, &items, |_| None).render(&report.parts, screen);
    and_more(table, pairs.len() - shown.len())
}

/// Returns a table with a line about the rows that it lacks.
pub(super) fn and_more(table: String, left: usize) -> String {
    if left == 0 { table } else { format!("{table}and {left} more: --rows all shows them\n") }
}

/// Returns one line that counts the pairs.
pub fn counts(report: &JointBoxReport) -> String {
    let counts = EncounterWord::WORDS.iter().map(|&(word, text)| format!("{} {text}", report.count(word)));
    let pairs = counted(report.pairs.len() as u64, "pair", "pairs");
    format!("{pairs}: {}", counts.collect::<Vec<_>>().join(", "))
}

fn least(pair: &EncounterRow) -> f64 {
    pair.distance.as_ref().map_or(0.0, |distance| distance.at_least)
}

/// Returns where parts are near, or why it is not known.
fn remark(pair: &EncounterRow) -> String {
    let at =
        |near: &Configuration| values(pair.joints.iter().filter_map(|joint| Some((joint, near.get(joint)?))));
    match (&pair.near, &pair.unknown) {
        (Some(near), _) => format!("near at {}", at(near)),
        (None, Some(why)) => printable(why).to_string(),
        (None, None) => String::new(),
    }
}

/// Returns values of joints, rounded, for people.
pub(super) fn values<'a>(named: impl Iterator<Item = (&'a String, &'a f64)>) -> String {
    let one =
        |(joint, value): (&String, &f64)| format!("{}={}", printable(joint), (value * 1e3).round() / 1e3);
    named.map(one).collect::<Vec<_>>().join(" ")
}
