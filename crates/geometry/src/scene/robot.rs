//! A robot as data: its joints, and where its parts are at any values of them, without reading files again.
//!
//! Poses are composed from root to leaf in the order in which a reader composes them, so they have the bits
//! of the scene that is read at those values.

use std::sync::Arc;

use super::{Part, Scene};
use crate::ids::PartId;
use crate::math::pose::Pose;
use crate::motion::{FrameId, Frames, Joint, JointAxis, MotionError};

/// A joint of a robot.
#[derive(Clone, Debug, PartialEq)]
pub struct RobotJoint {
    /// The name.
    pub name: Arc<str>,
    /// The axis, or `None` for a fixed joint, and for a floating or planar one, which stays at identity.
    pub axis: Option<JointAxis>,
    /// The lowest and the highest value, if the file limits them; infinite on a side that it does not limit.
    pub limits: Option<[f64; 2]>,
    /// The joint whose value this one follows, if it does.
    pub mimic: Option<Mimic>,
}

impl RobotJoint {
    /// Returns the value of a joint for which nobody gives one: 0, or the limit nearest to it.
    pub fn rest(&self) -> f64 {
        rest_within(self.limits)
    }

    /// Returns the limits, if the file limits both sides.
    pub fn range(&self) -> Option<[f64; 2]> {
        self.limits.filter(|limits| limits.iter().all(|limit| limit.is_finite()))
    }
}

/// Returns 0, or the limit nearest to it. Limits in the wrong order leave it at 0.
pub fn rest_within(limits: Option<[f64; 2]>) -> f64 {
    limits.filter(|[lower, upper]| lower <= upper).map_or(0.0, |[lower, upper]| 0.0_f64.clamp(lower, upper))
}

/// The value `multiplier * joint + offset`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mimic {
    /// The index of the joint that is followed.
    pub joint: usize,
    /// The factor of its value.
    pub multiplier: f64,
    /// The summand.
    pub offset: f64,
}

/// A link that hangs on a joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RobotLink {
    /// The index of the link that carries it; `None` for the root.
    pub parent: Option<usize>,
    /// The index of its joint.
    pub joint: usize,
    /// The pose of the joint in the frame of the link that carries it.
    pub origin: Pose,
}

/// A part of a robot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RobotPart {
    /// The part.
    pub part: PartId,
    /// The index of its link; `None` for the root, which is static.
    pub link: Option<usize>,
    /// The pose in the frame of the link.
    pub local: Pose,
}

/// The joints, links and parts of a robot.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Robot {
    /// The file, for messages.
    pub file: Arc<str>,
    /// The joints, in the order of the file.
    pub joints: Vec<RobotJoint>,
    /// The links that hang on joints, those that carry others before them.
    pub links: Vec<RobotLink>,
    /// The parts, in the order of the scene.
    pub parts: Vec<RobotPart>,
    /// The names of the links with shapes that were not read: these may meet what their parts do not.
    pub partly_read: Vec<String>,
    /// True if the parts are visual meshes although some link has collision geometry.
    pub lacks_collision: bool,
    /// The floating and planar joints, which stay at identity, by their indices, in ascending order.
    pub free_joints: Vec<usize>,
    /// The names of the two links of each joint: the parent, then the child.
    pub link_names: Vec<[Arc<str>; 2]>,
}

impl Robot {
    /// Returns the values of all joints: those given, but of a joint that mimics another what follows from
    /// that.
    ///
    /// # Panics
    /// Panics unless there is a value for each joint.
    pub fn values(&self, given: &[f64]) -> Vec<f64> {
        let mut values = Vec::new();
        self.values_into(given, &mut values);
        values
    }

    /// Puts [`values`](Self::values) in the place of what is in a list.
    ///
    /// # Panics
    /// Panics unless there is a value for each joint.
    pub fn values_into(&self, given: &[f64], values: &mut Vec<f64>) {
        assert_eq!(given.len(), self.joints.len(), "a value for each joint");
        values.clear();
        values.extend((0..given.len()).map(|joint| self.value(joint, given)));
    }

    fn value(&self, joint: usize, given: &[f64]) -> f64 {
        // No joint mimics itself, so that the chain has an end.
        self.joints[joint]
            .mimic
            .map_or(given[joint], |mimic| mimic.multiplier * self.value(mimic.joint, given) + mimic.offset)
    }

    /// Returns the joint whose value a joint follows in the end: itself, unless it mimics another.
    pub fn driver(&self, joint: usize) -> usize {
        self.joints[joint].mimic.map_or(joint, |mimic| self.driver(mimic.joint))
    }

