//! A chart of named numbers as horizontal bars, as SVG.

use std::fmt::Write as _;

use closefit_geometry::text::printable;

const WIDTH: usize = 860;
/// The place at which bars begin, to the right of their names.
const LEFT: usize = 230;
/// The width of the longest bar, whose number is to the right of it.
const LONGEST: f64 = 480.0;
const BAR: usize = 22;
const TOP: usize = 56;
const FIRST: &str = "#0072b2";
const OTHERS: &str = "#78a0be";

/// Returns bars as SVG, one below the other, each with its name and its number in a unit. A row without a
/// number has a word instead. The first row has a colour of its own: the others are compared with it.
pub fn bars(title: &str, unit: &str, rows: &[(String, Result<f64, &str>)]) -> String {
    let height = TOP + BAR * rows.len() + 20;
    let most = rows.iter().filter_map(|(_, value)| value.ok()).fold(f64::MIN_POSITIVE, f64::max);
    let mut svg = format!(
        "<svg width=\"{WIDTH}\" height=\"{height}\" xmlns=\"http://www.w3.org/2000/svg\" font-family=\"sans-serif\" \
         font-size=\"13\" fill=\"#222222\">\n<rect width=\"{WIDTH}\" height=\"{height}\" fill=\"#ffffff\"/>\n\
         <text x=\"18\" y=\"32\" font-size=\"17\">{}</text>\n\
         <path d=\"M{LEFT} {}V{}\" stroke=\"#cccccc\"/>\n",
        escaped(title),
        TOP - 6,
        height - 14,
    );
    for (row, (name, value)) in rows.iter().enumerate() {
        let top = TOP + BAR * row;
        let (length, label) = match value {
            Ok(value) => ((LONGEST * value / most).ceil() as usize, format!("{value:.4} {unit}")),
            Err(word) => (0, (*word).to_owned()),
        };
        let (line, colour) = (top + 14, if row == 0 { FIRST } else { OTHERS });
        let end = LEFT + length + 8;
        let (name, label) = (escaped(name), escaped(&label));
        write!(
            svg,
            "<text x=\"18\" y=\"{line}\">{name}</text>\n\
             <rect x=\"{LEFT}\" y=\"{}\" width=\"{length}\" height=\"{}\" fill=\"{colour}\"/>\n\
             <text x=\"{end}\" y=\"{line}\">{label}</text>\n",
            top + 2,
            BAR - 6,
        )
        .expect("a String takes every text");
    }
    svg + "</svg>\n"
}

/// Returns a text as SVG holds it.
fn escaped(text: &str) -> String {
    printable(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_as_long_as_their_numbers() {
        let rows = [
            ("obb".to_owned(), Ok(2.0)),
            ("a < b".to_owned(), Ok(1.0)),
            ("rapid".to_owned(), Err("stopped")),
        ];
        let svg = bars("Methods", "s", &rows);
        let widths: Vec<f64> = svg
            .lines()
            .filter(|line| line.starts_with("<rect"))
            .skip(1)
            .map(|line| {
                let (_, rest) = line.split_once("width=\"").expect("a rectangle has a width");
                rest.split_once('"').expect("a number").0.parse().expect("a number")
            })
            .collect();
        assert_eq!(widths.len(), 3, "{svg}");
        assert!((widths[0] - 2.0 * widths[1]).abs() <= 1.0 && widths[2] < 2.0, "{widths:?}");
        for part in ["Methods", "2.0000 s", "stopped", "a &lt; b"] {
            assert!(svg.contains(part), "{part}: {svg}");
        }
    }
}
