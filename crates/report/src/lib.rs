//! The output of a run: a document, which is a pure function of input and settings, its pairs in groups and
//! as CSV, what has changed since another run, the record of the run itself, tables for people, and files for
//! other programs.

pub mod certificate;
pub mod columns;
pub mod csv;
pub mod diff;
pub mod digest;
pub mod document;
mod entries;
#[cfg(feature = "tables")]
pub mod exports;
#[cfg(feature = "files")]
pub mod files;
pub mod groups;
mod in_order;
mod issues;
pub mod json;
#[cfg(feature = "tables")]
pub mod named;
mod reading;
pub mod rows;
pub mod run;
#[cfg(feature = "tables")]
pub mod table;
#[cfg(test)]
mod testing;

/// Compiles and runs the example of the manual.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/report.md")]
mod manual {}

use closefit_geometry::scene::Scene;

pub use certificate::Certificate;
pub use document::{
    AuditReport, BenchReport, CheckReport, Document, Inspection, JointBoxReport, SlackReport, SweepReport,
};
pub use issues::Issue;
pub use reading::Reading;
pub use run::{CrossCheckRecord, LeftRecord, RunRecord, Seconds};

/// Returns the number of triangles of all parts, shared meshes counted once per part.
pub fn triangle_count(scene: &Scene) -> u64 {
    scene.parts.iter().map(|p| scene.meshes[p.mesh.index()].triangles().len() as u64).sum()
}
