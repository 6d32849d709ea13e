//! A posed tree: cheap enough to make for every query.

use std::ops::Deref;

use glam::DVec3;

use super::{Block, WideObb};
use crate::bvh::placement::Placement;
use crate::bvh::wide_topology::NormalFrame;
use crate::bvh::world_box;
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::executor::Executor;
use closefit_geometry::math::Triangle;
use closefit_geometry::math::pose::Pose;

/// A tree at a pose.
#[derive(Clone, Copy, Debug)]
pub struct PosedWideObb<'a> {
    /// The tree.
    pub tree: &'a WideObb,
    /// The tree's blocks.
    pub blocks: &'a [Block],
    /// The tree's corners.
    pub corners: &'a [[u32; 3]],
    /// The tree's vertices.
    pub vertices: &'a [DVec3],
    /// The executor of its searches.
    pub executor: Executor,
    placement: Placement,
}

impl Deref for PosedWideObb<'_> {
    type Target = Placement;

    #[inline(always)]
    fn deref(&self) -> &Placement {
        &self.placement
    }
}

impl<'a> PosedWideObb<'a> {
    /// Poses a tree.
    pub fn new(tree: &'a WideObb, pose: &Pose) -> Self {
        let frame = NormalFrame { center: tree.center, unit: tree.unit };
        Self::placed(tree, Placement::new(&frame, tree.linear.as_ref(), tree.largest_coordinate, pose))
    }

    /// Poses a tree whose frame has been placed.
    pub fn placed(tree: &'a WideObb, placement: Placement) -> Self {
        Self {
            tree,
            blocks: &tree.blocks,
            corners: &tree.corners,
            vertices: &tree.vertices,
            executor: Executor::default(),
            placement,
        }
    }

    /// Returns the same tree, searched by another executor.
    pub fn by(self, executor: Executor) -> Self {
        Self { executor, ..self }
    }

    /// Returns [`Placement::of_boxes`].
    pub fn boxes_in_world(&self) -> (Pose, f64) {
        self.placement.of_boxes(self.tree.linear.as_ref(), self.tree.largest_coordinate)
    }

    /// Returns a world-aligned box around all posed vertices, derived from the root box alone.
    pub fn bounds(&self) -> Aabb {
        let (pose, margin) = self.boxes_in_world();
        world_box::around(&self.obb(&self.blocks[0], 0), &pose, margin)
    }

    /// Returns the posed corners of a triangle, given by its place in the tree's order.
    #[inline]
    pub fn triangle(&self, place: u32) -> Triangle {
        self.corners[place as usize].map(|v| self.pose.apply(self.vertices[v as usize]))
    }
}
