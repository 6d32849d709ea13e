//! Which pairs of a robot's parts can meet while its joints stay within ranges.

use std::f64::consts::PI;

use crate::error::{JobError, NothingAsked};
use crate::job::Job;
use crate::joints::{joint_named, joint_range, number, robot_of};
use closefit::{CheckRequest, JointBoxRequest, Observer};
use closefit_geometry::motion::JointAxis;
use closefit_geometry::scene::Robot;
use closefit_geometry::scene::joint_box::JointBox;
use closefit_geometry::text::printable;
use closefit_report::JointBoxReport;

/// Returns the ranges of a robot's joints: those given, as `NAME=limits`, `NAME=A:B` or `NAME=V`, and of
/// others their limits, or a full turn.
///
/// # Errors
/// The reason in one line, such as a joint that slides and has no limits.
pub fn joint_ranges(robot: &Robot, given: &[String]) -> Result<JointBox, String> {
    let mut named: Vec<Option<[f64; 2]>> = vec![None; robot.joints.len()];
    for text in given {
        let (joint, range) = one_range(robot, text)?;
        if named[joint].replace(range).is_some() {
            return Err(format!("there are two ranges of '{}'", printable(&robot.joints[joint].name)));
        }
    }
    let of_joint = |(joint, given): (_, &Option<[f64; 2]>)| {
        let joint: &closefit_geometry::scene::robot::RobotJoint = joint;
        match (given, joint.axis, joint.limits) {
            // Its value is that of another joint, or has no effect.
            _ if joint.mimic.is_some() || joint.axis.is_none() => Ok([0.0; 2]),
            (Some(range), ..) => Ok(*range),
            (None, _, Some([lower, upper])) if lower <= upper => Ok([lower, upper]),
            (None, Some(JointAxis::Turning(_)), None) => Ok([-PI, PI]),
            (None, _, limits) => {
                let name = printable(&joint.name);
                let why = if limits.is_none() { "has no limits" } else { "has limits in the wrong order" };
                Err(format!("the joint '{name}' {why}: say --joint {name}=A:B"))
            }
        }
    };
    let ranges = robot.joints.iter().zip(&named).map(of_joint).collect::<Result<_, String>>()?;
    Ok(JointBox { ranges })
}

/// Reads a joint with its range, or with one value.
fn one_range(robot: &Robot, text: &str) -> Result<(usize, [f64; 2]), String> {
    match text.rsplit_once('=') {
        Some((name, value)) if value != "limits" && !value.contains(':') => {
            Ok((joint_named(robot, name)?, [number(value)?; 2]))
        }
        _ => joint_range(robot, text).map(|range| (range.joint, range.range)),
    }
}

impl Job {
    /// Decides every pair of which a part hangs on a joint of the scene's robot, over all configurations.
    /// What the project asks of pairs holds, their clearances too.
    ///
    /// # Errors
    /// [`JobError`].
    ///
    /// # Panics
    /// Panics unless the scene has one robot, and a range for each of its joints is given.
    pub fn joint_box(
        &self,
        request: &CheckRequest,
        asked: &JointBoxRequest,
        observer: &dyn Observer,
    ) -> Result<JointBoxReport, JobError> {
        let scene = self.scene();
        let robot = robot_of(scene).expect("one robot");
        let found = self.assembly().encounters(robot, request, asked, observer);
        let found = found.map_err(|error| self.refused(error, scene))?;
        if found.is_empty() {
            let why = NothingAsked::Excluded(scene.count_pairs(None).excluded);
            return Err(JobError::Nothing { files: self.files(), why });
        }
        Ok(JointBoxReport::new((scene, robot), request, asked, &found))
    }
}
