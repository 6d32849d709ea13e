//! Joints: the connections between links.

use glam::DVec3;

use closefit_geometry::math::pose::Pose;
use closefit_geometry::motion::JointAxis;
use closefit_geometry::scene::robot::rest_within;

/// A joint and the links that it connects.
pub(in super::super) struct Joint {
    pub name: String,
    pub kind: Kind,
    pub parent: usize,
    pub child: usize,
    pub origin: Pose,
    /// Axis of length 1.
    pub axis: DVec3,
    pub limits: Option<[f64; 2]>,
    pub mimic: Option<Mimic>,
    /// The value at which the file has it: 0, but for MJCF's `ref`.
    #[cfg_attr(not(feature = "mjcf"), expect(dead_code, reason = "it is 0"))]
    pub initial: f64,
}

#[derive(Clone, Copy, PartialEq)]
pub(in super::super) enum Kind {
    Fixed,
    /// Floating, planar or a ball: it is at identity.
    Free,
    Turning,
    Sliding,
}

/// The value `multiplier * joint + offset`.
#[derive(Clone)]
pub(in super::super) struct Mimic {
    pub joint: String,
    pub multiplier: f64,
    pub offset: f64,
}

impl Joint {
    /// Returns the value of the joint while nothing moves it.
    pub fn rest(&self) -> f64 {
        rest_within(self.limits)
    }

    /// Returns the axis; `None` for a joint that does not move.
    pub fn axis(&self) -> Option<JointAxis> {
        match self.kind {
            Kind::Fixed | Kind::Free => None,
            Kind::Turning => Some(JointAxis::Turning(self.axis)),
            Kind::Sliding => Some(JointAxis::Sliding(self.axis)),
        }
    }
}
