//! Tables without rules that fit the terminal: long names shrink in their middle, then columns go.

use std::collections::HashMap;

use unicode_width::UnicodeWidthStr;

use crate::scene::Scene;
use crate::text::{elided, printable};

/// Names are never shown longer than this, however wide the terminal.
const WIDEST_NAME: usize = 40;
/// Names give way to an optional column down to this width; below, the column goes.
const ROOMY_NAME: usize = 20;
/// Narrower than this no name tells anything.
const NARROWEST_NAME: usize = 8;

/// A column and how it is treated where space is short.
pub(super) struct Column {
    pub title: String,
    pub kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Text, always shown whole.
    Left,
    /// Numbers, flush right.
    Right,
    /// Shown where there is room; the last such column goes first.
    Optional,
    /// As `Optional`, flush right.
    OptionalRight,
    /// The name of a part, shortened to what is left.
    Part,
}

/// What a column shows of a row.
pub(super) enum Cell {
    Text(String),
    /// Index of a part.
    Part(usize),
}

/// A line of the table, and what there is to say about it on a line of its own.
pub(super) struct Row {
    pub cells: Vec<Cell>,
    pub note: Option<String>,
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

/// The table, at most `width` columns wide if that can be.
pub(super) fn render(
    scene: &Scene,
    mut columns: Vec<Column>,
    mut rows: Vec<Row>,
    width: Option<usize>,
) -> String {
    let width = width.unwrap_or(usize::MAX);
    let wanted = widest_part(&labels(scene, WIDEST_NAME), &rows);
    let share = loop {
        let share = room_for_names(&columns, &rows, width);
        let optional = columns.iter().rposition(|c| matches!(c.kind, Kind::Optional | Kind::OptionalRight));
        match optional {
            Some(column) if share < wanted.min(ROOMY_NAME) => {
                columns.remove(column);
                rows.iter_mut().for_each(|row| drop(row.cells.remove(column)));
            }
            _ => break share.clamp(NARROWEST_NAME, WIDEST_NAME),
        }
    };
    let names = labels(scene, share);
    let title = std::iter::once((columns.iter().map(|c| c.title.clone()).collect(), None));
    let lines: Vec<(Vec<String>, Option<String>)> =
        title.chain(rows.into_iter().map(|row| (texts(row.cells, &names), row.note))).collect();
    let widths: Vec<usize> = (0..columns.len())
        .map(|column| lines.iter().map(|(cells, _)| cells[column].width()).max().unwrap_or(0))
        .collect();
    let mut text = String::new();
    for (cells, note) in &lines {
        let mut line = String::new();
        for ((cell, column), width) in cells.iter().zip(&columns).zip(&widths) {
            let blanks = " ".repeat(width - cell.width());
            line += match column.kind {
                Kind::Right | Kind::OptionalRight => [" ", &blanks, cell, " "],
                Kind::Left | Kind::Optional | Kind::Part => [" ", cell, &blanks, " "],
            }
            .concat()
            .as_str();
        }
        text += line.trim_end();
        text.push('\n');
        if let Some(note) = note {
            text += &format!("   {note}\n");
        }
    }
    text
}

/// What each name may take when all other columns are shown whole.
fn room_for_names(columns: &[Column], rows: &[Row], width: usize) -> usize {
    let mut fixed = 0;
    let mut names = 0;
    for (index, column) in columns.iter().enumerate() {
        fixed += 2;
        if column.kind == Kind::Part {
            names += 1;
            continue;
        }
        let cells = rows.iter().map(|row| match &row.cells[index] {
            Cell::Text(text) => text.width(),
            Cell::Part(_) => 0,
        });
        fixed += cells.max().unwrap_or(0).max(column.title.width());
    }
    width.saturating_sub(fixed) / names.max(1)
}

fn widest_part(names: &[String], rows: &[Row]) -> usize {
    let parts = rows.iter().flat_map(|row| &row.cells).filter_map(|cell| match cell {
        Cell::Part(part) => Some(names[*part].width()),
        Cell::Text(_) => None,
    });
    parts.max().unwrap_or(0)
}

fn texts(cells: Vec<Cell>, names: &[String]) -> Vec<String> {
    let text = |cell| match cell {
        Cell::Text(text) => text,
        Cell::Part(part) => names[part].clone(),
    };
    cells.into_iter().map(text).collect()
}

/// The parts' names for people, no wider than `widest`, and with the index where the name as shown does not
/// tell parts apart, as in `bolt #3`.
fn labels(scene: &Scene, widest: usize) -> Vec<String> {
    let names: Vec<String> = scene.parts.iter().map(|part| printable(&part.name)).collect();
    let shown: Vec<String> = names.iter().map(|name| elided(name, widest)).collect();
    let mut uses: HashMap<&str, u32> = HashMap::new();
    for name in &shown {
        *uses.entry(name).or_default() += 1;
    }
    let label = |(id, name): (usize, &String)| match uses[shown[id].as_str()] {
        _ if name.is_empty() => format!("#{id}"),
        1 => shown[id].clone(),
        _ => {
            let index = format!(" #{id}");
            elided(name, widest.saturating_sub(index.len())) + &index
        }
    };
    names.iter().enumerate().map(label).collect()
}

#[cfg(test)]
mod tests {
    use super::super::testing;
    use super::*;

    #[test]
    fn labels_tell_parts_apart() {
        let (mut scene, _) = testing::run();
        assert_eq!(labels(&scene, 40), ["bolt #0", "nut", "bolt #2", "a,\"b\"\\n"]);
        scene.parts[1].name.clear();
        assert_eq!(labels(&scene, 40)[1], "#1");
        for (part, end) in scene.parts.iter_mut().zip(["1", "2", "3", "4"]) {
            part.name = format!("{}{end}{}", "x".repeat(25), "y".repeat(25));
        }
        assert_eq!(labels(&scene, 12)[3], "xxxx…yyyy #3");
    }

    #[test]
    fn a_narrow_table_loses_columns_then_parts_of_names() {
        let (mut scene, _) = testing::run();
        scene.parts[0].name = "a name of thirty characters ...".to_owned();
        let table = |width| {
            let column = |title: &str, kind| Column { title: title.to_owned(), kind };
            let columns = vec![
                column("part", Kind::Part),
                column("number", Kind::Right),
                column("remark", Kind::Optional),
            ];
            let cells = vec![Cell::Part(0), "1".to_owned().into(), "twelve chars".to_owned().into()];
            render(&scene, columns, vec![Row { cells, note: Some("why".to_owned()) }], width)
        };
        let whole = table(None);
        assert!(whole.contains("a name of thirty characters ...") && whole.contains("twelve"), "{whole}");
        assert!(whole.ends_with("\n   why\n"), "{whole}");
        let narrow = table(Some(50));
        assert!(narrow.contains("a name of thi…aracters ...") && narrow.contains("twelve"), "{narrow}");
        let narrower = table(Some(30));
        assert!(narrower.contains("a name of …cters ...") && !narrower.contains("twelve"), "{narrower}");
        assert!(narrower.lines().all(|line| line.width() <= 30), "{narrower}");
    }
}
