//! Bounds by planes that have the whole solid behind them: the way out of one is a way out of the solid.

use glam::DVec3;

use super::part::Part;
use super::polygon::{Plane, Polygon};
use crate::bounds::aabb::Aabb;

impl Part<'_> {
    /// Adds the planes of closed triangles that have everything behind them; true if every closed triangle lies
    /// in one of the planes.
    pub(super) fn find_planes(&mut self) -> bool {
        let mut convex = true;
        for t in 0..self.body.len() {
            if !self.body.is_closed(t) {
                continue;
            }
            let corners = self.triangle(t);
            let on = |plane: &Plane| corners.iter().all(|&p| plane.height(p).abs() <= self.error);
            if self.memory.planes.iter().any(on) {
                continue;
            }
            let Some(mut plane) = Plane::of(&corners) else {
                convex = false;
                continue;
            };
            // Behind it, or, of a solid that is inside out, before it.
            let range = |plane: &Plane| {
                let heights = self.vertices().iter().map(|&p| plane.height(p));
                heights.fold([0.0f64, 0.0], |[lo, hi], h| [lo.min(h), hi.max(h)])
            };
            let [lo, hi] = range(&plane);
            if -lo <= self.error {
                plane.normal = -plane.normal;
            }
            if hi.min(-lo) <= self.error {
                self.memory.planes.push(plane);
            } else {
                convex = false;
            }
        }
        convex
    }

    /// A bound of the depth of a point: the way to the nearest of the planes.
    pub fn way_out(&self, p: DVec3) -> f64 {
        self.memory.planes.iter().fold(f64::INFINITY, |least, plane| least.min(-plane.height(p)))
    }

    /// The same for all points of a polygon, by two of the planes: that whose farthest corner is nearest, and the one
    /// that is nearest to that corner.
    pub fn way_out_of(&self, polygon: &Polygon) -> f64 {
        let [(deepest, by), (_, other)] = self.governing_planes(polygon);
        let deepest = if by == other { deepest } else { self.between(polygon, [by, other]) };
        deepest + self.error + polygon.drift
    }

    /// Those planes, each with a depth: of the deepest corner below the first, and of that corner below the second.
    pub fn governing_planes(&self, polygon: &Polygon) -> [(f64, usize); 2] {
        let mut first = (f64::INFINITY, 0, DVec3::ZERO);
        for (k, plane) in self.memory.planes.iter().enumerate() {
            let mut deepest = (f64::NEG_INFINITY, DVec3::ZERO);
            for &p in polygon.corners() {
                let depth = -plane.height(p);
                if depth > deepest.0 {
                    deepest = (depth, p);
                }
            }
            if deepest.0 < first.0 {
                first = (deepest.0, k, deepest.1);
            }
        }
        let mut second = (f64::INFINITY, 0);
        for (k, plane) in self.memory.planes.iter().enumerate() {
            let depth = -plane.height(first.2);
            if depth < second.0 {
                second = (depth, k);
            }
        }
        [(first.0, first.1), second]
    }

    /// The largest of the lesser depths below two planes: it is at a corner, or where an edge is as deep below both.
    fn between(&self, polygon: &Polygon, planes: [usize; 2]) -> f64 {
        let depths = |p: DVec3| planes.map(|k| -self.memory.planes[k].height(p));
        let corners = polygon.corners();
        let mut most = f64::NEG_INFINITY;
        let mut last = depths(corners[corners.len() - 1]);
        for &p in corners {
            let next = depths(p);
            most = most.max(next[0].min(next[1]));
            let (h, g) = (last[0] - last[1], next[0] - next[1]);
            if (h < 0.0 && g > 0.0) || (h > 0.0 && g < 0.0) {
                most = most.max(last[0] + (next[0] - last[0]) * (h / (h - g)));
            }
            last = next;
        }
        most
    }

    /// The same for all points of a box, by the sides of the part's.
    pub fn way_out_of_box(&self, bounds: &Aabb) -> f64 {
        let Aabb { lo, hi } = self.body.bounds;
        let (a, b) = (hi - bounds.lo.max(lo), bounds.hi.min(hi) - lo);
        let way = a.min(b).min_element();
        // The difference is rounded, but never to 0.
        if way > 0.0 { way.next_up() } else { way }
    }
}
