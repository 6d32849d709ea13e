//! The samples of a picture that a triangle covers.

use std::ops::Range;

use crate::camera::{Corner, STEPS};

/// The samples of a row that a triangle covers.
#[derive(Clone, Debug)]
pub struct Span {
    /// Their indices in a picture, row by row.
    pub samples: Range<usize>,
    /// The row.
    pub row: usize,
    /// The column of the first.
    pub column: usize,
    /// The depth at the first, and its growth from one to the next.
    depth: [f64; 2],
    /// The least and the largest depth of the triangle.
    range: [f64; 2],
}

impl Span {
    /// Returns the depth at each sample, never beyond that of the triangle's corners.
    pub fn depths(&self) -> impl Iterator<Item = f64> + use<> {
        let Self { depth: [first, growth], range: [least, most], .. } = *self;
        // Small integers are converted in lanes, and comparisons compile to one instruction each.
        (0..self.samples.len() as i32).map(move |k| {
            let depth = first + f64::from(k) * growth;
            let depth = if depth > least { depth } else { least };
            if depth < most { depth } else { most }
        })
    }
}

/// Calls `found` with the samples that a triangle covers, row by row.
///
/// Triangles with a common edge cover each sample on it once: a row is cut at the exact crossings with the
/// edges, computed from the edge alone. A sample on a crossing belongs to the triangle on its right.
pub fn cover(corners: &[Corner; 3], size: [usize; 2], mut found: impl FnMut(&Span)) {
    let (top, bottom) = rows(corners, size[1]);
    if top >= bottom || is_beside(corners, size[0]) {
        return;
    }
    let slope = Slope::of(corners);
    for row in top..bottom {
        let y = row as i64 * STEPS + STEPS / 2;
        let mut crossed = [0; 2];
        let mut count = 0;
        for k in 0..3 {
            let [from, to] = [corners[k], corners[(k + 1) % 3]];
            if let Some(first) = first_sample(from, to, y) {
                crossed[count] = first.clamp(0, size[0] as i64) as usize;
                count += 1;
            }
        }
        let [column, end] = [crossed[0].min(crossed[1]), crossed[0].max(crossed[1])];
        if count == 2 && column < end {
            let depth = [slope.at(column as i64 * STEPS + STEPS / 2, y), slope.dx * STEPS as f64];
            let samples = row * size[0] + column..row * size[0] + end;
            found(&Span { samples, row, column, depth, range: slope.range });
        }
    }
}

/// True if a triangle lies to the left or to the right of the picture.
fn is_beside(corners: &[Corner; 3], width: usize) -> bool {
    let end = width as i64 * STEPS;
    corners.iter().all(|corner| corner.x < 0) || corners.iter().all(|corner| corner.x > end)
}

/// Returns the rows that a triangle may cover, as a half-open range.
fn rows(corners: &[Corner; 3], height: usize) -> (usize, usize) {
    let ys = corners.map(|corner| corner.y);
    let [lo, hi] = [ys[0].min(ys[1]).min(ys[2]), ys[0].max(ys[1]).max(ys[2])];
    // The first row with a middle at or below a coordinate.
    let row = |y: i64| (y - STEPS / 2).div_euclid(STEPS) + i64::from((y - STEPS / 2).rem_euclid(STEPS) > 0);
    let clamp = |row: i64| row.clamp(0, height as i64) as usize;
    (clamp(row(lo)), clamp(row(hi)))
}

/// Returns the first sample at or to the right of the crossing of an edge with a row, if they cross. The
/// upper end of an edge belongs to it, the lower end does not.
fn first_sample(from: Corner, to: Corner, y: i64) -> Option<i64> {
    let (from, to) = if from.y <= to.y { (from, to) } else { (to, from) };
    if y < from.y || y >= to.y {
        return None;
    }
    // The least i with i * STEPS + STEPS / 2 >= from.x + (y - from.y) * dx / dy.
    let is_near = [from.x, from.y, to.x, to.y].iter().all(|&c| c.unsigned_abs() < 1 << 29);
    if is_near {
        let (dx, dy) = (to.x - from.x, to.y - from.y);
        let (above, below) = ((from.x - STEPS / 2) * dy + (y - from.y) * dx, STEPS * dy);
        return Some(above.div_euclid(below) + i64::from(above.rem_euclid(below) > 0));
    }
    let wide = |c: i64| i128::from(c);
    let (dx, dy) = (wide(to.x) - wide(from.x), wide(to.y) - wide(from.y));
    let above = (wide(from.x) - wide(STEPS / 2)) * dy + (wide(y) - wide(from.y)) * dx;
    let below = wide(STEPS) * dy;
    let first = above.div_euclid(below) + i128::from(above.rem_euclid(below) > 0);
    Some(first.clamp(wide(i64::MIN), wide(i64::MAX)) as i64)
}

/// The depth of a triangle over the picture.
struct Slope {
    at: [f64; 2],
    depth: f64,
    dx: f64,
    dy: f64,
    range: [f64; 2],
}

impl Slope {
    fn of(corners: &[Corner; 3]) -> Self {
        let [a, b, c] = corners.map(|corner| [corner.x as f64, corner.y as f64, corner.depth]);
        let [u, v] = [b, c].map(|p| [0, 1, 2].map(|k| p[k] - a[k]));
        let area = u[0] * v[1] - u[1] * v[0];
        let (dx, dy) = match area {
            0.0 => (0.0, 0.0),
            _ => ((u[2] * v[1] - u[1] * v[2]) / area, (u[0] * v[2] - u[2] * v[0]) / area),
        };
        let range = [a[2].min(b[2]).min(c[2]), a[2].max(b[2]).max(c[2])];
        Self { at: [a[0], a[1]], depth: a[2], dx, dy, range }
    }

    fn at(&self, x: i64, y: i64) -> f64 {
        self.depth + (x as f64 - self.at[0]) * self.dx + (y as f64 - self.at[1]) * self.dy
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
        let far = 1_i64 << 58;
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
