//! Contacts of two meshes at rest: their geometry, and the volume of an overlap; contacts of one with itself.

use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;

use crate::collision_mesh::CollisionMesh;
use crate::error::Refusal;
use crate::pair::{pairs, posed, two_points};
use crate::poses::pose;
use crate::sizes;
use crate::work;

/// Points, curves and regions that the triangles of two meshes in contact share.
#[pyclass(frozen, module = "closefit")]
pub struct ContactGeometry(closefit::ContactGeometry);

#[pymethods]
impl ContactGeometry {
    /// Pairs of triangles in contact, of a and of b, sorted: an array of shape (k, 2).
    #[getter]
    fn triangles<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u32>>> {
        pairs(py, &self.0.triangles)
    }

    /// Points that the pairs share, the points of pair i at `offsets[i]:offsets[i + 1]`: one point, the ends
    /// of a segment, or the corners of a convex polygon. An array of shape (n, 3).
    #[getter]
    fn points<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        points(py, &self.0.points)
    }

    /// Place of the first point of each pair, and at last the number of all: an array of k + 1 integers.
    #[getter]
    fn offsets<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u32>> {
        PyArray1::from_slice(py, &self.0.offsets)
    }

    /// The patch of each pair, an index of `patches`: an array of k integers.
    #[getter]
    fn patch_of<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u32>> {
        PyArray1::from_slice(py, &self.0.patch_of)
    }

    /// Connected parts of the contact, ordered by their first pairs.
    #[getter]
    fn patches(&self) -> Vec<ContactPatch> {
        self.0.patches.iter().cloned().map(ContactPatch).collect()
    }

    fn __repr__(&self) -> String {
        let closefit::ContactGeometry { triangles, patches, .. } = &self.0;
        format!("ContactGeometry({} pairs of triangles in {} patches)", triangles.len(), patches.len())
    }
}

/// A connected part of a contact.
#[pyclass(frozen, module = "closefit")]
pub struct ContactPatch(closefit::ContactPatch);

#[pymethods]
impl ContactPatch {
    /// Lowest and highest corner of a box around it: an array of shape (2, 3).
    #[getter]
    fn bounds<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        two_points(py, self.0.bounds)
    }

    /// Length of all segments that pairs share; what several share counts once.
    #[getter]
    fn length(&self) -> f64 {
        self.0.length
    }

    /// True if it has curves, and they have no end.
    #[getter]
    fn closed(&self) -> bool {
        self.0.closed
    }

    /// Area of all polygons that pairs share; what several share counts once.
    #[getter]
    fn area(&self) -> f64 {
        self.0.area
    }

    /// Unit normal from a to b, of the faces of a that share an area; None without such.
    #[getter]
    fn normal<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<f64>>> {
        self.0.normal.map(|normal| PyArray1::from_slice(py, &normal.to_array()))
    }

    /// A few of its points, far from each other: an array of shape (m, 3).
    #[getter]
    fn points<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        points(py, &self.0.points)
    }

    fn __repr__(&self) -> String {
        let closefit::ContactPatch { length, closed, area, .. } = &self.0;
        let closed = if *closed { "True" } else { "False" };
        format!("ContactPatch(length={length:?}, closed={closed}, area={area:?})")
    }
}

/// The volume that two solids share, as a bracket.
#[pyclass(frozen, module = "closefit")]
pub struct OverlapVolume(Result<closefit::OverlapVolume, closefit::VolumeUnknown>);

#[pymethods]
impl OverlapVolume {
    /// The volume is no smaller than this; None if it is unknown.
    #[getter]
    fn at_least(&self) -> Option<f64> {
        self.0.as_ref().ok().map(|found| found.at_least)
    }

    /// The volume is no larger than this; None if it is unknown.
    #[getter]
    fn at_most(&self) -> Option<f64> {
        self.0.as_ref().ok().map(|found| found.at_most)
    }

    /// Centroid of what both fill; None unless its volume is certainly positive.
    #[getter]
    fn centroid<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<f64>>> {
        let centroid = self.0.as_ref().ok()?.centroid?;
        Some(PyArray1::from_slice(py, &centroid.to_array()))
    }

