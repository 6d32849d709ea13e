//! The geometry of the contact of two posed meshes.
//!
//! ```
//! use closefit::{CollisionMesh, DVec3, Mesh, Pose, contact_geometry};
//!
//! let corner = |i: u32| DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2));
//! let corners: Vec<DVec3> = (0..8).map(corner).collect();
//! let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
//! let triangles: Vec<[u32; 3]> = faces.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
//! let cube = CollisionMesh::build(&Mesh::new(&corners, &triangles)?);
//!
//! // A cube that stands on another, half over its border.
//! let (lower, upper) = (cube.at(&Pose::IDENTITY)?, cube.at(&Pose::translation([0.5, 0.0, 1.0]))?);
//! let found = contact_geometry(&lower, &upper, 4);
//! let [patch] = &found.patches[..] else { panic!("one patch") };
//! assert_eq!((patch.area, patch.normal), (0.5, Some(DVec3::Z)));
//! assert_eq!(patch.bounds, [DVec3::new(0.5, 0.0, 1.0), DVec3::ONE]);
//! assert_eq!(patch.points.len(), 4);
//! for (pair, triangles) in found.triangles.iter().enumerate() {
//!     println!("triangles {triangles:?} share {:?}", found.shared(pair));
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::collide::contact_triangles;
use crate::posed_mesh::PosedMesh;
use crate::query::contact_geometry::{self, ContactGeometry};

/// Returns what the pairs of triangles in contact share, and the connected patches that this forms, each with
/// at most `points` points for a solver. No patches for meshes that do not touch.
///
/// Large contacts are shared by the threads of the current [pool](crate::Pool).
pub fn contact_geometry(a: &PosedMesh, b: &PosedMesh, points: usize) -> ContactGeometry {
    contact_geometry::contact_geometry([a.body(), b.body()], contact_triangles(a, b), points)
}
