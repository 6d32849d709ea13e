//! Models that are kept from run to run: where they are looked for before they are built.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::ptr;

use glam::DMat3;

use super::kind::TreeKind;
use closefit_geometry::mesh::Mesh;
use closefit_geometry::mesh::topology::{Topology, Winding};

/// The version of [`SavedModel`] and of how trees and topologies are built. Models of another version are
/// built again.
pub const MODEL_VERSION: u32 = 2;

/// The least number of triangles of a mesh whose model is looked for. A smaller one is built in less time
/// than a file takes to read.
pub const LEAST_TRIANGLES: usize = 500;

/// Most bytes of a saved model for each triangle. A tree has fewer blocks, of 448 bytes, than triangles, and
/// 4 bytes in addition; a topology has no more than 5 bytes of a component's number, 1 of the winding, 12
/// of a component and 45 of a seam along its three edges.
const TRIANGLE_BYTES: u64 = 520;

/// Returns the most bytes that a saved model of a mesh takes, with what a store adds.
pub fn most_bytes(mesh: &Mesh) -> u64 {
    1024 + TRIANGLE_BYTES * mesh.triangles().len() as u64
}

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

/// The name of a model in a store: a digest of its key and of [`MODEL_VERSION`].
pub type ModelName = [u8; 32];

/// Keeps models. Any thread may call it.
pub trait ModelStore: Send + Sync {
    /// Returns the name of the model with this key, which no other has.
    fn name(&self, key: &ModelKey<'_>) -> ModelName;

    /// Returns the model that was saved by this name, if it takes no more than some bytes.
    fn load(&self, name: &ModelName, most_bytes: u64) -> Option<SavedModel>;

    /// Saves a model. It may fail to.
    fn save(&self, name: &ModelName, model: &SavedModel);
}

/// A store of models that lives as long as the program. No answer depends on it.
#[derive(Clone, Copy)]
pub struct ModelCache(&'static dyn ModelStore);

impl ModelCache {
    /// Returns the cache of a store.
    pub fn of(store: &'static dyn ModelStore) -> Self {
        Self(store)
    }

    /// Returns the store.
    pub fn store(self) -> &'static dyn ModelStore {
        self.0
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
