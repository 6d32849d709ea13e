//! Questions about two meshes at many poses.

use closefit::{Device, Distance, PoseBatch, PoseBatchError, Session};
use numpy::{PyArray1, PyArray2, PyArray3, PyArrayMethods};
use pyo3::prelude::*;

use crate::backend::Backend;
use crate::collision_mesh::CollisionMesh;
use crate::error::Refusal;
use crate::poses::Poses;
use crate::sizes;
use crate::verdict::{PairVerdict, request};
use crate::work::{self, Stop};

/// Tell for many poses whether the surfaces of two meshes share a point. Exact.
///
/// Parameters
/// ----------
/// a, b : CollisionMesh
///     The meshes.
/// poses_a, poses_b : array_like of shape (n, 3, 4) or (n, 4, 4)
///     Where they are. One pose, of shape (3, 4) or (4, 4), holds for all questions.
/// threads : int
///     Number of threads; 0 for one per core.
/// backend : {'cpu', 'gpu'}
///     'gpu' asks a compute device, which is faster for tens of thousands of hard questions. The
///     answers are the same.
/// adapter : str, optional
///     The compute adapter, by a part of its name or its number. The default is the best.
///
/// Returns
/// -------
/// ndarray of bool, shape (n,)
///
/// Raises
/// ------
/// ClosefitError
///     For a pose that is not finite, with its row in ``key``; if no device answers.
#[pyfunction]
#[pyo3(signature = (a, poses_a, b, poses_b, *, threads = 0, backend = "cpu", adapter = None))]
#[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
pub fn intersects_many<'py>(
    py: Python<'py>,
    a: &Bound<'py, CollisionMesh>,
    poses_a: &Bound<'py, PyAny>,
    b: &Bound<'py, CollisionMesh>,
    poses_b: &Bound<'py, PyAny>,
    #[pyo3(from_py_with = sizes::threads)] threads: usize,
    backend: &str,
    adapter: Option<&str>,
) -> PyResult<Bound<'py, PyArray1<bool>>> {
    let backend = Backend::of(backend, adapter)?;
    let found = ask(py, [a, b], [poses_a, poses_b], threads, move |batch, stop| match backend {
        Backend::Cpu => batch.intersects(stop),
        Backend::Gpu(adapter) => batch.intersects_on(&mut Session::new(Device::open(&adapter)?), stop),
    })?;
    Ok(PyArray1::from_vec(py, found))
}

/// The arrays of `distance_many`.
type Distances<'py> = (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray2<u32>>, Bound<'py, PyArray3<f64>>);

/// Return for many poses the distance of two surfaces, with the closest triangles and points.
///
/// Parameters
/// ----------
/// a, b : CollisionMesh
///     The meshes.
/// poses_a, poses_b : array_like of shape (n, 3, 4) or (n, 4, 4)
///     Where they are. One pose, of shape (3, 4) or (4, 4), holds for all questions.
/// threads : int
///     Number of threads; 0 for one per core.
/// backend : {'cpu', 'gpu'}
///     'gpu' asks a compute device, which is faster for tens of thousands of hard questions. The
///     answers are the same.
/// adapter : str, optional
///     The compute adapter, by a part of its name or its number. The default is the best.
///
/// Returns
/// -------
/// distances : ndarray of float64, shape (n,)
///     0 in contact, and only there.
/// triangles : ndarray of uint32, shape (n, 2)
///     Closest triangles, of a and of b; ``2**32 - 1`` in contact.
/// points : ndarray of float64, shape (n, 2, 3)
///     A point on each; NaN in contact.
#[pyfunction]
#[pyo3(signature = (a, poses_a, b, poses_b, *, threads = 0, backend = "cpu", adapter = None))]
#[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
pub fn distance_many<'py>(
    py: Python<'py>,
    a: &Bound<'py, CollisionMesh>,
    poses_a: &Bound<'py, PyAny>,
    b: &Bound<'py, CollisionMesh>,
    poses_b: &Bound<'py, PyAny>,
    #[pyo3(from_py_with = sizes::threads)] threads: usize,
    backend: &str,
    adapter: Option<&str>,
) -> PyResult<Distances<'py>> {
    let backend = Backend::of(backend, adapter)?;
    let found = ask(py, [a, b], [poses_a, poses_b], threads, move |batch, stop| match backend {
        Backend::Cpu => batch.distance(stop),
        Backend::Gpu(adapter) => batch.distance_on(&mut Session::new(Device::open(&adapter)?), stop),
    })?;
    arrays(py, &found)
}

