//! The table of what has changed between two reports.

use std::collections::{BTreeMap, BTreeSet};

use super::display::Scale;
use super::layout::{ColumnOf, Table, Treatment};
use super::names::brief;
use super::pairs::ONE_LINE;
use crate::diff::{Diff, DiffRow, FoundRow, Status};
use crate::document::PartRow;
use crate::document::word::Word;
use closefit_geometry::text::printable;
use closefit_geometry::units::Unit;

/// Returns one line with the number of pairs of each status, and the settings that differ.
pub fn diff_counts(diff: &Diff) -> String {
    let c = diff.counts;
    let some = |n: usize, what: &str| if n > 0 { format!("{n} {what}") } else { String::new() };
    let among = |texts: &[String]| {
        let texts: Vec<&str> = texts.iter().map(|text| &text[..]).filter(|text| !text.is_empty()).collect();
        if texts.is_empty() { String::new() } else { format!(" ({})", texts.join(", ")) }
    };
    let active = [some(c.worse, "worse"), some(c.unknown_now, "unknown now"), some(c.better, "better")];
    let mut texts = vec![
        format!("{} new{}", c.new, among(&[some(c.reopened, "reopened")])),
        format!("{} active{}", c.active, among(&active)),
        format!("{} resolved", c.resolved),
        format!("{} part gone", c.part_gone),
        format!("{} not checked", c.not_checked),
    ];
    texts.extend((c.settings_changed > 0).then(|| format!("{} settings changed", c.settings_changed)));
    texts.join(", ")
}

/// Returns what a reader of the counts should know: parts that are gone, added or renamed, and settings.
pub fn diff_notes(diff: &Diff) -> Vec<String> {
    let parts = [
        (diff.gone.len(), "gone"),
        (diff.added.len(), "added"),
        (diff.renamed.len(), "renamed: they are followed by their meshes and places"),
    ];
    let counted = |(n, what): (usize, &str)| {
        (n > 0).then(|| format!("{} {what}", super::counted(n as u64, "part is", "parts are")))
    };
    let settings = diff.settings.iter().map(|setting| printable(&setting.in_words(diff.unit)));
    let unused = (diff.unused_reviews > 0)
        .then(|| format!("{} of the review belong to no pair and no group", diff.unused_reviews));
    parts.into_iter().filter_map(counted).chain(settings).chain(unused).collect()
}

/// Returns the pairs that are not as they were, at most `rows` of them, on lines of `width` characters if
/// possible; empty if there are none.
pub fn diff_pairs(diff: &Diff, rows: Option<usize>, width: usize) -> String {
    let is_shown = |row: &&DiffRow| row.status != Status::Active || row.change.is_some();
    let changed: Vec<&DiffRow> = diff.pairs.iter().filter(is_shown).collect();
    if changed.is_empty() {
        return String::new();
    }
    let shown = &changed[..changed.len().min(rows.unwrap_or(usize::MAX))];
    // A name has the number of an exporter only if it reads like another one without it.
    let mut called: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for name in diff.pairs.iter().flat_map(|row| [&row.a[..], &row.b[..]]) {
        called.entry(brief(name)).or_default().insert(name);
    }
    let name = |name: &str| printable(if called[brief(name)].len() > 1 { name } else { brief(name) }).into();
    let change: ColumnOf<&DiffRow> = ("change", Treatment::LEFT, &|row| status_in_words(row).into());
    let a: ColumnOf<&DiffRow> = ("a", Treatment::NAME, &|row| name(&row.a));
    let b: ColumnOf<&DiffRow> = ("b", Treatment::NAME, &|row| name(&row.b));
    let verdict: ColumnOf<&DiffRow> = ("verdict", Treatment::LEFT, &|row| verdicts(row).into());
    let measure: ColumnOf<&DiffRow> = ("measure", Treatment::LEFT, &|row| measure(row, diff.unit).into());
    let why: ColumnOf<&DiffRow> = ("why", Treatment::REMARK, &|row| printable(&row.why).into());
    let parts = &[] as &[PartRow];
    let table = Table::of(&[change, a, b, verdict, measure], shown, |_| None);
    let drawn = if width < ONE_LINE && table.needed(parts, usize::MAX) > width {
        let below =
            |row: &&DiffRow| Some(printable(&row.why)).filter(|why| !why.is_empty()).into_iter().collect();
        let stacks = [vec![change], vec![a, b], vec![verdict, measure]];
        Table::of_lines(2, &stacks, shown, below).render(parts, Some(width))
    } else {
        Table::of(&[change, a, b, verdict, measure, why], shown, |_| None).render(parts, Some(width))
    };
    let left_out = changed.len() - shown.len();
    let more =
        if left_out == 0 { String::new() } else { format!("and {left_out} more: --rows all shows them\n") };
    drawn + &more
}

