//! The plot of a table, as SVG.

use std::ops::Range;

use plotters::prelude::*;

use crate::Table;

const SIZE: (u32, u32) = (1_020, 560);
/// The width of the names of curves, to the right of the plot, where they hide nothing.
const NAMES: u32 = 250;
/// The height of the title.
const TITLE: i32 = 46;
/// The height of a curve's name.
const LINE: i32 = 22;
/// The largest number of labels of a logarithmic axis.
const LABELS: usize = 9;
const FONT: &str = "Helvetica, Arial, sans-serif";
const INK: RGBColor = RGBColor(55, 60, 68);
const FAINT: RGBColor = RGBColor(226, 229, 234);
/// Colours that can be distinguished with any colour vision (Okabe and Ito).
const COLOURS: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(0, 0, 0),
];

/// Curves over a logarithmic axis upwards.
#[derive(Clone, Debug)]
pub struct Picture {
    /// The line above the plot.
    pub title: &'static str,
    /// The label of the axis to the right.
    pub x: &'static str,
    /// True if that axis is logarithmic.
    pub is_logarithmic: bool,
    /// The label of the axis upwards.
    pub y: &'static str,
    /// Names and points; all coordinates are positive.
    pub curves: Vec<(String, Vec<(f64, f64)>)>,
}

impl Table {
    /// Returns the plot as SVG, if the table has one.
    ///
    /// # Panics
    /// Panics if the library of plots fails, which writes to memory alone.
    pub fn svg(&self) -> Option<String> {
        Some(self.picture.as_ref()?.svg())
    }
}

/// The outcome of drawing into memory.
pub type Drawn = Result<(), Box<dyn std::error::Error>>;

impl Picture {
    /// Returns the curves as SVG, between a title and their names.
    ///
    /// # Panics
    /// Panics if the library of plots fails, which writes to memory alone.
    pub fn svg(&self) -> String {
        let mut svg = String::new();
        self.draw(&mut svg).expect("memory takes every shape");
        svg
    }

    fn draw(&self, svg: &mut String) -> Drawn {
        let root = SVGBackend::with_string(svg, SIZE).into_drawing_area();
        root.fill(&WHITE)?;
        root.draw(&Text::new(self.title, (18, 16), text(19)))?;
        let (plot, names) = root.split_horizontally(SIZE.0 - NAMES);
        for ((name, _), (place, colour)) in self.curves.iter().zip((0..).zip(COLOURS.iter().cycle())) {
            let y = TITLE + LINE * place;
            names.draw(&PathElement::new([(0, y + 7), (22, y + 7)], colour.stroke_width(3)))?;
            names.draw(&Text::new(name.clone(), (30, y), text(14)))?;
        }
        let points = || self.curves.iter().flat_map(|(_, points)| points);
        let (x, y) = (range(points().map(|p| p.0)), range(points().map(|p| p.1)));
        let y = y.start / 1.3..y.end * 1.3;
        let y = y.clone().log_scale().with_key_points(labelled(&y));
        let mut builder = ChartBuilder::on(&plot);
        builder.margin(18).margin_right(28).margin_top(TITLE);
        builder.x_label_area_size(46).y_label_area_size(70);
        // Both kinds of axes are different types.
        macro_rules! chart {
            ($x:expr) => {{
                let mut chart = builder.build_cartesian_2d($x, y)?;
                let mut mesh = chart.configure_mesh();
                mesh.max_light_lines(0).bold_line_style(FAINT).axis_style(INK.mix(0.5));
                mesh.x_label_formatter(&|x| short(*x)).y_label_formatter(&|y| short(*y));
                mesh.label_style(text(13)).axis_desc_style(text(14)).x_desc(self.x).y_desc(self.y);
                mesh.draw()?;
                for ((_, points), colour) in self.curves.iter().zip(COLOURS.iter().cycle()) {
                    let style = ShapeStyle { color: (*colour).into(), filled: true, stroke_width: 2 };
                    chart.draw_series(LineSeries::new(points.iter().copied(), style).point_size(4))?;
                }
            }};
        }
        if self.is_logarithmic {
            let x = x.start / 1.2..x.end * 1.2;
            chart!(x.clone().log_scale().with_key_points(labelled(&x)))
        } else {
            chart!(x)
        }
        Ok(root.present()?)
    }
}

