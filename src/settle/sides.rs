//! Sides of points with respect to a plane, exactly; cheap also where they lie on it, as those of mating
//! faces do.
//!
//! The static filter is Shewchuk's ("Adaptive precision floating-point arithmetic and fast robust geometric
//! predicates", 1997, section 4.3). What it leaves is mostly zero: corners in common and coordinates of few
//! bits are decided by exact arguments, near misses by double-double arithmetic, the rest by expansions.

use std::cmp::Ordering::Equal;

use glam::{DVec3, Vec3Swizzles};

use crate::math::Triangle;
use crate::math::double_double::{self, Vector, cross, difference, dot, rounded};
use crate::math::error_bounds::{VOLUME, VOLUME_DOUBLE_DOUBLE};
use crate::math::predicates::{self, Sign};

/// Sides of three points with respect to the plane of a triangle, each as [`predicates::orient3d`].
pub fn sides(points: &Triangle, plane: &Triangle) -> [Sign; 3] {
    let filter = Filter::of(plane);
    points.map(|p| filter.side(p).unwrap_or_else(|| unfiltered(plane, p)))
}

/// [`predicates::orient3d`].
pub fn side(a: DVec3, b: DVec3, c: DVec3, d: DVec3) -> Sign {
    let plane = [a, b, c];
    Filter::of(&plane).side(d).unwrap_or_else(|| unfiltered(&plane, d))
}

/// A plane in f64.
struct Filter {
    origin: DVec3,
    normal: DVec3,
    /// The normal with every product taken by its size.
    size: DVec3,
}

impl Filter {
    fn of(plane: &Triangle) -> Self {
        let (u, v) = (plane[1] - plane[0], plane[2] - plane[0]);
        let (left, right) = (u.yzx() * v.zxy(), u.zxy() * v.yzx());
        Self { origin: plane[0], normal: left - right, size: left.abs() + right.abs() }
    }

    /// `None` where rounding may decide.
    fn side(&self, p: DVec3) -> Option<Sign> {
        let from = p - self.origin;
        let (volume, size) = (self.normal.dot(from), self.size.dot(from.abs()));
        // Nothing underflows: where the size is 0, every product has a factor of 0.
        (volume.abs() > VOLUME * size || size == 0.0).then(|| sign(volume))
    }
}

/// What the filter leaves.
#[cold]
fn unfiltered(plane: &Triangle, p: DVec3) -> Sign {
    if p == plane[1] || p == plane[2] || plane[1] == plane[2] {
        return Equal;
    }
    let edges = [plane[1], plane[2], p].map(|q| difference(q, plane[0]));
    in_whole_numbers(&edges)
        .or_else(|| in_double_double(&edges))
        .unwrap_or_else(|| predicates::orient3d(plane[0], plane[1], plane[2], p))
}

/// The sign of a determinant whose entries are multiples, below 2^40, of one power of two.
fn in_whole_numbers(rows: &[Vector; 3]) -> Option<Sign> {
    let reach = rows.iter().fold(0.0f64, |r, row| r.max(rounded(row).abs().max_element()));
    let unit = double_double::power_of_two_below(reach) / (1u64 << 39) as f64;
    let mut whole = [[0i128; 3]; 3];
    for (row, whole) in rows.iter().zip(&mut whole) {
        for (x, whole) in row.iter().zip(whole) {
            let units = x.high / unit;
            let truncated = units as i64;
            if x.low != 0.0 || truncated as f64 != units {
                return None;
            }
            *whole = i128::from(truncated);
        }
    }
    // Below 2^40 each, 2^81 for a minor, 2^123 in all.
    let [u, v, w] = whole;
    let term = |i: usize, j: usize, k: usize| (u[i] * v[j] - u[j] * v[i]) * w[k];
    Some((term(1, 2, 0) + term(2, 0, 1) + term(0, 1, 2)).cmp(&0))
}

/// The sign of a determinant, unless it is next to 0.
fn in_double_double([u, v, w]: &[Vector; 3]) -> Option<Sign> {
    let volume = dot(&cross(u, v), w).high;
    let [a, b, c] = [u, v, w].map(|row| rounded(row).abs());
    let size = (a.yzx() * b.zxy() + a.zxy() * b.yzx()).dot(c);
    (volume.abs() > VOLUME_DOUBLE_DOUBLE * size).then(|| sign(volume))
}

fn sign(x: f64) -> Sign {
    // + 0 turns -0 into 0.
    (x + 0.0).total_cmp(&0.0)
}
