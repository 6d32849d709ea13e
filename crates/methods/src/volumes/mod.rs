//! Trees of spheres and of k-DOPs: eight volumes to a block, over leaves of two triangles.
//!
//! The topology is the topology of the default tree, so the two differ by their volumes alone. Everything
//! happens in the first tree's normal coordinates: the second tree's volumes are mapped there when they are
//! met.
//!
//! Extents are f32 relative to the middle of the part, so volumes smaller than 2^-23 of the part cannot be
//! told apart; the default tree has no such limit.

mod build;
#[cfg(any(test, feature = "testing"))]
mod faults;
mod kdop;
mod lane_work;
mod near;
mod nearest;
mod posed;
mod refit;
mod search;
mod sphere;
mod stretch;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod validate;
mod visited;
mod volume;

use glam::{DMat3, DVec3};

use crate::with_mesh::WithMesh;
pub use build::{Contents, SharedOut};
use closefit::Work;
use closefit::internals::bvh::Hierarchy;
use closefit::internals::bvh::moving::MovingTrees;
use closefit::internals::bvh::placement::is_similarity;
use closefit::internals::narrow::Nearest;
use closefit::method::Boxes;
use closefit_geometry::executor::Executor;
use closefit_geometry::lanes::LANES;
use closefit_geometry::math::pose::Pose;
use closefit_geometry::mesh::Mesh;
pub use kdop::{Kdop, Kdops};
pub use lane_work::LaneWork;
pub use posed::PosedVolumes;
pub(crate) use posed::{Opened, PosedPair, Slots, WHOLE, beyond};
pub use search::count_contacts;
pub use sphere::Sphere;
pub use stretch::StretchSearch;

pub use volume::Volume;
pub(crate) use volume::VolumeKernels;

/// The tree of one mesh in its own frame. Block 0 holds, in lane 0, the volume of the whole mesh. Children
/// come after their parents.
#[derive(Clone, Debug, PartialEq)]
pub struct VolumeTree<V: Volume> {
    /// The volumes of each block.
    volumes: Vec<V::Columns>,
    /// Their contents, as [`Child::code`](closefit::internals::bvh::wide_topology::Child::code).
    children: Vec<[u32; LANES]>,
    /// Mesh indices of the triangles, in the order of the leaves.
    triangles: Vec<u32>,
    /// Corners of those triangles, as indices into `vertices`.
    corners: Vec<[u32; 3]>,
    /// The mesh's vertices that have triangles, unchanged, in the order of their first occurrence in the
    /// leaves.
    vertices: Vec<DVec3>,
    /// Normal coordinates are `(v - center) / unit`.
    center: DVec3,
    /// A power of two, so large that no normal coordinate exceeds 1 in magnitude.
    unit: f64,
    /// Largest magnitude of a vertex coordinate.
    largest_coordinate: f64,
    /// The linear part of poses with shear or uneven scale, if parts have such poses. The volumes then bound
    /// the vertices after that map, and the tree serves no other linear part.
    linear: Option<DMat3>,
    /// True if leaves hold pieces of triangles: a triangle may be in several, and volumes contain only what
    /// is inside.
    in_pieces: bool,
    /// Cells whose faces a search sorts, if it does, in the order of their blocks.
    cells: Option<Vec<SharedOut>>,
}

impl<V: Volume> VolumeTree<V> {
    /// True if leaves hold pieces of triangles.
    #[cfg(test)]
    pub(crate) fn is_in_pieces(&self) -> bool {
        self.in_pieces
    }

    /// Returns the number of triangles in all leaves, each counted as often as it is there.
    pub(crate) fn places(&self) -> usize {
        self.triangles.len()
    }
}

impl<V: Volume> Hierarchy for VolumeTree<V> {
    const NAME: &'static str = V::NAME;
    const EXECUTORS: &'static [Executor] = &[Executor::Simd, Executor::Scalar];
    const ON_DEVICE: bool = false;
    const MOVING_BOXES: &'static [Boxes] = &[Boxes::Swept];

    type Posed<'a> = PosedVolumes<'a, V>;
    type Held = WithMesh<Self>;
    type Kept = ();
    type Residence = ();
    type Front = stretch::Item;
    type StretchSearch<'a> = StretchSearch<'a, V>;

    fn build(mesh: &Mesh) -> Self {
        Self::build(mesh)
    }

    fn is_built_for(linear: &DMat3) -> bool {
        !is_similarity(linear)
    }

    fn build_for(mesh: &Mesh, linear: DMat3) -> Self {
        Self::build_for(mesh, linear)
    }

    fn bytes(&self) -> usize {
        size_of_val(self.volumes.as_slice())
            + size_of_val(self.children.as_slice())
            + size_of_val(self.triangles.as_slice())
            + size_of_val(self.corners.as_slice())
            + size_of_val(self.vertices.as_slice())
            + self.cells.as_deref().map_or(0, size_of_val)
    }

    fn largest_coordinate(&self) -> f64 {
        self.largest_coordinate
    }

    fn place<'a>(&'a self, _mesh: &'a Mesh, pose: &Pose, executor: Executor) -> PosedVolumes<'a, V> {
        PosedVolumes::new(self, pose, executor)
    }

    fn contacts(a: &PosedVolumes<V>, b: &PosedVolumes<V>, most: usize, work: &mut Work) -> Vec<[u32; 2]> {
        search::contacts(a, b, most, work)
    }

    fn touches(a: &PosedVolumes<V>, b: &PosedVolumes<V>, work: &mut Work) -> bool {
        search::touching(a, b, work).is_some()
    }

    fn nearest(a: &PosedVolumes<V>, b: &PosedVolumes<V>, bound: f64, work: &mut Work) -> Option<Nearest> {
        nearest::nearest(a, b, bound, work)
    }

    fn within(a: &PosedVolumes<V>, b: &PosedVolumes<V>, bound: f64, work: &mut Work) -> Option<[u32; 2]> {
        search::touching(a, b, work)
            .or_else(|| nearest::nearest(a, b, bound, work).map(|nearest| nearest.triangles))
    }

    #[cfg(any(test, feature = "testing"))]
    fn inject(&mut self, fault: closefit::internals::bvh::faults::Fault, at: u64) -> bool {
        Self::inject(self, fault, closefit::internals::bvh::faults::Place(at))
    }

    fn stretch(trees: MovingTrees<'_, Self>) -> StretchSearch<'_, V> {
        StretchSearch(trees)
    }
}
