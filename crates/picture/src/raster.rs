//! The samples of a picture that a triangle covers.

use std::ops::Range;

use crate::camera::{Corner, STEPS};
use crate::slope::{Slope, depth_at};

/// The samples of a row that a triangle covers.
#[derive(Clone, Debug)]
pub struct Span {
    /// Their indices in a picture, row by row.
    pub samples: Range<usize>,
    /// The row.
    pub row: usize,
    /// The column of the first.
    pub column: usize,
    /// The least and the largest depth of the triangle.
    pub range: [f64; 2],
    /// The depth at the first, and its growth from one to the next.
    depth: [f64; 2],
}

impl Span {
    /// Returns the depth at each sample, never beyond the depth of the triangle's corners.
    pub fn depths(&self) -> impl Iterator<Item = f64> + use<> {
        (0..self.samples.len() as i32).map(self.depths_from(0))
    }

    /// Returns the depth at samples from one on, which is counted from the first.
    pub fn depths_from(&self, from: usize) -> impl Fn(i32) -> f64 + use<> {
        let Self { depth, range, .. } = *self;
        move |sample| depth_at(from as i32 + sample, depth, range)
    }
}

/// The part of a picture in which something lies, and how near it comes.
#[derive(Clone, Debug)]
pub struct Area {
    /// The columns that it may cover.
    pub columns: Range<usize>,
    /// The rows that it may cover.
    pub rows: Range<usize>,
    /// The largest depth.
    pub nearest: f64,
}

impl Area {
    /// Returns the area of what lies between some corners, in a picture of a size.
    pub fn of(corners: &[Corner], size: [usize; 2]) -> Self {
        let range = |of: fn(&Corner) -> i64, count: usize| {
            let [lo, hi] =
                corners.iter().map(of).fold([i64::MAX, i64::MIN], |[lo, hi], c| [lo.min(c), hi.max(c)]);
            let clamp = |sample: i64| sample.clamp(0, count as i64) as usize;
            clamp(lo.div_euclid(STEPS))..clamp(hi.div_euclid(STEPS) + 1)
        };
        let nearest = corners.iter().map(|corner| corner.depth).fold(f64::NEG_INFINITY, f64::max);
        Self { columns: range(|corner| corner.x, size[0]), rows: range(|corner| corner.y, size[1]), nearest }
    }

    /// Returns the area of a triangle: the columns and the rows between its corners, and no others.
    pub fn of_triangle(corners: &[Corner; 3], size: [usize; 2]) -> Self {
        let [a, b, c] = corners;
        let range = |[a, b, c]: [i64; 3], count: usize| {
            first_from(a.min(b).min(c), count)..first_from(a.max(b).max(c), count)
        };
        Self {
            columns: range([a.x, b.x, c.x], size[0]),
            rows: range([a.y, b.y, c.y], size[1]),
            nearest: a.depth.max(b.depth).max(c.depth),
        }
    }

    /// True if it has no sample of the picture.
    pub fn is_empty(&self) -> bool {
        self.columns.is_empty() || self.rows.is_empty()
    }
}

/// Calls `found` with the samples that a triangle covers, row by row, and their depths.
pub fn cover(corners: &[Corner; 3], size: [usize; 2], mut found: impl FnMut(&Span)) {
    let mut slope = None;
    cut_rows(corners, size, |row, columns| {
        let slope: &Slope = slope.get_or_insert_with(|| Slope::of(corners));
        let depth = slope.from(row, columns.start);
        let samples = row * size[0] + columns.start..row * size[0] + columns.end;
        found(&Span { samples, row, column: columns.start, depth, range: slope.range });
    });
}

/// Calls `found` with the rows that a triangle covers, and with the columns that it covers there.
///
/// Triangles with a common edge cover each sample on it once: a row is cut at the exact crossings with the
/// edges, computed from the edge alone. A sample on a crossing belongs to the triangle on its right.
pub fn cut_rows(corners: &[Corner; 3], size: [usize; 2], mut found: impl FnMut(usize, Range<usize>)) {
    let [a, b, c] = *corners;
    let sorted = |[a, b]: [Corner; 2]| if b.y < a.y { [b, a] } else { [a, b] };
    let [a, b] = sorted([a, b]);
    let [b, lower] = sorted([b, c]);
    let [upper, middle] = sorted([a, b]);
    let rows = [upper, middle, lower].map(|corner| first_from(corner.y, size[1]));
    // To the left or to the right of the picture, or between the middles of two columns.
    if rows[0] == rows[2] || Area::of_triangle(corners, size).columns.is_empty() {
        return;
    }
    let mut whole = Crossing::of([upper, lower], rows[0]..rows[2]);
    for (side, rows) in [([upper, middle], rows[0]..rows[1]), ([middle, lower], rows[1]..rows[2])] {
        if rows.is_empty() {
            continue;
        }
        let mut part = Crossing::of(side, rows.clone());
        for row in rows {
            let ends = [whole.next(), part.next()].map(|sample| sample.clamp(0, size[0] as i64) as usize);
            let [column, end] = [ends[0].min(ends[1]), ends[0].max(ends[1])];
            if column < end {
                found(row, column..end);
            }
        }
    }
}

