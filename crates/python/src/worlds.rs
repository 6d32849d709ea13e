//! Many copies of one scene, asked together.

use std::sync::{Arc, Mutex, PoisonError};

use closefit::{AdvanceRequest, Pose, Step};
use numpy::{PyArray1, PyArray2, PyArray3, PyArrayMethods};
use pyo3::prelude::*;

use crate::arrays::{floats, misshapen};
use crate::error::Refusal;
use crate::poses::pose_of;
use crate::sizes;
use crate::work;
use crate::world::{World, change};

/// Many copies of one scene, such as environments in which something is trained.
///
/// Bodies are numbered in the order in which they were added to the scene, without those that were removed.
/// The scene's groups and excluded pairs hold in every world. The arrays of an answer are not copied: the
/// library hands them over.
#[pyclass(frozen, module = "closefit")]
pub struct Worlds(Arc<Mutex<closefit::Worlds>>);

#[pymethods]
impl Worlds {
    /// Make copies of a scene.
    ///
    /// Parameters
    /// ----------
    /// scene : World
    ///     The bodies. Later changes of it change no copy.
    /// count : int
    ///     The number of worlds.
    #[new]
    fn new(
        py: Python<'_>,
        scene: &Bound<'_, World>,
        #[pyo3(from_py_with = sizes::count)] count: usize,
    ) -> PyResult<Self> {
        let scene = scene.get();
        let made = work::brief_on(py, &scene.0, |scene| closefit::Worlds::new(scene, count))?;
        Ok(Self(Arc::new(Mutex::new(made))))
    }

