//! Surfaces given by inclusion functions, rigid and in motion: where two come near each other, and when first
//! (Redon et al. 2002, section 5; Snyder et al. 1993).
//!
//! A [`Surface`] is parametric: an inclusion function says where the points over a box of parameters may be.
//! An [`Implicit`] surface is where a function of space is zero. [`Torus`] and [`Ellipsoid`] are both,
//! [`Bezier`] patches have any degree, and whatever implements a trait is as good. Either is cut into
//! [`Patches`], and so is a mesh: oriented boxes, each proven by interval arithmetic to contain its piece of the
//! surface, halved as finely as a question asks for.
//!
//! Lengths are in one unit, that of the surfaces and poses; times are in seconds. What stands apart is proven to
//! be, rounding included. What is near is proven to be within the precision that the caller gives, by a point on
//! either surface. In between, from touching to the precision, either may be the answer.
//!
//! ```
//! use closefit::surface::{self, Ellipsoid, Patches, Torus};
//! use closefit::{Between, DVec3, Keyframe, Motion, Pose};
//!
//! // A ball of radius 1 fits through a ring with a hole of radius 1.5, but not 0.75 off its middle.
//! let ring = Patches::of(Torus::new(2.0, 0.5)?);
//! let ball = Patches::of(Ellipsoid::new(DVec3::ONE)?);
//! let ring_there = ring.at(&Pose::IDENTITY)?;
//! assert!(surface::contacts(&ring_there, &ball.at(&Pose::IDENTITY)?, 0.01)?.is_empty());
//! let off = ball.at(&Pose::translation([0.75, 0.0, 0.0]))?;
//! assert!(!surface::contacts(&ring_there, &off, 0.1)?.is_empty());
//!
//! // It falls on the ring's crown, 2 from the middle and 0.5 high, at a speed of 1: contact is at 2.5.
//! let at = |time, z| Keyframe { time, rotation: [0.0, 0.0, 0.0, 1.0], translation: DVec3::new(2.0, 0.0, z) };
//! let falling = Motion::through(&[at(0.0, 4.0), at(4.0, 0.0)], Between::Screw, [1.0; 3])?;
//! let still = Motion::through(&[Keyframe { translation: DVec3::ZERO, ..at(0.0, 0.0) }], Between::Screw, [1.0; 3])?;
//! let found = surface::time_of_contact(&ring.along(&still), &ball.along(&falling), 1e-4)?.expect("they meet");
//! assert!(found.after <= 2.5 && 2.5 - 1e-4 <= found.before && found.before <= 2.5 + 1e-4);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod around;
mod bezier;
mod contacts;
mod ellipsoid;
mod patches;
mod search;
mod time_of_contact;
mod torus;
mod triangle;

use std::fmt::Debug;

use crate::math::interval::{Interval, IntervalVec3};
use crate::math::pose::LARGEST;

pub use bezier::Bezier;
pub use contacts::{Near, Placed, contacts};
pub use ellipsoid::Ellipsoid;
pub use patches::{Patch, Patches};
pub use time_of_contact::{Moving, TimeOfContact, time_of_contact};
pub use torus::Torus;

/// A parametric surface `p(u, v)`, differentiable, given by inclusion functions: what they return contains
/// every value over a box of parameters, rounding included, and shrinks with the box down to a multiple of the
/// unit roundoff.
pub trait Surface: Debug + Send + Sync {
    /// The parameters of the whole surface.
    fn domain(&self) -> [Interval; 2];

    /// Where the points over a box of parameters may be.
    fn place(&self, parameters: [Interval; 2]) -> IntervalVec3;

    /// What their derivatives by u and by v may be.
    fn tangents(&self, parameters: [Interval; 2]) -> [IntervalVec3; 2];
}

/// An implicit surface: the points of a region at which a Lipschitz continuous function is 0, given by inclusion
/// functions as for a [`Surface`].
///
/// That a point is on it is proven by a change of sign; where there is none, as for `x^2 = 0`, nothing is proven
/// to be [near](Near::at_most), though apart is as sure as ever.
pub trait Implicit: Debug + Send + Sync {
    /// A box around all of it.
    fn region(&self) -> IntervalVec3;

    /// What the function may be in a box.
    fn value(&self, cell: IntervalVec3) -> Interval;

    /// What its derivatives by x, y and z may be there; where it has a kink, all that they may be around it.
    fn gradient(&self, cell: IntervalVec3) -> IntervalVec3;
}

/// Why there is no such surface, or no answer.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum SurfaceError {
    /// A radius that is not positive, or beyond what a coordinate may be.
    #[error("the radius {value} is not between 0 and 2^200")]
    Radius {
        /// The radius given.
        value: f64,
    },
    /// The number of control points is not that of the degrees.
    #[error("degrees {degrees:?} take {expected} control points, not {count}", expected = bezier::points(*degrees))]
    Net {
        /// In u and in v.
        degrees: [u32; 2],
        /// How many were given.
        count: usize,
    },
    /// A control point beyond what a coordinate may be, or not finite.
    #[error("control point {index} has the coordinate {value}, which is not within 2^200")]
    ControlPoint {
        /// Which, from 0.
        index: usize,
        /// Its coordinate.
        value: f64,
    },
    /// A pose or motion that may take a point too far, or is not finite.
    #[error("the pose or motion may take a point beyond 2^200, or is not finite")]
    OutOfRange,
    /// Both stand still at one and the same time: ask [`contacts`].
    #[error("the motions take no time")]
    NoTime,
    /// Not a positive number, or finer than f64 can tell.
    #[error("the precision is beyond f64 here: the smallest possible is about {smallest:e}")]
    Precision {
        /// The smallest possible, about.
        smallest: f64,
    },
}

/// A radius as given.
fn radius(value: f64) -> Result<f64, SurfaceError> {
    if value > 0.0 && value <= LARGEST { Ok(value) } else { Err(SurfaceError::Radius { value }) }
}

#[cfg(test)]
mod tests;
