//! The table of a run's pairs, one line each.

use super::display::Scale;
use super::layout::{Cell, ColumnOf, Table, Treatment, type_cell};
use super::view::{Ordered, View};
use crate::document::{PartRow, Report, Word};

/// A pair that has a row in the table for people.
pub trait Printed: Ordered + Sized {
    /// The settings of its report.
    type Settings;

    /// Returns one line with the scene and the settings of a report.
    fn header(report: &Report<Self::Settings, Self>) -> String;

    /// Returns the numbers of the pairs that are shown.
    fn numbers(report: &Report<Self::Settings, Self>, rows: &[&Self]) -> Numbers;

    /// Returns what the numbers do not say.
    fn remark(&self, report: &Report<Self::Settings, Self>) -> String;
}

/// The measured numbers of rows: their titles, and the texts of each row.
pub struct Numbers {
    pub(super) titles: [String; 3],
    pub(super) texts: Vec<[String; 3]>,
}

/// Returns one line with the scene and the settings of a report.
pub fn header<P: Printed>(report: &Report<P::Settings, P>) -> String {
    P::header(report)
}

/// Returns the pairs that `view` selects, on lines of `width` characters if that is known and possible, and
/// what it leaves out. A line says so if there is no pair.
pub fn pairs<P: Printed>(report: &Report<P::Settings, P>, view: &View, width: Option<usize>) -> String {
    let view = view.with_groups(&report.groups);
    let shown = view.of(&report.parts, &report.pairs);
    if shown.rows.is_empty() {
        return shown.instead_of_rows() + &shown.below();
    }
    let scale = Scale::of(report.scene.unit);
    let Numbers { titles, texts } = P::numbers(report, &shown.rows);
    let places: Vec<_> = shown.rows.iter().map(|pair| pair.at()).collect();
    let entries = shown.rows.iter().zip(texts).zip(scale.points(&places));
    let entries = entries.map(|((pair, numbers), place)| PairEntry {
        ids: pair.sides().ids,
        verdict: pair.verdict().word(),
        numbers,
        remark: pair.remark(report),
        place,
    });
    let entries: Vec<PairEntry> = entries.collect();
    render(&report.parts, &titles, &scale.title("where"), &entries, width) + &shown.below()
}

/// A pair as shown to people.
struct PairEntry {
    ids: [u32; 2],
    verdict: &'static str,
    /// The measured numbers, a text for each title.
    numbers: [String; 3],
    remark: String,
    place: String,
}

/// Renders the pairs on lines of `width` characters, if that is known and possible: verdict, parts and their
/// types, the numbers with their titles, remark, and place. Types go first where room is short, then places.
fn render(
    parts: &[PartRow],
    numbers: &[String; 3],
    place: &str,
    pairs: &[PairEntry],
    width: Option<usize>,
) -> String {
    let part = |pair: &PairEntry, side: usize| pair.ids[side] as usize;
    let mut types = pairs.iter().flat_map(|pair| pair.ids).map(|id| &parts[id as usize].kind);
    let first = types.next();
    // A type that all have tells nothing.
    let differ = types.any(|kind| Some(kind) != first);
    let type_of =
        |pair: &PairEntry, side| if differ { type_cell(&parts[part(pair, side)]) } else { Cell::default() };
    let (name_a, name_b) = (|p: &PairEntry| Cell::Part(part(p, 0)), |p: &PairEntry| Cell::Part(part(p, 1)));
    let (type_a, type_b) = (|p: &PairEntry| type_of(p, 0), |p: &PairEntry| type_of(p, 1));
    let mut columns: Vec<ColumnOf<PairEntry>> = vec![
        ("verdict", Treatment::LEFT, &|pair| pair.verdict.to_owned().into()),
        ("a", Treatment::PART, &name_a),
        ("type", Treatment::FIRST_TO_GO, &type_a),
        ("b", Treatment::PART, &name_b),
        ("type", Treatment::FIRST_TO_GO, &type_b),
    ];
    let texts: Vec<_> =
        (0..numbers.len()).map(|k| move |pair: &PairEntry| pair.numbers[k].clone().into()).collect();
    for (title, text) in numbers.iter().zip(&texts) {
        columns.push((title, Treatment::LEFT, text));
    }
    columns.push(("remark", Treatment::REMARK, &|pair| pair.remark.clone().into()));
    columns.push((place, Treatment::OPTIONAL, &|pair| pair.place.clone().into()));
    Table::of(&columns, pairs, |_| None).render(parts, width)
}
