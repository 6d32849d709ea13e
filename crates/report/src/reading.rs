//! The files of a run and how they were read, so that the scene of a finished run can be read again.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use closefit_geometry::units::Unit;
use closefit_scene::read::ReadOptions;

/// The keys of `run.json` about reading. Paths are as the run was given them: relative ones begin where it
/// was started.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(expecting = "an object")]
pub struct Reading {
    /// The scene files.
    inputs: Vec<RecordedPath>,
    /// The unit of files that carry none, if one was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    unit: Option<Unit>,
    /// Names given to scene files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    models: Vec<(String, RecordedPath)>,
    /// The trajectory of a robot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    trajectory: Option<RecordedPath>,
    /// True if the collision meshes of robots were read.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    collision_geometry: bool,
    /// True if files outside the scene's folder were allowed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    allow_outside: bool,
    /// The folders of ROS packages by name, and those in which packages were searched.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    packages: Vec<(String, RecordedPath)>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    package_path: Vec<RecordedPath>,
    /// True if parts that cannot be read were left out.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    allow_missing: bool,
    /// True if products of IFC files were taken although they had lost something.
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

/// A path: its text or, if it is no Unicode, as on Unix it need not be, its bytes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
enum RecordedPath {
    Text(String),
    Bytes(Vec<u8>),
}

impl RecordedPath {
    fn of(path: &Path) -> Self {
        match path.to_str() {
            Some(text) => Self::Text(text.to_owned()),
            None => Self::Bytes(path.as_os_str().as_encoded_bytes().to_owned()),
        }
    }

    fn path(&self) -> PathBuf {
        match self {
            Self::Text(text) => text.into(),
            Self::Bytes(bytes) => of_bytes(bytes).into(),
        }
    }
}

/// Returns the name of these bytes.
fn of_bytes(bytes: &[u8]) -> OsString {
    #[cfg(unix)]
    return std::os::unix::ffi::OsStringExt::from_vec(bytes.to_owned());
    #[cfg(not(unix))]
    return String::from_utf8_lossy(bytes).into_owned().into();
}

impl Reading {
    /// Records the files of a scene and the options with which they were read.
    pub fn of(inputs: &[PathBuf], options: &ReadOptions) -> Self {
        let named = |(name, path): &(String, PathBuf)| (name.clone(), RecordedPath::of(path));
        Self {
            inputs: inputs.iter().map(|path| RecordedPath::of(path)).collect(),
            unit: options.unit,
            models: options.models.iter().map(named).collect(),
            trajectory: options.trajectory.as_deref().map(RecordedPath::of),
            collision_geometry: options.collision_geometry,
            allow_outside: options.allow_outside,
            packages: options.packages.iter().map(named).collect(),
            package_path: options.package_path.iter().map(|folder| RecordedPath::of(folder)).collect(),
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
        self.inputs.iter().map(RecordedPath::path).collect()
    }

    /// Returns the options with which to read them again. Pairs that an SRDF disables change no part.
    pub fn options(&self) -> ReadOptions {
        let named = |(name, path): &(String, RecordedPath)| (name.clone(), path.path());
        ReadOptions {
            unit: self.unit,
            models: self.models.iter().map(named).collect(),
            trajectory: self.trajectory.as_ref().map(RecordedPath::path),
            collision_geometry: self.collision_geometry,
            allow_outside: self.allow_outside,
            packages: self.packages.iter().map(named).collect(),
            package_path: self.package_path.iter().map(RecordedPath::path).collect(),
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

    #[cfg(unix)]
    #[test]
    fn names_of_any_bytes_are_recorded() {
        let name: PathBuf = of_bytes(b"T\xfcr.stl").into();
        let text = serde_json::to_string(&Reading::of(std::slice::from_ref(&name), &ReadOptions::default()))
            .unwrap();
        assert_eq!(text, r#"{"inputs":[[84,252,114,46,115,116,108]]}"#);
        let read: Reading = serde_json::from_str(&text).unwrap();
        assert_eq!(read.inputs(), [name]);
    }
}
