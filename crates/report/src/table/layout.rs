//! Tables without rules that fit the terminal. If space is short, a row takes two lines, then columns are
//! dropped, then names shrink in their middle.

use std::borrow::Borrow;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use unicode_width::UnicodeWidthStr;

use super::fit::elided;
use crate::document::PartRow;
use closefit_geometry::text::printable;

/// The largest width of a name, however wide the terminal.
const WIDEST_NAME: usize = 60;
/// The width of names below which a row takes another line, if it can.
const GOOD_NAME: usize = 40;
/// The width to which names shrink for an optional column; below it, the column is dropped.
const ROOMY_NAME: usize = 28;
/// The smallest width of a name that is still of use.
const NARROWEST_NAME: usize = 8;
/// The largest width of a type.
const WIDEST_TYPE: usize = 30;

/// One form of a table.
pub(super) struct Table {
    pub columns: Vec<Column>,
    /// The titles, on as many lines as a row has.
    pub titles: Vec<Vec<String>>,
    pub rows: Vec<Row>,
}

/// The treatment of a column.
#[derive(Clone, Copy)]
pub(super) struct Column {
    kind: Kind,
    /// True if the column is shown only if there is room; the last such column is dropped first.
    optional: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Text, shown whole.
    Left,
    /// Numbers, flush right.
    Right,
    /// The name of a part, shortened to the remaining width.
    Part,
}

impl Default for Column {
    fn default() -> Self {
        Self::LEFT
    }
}

impl Column {
    pub const LEFT: Self = Self { kind: Kind::Left, optional: false };
    pub const RIGHT: Self = Self { kind: Kind::Right, optional: false };
    pub const PART: Self = Self { kind: Kind::Part, optional: false };
    pub const OPTIONAL: Self = Self { kind: Kind::Left, optional: true };
}

/// The content of a column on one line of a row.
pub(super) enum Cell {
    Text(String),
    /// The name of a part, by its index.
    Part(usize),
}

/// The lines of a row, and a note on a line of its own.
pub(super) struct Row {
    pub lines: Vec<Vec<Cell>>,
    pub note: Option<String>,
}

