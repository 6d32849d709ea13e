//! Bounding boxes that always contain what they bound, whatever the rounding.

pub mod aabb;
pub mod obb;
pub mod posed_ball;
pub mod posed_box;
pub mod separating_axes;
pub mod similar_pose;
pub mod smallest_ball;
