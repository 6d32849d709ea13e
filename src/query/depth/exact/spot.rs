//! Points used by the exact search: the trait, and points in f64. Points on a finer grid are in `fine`.

use std::cmp::Ordering;

use glam::DVec3;
use num_bigint::BigInt;
use num_traits::One;

use crate::bvh::posed_model::PosedModel;
use crate::query::winding::inside;
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::exact::contact::triangles_meet;
use closefit_geometry::exact::distance::distance_of_point;
use closefit_geometry::exact::point::enclose_point;
use closefit_geometry::math::Triangle;
use closefit_geometry::math::grid::Grid;
use closefit_geometry::math::pose::{SMALLEST, flush_tiny};
use closefit_geometry::math::rational_point::RationalPoint;

/// A point of a patch, known to within its drift.
pub trait Spot: Clone {
    /// A signed height above a plane, in a unit that depends on the plane.
    type Height;
    /// A corner of a surface triangle, exact.
    fn corner(p: DVec3) -> Self;
    /// A rational point, as precisely as this kind of point allows.
    fn rational(p: &RationalPoint) -> Self;
    /// Returns the point at a fraction of the way to another.
    fn towards(&self, other: &Self, fraction: f64) -> Self;
    /// Returns heights of corners above the plane that is perpendicular to a triangle along an edge, positive
    /// on the triangle's side; and approximately how far they reach on both sides.
    fn inward_of(corners: &[Self], t: &Triangle, edge: usize) -> (Vec<Self::Height>, f64);
    /// Returns the sign of a height.
    fn sign(height: &Self::Height) -> Ordering;
    /// Returns the point of height 0 on the way to another. The heights of the two have opposite signs.
    fn between(&self, other: &Self, height: &Self::Height, others: &Self::Height) -> Self;
    /// Returns the nearest point in f64.
    fn rounded(&self) -> DVec3;
    /// Returns a bound of the error of [`Spot::rounded`], as a length.
    fn error(&self) -> f64;
    /// Returns a bound of the error, beside the drift, of upper bounds of the distance from triangles in a
    /// solid's box.
    fn blur(&self, solid: &Aabb) -> f64;
    /// Returns an upper bound of the distance from a triangle, a function of the point, the triangle and the
    /// blur alone. `None` only if the distance certainly exceeds `bound`.
    fn at_most(&self, t: &Triangle, blur: f64, bound: f64) -> Option<f64>;
    /// Returns the lower bound of the distance that follows from [`Spot::at_most`] for a triangle. If that is
    /// the smallest over all triangles, the result bounds the distance to all of them.
    fn at_least(&self, at_most: f64, blur: f64) -> f64;
    /// Returns the point moved by a step.
    fn moved(&self, step: DVec3) -> Self;
    /// Returns a bound of the distance to `to`, a step of [`Spot::moved`], from any point within this one's
    /// drift.
    fn step_to(&self, to: &Self) -> f64;
    /// True when the point as computed, regardless of its drift, lies inside the solid's closed components.
    fn is_inside(&self, solid: &PosedModel) -> bool;
    /// True only if the triangle of these points certainly has no point in common with the other.
    fn misses(piece: &[Self; 3], t: &Triangle) -> bool;
}

/// The blur of a point in f64, per unit of the largest coordinate of the solid's box relative to the point.
/// No coordinate of the solid's triangles relative to the point is larger. Half of it covers the width that
/// [`enclose_point`] leaves when tight, 96 EPSILON at most; the rest is far more than the roundings of
/// [`Spot::at_most`] and [`Spot::at_least`].
pub const BLUR: f64 = 256.0 * f64::EPSILON;

/// A point in f64 with a running bound of its drift.
#[derive(Clone, Copy, Debug)]
pub struct Rounded {
    p: DVec3,
    drift: f64,
}

/// Returns a bound of how far a point moves when each coordinate is rounded once.
fn ulp(p: DVec3) -> f64 {
    f64::EPSILON * p.abs().max_element()
}

impl Rounded {
    /// Returns the point halfway to another, in the range in which the predicates are exact.
    pub fn halfway(&self, other: &Self) -> Self {
        let middle = self.towards(other, 0.5);
        // What is flushed to 0 is a step of less than twice SMALLEST.
        Self { p: flush_tiny(middle.p), drift: middle.drift + 2.0 * SMALLEST }
    }
}

impl Spot for Rounded {
    type Height = f64;

    fn corner(p: DVec3) -> Self {
        Self { p, drift: 0.0 }
    }

    fn rational(p: &RationalPoint) -> Self {
        Self { p: p.rounded(), drift: 2.0 * p.error() }
    }

    fn towards(&self, other: &Self, fraction: f64) -> Self {
        // Difference, product and sum: three roundings of numbers no larger than twice the points.
        let drift = self.drift.max(other.drift) + 4.0 * (ulp(self.p) + ulp(other.p));
        Self { p: self.p + (other.p - self.p) * fraction, drift }
    }

    fn inward_of(corners: &[Self], t: &Triangle, edge: usize) -> (Vec<f64>, f64) {
        let normal = (t[1] - t[0]).cross(t[2] - t[0]).normalize_or_zero();
        let inward = normal.cross((t[(edge + 1) % 3] - t[edge]).normalize_or_zero());
        let heights: Vec<f64> = corners.iter().map(|c| inward.dot(c.p - t[edge])).collect();
        let (lo, hi) = heights.iter().fold((0.0f64, 0.0f64), |(lo, hi), &h| (lo.min(h), hi.max(h)));
        (heights, hi.min(-lo))
    }

    fn sign(height: &f64) -> Ordering {
        // The sign of a zero is no side, and neither is NaN.
        height.partial_cmp(&0.0).unwrap_or(Ordering::Equal)
    }

    fn between(&self, other: &Self, height: &f64, others: &f64) -> Self {
        self.towards(other, height / (height - others))
    }

    fn rounded(&self) -> DVec3 {
        self.p
    }

    fn error(&self) -> f64 {
        self.drift
    }

    fn blur(&self, solid: &Aabb) -> f64 {
        BLUR * (self.p - solid.lo).abs().max((solid.hi - self.p).abs()).max_element()
    }

    fn at_most(&self, t: &Triangle, blur: f64, bound: f64) -> Option<f64> {
        let quick = enclose_point(self.p, t);
        if quick.at_least > bound {
            return None;
        }
        let is_tight = quick.at_most - quick.at_least <= 0.5 * blur;
        let at_most = if is_tight { quick.at_most } else { exact_distance(self.p, t).next_up() };
        Some(at_most + self.drift)
    }

    fn at_least(&self, at_most: f64, blur: f64) -> f64 {
        at_most - blur - 2.0 * self.drift
    }

    fn moved(&self, step: DVec3) -> Self {
        // Flushed to the range in which the predicates are exact.
        Self { p: flush_tiny(self.p + step), drift: self.drift }
    }

    fn step_to(&self, to: &Self) -> f64 {
        // The distance is rounded four times.
        self.p.distance(to.p) * (1.0 + 4.0 * f64::EPSILON) + self.drift
    }

    fn is_inside(&self, solid: &PosedModel) -> bool {
        inside(solid, &self.p)
    }

    fn misses(piece: &[Self; 3], t: &Triangle) -> bool {
        !triangles_meet(&piece.map(|spot| spot.p), t)
    }
}

fn exact_distance(p: DVec3, t: &Triangle) -> f64 {
    let grid = Grid::of([&p]);
    distance_of_point(&RationalPoint::new(grid.vector(p), BigInt::one(), grid), t)
}
