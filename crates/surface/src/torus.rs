//! Tori.

use std::f64::consts::TAU;

use super::{Implicit, Surface, SurfaceError, radius};
use closefit_geometry::math::interval::{Interval, IntervalVec3};

/// A torus, a circle swept about the z axis: `((R + r cos v) cos u, (R + r cos v) sin u, r sin v)`, or the
/// points at which `(sqrt(x^2 + y^2) - R)^2 + z^2 = r^2`. With `r > R` it intersects itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Torus {
    major: f64,
    minor: f64,
}

impl Torus {
    /// Creates a torus from the radii R of the core and r of the tube.
    ///
    /// # Errors
    /// [`SurfaceError::Radius`].
    pub fn new(major: f64, minor: f64) -> Result<Self, SurfaceError> {
        Ok(Self { major: radius(major)?, minor: radius(minor)? })
    }

    fn radii(&self) -> [Interval; 2] {
        [self.major, self.minor].map(Interval::point)
    }
}

/// A full turn, rounded up because 2 pi is not an f64.
pub(super) const TURN: Interval = Interval { lo: 0.0, hi: TAU.next_up() };

impl Surface for Torus {
    fn domain(&self) -> [Interval; 2] {
        [TURN; 2]
    }

    fn place(&self, [u, v]: [Interval; 2]) -> IntervalVec3 {
        let [major, minor] = self.radii();
        let out = major + minor * v.cos();
        IntervalVec3([out * u.cos(), out * u.sin(), minor * v.sin()])
    }

    fn tangents(&self, [u, v]: [Interval; 2]) -> [IntervalVec3; 2] {
        let [major, minor] = self.radii();
        let out = major + minor * v.cos();
        let inwards = -(minor * v.sin());
        [
            IntervalVec3([-(out * u.sin()), out * u.cos(), Interval::ZERO]),
            IntervalVec3([inwards * u.cos(), inwards * u.sin(), minor * v.cos()]),
        ]
    }
}

impl Implicit for Torus {
    fn region(&self) -> IntervalVec3 {
        let [major, minor] = self.radii();
        let (side, height) = (Interval::within((major + minor).hi), Interval::within(self.minor));
        IntervalVec3([side, side, height])
    }

    fn value(&self, IntervalVec3([x, y, z]): IntervalVec3) -> Interval {
        let [major, minor] = self.radii();
        ((x.square() + y.square()).sqrt() - major).square() + z.square() - minor.square()
    }

    /// Encloses the gradient. On the axis, where the distance from it has a kink, its derivatives are at most
    /// 1.
    fn gradient(&self, IntervalVec3([x, y, z]): IntervalVec3) -> IntervalVec3 {
        let [major, _] = self.radii();
        let from_axis = (x.square() + y.square()).sqrt();
        let off = from_axis - major;
        let across = |along: Interval| off * (along / from_axis).meet(Interval::UNIT);
        let [x, y, z] = [across(x), across(y), z].map(|half| half + half);
        IntervalVec3([x, y, z])
    }
}
