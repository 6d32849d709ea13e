//! Bounds from planes with the whole solid behind them: the way out through such a plane leads out of the
//! solid.

use glam::DVec3;

use super::part::Part;
use super::polygon::{Plane, Polygon, range};
use closefit_geometry::bounds::aabb::Aabb;

/// The way out of a solid through the planes that have it behind them.
#[derive(Clone, Copy, Debug)]
pub struct WayOut {
    /// An upper bound of the depth of all points.
    pub at_most: f64,
    /// The plane that governs: the depth of the deepest corner is least below this one.
    pub plane: usize,
    /// That depth.
    pub deepest: f64,
}

impl Part<'_> {
    /// Adds the planes of closed triangles that have everything behind them. Returns true if every closed
    /// triangle lies in one of the planes.
    pub(super) fn find_planes(&mut self) -> bool {
        let mut convex = true;
        let sides_of_box = self.memory.planes.len();
        self.boxed = self.body.seam_triangles().is_empty();
        self.first_plane = sides_of_box;
        for t in 0..self.body.len() {
            if !self.body.is_closed(t) {
                continue;
            }
            let corners = self.triangle(t);
            let (sides, own) = (self.body.bounds(), Aabb::of(corners));
            // Most triangles of a box lie flat against a side of their box, at height 0.
            if own.lo.cmpeq(sides.hi).any() || own.hi.cmpeq(sides.lo).any() {
                self.first_plane = 0;
                continue;
            }
            self.boxed = false;
            let on = |plane: &Plane| corners.iter().all(|&p| plane.height(p).abs() <= self.error);
            // Neighbouring triangles often lie in one plane, so the last plane comes first.
            if let Some(plane) = self.memory.planes.iter().rposition(on) {
                if plane < sides_of_box {
                    self.first_plane = 0;
                }
                continue;
            }
            let Some(mut plane) = Plane::of(&corners) else {
                convex = false;
                continue;
            };
            // The solid lies behind the plane or, if it is inside out, in front.
            let [lo, hi] = range([0.0; 2], self.vertices().iter().map(|&p| plane.height(p)));
            if -lo <= self.error {
                plane.normal = -plane.normal;
            }
            if hi.min(-lo) <= self.error {
                // The normal of a sliver may be far off, and its plane away from the corners.
                convex &= on(&plane);
                self.memory.planes.push(plane);
            } else {
                convex = false;
            }
        }
        convex
    }

    /// Returns an upper bound of the depth of a point: the distance to the nearest of the planes.
    pub fn way_out(&self, p: DVec3) -> f64 {
        self.memory.planes.iter().fold(f64::INFINITY, |least, plane| least.min(-plane.height(p)))
    }

    /// Returns the way out of the solid for all points of a polygon, from two of the planes: the one that
    /// minimises the depth of the deepest corner, and the one nearest to that corner.
    pub fn way_out_of(&self, polygon: &Polygon) -> WayOut {
        let [(deepest, plane), (_, other)] = self.governing_planes(polygon);
        let most = if plane == other { deepest } else { self.between(polygon, [plane, other]) };
        WayOut { at_most: most + self.error + polygon.drift, plane, deepest }
    }

    /// Returns these two planes, each with a depth: that of the first's deepest corner below the first, and
    /// below the second.
    fn governing_planes(&self, polygon: &Polygon) -> [(f64, usize); 2] {
        let mut first = (f64::INFINITY, 0, DVec3::ZERO);
        for (k, plane) in self.memory.planes.iter().enumerate() {
            let mut deepest = (f64::NEG_INFINITY, DVec3::ZERO);
            for &p in polygon.corners() {
                let depth = -plane.height(p);
                if depth > deepest.0 {
                    deepest = (depth, p);
                    if depth >= first.0 {
                        break;
                    }
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

    /// Returns the maximum over the polygon of the smaller depth below two planes. It is reached at a corner,
    /// or where an edge is equally deep below both.
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

    /// Returns an upper bound of the depth of all points of a box, from the sides of the part's box.
    pub fn way_out_of_box(&self, bounds: &Aabb) -> f64 {
        let Aabb { lo, hi } = *self.body.bounds();
        let (a, b) = (hi - bounds.lo.max(lo), bounds.hi.min(hi) - lo);
        let way = a.min(b).min_element();
        // The difference is rounded, but never to 0.
        if way > 0.0 { way.next_up() } else { way }
    }
}
