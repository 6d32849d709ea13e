//! The values of a robot's joints, as flags have them.

use std::path::Path;

use anyhow::anyhow;

use crate::errors::of_flag;
use closefit_geometry::scene::Scene;
use closefit_job::{joint_values, joint_values_in, robot_of};

/// True if values of `--at-joints` that are written name a joint.
pub fn names_joint(text: &str, joint: &str) -> bool {
    text.split(',').any(|one| one.trim().rsplit_once('=').is_some_and(|(name, _)| name == joint))
}

/// Returns the values of `--at-joints`: as they are written, or those in a file.
pub fn at_joints(text: &str, scene: &Scene) -> anyhow::Result<Vec<f64>> {
    let refused = |why: String| of_flag(anyhow!(why), format!("--at-joints {text}"));
    let robot = robot_of(scene).map_err(refused)?;
    match text.contains('=') {
        true => joint_values(robot, text).map_err(refused),
        false if Path::new(text).exists() => Ok(joint_values_in(Path::new(text), scene)?),
        false => Err(refused("it is no file, and values of joints are NAME=V,NAME=V,...".to_owned())),
    }
}
