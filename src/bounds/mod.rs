//! Boxes that contain what they bound, always.

pub mod aabb;
pub mod obb;
pub mod separating_axes;