/// Returns the first of a number of rows whose middle lies at or below a coordinate, or the first of columns
/// whose middle lies at or to the right of it. An edge covers the rows from the row of its upper end to the
/// one before the row of its lower end.
fn first_from(coordinate: i64, count: usize) -> usize {
    let first = (coordinate + (STEPS / 2 - 1)).div_euclid(STEPS);
    first.clamp(0, count as i64) as usize
}

/// The exact crossings of an edge with the rows of a picture, from one on.
///
/// In the row with its middle at y, the first sample at or to the right of the crossing is the least i with
/// `i * STEPS + STEPS / 2 >= from.x + (y - from.y) * dx / dy`. From row to row, this quotient of integers
/// grows by a fixed number of samples and a fixed rest.
struct Crossing {
    sample: i64,
    rest: i64,
    step: [i64; 2],
    below: i64,
}

impl Crossing {
    /// Returns the crossings of an edge, given by its upper and its lower end, with some rows.
    fn of([from, to]: [Corner; 2], rows: Range<usize>) -> Self {
        let (dx, dy) = (to.x - from.x, to.y - from.y);
        let (down, below) = (rows.start as i64 * STEPS + STEPS / 2 - from.y, STEPS * dy);
        let product = |a: i64, b: i64| i128::from(a) * i128::from(b);
        let above = product(from.x - STEPS / 2, dy) + product(down, dx) + i128::from(below - 1);
        // Rounded down, after what rounds up. The division of narrow integers is much faster.
        let (sample, rest) = match i64::try_from(above) {
            Ok(above) => (above.div_euclid(below), above.rem_euclid(below)),
            Err(_) => (above.div_euclid(below.into()) as i64, above.rem_euclid(below.into()) as i64),
        };
        // Most small triangles have one row, and divisions are what takes long.
        let step = if rows.len() > 1 { [dx.div_euclid(dy), STEPS * dx.rem_euclid(dy)] } else { [0; 2] };
        Self { sample, rest, step, below }
    }

    /// Returns the first sample at or to the right of the crossing with a row, and goes on to the next row.
    fn next(&mut self) -> i64 {
        let sample = self.sample;
        let rest = self.rest + self.step[1];
        let is_over = rest >= self.below;
        self.sample += self.step[0] + i64::from(is_over);
        self.rest = if is_over { rest - self.below } else { rest };
        sample
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn corner(x: i64, y: i64) -> Corner {
        Corner { x, y, depth: (x + 2 * y) as f64 }
    }

    /// A fan around an inner point covers each sample of a rectangle once, wherever the point lies.
    #[test]
    fn triangles_with_common_edges_cover_each_sample_once() {
        let size = [40, 30];
        let rim = [
            [-77, -300],
            [5_000, -400],
            [12_345, 31],
            [11_800, 4_000],
            [10_239, 7_681],
            [3, 7_680],
            [-400, 900],
        ];
        for seed in 0..200_i64 {
            let middle = corner((seed * 7_919) % 10_000 + 100, (seed * 104_729) % 7_000 + 300);
            let mut times = vec![0; size[0] * size[1]];
            for k in 0..rim.len() {
                let [a, b] = [rim[k], rim[(k + 1) % rim.len()]].map(|[x, y]| corner(x, y));
                cover(&[a, b, middle], size, |span| {
                    for (k, depth) in span.depths().enumerate() {
                        let [x, y] = [span.column + k, span.row];
                        times[span.samples.start + k] += 1;
                        let exact = (x as i64 * STEPS + 128 + 2 * (y as i64 * STEPS + 128)) as f64;
                        assert!((depth - exact).abs() < 1e-6);
                    }
                });
            }
            // Rows 1 to 28 and columns 1 to 38 lie inside the rim.
            for y in 1..28 {
                for x in 1..38 {
                    assert_eq!(times[x + size[0] * y], 1, "{x} {y} with {middle:?}");
                }
            }
        }
    }

    /// Far corners give the samples that near ones give on the same lines.
    #[test]
    fn far_corners_cut_rows_exactly() {
        let far = 1_i64 << 49;
        let mut times = 0;
        cover(&[corner(-far, -far), corner(far, far), corner(-far, far)], [16, 16], |span| {
            assert_eq!((span.column, span.samples.len()), (0, span.row));
            times += span.samples.len();
        });
        // Below the diagonal, without the samples on it: a crossing belongs to the right.
        assert_eq!(times, 16 * 15 / 2);
    }

    #[test]
    fn a_triangle_without_area_covers_nothing() {
        cover(&[corner(0, 0), corner(2_000, 2_000), corner(900, 900)], [16, 16], |span| panic!("{span:?}"));
    }
}
