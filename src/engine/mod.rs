//! Runs the stages over all pairs of a scene and keeps the books: [`check()`] for parts where they stand,
//! [`sweep()`] for parts that move.

mod check;
mod ledger;
mod models;
mod sweep;

use glam::DVec3;
use rayon::prelude::*;

use crate::bounds::aabb::Aabb;
use crate::ids::to_u32;
use crate::math::pose::{LARGEST, Pose};
use crate::mesh::Mesh;
use crate::scene::{Part, Scene};

pub use check::{CheckResult, check, default_tolerance};
pub use ledger::{Counters, Ledger};
pub use sweep::{
    NO_RELATIVE_MOTION, SweepError, SweepResult, diagonal_at, distances_over_time, sweep, time_range,
};

/// The tolerance where none is given, as a share of the scene's diagonal.
pub const TOLERANCE: f64 = 1e-6;

/// The precision of a sweep where none is given, as a share of the scene's diagonal.
pub const PRECISION: f64 = 1e-5;

/// Receives progress and may stop a run.
pub trait Observer: Sync {
    /// `done` of `total` pairs are decided. Called from any thread, in no particular order.
    fn progress(&self, done: u64, total: u64);
    /// True once the run should stop.
    fn cancelled(&self) -> bool;
}

/// An observer that neither reports nor stops.
pub struct Unobserved;

impl Observer for Unobserved {
    fn progress(&self, _done: u64, _total: u64) {}
    fn cancelled(&self) -> bool {
        false
    }
}

/// Why there is no result.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CheckError {
    /// The observer asked to stop.
    #[error("interrupted")]
    Interrupted,
    /// A posed coordinate is beyond 2^200 or not finite.
    #[error("part {part} '{name}': the posed coordinate {value:e} is beyond 2^200")]
    OutOfRange {
        /// Index of the part.
        part: u32,
        /// Its name.
        name: String,
        /// The coordinate.
        value: f64,
    },
}

/// The exact box of every part at its pose.
fn posed_boxes(scene: &Scene, poses: &[Pose]) -> Result<Vec<Aabb>, CheckError> {
    let parts = scene.parts.par_iter().zip(poses).enumerate();
    parts
        .map(|(index, (part, pose))| {
            let mut bounds = Aabb::EMPTY;
            for &vertex in scene.meshes[part.mesh.index()].vertices() {
                let p = pose.apply(vertex);
                admissible(index, part, p)?;
                bounds = bounds.with(p);
            }
            Ok(bounds)
        })
        .collect()
}

/// Refuses coordinates beyond 2^200.
fn admissible(index: usize, part: &Part, p: DVec3) -> Result<(), CheckError> {
    // A NaN is out of range too.
    match p.to_array().into_iter().find(|x| x.is_nan() || x.abs() > LARGEST) {
        Some(value) => Err(CheckError::OutOfRange { part: to_u32(index), name: part.name.clone(), value }),
        None => Ok(()),
    }
}

/// The diagonal of the box of all parts at their poses.
fn diagonal(scene: &Scene, poses: &[Pose]) -> Result<f64, CheckError> {
    Ok(posed_boxes(scene, poses)?.into_iter().fold(Aabb::EMPTY, Aabb::union).diagonal())
}

/// A part's name, number of triangles and posed corners, in order, as little-endian bytes.
fn hash_part(hasher: &mut blake3::Hasher, part: &Part, mesh: &Mesh, pose: &Pose) {
    hasher.update(&(part.name.len() as u64).to_le_bytes());
    hasher.update(part.name.as_bytes());
    hasher.update(&(mesh.triangles().len() as u64).to_le_bytes());
    let posed: Vec<DVec3> = mesh.vertices().iter().map(|&v| pose.apply(v)).collect();
    for corner in mesh.triangles().iter().flatten() {
        for x in posed[*corner as usize].to_array() {
            hasher.update(&x.to_le_bytes());
        }
    }
}
