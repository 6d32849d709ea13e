//! Robots of any format: links, the joints between them and the values of these, and the shapes on links.
//!
//! A reader makes the links and joints of its file, and the shapes of each link; what is here makes a scene
//! of them. Joints are at 0, or at the limit nearest to it, or follow a trajectory. The unit is the metre.

#[cfg(feature = "mjcf")]
mod fit;
mod joint;
mod meshes;
mod package;
mod parts;

use std::borrow::Cow;
use std::collections::HashMap;
use std::f64::consts::TAU;
use std::sync::Arc;

use roxmltree::Node;

use super::Source;
use super::error::{Fault, clip};
use super::place::Place;
use super::trajectory::{HEADER, Trajectory};
use super::xml::place_of;
use crate::similar_names::did_you_mean;
use closefit_geometry::memory::MemoryAccount;
use closefit_geometry::motion::{Motion, MotionError};
use closefit_geometry::scene::robot::{RobotJoint, RobotLink, RobotPart};
use closefit_geometry::scene::{self, Scene};
#[cfg(feature = "mjcf")]
pub(super) use fit::FitKind;
pub(super) use joint::{Joint, Kind, Mimic};
pub(super) use meshes::Meshes;
#[cfg(feature = "sdf")]
pub(super) use package::InPackage;
#[cfg(feature = "mjcf")]
pub(super) use parts::{Fit, Placed};
pub(super) use parts::{Form, LinkShapes, Shape};

/// Number of turns of a joint from which its values look like an encoder's.
const MANY_TURNS: f64 = 10_000.0;

/// Number of names that a note lists.
pub(super) const MOST_NAMED: usize = 10;

/// Returns the first names of a list, and how many there are more.
pub(super) fn some_of(names: &[&str]) -> String {
    let named: Vec<String> = names.iter().take(MOST_NAMED).map(|name| clip(name)).collect();
    let more = match names.len().saturating_sub(MOST_NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    named.join(", ") + &more
}

/// Links and joints, proven to be a tree.
pub(super) struct Robot<'a> {
    /// The elements of the links.
    pub links: Vec<Node<'a, 'a>>,
    /// Names of the links.
    pub names: Vec<String>,
    pub joints: Vec<Joint>,
    /// The joint that connects each link to its parent; only the root has none.
    pub hangs_on: Vec<Option<usize>>,
}

/// The values of a joint: one if it is constant, otherwise one for each time of the trajectory.
pub(super) type Values<'t> = Cow<'t, [f64]>;

