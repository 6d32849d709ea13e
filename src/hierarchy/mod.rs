//! Trees of boxes over a mesh's triangles (flat arrays, built once per mesh, shared by its instances), and the
//! posed bodies that queries see.

pub mod body;
mod incidence;
pub mod obb2;
pub mod obb8;
pub mod pose_columns;
mod stack;
pub mod tree;
mod world_box;
