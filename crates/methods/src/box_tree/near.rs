//! PosedBoxTree trees, queried near a point or in a region, through the tree of triangles.
//!
//! A triangle may be in several leaves, whose boxes each contain a part of it. Queries about regions use
//! boxes widened by what their triangles reach beyond them, so that a box contains all of each; and each
//! triangle is visited once.

use std::ops::ControlFlow;

use glam::{DMat3, DVec3};

use super::TRIANGLES;
use super::axes::{AxesFrame, BoxPairs, squared_gaps};
use super::cuts::{CutTree, Extents, Place};
use super::posed::PosedBoxTree;
use closefit::Work;
use closefit::internals::bvh::placement::{FrameMap, ROOM, squared_limit};
use closefit::internals::bvh::posed_model::Standing;
use closefit::internals::bvh::world_box;
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::bounds::obb::Obb;
use closefit_geometry::lanes::LANES;
use closefit_geometry::math::Triangle;
use closefit_geometry::math::error_bounds::F32_AXES;

impl PosedBoxTree<'_> {
    fn tree(&self) -> &CutTree {
        &self.of.trees[TRIANGLES]
    }

    /// Returns the box of a node, widened to contain all of its triangles.
    fn around_all(&self, (node, Extents { lo, hi }): Place) -> Extents {
        let more = self.tree().nodes[node as usize].overhang;
        Extents { lo: lo.map(|x| (x - more).next_down()), hi: hi.map(|x| (x + more).next_up()) }
    }

    fn obb(&self, Extents { lo, hi }: Extents) -> Obb {
        let [lo, hi] = [lo, hi].map(|corner| DVec3::from_array(corner.map(f64::from)));
        let frame = &self.of.frame;
        Obb {
            center: frame.center + (lo + hi) * (0.5 * frame.unit),
            axes: Obb::COORDINATE_AXES,
            half: (hi - lo) * (0.5 * frame.unit),
        }
    }

    /// Returns a frame along the world's axes about the middle of a world-aligned box, and the box there;
    /// `None` where f32 cannot tell.
    fn region(&self, bounds: &Aabb) -> Option<(AxesFrame, Extents)> {
        let (middle, half) = ((bounds.lo + bounds.hi) * 0.5, (bounds.hi - bounds.lo) * 0.5);
        let place = self.enter(middle);
        // Halving and adding may round, by less than the margin allows for the largest corner.
        let largest = bounds.lo.abs().max(bounds.hi.abs());
        let half = half / self.scale;
        let margin = self.margin(place.abs() + half, largest)?;
        let inverse = self.linear.inverse();
        let linear = DMat3::from_cols_array_2d(
            &inverse.to_cols_array_2d().map(|column| column.map(|x| x * self.scale)),
        );
        let map = FrameMap { linear, shift: place, ratio: 1.0, margin };
        let corner = (half.as_vec3() * (1.0 + ROOM)).to_array();
        let around = Extents { lo: corner.map(|x| -x), hi: corner };
        Some((AxesFrame::new(&map, F32_AXES * half.element_sum()), around))
    }
}

