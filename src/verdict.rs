//! The verdict on two posed meshes: the library's interface to everything that `closefit check` reports on a
//! pair.
//!
//! ```
//! use closefit::{CheckRequest, Containment, DVec3, Mesh, CollisionMesh, Pose, Verdict, verdict};
//!
//! let corner = |i: u32| DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2)) - 0.5;
//! let corners: Vec<DVec3> = (0..8).map(corner).collect();
//! let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
//! let triangles: Vec<[u32; 3]> = faces.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
//! let cube = CollisionMesh::build(&Mesh::new(&corners, &triangles)?);
//!
//! // A cube inside a cube: their surfaces do not touch, and yet they clash.
//! let large = cube.at(&Pose::from_trs([0.0, 0.0, 0.0, 1.0], [3.0; 3], [0.0; 3]).expect("a unit quaternion"))?;
//! let small = cube.at(&Pose::IDENTITY)?;
//! let found = verdict(&small, &large, &CheckRequest::default().tolerance(1e-6));
//! assert_eq!((found.verdict, found.contained), (Verdict::Clash, Containment::AInB));
//! let depth = found.depth.expect("both are solids");
//! assert!(depth.at_least <= 1.0 && 1.0 <= depth.at_most && depth.at_most <= 1.01 * depth.at_least);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::posed_mesh::PosedMesh;
use crate::query::pair::decide;
use crate::query::stage_work::StageWork;
use crate::query::{CheckRequest, PairRecord};
use closefit_geometry::ids::PartId;

/// Returns everything that a check reports on two meshes at their poses: verdict, containment, contacts,
/// depth, distance, and duplicates. In the record the first has id 0, the second id 1.
///
/// The request's winding and strategy have no effect, since the meshes are built already.
pub fn verdict<'a>(a: &PosedMesh<'a>, b: &PosedMesh<'a>, request: &CheckRequest) -> PairRecord {
    decide([PartId(0), PartId(1)], &[a.body(), b.body()], request, &mut StageWork::default())
}
