//! Points that may raise the lower bound.

use glam::DVec3;

use super::NARROW;
use super::search::Search;
use crate::bounds::aabb::Aabb;

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

impl Search<'_> {
    /// Raises the lower bound if a point lies deep inside. Returns false if the point was found outside, and a triangle
    /// near it.
    ///
    /// Some point of the surface lies within the candidate's drift and on the same side of the solid's surface. The
    /// candidate is farther than its drift from that surface, so the depths of the two differ by at most the drift.
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
            self.deepest = Some(point);
            let out = self.solid(side).outward(point, near);
            self.way_of_deepest = out.map(|way| if side == 0 { way } else { -way });
        }
    }

    /// Tries the corners of a surface with few triangles, deepest below the solid's planes first.
    pub fn try_corners(&mut self, side: u8) {
        let mut last = (f64::INFINITY, 0);
        loop {
            let solid = self.solid(side);
            let inner = &solid.body.bounds;
            let mut best: Option<(f64, usize)> = None;
            for (v, &p) in self.surface(side).vertices().iter().enumerate() {
                if !inner.strictly_contains(&Aabb { lo: p, hi: p }) {
                    continue;
                }
                let depth = solid.way_out(p);
                let is_later = depth < last.0 || (depth == last.0 && v > last.1);
                if is_later && depth > self.limit() && best.is_none_or(|(most, _)| depth > most) {
                    best = Some((depth, v));
                }
            }
            let Some(next) = best else { return };
            last = next;
            let at = self.surface(side).vertices()[next.1];
            self.try_candidate(side, Candidate { at, drift: 0.0, near: None, is_inside: false });
        }
    }
}
