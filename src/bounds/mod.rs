//! Boxes that contain what they bound, always.

pub mod aabb;
