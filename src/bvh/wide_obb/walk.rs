//! A posed tree, queried near a point or in a region.

use std::ops::ControlFlow;

use glam::DVec3;

use super::box_box::Single;
use super::kernels::Kernels;
use super::posed::PosedWideObb;
use super::{Block, Child};
use crate::bvh::posed_model::Standing;
use crate::bvh::stack::Stack;
use crate::bvh::world_box;
use crate::narrow::Work;
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::bounds::obb::Obb;
use closefit_geometry::executor::execute;
use closefit_geometry::lanes::LANES;
use closefit_geometry::math::Triangle;
use closefit_geometry::math::error_bounds::F32_EXTENT;

/// Relative error of conversions between units of f64 and f32: 16 roundings of f32 and the pose's skew.
const ROOM: f64 = 1.0 / (1 << 18) as f64;

/// A point in the normal coordinates of a posed tree.
#[derive(Clone, Copy, Debug)]
pub(super) struct SeenPoint {
    /// Position in normal coordinates.
    place: DVec3,
    /// Bound of the error of the position and of the tree's vertices, in normal units; infinite where f32
    /// cannot tell.
    margin: f32,
    /// Lower bound of the world length of a normal length of 1.
    scale: f64,
}

impl SeenPoint {
    /// Carries a world point into the tree's normal coordinates.
    #[inline]
    pub(in crate::bvh) fn new(tree: &PosedWideObb, p: DVec3) -> Self {
        let place = tree.enter(p);
        let margin = tree.margin(place, p).unwrap_or(f64::INFINITY);
        let margin = (margin * (1.0 + f64::from(f32::EPSILON))) as f32;
        Self { place, margin, scale: tree.scale * (1.0 - tree.skew) }
    }

    /// Returns lower bounds of the squared distances to the contents of a block's boxes, in normal units;
    /// infinite for lanes without a box.
    #[inline(always)]
    fn squared(&self, kernels: impl Kernels, block: &Block) -> [f32; LANES] {
        let origin = DVec3::new(block.origin[0].into(), block.origin[1].into(), block.origin[2].into());
        let center = (self.place - origin).as_vec3().to_array();
        kernels.point_distances(&center, self.margin, block)
    }

    /// Returns a squared distance, in normal units, that no box nearer than `distance` in the world exceeds.
    fn limit(&self, distance: f64) -> f32 {
        let normal = (distance / self.scale * (1.0 + ROOM)) as f32;
        let room = 1.0 + ROOM as f32;
        normal * normal * room * room + f32::MIN_POSITIVE
    }
}

/// A box of the world in the normal coordinates of a posed tree.
#[derive(Clone, Copy, Debug)]
struct SeenBox {
    /// Its centre in normal coordinates.
    place: DVec3,
    axes: [[f32; 3]; 3],
    /// Half extents in normal units, widened by all rounding.
    half: [f32; 3],
}

impl SeenBox {
    /// Carries a box into the tree's normal coordinates; `None` where f32 cannot tell. The axes of the box
    /// are the coordinate axes or the axes of [`Obb::around_face`].
    #[inline]
    fn new(tree: &PosedWideObb, bounds: &Obb) -> Option<Self> {
        let reach = bounds.half.element_sum();
        let inverse = tree.linear.inverse();
        let place = inverse * (bounds.center - tree.origin);
        // Halving and adding may round, by less than the margin allows for the largest corner.
        let margin = tree.margin(place.abs() + reach / tree.scale, bounds.center.abs() + reach)?;
        let half = bounds.half / tree.scale;
        let half = half + half.element_sum() * F32_EXTENT + margin;
        Some(Self {
            place,
            axes: bounds.axes.map(|axis| (inverse * axis * tree.scale).as_vec3().to_array()),
            half: (half * (1.0 + ROOM)).as_vec3().to_array(),
        })
    }

    /// Returns a mask in which bit i is set unless box i of the block is apart from this one.
    #[inline(always)]
    fn meeting(&self, kernels: impl Kernels, block: &Block) -> u32 {
        let origin = DVec3::new(block.origin[0].into(), block.origin[1].into(), block.origin[2].into());
        let center = (self.place - origin).as_vec3().to_array();
        kernels.meeting(&Single { center, axes: self.axes, half: self.half }, block)
    }
}

