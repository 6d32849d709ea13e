//! Bounds from an inset or outset surface. Every corner moves against the normals of the faces around it, so that a
//! part comes free of its mating faces on all sides at once. The corners of a surface that touches nothing move along
//! the normals: if it is inside, it comes out on all sides at once.

use glam::DVec3;
use hashbrown::HashMap;

use super::polygon::Plane;
use super::queue::Item;
use super::search::Search;
use super::unqueue::keep_outside;
use crate::math::pose::{SMALLEST, flush_tiny};

/// The smallest numbers for which an inset pays off: items in the queue, and queued triangles of a surface.
const CROWD: usize = 8;
const FEWEST: usize = 4;

/// Share of the limit by which corners move, so that rounding stays within the limit.
const SHARE: f64 = 0.999;

/// A corner, with the normals of up to three faces around it.
struct Corner {
    at: DVec3,
    normals: [DVec3; 3],
    count: usize,
}

impl Corner {
    fn add(&mut self, normal: DVec3) {
        let new = self.normals[..self.count].iter().all(|known| known.dot(normal) < 0.99);
        if new && self.count < self.normals.len() {
            self.normals[self.count] = normal;
            self.count += 1;
        }
    }

    /// Returns the corner's position after a step inwards, or outwards if the step is negative.
    fn inset(&self, step: f64) -> DVec3 {
        let sum: DVec3 = self.normals[..self.count].iter().sum();
        flush_tiny(self.at - sum.normalize_or_zero() * step)
    }
}

impl Search<'_> {
    /// True when the limit has grown since the last attempt, and enough is queued that an inset may resolve.
    pub fn drawing_in_is_due(&self, top: &Item) -> bool {
        self.limit() > 1.05 * self.inset_at && !matches!(top, Item::Surface) && self.queue.len() >= CROWD
    }

    /// Tries to inset all queued triangles, or to outset those of an enclosed surface.
    pub fn draw_in(&mut self) {
        self.inset_at = self.limit();
        for side in [0, 1] {
            if self.resolved[side as usize] || (self.is_clash() && self.solid(side).is_convex()) {
                continue;
            }
            let is_enclosed = self.contacts[side as usize].is_empty();
            // Nothing enclosed comes out within the tolerance while the surfaces are farther apart.
            if is_enclosed && !self.is_clash() {
                continue;
            }
            let step = if is_enclosed { -SHARE } else { SHARE } * self.limit();
            let mut triangles = self.queued(side);
            if triangles.len() >= FEWEST {
                self.draw_some_in(side, &mut triangles, step);
            }
        }
    }

    fn draw_some_in(&mut self, side: u8, triangles: &mut Vec<u32>, step: f64) {
        let (surface, solid) = (self.surface(side), self.solid(side));
        let mesh = surface.body.mesh;
        let mut corners: HashMap<u32, Corner> = HashMap::new();
        for &t in &*triangles {
            let points = surface.triangle(t);
            let normal = Plane::of(&points).map(|plane| plane.normal);
            for (v, at) in mesh.triangles()[t as usize].into_iter().zip(points) {
                let corner = corners.entry(v).or_insert(Corner { at, normals: [DVec3::ZERO; 3], count: 0 });
                normal.into_iter().for_each(|normal| corner.add(normal));
            }
        }
        let mut moved_by = 0.0f64;
        let moved = |t: u32| mesh.triangles()[t as usize].map(|v| corners[&v].inset(step));
        triangles.retain(|&t| {
            let moved = moved(t);
            for (p, q) in surface.triangle(t).into_iter().zip(moved) {
                // The distance is rounded four times.
                moved_by = moved_by.max(p.distance(q) * (1.0 + 4.0 * f64::EPSILON) + 2.0 * SMALLEST);
            }
            !solid.meets(&moved)
        });
        if moved_by > self.limit() {
            return;
        }
        keep_outside(mesh, triangles, |t| !solid.holds(moved(t)[0]));
        self.unqueue(side, triangles, moved_by);
    }
}
