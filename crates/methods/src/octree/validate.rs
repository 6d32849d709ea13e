//! Checks everything that searches assume of an octree.

use super::cells::Cells;
use super::faces::Faces;
use super::trim::above;
use super::{BoxKind, Octree};
use crate::volumes::Volume;
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::math::Triangle;
use closefit_geometry::mesh::Mesh;

/// Tolerance of the check: clipping a triangle at the sides of one box after the other rounds a piece's
/// corners by up to this much, after a thousand boxes with up to 13 roundings each.
const GAP: f64 = 1.0 / (1u64 << 39) as f64;

impl<C: Cells, F: Faces> Octree<C, F> {
    /// Checks the tree. If triangles are trimmed, the boxes of their pieces must cover them; otherwise each
    /// must be in one leaf, and in all boxes on the way there.
    ///
    /// # Errors
    /// The first fault found.
    pub fn validate(&self, mesh: &Mesh) -> Result<(), String> {
        if !self.0.is_in_pieces() {
            return self.0.validate(mesh);
        }
        let mut boxes: Vec<Vec<Aabb>> = vec![Vec::new(); mesh.triangles().len()];
        self.0.visit_places(mesh, |triangle, around: &[BoxKind]| {
            // A search comes here only through all of them.
            let all = around
                .iter()
                .map(Volume::bounds)
                .reduce(|x, y| Aabb { lo: x.lo.max(y.lo), hi: x.hi.min(y.hi) });
            boxes[triangle as usize].extend(all);
            Ok(())
        })?;
        for (triangle, boxes) in (0..).zip(&boxes) {
            let corners = mesh.corners(triangle).map(|v| self.0.normal(v));
            let left = boxes.iter().fold(vec![corners], |left, around| {
                left.iter().flat_map(|part| outside(part, around)).collect()
            });
            if !left.is_empty() {
                return Err(format!("no box contains {:?}, of triangle {triangle}", left[0]));
            }
        }
        Ok(())
    }
}

/// Returns the part of a triangle that is more than a gap outside of a box.
fn outside(corners: &Triangle, around: &Aabb) -> Vec<Triangle> {
    if !Aabb::of(*corners).meets(around) {
        return vec![*corners];
    }
    let (mut inside, mut outside) = (vec![*corners], Vec::new());
    for side in 0..6 {
        let axis = side % 3;
        let height = |p: &glam::DVec3| {
            GAP + if side < 3 { p[axis] - around.lo[axis] } else { around.hi[axis] - p[axis] }
        };
        let mut still = Vec::new();
        for part in &inside {
            let heights = part.each_ref().map(height);
            still.extend(above(part, heights).into_iter().flatten());
            if heights.iter().any(|&height| height < 0.0) {
                outside.extend(above(part, heights.map(|height| -height)).into_iter().flatten());
            }
        }
        inside = still;
    }
    outside
}
