//! The joints of a scene's robot, by their names: where they stand, and the sweep along one of them.

use std::collections::BTreeMap;

use crate::job::Job;
use closefit_geometry::math::pose::Pose;
use closefit_geometry::motion::JointAxis;
use closefit_geometry::scene::robot::RobotJoint;
use closefit_geometry::scene::{Robot, Scene};
use closefit_geometry::text::{printable, quotable};
use closefit_geometry::units::without_angle_unit;
use closefit_report::certificate::{CertifiedSettings, CertifiedSweep};
use closefit_report::document::{JointKind, JointRow};
use closefit_report::table::beyond_limits_in_words;
use closefit_scene::similar_names::did_you_mean;

/// A joint, by its index, and the values between which it is swept.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointRange {
    /// The index of the joint.
    pub joint: usize,
    /// The first value and the last, which is larger.
    pub range: [f64; 2],
}

/// Returns the one robot of a scene.
///
/// # Errors
/// The reason in one line, if there is none, or more than one.
pub fn robot_of(scene: &Scene) -> Result<&Robot, String> {
    match &scene.robots[..] {
        [robot] => Ok(robot),
        [] => Err("the scene has no robot, and so no joints: a robot is a .urdf, .xml (MJCF) or .sdf file"
            .to_owned()),
        robots => Err(format!("the scene has {} robots: joints can be named of one only", robots.len())),
    }
}

/// Returns the index of a joint that can be moved by itself.
///
/// # Errors
/// The reason in one line, with the nearest name if there is no such joint.
pub fn joint_named(robot: &Robot, name: &str) -> Result<usize, String> {
    let names = || robot.joints.iter().map(|joint| &*joint.name);
    let Some(index) = names().position(|known| known == name) else {
        let meant = did_you_mean(name, names());
        return Err(format!("'{}' is not the name of a joint{meant}", quotable(name)));
    };
    match &robot.joints[index] {
        RobotJoint { mimic: Some(mimic), .. } => {
            let followed = quotable(&robot.joints[mimic.joint].name);
            Err(format!("the joint '{}' mimics '{followed}'", quotable(name)))
        }
        RobotJoint { axis: None, .. } => Err(format!("the joint '{}' is fixed", quotable(name))),
        _ => Ok(index),
    }
}

/// Reads a joint with its range: `NAME=limits`, or `NAME=A:B`, each end in the unit of the file, `deg` or
/// `rad`.
///
/// # Errors
/// The reason in one line.
pub fn joint_range(robot: &Robot, text: &str) -> Result<JointRange, String> {
    let (name, range) = text.rsplit_once('=').ok_or("a sweep of a joint is NAME=limits or NAME=A:B")?;
    let joint = joint_named(robot, name)?;
    let range = match (range, range.split_once(':')) {
        ("limits", _) => {
            let joint = &robot.joints[joint];
            let why = without_range(joint);
            joint.range().ok_or_else(|| format!("the joint '{}' {why}: say {0}=A:B", quotable(name)))?
        }
        (_, Some((from, to))) => {
            let joint = &robot.joints[joint];
            [joint_value(joint, from)?, joint_value(joint, to)?]
        }
        _ => return Err(format!("'{}' is neither 'limits' nor A:B", quotable(range))),
    };
    let [from, to] = range;
    if from < to {
        Ok(JointRange { joint, range })
    } else {
        Err(format!("the range from {from} to {to} does not ascend"))
    }
}

/// Returns what to say of a joint whose file does not limit both sides.
pub(crate) fn without_range(joint: &RobotJoint) -> &'static str {
    if joint.limits.is_none() { "has no limits" } else { "has a limit on one side alone" }
}

