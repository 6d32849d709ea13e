//! The geometry of closefit that needs no tree: numbers and exact predicates, meshes, motions, scenes and
//! convex hulls.
//!
//! `math`, `bounds` and `lanes` are the foundations; a [`mesh`] and a [`motion`] are the input, a [`scene`]
//! puts them together; [`exact`] decides about two triangles, and [`hull`] has convex hulls and their closest
//! features.

#![cfg_attr(test, allow(clippy::disallowed_methods))]

pub mod bounds;
pub mod clock;
pub mod exact;
pub mod executor;
pub mod hull;
pub mod ids;
pub mod lanes;
pub mod math;
pub mod memory;
pub mod mesh;
pub mod motion;
pub mod parallel;
pub mod pool;
pub mod scene;
pub mod text;
pub mod units;
