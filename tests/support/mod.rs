//! Shared code of the independent tests: exact rational geometry, seeded generators, small meshes.
#![allow(dead_code, reason = "every test compiles this module and uses its own part of it")]

pub mod all_pairs;
pub mod closed;
pub mod convex;
pub mod meshes;
pub mod methods;
pub mod motions;
pub mod over_time;
pub mod rational;
pub mod rng;
#[cfg(feature = "generate")]
pub mod small_scenes;
pub mod solid;
pub mod trees;
pub mod triangles;

/// Returns the number of cases to run: the environment variable `CLOSEFIT_CASES`, or `default`.
pub fn cases(default: u64) -> u64 {
    match std::env::var("CLOSEFIT_CASES") {
        Ok(text) => text.parse().expect("CLOSEFIT_CASES is a whole number"),
        Err(_) => default,
    }
}
