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
        "{}; {question}; clearance {}, tolerance {}; the least CPU time of {}, {}, {}",
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
    let default = items.first().and_then(|(_, seconds)| Some(seconds.as_ref()?.cpu));
    let time = |of: fn(&SecondsRow) -> f64, item: &Item| {
        item.1.as_ref().map_or_else(String::new, |seconds| format!("{:.4}", of(seconds)))
    };
    let ratio = |item: &Item| match (&item.1, default) {
        (Some(seconds), Some(default)) if default > 0.0 => format!("{:.2}", seconds.cpu / default),
        _ => String::new(),
    };
    let count = |of: fn(&MethodRow) -> Option<u64>, item: &Item| {
        of(item.0).map_or_else(String::new, |count| count.to_string())
    };
    let columns: [ColumnOf<Item>; 10] = [
        ("choice", Treatment::LEFT, &|item| item.0.choice.word().to_owned().into()),
        ("", Treatment::LEFT, &|item| item.0.name.clone().into()),
        ("seconds", Treatment::RIGHT, &|item| match item.0.stopped {
            true => "stopped".to_owned().into(),
            false => time(SecondsRow::total, item).into(),
        }),
        ("CPU", Treatment::RIGHT, &|item| time(|seconds| seconds.cpu, item).into()),
        ("x default", Treatment::RIGHT, &|item| ratio(item).into()),
        ("trees", Treatment::OPTIONAL_RIGHT, &|item| time(|seconds| seconds.build, item).into()),
        ("pairs", Treatment::OPTIONAL_RIGHT, &|item| time(|seconds| seconds.decide, item).into()),
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

/// Returns one line that names the choice with the least CPU time, if it is the least beyond noise.
pub fn best(report: &BenchReport) -> String {
    let seconds = &report.this_machine.seconds;
    let (Some(best), Some(Some(default))) = (report.fastest(), seconds.first()) else {
        return "every method was stopped: a larger --limit".to_owned();
    };
    let fastest = seconds[best].as_ref().unwrap_or(default);
    let is_as_fast =
        |seconds: &Option<SecondsRow>| seconds.as_ref().is_some_and(|seconds| !seconds.differs_from(fastest));
    let others = seconds.iter().filter(|seconds| is_as_fast(seconds)).count() - 1;
    let all = "all gave the same answers";
    let name = |place: usize| &report.methods[place].name;
    if report.this_machine.rounds == 1 {
        return format!("one round does not tell which is the fastest: --rounds 3; {all}");
    }
    match (default.differs_from(fastest), others) {
        (false, 0) => format!("the default, {}, is the fastest; {all}", name(0)),
        (false, _) => format!("the default, {}, is as fast as any, within noise; {all}", name(0)),
        (true, _) => format!(
            "--{} {} is the fastest, {:.0} % less CPU time than the default{}; {all}",
            report.methods[best].choice.word(),
            name(best),
            100.0 * (1.0 - fastest.cpu / default.cpu),
            match others {
                0 => String::new(),
                _ => format!(", and {} within noise of it", counted(others as u64, "other", "others")),
            }
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{BenchSettings, ChoiceWord, MachineRow};
    use crate::testing;

    /// Returns a report of CPU times and their spreads. The first is the default's.
    fn report_of(times: &[Option<(f64, f64)>]) -> BenchReport {
        let settings = BenchSettings {
            question: QuestionWord::Rest,
            clearance: 0.0,
            tolerance: 0.0,
            precision: None,
            poses: None,
        };
        let method = |(place, time): (usize, &Option<_>)| MethodRow {
            choice: ChoiceWord::Tree,
            name: format!("tree{place}"),
            work: None,
            stopped: time.is_none(),
        };
        let seconds = |time: &Option<(f64, f64)>| {
            time.map(|(cpu, spread)| SecondsRow { cpu, spread, decide: 9.0, ..SecondsRow::default() })
        };
        let machine = MachineRow {
            processor: "P".to_owned(),
            threads: 1,
            rounds: 3,
            seconds: times.iter().map(seconds).collect(),
            slow_pair: None,
        };
        let methods = times.iter().enumerate().map(method).collect();
        BenchReport::new(&testing::run().0, settings, methods, machine)
    }

    fn best_of(times: &[Option<(f64, f64)>]) -> String {
        let line = best(&report_of(times));
        line.strip_suffix("; all gave the same answers").expect("all are compared").to_owned()
    }

    #[test]
    fn methods_are_compared_by_cpu_time() {
        let report = report_of(&[Some((1.0, 0.0)), Some((0.5, 0.0)), None]);
        let table = methods(&report, None);
        assert!(table.contains("9.0000  0.5000       0.50  0.0000  9.0000"), "{table}");
        let narrow = methods(&report, Some(50));
        assert!(narrow.contains("0.50") && !narrow.contains("pairs") && !narrow.contains('…'), "{narrow}");
    }

    #[test]
    fn the_fastest_is_named_where_it_is_so_beyond_noise() {
        let is = |times: &[Option<(f64, f64)>], expected: &str| assert_eq!(best_of(times), expected);
        is(&[Some((1.0, 0.0)), Some((2.0, 0.0)), None], "the default, tree0, is the fastest");
        is(&[Some((1.0, 0.0)), Some((0.95, 0.0))], "the default, tree0, is as fast as any, within noise");
        is(&[Some((1.0, 0.5)), Some((0.63, 0.0))], "the default, tree0, is as fast as any, within noise");
        is(
            &[Some((1.0, 0.0)), Some((0.63, 0.0)), None],
            "--tree tree1 is the fastest, 37 % less CPU time than the default",
        );
        is(
            &[Some((1.0, 0.0)), Some((0.5, 0.0)), Some((0.51, 0.0))],
            "--tree tree1 is the fastest, 50 % less CPU time than the default, and 1 other within noise of it",
        );
    }

    #[test]
    fn one_round_tells_no_fastest() {
        let mut report = report_of(&[Some((1.0, 0.0)), Some((0.1, 0.0))]);
        report.this_machine.rounds = 1;
        assert!(best(&report).starts_with("one round does not tell which is the fastest: --rounds 3; "));
    }
}
