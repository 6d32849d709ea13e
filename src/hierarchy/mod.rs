//! Flat hierarchies of bounds, one per unique mesh, and the posed bodies that share them.

pub mod body;
pub mod obb_tree;