    /// Find the points of contact in every world.
    ///
    /// Parameters
    /// ----------
    /// poses : array_like of shape (n, bodies, 3, 4) or (n, bodies, 4, 4)
    ///     The pose of each body of each world.
    /// threads : int
    ///     Number of threads; 0 for one per core.
    ///
    /// Returns
    /// -------
    /// WorldsContacts
    #[pyo3(signature = (poses, *, threads = 0))]
    fn contacts(
        &self,
        py: Python<'_>,
        poses: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = sizes::threads)] threads: usize,
    ) -> PyResult<WorldsContacts> {
        let found =
            self.ask(py, poses, threads, |worlds, poses| worlds.contacts(poses).map(std::mem::take))?;
        Ok(WorldsContacts {
            offsets: PyArray1::from_vec(py, found.offsets).unbind(),
            bodies: rows(py, found.bodies)?,
            points: rows(py, found.points)?,
            normals: rows(py, found.normals)?,
            depths: PyArray1::from_vec(py, found.depths).unbind(),
        })
    }

    /// Find the pairs at most a distance apart in every world, including those in contact.
    ///
    /// Parameters
    /// ----------
    /// poses : array_like of shape (n, bodies, 3, 4) or (n, bodies, 4, 4)
    ///     The pose of each body of each world.
    /// limit : float
    ///     The distance.
    /// threads : int
    ///     Number of threads; 0 for one per core.
    ///
    /// Returns
    /// -------
    /// WorldsDistances
    #[pyo3(signature = (poses, limit, *, threads = 0))]
    fn distances(
        &self,
        py: Python<'_>,
        poses: &Bound<'_, PyAny>,
        limit: f64,
        #[pyo3(from_py_with = sizes::threads)] threads: usize,
    ) -> PyResult<WorldsDistances> {
        let limit = crate::pair::checked_limit(limit)?;
        let ask = move |worlds: &mut closefit::Worlds, poses: &[Pose]| {
            worlds.distances(poses, limit).map(std::mem::take)
        };
        let found = self.ask(py, poses, threads, ask)?;
        let count = found.points.len();
        let points = found.points.into_flattened().into_flattened();
        Ok(WorldsDistances {
            offsets: PyArray1::from_vec(py, found.offsets).unbind(),
            bodies: rows(py, found.bodies)?,
            distances: PyArray1::from_vec(py, found.distances).unbind(),
            triangles: rows(py, found.triangles)?,
            points: PyArray1::from_vec(py, points).reshape([count, 2, 3])?.unbind(),
        })
    }

    /// Move all bodies from the poses of the last step, at first the scene's, to these, and find the
    /// contacts that began, ended, or were there only between, as `World.advance` does in each world.
    ///
    /// Parameters
    /// ----------
    /// poses : array_like of shape (n, bodies, 3, 4) or (n, bodies, 4, 4)
    ///     The next pose of each body of each world.
    /// precision : float
    ///     A length: between the poses, contact counts within half of it.
    /// budget : int, optional
    ///     Number of tests of boxes and triangles after which a world looks at no further pair.
    /// threads : int
    ///     Number of threads; 0 for one per core.
    ///
    /// Returns
    /// -------
    /// WorldsStep
    #[pyo3(signature = (poses, precision, *, budget = None, threads = 0))]
    fn advance(
        &self,
        py: Python<'_>,
        poses: &Bound<'_, PyAny>,
        precision: f64,
        #[pyo3(from_py_with = sizes::budget)] budget: Option<u64>,
        #[pyo3(from_py_with = sizes::threads)] threads: usize,
    ) -> PyResult<WorldsStep> {
        let request = AdvanceRequest::default().precision(precision).budget(budget);
        let steps = self.ask(py, poses, threads, move |worlds, poses| worlds.advance(poses, &request))?;
        let events = || steps.iter().flat_map(|step| &step.events);
        let pairs = |bodies: [closefit::BodyId; 2]| bodies.map(|body| body.0);
        let first = || events().map(|event| &event.times.first);
        Ok(WorldsStep {
            offsets: offsets(py, &steps, |step| step.events.len()),
            bodies: rows(py, events().map(|event| pairs(event.bodies)).collect())?,
            changes: events().map(|event| change(event.change)).collect(),
            times: rows(py, first().map(|time| [time.after, time.before]).collect())?,
            points: rows(py, first().map(|time| time.touch.point.to_array()).collect())?,
            normals: rows(py, first().map(|time| time.touch.normal.to_array()).collect())?,
            open_offsets: offsets(py, &steps, |step| step.open.len()),
            open: rows(py, steps.iter().flat_map(|step| &step.open).map(|&open| pairs(open)).collect())?,
        })
    }

    /// Number of bodies in each world.
    #[getter]
    fn bodies(&self, py: Python<'_>) -> PyResult<usize> {
        work::brief_on(py, &self.0, |worlds| worlds.bodies())
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        work::brief_on(py, &self.0, |worlds| worlds.len())
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("Worlds({} of {} bodies)", self.__len__(py)?, self.bodies(py)?))
    }
}

impl Worlds {
    /// Asks about all worlds at poses, on closefit's own threads.
    fn ask<T: Send + 'static>(
        &self,
        py: Python<'_>,
        poses: &Bound<'_, PyAny>,
        threads: usize,
        question: impl FnOnce(&mut closefit::Worlds, &[Pose]) -> Result<T, closefit::WorldsError> + Send + 'static,
    ) -> PyResult<T> {
        let poses = read(poses, [self.__len__(py)?, self.bodies(py)?])?;
        let worlds = Arc::clone(&self.0);
        let found = work::long(py, threads, move |_| {
            question(&mut worlds.lock().unwrap_or_else(PoisonError::into_inner), &poses)
        })?;
        Ok(found.map_err(|error| Refusal::of("poses", error))?)
    }
}

/// Reads the poses of all bodies of all worlds.
fn read(given: &Bound<'_, PyAny>, [worlds, bodies]: [usize; 2]) -> PyResult<Vec<Pose>> {
    let rows = floats(given, "poses")?;
    let height = match rows.shape() {
        &[n, m, height @ (3 | 4), 4] if [n, m] == [worlds, bodies] => height,
        shape => {
            let wanted = format!("({worlds}, {bodies}, 3, 4) or ({worlds}, {bodies}, 4, 4)");
            return Err(misshapen("poses", &wanted, shape));
        }
    };
    if height == 3 {
        return Ok(Pose::in_twelves(rows.entries()).expect("twelve each").to_vec());
    }
    let poses = rows.entries().chunks_exact(16).enumerate();
    let name = |index: usize| format!("poses[{}, {}]", index / bodies, index % bodies);
    poses.map(|(index, entries)| Ok(pose_of(entries, || name(index))?)).collect()
}

