//! The plot: cost against size on two logarithmic axes, with one panel for triangles and one for bodies.

use std::ops::Range;
use std::path::Path;

use plotters::coord::Shift;
use plotters::prelude::*;

use super::measure::Series;
use super::meter::Meter;

const SIZE: (u32, u32) = (1120, 520);
const FONT: &str = "Helvetica, Arial, sans-serif";
const INK: RGBColor = RGBColor(55, 60, 68);
const FAINT: RGBColor = RGBColor(226, 229, 234);
/// Colours that can be distinguished with any colour vision (Okabe and Ito).
const COLOURS: [RGBColor; 4] =
    [RGBColor(0, 114, 178), RGBColor(213, 94, 0), RGBColor(0, 158, 115), RGBColor(204, 121, 167)];

type Panel<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// Draws both panels into an SVG file.
pub fn draw(
    path: &Path,
    backend: &str,
    meter: &Meter,
    narrow: &[Series],
    broad: &[Series],
) -> anyhow::Result<()> {
    let root = SVGBackend::new(path, SIZE).into_drawing_area();
    root.fill(&WHITE)?;
    let (left, right) = root.split_horizontally(620);
    panel(&left, meter, &format!("Two tori near contact ({backend})"), "triangles of each", narrow)?;
    panel(&right, meter, "Boxes, four overlaps each", "bodies", broad)?;
    Ok(root.present()?)
}

fn panel(area: &Panel, meter: &Meter, title: &str, counted: &str, series: &[Series]) -> anyhow::Result<()> {
    let points = || series.iter().flat_map(|s| &s.points);
    let (x, y) = (room(points().map(|p| p.0)), room(points().map(|p| p.1)));
    let text = |size: u32| (FONT, size).into_font().color(&INK);
    let mut chart = ChartBuilder::on(area)
        .margin(18)
        .margin_right(28)
        .caption(title, text(19))
        .x_label_area_size(46)
        .y_label_area_size(64)
        .build_cartesian_2d(x.log_scale(), y.log_scale())?;
    chart
        .configure_mesh()
        .max_light_lines(0)
        .bold_line_style(FAINT)
        .axis_style(INK.mix(0.5))
        .x_labels(8)
        .y_labels(10)
        .x_label_formatter(&|x| count(*x))
        .y_label_formatter(&|y| match meter {
            Meter::Clock => duration(*y),
            Meter::Callgrind { .. } => count(*y),
        })
        .label_style(text(13))
        .axis_desc_style(text(14))
        .x_desc(counted)
        .y_desc(meter.name())
        .draw()?;
    // The legend lists the lines in the order of their ends, from the top.
    let last = |series: &Series| series.points.last().map_or(0.0, |p| p.1);
    let mut coloured: Vec<_> = series.iter().zip(COLOURS).collect();
    coloured.sort_by(|a, b| last(b.0).total_cmp(&last(a.0)));
    for (series, colour) in coloured {
        let style = ShapeStyle { color: colour.into(), filled: true, stroke_width: 2 };
        let line = LineSeries::new(series.points.iter().copied(), style).point_size(4);
        chart
            .draw_series(line)?
            .label(format!("{}  ~ n^{:.2}", series.name, series.exponent()))
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 22, y)], colour.stroke_width(3)));
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .margin(14)
        .legend_area_size(30)
        .label_font(text(14))
        .background_style(WHITE.mix(0.9))
        .border_style(FAINT)
        .draw()?;
    Ok(())
}

/// Returns the range from the lowest to the highest value, with a margin of a fraction of a decade.
fn room(values: impl Iterator<Item = f64>) -> Range<f64> {
    let (lo, hi) = values.fold((f64::INFINITY, 0.0), |(lo, hi), x| (x.min(lo), x.max(hi)));
    lo / 1.5..hi * 1.5
}

fn count(x: f64) -> String {
    scaled(x, [(1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, "")])
}

fn duration(seconds: f64) -> String {
    scaled(seconds, [(1.0, " s"), (1e-3, " ms"), (1e-6, " µs")])
}

/// Formats a value with the largest unit that fits, or the last.
fn scaled<const N: usize>(x: f64, units: [(f64, &str); N]) -> String {
    // Ticks are powers of ten up to rounding.
    let (unit, suffix) = units.into_iter().find(|(unit, _)| x >= 0.999 * unit).unwrap_or(units[N - 1]);
    format!("{}{suffix}", (x / unit * 1e3).round() / 1e3)
}
