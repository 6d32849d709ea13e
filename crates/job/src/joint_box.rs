//! Which pairs of a robot's parts can meet while its joints stay within ranges.

use std::f64::consts::{PI, TAU};

use crate::error::{JobError, NothingAsked};
use crate::job::Job;
use crate::joints::{joint_named, joint_range, joint_value, robot_of, without_range};
use closefit::{CheckRequest, JointBoxRequest, Observer};
use closefit_geometry::motion::JointAxis;
use closefit_geometry::scene::joint_box::JointBox;
use closefit_geometry::scene::robot::RobotJoint;
use closefit_geometry::scene::{Robot, Scene};
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
    let of_joint = |(joint, given): (&RobotJoint, &Option<[f64; 2]>)| {
        // It follows another joint, or its value has no effect.
        if joint.mimic.is_some() || joint.axis.is_none() {
            return Ok([0.0; 2]);
        }
        given.or_else(|| whole_range(joint)).ok_or_else(|| {
            let name = printable(&joint.name);
            let why = match joint.range() {
                None => without_range(joint),
                Some(_) => "has limits in the wrong order",
            };
            format!("the joint '{name}' {why}: say --joint {name}=A:B")
        })
    };
    let ranges = robot.joints.iter().zip(&named).map(of_joint).collect::<Result<_, String>>()?;
    Ok(JointBox { ranges })
}

/// Returns the range of all poses that a joint can take: its limits, or a full turn, from its only limit if
/// it has one. `None` if the file does not tell.
fn whole_range(joint: &RobotJoint) -> Option<[f64; 2]> {
    match (joint.axis, joint.range(), joint.limits) {
        (_, Some([lower, upper]), _) => (lower <= upper).then_some([lower, upper]),
        (Some(JointAxis::Turning(_)), None, Some([lower, _])) if lower.is_finite() => {
            Some([lower, (lower + TAU).next_up()])
        }
        (Some(JointAxis::Turning(_)), None, Some([_, upper])) => Some([(upper - TAU).next_down(), upper]),
        (Some(JointAxis::Turning(_)), None, None) => Some([-PI, PI]),
        _ => None,
    }
}

/// Checks that ranges have all poses that a robot's joints can take, as what is proven of them has to hold
/// for a planner.
///
/// # Errors
/// The reason in one line: the first joint that can take others.
pub fn whole_ranges(robot: &Robot, JointBox { ranges }: &JointBox) -> Result<(), String> {
    for (joint, &[lower, upper]) in robot.joints.iter().zip(ranges) {
        let is_asked = joint.axis.is_some() && joint.mimic.is_none();
        let Some([lowest, highest]) = whole_range(joint).filter(|_| is_asked) else { continue };
        let is_turn = joint.range().is_none() && upper - lower >= TAU;
        if !is_turn && (lower > lowest || upper < highest) {
            let name = printable(&joint.name);
            return Err(format!(
                "an SRDF holds for all values of the joint '{name}', {lowest} to {highest}, and not for {lower} to {upper} alone"
            ));
        }
    }
    Ok(())
}

/// Checks that a robot's collision geometry was read, if it has any: planners look at nothing else.
///
/// # Errors
/// The reason in one line.
pub fn collision_geometry(robot: &Robot) -> Result<(), String> {
    match robot.lacks_collision {
        true => {
            Err("an SRDF holds for the collision geometry of a robot, and not for its visual meshes"
                .to_owned())
        }
        false => Ok(()),
    }
}

/// Reads a joint with its range, or with one value.
fn one_range(robot: &Robot, text: &str) -> Result<(usize, [f64; 2]), String> {
    match text.rsplit_once('=') {
        Some((name, value)) if value != "limits" && !value.contains(':') => {
            let joint = joint_named(robot, name)?;
            Ok((joint, [joint_value(&robot.joints[joint], value)?; 2]))
        }
        _ => joint_range(robot, text).map(|range| (range.joint, range.range)),
    }
}

/// Returns a note if several parts are not on the robot: no joint moves them relative to each other.
pub fn others_note(scene: &Scene, robot: &Robot) -> Option<String> {
    let others = scene.parts.len() - robot.parts.len();
    (others > 1).then(|| {
        format!("{others} parts are not on the robot: closefit check decides which of them meet each other")
    })
}

impl Job {
    /// Decides every pair with a part of the scene's robot, over all configurations.
    /// Exclusions and clearances of the project's rules apply.
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

#[cfg(test)]
mod tests {
    use super::*;
    use closefit::DVec3;

    fn robot(axis: JointAxis, limits: Option<[f64; 2]>) -> Robot {
        let joint = RobotJoint { name: "j".into(), axis: Some(axis), limits, mimic: None };
        Robot { joints: vec![joint], ..Robot::default() }
    }

    /// A joint that turns takes all its poses within a turn from its only limit; one that slides has no
    /// range.
    #[test]
    fn one_limit_is_no_range() {
        let inf = f64::INFINITY;
        let (turning, sliding) = (JointAxis::Turning(DVec3::Z), JointAxis::Sliding(DVec3::Z));
        for (limits, turn) in [([1.0, inf], [1.0, 1.0 + TAU]), ([-inf, 2.0], [2.0 - TAU, 2.0])] {
            let of = robot(turning, Some(limits));
            let JointBox { ranges } = joint_ranges(&of, &[]).unwrap();
            let [low, high] = ranges[0];
            assert!(low <= turn[0] && high >= turn[1] && high - low < TAU + 1e-12, "{ranges:?}");
            assert!(whole_ranges(&of, &JointBox { ranges }).is_ok());
            assert!(whole_ranges(&of, &JointBox { ranges: vec![[0.0, 7.0]] }).is_ok(), "a turn");
            assert!(whole_ranges(&of, &JointBox { ranges: vec![[1.0, 2.0]] }).is_err(), "a part of one");
            let slides = robot(sliding, Some(limits));
            for (told, flag) in [
                (joint_ranges(&slides, &[]).unwrap_err(), "--joint "),
                (joint_range(&slides, "j=limits").unwrap_err(), ""),
                (joint_range(&of, "j=limits").unwrap_err(), ""),
            ] {
                assert_eq!(told, format!("the joint 'j' has a limit on one side alone: say {flag}j=A:B"));
            }
        }
        assert_eq!(joint_ranges(&robot(sliding, Some([1.0, 2.0])), &[]).unwrap().ranges, [[1.0, 2.0]]);
        let none = joint_range(&robot(turning, None), "j=limits").unwrap_err();
        assert_eq!(none, "the joint 'j' has no limits: say j=A:B");
    }
}