/// Makes the arrays of many distances.
pub fn arrays<'py>(py: Python<'py>, found: &[Distance]) -> PyResult<Distances<'py>> {
    const NONE: ([u32; 2], [[f64; 3]; 2]) = ([u32::MAX; 2], [[f64::NAN; 3]; 2]);
    let closest = found.iter().map(|distance| {
        distance.closest.map_or(NONE, |c| (c.triangles, c.points.map(|point| point.to_array())))
    });
    let (triangles, points): (Vec<[u32; 2]>, Vec<[[f64; 3]; 2]>) = closest.unzip();
    let n = found.len();
    Ok((
        PyArray1::from_iter(py, found.iter().map(|found| found.distance)),
        PyArray1::from_slice(py, triangles.as_flattened()).reshape([n, 2])?,
        PyArray1::from_slice(py, points.as_flattened().as_flattened()).reshape([n, 2, 3])?,
    ))
}

/// Decide at many poses everything that a check reports on two meshes.
///
/// Parameters
/// ----------
/// a, b : CollisionMesh
///     The meshes.
/// poses_a, poses_b : array_like of shape (n, 3, 4) or (n, 4, 4)
///     Where they are. One pose, of shape (3, 4) or (4, 4), holds for all questions.
/// clearance : float
///     Pairs that come this close are not clear.
/// tolerance : float
///     Overlap up to this depth is contact, not clash.
/// threads : int
///     Number of threads; 0 for one per core.
///
/// Returns
/// -------
/// list of PairVerdict
#[pyfunction]
#[pyo3(signature = (a, poses_a, b, poses_b, *, clearance = 0.0, tolerance = 0.0, threads = 0))]
#[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
pub fn verdict_many(
    py: Python<'_>,
    a: &Bound<'_, CollisionMesh>,
    poses_a: &Bound<'_, PyAny>,
    b: &Bound<'_, CollisionMesh>,
    poses_b: &Bound<'_, PyAny>,
    clearance: f64,
    tolerance: f64,
    #[pyo3(from_py_with = sizes::threads)] threads: usize,
) -> PyResult<Vec<PairVerdict>> {
    let request = request(clearance, tolerance)?;
    let found =
        ask(py, [a, b], [poses_a, poses_b], threads, move |batch, stop| batch.verdict(&request, stop))?;
    Ok(found.into_iter().map(PairVerdict).collect())
}

/// Answers one question at each of many poses.
fn ask<T: Send + 'static>(
    py: Python<'_>,
    meshes: [&Bound<'_, CollisionMesh>; 2],
    poses: [&Bound<'_, PyAny>; 2],
    threads: usize,
    question: impl FnOnce(&PoseBatch, &Stop) -> Result<Vec<T>, PoseBatchError> + Send + 'static,
) -> PyResult<Vec<T>> {
    let [a, b] = meshes.map(|mesh| mesh.get().clone());
    let (poses_a, poses_b) = (Poses::read(poses[0], "poses_a")?, Poses::read(poses[1], "poses_b")?);
    work::long(py, threads, move |stop| {
        let batch = PoseBatch::new((a.shape(), &poses_a.all), (b.shape(), &poses_b.all));
        batch.and_then(|batch| question(&batch, stop)).map_err(|error| match error {
            PoseBatchError::Pose { row, side, error } => {
                let poses = if side == 'a' { &poses_a } else { &poses_b };
                Refusal::of(poses.name(row), error)
            }
            PoseBatchError::Device(error) => Refusal::of("backend", error.in_one_line()),
            other => Refusal::of("poses_a, poses_b", other),
        })
    })?
    .map_err(PyErr::from)
}
