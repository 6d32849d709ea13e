//! The parts of a scene.

use std::sync::Arc;

use closefit::scene::Part as ScenePart;
use closefit_job::ReadScene;
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;

use crate::mesh::Mesh;

/// A part of a scene.
#[pyclass(frozen, module = "closefit")]
pub struct Part {
    pub(crate) read: Arc<ReadScene>,
    /// Index in the scene.
    #[pyo3(get)]
    pub(crate) id: usize,
    pub(crate) key: Arc<str>,
}

#[pymethods]
impl Part {
    /// Key, the same in every run and unique in the scene.
    #[getter]
    fn key(&self) -> &str {
        &self.key
    }

    /// Name in the file.
    #[getter]
    pub fn name(&self) -> &str {
        &self.part().name
    }

    /// Type, such as 'IfcWall', if the file gives one.
    #[getter]
    fn r#type(&self) -> Option<&str> {
        self.part().kind.as_deref()
    }

    /// GlobalId, if the file has one.
    #[getter]
    fn guid(&self) -> Option<&str> {
        self.part().guid.as_deref()
    }

    /// Model: the scene file, by its name or as the user calls it.
    #[getter]
    fn model(&self) -> &str {
        &self.part().model
    }

    /// File of the mesh.
    #[getter]
    fn file(&self) -> &str {
        &self.part().file
    }

    /// Path in the hierarchy of the file, such as '/frame/bolt'.
    #[getter]
    fn path(&self) -> &str {
        &self.part().path
    }

    /// Free labels.
    #[getter]
    fn tags(&self) -> Vec<String> {
        self.part().tags.to_vec()
    }

    /// Distance that the true surface may lie outside the mesh: 0, unless it is a curved primitive,
    /// or a converter has triangulated the surface.
    #[getter]
    fn chord(&self) -> f64 {
        self.part().chord
    }

    /// Distance that the mesh may lie outside the true surface: 0, unless a converter has triangulated that.
    #[getter]
    fn deflection(&self) -> f64 {
        self.part().deflection
    }

    /// True for a part that moves.
    #[getter]
    fn moves(&self) -> bool {
        self.part().frame.is_some()
    }

    /// Mesh, shared by instances.
    #[getter]
    pub fn mesh(&self) -> Mesh {
        Mesh(Arc::clone(&self.read.scene.meshes[self.part().mesh.index()]))
    }

    /// Pose, world from part: a matrix of shape (3, 4).
    #[getter]
    pub fn pose<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        PyArray1::from_slice(py, self.part().pose.rows.as_flattened()).reshape([3, 4])
    }

    fn __repr__(&self) -> String {
        format!("Part({:?}, key={:?})", self.name(), self.key)
    }
}

impl Part {
    fn part(&self) -> &ScenePart {
        &self.read.scene.parts[self.id]
    }
}
