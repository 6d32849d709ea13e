//! Convex hulls, exact for every input: the closest features of two of them, and what a mesh leaves open of
//! its own.

#[cfg(feature = "caps")]
pub mod caps;
pub mod closest_features;
pub mod contact_region;
pub mod convex_hull;
pub mod features;
pub mod filter;
pub mod gjk;
pub mod polygons;
pub mod polytope;
mod quickhull;
pub mod red_features;
pub mod volume;
