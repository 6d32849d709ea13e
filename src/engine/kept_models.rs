//! Models that are kept from one preparation of a scene to the next.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use glam::DMat3;

use crate::bvh::strategy::Strategy;
use crate::bvh::trees::Trees;
use closefit_geometry::mesh::Mesh;
use closefit_geometry::mesh::topology::Winding;

/// The models that were built last, for those who ask about one scene many times, each time with other rows:
/// [`PreparedScene::with_models`](super::PreparedScene::with_models) takes them if it needs the same. No
/// answer depends on them. Clones share them.
#[derive(Clone, Default)]
pub struct KeptModels(Arc<Mutex<Option<Kept>>>);

/// Models, and what they are built of.
struct Kept {
    of: Recipe,
    trees: Arc<dyn Trees>,
}

/// Everything on which models depend.
pub(super) struct Recipe {
    /// The kind of trees, and their executor.
    pub strategy: Strategy,
    /// The winding in which topologies take triangles.
    pub winding: Winding,
    /// The mesh of each model, and the linear part that it is built for.
    pub models: Vec<(Arc<Mesh>, Option<DMat3>)>,
}

impl Recipe {
    fn is(&self, other: &Self) -> bool {
        let is_same = |((mesh, linear), (other, of_other)): (&(Arc<Mesh>, _), &(Arc<Mesh>, _))| {
            Arc::ptr_eq(mesh, other) && linear == of_other
        };
        self.strategy == other.strategy
            && self.winding == other.winding
            && self.models.len() == other.models.len()
            && self.models.iter().zip(&other.models).all(is_same)
    }
}

impl KeptModels {
    /// Returns the models that are kept, if they were built by a recipe.
    pub(super) fn of(&self, recipe: &Recipe) -> Option<Arc<dyn Trees>> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.as_ref().filter(|kept| kept.of.is(recipe)).map(|kept| Arc::clone(&kept.trees))
    }

    /// Keeps models in place of those before.
    pub(super) fn keep(&self, of: Recipe, trees: &Arc<dyn Trees>) {
        let kept = Kept { of, trees: Arc::clone(trees) };
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(kept);
    }
}

impl fmt::Debug for KeptModels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeptModels").finish_non_exhaustive()
    }
}
