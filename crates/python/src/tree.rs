//! Trees, and what is built with them for other questions.

use std::sync::Arc;

use closefit::Placed;
use pyo3::prelude::*;
use pyo3::types::PyType;

use crate::error::Refusal;
use crate::mesh::Mesh;
use crate::poses;
use crate::work;

/// The bounding volume hierarchy of a mesh: built once, however many bodies share it, and shared by threads.
///
/// Parameters
/// ----------
/// mesh : Mesh or trimesh.Trimesh
///     The mesh.
#[pyclass(frozen, module = "closefit")]
#[derive(Clone)]
pub struct Tree(Arc<Built>);

struct Built {
    mesh: Arc<closefit::Mesh>,
    tree: closefit::Tree,
}

#[pymethods]
impl Tree {
    #[new]
    fn new(py: Python<'_>, mesh: &Bound<'_, PyAny>) -> PyResult<Self> {
        let mesh = match mesh.cast::<Mesh>() {
            Ok(mesh) => Arc::clone(&mesh.get().0),
            Err(_) => Mesh::from_trimesh(&py.get_type::<Mesh>(), mesh)?.0,
        };
        work::long(py, 0, move |_| {
            let tree = closefit::Tree::build(&mesh);
            Self(Arc::new(Built { mesh, tree }))
        })
    }

    /// The mesh.
    #[getter]
    fn mesh(&self) -> Mesh {
        Mesh(Arc::clone(&self.0.mesh))
    }

    /// Number of triangles.
    #[getter]
    pub fn triangles(&self) -> usize {
        self.0.tree.triangles()
    }

    /// Bytes of memory for boxes and triangles.
    #[getter]
    fn nbytes(&self) -> usize {
        self.0.tree.bytes()
    }

    fn __repr__(&self) -> String {
        format!("Tree({} triangles)", self.triangles())
    }

    /// A pickled tree is its mesh: the tree is built again.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> (Bound<'py, PyType>, (Mesh,)) {
        (slf.get_type(), (slf.get().mesh(),))
    }
}

impl Tree {
    /// Returns the tree itself.
    pub fn tree(&self) -> &closefit::Tree {
        &self.0.tree
    }

    /// Returns the tree at a pose.
    pub fn at(&self, pose: &Bound<'_, PyAny>, key: &'static str) -> PyResult<Placed<'_>> {
        let pose = poses::pose(pose, key)?;
        Ok(self.tree().at(&pose).map_err(|error| Refusal::of(key, error))?)
    }
}
