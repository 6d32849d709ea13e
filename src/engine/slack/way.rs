//! The ways in which a part is moved, alone: along an axis until it has left the scene, or about one by a
//! full turn.

use std::f64::consts::TAU;

use glam::DVec3;

use crate::engine::standing::stepped;
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::ids::PartId;
use closefit_geometry::math::pose::{LARGEST, Pose};
use closefit_geometry::motion::{FrameId, Frames, Joint, Motion};

/// A way of a part, from 0 to its length: at one unit of it per second.
#[derive(Clone, Copy, Debug)]
pub(super) struct Way {
    /// The direction of a shift, or the axis of a turn; of length 1.
    axis: DVec3,
    /// A point on the axis, if the part turns.
    about: Option<DVec3>,
    /// The length of a shift, or the angle of a turn.
    pub length: f64,
    /// Upper bound of the distance that a point of the part moves per unit of the way.
    pub lever: f64,
}

impl Way {
    /// The shift of a part until it has passed the boxes of all.
    pub fn shift(axis: DVec3, boxes: &[Aabb], part: PartId) -> Self {
        let all = boxes.iter().copied().fold(Aabb::EMPTY, Aabb::union);
        let farthest = |bounds: &Aabb, way: DVec3| {
            bounds.corners().map(|p| way.dot(p)).into_iter().fold(-LARGEST, f64::max)
        };
        let length = farthest(&all, axis) + farthest(&boxes[part.index()], -axis);
        // Rounded up, so that the part has left even where the sums are rounded.
        Self { axis, about: None, length: (length * (1.0 + 1e-12)).clamp(0.0, LARGEST), lever: 1.0 }
    }

    /// The full turn of a part with this box.
    pub fn turn(axis: DVec3, about: DVec3, bounds: &Aabb) -> Self {
        let lever = bounds.corners().map(|p| axis.cross(p - about).length()).into_iter().fold(0.0, f64::max);
        Self { axis, about: Some(about), length: TAU, lever }
    }

    /// Returns the frames of the motion of a part that is posed so at the start, and the frame of the part.
    pub fn frames(&self, pose: &Pose) -> (Frames, FrameId) {
        let mut frames = Frames::default();
        let ends = [0.0, self.length];
        let valid = "times ascend, and no length exceeds 2^200";
        let part = match self.about {
            None => {
                let moves = Motion::along(self.axis, &ends, &ends).expect(valid);
                let moving = frames.add(None, Joint::Moving(moves));
                frames.add(Some(moving), Joint::Fixed(*pose))
            }
            Some(about) => {
                let centre = frames.add(None, Joint::Fixed(Pose::translation(about.to_array())));
                let turns = Motion::about(self.axis, &ends, &ends).expect(valid);
                let moving = frames.add(Some(centre), Joint::Moving(turns));
                frames.add(Some(moving), Joint::Fixed(stepped(pose, -about)))
            }
        };
        (frames, part)
    }
}
