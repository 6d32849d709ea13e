//! Two parts over a stretch of time, as the filters see them.

use glam::DVec3;

use crate::math::pose::Pose;

/// Two parts over a stretch of time, as the filters need it. World coordinates at the middle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moment {
    /// Where the two parts are at the middle.
    pub poses: [Pose; 2],
    /// How far from the middle the stretch reaches, in seconds.
    pub half: f64,
    /// The second part's point `p` moves with `velocity + angular x p`, as seen from the first.
    pub velocity: DVec3,
    /// See [`Moment::velocity`].
    pub angular: DVec3,
    /// Bounds of second derivatives: of the first part's points, as seen from the second; of the second's, as
    /// seen from the first.
    pub bend: [f64; 2],
    /// The distance of no two points, one of each part, changes faster.
    pub speed: f64,
    /// What rounding, of poses and of all here, may add to a distance.
    pub slack: f64,
}

impl Moment {
    /// Its middle alone.
    pub fn standing(&self) -> Self {
        Self { half: 0.0, ..*self }
    }

    /// With the two parts in the other order.
    pub fn flipped(&self) -> Self {
        let ([a, b], [bend_a, bend_b]) = (self.poses, self.bend);
        let (velocity, angular) = (-self.velocity, -self.angular);
        Self { poses: [b, a], velocity, angular, bend: [bend_b, bend_a], ..*self }
    }

    /// How far a point of one part (0 the first, 1 the second) may be from where it is at the middle, along a
    /// unit direction fixed to the other, beyond what its velocity says.
    pub fn sag(&self, side: usize) -> f64 {
        0.5 * self.half * self.half * self.bend[side] + self.slack
    }
}
