//! What a run leaves behind: the report, which is a pure function of input and settings, its pairs as CSV,
//! the record of the run itself, and the tables for people.

pub mod csv;
mod display;
pub mod files;
pub mod inspect;
pub mod json;
mod layout;
mod pair_table;
pub mod rows;
pub mod run;
pub mod sweep;
pub mod table;
#[cfg(test)]
mod testing;

use crate::scene::Scene;

pub use inspect::Inspection;
pub use rows::Report;
pub use run::RunRecord;

/// Triangles of all parts, shared meshes counted once per part.
pub fn triangle_count(scene: &Scene) -> u64 {
    scene.parts.iter().map(|p| scene.meshes[p.mesh.index()].triangles().len() as u64).sum()
}
