//! Convex hulls, exact for every input.

pub mod convex_hull;
mod quickhull;
