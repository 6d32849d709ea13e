//! Exact contact and correctly rounded distance of triangles, and what triangles in contact share.
//! Filters only skip work; this stage answers.

pub mod along;
mod along_axes;
pub mod contact;
pub mod distance;
pub mod features;
mod integers;
pub mod point;
mod refine;
pub mod shared_point;
pub mod shared_set;
mod sides;
mod witness;
