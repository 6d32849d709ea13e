//! The table of a run's pairs: a line each, or two where one is too short for the names.

use super::display::Scale;
use super::layout::{Cell, ColumnOf, ROOMY, Table, Treatment, type_cell};
use super::screen::Screen;
use super::view::{Ordered, View};
use crate::document::{PartRow, Report, Word};

/// The width from which on a pair has one line even if that shortens its names.
pub(super) const ONE_LINE: usize = 120;

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

    /// Returns the pair as the worst of a report, with the names of its parts: `Worst: a in b, 3.2 mm`.
    fn told(&self, report: &Report<Self::Settings, Self>, names: [String; 2]) -> String;
}

/// The measures of rows, in two columns.
pub struct Numbers {
    pub(super) titles: [String; 2],
    /// The two texts of each row.
    pub(super) texts: Vec<[String; 2]>,
    /// True if the second texts are words, which have a line of their own below a row of two lines.
    pub(super) ends_in_words: bool,
}

/// Returns one line with the scene and the settings of a report.
pub fn header<P: Printed>(report: &Report<P::Settings, P>) -> String {
    P::header(report)
}

/// Returns the pairs that `view` selects, on lines that fit the screen if its width is known and that is
/// possible, and what it leaves out. A line says so if there is no pair.
pub fn pairs<P: Printed>(report: &Report<P::Settings, P>, view: &View, screen: impl Into<Screen>) -> String {
    let view = view.with_groups(&report.groups);
    let shown = view.of(&report.parts, &report.pairs);
    if shown.rows.is_empty() {
        return shown.instead_of_rows() + &shown.below();
    }
    let scale = Scale::of(report.scene.unit);
    let Numbers { titles, texts, ends_in_words } = P::numbers(report, &shown.rows);
    let places: Vec<_> = shown.rows.iter().map(|pair| pair.at()).collect();
    let entries = shown.rows.iter().zip(texts).zip(scale.points(&places));
    let entries = entries.map(|((pair, numbers), place)| PairEntry {
        ids: pair.sides().ids,
        verdict: pair.verdict().word(),
        numbers,
        remark: pair.remark(report),
        place,
    });
    let table = PairTable {
        parts: &report.parts,
        titles,
        ends_in_words,
        place: scale.title("where"),
        entries: entries.collect(),
    };
    table.render(screen.into()) + &shown.below()
}

/// A pair as shown to people.
struct PairEntry {
    ids: [u32; 2],
    verdict: &'static str,
    /// The measured numbers, a text for each title.
    numbers: [String; 2],
    remark: String,
    place: String,
}

/// The pairs to show, and the titles of their numbers and of their places.
struct PairTable<'r> {
    parts: &'r [PartRow],
    titles: [String; 2],
    ends_in_words: bool,
    place: String,
    entries: Vec<PairEntry>,
}

impl PairTable<'_> {
    /// Renders the pairs: verdict, parts and their types, numbers, remark, and place. Where a line is too
    /// short for all but the types, each pair gets two. Types go first where room is short, then places.
    fn render(&self, screen: Screen) -> String {
        let Self { parts, titles, ends_in_words, place, entries } = self;
        let part = |pair: &PairEntry, side: usize| pair.ids[side] as usize;
        let mut types = entries.iter().flat_map(|pair| pair.ids).map(|id| &parts[id as usize].kind);
        let first = types.next();
        // A type that all parts have says nothing.
        let differ = types.any(|kind| Some(kind) != first);
        let type_of = |pair: &PairEntry, side| {
            if differ { type_cell(&parts[part(pair, side)]) } else { Cell::default() }
        };
        let a: ColumnOf<PairEntry> = ("a", Treatment::PART, &|pair| Cell::Part(part(pair, 0)));
        let b: ColumnOf<PairEntry> = ("b", Treatment::PART, &|pair| Cell::Part(part(pair, 1)));
        let type_a: ColumnOf<PairEntry> = ("type", Treatment::FIRST_TO_GO, &|pair| type_of(pair, 0));
        let type_b: ColumnOf<PairEntry> = ("type", Treatment::FIRST_TO_GO, &|pair| type_of(pair, 1));
        let verdict: ColumnOf<PairEntry> =
            ("verdict", Treatment::VERDICT, &|pair| pair.verdict.to_owned().into());
        let first: ColumnOf<PairEntry> =
            (&titles[0], Treatment::LEFT, &|pair| pair.numbers[0].clone().into());
        let second: ColumnOf<PairEntry> =
            (&titles[1], Treatment::LEFT, &|pair| pair.numbers[1].clone().into());
        let remark: ColumnOf<PairEntry> = ("remark", Treatment::REMARK, &|pair| pair.remark.clone().into());
        let place: ColumnOf<PairEntry> = (place, Treatment::OPTIONAL, &|pair| pair.place.clone().into());

        let columns = [verdict, a, type_a, b, type_b, first, second, remark, place];
        let table = Table::of(&columns, entries, |_| None);
        let width = screen.width.unwrap_or(usize::MAX);
        let widest = if width < ONE_LINE { usize::MAX } else { ROOMY };
        if table.needed(parts, widest) <= width {
            return table.render(parts, screen);
        }
        let below = |pair: &PairEntry| {
            let words = ends_in_words.then(|| pair.numbers[1].clone());
            words.into_iter().chain([pair.remark.clone()]).filter(|text| !text.is_empty()).collect()
        };
        let mut stacks = vec![vec![verdict], vec![a, b], vec![type_a, type_b], vec![first, place]];
        if !ends_in_words {
            stacks.push(vec![second]);
        }
        Table::of_lines(2, &stacks, entries, below).render(parts, screen)
    }
}
