//! Meshes.

use std::path::PathBuf;
use std::sync::Arc;

use closefit_job::JobError;
use closefit_scene::read::{Motions, ReadOptions};
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyType;

use crate::arrays::{vectors, with_triangles};
use crate::error::Refusal;
use crate::program;
use crate::work;

/// Triangles over vertices welded by exact position.
///
/// Parameters
/// ----------
/// vertices : array_like of shape (n, 3)
///     Coordinates. An array of ``float64`` in row-major order is read in place.
/// faces : array_like of shape (m, 3)
///     Corners of the triangles, as indices of vertices, from 0.
///
/// Raises
/// ------
/// ClosefitError
///     For an index out of range, a coordinate that is not finite, or no triangles.
#[pyclass(frozen, module = "closefit")]
pub struct Mesh(pub Arc<closefit::Mesh>);

#[pymethods]
impl Mesh {
    #[new]
    pub fn new(py: Python<'_>, vertices: &Bound<'_, PyAny>, faces: &Bound<'_, PyAny>) -> PyResult<Self> {
        let rows = vectors::<3>(vertices, "vertices")?;
        let points: &[[f64; 3]] = rows.entries().as_chunks().0;
        with_triangles(faces, "faces", |triangles| {
            let made = work::brief(py, || closefit::Mesh::new(points, &triangles))?;
            Ok(Self(Arc::new(made.map_err(|error| Refusal::of(key_of(&error), error))?)))
        })
    }

    /// Reads a file with one mesh, in the coordinates of the file.
    ///
    /// Parameters
    /// ----------
    /// path : path-like
    ///     An STL, OBJ, PLY or OFF, or another scene of a single part, whose pose is then left out.
    ///
    /// Returns
    /// -------
    /// Mesh
    ///
    /// Raises
    /// ------
    /// ClosefitError
    ///     For a file that cannot be read, or has several parts: `Scene.load` reads those.
    #[staticmethod]
    pub fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        program::can_start_again(py);
        let shown = path.display().to_string();
        let scene = work::long(py, 0, move |_| {
            let options = ReadOptions { motions: Motions::Noted, ..ReadOptions::default() };
            closefit_scene::read::read(&[path], &options)
        })?;
        let scene = scene.map_err(|error| Refusal::from(JobError::from(error)))?;
        match &scene.parts[..] {
            [part] => Ok(Self(Arc::clone(&scene.meshes[part.mesh.index()]))),
            parts => {
                let why = format!("it has {} parts instead of one: Scene.load reads it", parts.len());
                Err(Refusal::in_file(&shown, why).into())
            }
        }
    }

    /// Takes the vertices and faces of a ``trimesh.Trimesh``.
    ///
    /// Parameters
    /// ----------
    /// mesh : trimesh.Trimesh
    ///     Or anything with ``vertices`` and ``faces``.
    ///
    /// Returns
    /// -------
    /// Mesh
    #[classmethod]
    pub fn from_trimesh(cls: &Bound<'_, PyType>, mesh: &Bound<'_, PyAny>) -> PyResult<Self> {
        Self::new(cls.py(), &mesh.getattr("vertices")?, &mesh.getattr("faces")?)
    }

    /// Positions of the welded vertices: an array of shape (n, 3), a copy.
    #[getter]
    pub fn vertices<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let vertices = self.0.vertices();
        let entries = vertices.iter().flat_map(|vertex| vertex.to_array());
        PyArray1::from_iter(py, entries).reshape([vertices.len(), 3])
    }

    /// Corners of the triangles, as indices of ``vertices``: an array of shape (m, 3), a copy.
    #[getter]
    pub fn faces<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u32>>> {
        let entries: &[u32] = self.0.triangles().as_flattened();
        PyArray1::from_slice(py, entries).reshape([entries.len() / 3, 3])
    }

    /// Bytes of memory for vertices and triangles.
    #[getter]
    fn nbytes(&self) -> usize {
        self.0.bytes()
    }

    fn __repr__(&self) -> String {
        let Self(mesh) = self;
        format!("Mesh({} vertices, {} triangles)", mesh.vertices().len(), mesh.triangles().len())
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyType>, Arrays<'py>)> {
        let (py, mesh) = (slf.py(), slf.get());
        Ok((slf.get_type(), (mesh.vertices(py)?, mesh.faces(py)?)))
    }
}

type Arrays<'py> = (Bound<'py, PyArray2<f64>>, Bound<'py, PyArray2<u32>>);

/// Returns the argument that a mesh was refused for.
fn key_of(error: &closefit::MeshError) -> &'static str {
    match error {
        closefit::MeshError::NotFinite { .. } => "vertices",
        closefit::MeshError::TooMany { what: "vertices", .. } => "vertices",
        _ => "faces",
    }
}
