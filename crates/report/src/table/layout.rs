//! Tables without rules that fit the terminal, with one line per row or two. If space is short, columns are
//! dropped, then names shrink, and remarks move to lines below their rows.

use std::borrow::Borrow;
use std::collections::BTreeMap;

use unicode_width::UnicodeWidthStr;

use super::fit::{cut, elided};
use super::names::{Labels, Names, Place};
use super::screen::{Screen, coloured};
use crate::document::PartRow;
use closefit_geometry::text::printable;

/// The largest width of a name, however wide the terminal.
const WIDEST_NAME: usize = 100;
/// The width to which names and remarks shrink for an optional column; below it, the column is dropped.
pub(super) const ROOMY: usize = 28;
/// The smallest width of a name or remark that is still of use.
const NARROWEST: usize = 6;
/// The rank of the columns that are dropped first.
const FIRST_RANK: u8 = 2;
/// The largest width of a type.
const WIDEST_TYPE: usize = 30;

/// The treatment of a column.
#[derive(Clone, Copy)]
pub(super) struct Treatment {
    kind: Kind,
    /// 0 if the column is always shown. Otherwise it is dropped for lack of room, the highest rank first.
    rank: u8,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Text, shown whole.
    Left,
    /// The verdict, the first column, which may be in colours.
    Verdict,
    /// Numbers, flush right.
    Right,
    /// The name of a part, shortened to the remaining width.
    Part,
    /// Other names, shortened to the remaining width.
    Name,
    /// A remark, which is never shortened: it gets a line of its own where it does not fit.
    Remark,
}

impl Treatment {
    pub const VERDICT: Self = Self { kind: Kind::Verdict, rank: 0 };
    pub const LEFT: Self = Self { kind: Kind::Left, rank: 0 };
    pub const RIGHT: Self = Self { kind: Kind::Right, rank: 0 };
    pub const PART: Self = Self { kind: Kind::Part, rank: 0 };
    pub const NAME: Self = Self { kind: Kind::Name, rank: 0 };
    pub const REMARK: Self = Self { kind: Kind::Remark, rank: 0 };
    pub const OPTIONAL_RIGHT: Self = Self { kind: Kind::Right, rank: 1 };
    pub const OPTIONAL: Self = Self { kind: Kind::Left, rank: 1 };
    pub const FIRST_TO_GO: Self = Self { kind: Kind::Left, rank: FIRST_RANK };

    fn padded(self, cell: &str, width: usize) -> String {
        let blanks = " ".repeat(width.saturating_sub(cell.width()));
        if self.kind == Kind::Right { format!(" {blanks}{cell} ") } else { format!(" {cell}{blanks} ") }
    }
}

/// The content of a column in one row.
pub(super) enum Cell {
    Text(String),
    /// The name of a part, by its index.
    Part(usize),
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

/// A column: its title, its treatment, and its cell in the row of an item.
pub(super) type ColumnOf<'a, I> = (&'a str, Treatment, &'a dyn Fn(&I) -> Cell);

/// The columns whose cells are in one column of a table with rows of several lines, from the upper line to
/// the lower one. The first says how they are treated.
pub(super) type StackOf<'a, I> = Vec<ColumnOf<'a, I>>;

/// A column with its cells.
struct Column {
    /// The title, for each line of a row.
    titles: Vec<String>,
    treatment: Treatment,
    /// The cells, for each line of each row.
    cells: Vec<Cell>,
    /// Its number among the columns of parts; the number of those before it, if it is another.
    side: usize,
    /// The width that it wants; then, the one that it gets.
    width: usize,
    /// True if it keeps its width, whatever it holds.
    is_fixed: bool,
}

/// A table with a row for each item, and notes below some.
pub(super) struct Table {
    columns: Vec<Column>,
    /// The number of lines of a row.
    lines: usize,
    /// The width to which names and remarks shrink for an optional column.
    roomy: usize,
    notes: Vec<Vec<String>>,
}

impl Table {
    /// Makes a table with rows of one line. Columns that are blank in all rows are left out.
    pub fn of<I>(columns: &[ColumnOf<I>], items: &[I], note: impl Fn(&I) -> Option<String>) -> Self {
        let stacks: Vec<StackOf<I>> = columns.iter().map(|&column| vec![column]).collect();
        Self { roomy: ROOMY, ..Self::of_lines(1, &stacks, items, |item| note(item).into_iter().collect()) }
    }

