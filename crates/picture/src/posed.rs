//! Parts in their places, from which several pictures may be drawn.

use glam::DVec3;

use crate::camera::{Camera, Corner};

/// The triangles of a part in the scene.
pub struct Posed<'s> {
    /// The vertices, in the scene.
    pub points: Vec<DVec3>,
    /// The vertices of each triangle.
    pub triangles: &'s [[u32; 3]],
}

impl Posed<'_> {
    /// Calls `found` with the corners of each triangle in a picture, and where they are.
    pub fn triangles(&self, camera: &Camera, mut found: impl FnMut(&[Corner; 3], [DVec3; 3])) {
        let Self { points, triangles } = self;
        let corners: Vec<Corner> = points.iter().map(|&point| camera.corner(point)).collect();
        for triangle in *triangles {
            let [a, b, c] = triangle.map(|vertex| vertex as usize);
            found(&[corners[a], corners[b], corners[c]], [points[a], points[b], points[c]]);
        }
    }
}
