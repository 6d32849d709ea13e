//! Scenes: parts with meshes, poses and motions.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::Arc;

use closefit::Unit;
use closefit::scene::{Part as ScenePart, Scene as Parts};
use closefit_geometry::ids::MeshId;
use closefit_job::{ReadScene, read_from, robot_of};
use closefit_report::digest::Digests;
use closefit_scene::keys::PartKeys;
use closefit_scene::read::{Disk, Files, Motions, ReadOptions, package_path};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::error::{Refusal, finite_time};
use crate::files::{Packed, SceneFiles, unit_of};
use crate::joints::{self, Joint};
use crate::mesh::Mesh;
use crate::part::Part;
use crate::poses::pose;
use crate::program;
use crate::sizes;
use crate::work;

/// Parts with meshes, poses and motions: what is checked and swept.
#[pyclass(frozen, module = "closefit")]
#[derive(Clone)]
pub struct Scene {
    read: Arc<ReadScene>,
    /// The files that it was read from; `None` for meshes at poses.
    files: Option<Arc<SceneFiles>>,
    /// The reason why motions cannot be followed, if the files have such.
    still: Option<String>,
}

#[pymethods]
impl Scene {
    /// Read files: glTF, STL, OBJ, PLY, OFF, 3MF, COLLADA, IFC, URDF, MJCF, SDF or a manifest; STEP with
    /// ``closefit[step]``, and USD with ``closefit[usd]``.
    ///
    /// Parameters
    /// ----------
    /// *paths : path-like
    ///     The files of the scene.
    /// unit : str, optional
    ///     Unit of files that have none, such as STL: 'mm', 'cm', 'm', 'in' or 'ft'.
    /// models : mapping of str to path-like, optional
    ///     Names of files; by default their own without the extension.
    /// trajectory : path-like, optional
    ///     Motion of a robot: CSV with a row for each time.
    /// srdf : path-like, optional
    ///     Pairs of a robot's links that are not looked at.
    /// collision_geometry : bool
    ///     Whether to take a robot's collision geometry in place of what is seen.
    /// allow_outside : bool
    ///     Whether files may refer to files outside their folder.
    /// packages : mapping of str to path-like, optional
    ///     Folders of ROS packages, for addresses such as ``package://NAME/a.stl``.
    /// allow_missing : bool
    ///     Whether to leave out parts that cannot be read.
    /// allow_uncut : bool
    ///     Whether to take products of an .ifc whose openings could not be cut, or that have lost something
    ///     else, as they are.
    /// ifc_limit : int, optional
    ///     Longest time for the geometry of an .ifc, in seconds; by default 30, or 1 per MB of larger files.
    /// chord : float, optional
    ///     How far surfaces of cylinders, spheres and the like of a robot or in USD may lie outside their
    ///     meshes, in metres; by default 0.0001. How far surfaces of STEP may lie from theirs; by default
    ///     0.00003.
    /// hulls : bool
    ///     Whether to take the convex hulls of a robot's meshes in their place, as simulators collide them.
    /// split : bool
    ///     Whether to take each object of an .obj and each solid of an .stl as a part.
    ///
    /// Returns
    /// -------
    /// Scene
    #[staticmethod]
    #[pyo3(signature = (
        *paths, unit = None, models = None, trajectory = None, srdf = None, collision_geometry = false,
        allow_outside = false, packages = None, allow_missing = false, allow_uncut = false, ifc_limit = None,
        chord = None, hulls = false, split = false
    ))]
    #[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
    fn load(
        paths: &Bound<'_, PyTuple>,
        unit: Option<String>,
        models: Option<BTreeMap<String, PathBuf>>,
        trajectory: Option<PathBuf>,
        srdf: Option<PathBuf>,
        collision_geometry: bool,
        allow_outside: bool,
        packages: Option<BTreeMap<String, PathBuf>>,
        allow_missing: bool,
        allow_uncut: bool,
        #[pyo3(from_py_with = sizes::ifc_limit)] ifc_limit: Option<u32>,
        chord: Option<f64>,
        hulls: bool,
        split: bool,
    ) -> PyResult<Self> {
        let py = paths.py();
        let paths: Vec<PathBuf> = paths.extract()?;
        if paths.is_empty() {
            return Err(Refusal::of("paths", "a scene has at least one file").into());
        }
        if let Some(chord) = chord.filter(|&chord| chord <= 0.0 || !chord.is_finite()) {
            return Err(Refusal::of("chord", format!("{chord} is not more than 0")).into());
        }
        let models = models.into_iter().flatten().collect();
        let files = SceneFiles {
            paths,
            unit,
            models,
            trajectory,
            srdf,
            collision_geometry,
            allow_outside,
            packages: packages.into_iter().flatten().collect(),
            package_path: package_path(),
            allow_missing,
            allow_uncut,
            ifc_limit,
            chord,
            hulls,
            split,
        };
        Self::of_files(py, files, Disk)
    }

    /// Take the meshes of a ``trimesh.Scene``, with the transforms of its nodes as they are.
    ///
    /// Parameters
    /// ----------
    /// scene : trimesh.Scene
    ///     The scene.
    /// unit : str, optional
    ///     Unit of all lengths: 'mm', 'cm', 'm', 'in' or 'ft'; by default the scene's unit, if it has one.
    ///
    /// Returns
    /// -------
    /// Scene
    ///     A part for each node with a mesh. What has no faces is left out, which a note says.
    #[staticmethod]
    #[pyo3(signature = (scene, *, unit = None))]
    fn from_trimesh(scene: &Bound<'_, PyAny>, unit: Option<String>) -> PyResult<Self> {
        let py = scene.py();
        let unit = match unit {
            Some(unit) => Some(unit),
            None => scene.getattr("units")?.extract()?,
        };
        let mut parts = Parts { unit: unit.as_deref().map(unit_of).transpose()?, ..Parts::default() };
        let (graph, geometry) = (scene.getattr("graph")?, scene.getattr("geometry")?);
        let mut known: HashMap<String, MeshId> = HashMap::new();
        for node in graph.getattr("nodes_geometry")?.try_iter()? {
            let node = node?;
            let (matrix, of): (Bound<'_, PyAny>, String) = graph.get_item(&node)?.extract()?;
            let (name, mesh) = (node.str()?.to_string(), geometry.get_item(&of)?);
            if !mesh.hasattr("faces")? {
                parts.notes.push(format!("'{name}' is left out: '{of}' has no faces"));
                continue;
            }
            let id = match known.get(&of) {
                Some(&id) => id,
                None => {
                    let id = parts.add_mesh(Mesh::from_trimesh(&py.get_type::<Mesh>(), &mesh)?.0);
                    known.insert(of, id);
                    id
                }
            };
            parts.parts.push(ScenePart::new(&name[..], id, pose(&matrix, &name)?));
        }
        Ok(Self { read: Arc::new(parts.into()), files: None, still: None })
    }

    /// Return the scene at a time, in seconds: its parts stand where they are then.
    fn at(&self, time: f64) -> PyResult<Self> {
        self.require_motions()?;
        let scene = self.scene();
        let holds_still = || self.files.as_ref().is_some_and(|files| files.trajectory.is_some());
        if scene.time_range().is_none() && !holds_still() {
            return Err(Refusal::of("time", "nothing in the scene moves").into());
        }
        let read = ReadScene { scene: scene.at(finite_time(time)?), ..ReadScene::clone(&self.read) };
        Ok(Self { read: Arc::new(read), files: self.files.clone(), still: None })
    }

    /// Decide every pair of parts where they stand: `closefit.check` of the scene, with its settings.
    #[pyo3(signature = (**settings))]
    fn check<'py>(
        slf: &Bound<'py, Self>,
        settings: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        job(slf.py(), "check")?.call((slf,), settings)
    }

    /// Decide every pair of parts over their motion: `closefit.sweep` of the scene, with its settings.
    #[pyo3(signature = (**settings))]
    fn sweep<'py>(
        slf: &Bound<'py, Self>,
        settings: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        job(slf.py(), "sweep")?.call((slf,), settings)
    }

    /// Decide every pair of a robot's parts at many configurations of its joints:
    /// `closefit.check_configurations` of the scene, with its settings.
    #[pyo3(signature = (configurations, **settings))]
    fn check_configurations<'py>(
        slf: &Bound<'py, Self>,
        configurations: &Bound<'py, PyAny>,
        settings: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        job(slf.py(), "check_configurations")?.call((slf, configurations), settings)
    }

    /// Parts, in the order of their ids.
    #[getter]
    fn parts(&self, py: Python<'_>) -> PyResult<Vec<Part>> {
        let read = Arc::clone(&self.read);
        let keys = work::long(py, 0, move |_| PartKeys::of(&read.scene).of_part)?;
        let part = |(id, key): (usize, Arc<str>)| Part { read: Arc::clone(&self.read), id, key };
        Ok(keys.into_iter().enumerate().map(part).collect())
    }

    /// Joints of the scene's one robot that can be set, in the order of its file: those that are neither
    /// fixed nor follow another.
    #[getter]
    fn joints(&self) -> PyResult<Vec<Joint>> {
        match &self.scene().robots[..] {
            [] => Ok(Vec::new()),
            _ => Ok(joints::all(robot_of(self.scene()).map_err(|why| Refusal::of("joints", why))?)),
        }
    }

    /// Unit of all lengths, such as 'mm'; None if the files have none.
    #[getter]
    fn unit(&self) -> Option<&'static str> {
        self.scene().unit.map(Unit::suffix)
    }

    /// Times of the first and the last keyframe, in seconds; None if nothing moves.
    #[getter]
    fn time_range(&self) -> Option<(f64, f64)> {
        self.scene().time_range().map(Into::into)
    }

    /// Notes on skipped content of the files.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.scene().notes.clone()
    }

    fn __len__(&self) -> usize {
        self.scene().parts.len()
    }

    /// A pickled scene of files is their bytes, which are read again.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        let class = py.get_type::<Self>();
        let Some(files) = &self.files else {
            let rows = self.parts(py)?;
            let rows = rows.iter().map(|part| Ok((part.name().to_owned(), part.mesh(), part.pose(py)?)));
            let rows = rows.collect::<PyResult<Vec<_>>>()?;
            let arguments = (rows, self.unit(), self.notes()).into_pyobject(py)?;
            return Ok((class.getattr("_of_rows")?, arguments));
        };
        let packed = Packed::of(py, files)?;
        let read = Self::of_files(py, packed.files.clone(), packed.in_memory()?)?;
        let read = self.scene().time.map_or(Ok(read.clone()), |time| read.at(time))?;
        if read.digest(py)? != self.digest(py)? {
            return Err(Refusal::of("scene", "its files have changed since they were read").into());
        }
        Ok((class.getattr("_of_packed")?, (packed, self.scene().time).into_pyobject(py)?))
    }

    /// Read packed files.
    #[staticmethod]
    fn _of_packed(py: Python<'_>, packed: Packed, time: Option<f64>) -> PyResult<Self> {
        let on = packed.in_memory()?;
        let scene = Self::of_files(py, packed.files, on)?;
        time.map_or(Ok(scene.clone()), |time| scene.at(time))
    }

    /// Make a scene of meshes at poses: rows of name, mesh and matrix.
    #[staticmethod]
    fn _of_rows(
        rows: Vec<(String, Bound<'_, Mesh>, Bound<'_, PyAny>)>,
        unit: Option<&str>,
        notes: Vec<String>,
    ) -> PyResult<Self> {
        let mut scene = Parts { unit: unit.map(unit_of).transpose()?, notes, ..Parts::default() };
        let mut known = HashMap::new();
        for (name, mesh, matrix) in rows {
            let mesh = &mesh.get().0;
            let id = *known.entry(Arc::as_ptr(mesh)).or_insert_with(|| scene.add_mesh(Arc::clone(mesh)));
            scene.parts.push(ScenePart::new(&name[..], id, pose(&matrix, &name)?));
        }
        Ok(Self { read: Arc::new(scene.into()), files: None, still: None })
    }

    fn __repr__(&self) -> String {
        let unit = self.unit().map_or(String::new(), |unit| format!(", unit {unit}"));
        format!("Scene({} parts{unit})", self.__len__())
    }
}