    /// Makes a table with rows of several lines, in which names get as much space as they want. Columns that
    /// are blank in all rows are left out.
    pub fn of_lines<I>(
        lines: usize,
        stacks: &[StackOf<I>],
        items: &[I],
        notes: impl Fn(&I) -> Vec<String>,
    ) -> Self {
        let mut sides = 0;
        let column = |stack: &StackOf<I>| {
            let (side, treatment) = (sides, stack[0].1);
            sides += usize::from(treatment.kind == Kind::Part);
            let of_line = |line: usize| stack.get(line);
            let title = |line| of_line(line).map_or_else(String::new, |&(title, ..)| title.to_owned());
            let cell = |item, line| of_line(line).map_or_else(Cell::default, |(_, _, cell)| cell(item));
            Column {
                titles: (0..lines).map(title).collect(),
                treatment,
                cells: items.iter().flat_map(|item| (0..lines).map(move |line| cell(item, line))).collect(),
                side,
                width: 0,
                is_fixed: false,
            }
        };
        let mut columns: Vec<Column> = stacks.iter().map(column).collect();
        columns.retain(|column| !column.is_blank());
        Self { columns, lines, roomy: WIDEST_NAME, notes: items.iter().map(notes).collect() }
    }

    /// Returns the width that all columns but those that go first need, with names and remarks of up to
    /// `widest` columns.
    pub fn needed<P: Borrow<PartRow>>(&self, parts: &[P], widest: usize) -> usize {
        let labels = self.names(parts).labels(|_| WIDEST_NAME);
        let needed = self.columns.iter().filter(|column| column.treatment.rank < FIRST_RANK);
        let width = |column: &Column| match column.wanted(&labels) {
            wanted if column.is_elastic() => wanted.min(widest),
            wanted => wanted,
        };
        needed.map(|column| 2 + width(column)).sum()
    }

    fn names<P: Borrow<PartRow>>(&self, parts: &[P]) -> Names {
        Names::of(parts, &self.columns.iter().flat_map(Column::places).collect())
    }

    /// Renders the table on lines that fit the screen, if its width is known and that is possible.
    pub fn render<P: Borrow<PartRow>>(mut self, parts: &[P], screen: impl Into<Screen>) -> String {
        let Screen { width, has_colours } = screen.into();
        let width = width.unwrap_or(usize::MAX);
        let names = self.names(parts);
        let whole = names.labels(|_| WIDEST_NAME);
        for column in &mut self.columns {
            column.say_model(&names);
            column.width = column.wanted(&whole);
        }
        while self.columns.iter().map(|column| column.least(self.roomy)).sum::<usize>() > width
            && self.drop_last_rank()
        {}
        self.share(width);
        if self.move_long_remarks_below(width) {
            // Names get what the remarks have left.
            for column in self.columns.iter_mut().filter(|column| column.is_elastic()) {
                column.width = column.wanted(&whole);
                column.is_fixed = column.treatment.kind == Kind::Remark;
            }
            self.share(width);
        }
        let of_side: BTreeMap<usize, usize> =
            self.columns.iter().filter(|c| c.has_parts()).map(|c| (c.side, c.width)).collect();
        let labels = names.labels(|side| of_side[&side].min(WIDEST_NAME));
        for column in &mut self.columns {
            column.settle(&labels);
        }
        self.draw(width, has_colours)
    }

    /// Drops the columns of the highest rank. Returns false if none is optional.
    fn drop_last_rank(&mut self) -> bool {
        let highest = self.columns.iter().map(|column| column.treatment.rank).max().unwrap_or(0);
        self.columns.retain(|column| highest == 0 || column.treatment.rank < highest);
        highest > 0
    }

