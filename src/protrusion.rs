//! The interface to the largest distance by which surfaces reach out of others.
//!
//! ```
//! use closefit::{CollisionMesh, Pose, Unobserved, protrusion};
//!
//! let corners = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
//! let tetrahedron = CollisionMesh::new(&corners, &[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])?;
//! let (a, b) = (tetrahedron.at(&Pose::IDENTITY)?, tetrahedron.at(&Pose::translation([0.0, 0.0, -0.25]))?);
//! let found = protrusion(&[&a], &[&b], 1e-6, &Unobserved).ok_or("it was stopped")?;
//! // The tip of `a` is farthest out, and the tip of `b` is the point nearest to it.
//! assert!(found.at_least <= 0.25 && 0.25 <= found.at_most && found.at_most <= 1.01 * 0.25);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::bvh::posed_model::PosedModel;
use crate::engine::Observer;
use crate::posed_mesh::PosedMesh;
use crate::query::protrusion::{self, Protrusion};

/// Returns how far surfaces reach out of bodies: the largest distance of any of their points from these, and
/// 0 in a solid, as a bracket. It is as narrow as the precision, or 1 % of the answer if that is more, unless
/// the search gives up. `None` if the observer stops it.
///
/// # Panics
/// Panics if there is no body, or if the precision is not more than 0.
pub fn protrusion(
    surfaces: &[&PosedMesh],
    bodies: &[&PosedMesh],
    precision: f64,
    observer: &dyn Observer,
) -> Option<Protrusion> {
    assert!(!bodies.is_empty(), "points are measured from a body");
    assert!(precision > 0.0, "the precision {precision} is not more than 0");
    let surfaces: Vec<&PosedModel> = surfaces.iter().map(|mesh| mesh.body() as &PosedModel).collect();
    let bodies: Vec<&PosedModel> = bodies.iter().map(|mesh| mesh.body() as &PosedModel).collect();
    protrusion::protrusion(&surfaces, &bodies, precision, &|| observer.cancelled())
}
