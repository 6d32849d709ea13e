//! Filters over pairs of triangles: everything that they leave out is left out by proof.

pub mod box_box;
pub mod relative;
pub mod tree_tree;
pub mod wide;
pub mod wide_nearest;
