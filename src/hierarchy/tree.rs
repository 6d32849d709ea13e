//! One of the trees that a run can use.

use super::obb2::Obb2;
use super::obb8::Obb8;
use crate::backend::Backend;
use crate::mesh::Mesh;

/// The boxes of a mesh, of the kind that the backend traverses.
#[derive(Clone, Debug)]
pub enum Tree {
    /// RAPID's, for the scalar reference.
    Binary(Obb2),
    /// Eight wide, for lanes.
    Wide(Obb8),
}

impl Tree {
    /// Builds the tree.
    pub fn build(mesh: &Mesh, backend: Backend) -> Self {
        match backend {
            Backend::Scalar => Self::Binary(Obb2::build(mesh)),
            Backend::Simd => Self::Wide(Obb8::build(mesh)),
        }
    }

    /// Largest magnitude of a vertex coordinate.
    pub fn reach(&self) -> f64 {
        match self {
            Self::Binary(tree) => tree.reach,
            Self::Wide(tree) => tree.reach,
        }
    }

    /// Memory.
    pub fn bytes(&self) -> usize {
        match self {
            Self::Binary(tree) => tree.stats().bytes,
            Self::Wide(tree) => tree.stats().bytes,
        }
    }
}
