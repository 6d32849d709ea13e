//! A chart of named numbers as horizontal bars, as SVG.

use plotters::prelude::*;

use crate::picture::{Drawn, FAINT, FONT, INK};

const WIDTH: u32 = 860;
/// The place at which bars begin, to the right of their names.
const LEFT: i32 = 230;
/// The width of the longest bar; its number stands to the right of it.
const LONGEST: f64 = 520.0;
const BAR: i32 = 22;
const TOP: i32 = 56;
const FIRST: RGBColor = RGBColor(0, 114, 178);
const OTHERS: RGBColor = RGBColor(120, 160, 190);

/// Returns bars as SVG, one below the other, each with its name and its number in a unit; what has no number
/// has a word instead. The first one is the one that the others are compared with.
///
/// # Panics
/// Panics if the library of plots fails, which writes to memory alone.
pub fn bars(title: &str, unit: &str, rows: &[(String, Result<f64, &str>)]) -> String {
    let mut svg = String::new();
    draw(&mut svg, title, unit, rows).expect("memory takes every shape");
    svg
}

fn draw(svg: &mut String, title: &str, unit: &str, rows: &[(String, Result<f64, &str>)]) -> Drawn {
    let height = TOP + BAR * rows.len() as i32 + 20;
    let root = SVGBackend::with_string(svg, (WIDTH, height as u32)).into_drawing_area();
    root.fill(&WHITE)?;
    let text = |size: u32| (FONT, size).into_font().color(&INK);
    root.draw(&Text::new(title.to_owned(), (18, 18), text(17)))?;
    root.draw(&PathElement::new([(LEFT, TOP - 6), (LEFT, height - 14)], FAINT.stroke_width(1)))?;
    let most = rows.iter().filter_map(|(_, value)| value.ok()).fold(f64::MIN_POSITIVE, f64::max);
    for (i, (name, value)) in rows.iter().enumerate() {
        let top = TOP + BAR * i as i32;
        let colour = if i == 0 { FIRST } else { OTHERS };
        root.draw(&Text::new(name.clone(), (18, top + 3), text(13)))?;
        let (end, label) = match value {
            Ok(value) => (LEFT + (LONGEST * value / most).ceil() as i32, format!("{value:.4} {unit}")),
            Err(word) => (LEFT, (*word).to_owned()),
        };
        root.draw(&Rectangle::new([(LEFT, top + 2), (end, top + BAR - 4)], colour.filled()))?;
        root.draw(&Text::new(label, (end + 8, top + 3), text(13)))?;
    }
    Ok(root.present()?)
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
