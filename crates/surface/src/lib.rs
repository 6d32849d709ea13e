//! Surfaces given by inclusion functions, at rest and in rigid motion: finds where two come near each other,
//! when they first do, and how close they come (Redon et al. 2002, section 5; Snyder et al. 1993).
//!
//! A [`Surface`] is parametric: an inclusion function encloses the points over a box of parameters. An
//! [`Implicit`] surface is the zero set of a function of space. [`Torus`] and [`Ellipsoid`] are both,
//! [`Bezier`] patches have any degree, and callers may implement either trait. Surfaces and meshes are cut
//! into [`Patches`]: oriented bounding boxes, each proven by interval arithmetic to contain its piece of the
//! surface, halved as finely as a query requires.
//!
//! Surfaces and poses use one unit of length; times are in seconds. Surfaces reported as apart are proven to
//! be apart, rounding included. Surfaces reported as near are proven to be within the precision that the
//! caller gives, by a point on each. For surfaces in between, from touching up to the precision, either may
//! be reported.
//!
//! ```
//! use closefit::{Between, DVec3, Keyframe, Motion, Pose};
//! use closefit_surface::{Ellipsoid, Patches, Torus, contacts, time_of_impact};
//!
//! // A ball of radius 1 fits through a ring with a hole of radius 1.5, but not 0.75 off its middle.
//! let ring = Patches::of(Torus::new(2.0, 0.5)?);
//! let ball = Patches::of(Ellipsoid::new(DVec3::ONE)?);
//! let ring_there = ring.at(&Pose::IDENTITY)?;
//! assert!(contacts(&ring_there, &ball.at(&Pose::IDENTITY)?, 0.01)?.is_empty());
//! let off = ball.at(&Pose::translation([0.75, 0.0, 0.0]))?;
//! assert!(!contacts(&ring_there, &off, 0.1)?.is_empty());
//!
//! // It falls on the ring's crown, 2 from the middle and 0.5 high, at a speed of 1: contact is at 2.5.
//! let at = |time, z| Keyframe { time, rotation: [0.0, 0.0, 0.0, 1.0], translation: DVec3::new(2.0, 0.0, z)
//! }; let falling = Motion::through(&[at(0.0, 4.0), at(4.0, 0.0)], Between::Screw, [1.0; 3])?;
//! let still = Motion::through(&[Keyframe { translation: DVec3::ZERO, ..at(0.0, 0.0) }], Between::Screw,
//! [1.0; 3])?; let found = time_of_impact(&ring.along(&still), &ball.along(&falling), 1e-4)?.expect("they
//! meet"); assert!(found.after <= 2.5 && 2.5 - 1e-4 <= found.before && found.before <= 2.5 + 1e-4);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![cfg_attr(test, allow(clippy::disallowed_methods))]

mod around;
mod bezier;
mod closest_approach;
mod contacts;
mod ellipsoid;
mod passage;
mod patches;
mod search;
mod time_of_impact;
mod torus;
mod triangle;

use std::fmt::Debug;

use closefit_geometry::math::interval::{Interval, IntervalVec3};
use closefit_geometry::math::pose::LARGEST;

pub use bezier::Bezier;
pub use closest_approach::{ClosestApproach, closest_approach};
pub use contacts::{Near, PlacedSurface, contacts};
pub use ellipsoid::Ellipsoid;
pub use passage::MovingSurface;
pub use patches::{Patch, Patches};
pub use time_of_impact::{TimeOfImpact, time_of_impact};
pub use torus::Torus;

/// A differentiable parametric surface `p(u, v)`, given by inclusion functions. Their results contain every
/// value over a box of parameters, rounding included, and shrink with the box down to a multiple of the unit
/// roundoff.
pub trait Surface: Debug + Send + Sync {
    /// Returns the parameters of the whole surface.
    fn domain(&self) -> [Interval; 2];

    /// Encloses the points over a box of parameters.
    fn place(&self, parameters: [Interval; 2]) -> IntervalVec3;

    /// Encloses their derivatives by u and by v.
    fn tangents(&self, parameters: [Interval; 2]) -> [IntervalVec3; 2];
}

/// An implicit surface: the points of a region at which a Lipschitz continuous function is 0. It is given by
/// inclusion functions, as for a [`Surface`].
///
/// A change of sign proves that a point is on the surface. Without one, as for `x^2 = 0`, nothing is proven
/// to be [near](Near::at_most), but proofs of being apart still hold.
pub trait Implicit: Debug + Send + Sync {
    /// Returns a box around the whole surface.
    fn region(&self) -> IntervalVec3;

    /// Encloses the values of the function in a box.
    fn value(&self, cell: IntervalVec3) -> Interval;

    /// Encloses its derivatives by x, y and z in a box; at a kink, all values around it.
    fn gradient(&self, cell: IntervalVec3) -> IntervalVec3;
}

/// The reason why a surface was refused, or why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum SurfaceError {
    /// A radius is not positive, or exceeds the limit of coordinates.
    #[error("the radius {value} is not between 0 and 2^200")]
    Radius {
        /// The radius given.
        value: f64,
    },
    /// The number of control points does not match the degrees.
    #[error("degrees {degrees:?} take {expected} control points, not {count}", expected = bezier::points(*degrees))]
    Net {
        /// Degrees in u and in v.
        degrees: [u32; 2],
        /// Number of points given.
        count: usize,
    },
    /// A control point exceeds the limit of coordinates or is NaN.
    #[error("control point {index} has the coordinate {value}, which is not within 2^200")]
    ControlPoint {
        /// Index of the control point, from 0.
        index: usize,
        /// Its coordinate.
        value: f64,
    },
    /// A pose or motion may take a point too far, or is not finite.
    #[error("the pose or motion may take a point beyond 2^200, or is not finite")]
    OutOfRange,
    /// The motions cover a single time only; use [`contacts()`].
    #[error("the motions have no duration")]
    NoTime,
    /// The precision is not a positive number, or is finer than f64 can resolve.
    #[error("the precision is too fine for f64 here: the smallest possible is about {smallest:e}")]
    Precision {
        /// The smallest possible precision, approximately.
        smallest: f64,
    },
}

/// Checks a radius.
fn radius(value: f64) -> Result<f64, SurfaceError> {
    if value > 0.0 && value <= LARGEST { Ok(value) } else { Err(SurfaceError::Radius { value }) }
}

#[cfg(test)]
mod tests;
