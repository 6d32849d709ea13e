//! The table of a run's pairs, one line each.

use super::layout::{Cell, ColumnOf, Table, Treatment, type_cell};
use crate::document::PartRow;

/// A pair as shown to people.
pub(super) struct PairEntry {
    pub ids: [u32; 2],
    pub verdict: &'static str,
    /// The measured numbers, a text for each title.
    pub numbers: Vec<String>,
    pub remark: String,
    pub place: String,
}

/// Renders the pairs on lines of `width` characters, if that is known and possible: verdict, parts and their
/// types, the numbers with their titles, remark, and place. Types go first where room is short, then places.
pub(super) fn render(
    parts: &[PartRow],
    numbers: &[String],
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
