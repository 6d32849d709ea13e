//! Distances of a body's vertices from other bodies: the library's interface for heat maps.
//!
//! ```
//! use closefit::{Mesh, CollisionMesh, Pose, Unobserved, vertex_distances};
//!
//! let corners = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
//! let tetrahedron = CollisionMesh::build(&Mesh::new(&corners, &[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])?);
//! let (a, b) = (tetrahedron.at(&Pose::IDENTITY)?, tetrahedron.at(&Pose::translation([1.5, 0.0, 0.0]))?);
//! let distances = vertex_distances(&a, &[&b], &Unobserved).expect("nobody stops it");
//! let least = distances.into_iter().fold(f64::INFINITY, f64::min);
//! assert!((0.5 - 1e-12..=0.5).contains(&least));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::bvh::posed_model;
use crate::engine::{Observer, Stage};
use crate::posed_mesh::PosedMesh;
use crate::query::vertex_distances::Others;
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::parallel;

/// Number of consecutive vertices in a task. They are often near each other, and so are their closest
/// triangles.
const CHUNK: usize = 256;

/// Returns a lower bound of the distance of each vertex of a body from all of the others, in the order of
/// [`Mesh::vertices`](crate::Mesh::vertices); `None` if the observer stops it.
///
/// The distance is that from the nearest surface, and 0 in a solid. The bound is less by no more than a few
/// roundings of coordinates. It is infinite if there are no others.
pub fn vertex_distances(
    mesh: &PosedMesh,
    others: &[&PosedMesh],
    observer: &dyn Observer,
) -> Option<Vec<f64>> {
    let bodies: Vec<&posed_model::PosedModel> =
        others.iter().map(|other| other.body() as &posed_model::PosedModel).collect();
    let vertices = mesh.body().mesh.vertices();
    let pose = mesh.body().pose;
    observer.begin(Stage::Deciding, vertices.len() as u64);
    let chunks = parallel::map_runs(vertices.len(), CHUNK, |run| {
        let points: Vec<glam::DVec3> = vertices[run].iter().map(|&vertex| pose.apply(vertex)).collect();
        let others = Others::near(&bodies, &Aabb::of(points.iter().copied()));
        let mut hint = None;
        let distances =
            points.iter().map(|&p| (!observer.cancelled()).then(|| others.distance(p, &mut hint)));
        let distances: Vec<f64> = distances.collect::<Option<_>>()?;
        observer.advance_by(distances.len() as u64);
        Some(distances)
    });
    Some(chunks.into_iter().collect::<Option<Vec<_>>>()?.into_iter().flatten().collect())
}
