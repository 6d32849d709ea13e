//! Dimension lines.

use crate::canvas::{Canvas, FINE};
use crate::colours::{INK, WHITE};

/// A length in pixels, as samples.
pub const PIXEL: f64 = FINE as f64;

/// Draws a line with ticks at both ends, black on white. The ends are in samples.
pub fn draw(canvas: &mut Canvas, [p, q]: [[f64; 2]; 2]) {
    let along = [q[0] - p[0], q[1] - p[1]];
    let length = (along[0] * along[0] + along[1] * along[1]).sqrt();
    let across = if length > 0.0 { [-along[1] / length, along[0] / length] } else { [0.0, 1.0] };
    let tick = |end: [f64; 2], half: f64| {
        let shift = |sign: f64| [0, 1].map(|k| end[k] + sign * half * across[k]);
        [shift(-1.0), shift(1.0)]
    };
    let half = 7.0 * PIXEL;
    for (width, longer, colour) in [(5.0, 1.5 * PIXEL, WHITE), (2.0, 0.0, INK)] {
        for line in [[p, q], tick(p, half + longer), tick(q, half + longer)] {
            canvas.line(line, width * PIXEL, colour);
        }
    }
}