    /// Why the volume is unknown, or None.
    #[getter]
    fn unknown(&self) -> Option<String> {
        self.0.as_ref().err().map(|unknown| unknown.with_names(["a", "b"]))
    }

    fn __repr__(&self) -> String {
        match &self.0 {
            Ok(found) => {
                format!("OverlapVolume(at_least={:?}, at_most={:?})", found.at_least, found.at_most)
            }
            Err(unknown) => format!("OverlapVolume(unknown={:?})", unknown.with_names(["a", "b"])),
        }
    }
}

/// Makes an array of points.
fn points<'py>(py: Python<'py>, points: &[closefit::DVec3]) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let entries: Vec<f64> = points.iter().flat_map(|p| p.to_array()).collect();
    PyArray1::from_vec(py, entries).reshape([points.len(), 3])
}

/// Return what the triangles of two meshes in contact share: points, curves and regions.
///
/// Points are exact until they are rounded, each coordinate once. Pairs of triangles whose shared sets are
/// linked by exact points form a patch.
///
/// Parameters
/// ----------
/// a, b : CollisionMesh
///     The meshes.
/// pose_a, pose_b : array_like of shape (3, 4) or (4, 4)
///     Where they are.
/// points : int, default 4
///     The most points that each patch offers a solver.
///
/// Returns
/// -------
/// ContactGeometry
#[pyfunction]
#[pyo3(signature = (a, pose_a, b, pose_b, *, points = 4))]
pub fn contact_geometry(
    py: Python<'_>,
    a: &Bound<'_, CollisionMesh>,
    pose_a: &Bound<'_, PyAny>,
    b: &Bound<'_, CollisionMesh>,
    pose_b: &Bound<'_, PyAny>,
    #[pyo3(from_py_with = sizes::points)] points: usize,
) -> PyResult<ContactGeometry> {
    let at = [pose(pose_a, "pose_a")?, pose(pose_b, "pose_b")?];
    let meshes = [a.get().clone(), b.get().clone()];
    let found = work::long(py, 0, move |_| {
        let [a, b] = posed(&meshes, &at)?;
        Ok::<_, Refusal>(closefit::contact_geometry(&a, &b, points))
    })??;
    Ok(ContactGeometry(found))
}

/// Return the volume that the solids of two meshes share.
///
/// The bracket includes all rounding: it is wide where it must be, never wrong.
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
/// OverlapVolume
#[pyfunction]
#[pyo3(signature = (a, pose_a, b, pose_b))]
pub fn overlap_volume(
    py: Python<'_>,
    a: &Bound<'_, CollisionMesh>,
    pose_a: &Bound<'_, PyAny>,
    b: &Bound<'_, CollisionMesh>,
    pose_b: &Bound<'_, PyAny>,
) -> PyResult<OverlapVolume> {
    let at = [pose(pose_a, "pose_a")?, pose(pose_b, "pose_b")?];
    let meshes = [a.get().clone(), b.get().clone()];
    let found = work::long(py, 0, move |_| {
        let [a, b] = posed(&meshes, &at)?;
        Ok::<_, Refusal>(closefit::overlap_volume(&a, &b))
    })??;
    Ok(OverlapVolume(found))
}

/// Return the pairs of triangles of one mesh that share more than the vertices and edges that they have in
/// common. Exact.
///
/// Parameters
/// ----------
/// mesh : CollisionMesh
///     The mesh.
/// pose : array_like of shape (3, 4) or (4, 4)
///     Where it is: rounding to its place may let triangles touch, or part them.
///
/// Returns
/// -------
/// ndarray of uint32, shape (k, 2)
///     Two triangles in each row, the lower index first, sorted.
#[pyfunction]
#[pyo3(signature = (mesh, pose))]
pub fn self_contacts<'py>(
    py: Python<'py>,
    mesh: &Bound<'py, CollisionMesh>,
    pose: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyArray2<u32>>> {
    let at = crate::poses::pose(pose, "pose")?;
    let mesh = mesh.get().clone();
    let found = work::long(py, 0, move |_| {
        let posed = mesh.posed(&at, "pose")?;
        Ok::<_, Refusal>(closefit::self_contacts(&posed))
    })??;
    pairs(py, &found)
}
