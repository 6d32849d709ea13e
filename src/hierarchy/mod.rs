//! Trees of boxes over a mesh's triangles (flat arrays, built once per mesh, shared by its instances), and the
//! posed bodies that queries see.

pub mod body;
mod moments;
pub mod obb_tree;
mod point_bound;