/// Returns the status of a pair, or how it changed.
pub(crate) fn status_in_words(row: &DiffRow) -> String {
    match (row.change, row.reopened) {
        (Some(change), _) => change.word().to_owned(),
        (None, true) => "new (reopened)".to_owned(),
        (None, false) => row.status.word().to_owned(),
    }
}

/// Returns the verdicts of both reports, or one if they are equal.
pub(crate) fn verdicts(row: &DiffRow) -> String {
    let [old, new] =
        [row.old, row.new].map(|found: Option<FoundRow>| found.map(|found| found.verdict.word()));
    match (old, new) {
        (Some(old), Some(new)) if old != new => format!("{old} -> {new}"),
        (old, new) => new.or(old).unwrap_or_default().to_owned(),
    }
}

/// Returns the measures of both reports, or one if the pair did not change. Brackets that have nothing in
/// common read differently.
pub(crate) fn measure(row: &DiffRow, unit: Option<Unit>) -> String {
    let [old, new] = [row.old, row.new].map(|found| found?.overlap);
    let gaps = old.zip(new).map(|(old, new)| [[old[1], new[0]], [new[1], old[0]]]);
    let gap = gaps.into_iter().flatten().find(|[low, high]| low < high);
    let scale = gap.map_or(Scale::of(unit), |gap| Scale::of(unit).telling_apart(gap));
    let [old, new] = [row.old, row.new].map(|found| found.map(|found| overlap_with(scale, found.overlap)));
    match (old, new) {
        (Some(old), Some(new)) if row.change.is_some() => format!("{old} -> {new}"),
        (old, new) => new.or(old).unwrap_or_default(),
    }
}

/// Returns the bracket of a depth or distance for people, such as `1 to 1.01 mm deep`.
pub(crate) fn overlap_in_words(overlap: Option<[f64; 2]>, unit: Option<Unit>) -> String {
    overlap_with(Scale::of(unit), overlap)
}

fn overlap_with(scale: Scale, overlap: Option<[f64; 2]>) -> String {
    let bracket = |low: f64, high: f64, what: &str| match (scale.short(low), scale.length(high)) {
        (low_text, _) if low_text == scale.short(high) => format!("{} {what}", scale.length(low)),
        (low, high) => format!("{low} to {high} {what}"),
    };
    match overlap {
        None => "depth not known".to_owned(),
        Some([least, most]) if most < 0.0 => bracket(-most, -least, "apart"),
        Some([least, most]) if least > 0.0 => bracket(least, most, "deep"),
        Some(_) => "touching".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diff::Change;
    use closefit::Verdict;

    #[test]
    fn a_change_reads_like_one() {
        let found = |overlap| Some(FoundRow { verdict: Verdict::Clash, overlap: Some(overlap) });
        let row = |old: [f64; 2], new: [f64; 2]| DiffRow {
            key: String::new(),
            old_key: None,
            a: String::new(),
            b: String::new(),
            status: Status::Active,
            change: Some(Change::Worse),
            why: String::new(),
            old: found(old),
            new: found(new),
            at: None,
            reopened: false,
            review: None,
        };
        let of = |old: [f64; 2], new: [f64; 2]| measure(&row(old, new), Some(Unit::M));
        assert_eq!(of([0.1, 0.1], [0.2, 0.2]), "100 mm deep -> 200 mm deep");
        assert_eq!(of([0.1, 0.1], [0.100_001, 0.100_002]), "100 mm deep -> 100.001 to 100.002 mm deep");
        assert_eq!(of([-0.100_001; 2], [-0.1; 2]), "100.001 mm apart -> 100 mm apart");
        let next = 0.1_f64.next_up();
        let parts = of([0.1, 0.1], [next, next]);
        let (old, new) = parts.split_once(" -> ").unwrap();
        assert_ne!(old, new);
    }
}
