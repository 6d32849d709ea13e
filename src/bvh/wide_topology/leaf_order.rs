//! A mesh's triangles and vertices in the order in which a tree's leaves hold them.

use glam::DVec3;

use closefit_geometry::ids::to_u32;
use closefit_geometry::mesh::Mesh;

/// A mesh in the order of the leaves.
pub struct LeafOrder {
    /// Corners of the triangles, as indices into `vertices`.
    pub corners: Vec<[u32; 3]>,
    /// The mesh's vertices that have triangles.
    pub vertices: Vec<DVec3>,
}

impl LeafOrder {
    /// Puts a mesh's triangles into the order of the leaves, and its vertices into the order of their first
    /// occurrence.
    pub fn new(mesh: &Mesh, triangles: &[u32]) -> Self {
        const NEW: u32 = u32::MAX;
        let mut renumbered = vec![NEW; mesh.vertices().len()];
        let mut vertices = Vec::with_capacity(mesh.vertices().len());
        let mut corners = Vec::with_capacity(triangles.len());
        for &triangle in triangles {
            let mut renamed = mesh.triangles()[triangle as usize];
            for corner in &mut renamed {
                let number = &mut renumbered[*corner as usize];
                if *number == NEW {
                    *number = to_u32(vertices.len());
                    vertices.push(mesh.vertices()[*corner as usize]);
                }
                *corner = *number;
            }
            corners.push(renamed);
        }
        Self { corners, vertices }
    }
}

/// Returns the number of vertices of the triangles before each triangle in the order of the leaves; the last
/// entry is the total.
pub fn vertices_before(corners: &[[u32; 3]]) -> Vec<u32> {
    let mut before = 0;
    let mut counts = Vec::with_capacity(corners.len() + 1);
    counts.push(before);
    for [a, b, c] in corners {
        before = before.max(a + 1).max(b + 1).max(c + 1);
        counts.push(before);
    }
    counts
}

/// Replaces vertices in the order of the leaves by the vertices of a mesh with the same triangles.
pub fn put_vertices_of(mesh: &Mesh, triangles: &[u32], corners: &[[u32; 3]], vertices: &mut [DVec3]) {
    for (corners, &triangle) in corners.iter().zip(triangles) {
        for (&place, v) in corners.iter().zip(mesh.corners(triangle)) {
            vertices[place as usize] = v;
        }
    }
}
