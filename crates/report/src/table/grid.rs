//! Tables of plain texts.

use super::layout::{Cell, ColumnOf, Table, Treatment};
use super::screen::Screen;
use crate::document::PartRow;

/// A column of a grid: its title, and true if it has numbers, which are flush right.
pub type GridColumn<'a> = (&'a str, bool);

/// Returns a table of texts, with a text per column in each row.
pub fn grid(columns: &[GridColumn], rows: &[Vec<String>], screen: impl Into<Screen>) -> String {
    let cells: Vec<_> = (0..columns.len())
        .map(|at| move |row: &Vec<String>| row.get(at).map_or_else(Cell::default, |text| text.clone().into()))
        .collect();
    // Texts are shortened where a line is too short.
    let treatment = |numbers: bool| if numbers { Treatment::RIGHT } else { Treatment::NAME };
    let columns: Vec<ColumnOf<Vec<String>>> = (columns.iter().zip(&cells))
        .map(|(&(title, numbers), cell)| {
            let cell: &dyn Fn(&Vec<String>) -> Cell = cell;
            (title, treatment(numbers), cell)
        })
        .collect();
    Table::of(&columns, rows, |_| None).render(&[] as &[PartRow], screen)
}

#[cfg(test)]
mod tests {
    use super::grid;

    #[test]
    fn texts_are_laid_out_in_columns() {
        let rows = [["0", "llvmpipe"], ["10", "card"]].map(|row| row.map(str::to_owned).to_vec());
        assert_eq!(
            grid(&[("number", true), ("adapter", false)], &rows, None),
            " number  adapter\n      0  llvmpipe\n     10  card\n"
        );
    }
}
