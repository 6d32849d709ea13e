//! Tables of pairs: columns that identify a pair, its place, what the command found and, if the report has
//! them, rules and waivers.

mod cell;
mod check;
mod sweep;

use std::iter::once;

use crate::document::word::Word;
use crate::document::{Finding, PartRow, Report, Sides, StatusOfPair};
pub use cell::{Cell, Kind};

/// A column: its name, the kind of its cells, and its cell for a pair.
pub struct Column<P>(&'static str, Kind, fn(&P) -> Cell<'_>);

/// A column that identifies a pair.
struct SideColumn(&'static str, Kind, for<'p> fn(&'p Sides, [&'p PartRow; 2]) -> Cell<'p>);

const SIDES: [SideColumn; 13] = [
    SideColumn("key", Kind::Text, |s, _| Cell::Text(s.key.as_str().into())),
    SideColumn("id_a", Kind::Count, |s, _| Cell::Count(s.ids[0].into())),
    SideColumn("id_b", Kind::Count, |s, _| Cell::Count(s.ids[1].into())),
    SideColumn("a", Kind::Text, |s, _| Cell::Text((&*s.a).into())),
    SideColumn("b", Kind::Text, |s, _| Cell::Text((&*s.b).into())),
    SideColumn("type_a", Kind::Text, |_, [a, _]| Cell::known(a.kind.as_deref())),
    SideColumn("type_b", Kind::Text, |_, [_, b]| Cell::known(b.kind.as_deref())),
    SideColumn("model_a", Kind::Text, |_, [a, _]| Cell::Text((&*a.model).into())),
    SideColumn("model_b", Kind::Text, |_, [_, b]| Cell::Text((&*b.model).into())),
    SideColumn("storey_a", Kind::Text, |_, [a, _]| Cell::known(a.storey.as_deref())),
    SideColumn("storey_b", Kind::Text, |_, [_, b]| Cell::known(b.storey.as_deref())),
    SideColumn("key_a", Kind::Text, |_, [a, _]| Cell::Text((&*a.key).into())),
    SideColumn("key_b", Kind::Text, |_, [_, b]| Cell::Text((&*b.key).into())),
];

/// The columns after those: the unit of all lengths, and one place of the finding.
const PLACE: [(&str, Kind); 4] =
    [("unit", Kind::Text), ("x", Kind::Number), ("y", Kind::Number), ("z", Kind::Number)];

/// The columns of waivers.
const STATUS: [(&str, Kind); 2] = [("status", Kind::Text), ("status_cause", Kind::Text)];

/// An optional finding of a command.
pub struct Asked<P: 'static> {
    /// True if the pair has it. Its columns are there if any pair has.
    is_found: fn(&P) -> bool,
    columns: &'static [Column<P>],
}

/// A pair that has a row in a table.
pub trait Tabled: Finding + Sized + Sync + 'static {
    /// The columns of its command.
    const COLUMNS: &'static [Column<Self>];

    /// Optional findings, such as ways out, each with its columns.
    const ASKED: &'static [Asked<Self>] = &[];

    /// Returns what waivers say of it, if they are about such pairs.
    fn status(&self) -> Option<&StatusOfPair> {
        None
    }
}

/// The table of a report's pairs.
pub struct PairTable<'r, S, P: 'static> {
    report: &'r Report<S, P>,
    has_rules: bool,
    has_waivers: bool,
    /// The columns of the optional findings that any pair has.
    asked: Vec<&'static Column<P>>,
}

impl<'r, S, P: Tabled> PairTable<'r, S, P> {
    /// The table of a report.
    pub fn of(report: &'r Report<S, P>) -> Self {
        let has_waivers = report.rules.as_ref().is_some_and(|rules| !rules.waivers.is_empty());
        let asked = P::ASKED.iter().filter(|asked| report.pairs.iter().any(asked.is_found));
        let asked = asked.flat_map(|asked| asked.columns).collect();
        Self { report, has_rules: report.rules.is_some(), has_waivers, asked }
    }

    /// Returns the name of each column, and the kind of its cells that are not empty.
    pub fn columns(&self) -> impl Iterator<Item = (&'static str, Kind)> {
        let sides = SIDES.iter().map(|&SideColumn(name, kind, _)| (name, kind));
        let own = P::COLUMNS.iter().map(|&Column(name, kind, _)| (name, kind));
        let rule = self.has_rules.then_some(("rule", Kind::Text));
        let status = STATUS.into_iter().filter(|_| self.has_waivers);
        let asked = self.asked.iter().map(|&&Column(name, kind, _)| (name, kind));
        sides.chain(PLACE).chain(own).chain(rule).chain(status).chain(asked)
    }

    /// Returns the cells of a pair of the report, in the order of the columns.
    pub fn cells(&self, pair: &'r P) -> impl Iterator<Item = Cell<'r>> + use<'r, S, P> {
        let (sides, parts) = (pair.sides(), &self.report.parts[..]);
        let which = SIDES.iter().map(move |SideColumn(.., cell)| cell(sides, sides.parts(parts)));
        let unit = self.report.scene.unit.map_or(Cell::Empty, |unit| Cell::word(unit.suffix()));
        let at = pair.at();
        let place = [0, 1, 2].map(|axis| Cell::optional(at.map(|point| point[axis])));
        let own = P::COLUMNS.iter().map(move |Column(.., cell)| cell(pair));
        let rule = self.has_rules.then(|| Cell::known(pair.rule_id()));
        let status = pair.status().filter(|_| self.has_waivers).into_iter().flat_map(|status| {
            let word = status.status.map_or(Cell::Empty, |status| Cell::word(status.word()));
            [word, Cell::known(status.status_cause.as_deref())]
        });
        let cells: Vec<Cell> = self.asked.iter().map(|Column(.., cell)| cell(pair)).collect();
        which.chain(once(unit)).chain(place).chain(own).chain(rule).chain(status).chain(cells)
    }
}
