//! The default tree: blocks of eight oriented boxes, as structure of arrays in f32, over leaves of two
//! triangles.
//!
//! Coordinates are *normal*: `(v - center) / unit` (or `(linear v - center) / unit`), where `unit` is a power
//! of two, so that the mesh lies within -1..1. The boxes of a block are relative to the block's own origin,
//! which is exact in f32, so precision depends on the size of the block and not on the size of the mesh.
//!
//! The arrays are flat, aligned and free of pointers, so threads share them, and a compute device receives
//! them almost unchanged.

mod array;
pub mod box_box;
mod build;
#[cfg(any(test, feature = "testing"))]
mod faults;
pub(crate) mod held;
pub(crate) mod kernels;
#[cfg(feature = "gpu")]
pub mod on_device;
pub mod posed;
mod saved;
pub mod search;
mod slender;
mod stretch;
mod validate;
mod walk;

use std::mem::offset_of;

use glam::{DMat3, DVec3};

use super::moving::MovingTrees;
use super::placement::is_similarity;
use super::wide_topology::NormalFrame;
pub(crate) use super::wide_topology::is_opened;
pub use super::wide_topology::{Child, LEAF};
use super::{Hierarchy, Tell};
use crate::continuous::method::Boxes;
use crate::narrow::{Nearest, Work};
use array::Array;
use closefit_geometry::executor::Executor;
use closefit_geometry::lanes::LANES;
use closefit_geometry::math::pose::Pose;
use closefit_geometry::mesh::Mesh;
use held::WithoutMesh;
use posed::PosedWideObb;
use search::{contacts, nearest};
use stretch::StretchSearch;

/// Eight boxes and their contents.
///
/// Box `i` is exactly the set `center + sum x_j axes_j`, `|x_j| <= half_j`, relative to `origin`, where the
/// third axis is the cross product of the other two. It contains every vertex below it. A lane without a box
/// has [`Child::None`], half extents of [`NOTHING`] and zeros.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C, align(64))]
pub struct Block {
    /// Centres, by coordinate.
    pub center: [[f32; LANES]; 3],
    /// The first two axes, by coordinate: orthonormal up to the rounding to f32.
    pub axes: [[[f32; LANES]; 3]; 2],
    /// Half extents along the axes.
    pub half: [[f32; LANES]; 3],
    /// Contents of each box, as [`Child::code`].
    pub child: [u32; LANES],
    /// The block's origin, in normal coordinates.
    pub origin: [f32; 3],
    /// Always zero.
    pub padding: [u32; 5],
}

// What shaders and saved trees rely on.
const _: () = {
    assert!(size_of::<Block>() == 448 && align_of::<Block>() == 64);
    assert!(offset_of!(Block, center) == 0 && offset_of!(Block, axes) == 96);
    assert!(offset_of!(Block, half) == 288 && offset_of!(Block, child) == 384);
    assert!(offset_of!(Block, origin) == 416 && offset_of!(Block, padding) == 428);
};

/// Half extent of a lane without a box: far enough below zero to be apart from everything.
pub const NOTHING: f32 = -1e30;

impl Block {
    /// A block without boxes, around the origin.
    pub const EMPTY: Self = Self {
        center: [[0.0; LANES]; 3],
        axes: [[[0.0; LANES]; 3]; 2],
        half: [[NOTHING; LANES]; 3],
        child: [Child::None.code(); LANES],
        origin: [0.0; 3],
        padding: [0; 5],
    };

    /// Removes the box of a lane.
    pub(super) fn clear(&mut self, lane: usize) {
        for k in 0..3 {
            self.center[k][lane] = 0.0;
            self.axes.iter_mut().for_each(|axis| axis[k][lane] = 0.0);
            self.half[k][lane] = NOTHING;
        }
    }
}

/// The tree of one mesh in its own frame.
#[derive(Clone, Debug, PartialEq)]
pub struct WideObb {
    /// Block 0 holds, in lane 0, the box of the whole mesh. Children come after their parents.
    pub blocks: Array<Block>,
    /// Mesh indices of the triangles, in the order of the leaves.
    pub triangles: Array<u32>,
    /// Corners of those triangles, as indices into `vertices`.
    pub corners: Array<[u32; 3]>,
    /// The mesh's vertices that have triangles, unchanged, in the order of their first occurrence in the
    /// leaves.
    pub vertices: Array<DVec3>,
    /// Normal coordinates are `(v - center) / unit`.
    pub center: DVec3,
    /// A power of two, so large that no normal coordinate exceeds 1 in magnitude.
    pub unit: f64,
    /// Largest magnitude of a vertex coordinate.
    pub largest_coordinate: f64,
    /// Number of blocks on the way from the root to the deepest leaf.
    pub depth: u32,
    /// The linear part of poses with shear or uneven scale, if parts have such poses, or as much of it as no
    /// motion changes. The boxes then bound the vertices after that map, and the tree serves poses that are
    /// similarities but for it.
    pub linear: Option<DMat3>,
}