impl Standing for PosedBoxTree<'_> {
    fn walk(&self, enter: &mut dyn FnMut(&Aabb) -> bool, visit: &mut dyn FnMut(u32), work: &mut Work) {
        let tree = self.tree();
        let (pose, margin) = self.of_boxes(self.of.linear.as_ref(), self.of.largest_coordinate);
        let (mut found, mut stack) = (Vec::new(), vec![tree.whole()]);
        while let Some(place) = stack.pop() {
            work.box_tests += 1;
            if !enter(&world_box::around(&self.obb(self.around_all(place)), &pose, margin)) {
                continue;
            }
            if tree.is_leaf(place.0) {
                found.extend_from_slice(tree.leaf(place.0));
            } else {
                let (count, children) = tree.open(place);
                stack.extend_from_slice(&children[..count]);
            }
        }
        once(&mut found);
        work.triangle_tests += found.len() as u64;
        found.into_iter().for_each(visit);
    }

    /// Calls `visit` with the triangles, and their posed corners, of every leaf that is not proven apart from
    /// a box, if their own boxes meet it, until it breaks off.
    fn in_box(
        &self,
        bounds: &Aabb,
        visit: &mut dyn FnMut(u32, &Triangle) -> ControlFlow<()>,
        work: &mut Work,
    ) -> ControlFlow<()> {
        let (tree, region) = (self.tree(), self.region(bounds));
        work.begin(region.as_ref());
        let (mut found, mut stack) = (Vec::new(), vec![tree.whole()]);
        while !stack.is_empty() {
            let tested = stack.split_off(stack.len().saturating_sub(LANES));
            work.box_tests += tested.len() as u64;
            let mut pairs = BoxPairs::default();
            for (lane, &place) in tested.iter().enumerate() {
                let around = region.map_or(place.1, |(_, around)| around);
                pairs.put(lane, [self.around_all(place), around]);
            }
            let gaps = squared_gaps(self.executor, region.as_ref().map(|(frame, _)| frame), &pairs);
            for (place, gap) in tested.into_iter().zip(gaps) {
                if gap > 0.0 {
                    continue;
                }
                if tree.is_leaf(place.0) {
                    found.extend_from_slice(tree.leaf(place.0));
                } else {
                    let (count, children) = tree.open(place);
                    stack.extend_from_slice(&children[..count]);
                }
            }
        }
        once(&mut found);
        for triangle in found {
            let corners = self.triangle(triangle);
            work.box_tests += 1;
            if Aabb::of(corners).meets(bounds) {
                work.triangle_tests += 1;
                visit(triangle, &corners)?;
            }
        }
        ControlFlow::Continue(())
    }

    /// Calls `visit` with the triangles, and their posed corners, of every leaf that is not proven farther
    /// from a point than the bound, near ones roughly first, and some repeatedly. `visit` returns the new
    /// bound, which must not grow, or a negative number to stop.
    fn near_point(
        &self,
        p: DVec3,
        bound: f64,
        visit: &mut dyn FnMut(u32, &Triangle) -> f64,
        work: &mut Work,
    ) {
        let tree = self.tree();
        let place = self.enter(p);
        // A point of a triangle may lie past a cut by its thickness along each axis.
        let thickness = 1.74 * f64::from(tree.thickness);
        let margin = self.margin(place, p).map(|margin| margin + thickness);
        work.begin(margin.as_ref());
        let gap = |extents: &Extents| margin.map_or(0.0, |margin| squared_gap(place, extents, margin));
        let mut farthest = squared_limit(bound, self.scale);
        let mut stack = vec![(0.0f32, tree.whole())];
        while let Some((squared, node)) = stack.pop() {
            if squared > farthest {
                continue;
            }
            if !tree.is_leaf(node.0) {
                let (count, children) = tree.open(node);
                work.box_tests += count as u64;
                let mut children = children.map(|child| (gap(&child.1), child));
                if children[0].0 < children[1].0 {
                    children.swap(0, 1);
                }
                stack.extend(children.into_iter().take(count).filter(|&(squared, _)| squared <= farthest));
                continue;
            }
            for &triangle in tree.leaf(node.0) {
                work.triangle_tests += 1;
                let bound = visit(triangle, &self.triangle(triangle));
                if bound < 0.0 {
                    return;
                }
                farthest = squared_limit(bound, self.scale);
            }
        }
    }
}

/// Returns a lower bound of the squared distance of a point, known to within `margin`, from a box; 0 for a
/// NaN.
fn squared_gap(p: DVec3, extents: &Extents, margin: f64) -> f32 {
    let [lo, hi] = [extents.lo, extents.hi].map(|corner| DVec3::from_array(corner.map(f64::from)));
    let gap = (lo - p).max(p - hi).max(DVec3::ZERO).length() - margin;
    let gap = gap.max(0.0);
    ((gap * gap) as f32) * (1.0 - ROOM)
}

/// Sorts triangles, and removes repetitions.
fn once(triangles: &mut Vec<u32>) {
    triangles.sort_unstable();
    triangles.dedup();
}
