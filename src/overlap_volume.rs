//! The volume of what two posed meshes share.
//!
//! ```
//! use closefit::{CollisionMesh, DVec3, Mesh, Pose, overlap_volume};
//!
//! let corner = |i: u32| DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2));
//! let corners: Vec<DVec3> = (0..8).map(corner).collect();
//! let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
//! let triangles: Vec<[u32; 3]> = faces.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
//! let cube = CollisionMesh::build(&Mesh::new(&corners, &triangles)?);
//!
//! let (a, b) = (cube.at(&Pose::IDENTITY)?, cube.at(&Pose::translation([0.5, 0.75, 0.0]))?);
//! let found = overlap_volume(&a, &b)?;
//! assert!(found.at_least <= 0.125 && 0.125 <= found.at_most);
//! assert!(found.at_most - found.at_least <= 1e-12 * found.at_most);
//! assert_eq!(found.centroid, Some(DVec3::new(0.75, 0.875, 0.5)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::posed_mesh::PosedMesh;
use crate::query::overlap_volume::{self, OverlapVolume, VolumeUnknown};

/// Returns the volume of the points that lie in the solids of both meshes, as a bracket, and their centroid.
///
/// A solid is where the winding numbers of the closed components add up to other than 0. The bracket includes
/// all rounding; it is next to always as narrow as f64 allows. The threads of the current
/// [pool](crate::Pool) share the work, and the answer does not depend on them.
///
/// # Errors
/// [`VolumeUnknown`] where a mesh has no solid, where an open component that is not
/// [declared a surface](PosedMesh::declared_surface) could change it, and where the components of a mesh
/// overlap near the other mesh.
pub fn overlap_volume(a: &PosedMesh, b: &PosedMesh) -> Result<OverlapVolume, VolumeUnknown> {
    overlap_volume::overlap_volume([a.body(), b.body()])
}
