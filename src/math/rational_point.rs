//! A point with rational coordinates, known exactly and approximately.

use std::cmp::Ordering;

use glam::DVec3;
use num_bigint::BigInt;

use crate::math::Triangle;
use crate::math::grid::{Grid, SMALLEST_DISTANCE, Vector, cross, dot, round_quotient, sign, sub};
use crate::math::predicates::{Projection, Sign};

/// `numerators / scale`, in units of a grid.
#[derive(Clone, Debug)]
pub struct RationalPoint {
    numerators: Vector,
    scale: BigInt,
    grid: Grid,
    rounded: DVec3,
}

impl RationalPoint {
    /// The scale is positive.
    pub fn new(numerators: Vector, scale: BigInt, grid: Grid) -> Self {
        let rounded = numerators.each_ref().map(|x| round_quotient(x, &scale, grid.exponent));
        Self { numerators, scale, grid, rounded: DVec3::from_array(rounded) }
    }

    /// The point and others on one common grid, all multiplied by the point's scale, which comes with it.
    pub fn among<const N: usize>(&self, others: [DVec3; N]) -> ((Vector, &BigInt), [Vector; N], Grid) {
        let finest = Grid::of(&others).exponent.min(self.grid.exponent);
        let grid = Grid { exponent: finest };
        let shift = (self.grid.exponent - finest) as usize;
        let point = self.numerators.each_ref().map(|x| x << shift);
        let others = others.map(|p| grid.vector(p).map(|x| x * &self.scale));
        ((point, &self.scale), others, grid)
    }

    /// The grid that it is a multiple of, divided by its scale.
    pub fn grid(&self) -> Grid {
        self.grid
    }

    /// Numerators on a finer grid without a scale, less than a grid unit towards zero.
    pub fn on_grid(&self, grid: Grid) -> Vector {
        let shift = self.grid.exponent - grid.exponent;
        self.numerators.each_ref().map(|x| (x << shift as usize) / &self.scale)
    }

    /// Correctly rounded.
    pub fn rounded(&self) -> DVec3 {
        self.rounded
    }

    /// How far each coordinate of [`RationalPoint::rounded`] may be off.
    pub fn error(&self) -> f64 {
        // Rounded to nearest: half an EPSILON of each coordinate; below 2^-1000 to 0.
        f64::EPSILON * self.rounded.abs().max_element() + SMALLEST_DISTANCE
    }

    /// Exact side of the point with respect to the directed line `a b` in a projection.
    pub fn turn(&self, projection: Projection, a: DVec3, b: DVec3) -> Sign {
        let ([ax, ay], [bx, by], [px, py]) =
            (projection.of(a), projection.of(b), projection.of(self.rounded));
        let (ux, uy, wx, wy) = (bx - ax, by - ay, px - ax, py - ay);
        let (left, right) = (ux * wy, uy * wx);
        // Each product carries 3 roundings, their difference one more; moving the point moves the rest.
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

    /// Exact side of the point with respect to the plane of a triangle, as
    /// [`super::predicates::orient3d`].
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
        // At most 8 roundings on the way to each term's place in the sum.
        if let Some(certain) = beyond(volume, 8.0 * f64::EPSILON * size + 1.01 * self.error() * reach) {
            return certain;
        }
        let ((p, _), t, _) = self.among(*t);
        let normal = cross(&sub(&t[1], &t[0]), &sub(&t[2], &t[0]));
        sign(&dot(&normal, &sub(&p, &t[0])))
    }
}

/// The sign of a value known to within a bound and what its products lose where they underflow; `None` when
/// it may be either (or a NaN).
fn beyond(value: f64, bound: f64) -> Option<Ordering> {
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

    /// Cutting can bring a point as close to an axis as no input comes.
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