    /// Gives names and remarks the room that the other columns leave: each as much as it wants, as long as
    /// none gets less for it than an equal share. A remark may take half, up to what is roomy: names are
    /// longer, and their ends suffice.
    fn share(&mut self, width: usize) {
        let fixed = self.columns.iter().filter(|column| !column.is_elastic()).map(|column| column.width);
        let mut room = width.saturating_sub(2 * self.columns.len() + fixed.sum::<usize>());
        let half = ROOMY.min(room / 2);
        let mut elastic: Vec<&mut Column> = self.columns.iter_mut().filter(|c| c.is_elastic()).collect();
        elastic.sort_by_key(|column| (column.has_parts(), column.width));
        let mut sharers = elastic.len();
        let mut wanted = Vec::new();
        for column in &mut elastic {
            let equal = room / sharers;
            let most = if column.has_parts() { equal } else { equal.max(half) };
            wanted.push(column.width);
            column.width = column.width.min(most.max(NARROWEST));
            room = room.saturating_sub(column.width);
            sharers -= 1;
        }
        // What short names leave is for remarks.
        for (column, wanted) in elastic.into_iter().zip(wanted).filter(|(column, _)| !column.has_parts()) {
            let more = room.min(wanted - column.width);
            (column.width, room) = (column.width + more, room - more);
        }
    }

    /// Moves remarks that are wider than their column to lines below their rows, and all remarks if the rows
    /// are cut at `width`. Returns true if any was moved.
    fn move_long_remarks_below(&mut self, width: usize) -> bool {
        let mut are_moved = false;
        let rows_are_cut = self.columns.iter().map(|column| 2 + column.width).sum::<usize>() > width;
        for column in self.columns.iter_mut().filter(|column| column.treatment.kind == Kind::Remark) {
            assert!(self.lines == 1, "rows of several lines have notes in place of remarks");
            let widest = if rows_are_cut { 0 } else { column.width };
            for (cell, notes) in column.cells.iter_mut().zip(&mut self.notes) {
                if matches!(cell, Cell::Text(text) if text.width() > widest)
                    && let Cell::Text(remark) = std::mem::take(cell)
                {
                    notes.push(remark);
                    are_moved = true;
                }
            }
        }
        self.columns.retain(|column| !column.is_blank());
        are_moved
    }

    fn draw(&self, width: usize, has_colours: bool) -> String {
        let line = |cell: &dyn Fn(&Column) -> String| {
            let cells: String = self.columns.iter().map(|c| c.treatment.padded(&cell(c), c.width)).collect();
            cut(cells.trim_end(), width)
        };
        let titles = (0..self.lines).map(|at| line(&|column| column.titles[at].clone()));
        let mut drawn: String =
            titles.filter(|titles| !titles.is_empty()).map(|titles| titles + "\n").collect();
        let verdict = self.columns.iter().find(|column| column.treatment.kind == Kind::Verdict);
        for (row, notes) in self.notes.iter().enumerate() {
            for at in self.lines * row..self.lines * (row + 1) {
                let line = line(&|column| column.text(at).to_owned());
                let word = verdict.filter(|_| has_colours).map(|column| column.text(at));
                drawn += &word.map_or_else(|| line.clone(), |word| coloured(&line, word));
                drawn.push('\n');
            }
            drawn.extend(notes.iter().map(|note| format!("   {note}\n")));
        }
        drawn
    }
}

impl Column {
    fn is_blank(&self) -> bool {
        !self.cells.is_empty()
            && (0..self.cells.len()).all(|cell| self.text(cell).is_empty())
            && !self.has_parts()
    }

    fn has_parts(&self) -> bool {
        self.treatment.kind == Kind::Part
    }

    fn is_elastic(&self) -> bool {
        matches!(self.treatment.kind, Kind::Part | Kind::Name | Kind::Remark) && !self.is_fixed
    }

