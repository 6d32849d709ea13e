//! A point with rational coordinates, known exactly and approximately.

use std::cmp::Ordering;

use glam::DVec3;
use num_bigint::BigInt;

use crate::math::Triangle;
use crate::math::grid::{Grid, SMALLEST_DISTANCE, Vector, cross, dot, round_quotient, sign, sub};
use crate::math::predicates::{Projection, Sign};

/// The point `numerators / scale`, in units of a grid.
#[derive(Clone, Debug)]
pub struct RationalPoint {
    numerators: Vector,
    scale: BigInt,
    grid: Grid,
    rounded: DVec3,
}

impl RationalPoint {
    /// Creates a point. The scale must be positive.
    pub fn new(numerators: Vector, scale: BigInt, grid: Grid) -> Self {
        let rounded = numerators.each_ref().map(|x| round_quotient(x, &scale, grid.exponent));
        Self { numerators, scale, grid, rounded: DVec3::from_array(rounded) }
    }

    /// Returns the point and others on one common grid, all multiplied by the point's scale, which is
    /// returned too.
    pub fn among<const N: usize>(&self, others: [DVec3; N]) -> ((Vector, &BigInt), [Vector; N], Grid) {
        let finest = Grid::of(&others).exponent.min(self.grid.exponent);
        let grid = Grid { exponent: finest };
        let shift = (self.grid.exponent - finest) as usize;
        let point = self.numerators.each_ref().map(|x| x << shift);
        let others = others.map(|p| grid.vector(p).map(|x| x * &self.scale));
        ((point, &self.scale), others, grid)
    }

    /// Returns the grid of the numerators.
    pub fn grid(&self) -> Grid {
        self.grid
    }

    /// Returns the numerators in units of a grid that is as fine or finer, and the scale.
    pub fn in_units_of(&self, grid: Grid) -> (Vector, BigInt) {
        let shift = (self.grid.exponent - grid.exponent) as usize;
        (self.numerators.each_ref().map(|x| x << shift), self.scale.clone())
    }

    /// Returns the coordinates on a finer grid without the scale, truncated towards zero by less than a grid
    /// unit.
    pub fn on_grid(&self, grid: Grid) -> Vector {
        let shift = self.grid.exponent - grid.exponent;
        self.numerators.each_ref().map(|x| (x << shift as usize) / &self.scale)
    }

    /// Returns the correctly rounded point.
    pub fn rounded(&self) -> DVec3 {
        self.rounded
    }

    /// Returns the largest error of a coordinate of [`RationalPoint::rounded`].
    pub fn error(&self) -> f64 {
        // Rounding to nearest loses half an EPSILON of each coordinate; below 2^-1000 it gives 0.
        f64::EPSILON * self.rounded.abs().max_element() + SMALLEST_DISTANCE
    }

    /// Returns the exact side of the point with respect to the directed line `a b` in a projection.
    pub fn turn(&self, projection: Projection, a: DVec3, b: DVec3) -> Sign {
        let ([ax, ay], [bx, by], [px, py]) =
            (projection.of(a), projection.of(b), projection.of(self.rounded));
        let (ux, uy, wx, wy) = (bx - ax, by - ay, px - ax, py - ay);
        let (left, right) = (ux * wy, uy * wx);
        // Each product carries 3 roundings and their difference one more; the last term covers the rounding
        // of the point.
        let bound =
            4.0 * f64::EPSILON * (left.abs() + right.abs()) + 1.01 * self.error() * (ux.abs() + uy.abs());
        if let Some(certain) = beyond(left - right, bound) {
            return certain;
        }
        let ((p, _), [a, b], _) = self.among([a, b]);
        let [along, from] = [sub(&b, &a), sub(&p, &a)];
        let normal = cross(&along, &from);
        sign(&normal[projection as usize])
    }

    /// Returns the exact side of the point with respect to the plane of a triangle, as
    /// [`super::predicates::orient3d`] does.
    pub fn side(&self, t: &Triangle) -> Sign {
        let (u, v, w) = (t[1] - t[0], t[2] - t[0], self.rounded - t[0]);
        let (mut volume, mut size, mut reach) = (0.0, 0.0, 0.0);
        for k in 0..3 {
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            let (left, right) = (u[i] * v[j], u[j] * v[i]);
            volume += (left - right) * w[k];
            let area = left.abs() + right.abs();
            size += area * w[k].abs();
            reach += area;
        }
        // Each term takes at most 8 roundings, including the roundings of the sum.
        if let Some(certain) = beyond(volume, 8.0 * f64::EPSILON * size + 1.01 * self.error() * reach) {
            return certain;
        }
        let ((p, _), t, _) = self.among(*t);
        let normal = cross(&sub(&t[1], &t[0]), &sub(&t[2], &t[0]));
        sign(&dot(&normal, &sub(&p, &t[0])))
    }
}

/// Returns the sign of a value that is known within a bound plus the loss of products that underflow; `None`
/// when the sign is uncertain (or the value is NaN).
pub(crate) fn beyond(value: f64, bound: f64) -> Option<Ordering> {
    let bound = bound + f64::MIN_POSITIVE;
    if value > bound {
        Some(Ordering::Greater)
    } else if value < -bound {
        Some(Ordering::Less)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_traits::One;

    /// Cutting can produce a point closer to an axis than any input point.
    #[test]
    fn a_side_is_exact_where_products_underflow() {
        let power = |e: i32| libm::ldexp(1.0, e);
        let step = power(-52);
        let line = [DVec3::ZERO, DVec3::new(1.0, 1.0 + 2.0 * step, 0.0) * power(-200)];
        // (1.5 - 3 step, 1.5 - 2^-60, 0) times 2^-874: below the line by about 2^-60 of that.
        let one = || BigInt::one();
        let x = (BigInt::from(3) << 199usize) - (BigInt::from(3) << 148usize);
        let y = (BigInt::from(3) << 199usize) - (one() << 140usize);
        let point = RationalPoint::new([x, y, BigInt::ZERO], one(), Grid { exponent: -874 - 200 });
        assert_eq!(point.turn(Projection::Z, line[0], line[1]), Sign::Less);
    }
}
