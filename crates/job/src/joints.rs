//! The joints of a scene's robot, by their names: where they stand, and the sweep along one of them.

use std::collections::BTreeMap;

use crate::job::Job;
use closefit_geometry::motion::JointAxis;
use closefit_geometry::scene::robot::RobotJoint;
use closefit_geometry::scene::{Robot, Scene};
use closefit_geometry::text::printable;
use closefit_report::certificate::{CertifiedSettings, CertifiedSweep};
use closefit_report::document::{JointKind, JointRow};
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
        robots => Err(format!("joints are those of one .urdf, but the scene has {}", robots.len())),
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
        return Err(format!("'{}' is not the name of a joint{meant}", printable(name)));
    };
    match &robot.joints[index] {
        RobotJoint { mimic: Some(mimic), .. } => {
            let followed = printable(&robot.joints[mimic.joint].name);
            Err(format!("the joint '{}' mimics '{followed}'", printable(name)))
        }
        RobotJoint { axis: None, .. } => Err(format!("the joint '{}' is fixed", printable(name))),
        _ => Ok(index),
    }
}

/// Reads a joint with its range: `NAME=limits`, or `NAME=A:B` in radians or lengths of the scene.
///
/// # Errors
/// The reason in one line.
pub fn joint_range(robot: &Robot, text: &str) -> Result<JointRange, String> {
    let (name, range) = text.rsplit_once('=').ok_or("a sweep of a joint is NAME=limits or NAME=A:B")?;
    let joint = joint_named(robot, name)?;
    let range = match (range, range.split_once(':')) {
        ("limits", _) => robot.joints[joint]
            .limits
            .ok_or_else(|| format!("the joint '{}' has no limits: say {0}=A:B", printable(name)))?,
        (_, Some((from, to))) => [number(from)?, number(to)?],
        _ => return Err(format!("'{}' is neither 'limits' nor A:B", printable(range))),
    };
    let [from, to] = range;
    if from < to {
        Ok(JointRange { joint, range })
    } else {
        Err(format!("the range from {from} to {to} does not ascend"))
    }
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
            return Err(format!("there are two values of '{}'", printable(name)));
        }
        values[joint] = number(value)?;
    }
    Ok(values)
}

/// Parses a finite number.
pub(crate) fn number(text: &str) -> Result<f64, String> {
    let text = text.trim();
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(value),
        Ok(_) => Err(format!("'{}' is not a finite number", printable(text))),
        Err(_) => Err(format!("'{}' is not a number", printable(text))),
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

/// Returns the index of the joint of a finished sweep, and the values of all joints.
fn placed_again(scene: &Scene, row: &JointRow) -> Result<(usize, Vec<f64>), String> {
    let robot = robot_of(scene)?;
    let mut values = robot.rest();
    for (name, &value) in &row.others {
        values[joint_named(robot, name)?] = value;
    }
    Ok((joint_named(robot, &row.name)?, values))
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

    /// Returns the whole motion, if a certificate with these settings leaves some of it out: the times of the
    /// scene, or the limits of the joint.
    pub fn beyond(&self, settings: &CertifiedSettings) -> Option<[f64; 2]> {
        let all = match &settings.joint {
            None => self.scene().time_range()?,
            Some(row) => {
                let robot = robot_of(self.scene()).ok()?;
                robot.joints[joint_named(robot, &row.name).ok()?].limits?
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
    let others = robot
        .joints
        .iter()
        .zip(values)
        .enumerate()
        .filter(|(other, (of, _))| *other != joint && of.axis.is_some() && of.mimic.is_none());
    let others: BTreeMap<String, f64> =
        others.map(|(_, (other, &value))| (other.name.to_string(), value)).collect();
    let kind = match robot.joints[joint].axis {
        Some(JointAxis::Sliding(_)) => JointKind::Sliding,
        _ => JointKind::Turning,
    };
    JointRow { name: robot.joints[joint].name.to_string(), kind, others }
}