impl Scene {
    /// Returns the scene, with what its files are called.
    pub fn read(&self) -> &Arc<ReadScene> {
        &self.read
    }

    /// Returns the files that it was read from, if it was.
    pub fn files(&self) -> Option<&SceneFiles> {
        self.files.as_deref()
    }

    /// Reads files. Motions that cannot be followed are an error only for those who need them.
    fn of_files(py: Python<'_>, files: SceneFiles, on: impl Files + Send + 'static) -> PyResult<Self> {
        program::can_start_again(py);
        let mut options = files.options()?;
        let paths = files.paths.clone();
        let (read, still) = work::long(py, 0, move |stop| {
            options.stop = stop.flag();
            let required = ReadOptions { motions: Motions::Required, ..options.clone() };
            match read_from(&on, &paths, &required, stop) {
                Ok(read) => Ok((read, None)),
                Err(error) => {
                    let read = read_from(&on, &paths, &options, stop).map_err(Refusal::from)?;
                    Ok::<_, Refusal>((read, Some(error.to_string())))
                }
            }
        })??;
        Ok(Self { read: Arc::new(read), files: Some(Arc::new(files)), still })
    }

    fn scene(&self) -> &Parts {
        &self.read.scene
    }

    /// Returns the digest of all that a report depends on.
    fn digest(&self, py: Python<'_>) -> PyResult<String> {
        let read = Arc::clone(&self.read);
        let digests = work::long(py, 0, move |_| match (&read.scene, read.scene.time_range()) {
            (scene, Some(range)) if scene.time.is_none() => Digests::moving(scene, range),
            (scene, _) => Digests::standing(scene),
        });
        Ok(digests?.scene.to_hex().to_string())
    }

    /// Refuses a scene whose motions cannot be followed.
    pub fn require_motions(&self) -> PyResult<()> {
        self.still.as_ref().map_or(Ok(()), |why| Err(Refusal::of("scene", why).into()))
    }
}

/// Returns one of the module's functions on scenes, which are in Python.
fn job<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("closefit._jobs")?.getattr(name)
}

/// A function of the class, and its arguments.
type Reduced<'py> = (Bound<'py, PyAny>, Bound<'py, PyTuple>);
