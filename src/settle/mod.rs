//! The only stage that answers: exact contact, correctly rounded distance, exact winding numbers.

pub mod contact;
pub mod distance;

use glam::DVec3;

/// Three posed corners; the closed convex hull is meant, also where it is a segment or a point.
pub type Triangle = [DVec3; 3];
