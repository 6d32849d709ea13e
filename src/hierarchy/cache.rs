//! Models that are kept from run to run: where they are looked for before they are built.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::ptr;

use glam::DMat3;

use super::kind::TreeKind;
use closefit_geometry::mesh::Mesh;
use closefit_geometry::mesh::topology::{Topology, Winding};

/// The version of [`SavedModel`] and of how trees and topologies are built. Models of another version are
/// built anew.
pub const MODEL_VERSION: u32 = 1;

/// The least number of triangles of a mesh whose model is looked for. A smaller one is built in less time
/// than a file takes to read.
pub const LEAST_TRIANGLES: usize = 500;

/// Everything on which a model depends, but for the version of the program.
#[derive(Clone, Copy, Debug)]
pub struct ModelKey<'a> {
    /// The kind of its tree.
    pub tree: TreeKind,
    /// The mesh.
    pub mesh: &'a Mesh,
    /// The winding in which its topology takes the triangles.
    pub winding: Winding,
    /// The linear part of the poses that the tree is for, if it is for one alone.
    pub linear: Option<DMat3>,
}

/// A model as a store keeps it.
#[derive(Clone, Debug)]
pub struct SavedModel {
    /// The tree, in bytes of its own.
    pub tree: Vec<u8>,
    /// The components of the mesh. With the feature `serde` they can be written.
    pub topology: Topology,
}

/// Keeps models. Any thread may call it.
pub trait ModelStore: Send + Sync {
    /// Returns the model that was saved for this key and [`MODEL_VERSION`], and for no other.
    fn load(&self, key: &ModelKey<'_>) -> Option<SavedModel>;

    /// Saves a model. It may fail to.
    fn save(&self, key: &ModelKey<'_>, model: &SavedModel);
}

/// A store of models that lives as long as the program. No answer depends on it.
#[derive(Clone, Copy)]
pub struct ModelCache(&'static dyn ModelStore);

impl ModelCache {
    /// Returns the cache of a store.
    pub fn of(store: &'static dyn ModelStore) -> Self {
        Self(store)
    }

    /// Returns the model of a key, if it was saved.
    pub fn load(self, key: &ModelKey<'_>) -> Option<SavedModel> {
        self.0.load(key)
    }

    /// Saves a model.
    pub fn save(self, key: &ModelKey<'_>, model: &SavedModel) {
        self.0.save(key, model);
    }

    fn address(self) -> *const () {
        ptr::from_ref(self.0).cast()
    }
}

/// Caches are told apart by their stores.
impl PartialEq for ModelCache {
    fn eq(&self, other: &Self) -> bool {
        self.address() == other.address()
    }
}

impl Eq for ModelCache {}

impl Hash for ModelCache {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.address().hash(state);
    }
}

impl fmt::Debug for ModelCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ModelCache")
    }
}