/// Reads values of joints, `NAME=V,NAME=V,...`, for a robot whose other joints rest.
///
/// # Errors
/// The reason in one line.
pub fn joint_values(robot: &Robot, text: &str) -> Result<Vec<f64>, String> {
    let mut values = robot.rest();
    let mut named = vec![false; values.len()];
    for one in text.split(',').filter(|one| !one.trim().is_empty()) {
        let (name, value) = one.trim().rsplit_once('=').ok_or("values of joints are NAME=V,NAME=V,...")?;
        let joint = joint_named(robot, name)?;
        if std::mem::replace(&mut named[joint], true) {
            return Err(format!("there are two values of '{}'", quotable(name)));
        }
        values[joint] = joint_value(&robot.joints[joint], value)?;
    }
    Ok(values)
}

/// Parses a value of a joint. Of one that turns, a number is in radians, unless `deg` or `rad` follows it; of
/// one that slides, it is in the unit of the scene.
pub(crate) fn joint_value(joint: &RobotJoint, text: &str) -> Result<f64, String> {
    let text = text.trim();
    let Some((bare, radians)) = without_angle_unit(text) else { return number(text) };
    match joint.axis {
        Some(JointAxis::Sliding(_)) => {
            let name = quotable(&joint.name);
            Err(format!("'{}' is an angle, but the joint '{name}' slides", quotable(text)))
        }
        _ => Ok(number(bare)? * radians),
    }
}

/// Returns a note for each joint whose values go beyond its limits. `ranges` has the lowest and the highest
/// value of each joint.
pub fn limit_notes(scene: &Scene, robot: &Robot, ranges: &[[f64; 2]]) -> Vec<String> {
    let joints = robot.joints.iter().zip(ranges);
    joints.filter_map(|(joint, &range)| limit_note(scene, joint, range)).collect()
}

/// Returns a note if a joint that is moved by itself goes beyond its limits.
pub(crate) fn limit_note(scene: &Scene, joint: &RobotJoint, [low, high]: [f64; 2]) -> Option<String> {
    let limits = joint.limits.filter(|[lower, upper]| lower <= upper)?;
    let is_moved = joint.axis.is_some() && joint.mimic.is_none();
    if !is_moved || (limits[0] <= low && high <= limits[1]) {
        return None;
    }
    let name = printable(&joint.name);
    let [values, limits] = beyond_limits_in_words(kind_of(joint), [[low, high], limits], scene.unit);
    let hint = match kind_of(joint) {
        JointKind::Turning => " (a number without a unit is in radians)",
        JointKind::Sliding => "",
    };
    Some(format!("joint '{name}': {values} is beyond its limits, {limits}{hint}"))
}

/// Parses a finite number.
pub(crate) fn number(text: &str) -> Result<f64, String> {
    let text = text.trim();
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(value),
        Ok(_) => Err(format!("'{}' is not a finite number", quotable(text))),
        Err(_) => Err(format!("'{}' is not a number", quotable(text))),
    }
}

/// Returns the scene of a finished sweep along a joint: its robot, between two values of the joint.
///
/// # Errors
/// The reason in one line, if the robot is another one now.
pub fn swept_again(scene: &Scene, row: &JointRow, range: [f64; 2]) -> Result<Scene, String> {
    let (joint, values) = placed_again(scene, row)?;
    robot_of(scene)?.swept(scene, &values, (joint, range)).map_err(|error| error.to_string())
}

/// Returns the scene of a finished check at values of its robot's joints.
///
/// # Errors
/// The reason in one line, if the robot is another one now.
pub fn at_joints_again(scene: &Scene, joints: &BTreeMap<String, f64>) -> Result<Scene, String> {
    let robot = robot_of(scene)?;
    Ok(at_values(scene, robot, &values_again(robot, joints)?))
}

/// Returns the scene with its robot at values of all joints.
fn at_values(scene: &Scene, robot: &Robot, values: &[f64]) -> Scene {
    let mut poses: Vec<Pose> = scene.parts.iter().map(|part| part.pose).collect();
    robot.pose_parts(&robot.values(values), &mut Vec::new(), &mut poses);
    let mut placed = scene.clone();
    placed.parts.iter_mut().zip(poses).for_each(|(part, pose)| part.pose = pose);
    placed
}

