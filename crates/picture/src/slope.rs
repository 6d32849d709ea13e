//! The depth of a triangle at each sample, and bounds of it.

use std::ops::Range;

use crate::camera::{Corner, STEPS};
use crate::nearest::Line;

/// The depth of a triangle over the picture.
pub struct Slope {
    at: [f64; 2],
    depth: f64,
    dx: f64,
    dy: f64,
    /// The least and the largest depth.
    pub range: [f64; 2],
    /// A bound of the rounding errors of [`bounds`](Self::bounds) and of depths together.
    slack: f64,
}

impl Slope {
    /// Returns the depth of a triangle.
    pub fn of(corners: &[Corner; 3]) -> Self {
        let [a, b, c] = corners.map(|corner| [corner.x as f64, corner.y as f64, corner.depth]);
        let [u, v] = [b, c].map(|p| [0, 1, 2].map(|k| p[k] - a[k]));
        let area = u[0] * v[1] - u[1] * v[0];
        let (dx, dy) = match area {
            0.0 => (0.0, 0.0),
            _ => ((u[2] * v[1] - u[1] * v[2]) / area, (u[0] * v[2] - u[2] * v[0]) / area),
        };
        let range = [a[2].min(b[2]).min(c[2]), a[2].max(b[2]).max(c[2])];
        // A depth is a sum of three terms, and one more along its row; none is larger than twice `largest`.
        // It is rounded seven times and a bound six times, by at most half an epsilon of such a sum each.
        let reach = |k: usize| u[k].abs().max(v[k].abs());
        let largest = a[2].abs() + reach(0) * dx.abs() + reach(1) * dy.abs();
        let slack = 32.0 * f64::EPSILON * largest + f64::MIN_POSITIVE;
        Self { at: [a[0], a[1]], depth: a[2], dx, dy, range, slack }
    }

    fn at(&self, x: i64, y: i64) -> f64 {
        self.depth + (x as f64 - self.at[0]) * self.dx + (y as f64 - self.at[1]) * self.dy
    }

    /// Returns the depth at a sample, and its growth from one to the next.
    pub fn from(&self, row: usize, column: usize) -> [f64; 2] {
        let [x, y] = [column, row].map(|at| at as i64 * STEPS + STEPS / 2);
        [self.at(x, y), self.dx * STEPS as f64]
    }

    /// Returns the depths in a row in which the triangle begins at a column, from another column on.
    pub fn line(&self, row: usize, start: usize, column: usize) -> Line {
        let [first, growth] = self.from(row, start);
        Line { first, from: (column - start) as f64, growth }
    }

    /// Returns the depth at samples of a row in which the triangle begins at a column, counted from there.
    pub fn depths(&self, row: usize, start: usize) -> impl Fn(i32) -> f64 + use<> {
        let (depth, range) = (self.from(row, start), self.range);
        move |sample| depth_at(sample, depth, range)
    }

    /// Returns bounds of the depths in some columns and rows, all between the triangle's corners.
    pub fn bounds(&self, columns: &Range<usize>, rows: &Range<usize>) -> [f64; 2] {
        let [x, y] = [columns, rows].map(|of| [of.start as f64, of.end as f64 - 1.0]);
        let steps = |[first, last]: [f64; 2]| 0.5 * STEPS as f64 * (last - first);
        let middle = |[first, last]: [f64; 2]| 0.5 * STEPS as f64 * (first + last + 1.0);
        let depth = self.depth + (middle(x) - self.at[0]) * self.dx + (middle(y) - self.at[1]) * self.dy;
        let reach = steps(x) * self.dx.abs() + steps(y) * self.dy.abs() + self.slack;
        // What is not a number bounds nothing; the range does.
        [self.range[0].max(depth - reach), self.range[1].min(depth + reach)]
    }
}

/// Returns the depth at a sample of a span. Small integers are converted in lanes, and comparisons compile to
/// one instruction each.
pub fn depth_at(sample: i32, [first, growth]: [f64; 2], [least, most]: [f64; 2]) -> f64 {
    let depth = first + f64::from(sample) * growth;
    let depth = if depth > least { depth } else { least };
    if depth < most { depth } else { most }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::raster::cut_rows;

    /// Depths lie within the bounds of each part of their rows, however steep or far away a triangle is.
    #[test]
    fn bounds_hold_the_depths_of_all_samples() {
        for seed in 0..3_000_i64 {
            let number = |k: i64, most: i64| (seed * 7_919 + k * 104_729 + seed * seed % 89) % most;
            let scale = [1.0, 1e-3, 1e15][seed as usize % 3];
            // Mostly slivers, whose depths are rounded most.
            let corners = [0, 1, 2].map(|k| Corner {
                x: number(k, 20_000) - 5_000,
                y: if seed % 2 == 0 {
                    number(k, 20_000) + number(k, 20_000) % 3
                } else {
                    number(k + 5, 16_000)
                },
                depth: scale * (number(k + 9, 1_000) as f64 / 7.0 - 50.0) + 1e9,
            });
            let slope = Slope::of(&corners);
            cut_rows(&corners, [64, 48], |row, columns| {
                let depth = slope.depths(row, columns.start);
                let at = |column: usize| depth((column - columns.start) as i32);
                for first in columns.clone() {
                    let part = first..columns.end.min(first + 1 + seed as usize % 20);
                    let [least, most] = slope.bounds(&part, &(row..row + 1));
                    assert!(part.clone().all(|column| (least..=most).contains(&at(column))), "{seed}");
                    assert!(most - least <= slope.range[1] - slope.range[0]);
                }
            });
        }
    }
}
