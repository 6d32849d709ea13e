//! The two kinds of points that the depth search computes with.

use std::cmp::Ordering::{self, Greater, Less};

use glam::DVec3;
use num_bigint::BigInt;
use num_traits::One;

use crate::hierarchy::body::Body;
use crate::math::Triangle;
use crate::math::exact::{Grid, Vector, cross, dot, round_root, sign, sub};
use crate::math::rational_point::RationalPoint;
use crate::settle::contact::triangles_meet;
use crate::settle::distance::{Enclosure, distance_of_point, enclose_point};
use crate::settle::winding::{Origin, winding_number};

/// A point of a patch, known to within some drift.
pub trait Spot: Clone {
    /// A surface triangle's corner, exactly.
    fn corner(p: DVec3) -> Self;
    /// A rational point, as well as this kind of point allows.
    fn rational(p: &RationalPoint) -> Self;
    /// The point at a fraction of the way to another.
    fn towards(&self, other: &Self, fraction: f64) -> Self;
    /// Nearest f64.
    fn rounded(&self) -> DVec3;
    /// How far [`Spot::rounded`] may be off, in length.
    fn error(&self) -> f64;
    /// Certain bounds of the distance from a triangle.
    fn enclose(&self, t: &Triangle) -> Enclosure;
    /// The point moved by a step.
    fn moved(&self, step: DVec3) -> Self;
    /// No point within this one's drift is farther from where `to` is now; a step of [`Spot::moved`].
    fn step_to(&self, to: &Self) -> f64;
    /// Inside the solid's closed components, where it is now, whatever its drift.
    fn is_inside(&self, solid: &Body) -> bool;
    /// True only if the triangle of these points certainly has no point in common with another.
    fn misses(piece: &[Self; 3], t: &Triangle) -> bool;
    /// [`Spot::enclose`], unless the distance certainly exceeds `bound`.
    fn enclose_within(&self, t: &Triangle, bound: f64) -> Option<Enclosure>;
}

/// For points that are not on the solid's surface.
pub fn inside(solid: &Body, point: &impl Origin) -> bool {
    winding_number(solid, point, |t| solid.is_closed(t)).is_some_and(|winding| winding != 0)
}

/// A point in f64 whose drift is bounded as it goes.
#[derive(Clone, Copy, Debug)]
pub struct Rounded {
    p: DVec3,
    drift: f64,
}

/// One rounding of each coordinate moves a point no farther.
fn ulp(p: DVec3) -> f64 {
    f64::EPSILON * p.abs().max_element()
}

impl Spot for Rounded {
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

    fn rounded(&self) -> DVec3 {
        self.p
    }

    fn error(&self) -> f64 {
        self.drift
    }

    fn enclose(&self, t: &Triangle) -> Enclosure {
        let Enclosure { at_least, at_most } = enclose_point(self.p, t);
        Enclosure { at_least: at_least - self.drift, at_most: at_most + self.drift }
    }

    fn moved(&self, step: DVec3) -> Self {
        Self { p: self.p + step, drift: self.drift }
    }

    fn step_to(&self, to: &Self) -> f64 {
        // The distance is rounded four times.
        self.p.distance(to.p) * (1.0 + 4.0 * f64::EPSILON) + self.drift
    }

    fn is_inside(&self, solid: &Body) -> bool {
        inside(solid, &self.p)
    }

    fn misses(piece: &[Self; 3], t: &Triangle) -> bool {
        !triangles_meet(&piece.map(|spot| spot.p), t)
    }

    fn enclose_within(&self, t: &Triangle, _bound: f64) -> Option<Enclosure> {
        Some(self.enclose(t))
    }
}

/// A point on a grid far finer than the input, for depths that f64 cannot resolve.
#[derive(Clone, Debug)]
pub struct Fine {
    point: RationalPoint,
    numerators: Vector,
    grid: Grid,
    /// How often it was rounded to the grid: by less than a grid unit per coordinate each time.
    steps: i32,
}

