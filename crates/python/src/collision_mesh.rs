//! Meshes that are ready for questions.

use std::path::PathBuf;
use std::sync::Arc;

use closefit::PosedMesh;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyType;

use crate::error::Refusal;
use crate::mesh::Mesh;
use crate::poses;
use crate::work;

/// A mesh that is ready for questions: its triangles, and a bounding volume hierarchy over them.
///
/// It is built once, however many bodies share it, and shared by threads.
///
/// Parameters
/// ----------
/// vertices : array_like of shape (n, 3), or Mesh
///     Coordinates; or a mesh, which has faces of its own.
/// faces : array_like of shape (m, 3)
///     Corners of the triangles, as indices of vertices, from 0.
///
/// Raises
/// ------
/// ClosefitError
///     For an index out of range, a coordinate that is not finite, or no triangles.
#[pyclass(frozen, module = "closefit")]
#[derive(Clone)]
pub struct CollisionMesh(Arc<Built>);

struct Built {
    mesh: Arc<closefit::Mesh>,
    shape: closefit::CollisionMesh,
}

#[pymethods]
impl CollisionMesh {
    #[new]
    #[pyo3(signature = (vertices, faces = None))]
    fn new(py: Python<'_>, vertices: &Bound<'_, PyAny>, faces: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        match (vertices.cast::<Mesh>(), faces) {
            (Ok(mesh), None) => Self::of(py, mesh.get()),
            (Err(_), Some(faces)) => Self::of(py, &Mesh::new(py, vertices, faces)?),
            (Ok(_), Some(_)) => Err(PyTypeError::new_err("faces: a Mesh has faces of its own")),
            (Err(_), None) => Err(PyTypeError::new_err(
                "faces: they are needed for vertices; a trimesh.Trimesh is taken by from_trimesh",
            )),
        }
    }

    /// Read a file with one mesh, in the coordinates of the file, as `Mesh.load` does.
    ///
    /// Parameters
    /// ----------
    /// path : path-like
    ///     An STL, OBJ, PLY or OFF, or another scene of a single part, whose pose is then left out.
    ///
    /// Returns
    /// -------
    /// CollisionMesh
    ///
    /// Raises
    /// ------
    /// ClosefitError
    ///     For a file that cannot be read, or has several parts: `Scene.load` reads those.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        Self::of(py, &Mesh::load(py, path)?)
    }

    /// Take the vertices and faces of a ``trimesh.Trimesh``.
    ///
    /// Parameters
    /// ----------
    /// mesh : trimesh.Trimesh
    ///     Or anything with ``vertices`` and ``faces``.
    ///
    /// Returns
    /// -------
    /// CollisionMesh
    #[staticmethod]
    fn from_trimesh(py: Python<'_>, mesh: &Bound<'_, PyAny>) -> PyResult<Self> {
        Self::of(py, &Mesh::from_trimesh(&py.get_type::<Mesh>(), mesh)?)
    }

    /// The mesh.
    #[getter]
    fn mesh(&self) -> Mesh {
        Mesh(Arc::clone(&self.0.mesh))
    }

    /// Number of triangles.
    #[getter]
    fn triangles(&self) -> usize {
        self.shape().triangles()
    }

    /// True when every component of the mesh is closed, so that all of it bounds a solid.
    #[getter]
    fn is_closed(&self, py: Python<'_>) -> PyResult<bool> {
        let built = self.clone();
        work::long(py, 0, move |_| built.shape().is_closed())
    }

    /// Bytes of memory for boxes and triangles.
    #[getter]
    fn nbytes(&self) -> usize {
        self.shape().bytes()
    }

    fn __repr__(&self) -> String {
        format!("CollisionMesh({} triangles)", self.triangles())
    }

    /// Returns its mesh for a pickle, from which it is built again.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> (Bound<'py, PyType>, (Mesh,)) {
        (slf.get_type(), (slf.get().mesh(),))
    }
}

impl CollisionMesh {
    fn of(py: Python<'_>, mesh: &Mesh) -> PyResult<Self> {
        let mesh = Arc::clone(&mesh.0);
        work::long(py, 0, move |_| {
            let shape = closefit::CollisionMesh::build(&mesh);
            Self(Arc::new(Built { mesh, shape }))
        })
    }

    /// Returns the mesh as the library has it.
    pub fn shape(&self) -> &closefit::CollisionMesh {
        &self.0.shape
    }

    /// Returns the mesh at a pose.
    pub fn at(&self, pose: &Bound<'_, PyAny>, key: &'static str) -> PyResult<PosedMesh<'_>> {
        Ok(self.posed(&poses::pose(pose, key)?, key)?)
    }

    /// Returns the mesh at a pose that was read already; `key` names the argument.
    pub fn posed(&self, pose: &closefit::Pose, key: &'static str) -> Result<PosedMesh<'_>, Refusal> {
        self.shape().at(pose).map_err(|error| Refusal::of(key, error))
    }
}
