//! Filters over pairs of triangles: everything that they leave out is left out by proof.

pub mod point_triangle;
pub mod posed_leaf;
#[cfg(test)]
pub mod testing;
pub mod tree_tree;
pub mod triangle_distance;
pub mod triangle_triangle;
pub mod vec3x4;