    /// Returns the text of a cell; nothing for a part that has no label yet.
    fn text(&self, cell: usize) -> &str {
        if let Cell::Text(text) = &self.cells[cell] { text } else { "" }
    }

    /// Returns the parts that the column names.
    fn places(&self) -> impl Iterator<Item = Place> {
        let part = |cell: &Cell| if let Cell::Part(part) = cell { Some(*part) } else { None };
        self.cells.iter().filter_map(part).map(|part| (self.side, part))
    }

    /// Adds to the title the model of all parts, if the table has several.
    fn say_model(&mut self, names: &Names) {
        if let Some(model) = names.model_of_side.get(&self.side).filter(|_| self.has_parts()) {
            self.titles[0] += &format!(", in {model}");
        }
    }

    /// Returns the width of the widest cell or the title.
    fn wanted(&self, labels: &Labels) -> usize {
        let cells = self.cells.iter().map(|cell| match cell {
            Cell::Text(text) => text.width(),
            Cell::Part(part) => labels[&(self.side, *part)].width(),
        });
        cells.chain(self.titles.iter().map(|title| title.width())).max().unwrap_or(0)
    }

    /// Returns the width that the column takes at least for optional columns to stay, with names and
    /// remarks no narrower than `roomy`.
    fn least(&self, roomy: usize) -> usize {
        2 + if self.is_elastic() { self.width.min(roomy) } else { self.width }
    }