/// Returns the index of the joint of a finished sweep, and the values of all joints.
fn placed_again(scene: &Scene, row: &JointRow) -> Result<(usize, Vec<f64>), String> {
    let robot = robot_of(scene)?;
    Ok((joint_named(robot, &row.name)?, values_again(robot, &row.others)?))
}

/// Returns the values of all joints: those named, and of others where they rest.
fn values_again(robot: &Robot, named: &BTreeMap<String, f64>) -> Result<Vec<f64>, String> {
    let mut values = robot.rest();
    for (name, &value) in named {
        values[joint_named(robot, name)?] = value;
    }
    Ok(values)
}

impl Job {
    /// Returns the job swept as in a finished sweep, between two values of its joint.
    ///
    /// # Errors
    /// The reason in one line, if the robot is another one now, or a value is too large.
    pub(crate) fn along_again(&self, row: &JointRow, range: [f64; 2]) -> Result<Self, String> {
        let (joint, values) = placed_again(self.scene(), row)?;
        self.along_joint(JointRange { joint, range }, &values)
    }

    /// Returns the job with its robot at values of all joints.
    ///
    /// # Errors
    /// The reason in one line, if there is not one robot.
    pub fn at_joints(&self, values: &[f64]) -> Result<Self, String> {
        let robot = robot_of(self.scene())?;
        let scene = at_values(self.scene(), robot, values);
        Ok(self.clone().placed(own_values(robot, values, |_| true), scene))
    }

    /// Returns the job at the values of joints of a finished check.
    pub(crate) fn at_joints_again(&self, joints: &BTreeMap<String, f64>) -> Result<Self, String> {
        self.at_joints(&values_again(robot_of(self.scene())?, joints)?)
    }

    /// Returns the whole motion, if a certificate with these settings leaves some of it out: the times of the
    /// scene, or the limits of the joint.
    pub fn beyond(&self, settings: &CertifiedSettings) -> Option<[f64; 2]> {
        let all = match &settings.joint {
            None => self.scene().time_range()?,
            Some(row) => {
                let robot = robot_of(self.scene()).ok()?;
                robot.joints[joint_named(robot, &row.name).ok()?].range()?
            }
        };
        let has_all = |sweep: CertifiedSweep| sweep.from <= all[0] && sweep.to >= all[1];
        (!settings.sweep.is_some_and(has_all)).then_some(all)
    }

    /// Returns the job with the scene's robot swept along a joint, whose value stands for the time. The other
    /// joints stand at these values, one for each joint.
    ///
    /// # Errors
    /// The reason in one line, if there is not one robot, or a value is too large.
    pub fn along_joint(
        &self,
        JointRange { joint, range }: JointRange,
        values: &[f64],
    ) -> Result<Self, String> {
        let robot = robot_of(self.scene())?;
        let row = joint_row(robot, joint, values);
        let scene = robot.swept(self.scene(), values, (joint, range)).map_err(|error| error.to_string())?;
        Ok(self.clone().along(row, scene))
    }
}

/// Returns a joint as a report shows it, with the values of all others that follow none.
fn joint_row(robot: &Robot, joint: usize, values: &[f64]) -> JointRow {
    let others = own_values(robot, values, |other| other != joint);
    let of_joint = &robot.joints[joint];
    JointRow { name: of_joint.name.to_string(), kind: kind_of(of_joint), others }
}

/// Returns the values of some joints by name, without those that do not move or follow others.
fn own_values(robot: &Robot, values: &[f64], is_meant: impl Fn(usize) -> bool) -> BTreeMap<String, f64> {
    let joints = robot.joints.iter().zip(values).enumerate();
    let own = joints.filter(|(index, (of, _))| is_meant(*index) && of.axis.is_some() && of.mimic.is_none());
    own.map(|(_, (joint, &value))| (joint.name.to_string(), value)).collect()
}

fn kind_of(joint: &RobotJoint) -> JointKind {
    match joint.axis {
        Some(JointAxis::Sliding(_)) => JointKind::Sliding,
        _ => JointKind::Turning,
    }
}
