//! Points on a grid far finer than the input, for depths that f64 cannot resolve.

use std::cmp::Ordering::{self, Greater, Less};

use glam::DVec3;
use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};

use super::spot::Spot;
use crate::bvh::posed_model::PosedModel;
use crate::query::winding::inside;
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::exact::distance::distance_of_point;
use closefit_geometry::exact::point::enclose_point;
use closefit_geometry::math::Triangle;
use closefit_geometry::math::grid::{self, Grid, Vector, cross, dot, round_quotient, round_root, sign, sub};
use closefit_geometry::math::rational_point::RationalPoint;

/// A point on a grid far finer than the input, for depths that f64 cannot resolve.
#[derive(Clone, Debug)]
pub struct Fine {
    point: RationalPoint,
    numerators: Vector,
    grid: Grid,
    /// The number of roundings to the grid, each by less than a grid unit per coordinate.
    steps: i32,
}

/// The refinement of the grid, in bits: its unit is 2^-256 of the last place of the input.
const FINER: i32 = 256;

impl Fine {
    fn new(numerators: Vector, grid: Grid, steps: i32) -> Self {
        Self { point: RationalPoint::new(numerators.clone(), BigInt::one(), grid), numerators, grid, steps }
    }

    fn drift(&self) -> f64 {
        2.0 * f64::from(self.steps) * libm::ldexp(1.0, self.grid.exponent)
    }

    fn common_grid(points: &[Self], other: Grid) -> Grid {
        points.iter().map(|p| p.grid).fold(other, Grid::min)
    }

    fn part_of_the_way(&self, other: &Self, numerator: &BigInt, denominator: &BigInt) -> Self {
        let grid = self.grid.min(other.grid);
        let (from, to) = (self.on(grid), other.on(grid));
        let between = std::array::from_fn(|k| &from[k] + (&to[k] - &from[k]) * numerator / denominator);
        Self::new(between, grid, self.steps.max(other.steps) + 1)
    }

    fn on(&self, grid: Grid) -> Vector {
        self.numerators.each_ref().map(|x| x << (self.grid.exponent - grid.exponent) as usize)
    }
}

impl Spot for Fine {
    type Height = BigInt;

    fn corner(p: DVec3) -> Self {
        let grid = Grid { exponent: Grid::of([&p]).exponent - FINER };
        Self::new(grid.vector(p), grid, 0)
    }

    fn rational(p: &RationalPoint) -> Self {
        let grid = Grid { exponent: p.grid().exponent - FINER };
        Self::new(p.on_grid(grid), grid, 1)
    }

    fn towards(&self, other: &Self, fraction: f64) -> Self {
        // A fraction of at most 1 is an integer over a power of two.
        let grid = Grid::of([&DVec3::splat(fraction)]);
        self.part_of_the_way(other, &grid.integer(fraction), &(BigInt::one() << -grid.exponent))
    }

    // Exact, so the cut lies on the plane up to the grid: an overshoot past an edge by more than a tiny depth
    // would hide that depth.
    fn inward_of(corners: &[Self], t: &Triangle, edge: usize) -> (Vec<BigInt>, f64) {
        let grid = Self::common_grid(corners, Grid::of(t));
        let [from, to, other] = [edge, (edge + 1) % 3, (edge + 2) % 3].map(|k| grid.vector(t[k]));
        let along = sub(&to, &from);
        let inward = cross(&cross(&along, &sub(&other, &from)), &along);
        let heights: Vec<BigInt> = corners.iter().map(|c| dot(&inward, &sub(&c.on(grid), &from))).collect();
        let zero = BigInt::zero();
        let (lo, hi) = heights.iter().fold((&zero, &zero), |(lo, hi), h| (lo.min(h), hi.max(h)));
        let length = dot(&inward, &inward).sqrt().max(BigInt::one());
        let reach = round_quotient(&hi.clone().min(-lo), &length, grid.exponent);
        (heights, reach)
    }

    fn sign(height: &BigInt) -> Ordering {
        grid::sign(height)
    }

    fn between(&self, other: &Self, height: &BigInt, others: &BigInt) -> Self {
        self.part_of_the_way(other, &height.abs(), &(height - others).abs())
    }

    fn rounded(&self) -> DVec3 {
        self.point.rounded()
    }

    fn error(&self) -> f64 {
        2.0 * self.point.error() + self.drift()
    }

    fn blur(&self, _solid: &Aabb) -> f64 {
        0.0
    }

    fn at_most(&self, t: &Triangle, _blur: f64, bound: f64) -> Option<f64> {
        let quick = enclose_point(self.rounded(), t).at_least - self.error();
        // The distance is rounded to nearest, so the next float is an upper bound.
        (quick <= bound).then(|| distance_of_point(&self.point, t).next_up() + self.drift())
    }

    fn at_least(&self, at_most: f64, _blur: f64) -> f64 {
        // Undoes one rounding of the distance, the step to the next float, and two roundings since; 0 stays
        // at most 0.
        (at_most * (1.0 - 4.0 * f64::EPSILON)).next_down() - 2.0 * self.drift()
    }

    fn moved(&self, step: DVec3) -> Self {
        // Truncated to this point's grid, so that its drift does not change.
        let own = Grid::of([&step]);
        let shift = own.exponent - self.grid.exponent;
        let cut = |x: BigInt| if shift < 0 { x >> -shift as usize } else { x << shift as usize };
        let step = own.vector(step).map(cut);
        let moved = std::array::from_fn(|k| &self.numerators[k] + &step[k]);
        Self::new(moved, self.grid, self.steps)
    }

    fn step_to(&self, to: &Self) -> f64 {
        let grid = self.grid.min(to.grid);
        let step = sub(&self.on(grid), &to.on(grid));
        round_root(&dot(&step, &step), &BigInt::one(), grid.exponent).next_up() + self.drift()
    }

    fn is_inside(&self, solid: &PosedModel) -> bool {
        inside(solid, &self.point)
    }

    fn misses(piece: &[Self; 3], t: &Triangle) -> bool {
        let beside = |sides: [Ordering; 3]| sides == [Less; 3] || sides == [Greater; 3];
        if beside(piece.each_ref().map(|spot| spot.point.side(t))) {
            return true;
        }
        let grid = Self::common_grid(piece, Grid::of(t));
        let [p, q, r] = piece.each_ref().map(|spot| spot.on(grid));
        let normal = cross(&sub(&q, &p), &sub(&r, &p));
        beside(t.map(|corner| sign(&dot(&normal, &sub(&grid.vector(corner), &p)))))
    }
}
