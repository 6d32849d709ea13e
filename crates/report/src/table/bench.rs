//! The table of methods and their costs.

use super::display::{Scale, counted};
use super::layout::{ColumnOf, Table, Treatment};
use super::scene_line;
use crate::document::word::Word;
use crate::document::{BenchReport, MethodRow, PartRow, QuestionWord, SecondsRow};

/// Returns one line with the scene and the settings.
pub fn header(report: &BenchReport) -> String {
    let (scene, settings, machine) = (&report.scene, &report.settings, &report.this_machine);
    let scale = Scale::of(scene.unit);
    let question = match (settings.question, settings.poses) {
        (QuestionWord::Motion, _) => "over the motion".to_owned(),
        (QuestionWord::Poses, Some(poses)) => format!("at {}", counted(poses, "pose", "poses")),
        _ => "at rest".to_owned(),
    };
    format!(
        "{}; {question}; clearance {}, tolerance {}; the fastest of {}, {}, {}",
        scene_line(scene.unit, scene.up, report.parts, scene.triangles),
        scale.length(settings.clearance),
        scale.length(settings.tolerance),
        counted(machine.rounds.into(), "round", "rounds"),
        counted(machine.threads as u64, "thread", "threads"),
        machine.processor,
    )
}

/// Returns a line for each method, in their order, on lines of `width` characters if that is known and
/// possible.
pub fn methods(report: &BenchReport, width: Option<usize>) -> String {
    type Item<'r> = (&'r MethodRow, Option<SecondsRow>);
    let items: Vec<Item> = report.methods.iter().zip(report.this_machine.seconds.iter().copied()).collect();
    let default = items.first().and_then(|(_, seconds)| seconds.as_ref()).map(SecondsRow::total);
    let time = |of: fn(&SecondsRow) -> f64, item: &Item| {
        item.1.as_ref().map_or_else(String::new, |seconds| format!("{:.4}", of(seconds)))
    };
    let ratio = |item: &Item| match (&item.1, default) {
        (Some(seconds), Some(default)) => format!("{:.2}", seconds.total() / default),
        _ => String::new(),
    };
    let count = |of: fn(&MethodRow) -> Option<u64>, item: &Item| {
        of(item.0).map_or_else(String::new, |count| count.to_string())
    };
    let columns: [ColumnOf<Item>; 9] = [
        ("choice", Treatment::LEFT, &|item| item.0.choice.word().to_owned().into()),
        ("", Treatment::LEFT, &|item| item.0.name.clone().into()),
        ("seconds", Treatment::RIGHT, &|item| match item.0.stopped {
            true => "stopped".to_owned().into(),
            false => time(SecondsRow::total, item).into(),
        }),
        ("x default", Treatment::RIGHT, &|item| ratio(item).into()),
        ("trees", Treatment::RIGHT, &|item| time(|seconds| seconds.build, item).into()),
        ("pairs", Treatment::RIGHT, &|item| time(|seconds| seconds.decide, item).into()),
        ("box tests", Treatment::RIGHT, &|item| count(|row| Some(row.work.as_ref()?.box_tests), item).into()),
        ("triangle tests", Treatment::RIGHT, &|item| {
            count(|row| Some(row.work.as_ref()?.triangle_tests), item).into()
        }),
        ("memory", Treatment::RIGHT, &|item| {
            let bytes = item.0.work.as_ref().map(|work| format!("{:.1} MB", work.bytes as f64 / 1e6));
            bytes.unwrap_or_default().into()
        }),
    ];
    let no_parts: [PartRow; 0] = [];
    Table::of(&columns, &items, |_| None).render(&no_parts, width)
}

/// Returns one line that names the best choice.
pub fn best(report: &BenchReport) -> String {
    let Some(best) = report.fastest() else { return "every method was stopped: a larger --limit".to_owned() };
    let [default, fastest] =
        [0, best].map(|place| report.this_machine.seconds[place].as_ref().map(SecondsRow::total));
    let name = &report.methods[best].name;
    let all = "all gave the same answers";
    match (best, default, fastest) {
        (0, ..) => format!("the default, {name}, is the fastest; {all}"),
        (_, Some(default), Some(fastest)) => format!(
            "--{} {name} is the fastest, {:.0} % less than the default; {all}",
            report.methods[best].choice.word(),
            100.0 * (1.0 - fastest / default)
        ),
        _ => format!("--{} {name} is the fastest; {all}", report.methods[best].choice.word()),
    }
}
