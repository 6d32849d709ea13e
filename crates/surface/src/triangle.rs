//! A triangle of a mesh as a surface, which can be halved like any other.

use super::Surface;
use closefit_geometry::math::Triangle;
use closefit_geometry::math::interval::{Interval, IntervalVec3};

/// The triangle `a + u ((b - a) + v (c - b))`, for u and v from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Facet {
    corner: IntervalVec3,
    side: IntervalVec3,
    opposite: IntervalVec3,
}

impl Facet {
    pub(super) fn of(corners: Triangle) -> Self {
        let [a, b, c] = corners.map(IntervalVec3::point);
        Self { corner: a, side: b - a, opposite: c - b }
    }
}

impl Surface for Facet {
    fn domain(&self) -> [Interval; 2] {
        [Interval::new(0.0, 1.0); 2]
    }

    fn place(&self, [u, v]: [Interval; 2]) -> IntervalVec3 {
        self.corner + (self.side + self.opposite.scale(v)).scale(u)
    }

    fn tangents(&self, [u, v]: [Interval; 2]) -> [IntervalVec3; 2] {
        [self.side + self.opposite.scale(v), self.opposite.scale(u)]
    }
}
