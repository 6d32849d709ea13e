//! Trees of boxes over a mesh's triangles (flat arrays, built once per mesh, shared by its instances), and the
//! posed bodies that queries see.

pub mod body;
pub mod obb2;
pub mod obb8;
pub mod tree;
mod world_box;
