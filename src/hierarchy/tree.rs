//! One of the trees that a run can use.

use super::obb_tree::ObbTree;
use super::wide_tree::WideTree;
use crate::backend::Backend;
use crate::scene::Mesh;

/// The boxes of a mesh, of the kind that the backend traverses.
#[derive(Clone, Debug)]
pub enum Tree {
    /// RAPID's, for the scalar reference.
    Binary(ObbTree),
    /// Eight wide, for lanes.
    Wide(WideTree),
}

impl Tree {
    /// Builds the tree.
    pub fn build(mesh: &Mesh, backend: Backend) -> Self {
        match backend {
            Backend::Scalar => Self::Binary(ObbTree::build(mesh)),
            Backend::Simd => Self::Wide(WideTree::build(mesh)),
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