/// Returns the style of text of a size.
fn text(size: u32) -> TextStyle<'static> {
    (FONT, size).into_font().color(&INK)
}

/// Returns the range from the lowest to the highest value.
fn range(values: impl Iterator<Item = f64>) -> Range<f64> {
    let (lo, hi) = values.fold((f64::INFINITY, 0.0), |(lo, hi), x| (x.min(lo), x.max(hi)));
    lo..hi
}

/// Returns the numbers that a logarithmic axis is labelled with: of each power of ten all multiples, or 1, 2
/// and 5 of them, or itself, so that there are not too many.
#[allow(clippy::disallowed_methods)]
fn labelled(range: &Range<f64>) -> Vec<f64> {
    let decades = range.start.log10().floor() as i32..=range.end.log10().floor() as i32;
    let of = |multiples: &[i32]| -> Vec<f64> {
        // A quotient of whole numbers is rounded once, so that it is printed as short as it is.
        let number = |&m: &i32, decade: i32| match decade {
            0.. => f64::from(m) * 10.0_f64.powi(decade),
            _ => f64::from(m) / 10.0_f64.powi(-decade),
        };
        let all = decades.clone().flat_map(|decade| multiples.iter().map(move |m| number(m, decade)));
        all.filter(|number| range.contains(number)).collect()
    };
    let dense = [of(&[1, 2, 3, 4, 5, 6, 7, 8, 9]), of(&[1, 2, 5])];
    dense.into_iter().find(|labels| labels.len() <= LABELS).unwrap_or_else(|| of(&[1]))
}

/// Returns a number with a letter for its magnitude.
fn short(x: f64) -> String {
    let units = [(1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, "")];
    let (unit, suffix) = units.into_iter().find(|(unit, _)| x >= *unit).unwrap_or((1.0, ""));
    format!("{}{suffix}", (x / unit * 1e3).round() / 1e3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_are_labelled_where_numbers_are_short() {
        let labels =
            |range: Range<f64>| labelled(&range).into_iter().map(short).collect::<Vec<_>>().join(" ");
        assert_eq!(labels(41.0..1_200.0), "50 100 200 500 1k");
        assert_eq!(labels(1_500.0..5_500.0), "2k 3k 4k 5k");
        assert_eq!(labels(0.015..1.2), "0.02 0.05 0.1 0.2 0.5 1");
        assert_eq!(labels(3_000.0..2.0e8), "10k 100k 1M 10M 100M");
    }

    /// Each label is drawn once, and no curve's name is where a curve may be.
    #[test]
    fn labels_and_names_hide_nothing() {
        let curve = |name: &str, y: f64| (name.to_owned(), vec![(50.0, y), (1_000.0, 30.0 * y)]);
        let curves = vec![curve("slow", 0.02), curve("fast", 0.9)];
        let picture = Picture { title: "Crowds", x: "bodies", is_logarithmic: true, y: "exchanges", curves };
        let svg = picture.svg();
        let lines: Vec<&str> = svg.lines().collect();
        for label in ["Crowds", "50", "500", "1k", "10", "slow", "fast"] {
            assert_eq!(lines.iter().filter(|&&line| line == label).count(), 1, "{label}: {svg}");
        }
        for name in ["slow", "fast"] {
            let at = lines.iter().position(|&line| line == name).expect("a name");
            let (_, rest) = lines[at - 1].split_once("x=\"").expect("a place");
            let x: u32 = rest.split_once('"').expect("a number").0.parse().expect("a number");
            assert!(x > SIZE.0 - NAMES, "{name} at {x}");
        }
    }
}
