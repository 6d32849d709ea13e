//! Kernels on pairs of triangles: filters that leave a pair out only by proof.

pub mod along_axes;
pub mod kernels;
mod nearest;
pub mod point_triangle;
pub mod pose_columns;
pub mod posed_leaf;
pub mod supported;
#[cfg(test)]
pub mod testing;
pub mod thread_clock;
pub mod triangle_distance;
pub mod triangle_triangle;
mod witness;
mod work;

pub use nearest::{Closest, Nearest, Place, SLACK};
pub use witness::witness;
pub use work::{Spent, Work, count, counted};
