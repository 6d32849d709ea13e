//! A posed tree, queried near a point or in a region.

use std::ops::ControlFlow;

use glam::DVec3;

use super::posed::{PosedVolumes, beyond, used};
use super::visited::Visited;
use super::volume::{Volume, VolumeKernels};
use closefit::Work;
#[cfg(doc)]
use closefit::internals::bvh::placement::Placement;
use closefit::internals::bvh::placement::squared_limit;
use closefit::internals::bvh::posed_model::Standing;
use closefit::internals::bvh::wide_topology::Child;
use closefit::internals::bvh::world_box;
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::bounds::obb::Obb;
use closefit_geometry::executor::execute;
use closefit_geometry::lanes::LANES;
use closefit_geometry::math::Triangle;
use closefit_geometry::math::error_bounds::F32_EXTENT;

impl<V: Volume> PosedVolumes<'_, V> {
    /// Returns a box around a volume, in the frame of [`Placement::of_boxes`].
    fn obb(&self, volume: &V) -> Obb {
        let Aabb { lo, hi } = volume.bounds();
        Obb {
            center: self.tree.center + (lo + hi) * (0.5 * self.tree.unit),
            axes: Obb::COORDINATE_AXES,
            half: (hi - lo) * (0.5 * self.tree.unit),
        }
    }

    /// Carries a world-aligned box into normal coordinates; `None` where f32 cannot tell.
    fn region(&self, bounds: &Aabb) -> Option<V::Region> {
        let (middle, half) = ((bounds.lo + bounds.hi) * 0.5, (bounds.hi - bounds.lo) * 0.5);
        let place = self.enter(middle);
        // Halving and adding may round, by less than the margin allows for the largest corner.
        let largest = bounds.lo.abs().max(bounds.hi.abs());
        let margin = self.margin(place.abs() + half / self.scale, largest)?;
        let half = half / self.scale;
        let half = half + half.element_sum() * F32_EXTENT + margin;
        let inverse = self.linear.inverse();
        let axes = [inverse.x_axis, inverse.y_axis, inverse.z_axis].map(|axis| axis * self.scale);
        Some(V::region(place, &axes, half))
    }

    #[inline(always)]
    fn in_region(
        &self,
        kernels: impl VolumeKernels,
        region: Option<&V::Region>,
        visit: &mut dyn FnMut(u32, &Triangle) -> ControlFlow<()>,
        work: &mut Work,
    ) -> ControlFlow<()> {
        let (triangles, mut visited) = (self.triangles(), Visited::in_search([self.tree]));
        let mut stack = vec![0u32];
        while let Some(index) = stack.pop() {
            let (volumes, children) =
                (&self.tree.volumes[index as usize], &self.tree.children[index as usize]);
            work.box_tests += LANES as u64;
            let apart =
                region.map_or(0, |region| beyond(&kernels.squared_gaps_to_region::<V>(region, volumes), 0.0));
            let mut left = used(children) & !apart;
            while left != 0 {
                let lane = left.trailing_zeros() as usize;
                left &= left - 1;
                match Child::of(children[lane]) {
                    Child::Block(child) => stack.push(child),
                    Child::Leaf { first, count } => {
                        for place in first..first + count {
                            let triangle = self.tree.triangles[place as usize];
                            if visited.is_first(triangle) {
                                work.triangle_tests += 1;
                                visit(triangle, &triangles.triangle(place))?;
                            }
                        }
                    }
                    Child::None => unreachable!("not used"),
                }
            }
        }
        ControlFlow::Continue(())
    }

    #[inline(always)]
    fn near_ball(
        &self,
        kernels: impl VolumeKernels,
        ball: Option<&V>,
        bound: f64,
        visit: &mut dyn FnMut(u32, &Triangle) -> f64,
        work: &mut Work,
    ) {
        let (triangles, mut visited) = (self.triangles(), Visited::in_search([self.tree]));
        let mut farthest = squared_limit(bound, self.scale);
        let mut stack = vec![(0.0f32, Child::Block(0).code())];
        while let Some((squared, code)) = stack.pop() {
            if squared > farthest {
                continue;
            }
            match Child::of(code) {
                Child::Block(index) => {
                    let (volumes, children) =
                        (&self.tree.volumes[index as usize], &self.tree.children[index as usize]);
                    work.box_tests += LANES as u64;
                    let gaps = ball.map_or([0.0; LANES], |ball| kernels.squared_gaps(ball, volumes));
                    let mut left = used(children) & !beyond(&gaps, farthest);
                    let from = stack.len();
                    while left != 0 {
                        let lane = left.trailing_zeros() as usize;
                        left &= left - 1;
                        stack.push((gaps[lane], children[lane]));
                    }
                    stack[from..].sort_by(|x, y| y.0.total_cmp(&x.0));
                }
                Child::Leaf { first, count } => {
                    for place in first..first + count {
                        let triangle = self.tree.triangles[place as usize];
                        if !visited.is_first(triangle) {
                            continue;
                        }
                        work.triangle_tests += 1;
                        let bound = visit(triangle, &triangles.triangle(place));
                        if bound < 0.0 {
                            return;
                        }
                        farthest = squared_limit(bound, self.scale);
                    }
                }
                Child::None => unreachable!("not used"),
            }
        }
    }
}

impl<V: Volume> Standing for PosedVolumes<'_, V> {
    fn walk(&self, enter: &mut dyn FnMut(&Aabb) -> bool, visit: &mut dyn FnMut(u32), work: &mut Work) {
        let (pose, margin) = self.of_boxes(self.tree.linear.as_ref(), self.tree.largest_coordinate);
        let mut visited = Visited::in_search([self.tree]);
        let mut stack = vec![0u32];
        while let Some(index) = stack.pop() {
            let (volumes, children) =
                (&self.tree.volumes[index as usize], &self.tree.children[index as usize]);
            for (lane, &code) in children.iter().enumerate() {
                let child = Child::of(code);
                if child == Child::None {
                    continue;
                }
                work.box_tests += 1;
                if !enter(&world_box::around(&self.obb(&V::of_lane(volumes, lane)), &pose, margin)) {
                    continue;
                }
                match child {
                    Child::Block(child) => stack.push(child),
                    Child::Leaf { first, count } => {
                        let triangles = &self.tree.triangles[first as usize..(first + count) as usize];
                        for &triangle in triangles.iter().filter(|&&triangle| visited.is_first(triangle)) {
                            work.triangle_tests += 1;
                            visit(triangle);
                        }
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
        let region = self.region(bounds);
        work.begin(region.as_ref());
        execute!(self.executor, kernels => self.in_region(kernels, region.as_ref(), visit, work))
    }

    fn near_point(
        &self,
        p: DVec3,
        bound: f64,
        visit: &mut dyn FnMut(u32, &Triangle) -> f64,
        work: &mut Work,
    ) {
        let place = self.enter(p);
        let ball = self.margin(place, p).map(|margin| V::of_ball(place, (margin as f32).next_up()));
        work.begin(ball.as_ref());
        execute!(self.executor, kernels => self.near_ball(kernels, ball.as_ref(), bound, visit, work));
    }
}