    /// Returns the robot in a scene in which so many parts come before its own scene's.
    pub fn after(mut self, parts: u32) -> Self {
        self.parts.iter_mut().for_each(|part| part.part.0 += parts);
        self
    }

    /// Returns the values at which the joints [rest](RobotJoint::rest).
    pub fn rest(&self) -> Vec<f64> {
        self.joints.iter().map(RobotJoint::rest).collect()
    }

    /// Sets the poses of the robot's parts to those at values of all joints. `links` is scratch space.
    pub fn pose_parts(&self, values: &[f64], links: &mut Vec<Pose>, poses: &mut [Pose]) {
        links.clear();
        for &RobotLink { parent, joint, origin } in &self.links {
            let above = parent.map_or(origin, |parent| Pose::compose(&links[parent], &origin));
            let axis = self.joints[joint].axis;
            links.push(axis.map_or(above, |axis| Pose::compose(&above, &axis.pose(values[joint]))));
        }
        for &RobotPart { part, link, local } in &self.parts {
            poses[part.index()] = link.map_or(local, |link| Pose::compose(&links[link], &local));
        }
    }

    /// Returns for each of a number of parts if it may move when these joints do.
    pub fn moved_by(&self, is_moving: impl Fn(usize) -> bool, parts: usize) -> Vec<bool> {
        let mut of_links: Vec<bool> = Vec::with_capacity(self.links.len());
        for link in &self.links {
            let moves = self.joints[link.joint].axis.is_some() && is_moving(self.driver(link.joint));
            of_links.push(moves || link.parent.is_some_and(|parent| of_links[parent]));
        }
        let mut moved = vec![false; parts];
        for part in &self.parts {
            moved[part.part.index()] = part.link.is_some_and(|link| of_links[link]);
        }
        moved
    }

    /// Returns a scene of the robot in which one joint goes from one value to another, its value taken for
    /// the time, and the others stand at the values given. The scene's own motions are left out.
    ///
    /// # Errors
    /// [`MotionError`] for a value that is too large, or values that do not ascend.
    pub fn swept(
        &self,
        scene: &Scene,
        given: &[f64],
        (joint, range): (usize, [f64; 2]),
    ) -> Result<Scene, MotionError> {
        let ends = range.map(|value| {
            let mut given = given.to_vec();
            given[joint] = value;
            self.values(&given)
        });
        let mut poses: Vec<Pose> = scene.parts.iter().map(|part| part.pose).collect();
        self.pose_parts(&ends[0], &mut Vec::new(), &mut poses);
        let moves = self.moved_by(|driver| driver == joint, scene.parts.len());
        let mut swept = Scene { frames: Frames::default(), robots: Vec::new(), ..scene.clone() };
        let of_links = self.frames_of_links(&ends, range, &mut swept.frames)?;
        for ((part, &pose), place) in swept.parts.iter_mut().zip(&poses).zip(self.places(scene.parts.len())) {
            let place = place.filter(|place| moves[place.part.index()]);
            let link = place.and_then(|place| Some((place.link?, place.local)));
            let frame = link.map(|(link, local)| swept.frames.add(Some(of_links[link]), Joint::Fixed(local)));
            *part = Part { frame, pose, ..part.clone() };
        }
        Ok(swept)
    }

    /// Adds the frame of each link, whose joint goes from one value to another over a range of time.
    fn frames_of_links(
        &self,
        ends: &[Vec<f64>; 2],
        range: [f64; 2],
        frames: &mut Frames,
    ) -> Result<Vec<FrameId>, MotionError> {
        let mut of_links: Vec<FrameId> = Vec::with_capacity(self.links.len());
        for link in &self.links {
            let parent = link.parent.map(|parent| of_links[parent]);
            let frame = frames.add(parent, Joint::Fixed(link.origin));
            let values = [ends[0][link.joint], ends[1][link.joint]];
            let joint = match self.joints[link.joint].axis {
                None => None,
                Some(axis) if values[0] == values[1] => Some(Joint::Fixed(axis.pose(values[0]))),
                Some(axis) => Some(Joint::Moving(axis.motion(&range, &values)?)),
            };
            of_links.push(joint.map_or(frame, |joint| frames.add(Some(frame), joint)));
        }
        Ok(of_links)
    }

    /// Returns the place on the robot of each part of a scene, if it is one of the robot's.
    fn places(&self, parts: usize) -> Vec<Option<RobotPart>> {
        let mut places = vec![None; parts];
        for part in &self.parts {
            places[part.part.index()] = Some(*part);
        }
        places
    }
}