impl PosedWideObb<'_> {
    /// Returns a box of a block in the frame of [`PosedWideObb::boxes_in_world`], up to the rounding of its
    /// centre.
    pub(in crate::bvh) fn obb(&self, block: &Block, lane: usize) -> Obb {
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

    /// Returns the mesh's triangles of a leaf.
    pub(in crate::bvh) fn leaf(&self, first: u32, count: u32) -> &[u32] {
        &self.tree.triangles[first as usize..(first + count) as usize]
    }

    #[inline(always)]
    fn in_seen_box(
        &self,
        kernels: impl Kernels,
        seen: Option<&SeenBox>,
        visit: &mut dyn FnMut(u32, &Triangle) -> ControlFlow<()>,
        work: &mut Work,
    ) -> ControlFlow<()> {
        let columns = kernels.columns(&self.pose);
        let mut stack = Stack::<u32, 64>::with(0);
        while let Some(index) = stack.pop() {
            let block = &self.blocks[index as usize];
            work.box_tests += LANES as u64;
            let mut left = seen.map_or((1 << LANES) - 1, |seen| seen.meeting(kernels, block));
            while left != 0 {
                let lane = left.trailing_zeros() as usize;
                left &= left - 1;
                match Child::of(block.child[lane]) {
                    Child::Block(child) => stack.push(child),
                    Child::Leaf { first, count } => {
                        for place in first..first + count {
                            let corners =
                                kernels.corners(&columns, self.vertices, self.corners[place as usize]);
                            work.triangle_tests += 1;
                            visit(self.tree.triangles[place as usize], &corners)?;
                        }
                    }
                    Child::None => {}
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// Calls `visit` with the triangles of every leaf that is not proven apart from a box of the world.
    fn in_obb(
        &self,
        bounds: &Obb,
        visit: &mut dyn FnMut(u32, &Triangle) -> ControlFlow<()>,
        work: &mut Work,
    ) -> ControlFlow<()> {
        let seen = SeenBox::new(self, bounds);
        work.begin(seen.as_ref());
        execute!(self.executor, kernels => self.in_seen_box(kernels, seen.as_ref(), visit, work))
    }

    #[inline(always)]
    fn near_seen_points<const N: usize>(
        &self,
        kernels: impl Kernels,
        seen: &[SeenPoint; N],
        mut bound: f64,
        visit: &mut dyn FnMut(u32, &Triangle) -> f64,
        work: &mut Work,
    ) {
        let columns = kernels.columns(&self.pose);
        let mut limit = seen[0].limit(bound);
        let mut stack = Stack::<(f32, u32), 64>::with((0.0, Child::Block(0).code()));
        while let Some((squared, code)) = stack.pop() {
            if squared > limit {
                continue;
            }
            match Child::of(code) {
                Child::Block(index) => {
                    let block = &self.blocks[index as usize];
                    work.box_tests += LANES as u64;
                    let mut squared = seen[0].squared(kernels, block);
                    for other in &seen[1..] {
                        for (most, squared) in squared.iter_mut().zip(other.squared(kernels, block)) {
                            *most = most.max(squared);
                        }
                    }
                    let mut near = [(0.0f32, 0u32); LANES];
                    let mut count = 0;
                    for (&squared, &child) in squared.iter().zip(&block.child) {
                        if squared > limit || child == Child::None.code() {
                            continue;
                        }
                        // The nearest last.
                        let mut at = count;
                        while at > 0 && near[at - 1].0 < squared {
                            near[at] = near[at - 1];
                            at -= 1;
                        }
                        near[at] = (squared, child);
                        count += 1;
                    }
                    near[..count].iter().for_each(|&entry| stack.push(entry));
                }
                Child::Leaf { first, count } => {
                    for place in first..first + count {
                        let corners = kernels.corners(&columns, self.vertices, self.corners[place as usize]);
                        work.triangle_tests += 1;
                        let new = visit(self.tree.triangles[place as usize], &corners);
                        if new < 0.0 {
                            return;
                        }
                        if new != bound {
                            bound = new;
                            limit = seen[0].limit(bound);
                        }
                    }
                }
                Child::None => unreachable!("not pushed"),
            }
        }
    }
}

impl PosedWideObb<'_> {
    /// Calls `visit` with the triangles of every leaf that is not proven farther than the bound from one of
    /// the points.
    fn near_points<const N: usize>(
        &self,
        points: [DVec3; N],
        bound: f64,
        visit: &mut dyn FnMut(u32, &Triangle) -> f64,
        work: &mut Work,
    ) {
        let seen = points.map(|p| SeenPoint::new(self, p));
        work.begin(seen.iter().all(|seen| seen.margin.is_finite()).then_some(&seen));
        execute!(self.executor, kernels => self.near_seen_points(kernels, &seen, bound, visit, work));
    }
}

impl Standing for PosedWideObb<'_> {
    fn walk(&self, enter: &mut dyn FnMut(&Aabb) -> bool, visit: &mut dyn FnMut(u32), work: &mut Work) {
        let (pose, margin) = self.boxes_in_world();
        let mut stack = vec![0u32];
        while let Some(index) = stack.pop() {
            let block = &self.blocks[index as usize];
            for lane in 0..LANES {
                let child = Child::of(block.child[lane]);
                if child == Child::None {
                    continue;
                }
                work.box_tests += 1;
                if !enter(&world_box::around(&self.obb(block, lane), &pose, margin)) {
                    continue;
                }
                match child {
                    Child::Block(child) => stack.push(child),
                    Child::Leaf { first, count } => {
                        work.triangle_tests += u64::from(count);
                        self.leaf(first, count).iter().for_each(|&t| visit(t));
                    }
                    Child::None => unreachable!("skipped"),
                }
            }
        }
    }

    fn in_box(
        &self,
        bounds: &Aabb,
        visit: &mut dyn FnMut(u32, &Triangle) -> ControlFlow<()>,
        work: &mut Work,
    ) -> ControlFlow<()> {
        let (center, half) = ((bounds.lo + bounds.hi) * 0.5, (bounds.hi - bounds.lo) * 0.5);
        self.in_obb(&Obb { center, axes: Obb::COORDINATE_AXES, half }, visit, work)
    }

    fn near_face(
        &self,
        corners: &[DVec3],
        visit: &mut dyn FnMut(u32, &Triangle) -> ControlFlow<()>,
        work: &mut Work,
    ) -> ControlFlow<()> {
        self.in_obb(&Obb::around_face(corners), visit, work)
    }

    fn near_point(
        &self,
        p: DVec3,
        bound: f64,
        visit: &mut dyn FnMut(u32, &Triangle) -> f64,
        work: &mut Work,
    ) {
        self.near_points([p], bound, visit, work);
    }

    fn near_both(
        &self,
        points: [DVec3; 2],
        bound: f64,
        visit: &mut dyn FnMut(u32, &Triangle) -> f64,
        work: &mut Work,
    ) {
        self.near_points(points, bound, visit, work);
    }
}
