//! The relative motion of two parts over a stretch of time, as the filters need it.

use glam::DVec3;

use crate::math::pose::Pose;

/// The relative motion of two parts over a stretch of time, in world coordinates at the middle of the
/// stretch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moment {
    /// Poses of the two parts at the middle.
    pub poses: [Pose; 2],
    /// Time of the middle, in seconds.
    pub time: f64,
    /// Half width of the stretch, in seconds.
    pub half: f64,
    /// Velocity field at the middle: as seen from the first part, a point `p` of the second moves with
    /// `velocity + angular x p`.
    pub velocity: DVec3,
    /// Angular velocity; see [`Moment::velocity`].
    pub angular: DVec3,
    /// Acceleration bounds: of the first part's points as seen from the second, and of the second's as seen
    /// from the first.
    pub acceleration_bound: [f64; 2],
    /// Upper bound on the rate at which the distance between a point of one part and a point of the other
    /// changes.
    pub speed: f64,
    /// Upper bound on the distance that rounding adds, in the poses and in the fields of this struct.
    pub slack: f64,
}

impl Moment {
    /// Returns the middle of the stretch alone.
    pub fn standing(&self) -> Self {
        Self { half: 0.0, ..*self }
    }

    /// Returns the moment with the two parts exchanged.
    pub fn flipped(&self) -> Self {
        let ([a, b], [bound_a, bound_b]) = (self.poses, self.acceleration_bound);
        let (velocity, angular) = (-self.velocity, -self.angular);
        Self { poses: [b, a], velocity, angular, acceleration_bound: [bound_b, bound_a], ..*self }
    }

    /// Returns the largest deviation of a point of one part (0 the first, 1 the second) from its linear
    /// motion about the middle, along a unit direction fixed to the other part.
    pub fn deviation(&self, side: usize) -> f64 {
        self.deviation_by_acceleration(side) + self.slack
    }

    /// Returns the part of the [deviation](Moment::deviation) that comes from acceleration; in half the time,
    /// it is a quarter.
    pub fn deviation_by_acceleration(&self, side: usize) -> f64 {
        0.5 * self.half * self.half * self.acceleration_bound[side]
    }
}
