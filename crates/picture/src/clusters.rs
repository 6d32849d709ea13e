//! Clusters of consecutive triangles of a mesh, which a picture can skip as a whole.

use std::ops::Range;

use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::mesh::Mesh;
use glam::DVec3;

/// The number of triangles of a cluster. They have at most three times as many vertices, which a byte counts.
const CLUSTER: usize = 64;

/// The clusters of a mesh, in the order of its triangles.
pub struct Clusters {
    clusters: Vec<Cluster>,
    /// The vertices of each cluster, by their numbers in the mesh.
    vertices: Vec<u32>,
    /// The vertices of each triangle, counted from the first of its cluster.
    triangles: Vec<[u8; 3]>,
    /// The box of all clusters.
    bounds: Aabb,
}

/// A cluster of triangles.
pub struct Cluster {
    /// The box of its vertices.
    pub bounds: Aabb,
    vertices: Range<usize>,
    triangles: Range<usize>,
}

impl Clusters {
    /// Returns the clusters of a mesh.
    pub fn of(mesh: &Mesh) -> Self {
        let (clusters, vertices, triangles) = (Vec::new(), Vec::new(), Vec::new());
        let mut found = Self { clusters, vertices, triangles, bounds: Aabb::EMPTY };
        // The last cluster with each vertex, and the vertex's place in it.
        let mut places = vec![(usize::MAX, 0_u8); mesh.vertices().len()];
        for triangles in mesh.triangles().chunks(CLUSTER) {
            let (number, first) = (found.clusters.len(), found.vertices.len());
            for triangle in triangles {
                found.triangles.push(triangle.map(|vertex| {
                    let place = &mut places[vertex as usize];
                    if place.0 != number {
                        *place = (number, (found.vertices.len() - first) as u8);
                        found.vertices.push(vertex);
                    }
                    place.1
                }));
            }
            let points = found.vertices[first..].iter().map(|&vertex| mesh.vertices()[vertex as usize]);
            let bounds = Aabb::of(points);
            found.bounds = found.bounds.union(bounds);
            found.clusters.push(Cluster {
                bounds,
                vertices: first..found.vertices.len(),
                triangles: found.triangles.len() - triangles.len()..found.triangles.len(),
            });
        }
        found
    }

    /// Returns all clusters.
    pub fn all(&self) -> &[Cluster] {
        &self.clusters
    }

    /// Returns the vertices of a cluster, by their numbers in the mesh.
    pub fn vertices(&self, cluster: &Cluster) -> &[u32] {
        &self.vertices[cluster.vertices.clone()]
    }

    /// Returns the vertices of each triangle of a cluster, by their places among its vertices.
    pub fn triangles(&self, cluster: &Cluster) -> &[[u8; 3]] {
        &self.triangles[cluster.triangles.clone()]
    }

    /// Returns the box of all triangles. Unused vertices do not count.
    pub fn bounds(&self) -> Aabb {
        self.bounds
    }
}

/// Returns the largest absolute coordinates in a box.
pub fn reach(bounds: Aabb) -> DVec3 {
    bounds.lo.abs().max(bounds.hi.abs())
}