impl Robot<'_> {
    /// Refuses links and joints that are no tree.
    pub fn refuse_other_than_trees(&self) -> Result<(), Fault> {
        let order = self.parents_first();
        let mut roots = (0..self.links.len()).filter(|&link| self.hangs_on[link].is_none());
        if let (Some(one), Some(other)) = (roots.next(), roots.next()) {
            let (one, other) = (clip(&self.names[one]), clip(&self.names[other]));
            return Err(Fault::Scene(format!(
                "the links '{one}' and '{other}' hang on no joint: one root is allowed"
            )));
        }
        let mut reached = vec![false; self.links.len()];
        order.iter().for_each(|&link| reached[link] = true);
        match reached.iter().position(|reached| !reached) {
            None => Ok(()),
            Some(link) => Err(Fault::at(place_of(self.links[link]), "its joints form a cycle")
                .in_part(&self.names[link], "link")),
        }
    }

    /// Returns the links, parents first, without any that is in or below a cycle.
    pub fn parents_first(&self) -> Vec<usize> {
        let mut children = vec![Vec::new(); self.links.len()];
        for joint in &self.joints {
            children[joint.parent].push(joint.child);
        }
        let mut order: Vec<usize> = (0..self.links.len()).filter(|&i| self.hangs_on[i].is_none()).collect();
        let mut at = 0;
        while at < order.len() {
            order.extend(&children[order[at]]);
            at += 1;
        }
        order
    }

    /// Returns the values of every joint over the trajectory; a single one for a joint that nothing moves.
    pub fn values<'t>(
        &self,
        trajectory: Option<&'t Trajectory>,
        memory: &MemoryAccount,
    ) -> Result<Vec<Values<'t>>, Fault> {
        let by_name: HashMap<&str, usize> =
            self.joints.iter().enumerate().map(|(i, j)| (&*j.name, i)).collect();
        let mut values: Vec<Option<Values<'t>>> = vec![None; self.joints.len()];
        for course in trajectory.iter().flat_map(|trajectory| &trajectory.joints) {
            let refuse = |why: String| {
                let fault = Fault::at(HEADER, format!("the joint '{}' {why}", clip(&course.joint)));
                Err(fault.in_file(&trajectory.expect("it has joints").file))
            };
            let Some(&joint) = by_name.get(course.joint.as_str()) else {
                let meant = did_you_mean(&course.joint, self.joints.iter().map(|joint| &*joint.name));
                return refuse(format!("is not one of the robot's{meant}"));
            };
            match &self.joints[joint] {
                Joint { mimic: Some(mimic), .. } => {
                    return refuse(format!("mimics '{}'", clip(&mimic.joint)));
                }
                Joint { kind: Kind::Fixed, .. } => return refuse("is fixed".to_owned()),
                Joint { kind: Kind::Free, .. } => return refuse("is floating or planar".to_owned()),
                Joint { kind: Kind::Sliding, .. } if course.angle.is_some() => {
                    return refuse(format!("slides, but row {} has an angle", course.angle.unwrap_or(0) + 2));
                }
                _ => values[joint] = Some(Cow::Borrowed(&course.values[..])),
            }
        }
        for start in 0..self.joints.len() {
            let mut chain = Vec::new();
            let mut at = start;
            while values[at].is_none() {
                chain.push(at);
                let joint = &self.joints[at];
                let Some(mimic) = &joint.mimic else {
                    values[at] = Some(vec![joint.rest()].into());
                    break;
                };
                at = *by_name.get(&*mimic.joint).ok_or_else(|| {
                    let meant = did_you_mean(&mimic.joint, self.joints.iter().map(|joint| &*joint.name));
                    let why = format!("'{}' is not the name of a joint{meant}", clip(&mimic.joint));
                    Fault::at("mimic", why).in_part(&joint.name, "joint")
                })?;
                if chain.len() > self.joints.len() {
                    return Err(Fault::at("mimic", "it mimics itself").in_part(&joint.name, "joint"));
                }
            }
            let mut above = values[at].clone().unwrap_or_default();
            for joint in chain.into_iter().rev() {
                if let (None, Some(mimic)) = (&values[joint], &self.joints[joint].mimic) {
                    let rows = above.len();
                    memory.take(rows, size_of::<f64>(), || {
                        format!("{rows} values of '{}'", clip(&self.joints[joint].name))
                    })?;
                    above
                        .to_mut()
                        .iter_mut()
                        .for_each(|value| *value = mimic.multiplier * *value + mimic.offset);
                    values[joint] = Some(above.clone());
                }
            }
        }
        Ok(values.into_iter().flatten().collect())
    }

    /// Returns the name of the independent joint: the one that a joint mimics, or its own.
    pub fn driver(&self, mut joint: usize) -> &str {
        let by_name = |name: &str| self.joints.iter().position(|joint| joint.name == name);
        // That no joint mimics itself is known once there are values.
        while let Some(next) = self.joints[joint].mimic.as_ref().and_then(|mimic| by_name(&mimic.joint)) {
            joint = next;
        }
        &self.joints[joint].name
    }

    /// Notes joints that stand elsewhere than at 0 or at values of the trajectory, and values that are beyond
    /// limits or look like an encoder's.
    pub fn note_values(&self, values: &[Values], trajectory: Option<&Trajectory>, notes: &mut Vec<String>) {
        for (joint, values) in self.joints.iter().zip(values) {
            let turns = values.iter().fold(0.0_f64, |most, value| most.max(value.abs())) / TAU;
            if joint.kind == Kind::Turning && turns >= MANY_TURNS {
                let (name, turns) = (clip(&joint.name), turns.round());
                notes.push(format!("the joint '{name}' turns {turns} times: are its values radians?"));
            }
            let Some([lower, upper]) = joint.limits else { continue };
            let Some(row) = values.iter().position(|value| !(lower..=upper).contains(value)) else {
                continue;
            };
            let name = clip(&joint.name);
            let value = values[row];
            notes.push(match trajectory {
                Some(trajectory) => format!(
                    "the joint '{name}' is at {value} at {} s, beyond its limits {lower} and {upper}",
                    trajectory.times[row]
                ),
                None => {
                    format!("the joint '{name}' stands at {value}, beyond its limits {lower} and {upper}")
                }
            });
        }
        let courses = trajectory.map_or(&[][..], |trajectory| &trajectory.joints);
        let is_still = |joint: &&Joint| {
            joint.axis().is_some() && joint.mimic.is_none() && courses.iter().all(|c| c.joint != joint.name)
        };
        let (at_zero, at_limits): (Vec<&Joint>, Vec<&Joint>) =
            self.joints.iter().filter(is_still).partition(|joint| joint.rest() == 0.0);
        if trajectory.is_some() && !at_zero.is_empty() {
            notes.push(format!("joints that the trajectory does not move, held at 0: {}", at_zero.len()));
        }
        for joint in at_limits {
            let (name, rest) = (clip(&joint.name), joint.rest());
            notes.push(format!("the joint '{name}' stands at {rest}, its limit nearest to 0"));
        }
        let free = self.joints.iter().filter(|joint| joint.kind == Kind::Free);
        let free: Vec<&str> = free.map(|joint| &*joint.name).collect();
        if !free.is_empty() {
            notes.push(format!("floating and planar joints that stand at identity: {}", some_of(&free)));
        }
    }

    /// Returns the pose or motion of each link.
    pub fn places(
        &self,
        values: &[Values],
        trajectory: Option<&Trajectory>,
        scene: &mut Scene,
        memory: &MemoryAccount,
    ) -> Result<Vec<Option<Place>>, Fault> {
        let mut places: Vec<Option<Place>> = vec![None; self.links.len()];
        for link in self.parents_first() {
            let Some(index) = self.hangs_on[link] else { continue };
            let joint = &self.joints[index];
            let frames = &mut scene.frames;
            let mut place = || {
                let above = Place::standing(frames, places[joint.parent].as_ref(), joint.origin)?;
                let (times, values) = (trajectory.map_or(&[0.0][..], |t| &t.times), &values[index]);
                let times = &times[..values.len()];
                let keyframes = || format!("{} keyframes", times.len());
                memory.take(times.len(), Motion::KEYFRAME_BYTES, keyframes)?;
                let Some(axis) = joint.axis() else { return Ok(above) };
                let motion =
                    axis.motion(times, values).map_err(|error| self.fault_of(index, trajectory, &error))?;
                let start = motion.pose(motion.times()[0]);
                Place::moving(frames, Some(&above), start, motion)
            };
            places[link] = Some(place().map_err(|fault: Fault| fault.in_part(&joint.name, "joint"))?);
        }
        Ok(places)
    }

    /// Attributes the refusal of a joint's motion to the row and column of the trajectory that it comes from,
    /// if any.
    fn fault_of(&self, joint: usize, trajectory: Option<&Trajectory>, error: &MotionError) -> Fault {
        let column = self.driver(joint);
        let given =
            |trajectory: &&Trajectory| trajectory.joints.iter().any(|course| *course.joint == *column);
        match (error, trajectory) {
            (&MotionError::Late { index, time }, Some(trajectory)) => {
                trajectory.fault_at(index, "t_s", format!("the time {time:e} s is not within 2^200"))
            }
            (&MotionError::Value { index, value }, Some(trajectory)) if given(&trajectory) => {
                trajectory.fault_at(index, column, format!("the joint value {value:e} is not within 2^200"))
            }
            _ => Fault::at("motion", error.to_string()),
        }
    }

    /// Returns the joints, links and parts as data. The links of the parts are named as the reader does, by
    /// their places in the file.
    pub fn as_data(&self, source: &Source, parts: Vec<RobotPart>, partly_read: Vec<String>) -> scene::Robot {
        let by_name: HashMap<&str, usize> =
            self.joints.iter().enumerate().map(|(i, joint)| (&*joint.name, i)).collect();
        let mut places = vec![None; self.links.len()];
        let mut links = Vec::new();
        for link in self.parents_first() {
            let Some(joint) = self.hangs_on[link] else { continue };
            let Joint { parent, origin, .. } = self.joints[joint];
            places[link] = Some(links.len());
            links.push(RobotLink { parent: places[parent], joint, origin });
        }
        let joint = |joint: &Joint| RobotJoint {
            name: joint.name[..].into(),
            axis: joint.axis(),
            limits: joint.limits,
            // That it names a joint was found out for the values.
            mimic: joint.mimic.as_ref().and_then(|&Mimic { ref joint, multiplier, offset }| {
                Some(scene::robot::Mimic { joint: *by_name.get(&**joint)?, multiplier, offset })
            }),
        };
        let placed = |part: RobotPart| RobotPart { link: part.link.and_then(|link| places[link]), ..part };
        scene::Robot {
            file: source.name.into(),
            joints: self.joints.iter().map(joint).collect(),
            links,
            parts: parts.into_iter().map(placed).collect(),
            partly_read,
            lacks_collision: false,
            free_joints: (0..self.joints.len())
                .filter(|&joint| self.joints[joint].kind == Kind::Free)
                .collect(),
            link_names: self
                .joints
                .iter()
                .map(|joint| [joint.parent, joint.child].map(|link| Arc::from(&*self.names[link])))
                .collect(),
        }
    }
}
