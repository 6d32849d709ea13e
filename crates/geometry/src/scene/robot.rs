//! A robot as data: its joints, and where its parts are at any values of them, without reading files again.
//!
//! Poses are composed from root to leaf in the order in which a reader composes them, so they have the bits
//! of the scene that is read at those values.

use std::sync::Arc;

use super::{Part, Scene};
use crate::ids::PartId;
use crate::lanes::{FourNumbers, FourPoses, Poses4, Simd, in_lanes};
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

    /// Does the same in four rows, with a value of each joint in each row.
    pub fn pose_parts_in_rows(
        &self,
        values: &[FourNumbers],
        links: &mut Vec<FourPoses>,
        poses: &mut [FourPoses],
    ) {
        in_lanes!(simd => self.pose_parts_in_lanes(simd, values, links, poses));
    }

    #[inline(always)]
    fn pose_parts_in_lanes<S: Simd>(
        &self,
        simd: S,
        values: &[FourNumbers],
        links: &mut Vec<FourPoses>,
        poses: &mut [FourPoses],
    ) {
        links.clear();
        for RobotLink { parent, joint, origin } in &self.links {
            let mut pose = Poses4::splat(simd, origin);
            if let Some(parent) = parent {
                pose = Poses4::compose(&links[*parent].load(simd), &pose);
            }
            if let Some(axis) = self.joints[*joint].axis {
                pose = Poses4::compose(&pose, &axis.poses(simd, &values[*joint]));
            }
            links.push(pose.store());
        }
        for RobotPart { part, link, local } in &self.parts {
            let mut pose = Poses4::splat(simd, local);
            if let Some(link) = link {
                pose = Poses4::compose(&links[*link].load(simd), &pose);
            }
            poses[part.index()] = pose.store();
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

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;
    use crate::lanes::ROWS;
    use crate::math::testing::Stream;

    /// Returns a pose that turns and shifts, and may scale, mirror or stretch.
    fn pose(stream: &mut Stream) -> Pose {
        let [x, y, z] = stream.point().to_array();
        let scale = [(); 3].map(|()| stream.pick(&[1.0, 1.0, -1.0, 1e-3, 40.0]));
        let shift = stream.point() * stream.pick(&[0.0, 1.0, 1e-200, 1e150]);
        Pose::from_trs([x, y, z, 1.0], scale, shift.to_array()).expect("a rotation")
    }

    fn axis(stream: &mut Stream) -> Option<JointAxis> {
        let aslant = stream.point().normalize_or(DVec3::Y);
        let axis = stream.pick(&[DVec3::X, DVec3::NEG_Z, aslant]);
        stream.pick(&[None, Some(JointAxis::Turning(axis)), Some(JointAxis::Sliding(axis))])
    }

    /// A robot of random links, each on one before it or on the root.
    fn robot(stream: &mut Stream) -> Robot {
        let count = 1 + stream.below(9) as usize;
        let joint = |_| RobotJoint { name: "".into(), axis: axis(stream), limits: None, mimic: None };
        let joints = (0..count).map(joint).collect();
        let link = |joint: usize| {
            let parent = (stream.below(5) > 0 && joint > 0).then(|| stream.below(joint as u64) as usize);
            RobotLink { parent, joint, origin: pose(stream) }
        };
        let links = (0..count).map(link).collect();
        let part = |part: u32| {
            let link = (stream.below(6) > 0).then(|| stream.below(count as u64) as usize);
            RobotPart { part: PartId(part), link, local: pose(stream) }
        };
        Robot { joints, links, parts: (0..6).map(part).collect(), ..Robot::default() }
    }

    /// Returns the bits of a pose; all that is no number has the same.
    fn bits(pose: &Pose) -> [[u64; 4]; 3] {
        pose.rows.map(|row| row.map(|x| if x.is_nan() { f64::NAN } else { x }.to_bits()))
    }

    #[test]
    fn four_rows_have_the_bits_of_one_after_the_other() {
        let mut stream = Stream(31);
        let values = [0.0, -0.0, 1e-300, -1e-9, 1e6, -1e150, f64::MAX, f64::INFINITY, f64::NAN];
        let (mut links, mut links_in_rows) = (Vec::new(), Vec::new());
        let mut finite = 0;
        for case in 0..3_000 {
            let robot = robot(&mut stream);
            let value = |stream: &mut Stream| match stream.below(8) {
                0 => stream.pick(&values),
                _ => 4.0 * stream.signed(),
            };
            let in_rows: Vec<FourNumbers> =
                robot.joints.iter().map(|_| [(); ROWS].map(|()| value(&mut stream))).collect();
            let mut poses_in_rows = vec![FourPoses::splat(&Pose::IDENTITY); 8];
            robot.pose_parts_in_rows(&in_rows, &mut links_in_rows, &mut poses_in_rows);
            for lane in 0..ROWS {
                let values: Vec<f64> = in_rows.iter().map(|values| values[lane]).collect();
                let mut poses = vec![Pose::IDENTITY; 8];
                robot.pose_parts(&values, &mut links, &mut poses);
                for (part, (pose, four)) in poses.iter().zip(&poses_in_rows).enumerate() {
                    let (found, expected) = (bits(&four.get(lane)), bits(pose));
                    assert_eq!(
                        found, expected,
                        "case {case}, row {lane}, part {part}: {values:?}, {robot:?}"
                    );
                    finite += u32::from(pose.is_finite());
                }
            }
        }
        assert!(finite > 50_000, "{finite} poses are finite");
    }
}
