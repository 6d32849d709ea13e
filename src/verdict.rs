//! A verdict on two meshes where they stand: the library's door to everything that `closefit check` says of a pair.
//!
//! ```
//! use closefit::{CheckRequest, Containment, DVec3, Mesh, Model, Pose, Verdict, verdict};
//!
//! let corner = |i: u32| DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2)) - 0.5;
//! let corners: Vec<DVec3> = (0..8).map(corner).collect();
//! let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
//! let triangles: Vec<[u32; 3]> = faces.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
//! let cube = Model::build(&Mesh::new(&corners, &triangles)?);
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

use crate::collide::PoseError;
use crate::hierarchy::body;
use crate::hierarchy::obb8::Obb8;
use crate::ids::PartId;
use crate::math::pose::{LARGEST, Pose};
use crate::model::Model;
use crate::narrow::Work;
use crate::query::pair::decide;
use crate::query::{CheckRequest, PairRecord};

/// A [`Model`] where it stands, made by [`Model::at`].
#[derive(Clone, Debug)]
pub struct Body<'a>(body::Body<'a, body::At<'a, Obb8>>);

impl Model {
    /// The mesh where it stands. This looks at every vertex, and what a question finds out about the one body is kept
    /// for the next, so make a body once for all pairs that it is in.
    ///
    /// At shears and uneven scales answers are as exact, but no boxes are compared: bake such a map into the mesh.
    ///
    /// # Errors
    /// [`PoseError`] for a pose that is not finite, or takes a vertex beyond 2^200.
    pub fn at(&self, pose: &Pose) -> Result<Body<'_>, PoseError> {
        if let Some(&value) = pose.rows.iter().flatten().find(|x| !x.is_finite()) {
            return Err(PoseError::NotFinite { value });
        }
        let bounds = self.0.mesh.posed_bounds(pose);
        let farthest = bounds.lo.abs().max(bounds.hi.abs()).max_element();
        if farthest.is_nan() || farthest > LARGEST {
            return Err(PoseError::OutOfRange);
        }
        Ok(Body(body::Body::new(&self.0.mesh, &self.0.model, *pose, bounds)))
    }
}

impl Body<'_> {
    /// The same body, declared a surface: what is open in it is then no solid with something missing.
    pub fn declared_surface(self) -> Self {
        Self(self.0.declared_surface(true))
    }
}

/// Returns everything that a check says of two bodies: verdict, containment, contacts, depth, distance, whether they
/// are duplicates. The first has id 0 in the record, the second 1.
///
/// The winding and the strategy of the request play no part: models are built already.
pub fn verdict<'a>(a: &Body<'a>, b: &Body<'a>, request: &CheckRequest) -> PairRecord {
    decide([PartId(0), PartId(1)], &[&a.0, &b.0], request, &mut Work::default())
}
