//! Questions about two meshes at many poses.

use closefit::{Distance, Rows, RowsError};
use numpy::{PyArray1, PyArray2, PyArray3, PyArrayMethods};
use pyo3::prelude::*;

use crate::error::Refusal;
use crate::poses::Poses;
use crate::tree::Tree;
use crate::work::{self, Stop};

/// Tell for many poses whether the surfaces of two meshes share a point. Exact.
///
/// Parameters
/// ----------
/// a, b : Tree
///     The meshes.
/// poses_a, poses_b : array_like of shape (n, 3, 4) or (n, 4, 4)
///     Where they are. One pose, of shape (3, 4) or (4, 4), holds for all questions.
/// threads : int
///     Number of threads; 0 for one per core.
///
/// Returns
/// -------
/// ndarray of bool, shape (n,)
///
/// Raises
/// ------
/// ClosefitError
///     For a pose that is not finite, with its row in ``key``.
#[pyfunction]
#[pyo3(signature = (a, poses_a, b, poses_b, *, threads = 0))]
pub fn intersects_many<'py>(
    py: Python<'py>,
    a: &Bound<'py, Tree>,
    poses_a: &Bound<'py, PyAny>,
    b: &Bound<'py, Tree>,
    poses_b: &Bound<'py, PyAny>,
    threads: usize,
) -> PyResult<Bound<'py, PyArray1<bool>>> {
    let found = ask(py, [a, b], [poses_a, poses_b], threads, |rows, stop| rows.intersects(stop))?;
    Ok(PyArray1::from_vec(py, found))
}

/// The arrays of `distance_many`.
type Distances<'py> = (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray2<u32>>, Bound<'py, PyArray3<f64>>);

/// Return for many poses the distance of two surfaces, with the closest triangles and points.
///
/// Parameters
/// ----------
/// a, b : Tree
///     The meshes.
/// poses_a, poses_b : array_like of shape (n, 3, 4) or (n, 4, 4)
///     Where they are. One pose, of shape (3, 4) or (4, 4), holds for all questions.
/// threads : int
///     Number of threads; 0 for one per core.
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
#[pyo3(signature = (a, poses_a, b, poses_b, *, threads = 0))]
pub fn distance_many<'py>(
    py: Python<'py>,
    a: &Bound<'py, Tree>,
    poses_a: &Bound<'py, PyAny>,
    b: &Bound<'py, Tree>,
    poses_b: &Bound<'py, PyAny>,
    threads: usize,
) -> PyResult<Distances<'py>> {
    let found = ask(py, [a, b], [poses_a, poses_b], threads, |rows, stop| rows.distances(stop))?;
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

/// Answers one question at each of many poses.
fn ask<T: Send + 'static>(
    py: Python<'_>,
    trees: [&Bound<'_, Tree>; 2],
    poses: [&Bound<'_, PyAny>; 2],
    threads: usize,
    question: impl FnOnce(&Rows, &Stop) -> Result<Vec<T>, RowsError> + Send + 'static,
) -> PyResult<Vec<T>> {
    let [a, b] = trees.map(|tree| tree.get().clone());
    let (poses_a, poses_b) = (Poses::read(poses[0], "poses_a")?, Poses::read(poses[1], "poses_b")?);
    work::long(py, threads, move |stop| {
        let rows = Rows::new((a.tree(), &poses_a.all), (b.tree(), &poses_b.all));
        rows.and_then(|rows| question(&rows, stop)).map_err(|error| match error {
            RowsError::Pose { row, side, error } => {
                let poses = if side == 'a' { &poses_a } else { &poses_b };
                Refusal::of(poses.name(row), error)
            }
            other => Refusal::of("poses_a, poses_b", other),
        })
    })?
    .map_err(PyErr::from)
}
