//! Proves that a vertex and a face stay farther apart than a limit over a stretch of time.
//!
//! *In*: a fixed face, and a vertex that moves as seen from it, in centred form
//! ([`Moved`](super::root::Moved)); a moving face is treated as fixed by looking from it. *Out*: true only if
//! the distance exceeds the limit throughout.
//!
//! There are two proofs, each a gap along a direction fixed to the face, in which the vertex's path is a
//! straight line up to its deviation. The first direction is the face's normal: Redon et al. 2002, equation
//! 10, linear here. The second, for vertices next to the face and for faces without a normal, comes from
//! the point on the face's edges that is closest at the middle.

pub mod scalar;
pub mod simd;
