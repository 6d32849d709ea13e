//! Corners of shared sets: exact points, compared and measured exactly.

use std::cmp::Ordering::{self, Equal};

use glam::DVec3;
use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};

use crate::math::Triangle;
use crate::math::grid::{Grid, Vector, cross, dot, round_quotient, round_root, sign, sub};
use crate::math::predicates::{Projection, Sign, orient2d, projection_of};
use crate::math::rational_point::{RationalPoint, beyond};

/// An exact point and the nearest one in f64.
#[derive(Clone, Debug)]
pub struct SharedPoint {
    rounded: DVec3,
    /// The exact point; `None` if it is the rounded one.
    exact: Option<Box<RationalPoint>>,
}

impl SharedPoint {
    /// Creates a point whose coordinates are f64.
    pub fn at(p: DVec3) -> Self {
        // 0 is never negative.
        Self { rounded: p + DVec3::ZERO, exact: None }
    }

    /// Creates the point of height 0 on the way between two points on a grid, whose heights have opposite
    /// signs.
    pub(super) fn between([p, q]: [&Vector; 2], [h, g]: [&BigInt; 2], grid: Grid) -> Self {
        let scale = h - g;
        let numerators: Vector = std::array::from_fn(|k| &q[k] * h - &p[k] * g);
        Self::from(if scale.is_negative() {
            RationalPoint::new(numerators.map(|x| -x), -scale, grid)
        } else {
            RationalPoint::new(numerators, scale, grid)
        })
    }

    /// Returns the point, each coordinate rounded once; 0 below 2^-1000.
    pub fn rounded(&self) -> DVec3 {
        self.rounded
    }

    /// Compares the exact coordinates, x first.
    pub fn compare(&self, other: &Self) -> Ordering {
        let in_axis = |k: usize| {
            // Rounding keeps the order.
            let order = self.rounded[k].total_cmp(&other.rounded[k]);
            if order.is_ne() || (self.exact.is_none() && other.exact.is_none()) {
                return order;
            }
            let [(p, p_scale), (q, q_scale)] = on_one_grid([self, other]).0;
            (&p[k] * q_scale).cmp(&(&q[k] * p_scale))
        };
        (0..3).map(in_axis).find(|order| order.is_ne()).unwrap_or(Equal)
    }

    /// Returns the distance to another point, correctly rounded; at least 2^-1000 unless it is 0.
    pub fn distance(&self, other: &Self) -> f64 {
        let ([(p, p_scale), (q, q_scale)], grid) = on_one_grid([self, other]);
        let between: Vector = std::array::from_fn(|k| &p[k] * &q_scale - &q[k] * &p_scale);
        let scale = p_scale * q_scale;
        round_root(&dot(&between, &between), &(&scale * &scale), grid.exponent)
    }

    fn error(&self) -> f64 {
        self.exact.as_ref().map_or(0.0, |exact| exact.error())
    }

    fn grid(&self) -> Grid {
        self.exact.as_ref().map_or_else(|| Grid::of([&self.rounded]), |exact| exact.grid())
    }
}

impl From<RationalPoint> for SharedPoint {
    fn from(exact: RationalPoint) -> Self {
        Self { rounded: exact.rounded(), exact: Some(Box::new(exact)) }
    }
}

/// Returns points as integers and their denominators, in units of one grid.
fn on_one_grid<const N: usize>(points: [&SharedPoint; N]) -> ([(Vector, BigInt); N], Grid) {
    let finest = points.iter().map(|p| p.grid()).min().unwrap_or(Grid { exponent: 0 });
    let of = |p: &SharedPoint| match &p.exact {
        Some(exact) => exact.in_units_of(finest),
        None => (finest.vector(p.rounded), BigInt::one()),
    };
    (points.map(of), finest)
}

/// Returns the determinant of three points in a projection, over the product of their denominators and in
/// units of a grid, squared: twice the area that they span there.
fn spanned(projection: Projection, points: [&SharedPoint; 3]) -> (BigInt, BigInt, Grid) {
    let ([(p, p_scale), (q, q_scale), (r, r_scale)], grid) = on_one_grid(points);
    let from =
        |x: &Vector, scale: &BigInt| -> Vector { std::array::from_fn(|k| &x[k] * &p_scale - &p[k] * scale) };
    let (u, v) = (from(&q, &q_scale), from(&r, &r_scale));
    let doubled = cross(&u, &v)[projection as usize].clone();
    // Both vectors are over the first denominator and their own.
    let scale = &p_scale * &p_scale * q_scale * r_scale;
    (doubled, scale, grid)
}

/// Returns the turn of three points in a projection: greater if it is counterclockwise. Exact.
pub fn turn(projection: Projection, points: [&SharedPoint; 3]) -> Sign {
    let [a, b, c] = points.map(|p| projection.of(p.rounded));
    if points.iter().all(|p| p.exact.is_none()) {
        return orient2d(a, b, c);
    }
    let ([ux, uy], [wx, wy]) = ([b[0] - a[0], b[1] - a[1]], [c[0] - a[0], c[1] - a[1]]);
    let (left, right) = (ux * wy, uy * wx);
    // Each product carries 3 roundings and their difference one more. Each difference of coordinates is
    // off by twice the largest error of a point, and so each product by that times the other factor, and
    // by its square.
    let error = 2.0 * points.iter().map(|p| p.error()).fold(0.0, f64::max);
    let bound = 4.0 * f64::EPSILON * (left.abs() + right.abs())
        + 1.01 * error * (ux.abs() + uy.abs() + wx.abs() + wy.abs() + 2.0 * error);
    beyond(left - right, bound).unwrap_or_else(|| sign(&spanned(projection, points).0))
}

/// True when three points lie on one line. Exact.
pub fn in_line(points: [&SharedPoint; 3]) -> bool {
    Projection::ALL.iter().all(|projection| turn(*projection, points).is_eq())
}

/// Returns the area of a convex polygon in the plane of a triangle, to within a few roundings.
pub fn area(corners: &[SharedPoint], plane: &Triangle) -> f64 {
    let Some(projection) = projection_of(plane[0], plane[1], plane[2]) else { return 0.0 };
    let normal = exact_normal(plane);
    let seen = &normal[projection as usize];
    let stretch = round_root(&dot(&normal, &normal), &(seen * seen), 0);
    // All triangles of the fan turn the same way, so nothing cancels.
    let fan = corners.windows(2).skip(1).map(|pair| {
        let (doubled, scale, grid) = spanned(projection, [&corners[0], &pair[0], &pair[1]]);
        round_quotient(&doubled.abs(), &scale, 2 * grid.exponent)
    });
    0.5 * stretch * fan.sum::<f64>()
}

/// Returns the unit normal of a triangle, to within a few roundings; zero if it has no area.
pub fn unit_normal(t: &Triangle) -> DVec3 {
    let normal = exact_normal(t);
    let largest = normal.iter().map(|x| x.abs()).max().unwrap_or_default();
    if largest.is_zero() {
        return DVec3::ZERO;
    }
    DVec3::from_array(normal.map(|x| round_quotient(&x, &largest, 0))).normalize()
}

/// Returns the normal of a triangle, in squared units of a grid.
fn exact_normal(t: &Triangle) -> Vector {
    let grid = Grid::of(t);
    let [p, q, r] = t.map(|p| grid.vector(p));
    cross(&sub(&q, &p), &sub(&r, &p))
}
