//! Points that may raise the lower bound.

use glam::DVec3;

use super::search::DepthSearch;
use super::{Deepest, NARROW};
use closefit_geometry::bounds::aabb::Aabb;

/// A point within some drift of a surface.
#[derive(Clone, Copy, Debug)]
pub struct Candidate {
    /// The point.
    pub at: DVec3,
    /// The largest distance it may have from the surface.
    pub drift: f64,
    /// A closed triangle of the solid that may be near.
    pub near: Option<u32>,
    /// True if the point of the surface is known to lie inside the solid.
    pub is_inside: bool,
}

impl DepthSearch<'_> {
    /// Raises the lower bound if a point lies deep inside. Returns false if the point was found outside, and
    /// a triangle near it.
    ///
    /// Some point of the surface lies within the candidate's drift and on the same side of the solid's
    /// surface. The candidate is farther than its drift from that surface, so the depths of the two differ by
    /// at most the drift.
    pub fn try_candidate(&mut self, side: u8, candidate: Candidate) -> (bool, Option<u32>) {
        let Candidate { at, drift, mut near, is_inside } = candidate;
        let worth = self.limit() * (1.0 - 0.5 * NARROW);
        let solid = self.solid_mut(side);
        if solid.is_convex() {
            if solid.way_out(at) <= worth {
                return (true, near);
            }
        } else {
            if let Some(t) = near
                && !solid.is_few()
                && solid.distance(at, t) <= worth
            {
                return (true, near);
            }
            let nearest = solid.nearest(at, near);
            near = Some(nearest.triangle);
            if nearest.squared.sqrt() <= worth {
                return (true, near);
            }
        }
        if !is_inside && !self.solid(side).holds(at) {
            return (false, near);
        }
        let at_least = self.solid(side).at_least(at, near) - drift;
        self.raise(side, at_least, at, near);
        (true, near)
    }

    /// Records that a point of a surface lies at least this deep.
    fn raise(&mut self, side: u8, at_least: f64, point: DVec3, near: Option<u32>) {
        if at_least > self.at_least && at_least > self.question.tolerance * (1.0 - 0.5 * NARROW) {
            self.at_least = at_least;
            self.deepest = Some(Deepest { point, on: side.into() });
            let out = self.solid(side).outward(point, near);
            self.direction_of_deepest = out.map(|way| if side == 0 { way } else { -way });
        }
    }

    /// Tries the corners of a surface with few triangles, deepest below the solid's planes first.
    pub fn try_corners(&mut self, side: u8) {
        let mut corners = std::mem::take(&mut self.corners);
        corners.clear();
        let solid = self.solid(side);
        let bounds = solid.body.bounds();
        for (v, &at) in (0..).zip(self.surface(side).vertices()) {
            if bounds.strictly_contains(&Aabb { lo: at, hi: at }) {
                let depth = solid.way_out(at);
                if depth > self.limit() {
                    corners.push((depth, v));
                }
            }
        }
        corners.sort_unstable_by(|x, y| y.0.total_cmp(&x.0).then(x.1.cmp(&y.1)));
        for &(depth, v) in &corners {
            if depth <= self.limit() {
                break;
            }
            let at = self.surface(side).vertex(v);
            self.try_candidate(side, Candidate { at, drift: 0.0, near: None, is_inside: false });
        }
        self.corners = corners;
    }
}
