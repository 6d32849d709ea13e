//! Tables of pairs: columns that identify a pair, its place, what the command found and, if the report has
//! them, rules and waivers.

mod cell;
mod check;
mod sweep;

use crate::document::word::Word;
use crate::document::{Finding, PartRow, Report, Sides, StatusOfPair};
pub use cell::{Cell, Kind};

/// A column: its name, the kind of its cells, and its cell for a pair.
pub struct Column<P>(&'static str, Kind, fn(&P) -> Cell<'_>);

/// A column that identifies a pair.
struct SideColumn(&'static str, Kind, for<'p> fn(&'p Sides, [&'p PartRow; 2]) -> Cell<'p>);

const SIDES: [SideColumn; 13] = [
    SideColumn("key", Kind::Text, |s, _| Cell::Text((&*s.key).into())),
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
    columns: Vec<TableColumn<P>>,
}

/// A column of a table: its name, the kind of its cells that are not empty, and their source.
struct TableColumn<P: 'static>(&'static str, Kind, Source<P>);

/// The source of the cells of a column.
enum Source<P: 'static> {
    Sides(&'static SideColumn),
    Unit,
    /// A coordinate of the place.
    Place(usize),
    Pair(&'static Column<P>),
    Rule,
    Status,
    StatusCause,
}

impl<'r, S, P: Tabled> PairTable<'r, S, P> {
    /// The table of a report.
    pub fn of(report: &'r Report<S, P>) -> Self {
        let has_waivers = report.rules.as_ref().is_some_and(|rules| !rules.waivers.is_empty());
        let own = |column: &'static Column<P>| TableColumn(column.0, column.1, Source::Pair(column));
        let mut columns = Vec::new();
        columns.extend(SIDES.iter().map(|column| TableColumn(column.0, column.1, Source::Sides(column))));
        columns.push(TableColumn("unit", Kind::Text, Source::Unit));
        let place = ["x", "y", "z"].into_iter().enumerate();
        columns.extend(place.map(|(axis, name)| TableColumn(name, Kind::Number, Source::Place(axis))));
        columns.extend(P::COLUMNS.iter().map(own));
        if report.rules.is_some() {
            columns.push(TableColumn("rule", Kind::Text, Source::Rule));
        }
        if has_waivers {
            columns.push(TableColumn("status", Kind::Text, Source::Status));
            columns.push(TableColumn("status_cause", Kind::Text, Source::StatusCause));
        }
        let asked = P::ASKED.iter().filter(|asked| report.pairs.iter().any(asked.is_found));
        columns.extend(asked.flat_map(|asked| asked.columns).map(own));
        Self { report, columns }
    }

    /// Returns the name of each column, and the kind of its cells that are not empty.
    pub fn columns(&self) -> impl Iterator<Item = (&'static str, Kind)> {
        self.columns.iter().map(|&TableColumn(name, kind, _)| (name, kind))
    }

    /// Returns the cells of a pair of the report, in the order of the columns.
    pub fn cells<'t>(&'t self, pair: &'r P) -> impl Iterator<Item = Cell<'r>> + use<'r, 't, S, P> {
        let parts = pair.sides().parts(&self.report.parts);
        (0..self.columns.len()).map(move |at| self.cell((pair, parts), at))
    }

    /// Returns the cell of a pair of the report, with its parts, in a column, by its index.
    pub fn cell(&self, (pair, parts): (&'r P, [&'r PartRow; 2]), at: usize) -> Cell<'r> {
        match self.columns[at].2 {
            Source::Sides(SideColumn(.., cell)) => cell(pair.sides(), parts),
            Source::Unit => self.report.scene.unit.map_or(Cell::Empty, |unit| Cell::word(unit.suffix())),
            Source::Place(axis) => Cell::optional(pair.at().map(|point| point[axis])),
            Source::Pair(Column(.., cell)) => cell(pair),
            Source::Rule => Cell::known(pair.rule_id()),
            Source::Status => {
                let word = pair.status().and_then(|found| found.status);
                word.map_or(Cell::Empty, |word| Cell::word(word.word()))
            }
            Source::StatusCause => Cell::known(pair.status().and_then(|found| found.status_cause.as_deref())),
        }
    }
}
