//! Convex hulls, exact for every input, and the closest features of two of them.

pub mod closest_features;
pub mod convex_hull;
pub mod filter;
pub mod polygons;
pub mod polytope;
mod quickhull;
