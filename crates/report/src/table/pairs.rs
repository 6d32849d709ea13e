//! The table of a run's pairs: each on one line or, if that is too long, on two.

use std::iter::once;

use super::layout::{self, Cell, Column, Row, Table, type_cell};
use crate::document::PartRow;

/// A pair as shown to people.
pub(super) struct PairEntry {
    pub ids: [u32; 2],
    pub verdict: &'static str,
    /// The measures, with two texts for each two titles.
    pub measures: Vec<[String; 2]>,
    pub note: Option<String>,
}

/// Renders the pairs on lines of `width` characters, if that is known and possible. On two lines, the second
/// part is below the first, and so is the second of each two measures and of their `titles`.
pub(super) fn render(
    parts: &[PartRow],
    titles: &[[String; 2]],
    pairs: &[PairEntry],
    width: Option<usize>,
) -> String {
    let typed = pairs.iter().flat_map(|pair| pair.ids).any(|id| parts[id as usize].kind.is_some());
    let columns = |kind: Column| Fields {
        verdict: Column::LEFT,
        sides: [side(Column::PART, typed.then_some(kind)), side(Column::PART, typed.then_some(kind))],
        measures: vec![[Column::LEFT; 2]; titles.len()],
    };
    let title = || Fields {
        verdict: "verdict".to_owned(),
        sides: ["a", "b"].map(|name| side(name.to_owned(), typed.then(|| "type".to_owned()))),
        measures: titles.to_vec(),
    };
    let cells = |pair: &PairEntry| Fields {
        verdict: Cell::Text(pair.verdict.to_owned()),
        sides: pair.ids.map(|id| {
            let part = id as usize;
            side(Cell::Part(part), typed.then(|| type_cell(&parts[part])))
        }),
        measures: pair.measures.iter().map(|texts| texts.clone().map(Cell::Text)).collect(),
    };
    let form = |form: Form, kind: Column| Table {
        columns: columns(kind).arranged(form).swap_remove(0),
        titles: title().arranged(form),
        rows: pairs.iter().map(|p| Row { lines: cells(p).arranged(form), note: p.note.clone() }).collect(),
    };
    let forms = vec![form(Form::OneLine, Column::LEFT), form(Form::TwoLines, Column::OPTIONAL)];
    layout::render(parts, forms, width)
}

#[derive(Clone, Copy)]
enum Form {
    OneLine,
    TwoLines,
}

/// The fields of a pair's row, of its titles or of its columns.
struct Fields<T> {
    verdict: T,
    /// The name of each part and, if types are shown, its type.
    sides: [Vec<T>; 2],
    measures: Vec<[T; 2]>,
}

fn side<T>(name: T, kind: Option<T>) -> Vec<T> {
    once(name).chain(kind).collect()
}

impl<T: Default> Fields<T> {
    fn arranged(self, form: Form) -> Vec<Vec<T>> {
        let [a, b] = self.sides;
        let (uppers, lowers): (Vec<T>, Vec<T>) = self.measures.into_iter().map(<(T, T)>::from).unzip();
        let upper = once(self.verdict).chain(a);
        match form {
            Form::OneLine => vec![upper.chain(b).chain(uppers).chain(lowers).collect()],
            Form::TwoLines => {
                let lower = once(T::default()).chain(b).chain(lowers);
                vec![upper.chain(uppers).collect(), lower.collect()]
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    /// Renders a table after a line break, so that expected strings are easier to read.
    fn table(width: usize) -> String {
        let parts = testing::parts();
        let entry = |a, b, note: Option<&str>| PairEntry {
            ids: [a, b],
            verdict: "clash",
            measures: vec![["depth 1".to_owned(), "1 2 3".to_owned()]],
            note: note.map(str::to_owned),
        };
        let titles = [["measure, mm".to_owned(), "where, mm".to_owned()]];
        let entries = [entry(0, 1, Some("why")), entry(1, 2, None)];
        format!("\n{}", render(&parts, &titles, &entries, Some(width)))
    }

    #[test]
    fn a_pair_is_on_one_line_where_it_fits() {
        let expected = "
 verdict  a        type         b        type  measure, mm  where, mm
 clash    bolt #0  IfcFastener  nut            depth 1      1 2 3
   why
 clash    nut                   bolt #2        depth 1      1 2 3
";
        assert_eq!(table(70), expected);
    }

    #[test]
    fn elsewhere_it_is_on_two_lines_and_then_loses_the_types() {
        let expected = "
 verdict  a        type         measure, mm
          b        type         where, mm
 clash    bolt #0  IfcFastener  depth 1
          nut                   1 2 3
   why
 clash    nut                   depth 1
          bolt #2               1 2 3
";
        assert_eq!(table(69), expected);
        assert_eq!(table(44), expected);
        let narrow = "
 verdict  a        measure, mm
          b        where, mm
 clash    bolt #0  depth 1
          nut      1 2 3
   why
 clash    nut      depth 1
          bolt #2  1 2 3
";
        assert_eq!(table(43), narrow);
    }
}
