//! Polygons of files, cut into triangles on their own corners.
//!
//! A polygon becomes the fan from its first corner unless a triangle of that fan has a normal against the
//! polygon's (the sum of the fan's normals, which is Newell's). It is then projected along the coordinate in
//! which its normal is largest, the first of several, and its ears are clipped (`ears`).
//!
//! All signs are exact. The triangles of either way add up to the polygon, so where none of them is reversed,
//! they cover each point as often as the polygon goes round it: once inside, unless it crosses itself.

mod corner_tree;
mod ears;

use std::cell::OnceCell;
use std::cmp::Ordering;

use glam::DVec3;
use num_bigint::BigInt;

use crate::ids::to_u32;
use crate::math::error_bounds::UNIT;
use crate::math::grid::{Grid, Vector, cross, dot, sign, sub};
use crate::math::pose::{LARGEST, SMALLEST};
use crate::math::predicates::{Projection, Sign, collinear, orient2d};
pub use ears::TooMuchWork;

/// The triangles of a polygon, and what is odd about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut {
    /// Two triangles less than corners, each with its corners in the polygon's order, by their places in it.
    pub triangles: Vec<[u32; 3]>,
    /// False if the fan was kept although it is wrong, or if the polygon has no area.
    pub is_right: bool,
}

/// Cuts a polygon of at least three corners, with finite coordinates, into triangles.
///
/// # Errors
/// [`TooMuchWork`] for a polygon of very many corners in an order that nothing natural has.
pub fn cut(corners: &[DVec3]) -> Result<Cut, TooMuchWork> {
    let polygon = Polygon::new(corners);
    let fan = || (1..to_u32(corners.len()) - 1).map(|i| [0, i, i + 1]).collect();
    if corners.len() == 3 {
        return Ok(Cut { triangles: fan(), is_right: true });
    }
    if !(1..corners.len() - 1).any(|i| polygon.is_against(i)) {
        return Ok(Cut { triangles: fan(), is_right: polygon.has_area() });
    }
    let triangles = match polygon.flat() {
        None => None,
        Some(flat) => ears::clip(&flat)?,
    };
    Ok(Cut { is_right: triangles.is_some(), triangles: triangles.unwrap_or_else(fan) })
}

/// True if a corner of a polygon lies farther than a thousandth of the diagonal of its box from its plane:
/// the one with Newell's normal through the mean of its corners, in f64.
pub fn is_warped(corners: &[DVec3]) -> bool {
    let normal = fan_normals(corners).fold(DVec3::ZERO, |sum, (normal, _)| sum + normal);
    let relative = || corners.iter().map(|&corner| corner - corners[0]);
    let mean = relative().sum::<DVec3>() / corners.len() as f64;
    let [low, high] =
        relative().fold([DVec3::ZERO; 2], |[low, high], corner| [low.min(corner), high.max(corner)]);
    let most = 1e-3 * (high - low).length() * normal.length();
    relative().any(|corner| normal.dot(corner - mean).abs() > most)
}

/// Returns the normal of each triangle of the fan, of twice its area, with the sums of the magnitudes of its
/// products.
fn fan_normals(corners: &[DVec3]) -> impl Iterator<Item = (DVec3, DVec3)> + '_ {
    corners[1..].windows(2).map(|pair| {
        let [d, e] = [pair[0] - corners[0], pair[1] - corners[0]];
        let (p, q) = (d.abs(), e.abs());
        let products = DVec3::new(p.y * q.z + p.z * q.y, p.z * q.x + p.x * q.z, p.x * q.y + p.y * q.x);
        (d.cross(e), products)
    })
}

/// A polygon and its normal.
struct Polygon<'a> {
    corners: &'a [DVec3],
    /// True if all coordinates are such that predicates in floats are exact.
    is_in_range: bool,
    /// The normal in f64, and the magnitudes that bound its error.
    normal: [DVec3; 2],
    exact: OnceCell<ExactNormal>,
}

/// Twice the area of a polygon along each axis, in units of a grid.
struct ExactNormal {
    grid: Grid,
    first: Vector,
    normal: Vector,
}