    /// Makes names of parts, and shortens texts and the title to the width; then takes as little as all need.
    fn settle(&mut self, labels: &Labels) {
        for cell in &mut self.cells {
            *cell = Cell::Text(match cell {
                Cell::Text(text) => elided(text, self.width),
                Cell::Part(part) => labels[&(self.side, *part)].clone(),
            });
        }
        for title in &mut self.titles {
            *title = elided(title, self.width);
        }
        self.width = self.wanted(labels);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    const COLUMNS: [ColumnOf<usize>; 4] = [
        ("part", Treatment::PART, &|&part| Cell::Part(part)),
        ("number", Treatment::RIGHT, &|_| "1".to_owned().into()),
        ("remark", Treatment::OPTIONAL, &|_| "twelve chars".to_owned().into()),
        ("nothing", Treatment::LEFT, &|_| Cell::default()),
    ];

    fn table(parts: &[PartRow], width: Option<usize>) -> String {
        Table::of(&COLUMNS, &[0], |_| Some("why".to_owned())).render(parts, width)
    }

    #[test]
    fn a_narrow_table_loses_columns_then_parts_of_names() {
        let mut parts = testing::parts();
        parts[0].name = "a name of forty characters .............".into();
        let whole = table(&parts, None);
        assert!(whole.contains("a name of forty characters ....") && whole.contains("twelve"), "{whole}");
        assert!(whole.ends_with("\n   why\n") && !whole.contains("nothing"), "{whole}");
        let narrow = table(&parts, Some(54));
        assert!(narrow.contains("a name of forty… .............") && narrow.contains("twelve"), "{narrow}");
        let narrower = table(&parts, Some(30));
        assert!(narrower.contains("a name of ….........") && !narrower.contains("twelve"), "{narrower}");
        assert!(narrower.lines().all(|line| line.width() <= 30), "{narrower}");
    }

    #[test]
    fn the_highest_rank_is_dropped_first_and_as_a_whole() {
        let text = |text: &'static str| move |_: &()| Cell::Text(text.to_owned());
        let columns: [ColumnOf<()>; 4] = [
            ("a", Treatment::LEFT, &text("1234")),
            ("b", Treatment::FIRST_TO_GO, &text("5678")),
            ("c", Treatment::OPTIONAL, &text("9012")),
            ("d", Treatment::FIRST_TO_GO, &text("3456")),
        ];
        let table = |width| Table::of(&columns, &[()], |()| None).render(&[] as &[PartRow], Some(width));
        assert_eq!(table(24), " a     b     c     d\n 1234  5678  9012  3456\n");
        assert_eq!(table(23), " a     c\n 1234  9012\n");
        assert_eq!(table(11), " a\n 1234\n");
        assert_eq!(table(3), " a\n 1…\n");
    }

    #[test]
    fn a_remark_is_whole_however_narrow_the_table() {
        let parts = testing::parts();
        let remark = "a is open: 3 edges, b is open: 3 edges, and nothing of this is cut";
        let columns: [ColumnOf<&str>; 3] = [
            ("a", Treatment::PART, &|_| Cell::Part(1)),
            ("remark", Treatment::REMARK, &|text| (*text).to_owned().into()),
            ("where", Treatment::LEFT, &|_| "here".to_owned().into()),
        ];
        let table = |width| Table::of(&columns, &["short", remark], |_| None).render(&parts, Some(width));
        assert!(table(90).contains(&format!(" nut  {remark}  here\n")), "short names leave it their room");
        assert!(table(40).ends_with(&format!("here\n   {remark}\n")), "{}", table(40));
        assert!(table(40).contains(" nut  short "), "{}", table(40));
        let tight = Table::of(&columns, &["short", ""], |_| None).render(&parts, Some(16));
        assert_eq!(tight, " a    where\n nut  here\n   short\n nut  here\n");
    }

    #[test]
    fn names_get_the_room_of_remarks_that_move() {
        let mut parts = testing::parts();
        parts[1].name = "a name of thirty characters ..".into();
        let columns: [ColumnOf<&str>; 2] = [
            ("a", Treatment::PART, &|_| Cell::Part(1)),
            ("", Treatment::REMARK, &|text| (*text).to_owned().into()),
        ];
        let long = "a remark that is much longer than what is left of the line";
        let table = |texts: &[&'static str]| Table::of(&columns, texts, |_| None).render(&parts, Some(44));
        assert_eq!(table(&[long]), format!(" a\n a name of thirty characters ..\n   {long}\n"));
        let both = table(&["short", long]);
        assert!(both.contains(" a name of thirty characters ..  short\n"), "{both}");
    }

    #[test]
    fn a_row_may_take_two_lines() {
        let parts = testing::parts();
        let columns: [ColumnOf<&str>; 5] = [
            ("verdict", Treatment::VERDICT, &|word| (*word).to_owned().into()),
            ("a", Treatment::PART, &|_| Cell::Part(1)),
            ("b", Treatment::PART, &|_| Cell::Part(3)),
            ("measure", Treatment::LEFT, &|_| "1.00".to_owned().into()),
            ("where", Treatment::LEFT, &|_| "1 2 3".to_owned().into()),
        ];
        let [verdict, a, b, measure, place] = columns;
        let stacks = [vec![verdict], vec![a, b], vec![measure, place]];
        let table = || Table::of_lines(2, &stacks, &["clash", "contact"], |word| vec![format!("why {word}")]);
        let whole = " verdict  a        measure\n          b        where\n \
                     clash    nut      1.00\n          a,\"b\"\\n  1 2 3\n   why clash\n \
                     contact  nut      1.00\n          a,\"b\"\\n  1 2 3\n   why contact\n";
        assert_eq!(table().render(&parts, None), whole);
        let coloured = table().render(&parts, Screen { width: None, has_colours: true });
        assert_eq!(coloured, whole.replace(" clash  ", " \u{1b}[1;31mclash\u{1b}[0m  "));
    }

    #[test]
    fn a_short_name_leaves_its_room_to_a_long_one() {
        let mut parts = testing::parts();
        parts[1].name = "n".repeat(50).into();
        let columns: [ColumnOf<()>; 2] =
            [("a", Treatment::PART, &|()| Cell::Part(3)), ("b", Treatment::PART, &|()| Cell::Part(1))];
        let table = |width| Table::of(&columns, &[()], |()| None).render(&parts, Some(width));
        assert!(table(61).contains(&"n".repeat(50)), "{}", table(61));
        assert!(table(60).contains("a,\"b\"\\n") && table(60).contains("nn…nn"), "{}", table(60));
    }
}
