//! Exact contact and correctly rounded distance of triangles. Filters only skip work; this stage answers.

pub mod along;
pub mod contact;
pub mod distance;
pub mod features;
mod integers;
pub mod point;
mod refine;
mod sides;
mod witness;
