//! Filters over pairs of triangles: everything that they leave out is left out by proof.

pub mod box_box;
pub mod tree_tree;
