//! The summary of a check for people: the worst first, rounded to six digits. Exact numbers are in the report.

use comfy_table::{CellAlignment, ContentArrangement, Table, presets};

use super::json::number;
use super::rows::verdict_word;
use super::{labels, printable, triangle_count};
use crate::engine::CheckResult;
use crate::query::{Containment, Depth, PairRecord, Verdict};
use crate::scene::Scene;
use crate::units::Unit;

/// What was checked, and how: one line.
pub fn header(scene: &Scene, result: &CheckResult) -> String {
    format!(
        "{}; clearance {}, tolerance {}",
        scene_line(scene),
        length(result.request.clearance, scene.unit),
        length(result.request.tolerance, scene.unit),
    )
}

/// Parts, triangles and unit.
pub fn scene_line(scene: &Scene) -> String {
    let unit = scene.unit.map_or("none", Unit::suffix);
    format!("{} parts, {} triangles, unit {unit}", scene.parts.len(), triangle_count(scene))
}

/// The listed pairs, worst first, at most `limit` of them; empty when nothing is listed.
pub fn pairs(scene: &Scene, result: &CheckResult, limit: usize) -> String {
    if result.pairs.is_empty() {
        return String::new();
    }
    let mut worst_first: Vec<_> = result.pairs.iter().collect();
    worst_first.sort_by(|p, q| {
        let order = p.verdict.cmp(&q.verdict).then(at_least(q).total_cmp(&at_least(p)));
        order.then(p.distance.total_cmp(&q.distance)).then(p.ids.cmp(&q.ids))
    });
    let names = labels(scene);
    let mut table = plain_table(&["verdict", "a", "b", "depth or distance", "contacts", "where"], &[4]);
    for pair in worst_first.iter().take(limit) {
        let [a, b] = pair.ids.map(|id| names[id.index()].clone());
        let place = pair.location.map(|l| l.point).or(pair.points.map(|[on_a, _]| on_a));
        table.add_row([
            verdict_word(pair.verdict).to_owned(),
            a,
            b,
            measure(pair, scene.unit),
            pair.contacts.to_string(),
            place.map_or_else(String::new, |p| p.to_array().map(short).join(" ")),
        ]);
    }
    let mut text = lines(&table);
    if worst_first.len() > limit {
        text += &format!("and {} more: see --out or --json\n", worst_first.len() - limit);
    }
    text
}

/// How many pairs got which verdict, and how the ledger adds up: one line.
pub fn counts(result: &CheckResult) -> String {
    let count = |verdict| result.pairs.iter().filter(|p| p.verdict == verdict).count();
    let verdicts = [Verdict::Clash, Verdict::Undecided, Verdict::Contact, Verdict::Clearance];
    let verdicts = verdicts.map(|v| format!("{} {}", count(v), verdict_word(v))).join(", ");
    let ledger = &result.ledger;
    let excluded: String =
        ledger.excluded.iter().map(|(reason, n)| format!("{n} excluded ({}), ", printable(reason))).collect();
    format!(
        "{verdicts}; {} pairs: {excluded}{} apart, {} decided, {} undecided",
        ledger.pairs, ledger.apart, ledger.decided, ledger.undecided
    )
}

/// A table without rules, as wide as the terminal allows; `numeric` columns are flush right.
pub(super) fn plain_table(header: &[&str], numeric: &[usize]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
    table.set_header(header);
    for &column in numeric {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

/// The table's lines without the blanks that pad them.
pub(super) fn lines(table: &Table) -> String {
    table.lines().map(|line| line.trim_end().to_owned() + "\n").collect()
}

/// Six significant digits.
pub(super) fn short(x: f64) -> String {
    let rounded = format!("{x:.5e}").parse().unwrap_or(x);
    number(rounded)
}

/// A length with its unit, if the scene has one.
pub fn length(x: f64, unit: Option<Unit>) -> String {
    unit.map_or_else(|| short(x), |u| format!("{} {u}", short(x)))
}

/// The certified depth, for sorting: pairs without one come last.
fn at_least(pair: &PairRecord) -> f64 {
    match pair.depth {
        Depth::Bracket { at_least, .. } => at_least,
        Depth::Apart | Depth::Unknown(_) => -1.0,
    }
}

/// What decided the verdict, in words.
fn measure(pair: &PairRecord, unit: Option<Unit>) -> String {
    let mut words = Vec::new();
    match &pair.contained {
        Containment::None => {}
        Containment::AInB => words.push("a in b".to_owned()),
        Containment::BInA => words.push("b in a".to_owned()),
        Containment::Undecidable(reason) => words.push(printable(reason)),
    }
    if pair.duplicate {
        words.push("duplicate".to_owned());
    }
    if pair.crossing {
        words.push("crossing".to_owned());
    }
    match pair.depth {
        Depth::Bracket { at_least, at_most } if pair.verdict == Verdict::Clash => {
            let (low, high) = (short(at_least), length(at_most, unit));
            let same = short(at_most) == low;
            words.push(if same { format!("depth {high}") } else { format!("depth {low} to {high}") });
        }
        _ if pair.contacts > 0 => words.push("touching".to_owned()),
        _ => words.push(format!("distance {}", length(pair.distance, unit))),
    }
    words.join(", ")
}
