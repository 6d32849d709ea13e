//! Contacts of a mesh with itself.
//!
//! ```
//! use closefit::{CollisionMesh, Pose, self_contacts};
//!
//! // Two triangles with a common edge, and one that passes through both.
//! let corners = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [4.0, 4.0, 0.0], [0.0, 4.0, 0.0]];
//! let through = [[1.0, 3.0, -1.0], [3.0, 1.0, -1.0], [2.0, 2.0, 1.0]];
//! let mesh = CollisionMesh::new(&[&corners[..], &through].concat(), &[[0, 1, 2], [0, 2, 3], [4, 5, 6]])?;
//! assert_eq!(self_contacts(&mesh.at(&Pose::IDENTITY)?), [[0, 2], [1, 2]]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::posed_mesh::PosedMesh;
use crate::query::self_contacts;

/// Returns the pairs of triangles of one mesh, the lower index first, that share more than the vertices and
/// edges that they have in common by the positions of their corners; sorted. Exact, at the pose of the mesh.
///
/// A triangle that ends on the inside of another's edge or face counts, and so do two that repeat each other.
/// The threads of the current [pool](crate::Pool) share the search.
pub fn self_contacts(mesh: &PosedMesh) -> Vec<[u32; 2]> {
    self_contacts::self_contacts(mesh.body())
}
