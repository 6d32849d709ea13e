//! Trees of boxes over a mesh's triangles: flat arrays, built once per mesh, shared by its instances.

mod moments;
pub mod obb_tree;
