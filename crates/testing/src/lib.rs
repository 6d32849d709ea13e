//! Shared code of the test programs: exact rational geometry, seeded generators, small meshes and files, and
//! the program.
//!
//! The unit tests of `closefit` cannot use it, since its types are those of another compilation of the
//! library.

#![allow(clippy::disallowed_methods)]

pub mod all_pairs;
pub mod closed;
pub mod command;
pub mod convex;
pub mod fixtures;
pub mod meshes;
pub mod methods;
pub mod motions;
#[cfg(feature = "gpu")]
pub mod on_device;
pub mod over_time;
pub mod rational;
pub mod rng;
pub mod small_scenes;
pub mod solid;
pub mod trees;
pub mod triangles;

pub use closefit_geometry::math::testing::cases;

/// True if `CLOSEFIT_CASES` is set, whatever its number: tests that have no number of cases then take their
/// full input.
pub fn is_full_run() -> bool {
    std::env::var_os("CLOSEFIT_CASES").is_some()
}