impl Default for Cell {
    fn default() -> Self {
        Self::Text(String::new())
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

/// Returns the type of a part as a cell, blank if unknown.
pub(super) fn type_cell(part: &PartRow) -> Cell {
    part.kind.as_ref().map_or_else(String::new, |kind| elided(&printable(kind), WIDEST_TYPE)).into()
}

/// Renders the first of the forms with room for good names on lines of `width` characters; otherwise the
/// last, with fewer columns and shorter names.
pub(super) fn render<P: Borrow<PartRow>>(parts: &[P], forms: Vec<Table>, width: Option<usize>) -> String {
    let width = width.unwrap_or(usize::MAX);
    let last = forms.len().saturating_sub(1);
    for (index, mut table) in forms.into_iter().enumerate() {
        let names = Names::of(parts, table.parts());
        let wanted = names.labels(WIDEST_NAME).values().map(|label| label.width()).max().unwrap_or(0);
        if index == last {
            table.make_room(width, wanted.min(ROOMY_NAME));
        }
        let room = table.room_for_names(width);
        if index == last || room >= wanted.min(GOOD_NAME) {
            return table.draw(&names.labels(room.clamp(NARROWEST_NAME, WIDEST_NAME)));
        }
    }
    String::new()
}

/// A column of a table whose rows have one line: its title, its treatment, and its cell in the row of an
/// item.
pub(super) type ColumnOf<'a, I> = (&'a str, Column, &'a dyn Fn(&I) -> Cell);

impl Table {
    /// Returns a table with a row of one line for each item, and a note below some.
    pub fn of<I>(columns: &[ColumnOf<I>], items: &[I], note: impl Fn(&I) -> Option<String>) -> Self {
        let line = |item: &I| columns.iter().map(|(.., cell)| cell(item)).collect();
        Self {
            columns: columns.iter().map(|&(_, column, _)| column).collect(),
            titles: vec![columns.iter().map(|(title, ..)| (*title).to_owned()).collect()],
            rows: items.iter().map(|item| Row { lines: vec![line(item)], note: note(item) }).collect(),
        }
    }

    /// Returns the parts that the table names.
    fn parts(&self) -> BTreeSet<usize> {
        let cells = self.rows.iter().flat_map(|row| row.lines.iter().flatten());
        cells.filter_map(|cell| if let Cell::Part(part) = cell { Some(*part) } else { None }).collect()
    }

    /// Removes optional columns until names may be `wanted` columns wide, as far as possible.
    fn make_room(&mut self, width: usize, wanted: usize) {
        while self.room_for_names(width) < wanted {
            let Some(column) = self.columns.iter().rposition(|column| column.optional) else { return };
            self.columns.remove(column);
            self.titles.iter_mut().for_each(|line| drop(line.remove(column)));
            self.rows.iter_mut().flat_map(|row| &mut row.lines).for_each(|line| drop(line.remove(column)));
        }
    }

    /// Returns the width left for each name when all other columns are shown whole.
    fn room_for_names(&self, width: usize) -> usize {
        let mut others = 2 * self.columns.len();
        for (index, _) in self.columns.iter().enumerate().filter(|(_, column)| column.kind != Kind::Part) {
            let titles = self.titles.iter().map(|line| line[index].width());
            let lines = self.rows.iter().flat_map(|row| &row.lines);
            let cells = lines.map(|line| match &line[index] {
                Cell::Text(text) => text.width(),
                Cell::Part(_) => 0,
            });
            others += titles.chain(cells).max().unwrap_or(0);
        }
        let names = self.columns.iter().filter(|column| column.kind == Kind::Part).count();
        width.saturating_sub(others) / names.max(1)
    }

    fn draw(self, labels: &BTreeMap<usize, String>) -> String {
        let text = |cell: Cell| match cell {
            Cell::Text(text) => text,
            Cell::Part(part) => labels[&part].clone(),
        };
        let mut blocks: Vec<(Vec<Vec<String>>, Option<String>)> = vec![(self.titles, None)];
        for Row { lines, note } in self.rows {
            blocks.push((lines.into_iter().map(|line| line.into_iter().map(text).collect()).collect(), note));
        }
        let width_of = |column: usize| {
            let lines = blocks.iter().flat_map(|(lines, _)| lines);
            lines.map(|line| line[column].width()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.columns.len()).map(width_of).collect();
        let mut drawn = String::new();
        for (lines, note) in &blocks {
            for line in lines {
                let cells = line.iter().zip(&self.columns).zip(&widths);
                let line: String = cells.map(|((cell, column), &width)| column.padded(cell, width)).collect();
                drawn += line.trim_end();
                drawn.push('\n');
            }
            if let Some(note) = note {
                drawn += &format!("   {note}\n");
            }
        }
        drawn
    }
}

impl Column {
    fn padded(self, cell: &str, width: usize) -> String {
        let blanks = " ".repeat(width.saturating_sub(cell.width()));
        match self.kind {
            Kind::Right => format!(" {blanks}{cell} "),
            Kind::Left | Kind::Part => format!(" {cell}{blanks} "),
        }
    }
}

/// The names of the parts of a table.
struct Names {
    /// The name of each part, by its index.
    of_part: BTreeMap<usize, Name>,
}

struct Name {
    /// The model, if the scene has several and the name is not the model's.
    model: Option<String>,
    name: String,
    /// True if others in the scene have the same name.
    repeated: bool,
}

impl Names {
    /// The names of the parts `named`, unique or not among all parts.
    fn of<P: Borrow<PartRow>>(parts: &[P], named: BTreeSet<usize>) -> Self {
        let parts: Vec<&PartRow> = parts.iter().map(Borrow::borrow).collect();
        let several = parts.windows(2).any(|pair| pair[0].model != pair[1].model);
        let called = |index: usize| (&*parts[index].model, &*parts[index].name);
        let mut uses: HashMap<_, u32> = named.iter().map(|&index| (called(index), 0)).collect();
        for index in 0..parts.len() {
            if let Some(uses) = uses.get_mut(&called(index)) {
                *uses += 1;
            }
        }
        let name = |index: usize| {
            let (model, name) = called(index);
            let model = (several && model != name).then(|| printable(model));
            Name { model, name: printable(name), repeated: uses[&called(index)] > 1 }
        };
        Self { of_part: named.into_iter().map(|index| (index, name(index))).collect() }
    }

    /// Returns the names for people, no wider than `widest`, with the model in front if there are several,
    /// and with the index if a name as shown is ambiguous, as in `bolt #3`.
    fn labels(&self, widest: usize) -> BTreeMap<usize, String> {
        let mut labels: BTreeMap<usize, String> =
            self.of_part.iter().map(|(&part, name)| (part, name.label(widest))).collect();
        let mut uses: HashMap<&str, u32> = HashMap::new();
        labels.values().for_each(|label| *uses.entry(label).or_default() += 1);
        let unclear = |part: &&usize| {
            let name = &self.of_part[*part];
            name.repeated || name.name.is_empty() || uses[&labels[*part][..]] > 1
        };
        let unclear: Vec<usize> = labels.keys().filter(unclear).copied().collect();
        for part in unclear {
            let index = format!(" #{part}");
            let label = self.of_part[&part].label(widest.saturating_sub(index.len())) + &index;
            labels.insert(part, label.trim_start().to_owned());
        }
        labels
    }
}

impl Name {
    fn label(&self, widest: usize) -> String {
        let Some(model) = &self.model else { return elided(&self.name, widest) };
        let whole = format!("{model}:{}", self.name);
        if whole.width() <= widest {
            return whole;
        }
        // The width that the name leaves, but at least a third.
        let model = elided(model, (widest / 3).max(widest.saturating_sub(self.name.width() + 1)));
        let name = elided(&self.name, widest.saturating_sub(model.width() + 1));
        format!("{model}:{name}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    fn labels(parts: &[PartRow], widest: usize) -> Vec<String> {
        Names::of(parts, (0..parts.len()).collect()).labels(widest).into_values().collect()
    }

    #[test]
    fn labels_tell_parts_apart() {
        let mut parts = testing::parts();
        assert_eq!(labels(&parts, 40), ["bolt #0", "nut", "bolt #2", "a,\"b\"\\n"]);
        parts[1].name = "".into();
        assert_eq!(labels(&parts, 40)[1], "#1");
        for (part, end) in parts.iter_mut().zip(["1", "2", "3", "4"]) {
            part.name = format!("{}{end}{}", "x".repeat(25), "y".repeat(25)).into();
        }
        assert_eq!(labels(&parts, 12)[3], "xxxx…yyyy #3");
    }

    #[test]
    fn models_are_in_front_where_there_are_several() {
        let mut parts = testing::parts();
        let names = ["bolt", "a", "bolt", "a name of thirty characters ..."];
        for ((part, model), name) in
            parts.iter_mut().zip(["A", "A", "B_revision_12", "B_revision_12"]).zip(names)
        {
            (part.model, part.name) = (model.into(), name.into());
        }
        parts[1].model = "a".into(); // a mesh's file that is a part
        assert_eq!(labels(&parts, 60)[..3], ["A:bolt", "a", "B_revision_12:bolt"]);
        assert_eq!(labels(&parts, 15), ["A:bolt", "a", "B_rev…n_12:bolt", "B_…12:a na… ..."]);
        parts[2].model = "A".into();
        assert_eq!(labels(&parts, 60)[..3], ["A:bolt #0", "a", "A:bolt #2"]);
    }

    fn table(lines: usize) -> Table {
        let columns = [Column::PART, Column::RIGHT, Column::OPTIONAL];
        let cells = || vec![Cell::Part(0), "1".to_owned().into(), "twelve chars".to_owned().into()];
        let row = Row { lines: (0..lines).map(|_| cells()).collect(), note: Some("why".to_owned()) };
        let titles = ["part", "number", "remark"].map(str::to_owned).to_vec();
        Table { columns: columns.to_vec(), titles: vec![titles; lines], rows: vec![row] }
    }

    #[test]
    fn a_narrow_table_loses_columns_then_parts_of_names() {
        let mut parts = testing::parts();
        parts[0].name = "a name of forty characters .............".into();
        let table = |width| render(&parts, vec![table(1)], width);
        let whole = table(None);
        assert!(whole.contains("a name of forty characters ....") && whole.contains("twelve"), "{whole}");
        assert!(whole.ends_with("\n   why\n"), "{whole}");
        let narrow = table(Some(54));
        assert!(narrow.contains("a name of forty… .............") && narrow.contains("twelve"), "{narrow}");
        let narrower = table(Some(30));
        assert!(narrower.contains("a name of ….........") && !narrower.contains("twelve"), "{narrower}");
        assert!(narrower.lines().all(|line| line.width() <= 30), "{narrower}");
    }

    #[test]
    fn a_form_is_passed_over_where_its_names_do_not_fit() {
        let mut parts = testing::parts();
        parts[0].name = "n".repeat(30).into();
        let lines = |width| render(&parts, vec![table(1), table(2)], Some(width)).lines().count();
        assert_eq!((lines(54), lines(53), lines(20)), (3, 5, 5));
        parts[0].name = "n".repeat(50).into();
        let lines = |width| render(&parts, vec![table(1), table(2)], Some(width)).lines().count();
        assert_eq!((lines(64), lines(63)), (3, 5));
    }
}
