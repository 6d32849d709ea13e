//! The verdict on two placed meshes: the library's interface to everything that `closefit check` reports on a
//! pair.
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
use crate::model::{Model, Solid};
use crate::query::pair::decide;
use crate::query::stage_work::StageWork;
use crate::query::{CheckRequest, PairRecord};
use closefit_geometry::ids::PartId;
use closefit_geometry::math::pose::{LARGEST, Pose};

/// A [`Model`] at a pose, made by [`Model::at`].
#[derive(Clone, Debug)]
pub struct Body<'a>(body::Body<'a, body::At<'a, Obb8>>);

impl Model {
    /// Returns the mesh at a pose, without visiting its vertices. The body keeps what queries learn about it,
    /// so make it once for all its pairs.
    ///
    /// With shears and non-uniform scales answers are just as exact, but no boxes are compared: bake such a
    /// map into the mesh.
    ///
    /// # Errors
    /// [`PoseError`] for a pose that is not finite, or takes a vertex beyond 2^200.
    pub fn at(&self, pose: &Pose) -> Result<Body<'_>, PoseError> {
        let Solid { mesh, model, .. } = self.solid();
        match PoseError::check(pose, model.tree.largest_coordinate) {
            Ok(()) => Ok(Body(body::Body::within(mesh, model, *pose, |posed| posed.bounds()))),
            Err(refused @ PoseError::NotFinite { .. }) => Err(refused),
            // It may: the box of all vertices says if it does.
            Err(PoseError::OutOfRange) => {
                let bounds = mesh.posed_bounds(pose);
                let farthest = bounds.lo.abs().max(bounds.hi.abs()).max_element();
                if farthest.is_nan() || farthest > LARGEST {
                    return Err(PoseError::OutOfRange);
                }
                Ok(Body(body::Body::new(mesh, model, *pose, bounds)))
            }
        }
    }
}

impl<'a> Body<'a> {
    /// Returns the body as queries see it.
    pub(crate) fn erased(&self) -> &body::Body<'a> {
        &self.0
    }

    /// Declares the body a surface: its open components are then no solids with something missing.
    pub fn declared_surface(self) -> Self {
        Self(self.0.declared_surface(true))
    }
}

/// Returns everything that a check reports on two bodies: verdict, containment, contacts, depth, distance,
/// and duplicates. In the record the first has id 0, the second id 1.
///
/// The request's winding and strategy have no effect, since the models are built already.
pub fn verdict<'a>(a: &Body<'a>, b: &Body<'a>, request: &CheckRequest) -> PairRecord {
    decide([PartId(0), PartId(1)], &[&a.0, &b.0], request, &mut StageWork::default())
}
