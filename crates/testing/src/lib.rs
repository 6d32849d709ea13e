//! Shared code of the test programs: exact rational geometry, seeded generators, small meshes and files, and
//! the program.
//!
//! The unit tests of `closefit` cannot use it, since its types belong to another compilation of the
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
pub mod shared;
pub mod small_scenes;
pub mod solid;
pub mod trees;
pub mod triangles;

pub use closefit_geometry::math::testing::cases;

/// True if `CLOSEFIT_CASES` is set, whatever its number, or `CLOSEFIT_FULL`, as in a full run of CI: tests
/// that otherwise take a part of their input then take all of it.
pub fn is_full_run() -> bool {
    let is_full_ci = std::env::var("CLOSEFIT_FULL").is_ok_and(|value| value != "0");
    is_full_ci || std::env::var_os("CLOSEFIT_CASES").is_some()
}

/// Returns the number of cases of a property whose cases take seconds each: the environment variable
/// `CLOSEFIT_CASES`, or else `full` in a full run and `ordinary` in others.
pub fn slow_cases<N: std::str::FromStr>(ordinary: N, full: N) -> N {
    cases(if is_full_run() { full } else { ordinary })
}
