//! Queries on two moving meshes: the library's interface for a pair over a motion.
//!
//! A mesh needs only one [`CollisionMesh`]. Between keyframes a [`Motion`] is a screw, or linear with a turn
//! at constant rate; a single keyframe means no motion. Answers are brackets to a precision that the caller
//! gives, equal to what `closefit sweep` reports: no contact is missed, however brief and however thin the
//! meshes.
//!
//! ```
//! use closefit::{Between, DVec3, Keyframe, Mesh, CollisionMesh, Motion};
//!
//! // A tetrahedron, twice; one comes along the x axis at a speed of 1.
//! let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
//! let shape = CollisionMesh::build(&Mesh::new(&corners, &[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])?);
//! let at = |time, x| Keyframe { time, rotation: [0.0, 0.0, 0.0, 1.0], translation: DVec3::X * x };
//! let still = Motion::through(&[at(0.0, 0.0)], Between::Screw, [1.0; 3])?;
//! let coming = Motion::through(&[at(0.0, 3.0), at(4.0, -1.0)], Between::Screw, [1.0; 3])?;
//!
//! let (a, b) = (shape.along(&still), shape.along(&coming));
//! let found = closefit::time_of_impact(&a, &b, 1e-6)?.expect("they meet");
//! assert!(found.first.after < 2.0 && 2.0 < found.first.before + 1e-6);
//!
//! let passing = Motion::through(&[at(0.0, 3.0), at(1.0, 2.0)], Between::Screw, [1.0; 3])?;
//! let found = closefit::closest_approach(&a, &shape.along(&passing), 1e-6)?;
//! assert!(found.at_least <= 1.0 && 1.0 <= found.at_most);
//! assert!(found.at_most - found.at_least <= 1e-6);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::bvh::moving::Shape;
use crate::collision_mesh::CollisionMesh;
use crate::query::clearance::{self, Clearance};
use crate::query::pair_sweep::{PairSweep, SweepSearch};
use crate::query::time_of_impact::{self, TimesOfImpact};
use closefit_geometry::math::pose::LARGEST;
use closefit_geometry::motion::pair::{PairMotion, PlacedPart};
use closefit_geometry::motion::swept::SweptPart;
use closefit_geometry::motion::{Frames, Joint, Motion};

impl CollisionMesh {
    /// Returns the mesh along a motion.
    pub fn along<'a>(&'a self, motion: &'a Motion) -> MovingMesh<'a> {
        MovingMesh { mesh: self, motion }
    }
}

/// A [`CollisionMesh`] along a [`Motion`].
#[derive(Clone, Copy, Debug)]
pub struct MovingMesh<'a> {
    mesh: &'a CollisionMesh,
    motion: &'a Motion,
}

/// The reason why a question about a motion has no answer.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ApproachError {
    /// Neither mesh moves, and all keyframes are at the same time: use [`crate::distance`].
    #[error("the motions have no duration")]
    NoTime,
    /// A vertex may move beyond 2^200.
    #[error("the motion may take a vertex beyond 2^200")]
    OutOfRange,
    /// Time in f64 cannot be divided this finely.
    #[error("the precision is too fine for f64 here: the smallest possible is about {smallest:e}")]
    Precision {
        /// The approximate smallest possible precision.
        smallest: f64,
    },
}

/// Returns when two meshes first come within half of `precision` of each other, between the first keyframe of
/// either and the last; `None` if never. One solid inside another, without contact of their surfaces, does
/// not count.
///
/// # Errors
/// [`ApproachError`].
pub fn time_of_impact(
    a: &MovingMesh,
    b: &MovingMesh,
    precision: f64,
) -> Result<Option<TimesOfImpact>, ApproachError> {
    over(a, b, precision, |sweep, searched| time_of_impact::contacts(&sweep, searched))
}

/// Returns when two meshes first come within `limit`. At `after`, and from the start or the last parting
/// until then, they are farther apart than `limit` less half of `precision`. A limit below half the precision
/// counts as that.
///
/// # Errors
/// [`ApproachError`].
pub fn time_of_impact_within(
    a: &MovingMesh,
    b: &MovingMesh,
    limit: f64,
    precision: f64,
) -> Result<Option<TimesOfImpact>, ApproachError> {
    over(a, b, precision, |sweep, searched| time_of_impact::contacts(&sweep.within(limit), searched))
}

/// Returns the smallest distance of two meshes and its time, as a bracket no wider than `precision`. If they
/// come into contact, the bracket is from 0 to the distance at the time of contact.
///
/// # Errors
/// [`ApproachError`].
pub fn closest_approach(a: &MovingMesh, b: &MovingMesh, precision: f64) -> Result<Clearance, ApproachError> {
    over(a, b, precision, |sweep, searched| match time_of_impact::contacts(&sweep, searched) {
        Some(found) => Clearance::in_contact(&found.first),
        None => clearance::clearance(&sweep, f64::INFINITY, searched).expect("no clearance exceeds infinity"),
    })
}

fn over<T>(
    a: &MovingMesh,
    b: &MovingMesh,
    precision: f64,
    ask: impl FnOnce(PairSweep, &mut SweepSearch) -> T,
) -> Result<T, ApproachError> {
    let mut frames = Frames::default();
    let placed_parts = [a, b].map(|one| {
        let frame = frames.add(None, Joint::Moving(one.motion.clone()));
        PlacedPart { frame: Some(frame), ..one.mesh.solid().placed }
    });
    let [from, to] = frames.time_range().filter(|[from, to]| from < to).ok_or(ApproachError::NoTime)?;
    for (one, placed) in [a, b].into_iter().zip(placed_parts) {
        let part = SweptPart::new(&frames, placed, &one.mesh.solid().bounds);
        let around = part.over(from, to).union(part.over(to, to));
        let farthest = around.lo.abs().max(around.hi.abs()).max_element();
        if farthest.is_nan() || farthest > LARGEST {
            return Err(ApproachError::OutOfRange);
        }
    }
    let motion = PairMotion::new(&frames, placed_parts);
    let shapes = [a, b].map(|one| Shape { mesh: one.mesh.mesh(), model: &one.mesh.solid().model });
    let sweep = PairSweep::new(&shapes, &motion, [from, to], precision)
        .map_err(|smallest| ApproachError::Precision { smallest })?;
    let searched = &mut sweep.searched();
    Ok(ask(sweep, searched))
}