impl<'a> Polygon<'a> {
    fn new(corners: &'a [DVec3]) -> Self {
        let is_in_range = corners
            .iter()
            .flat_map(|corner| corner.to_array())
            .all(|x| x == 0.0 || (SMALLEST..=LARGEST).contains(&x.abs()));
        let add = |[sum, most]: [DVec3; 2], (normal, products)| [sum + normal, most + products];
        let normal = fan_normals(corners).fold([DVec3::ZERO; 2], add);
        Self { corners, is_in_range, normal, exact: OnceCell::new() }
    }

    /// True if the triangle of the first corner, corner `i` and the next has a normal against the polygon's.
    ///
    /// With `u` the unit of rounding, a coordinate of a normal takes three roundings for each product of
    /// differences and one for their difference, so it is off by at most 5 u of its products `m`. The sum
    /// over `n` triangles of the coordinates, which is at most the sum `M` of all products, adds `n u M`. The
    /// product of both normals, with three roundings of its own, is thus off by at most `(n + 13) u m.M`, and
    /// by less than `(n + 32) u m.M` with what is of higher order. Coordinates in range are multiples of
    /// 2^-252, so `m.M` is 0 or at least 2^-1008. Compared with its share, what underflows, at most 2^-1071,
    /// is nothing.
    fn is_against(&self, i: usize) -> bool {
        let of_triangle = [self.corners[0], self.corners[i], self.corners[i + 1]];
        if self.is_in_range {
            let (normal, products) = fan_normals(&of_triangle).next().expect("three corners");
            let [sum, most] = self.normal;
            let along = normal.dot(sum);
            let off = (self.corners.len() as f64 + 32.0) * UNIT * products.dot(most);
            if along.abs() > off {
                return along < 0.0;
            }
            let [a, b, c] = of_triangle;
            if collinear(a, b, c) {
                return false;
            }
        }
        let ExactNormal { grid, first, normal } = self.exact();
        let [d, e] = [i, i + 1].map(|k| sub(&grid.vector(self.corners[k]), first));
        sign(&dot(&cross(&d, &e), normal)).is_lt()
    }

    /// True unless the polygon's normal is 0.
    fn has_area(&self) -> bool {
        let [sum, most] = self.normal;
        let off = (self.corners.len() as f64 + 32.0) * UNIT;
        let is_sure = self.is_in_range && (0..3).any(|k| sum[k].abs() > off * most[k]);
        is_sure || self.exact().normal.iter().any(|x| sign(x).is_ne())
    }

    fn exact(&self) -> &ExactNormal {
        self.exact.get_or_init(|| {
            let grid = Grid::of(self.corners);
            let first = grid.vector(self.corners[0]);
            let arms = self.corners[1..].iter().map(|&corner| sub(&grid.vector(corner), &first));
            let (mut normal, mut before) = (Vector::default(), None);
            for arm in arms {
                if let Some(before) = before.replace(arm.clone()) {
                    normal.iter_mut().zip(cross(&before, &arm)).for_each(|(sum, x)| *sum += x);
                }
            }
            ExactNormal { grid, first, normal }
        })
    }

    /// Returns the polygon along the coordinate in which its normal is largest, counterclockwise; `None` if
    /// it has no area.
    fn flat(&self) -> Option<Flat> {
        let normal = &self.exact().normal;
        let larger = |best: usize, k: usize| {
            if normal[k].magnitude() > normal[best].magnitude() { k } else { best }
        };
        let largest = (1..3).fold(0, larger);
        let projection = Projection::ALL[largest];
        let points = self.corners.iter().map(|&corner| projection.of(corner));
        let points = match sign(&normal[largest]) {
            Ordering::Equal => return None,
            Ordering::Greater => points.collect(),
            Ordering::Less => points.map(|[x, y]| [y, x]).collect(),
        };
        Some(Flat { points, is_in_range: self.is_in_range })
    }
}

/// A polygon in the plane.
struct Flat {
    points: Vec<[f64; 2]>,
    is_in_range: bool,
}

impl Flat {
    /// Returns the sign of the area of three points: greater when they turn counterclockwise.
    fn turn(&self, a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> Sign {
        if self.is_in_range {
            return orient2d(a, b, c);
        }
        let points = [a, b, c].map(|[x, y]| DVec3::new(x, y, 0.0));
        let grid = Grid::of(&points);
        let [a, b, c] = points.map(|point| grid.vector(point));
        let [_, _, area]: [BigInt; 3] = cross(&sub(&b, &a), &sub(&c, &a));
        sign(&area)
    }
}

#[cfg(test)]
mod tests;
