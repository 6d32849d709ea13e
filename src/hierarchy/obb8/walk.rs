//! A posed tree, asked for what is near a point or in a region.

use glam::DVec3;

use super::box_box::Single;
use super::kernels::Kernels;
use super::posed::Posed;
use super::{Block, Child};
use crate::bounds::obb::Obb;
use crate::executor::{Executor, execute};
use crate::lanes::LANES;
use crate::math::error_bounds::RELATIVE;

/// A point, as a posed tree sees it.
#[derive(Clone, Copy, Debug)]
pub(super) struct SeenPoint {
    /// In normal coordinates.
    place: DVec3,
    /// How far off that may be, and the tree's vertices, in normal units; infinite where f32 cannot tell.
    margin: f64,
    /// World lengths of normal ones are no shorter than this.
    scale: f64,
    executor: Executor,
}

impl SeenPoint {
    /// A point of the world.
    pub(in crate::hierarchy) fn new(tree: &Posed, p: DVec3) -> Self {
        let place = tree.linear.inverse() * (p - tree.origin);
        let size = 1.0 + place.abs().max_element() + (p.abs() + tree.origin.abs()).max_element() / tree.scale;
        let known = tree.is_rigid() && size < f64::from(f32::MAX).sqrt() / 4.0;
        let margin = if known { RELATIVE * size + tree.error / tree.scale } else { f64::INFINITY };
        Self { place, margin, scale: tree.scale * (1.0 - tree.skew), executor: tree.executor }
    }

    /// Lower bounds, in the world, of the distances to what is in the boxes of a block; infinite for lanes
    /// without a box.
    pub(in crate::hierarchy) fn distances(&self, block: &Block) -> [f64; LANES] {
        let origin = DVec3::from_array(block.origin.map(f64::from));
        // An infinite margin makes every bound 0, by way of a NaN or not.
        let single = Single {
            center: (self.place - origin).as_vec3().to_array(),
            axes: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
            half: [(self.margin * (1.0 + f64::from(f32::EPSILON))) as f32; 3],
        };
        squared_distances(self.executor, &single, block).map(|squared| f64::from(squared).sqrt() * self.scale)
    }
}

/// [`Kernels::near`] for callers outside the lanes; the bounds of a point are as tight as they get.
fn squared_distances(executor: Executor, single: &Single, block: &Block) -> [f32; LANES] {
    execute!(executor, kernels => kernels.near(single, block, -1.0, 1.0, f32::MAX).1)
}

impl Posed<'_> {
    /// A box of a block, in the frame of [`Posed::tree_pose`], but for the rounding of its centre.
    pub(in crate::hierarchy) fn obb(&self, block: &Block, lane: usize) -> Obb {
        let column =
            |v: &[[f32; LANES]; 3]| DVec3::new(v[0][lane].into(), v[1][lane].into(), v[2][lane].into());
        let origin = DVec3::from_array(block.origin.map(f64::from));
        let (first, second) = (column(&block.axes[0]), column(&block.axes[1]));
        Obb {
            center: self.tree.center + (origin + column(&block.center)) * self.tree.unit,
            axes: [first, second, first.cross(second)],
            half: column(&block.half) * self.tree.unit,
        }
    }

    /// The mesh's triangles of a leaf.
    pub(in crate::hierarchy) fn leaf(&self, first: u32, count: u32) -> &[u32] {
        &self.tree.triangles[first as usize..(first + count) as usize]
    }

    /// Calls `visit` with the triangles of every leaf whose box, and those of all its ancestors, pass `enter`.
    pub(in crate::hierarchy) fn walk(&self, mut enter: impl FnMut(&Obb) -> bool, mut visit: impl FnMut(u32)) {
        let mut stack = vec![0u32];
        while let Some(index) = stack.pop() {
            let block = &self.tree.blocks[index as usize];
            for lane in 0..LANES {
                let child = Child::of(block.child[lane]);
                if child == Child::None || !enter(&self.obb(block, lane)) {
                    continue;
                }
                match child {
                    Child::Block(child) => stack.push(child),
                    Child::Leaf { first, count } => self.leaf(first, count).iter().for_each(|&t| visit(t)),
                    Child::None => unreachable!("skipped"),
                }
            }
        }
    }

    /// Calls `visit` with the triangles of every leaf that is not proven farther from a point than the bound,
    /// near ones first, about; `visit` returns the bound from there on, which does not grow.
    pub(in crate::hierarchy) fn near_point(
        &self,
        p: DVec3,
        mut bound: f64,
        mut visit: impl FnMut(u32) -> f64,
    ) {
        let seen = SeenPoint::new(self, p);
        let mut stack = vec![(0.0, Child::Block(0))];
        while let Some((distance, child)) = stack.pop() {
            if distance > bound {
                continue;
            }
            match child {
                Child::Block(index) => {
                    let block = &self.tree.blocks[index as usize];
                    let from = stack.len();
                    for (distance, code) in seen.distances(block).into_iter().zip(block.child) {
                        if distance <= bound && code != Child::None.code() {
                            stack.push((distance, Child::of(code)));
                        }
                    }
                    stack[from..].sort_unstable_by(|x, y| y.0.total_cmp(&x.0));
                }
                Child::Leaf { first, count } => {
                    self.leaf(first, count).iter().for_each(|&t| bound = visit(t));
                }
                Child::None => unreachable!("not pushed"),
            }
        }
    }
}
