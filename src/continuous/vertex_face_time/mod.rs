//! A vertex and a face over a stretch of time: do they stay farther apart than a limit?
//!
//! *In*: a face that stands and a vertex that moves as seen from it, in centred form
//! ([`Moved`](super::root::Moved)); a face that moves is one that stands, seen the other way. *Out*: true only if
//! the distance exceeds the limit all the time.
//!
//! Two proofs, each a gap along a direction fixed to the face, in which the vertex's path is a straight line but
//! for its sag. The face's normal: Redon et al. 2002, equation 10, linear here. And the line from the point of
//! the face's edges that is closest in the middle, for vertices beside the face, and for faces without a normal.

pub mod scalar;
pub mod simd;
