//! Ellipsoids.

use std::f64::consts::FRAC_PI_2;

use glam::DVec3;

use super::torus::TURN;
use super::{Implicit, Surface, SurfaceError, radius};
use closefit_geometry::math::interval::{Interval, IntervalVec3};

/// An ellipsoid: `(a cos u cos v, b sin u cos v, c sin v)` by longitude and latitude, or the points at which
/// `(x/a)^2 + (y/b)^2 + (z/c)^2 = 1`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ellipsoid {
    radii: [f64; 3],
}

impl Ellipsoid {
    /// Creates an ellipsoid with the radii a, b, c along the axes.
    ///
    /// # Errors
    /// [`SurfaceError::Radius`].
    pub fn new(radii: DVec3) -> Result<Self, SurfaceError> {
        let DVec3 { x, y, z } = radii;
        Ok(Self { radii: [radius(x)?, radius(y)?, radius(z)?] })
    }

    /// Stretches coordinates of the unit sphere, or derivatives of them, by the radii.
    fn stretched(&self, sphere: [Interval; 3]) -> IntervalVec3 {
        IntervalVec3([0, 1, 2].map(|k| Interval::point(self.radii[k]) * sphere[k]))
    }

    /// Returns coordinates in units of the radii.
    fn units(&self, cell: IntervalVec3) -> [Interval; 3] {
        [0, 1, 2].map(|k| cell.0[k] / Interval::point(self.radii[k]))
    }
}

impl Surface for Ellipsoid {
    fn domain(&self) -> [Interval; 2] {
        [TURN, Interval::within(FRAC_PI_2.next_up())]
    }

    fn place(&self, [u, v]: [Interval; 2]) -> IntervalVec3 {
        self.stretched([u.cos() * v.cos(), u.sin() * v.cos(), v.sin()])
    }

    fn tangents(&self, [u, v]: [Interval; 2]) -> [IntervalVec3; 2] {
        [
            self.stretched([-(u.sin() * v.cos()), u.cos() * v.cos(), Interval::ZERO]),
            self.stretched([-(u.cos() * v.sin()), -(u.sin() * v.sin()), v.cos()]),
        ]
    }
}

impl Implicit for Ellipsoid {
    fn region(&self) -> IntervalVec3 {
        IntervalVec3(self.radii.map(Interval::within))
    }

    fn value(&self, cell: IntervalVec3) -> Interval {
        let [x, y, z] = self.units(cell).map(Interval::square);
        x + y + z - Interval::ONE
    }

    fn gradient(&self, cell: IntervalVec3) -> IntervalVec3 {
        let units = self.units(cell);
        IntervalVec3([0, 1, 2].map(|k| (units[k] + units[k]) / Interval::point(self.radii[k])))
    }
}
