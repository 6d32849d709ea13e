//! Filters over pairs of triangles: everything that they leave out is left out by proof.

pub mod tree_tree;
