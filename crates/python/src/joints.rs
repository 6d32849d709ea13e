//! The joints of a scene's robot: what they are, where they stand, and along which one it is swept.

use std::collections::BTreeMap;

use closefit_geometry::motion::JointAxis;
use closefit_geometry::scene::Robot;
use closefit_job::{Job, joint_named, joint_range, robot_of};
use pyo3::prelude::*;

use crate::error::Refusal;

/// A joint of a robot that can be set.
#[pyclass(frozen, module = "closefit")]
pub struct Joint {
    /// Name in the robot's file.
    #[pyo3(get)]
    name: String,
    /// 'turning', with values in radians, or 'sliding', in metres.
    #[pyo3(get)]
    kind: &'static str,
    /// Lowest and highest value, infinite on a side that the file does not limit; None if it limits none.
    #[pyo3(get)]
    limits: Option<(f64, f64)>,
    /// Value that it has if nobody sets it: 0, or the limit nearest to it.
    #[pyo3(get)]
    rest: f64,
}

#[pymethods]
impl Joint {
    fn __repr__(&self) -> String {
        let limits = self.limits.map_or(String::new(), |(lower, upper)| format!(", {lower} to {upper}"));
        format!("Joint('{}', {}{limits})", self.name, self.kind)
    }
}

/// Returns the joints of a robot that can be set.
pub fn all(robot: &Robot) -> Vec<Joint> {
    let free = robot.joints.iter().filter(|joint| joint.mimic.is_none());
    let made = free.filter_map(|joint| {
        let kind = match joint.axis? {
            JointAxis::Turning(_) => "turning",
            JointAxis::Sliding(_) => "sliding",
        };
        let limits = joint.limits.map(Into::into);
        Some(Joint { name: joint.name.to_string(), kind, limits, rest: joint.rest() })
    });
    made.collect()
}

/// Returns a value for each of a robot's joints. Some may be set; the others rest.
pub fn standing(robot: &Robot, set: &BTreeMap<String, f64>) -> Result<Vec<f64>, Refusal> {
    let refused = |why: String| Refusal::of("at_joints", why);
    let mut values = robot.rest();
    for (name, &value) in set {
        let joint = joint_named(robot, name).map_err(refused)?;
        if !value.is_finite() {
            return Err(refused(format!("{name}: {value} is not a finite number")));
        }
        values[joint] = value;
    }
    Ok(values)
}

/// Returns a job with its robot swept along a joint, given as `NAME=limits` or `NAME=A:B`.
pub fn along(job: &Job, joint: &str, set: &BTreeMap<String, f64>) -> Result<Job, Refusal> {
    let refused = |why: String| Refusal::of("joint", why);
    let robot = robot_of(job.scene()).map_err(refused)?;
    let range = joint_range(robot, joint).map_err(refused)?;
    job.along_joint(range, &standing(robot, set)?).map_err(refused)
}
