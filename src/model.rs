//! A mesh with its tree and topology, shared by the library's interfaces for verdicts and motions.

use std::sync::Arc;

use crate::hierarchy::body;
use crate::hierarchy::obb8::Obb8;
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::executor::Executor;
use closefit_geometry::math::pose::Pose;
use closefit_geometry::mesh::Mesh;
use closefit_geometry::mesh::topology::Winding;
use closefit_geometry::motion::pair::PlacedPart;

/// A mesh with its tree and its topology. Clones share them.
#[derive(Clone, Debug)]
pub struct Model(pub(crate) Arc<Inner>);

#[derive(Debug)]
pub(crate) struct Inner {
    pub(crate) mesh: Mesh,
    pub(crate) model: body::Model<Obb8>,
    /// The mesh in a frame of its own.
    pub(crate) placed: PlacedPart,
    pub(crate) bounds: Aabb,
}

impl Model {
    /// Builds tree and topology, on the threads of rayon's current pool. Shells with inconsistently oriented
    /// triangles are turned to a consistent winding, and straight seams are closed.
    pub fn build(mesh: &Mesh) -> Self {
        Self::build_with(mesh, Winding::Repaired)
    }

    /// Builds tree and topology, with the winding repaired or left as it is.
    pub fn build_with(mesh: &Mesh, winding: Winding) -> Self {
        let vertices = mesh.vertices();
        Self(Arc::new(Inner {
            model: body::Model::of(mesh, Executor::default(), winding),
            placed: PlacedPart::of(Pose::IDENTITY, None, vertices),
            bounds: Aabb::of(vertices.iter().copied()),
            mesh: mesh.clone(),
        }))
    }

    /// Returns the mesh.
    pub fn mesh(&self) -> &Mesh {
        &self.0.mesh
    }

    /// True when every component of the mesh is closed, so that all of it bounds a solid.
    pub fn is_closed(&self) -> bool {
        self.0.model.topology.components.iter().all(|component| component.closed)
    }
}
