//! The files of a run and how they were read, so that the scene of a finished run can be read again.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use closefit_geometry::units::Unit;
use closefit_scene::read::ReadOptions;

/// The keys of `run.json` about reading. Paths are as the run was given them: relative ones begin where it
/// was started.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reading {
    /// The scene files.
    inputs: Vec<String>,
    /// The unit of files that carry none, if one was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    unit: Option<Unit>,
    /// Names given to scene files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    models: Vec<(String, String)>,
    /// The trajectory of a robot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    trajectory: Option<String>,
    /// True if the collision meshes of robots were read.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    collision_geometry: bool,
    /// True if files outside the scene's folder were allowed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    allow_outside: bool,
    /// The folders of ROS packages by name, and those in which packages were searched.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    packages: Vec<(String, String)>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    package_path: Vec<String>,
    /// True if parts that cannot be read were left out.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    allow_missing: bool,
    /// True if products of IFC files of which something was lost were taken.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    allow_uncut: bool,
    /// The seconds that the geometry of an IFC file could take, if they were given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ifc_limit: Option<u64>,
    /// The distance in metres that surfaces of curved primitives may lie outside their meshes, if it was
    /// given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    chord: Option<f64>,
    /// True if hulls were taken in place of a robot's meshes.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    hulls: bool,
    /// True if objects of mesh files were taken as parts.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    split: bool,
}

impl Reading {
    /// Records the files of a scene and the options with which they were read.
    pub fn of(inputs: &[PathBuf], options: &ReadOptions) -> Self {
        let text = |path: &Path| path.display().to_string();
        Self {
            inputs: inputs.iter().map(|path| text(path)).collect(),
            unit: options.unit,
            models: options.models.iter().map(|(name, file)| (name.clone(), text(file))).collect(),
            trajectory: options.trajectory.as_deref().map(text),
            collision_geometry: options.collision_geometry,
            allow_outside: options.allow_outside,
            packages: options.packages.iter().map(|(name, folder)| (name.clone(), text(folder))).collect(),
            package_path: options.package_path.iter().map(|folder| text(folder)).collect(),
            allow_missing: options.allow_missing,
            allow_uncut: options.allow_uncut,
            ifc_limit: options.ifc_limit.map(|limit| limit.as_secs()),
            chord: options.chord,
            hulls: options.hulls,
            split: options.split,
        }
    }

    /// Returns the scene files.
    pub fn inputs(&self) -> Vec<PathBuf> {
        self.inputs.iter().map(PathBuf::from).collect()
    }

    /// Returns the options with which to read them again. Pairs that an SRDF disables change no part.
    pub fn options(&self) -> ReadOptions {
        ReadOptions {
            unit: self.unit,
            models: self.models.iter().map(|(name, file)| (name.clone(), file.into())).collect(),
            trajectory: self.trajectory.as_ref().map(PathBuf::from),
            collision_geometry: self.collision_geometry,
            allow_outside: self.allow_outside,
            packages: self.packages.iter().map(|(name, folder)| (name.clone(), folder.into())).collect(),
            package_path: self.package_path.iter().map(PathBuf::from).collect(),
            allow_missing: self.allow_missing,
            allow_uncut: self.allow_uncut,
            ifc_limit: self.ifc_limit.map(Duration::from_secs),
            chord: self.chord,
            hulls: self.hulls,
            split: self.split,
            ..ReadOptions::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_recorded_reads_the_same_files_in_the_same_way() {
        let options = ReadOptions {
            unit: Some(Unit::Ft),
            models: vec![("A".to_owned(), "a.stl".into())],
            trajectory: Some("t.csv".into()),
            collision_geometry: true,
            allow_outside: true,
            packages: vec![("arm_description".to_owned(), "ros/arm".into())],
            package_path: vec!["/opt/ros".into()],
            allow_missing: true,
            allow_uncut: true,
            ifc_limit: Some(Duration::from_secs(60)),
            chord: Some(1e-3),
            hulls: true,
            split: true,
            ..ReadOptions::default()
        };
        let inputs = [PathBuf::from("a.stl"), PathBuf::from("../b.urdf")];
        let text = serde_json::to_string(&Reading::of(&inputs, &options)).unwrap();
        let read: Reading = serde_json::from_str(&text).unwrap();
        assert_eq!(format!("{:?}", read.options()), format!("{options:?}"));
        assert_eq!(read.inputs(), inputs);
        let plain = Reading::of(&inputs, &ReadOptions::default());
        assert_eq!(serde_json::to_string(&plain).unwrap(), r#"{"inputs":["a.stl","../b.urdf"]}"#);
    }
}
