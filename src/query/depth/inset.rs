//! Bounds from an inset or outset surface. Every corner moves against the normals of the faces around it, so
//! that a part comes free of its mating faces on all sides at once. The corners of a surface that touches
//! nothing move along the normals: if it is inside, it comes out on all sides at once.

use glam::DVec3;
use hashbrown::HashMap;

use super::back_off::pays;
use super::discard::keep_outside;
use super::part::Part;
use super::polygon::Plane;
use super::queue::PointSet;
use super::search::DepthSearch;
use closefit_geometry::math::Triangle;
use closefit_geometry::math::pose::{SMALLEST, flush_tiny};

/// The smallest numbers for which an inset pays off: items in the queue, and queued triangles of a surface.
const CROWD: usize = 8;
const FEWEST: usize = 4;

/// The number of triangles from which on some are tried first: about so many.
const MANY: usize = 32;
const SAMPLE: usize = 12;

/// Share of the limit by which corners move, so that rounding stays within the limit.
const SHARE: f64 = 0.999;

/// A corner, with the normals of up to three faces around it.
pub struct Corner {
    at: DVec3,
    normals: [DVec3; 3],
    count: usize,
}

impl Corner {
    /// A corner without faces.
    pub fn new(at: DVec3) -> Self {
        Self { at, normals: [DVec3::ZERO; 3], count: 0 }
    }

    /// Returns its position.
    pub fn at(&self) -> DVec3 {
        self.at
    }

    /// Adds the normal of a face, unless a face before had nearly the same.
    pub fn add(&mut self, normal: DVec3) {
        self.add_apart(normal, 0.99);
    }

    /// Adds the normal of a face, unless the cosine of its angle to an earlier normal is this or more.
    pub fn add_apart(&mut self, normal: DVec3, cosine: f64) {
        let new = self.normals[..self.count].iter().all(|known| known.dot(normal) < cosine);
        if new && self.count < self.normals.len() {
            self.normals[self.count] = normal;
            self.count += 1;
        }
    }

    /// Returns the corner's position after a step inwards, or outwards if the step is negative.
    pub fn inset(&self, step: f64) -> DVec3 {
        let sum: DVec3 = self.normals[..self.count].iter().sum();
        flush_tiny(self.at - sum.normalize_or_zero() * step)
    }
}

/// Some triangles of a surface with their corners moved.
struct Inset<'a> {
    surface: &'a Part<'a>,
    corners: HashMap<u32, Corner>,
    step: f64,
}

impl<'a> Inset<'a> {
    /// The inset of some triangles, each corner by a step against the normals of those around it; an outset
    /// if the step is negative.
    fn of(surface: &'a Part<'a>, triangles: &[u32], step: f64) -> Self {
        let mut corners: HashMap<u32, Corner> = HashMap::new();
        for &t in triangles {
            let points = surface.triangle(t);
            let normal = Plane::of(&points).map(|plane| plane.normal);
            for (v, at) in surface.body.mesh.triangles()[t as usize].into_iter().zip(points) {
                let corner = corners.entry(v).or_insert(Corner::new(at));
                normal.into_iter().for_each(|normal| corner.add(normal));
            }
        }
        Self { surface, corners, step }
    }

    /// Returns the moved corners of one of the triangles.
    fn triangle(&self, t: u32) -> Triangle {
        self.surface.body.mesh.triangles()[t as usize].map(|v| self.corners[&v].inset(self.step))
    }
}

impl DepthSearch<'_> {
    /// True when another attempt is due, and enough is queued that an inset may resolve.
    pub fn inset_is_due(&self, top: &PointSet) -> bool {
        !matches!(top, PointSet::Surface)
            && self.queue.len() >= CROWD
            && [0, 1].iter().any(|&side| self.inset_of_side_is_due(side, self.queue.len()))
    }

    /// True when another attempt is due for a side. In a clash it costs as much as all that is queued, so as
    /// many single patches must have been examined first.
    fn inset_of_side_is_due(&self, side: usize, queued: usize) -> bool {
        self.insetting[side].as_ref().is_some_and(|attempts| attempts.is_due(self.limit()))
            && (!self.is_clash() || self.asked_singly - self.inset_at[side] >= queued)
    }

    /// Tries to inset all queued triangles, or to outset those of an enclosed surface, where another attempt
    /// is due.
    pub fn inset_queued(&mut self) {
        let limit = self.limit();
        let queued = self.queue.len() - 1;
        for side in [0, 1] {
            if self.inset_of_side_is_due(side.into(), queued) {
                self.inset_at[side as usize] = self.asked_singly;
                let has_paid = self.inset_side(side) || !self.is_clash();
                self.insetting[side as usize].as_mut().expect("due").tried(limit, has_paid);
            }
        }
    }

    /// Tries to inset all queued triangles of a side. Returns true if that has paid.
    fn inset_side(&mut self, side: u8) -> bool {
        if self.resolved[side as usize] || (self.is_clash() && self.solid(side).is_convex()) {
            return false;
        }
        let is_enclosed = self.contacts[side as usize].is_empty();
        // Nothing enclosed comes out within the tolerance while the surfaces are farther apart.
        if is_enclosed && !self.is_clash() {
            return false;
        }
        let step = if is_enclosed { -SHARE } else { SHARE } * self.limit();
        let triangles = self.queued(side);
        triangles.len() >= FEWEST && self.inset_some(side, triangles, step)
    }

    /// Insets queued triangles of a side, ascending. Returns true if that has paid.
    fn inset_some(&mut self, side: u8, mut triangles: Vec<u32>, step: f64) -> bool {
        let (surface, solid) = (self.surface(side), self.solid(side));
        let count = triangles.len();
        if count >= MANY {
            let sample: Vec<u32> = triangles.iter().copied().step_by(count.div_ceil(SAMPLE)).collect();
            let inset = Inset::of(surface, &around(surface, &sample, &triangles), step);
            let free = sample.iter().filter(|&&t| !solid.meets(&inset.triangle(t))).count();
            if !pays(free, sample.len()) {
                return false;
            }
        }
        let inset = Inset::of(surface, &triangles, step);
        let mut moved_by = 0.0f64;
        triangles.retain(|&t| {
            let moved = inset.triangle(t);
            for (p, q) in surface.triangle(t).into_iter().zip(moved) {
                // The distance is rounded four times.
                moved_by = moved_by.max(p.distance(q) * (1.0 + 4.0 * f64::EPSILON) + 2.0 * SMALLEST);
            }
            !solid.meets(&moved)
        });
        if moved_by > self.limit() {
            return false;
        }
        keep_outside(surface.body.mesh, &mut triangles, |t| !solid.holds(inset.triangle(t)[0]));
        self.discard_queued(side, &triangles, moved_by);
        pays(triangles.len(), count)
    }
}

/// Returns the triangles, ascending, that have a corner in common with a sample of them.
fn around(surface: &Part, sample: &[u32], triangles: &[u32]) -> Vec<u32> {
    let sorted = |mut list: Vec<u32>| {
        list.sort_unstable();
        list.dedup();
        list
    };
    let body = surface.body;
    let corners = sorted(sample.iter().flat_map(|&t| body.mesh.triangles()[t as usize]).collect());
    let touching = corners.iter().flat_map(|&v| body.incidence().at(v)).copied();
    sorted(touching.filter(|t| triangles.binary_search(t).is_ok()).collect())
}
