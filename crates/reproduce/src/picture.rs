//! The plot of a table, as SVG.

use std::ops::Range;

use plotters::prelude::*;

use crate::Table;

const SIZE: (u32, u32) = (860, 540);
pub const FONT: &str = "Helvetica, Arial, sans-serif";
pub const INK: RGBColor = RGBColor(55, 60, 68);
pub const FAINT: RGBColor = RGBColor(226, 229, 234);
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
        Some(self.picture.as_ref()?.svg(self.title))
    }
}

/// The outcome of drawing into memory.
pub type Drawn = Result<(), Box<dyn std::error::Error>>;

impl Picture {
    /// Returns the curves as SVG, below a title.
    ///
    /// # Panics
    /// Panics if the library of plots fails, which writes to memory alone.
    pub fn svg(&self, title: &str) -> String {
        let mut svg = String::new();
        self.draw(&mut svg, title).expect("memory takes every shape");
        svg
    }

    fn draw(&self, svg: &mut String, title: &str) -> Drawn {
        let root = SVGBackend::with_string(svg, SIZE).into_drawing_area();
        root.fill(&WHITE)?;
        let points = || self.curves.iter().flat_map(|(_, points)| points);
        let (x, y) = (range(points().map(|p| p.0)), range(points().map(|p| p.1)));
        let text = |size: u32| (FONT, size).into_font().color(&INK);
        let mut builder = ChartBuilder::on(&root);
        builder.margin(18).margin_right(28).caption(title, text(19));
        builder.x_label_area_size(46).y_label_area_size(70);
        let y = (y.start / 1.3..y.end * 1.3).log_scale();
        // Away from curves that fall.
        let falls = |(_, points): &(_, Vec<(f64, f64)>)| matches!(points[..], [(_, first), .., (_, last)] if last < 0.5 * first);
        let corner = match self.curves.iter().any(falls) {
            true => SeriesLabelPosition::UpperRight,
            false => SeriesLabelPosition::UpperLeft,
        };
        // Both kinds of axes are different types.
        macro_rules! chart {
            ($x:expr) => {{
                let mut chart = builder.build_cartesian_2d($x, y)?;
                let mut mesh = chart.configure_mesh();
                mesh.max_light_lines(0).bold_line_style(FAINT).axis_style(INK.mix(0.5));
                mesh.x_label_formatter(&|x| short(*x)).y_label_formatter(&|y| short(*y));
                mesh.label_style(text(13)).axis_desc_style(text(14)).x_desc(self.x).y_desc(self.y);
                mesh.draw()?;
                for ((name, points), colour) in self.curves.iter().zip(COLOURS.iter().cycle()) {
                    let style = ShapeStyle { color: (*colour).into(), filled: true, stroke_width: 2 };
                    let line = LineSeries::new(points.iter().copied(), style).point_size(4);
                    let legend =
                        move |(x, y)| PathElement::new([(x, y), (x + 22, y)], colour.stroke_width(3));
                    chart.draw_series(line)?.label(name).legend(legend);
                }
                let mut labels = chart.configure_series_labels();
                labels.position(corner.clone()).margin(14).legend_area_size(30);
                labels.label_font(text(14)).background_style(WHITE.mix(0.9)).border_style(FAINT).draw()?;
            }};
        }
        if self.is_logarithmic {
            chart!((x.start / 1.2..x.end * 1.2).log_scale())
        } else {
            chart!(x)
        }
        Ok(root.present()?)
    }
}

/// Returns the range from the lowest to the highest value.
fn range(values: impl Iterator<Item = f64>) -> Range<f64> {
    let (lo, hi) = values.fold((f64::INFINITY, 0.0), |(lo, hi), x| (x.min(lo), x.max(hi)));
    lo..hi
}

/// Returns a number with a letter for its magnitude.
fn short(x: f64) -> String {
    let units = [(1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, "")];
    // Ticks are powers of ten up to rounding.
    let (unit, suffix) = units.into_iter().find(|(unit, _)| x >= 0.999 * unit).unwrap_or((1.0, ""));
    format!("{}{suffix}", (x / unit * 1e3).round() / 1e3)
}
