//! Convex hulls, exact for every input, and the closest features of two of them.

#[cfg(feature = "report")]
pub mod caps;
pub mod closest_features;
pub mod convex_hull;
pub mod features;
pub mod filter;
pub mod polygons;
pub mod polytope;
mod quickhull;
