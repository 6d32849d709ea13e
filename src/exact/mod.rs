//! Exact contact and correctly rounded distance of triangles: the only stage that decides an answer.

pub mod contact;
pub mod distance;
pub mod features;
mod integers;
pub mod point;
mod refine;
mod sides;
