//! Contact and distance of two meshes at rest.

use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;

use crate::collision_mesh::CollisionMesh;
use crate::error::Refusal;
use crate::poses::pose;
use crate::work;

/// Tell whether the surfaces of two meshes share a point. Exact.
///
/// One solid inside another, without contact of their surfaces, does not count: see :func:`contains`.
///
/// Parameters
/// ----------
/// a, b : CollisionMesh
///     The meshes.
/// pose_a, pose_b : array_like of shape (3, 4) or (4, 4)
///     Where they are: matrices that take their own coordinates to the world's.
///
/// Returns
/// -------
/// bool
#[pyfunction]
pub fn intersects(
    py: Python<'_>,
    a: &Bound<'_, CollisionMesh>,
    pose_a: &Bound<'_, PyAny>,
    b: &Bound<'_, CollisionMesh>,
    pose_b: &Bound<'_, PyAny>,
) -> PyResult<bool> {
    let (a, b) = (a.get().at(pose_a, "pose_a")?, b.get().at(pose_b, "pose_b")?);
    work::brief(py, || closefit::intersects(&a, &b))
}

/// Tell whether the distance of two surfaces is at most a limit. Exact, and cheaper than the distance.
///
/// Parameters
/// ----------
/// a, b : CollisionMesh
///     The meshes.
/// pose_a, pose_b : array_like of shape (3, 4) or (4, 4)
///     Where they are.
/// limit : float
///     The distance. At 0 it is the question of `intersects`.
///
/// Returns
/// -------
/// bool
#[pyfunction]
pub fn intersects_within(
    py: Python<'_>,
    a: &Bound<'_, CollisionMesh>,
    pose_a: &Bound<'_, PyAny>,
    b: &Bound<'_, CollisionMesh>,
    pose_b: &Bound<'_, PyAny>,
    limit: f64,
) -> PyResult<bool> {
    let (a, b) = (a.get().at(pose_a, "pose_a")?, b.get().at(pose_b, "pose_b")?);
    let limit = checked_limit(limit)?;
    work::brief(py, || closefit::intersects_within(&a, &b, limit))
}

/// Return all pairs of triangles that share a point. Exact.
///
/// Parameters
/// ----------
/// a, b : CollisionMesh
///     The meshes.
/// pose_a, pose_b : array_like of shape (3, 4) or (4, 4)
///     Where they are.
///
/// Returns
/// -------
/// ndarray of uint32, shape (k, 2)
///     A triangle of a and one of b in each row, sorted.
#[pyfunction]
pub fn contact_triangles<'py>(
    py: Python<'py>,
    a: &Bound<'py, CollisionMesh>,
    pose_a: &Bound<'py, PyAny>,
    b: &Bound<'py, CollisionMesh>,
    pose_b: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyArray2<u32>>> {
    let at = [pose(pose_a, "pose_a")?, pose(pose_b, "pose_b")?];
    let meshes = [a.get().clone(), b.get().clone()];
    let [a, b] = posed(&meshes, &at)?;
    // Most pairs do not touch, which is known before another thread has been woken.
    if !work::brief(py, || closefit::intersects(&a, &b))? {
        return pairs(py, &[]);
    }
    let found = work::long(py, 0, move |_| {
        let [a, b] = posed(&meshes, &at)?;
        Ok::<_, Refusal>(closefit::contact_triangles(&a, &b))
    })??;
    pairs(py, &found)
}

/// Returns two meshes at their poses, given as `pose_a` and `pose_b`.
pub fn posed<'a>(
    meshes: &'a [CollisionMesh; 2],
    poses: &[closefit::Pose; 2],
) -> Result<[closefit::PosedMesh<'a>; 2], Refusal> {
    Ok([meshes[0].posed(&poses[0], "pose_a")?, meshes[1].posed(&poses[1], "pose_b")?])
}

/// Makes an array of pairs of indices.
pub fn pairs<'py>(py: Python<'py>, pairs: &[[u32; 2]]) -> PyResult<Bound<'py, PyArray2<u32>>> {
    PyArray1::from_slice(py, pairs.as_flattened()).reshape([pairs.len(), 2])
}

/// The distance of two surfaces.
#[pyclass(frozen, module = "closefit")]
pub struct Distance(pub closefit::Distance);

#[pymethods]
impl Distance {
    /// Smallest distance of any two points, correctly rounded: 0 in contact, and only there.
    #[getter]
    fn distance(&self) -> f64 {
        self.0.distance
    }

    /// Closest triangles, one of a and one of b; None in contact.
    #[getter]
    fn triangles(&self) -> Option<(u32, u32)> {
        self.0.closest.map(|closest| closest.triangles.into())
    }

    /// A point on each, in world coordinates: an array of shape (2, 3); None in contact.
    #[getter]
    fn points<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArray2<f64>>>> {
        self.0.closest.map(|closest| two_points(py, closest.points)).transpose()
    }

    fn __repr__(&self) -> String {
        let Self(closefit::Distance { distance, closest }) = self;
        let triangles =
            closest.map_or("None".to_owned(), |c| format!("{:?}", <(u32, u32)>::from(c.triangles)));
        format!("Distance(distance={distance:?}, triangles={triangles})")
    }
}

/// Makes an array of two points.
pub fn two_points(py: Python<'_>, points: [closefit::DVec3; 2]) -> PyResult<Bound<'_, PyArray2<f64>>> {
    let entries = points.map(|point| point.to_array());
    PyArray1::from_slice(py, entries.as_flattened()).reshape([2, 3])
}

/// Return the distance of two surfaces, with the closest triangles and points.
///
/// Parameters
/// ----------
/// a, b : CollisionMesh
///     The meshes.
/// pose_a, pose_b : array_like of shape (3, 4) or (4, 4)
///     Where they are.
/// limit : float, optional
///     A larger distance is not needed, which makes it cheaper to find that it is larger.
///
/// Returns
/// -------
/// Distance or None
///     None if the distance exceeds the limit.
#[pyfunction]
#[pyo3(signature = (a, pose_a, b, pose_b, *, limit = None))]
pub fn distance(
    py: Python<'_>,
    a: &Bound<'_, CollisionMesh>,
    pose_a: &Bound<'_, PyAny>,
    b: &Bound<'_, CollisionMesh>,
    pose_b: &Bound<'_, PyAny>,
    limit: Option<f64>,
) -> PyResult<Option<Distance>> {
    let (a, b) = (a.get().at(pose_a, "pose_a")?, b.get().at(pose_b, "pose_b")?);
    let limit = limit.map(checked_limit).transpose()?;
    work::brief(py, || match limit {
        None => Some(Distance(closefit::distance(&a, &b))),
        Some(limit) => closefit::distance_up_to(&a, &b, limit).map(Distance),
    })
}

/// Refuses a limit of distances that is no number. Below 0 nothing is within it.
pub fn checked_limit(limit: f64) -> PyResult<f64> {
    if limit.is_nan() { Err(Refusal::of("limit", "nan is no distance").into()) } else { Ok(limit) }
}