/// Hands rows over to NumPy.
fn rows<T: numpy::Element, const N: usize>(py: Python<'_>, rows: Vec<[T; N]>) -> PyResult<Py<PyArray2<T>>> {
    let shape = [rows.len(), N];
    Ok(PyArray1::from_vec(py, rows.into_flattened()).reshape(shape)?.unbind())
}

/// Returns the number of the first item of each world, and the number of all.
fn offsets(py: Python<'_>, steps: &[Step], count: impl Fn(&Step) -> usize) -> Py<PyArray1<u64>> {
    let sums = steps.iter().scan(0, |sum, step| {
        *sum += count(step) as u64;
        Some(*sum)
    });
    PyArray1::from_iter(py, std::iter::once(0).chain(sums)).unbind()
}

/// Points of contact in many worlds: a row of each array, but for ``offsets``.
#[pyclass(frozen, get_all, module = "closefit")]
pub struct WorldsContacts {
    /// The first row of each world, and at last the number of all: uint64 of shape (n + 1,).
    offsets: Py<PyArray1<u64>>,
    /// Numbers of the two bodies: uint32 of shape (k, 2), sorted within a world.
    bodies: Py<PyArray2<u32>>,
    /// The place: float64 of shape (k, 3). At most four for each connected part of a contact.
    points: Py<PyArray2<f64>>,
    /// Unit normal from the first body to the second: float64 of shape (k, 3); zero without direction.
    normals: Py<PyArray2<f64>>,
    /// Length by which the two triangles at the point overlap along the normal: float64 of shape (k,).
    depths: Py<PyArray1<f64>>,
}

/// Distances in many worlds: a row of each array, but for ``offsets``.
#[pyclass(frozen, get_all, module = "closefit")]
pub struct WorldsDistances {
    /// The first row of each world, and at last the number of all: uint64 of shape (n + 1,).
    offsets: Py<PyArray1<u64>>,
    /// Numbers of the two bodies: uint32 of shape (k, 2), sorted within a world.
    bodies: Py<PyArray2<u32>>,
    /// Their distances: 0 in contact, and only there.
    distances: Py<PyArray1<f64>>,
    /// Closest triangles: uint32 of shape (k, 2); ``2**32 - 1`` in contact.
    triangles: Py<PyArray2<u32>>,
    /// A point on each: float64 of shape (k, 2, 3); NaN in contact.
    points: Py<PyArray3<f64>>,
}

/// The events of a step of many worlds: a row of each array for each event, but for the offsets and
/// ``open``.
#[pyclass(frozen, get_all, module = "closefit")]
pub struct WorldsStep {
    /// The first event of each world, and at last the number of all: uint64 of shape (n + 1,).
    offsets: Py<PyArray1<u64>>,
    /// Numbers of the two bodies: uint32 of shape (k, 2).
    bodies: Py<PyArray2<u32>>,
    /// 'began', 'ended', or 'brief': only between.
    changes: Vec<&'static str>,
    /// The time of contact: float64 of shape (k, 2), from 0 at the poses before the step to 1 at the next
    /// ones. The bodies are apart until the first number, and near at the second.
    times: Py<PyArray2<f64>>,
    /// The point of contact then: float64 of shape (k, 3).
    points: Py<PyArray2<f64>>,
    /// Unit normal from the first body to the second: float64 of shape (k, 3).
    normals: Py<PyArray2<f64>>,
    /// The first open pair of each world, and at last the number of all: uint64 of shape (n + 1,).
    open_offsets: Py<PyArray1<u64>>,
    /// Pairs that were not examined because the budget was spent: uint32 of shape (m, 2).
    open: Py<PyArray2<u32>>,
}