impl Hierarchy for WideObb {
    const NAME: &'static str = "obb";
    const EXECUTORS: &'static [Executor] = &[Executor::Simd, Executor::Scalar];
    const ON_DEVICE: bool = true;
    const MOVING_BOXES: &'static [Boxes] = &[Boxes::Swept, Boxes::Interval, Boxes::Natural];
    const HAS_BOX_OPTIONS: bool = true;

    type Posed<'a> = PosedWideObb<'a>;
    type Held = WithoutMesh;
    type Kept = ();
    #[cfg(feature = "gpu")]
    type Residence = on_device::Residence;
    #[cfg(not(feature = "gpu"))]
    type Residence = ();
    type Front = stretch::Item;
    type StretchSearch<'a> = StretchSearch<'a>;

    fn build(mesh: &Mesh) -> Self {
        Self::build(mesh)
    }

    fn build_told(mesh: &Mesh, tell: Tell) -> Self {
        Self::build_told(mesh, tell)
    }

    fn of_moved(&self, mesh: &Mesh) -> Self {
        self.refitted_to(mesh)
    }

    fn is_built_for(linear: &DMat3) -> bool {
        !is_similarity(linear)
    }

    fn build_for(mesh: &Mesh, linear: DMat3) -> Self {
        Self::build_for(mesh, linear)
    }

    fn saved(&self) -> Option<Vec<u8>> {
        Some(saved::bytes_of(self))
    }

    fn restored(mesh: &Mesh, linear: Option<DMat3>, bytes: &[u8]) -> Option<Self> {
        saved::tree_of(mesh, linear, bytes)
    }

    fn bytes(&self) -> usize {
        self.stats().bytes
    }

    fn largest_coordinate(&self) -> f64 {
        self.largest_coordinate
    }

    fn place<'a>(&'a self, _mesh: &'a Mesh, pose: &Pose, executor: Executor) -> PosedWideObb<'a> {
        PosedWideObb::new(self, pose).by(executor)
    }

    fn contacts(a: &PosedWideObb, b: &PosedWideObb, most: usize, work: &mut Work) -> Vec<[u32; 2]> {
        nearest::with_scratch(|scratch| {
            contacts::contacts_in_parallel(a, b, most, &mut scratch.contacts, work)
        })
    }

    fn touches(a: &PosedWideObb, b: &PosedWideObb, work: &mut Work) -> bool {
        nearest::with_scratch(|scratch| contacts::touches(a, b, &mut scratch.contacts, work))
    }

    fn nearest(a: &PosedWideObb, b: &PosedWideObb, bound: f64, work: &mut Work) -> Option<Nearest> {
        nearest::by_vertices(a, b, bound, work).unwrap_or_else(|| {
            nearest::with_scratch(|scratch| nearest::nearest_apart(a, b, bound, scratch, work))
        })
    }

    fn within(a: &PosedWideObb, b: &PosedWideObb, bound: f64, work: &mut Work) -> Option<[u32; 2]> {
        nearest::with_scratch(|scratch| nearest::within(a, b, bound, scratch, work))
    }

    #[cfg(any(test, feature = "testing"))]
    fn inject(&mut self, fault: super::faults::Fault, at: u64) -> bool {
        Self::inject(self, fault, super::faults::Place(at))
    }

    fn stretch(trees: MovingTrees<'_, Self>) -> StretchSearch<'_> {
        StretchSearch::new(trees)
    }
}

/// Size and shape of a tree.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stats {
    /// Number of blocks.
    pub blocks: usize,
    /// Number of leaves.
    pub leaves: usize,
    /// Number of blocks on the way from the root to the deepest leaf.
    pub depth: usize,
    /// Average number of used lanes per block.
    pub fill: f64,
    /// Memory of blocks, triangles, corners and vertices.
    pub bytes: usize,
}

impl WideObb {
    /// Returns the normal coordinates of a point.
    pub fn normal(&self, v: DVec3) -> DVec3 {
        let shaped = self.linear.map_or(v, |linear| linear * v);
        NormalFrame { center: self.center, unit: self.unit }.enter(shaped)
    }

    /// Counts blocks and bytes.
    pub fn stats(&self) -> Stats {
        let held = self.blocks.iter().flat_map(|block| block.child.map(Child::of));
        let used = held.clone().filter(|child| *child != Child::None).count();
        let leaves = held.filter(|child| matches!(child, Child::Leaf { .. })).count();
        Stats {
            blocks: self.blocks.len(),
            leaves,
            depth: self.depth as usize,
            fill: used as f64 / self.blocks.len() as f64,
            bytes: size_of_val(&*self.blocks)
                + size_of_val(&*self.triangles)
                + size_of_val(&*self.corners)
                + size_of_val(&*self.vertices),
        }
    }
}
