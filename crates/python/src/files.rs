//! The files of a scene: how they are read, and all that is needed to read them elsewhere.

use std::collections::BTreeMap;
use std::io;
use std::path::{Component, Path, PathBuf, absolute};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use closefit::Unit;
use closefit_job::read_from;
use closefit_scene::read::{Disk, Files, Found, InMemory, Motions, ReadOptions};
use pyo3::prelude::*;

use crate::error::Refusal;
use crate::work;

/// The files of a scene, and how they are read.
#[derive(Clone, FromPyObject, IntoPyObject)]
#[pyo3(from_item_all)]
pub struct SceneFiles {
    /// The paths of the scene's own files.
    pub paths: Vec<PathBuf>,
    /// The unit of those that have none.
    pub unit: Option<String>,
    /// Names of files, each with its file.
    pub models: Vec<(String, PathBuf)>,
    /// The motion of a robot.
    pub trajectory: Option<PathBuf>,
    /// The pairs of a robot's links that are not looked at.
    pub srdf: Option<PathBuf>,
    /// True to take a robot's collision geometry.
    pub collision_geometry: bool,
    /// True if files may refer to others outside their folder.
    pub allow_outside: bool,
    /// The folders of ROS packages, by their names.
    pub packages: Vec<(String, PathBuf)>,
    /// Folders with ROS packages.
    pub package_path: Vec<PathBuf>,
    /// True to leave out parts that cannot be read.
    pub allow_missing: bool,
    /// True to take products of IFC files that have lost something.
    pub allow_uncut: bool,
    /// The seconds that the geometry of an IFC file may take.
    pub ifc_limit: Option<u32>,
    /// The distance in metres that surfaces of curved primitives may lie outside their meshes.
    pub chord: Option<f64>,
    /// True to take hulls in place of a robot's meshes.
    pub hulls: bool,
    /// True to take objects of mesh files as parts.
    pub split: bool,
}

impl SceneFiles {
    /// Returns the options of the readers.
    pub fn options(&self) -> Result<ReadOptions, Refusal> {
        Ok(ReadOptions {
            unit: self.unit.as_deref().map(unit_of).transpose()?,
            models: self.models.clone(),
            trajectory: self.trajectory.clone(),
            srdf: self.srdf.clone(),
            collision_geometry: self.collision_geometry,
            allow_outside: self.allow_outside,
            packages: self.packages.clone(),
            package_path: self.package_path.clone(),
            allow_missing: self.allow_missing,
            allow_uncut: self.allow_uncut,
            ifc_limit: self.ifc_limit.map(|seconds| Duration::from_secs(seconds.into())),
            chord: self.chord,
            hulls: self.hulls,
            split: self.split,
            motions: Motions::Noted,
            ..ReadOptions::default()
        })
    }
}

/// Returns the unit of a name.
pub fn unit_of(text: &str) -> Result<Unit, Refusal> {
    text.parse().map_err(|error| Refusal::of("unit", error))
}

/// Files with the bytes of all that reading them needs.
#[derive(FromPyObject, IntoPyObject)]
#[pyo3(from_item_all)]
pub struct Packed {
    /// The files, by absolute paths.
    pub files: SceneFiles,
    /// The bytes of each file by its path.
    bytes: Vec<(PathBuf, Vec<u8>)>,
}

impl Packed {
    /// Reads files, and keeps their bytes.
    pub fn of(py: Python<'_>, files: &SceneFiles) -> PyResult<Self> {
        let whole = |path: &PathBuf| absolute(path).map_err(|error| Refusal::of(path.display(), error));
        let SceneFiles { paths, models, trajectory, srdf, packages, package_path, .. } = files;
        let named = |(name, path): &(String, PathBuf)| Ok((name.clone(), whole(path)?));
        let files = SceneFiles {
            paths: paths.iter().map(whole).collect::<Result<_, _>>()?,
            models: models.iter().map(named).collect::<Result<_, Refusal>>()?,
            packages: packages.iter().map(named).collect::<Result<_, Refusal>>()?,
            package_path: package_path.iter().map(whole).collect::<Result<_, _>>()?,
            trajectory: trajectory.as_ref().map(whole).transpose()?,
            srdf: srdf.as_ref().map(whole).transpose()?,
            ..files.clone()
        };
        let (mut options, paths) = (files.options()?, files.paths.clone());
        let bytes = work::long(py, 0, move |stop| {
            options.stop = stop.flag();
            let kept = Kept::default();
            read_from(&kept, &paths, &options, stop).map_err(Refusal::from)?;
            Ok::<_, Refusal>(kept.0.into_inner().unwrap_or_else(PoisonError::into_inner))
        });
        Ok(Self { files, bytes: bytes??.into_iter().collect() })
    }

    /// Returns the files as they would be on a disk.
    pub fn in_memory(&self) -> Result<InMemory, Refusal> {
        let mut all = InMemory::default();
        for (path, bytes) in &self.bytes {
            all.insert(path, &bytes[..])
                .map_err(|error| Refusal::from(closefit_job::JobError::from(error)))?;
        }
        Ok(all)
    }
}

/// The files of the system, by paths as they are written, without links. Those that are read are kept.
#[derive(Default)]
struct Kept(Mutex<BTreeMap<PathBuf, Vec<u8>>>);

impl Files for Kept {
    fn look(&self, path: &Path) -> io::Result<Found> {
        Disk.look(path)
    }

    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let bytes = Disk.read(path)?;
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.insert(self.canonical(path)?, bytes.clone());
        Ok(bytes)
    }

    fn are_on_disk(&self) -> bool {
        true
    }

    fn canonical(&self, path: &Path) -> io::Result<PathBuf> {
        self.look(path)?;
        let mut all = PathBuf::new();
        for step in absolute(path)?.components() {
            match step {
                Component::ParentDir => _ = all.pop(),
                step => all.push(step),
            }
        }
        Ok(all)
    }
}
