//! Do two triangles stay apart while they move?
//!
//! *In*: corners where a [`Moment`](crate::motion::pair::Moment) poses them. *Out*: true only if their
//! distance exceeds a limit all the time of the moment.
//!
//! A direction fixed to the first triangle proves it, when the second's corners, each as far as its velocity
//! along that direction takes it in half the time, and what the moment sags, stay beyond the limit. Only
//! movement *along* the direction counts, so surfaces that slide past each other at a constant distance are
//! told apart over long times. The directions: between the middles, both normals, and between the closest
//! points.

pub mod scalar;
pub mod simd;
