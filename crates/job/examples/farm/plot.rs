//! The plot of times over the number of machines.

use plotters::prelude::*;

use crate::costs::Failed;

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

const FONT: &str = "Helvetica, Arial, sans-serif";

/// Returns, as SVG, the seconds of each scene over the number of machines, both logarithmic.
pub fn times(curves: &[(String, Vec<(f64, f64)>)]) -> Result<String, Failed> {
    let mut svg = String::new();
    {
        let root = SVGBackend::with_string(&mut svg, (860, 540)).into_drawing_area();
        root.fill(&WHITE)?;
        let seconds = || curves.iter().flat_map(|(_, points)| points).map(|point| point.1);
        let [least, most] = [seconds().fold(f64::INFINITY, f64::min), seconds().fold(0.0, f64::max)];
        let mut builder = ChartBuilder::on(&root);
        builder
            .margin(18)
            .margin_right(28)
            .caption("Time of a check on many machines, simulated", (FONT, 19));
        builder.x_label_area_size(46).y_label_area_size(70);
        let mut chart =
            builder.build_cartesian_2d((8.0..12_500.0).log_scale(), (least / 1.5..most * 1.5).log_scale())?;
        let mut mesh = chart.configure_mesh();
        mesh.max_light_lines(0).bold_line_style(RGBColor(226, 229, 234)).label_style((FONT, 13));
        mesh.x_desc("machines").y_desc("seconds until the last is done").draw()?;
        for ((name, points), colour) in curves.iter().zip(COLOURS.iter().cycle()) {
            let line = LineSeries::new(points.iter().copied(), colour.stroke_width(2)).point_size(4);
            let legend = move |(x, y)| PathElement::new([(x, y), (x + 22, y)], colour.stroke_width(3));
            chart.draw_series(line)?.label(name).legend(legend);
        }
        let mut labels = chart.configure_series_labels();
        labels.position(SeriesLabelPosition::UpperRight).margin(14).legend_area_size(30);
        labels.label_font((FONT, 14)).background_style(WHITE.mix(0.9)).draw()?;
        root.present()?;
    }
    Ok(svg)
}
