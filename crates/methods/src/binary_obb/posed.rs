//! A posed tree, queried near a point or in a region.

use std::ops::ControlFlow;

use glam::DVec3;

use super::point_bound::{PartFrame, PointBound};
use super::{BinaryObb, ObbNode};
use closefit::Work;
use closefit::internals::bvh::posed_model::Standing;
use closefit::internals::bvh::stack::Stack;
use closefit::internals::bvh::world_box;
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::math::Triangle;
use closefit_geometry::math::pose::Pose;
use closefit_geometry::mesh::Mesh;

/// A tree and its mesh at a pose.
#[derive(Clone, Copy, Debug)]
pub struct PosedBinaryObb<'a> {
    pub(super) tree: &'a BinaryObb,
    mesh: &'a Mesh,
    pub(super) pose: Pose,
    /// Approximate magnification of the pose. It steers the traversal and decides nothing.
    scale: f64,
    frame: PartFrame,
    /// Bound of the rounding error of a box computed in the world, per coordinate.
    margin: f64,
}

impl<'a> PosedBinaryObb<'a> {
    pub(super) fn new(tree: &'a BinaryObb, mesh: &'a Mesh, pose: &Pose) -> Self {
        let margin = world_box::margin(pose, tree.largest_coordinate);
        let column = DVec3::new(pose.rows[0][0], pose.rows[1][0], pose.rows[2][0]);
        let (scale, frame) = (column.length(), PartFrame::of(pose, margin));
        Self { tree, mesh, pose: *pose, scale, frame, margin }
    }

    pub(super) fn node(&self, index: u32) -> &'a ObbNode {
        &self.tree.nodes[index as usize]
    }

    /// Returns the posed corners of a triangle of the mesh.
    pub(super) fn triangle(&self, triangle: u32) -> Triangle {
        self.mesh.corners(triangle).map(|v| self.pose.apply(v))
    }

    pub(super) fn size(&self, node: &ObbNode) -> f64 {
        self.scale * node.obb.half.length()
    }
}

impl Standing for PosedBinaryObb<'_> {
    fn walk(&self, enter: &mut dyn FnMut(&Aabb) -> bool, visit: &mut dyn FnMut(u32), work: &mut Work) {
        let mut stack = vec![0u32];
        while let Some(index) = stack.pop() {
            let node = self.node(index);
            work.box_tests += 1;
            if !enter(&world_box::around(&node.obb, &self.pose, self.margin)) {
                continue;
            }
            if node.is_leaf() {
                for &t in self.tree.leaf(node) {
                    work.triangle_tests += 1;
                    visit(t);
                }
            } else {
                stack.extend([node.first + 1, node.first]);
            }
        }
    }

    fn in_box(
        &self,
        bounds: &Aabb,
        visit: &mut dyn FnMut(u32, &Triangle) -> ControlFlow<()>,
        work: &mut Work,
    ) -> ControlFlow<()> {
        let mut stack = Stack::<u32, 64>::with(0);
        while let Some(index) = stack.pop() {
            let node = self.node(index);
            work.box_tests += 1;
            if !world_box::around(&node.obb, &self.pose, self.margin).meets(bounds) {
                continue;
            }
            if node.is_leaf() {
                for &t in self.tree.leaf(node) {
                    work.triangle_tests += 1;
                    visit(t, &self.triangle(t))?;
                }
            } else {
                stack.push(node.first + 1);
                stack.push(node.first);
            }
        }
        ControlFlow::Continue(())
    }

    fn near_point(
        &self,
        p: DVec3,
        mut bound: f64,
        visit: &mut dyn FnMut(u32, &Triangle) -> f64,
        work: &mut Work,
    ) {
        let from = PointBound::new(&self.frame, p);
        let mut stack = Stack::<(u32, f64), 64>::with((0, f64::NEG_INFINITY));
        while let Some((index, separation)) = stack.pop() {
            if separation > bound {
                continue;
            }
            let node = self.node(index);
            if node.is_leaf() {
                for &t in self.tree.leaf(node) {
                    work.triangle_tests += 1;
                    bound = visit(t, &self.triangle(t));
                    if bound < 0.0 {
                        return;
                    }
                }
            } else {
                work.box_tests += 2;
                let [near, far] =
                    [node.first, node.first + 1].map(|child| (child, from.separation(&self.node(child).obb)));
                let [near, far] = if far.1 < near.1 { [far, near] } else { [near, far] };
                stack.push(far);
                stack.push(near);
            }
        }
    }
}