/// How much finer: 2^-256 of the last place of the input.
const FINER: i32 = 256;

impl Fine {
    fn new(numerators: Vector, grid: Grid, steps: i32) -> Self {
        Self { point: RationalPoint::new(numerators.clone(), BigInt::one(), grid), numerators, grid, steps }
    }

    fn drift(&self) -> f64 {
        2.0 * f64::from(self.steps) * libm::ldexp(1.0, self.grid.exponent)
    }

    fn on(&self, grid: Grid) -> Vector {
        self.numerators.each_ref().map(|x| x << (self.grid.exponent - grid.exponent) as usize)
    }
}

impl Spot for Fine {
    fn corner(p: DVec3) -> Self {
        let grid = Grid { exponent: Grid::of([&p]).exponent - FINER };
        Self::new(grid.vector(p), grid, 0)
    }

    fn rational(p: &RationalPoint) -> Self {
        let grid = Grid { exponent: p.grid().exponent - FINER };
        Self::new(p.on_grid(grid), grid, 1)
    }

    fn towards(&self, other: &Self, fraction: f64) -> Self {
        // Any point between will do, so the fraction may be cut to 32 bits.
        let parts = BigInt::from((fraction * f64::from(1u32 << 31)) as u32);
        let grid = Grid { exponent: self.grid.exponent.min(other.grid.exponent) };
        let (from, to) = (self.on(grid), other.on(grid));
        let between = std::array::from_fn(|k| &from[k] + (((&to[k] - &from[k]) * &parts) >> 31));
        Self::new(between, grid, self.steps.max(other.steps) + 1)
    }

    fn rounded(&self) -> DVec3 {
        self.point.rounded()
    }

    fn error(&self) -> f64 {
        2.0 * self.point.error() + self.drift()
    }

    fn enclose(&self, t: &Triangle) -> Enclosure {
        // Rounded to nearest, so within the neighbours.
        let distance = distance_of_point(&self.point, t);
        let drift = self.drift();
        Enclosure { at_least: distance.next_down() - drift, at_most: distance.next_up() + drift }
    }

    fn moved(&self, step: DVec3) -> Self {
        // Cut to this point's grid, so that its drift stays what it is.
        let own = Grid::of([&step]);
        let shift = own.exponent - self.grid.exponent;
        let cut = |x: BigInt| if shift < 0 { x >> -shift as usize } else { x << shift as usize };
        let step = own.vector(step).map(cut);
        let moved = std::array::from_fn(|k| &self.numerators[k] + &step[k]);
        Self::new(moved, self.grid, self.steps)
    }

    fn step_to(&self, to: &Self) -> f64 {
        let grid = Grid { exponent: self.grid.exponent.min(to.grid.exponent) };
        let step = sub(&self.on(grid), &to.on(grid));
        round_root(&dot(&step, &step), &BigInt::one(), grid.exponent).next_up() + self.drift()
    }

    fn is_inside(&self, solid: &Body) -> bool {
        inside(solid, &self.point)
    }

    fn misses(piece: &[Self; 3], t: &Triangle) -> bool {
        let beside = |sides: [Ordering; 3]| sides == [Less; 3] || sides == [Greater; 3];
        if beside(piece.each_ref().map(|spot| spot.point.side(t))) {
            return true;
        }
        let exponents = piece.each_ref().map(|spot| spot.grid.exponent);
        let exponent = exponents.into_iter().fold(Grid::of(t).exponent, i32::min);
        let grid = Grid { exponent };
        let [p, q, r] = piece.each_ref().map(|spot| spot.on(grid));
        let normal = cross(&sub(&q, &p), &sub(&r, &p));
        beside(t.map(|corner| sign(&dot(&normal, &sub(&grid.vector(corner), &p)))))
    }

    fn enclose_within(&self, t: &Triangle, bound: f64) -> Option<Enclosure> {
        let quick = enclose_point(self.rounded(), t).at_least - self.error();
        (quick <= bound).then(|| self.enclose(t))
    }
}
