//! Trees of boxes over a mesh's triangles (flat arrays, built once per mesh, shared by its instances), and the
//! posed bodies that queries see.

mod binary;
pub mod body;
pub mod box_box;
mod frame;
mod items;
mod lane_boxes;
mod lane_jacobi;
mod lane_vector;
mod leaf_frames;
mod moments;
pub mod obb_tree;
mod pairs;
mod point_bound;
pub mod posed;
mod sorting_network;
mod spread;
mod surface_area;
pub mod tree;
mod wide_build;
mod wide_fit;
mod wide_topology;
pub mod wide_tree;
mod wide_validate;
mod wide_walk;
mod world_box;
