//! Bounding volume hierarchies over a mesh's triangles (flat arrays, built once per mesh, shared by its
//! instances), and the posed bodies that queries see.
//!
//! A kind of tree is a folder that implements [`Hierarchy`]. The default is here; others are in the crate
//! `closefit-methods`.

mod apart;
pub mod cache;
pub mod contact_region;
mod extremes;
#[cfg(any(test, feature = "testing"))]
pub mod faults;
pub mod held;
pub mod holes;
mod incidence;
pub mod kind;
pub mod leaf;
pub mod lids;
pub mod mesh_hull;
pub mod moving;
pub mod open_boxes;
pub mod own_boxes;
pub mod pairs_on_device;
pub mod placement;
pub mod posed_model;
pub mod sphere_levels;
pub mod spread;
pub mod stack;
pub mod static_pair;
pub mod strategy;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
pub mod trees;
pub mod wide_obb;
pub mod wide_topology;
pub mod world_box;

use std::fmt::Debug;

use glam::{DMat3, DVec3};

use crate::continuous::fronts;
use crate::continuous::method::Boxes;
use crate::narrow::{Nearest, Work};
use closefit_geometry::executor::Executor;
use closefit_geometry::math::pose::Pose;
use closefit_geometry::mesh::Mesh;
use held::Held;
use moving::MovingTrees;
use pairs_on_device::PairsOnDevice;
use posed_model::Standing;

/// A function that receives how many more triangles have got through a step of a tree's building. Any
/// thread may call it, for some hundred triangles at least, so that the calls take no time.
pub type Tell<'a> = &'a (dyn Fn(usize) + Sync);

/// A kind of tree: how it is built, and every query on it.
///
/// Searches skip work by proof only, so no answer depends on the kind.
pub trait Hierarchy: Clone + Debug + Send + Sync + Sized + 'static {
    /// Name as typed and printed.
    const NAME: &'static str;
    /// The executors of its kernels, the best first.
    const EXECUTORS: &'static [Executor];
    /// True if a compute device can search the trees.
    const ON_DEVICE: bool;
    /// True if a long search through time asks for proofs about much time at once, which need no tree of any
    /// kind; see [`fronts::Foresight`].
    const COMPARES_PROFILES: bool = true;
    /// The tests of moving boxes that it has.
    const MOVING_BOXES: &'static [Boxes];
    /// True if the options `axes`, `discrete`, `subdivision` and `near_first` of a
    /// [`Method`](crate::continuous::method::Method) apply to it.
    const HAS_BOX_OPTIONS: bool = false;
    /// True if the time of a search grows with the product of the triangles of two meshes.
    const IS_QUADRATIC: bool = false;

    /// A posed tree: cheap to make for every pose.
    type Posed<'a>: Standing + Copy
    where
        Self: 'a;
    /// The tree as library users hold it.
    type Held: Held;
    /// State that a search for contacts keeps for the next one of the same two trees. No answer depends on
    /// it.
    type Kept: Clone + Debug + Default + Send + Sync;
    /// State kept from one batch of pairs to the next: the trees that a device holds.
    type Residence: PairsOnDevice<Self>;
    /// A pair of boxes or triangles of two trees that was not proven apart over a stretch of time.
    type Front: Copy + Debug + Send;
    /// Two moving trees, as the search through time sees them.
    type StretchSearch<'a>: fronts::TreePair<Item = Self::Front>
    where
        Self: 'a;

    /// Builds the tree. The same mesh gives the same tree.
    fn build(mesh: &Mesh) -> Self;

    /// Builds the same tree, and reports the progress if that takes long and the kind can report it.
    fn build_told(mesh: &Mesh, _tell: Tell) -> Self {
        Self::build(mesh)
    }

    /// Returns a tree of the same mesh with moved vertices. It may keep which triangles share a box.
    fn of_moved(&self, mesh: &Mesh) -> Self {
        Self::build(mesh)
    }

    /// True when poses with this linear part need a tree of their own.
    fn is_built_for(_linear: &DMat3) -> bool {
        false
    }

    /// Builds the tree for poses with the given linear part.
    fn build_for(mesh: &Mesh, _linear: DMat3) -> Self {
        Self::build(mesh)
    }

    /// Returns the tree in bytes, from which [`restored`](Self::restored) makes it again. `None` if this kind
    /// is not kept from run to run.
    fn saved(&self) -> Option<Vec<u8>> {
        None
    }

    /// Returns the tree of a mesh, for a linear part if there is one, from the bytes of the same tree. `None`
    /// if these are of no such tree.
    fn restored(_mesh: &Mesh, _linear: Option<DMat3>, _bytes: &[u8]) -> Option<Self> {
        None
    }

    /// Returns the memory in bytes.
    fn bytes(&self) -> usize;

    /// Returns the largest magnitude of a vertex coordinate, as the tree holds it.
    fn largest_coordinate(&self) -> f64;

    /// Poses the tree of a mesh.
    fn place<'a>(&'a self, mesh: &'a Mesh, pose: &Pose, executor: Executor) -> Self::Posed<'a>;

    /// Returns all pairs of triangles in contact, sorted. If there are more than `most`, returns some of
    /// them, more than `most`.
    fn contacts(a: &Self::Posed<'_>, b: &Self::Posed<'_>, most: usize, work: &mut Work) -> Vec<[u32; 2]>;

    /// Returns [`Hierarchy::contacts`] by means of what an earlier search has kept.
    fn contacts_again(
        _kept: &mut Self::Kept,
        a: &Self::Posed<'_>,
        b: &Self::Posed<'_>,
        most: usize,
        work: &mut Work,
    ) -> Vec<[u32; 2]> {
        Self::contacts(a, b, most, work)
    }

    /// True when [`Hierarchy::contacts`] is not empty; stops at the first contact.
    fn touches(a: &Self::Posed<'_>, b: &Self::Posed<'_>, work: &mut Work) -> bool;

    /// Returns the closest pair of triangles, if its distance is at most `bound`. The trees must not be in
    /// contact.
    fn nearest(a: &Self::Posed<'_>, b: &Self::Posed<'_>, bound: f64, work: &mut Work) -> Option<Nearest>;

    /// Returns two triangles no farther apart than `bound`, if there are any: not always the closest.
    fn within(a: &Self::Posed<'_>, b: &Self::Posed<'_>, bound: f64, work: &mut Work) -> Option<[u32; 2]>;

    /// Puts a fault into the tree, at a place that is picked by a number. Returns false if it has no such
    /// part.
    #[cfg(any(test, feature = "testing"))]
    fn inject(&mut self, _fault: faults::Fault, _at: u64) -> bool {
        false
    }

    /// Prepares two trees for a search through time.
    fn stretch(trees: MovingTrees<'_, Self>) -> Self::StretchSearch<'_>;
}

/// Returns the largest magnitude of a coordinate.
pub fn largest_coordinate(vertices: &[DVec3]) -> f64 {
    vertices.iter().map(|v| v.abs().max_element()).fold(0.0, f64::max)
}
