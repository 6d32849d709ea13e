//! Runs the stages over all pairs of a scene and accounts for every pair: [`check()`] for parts at rest, [`sweep()`]
//! for parts that move.

mod check;
mod driver;
mod ledger;
mod models;
mod observer;
mod sweep;

use glam::DVec3;
use rayon::prelude::*;

use crate::bounds::aabb::Aabb;
use crate::ids::to_u32;
use crate::math::pose::{LARGEST, Pose};
use crate::scene::{Part, Scene};

pub use check::{CheckResult, check, default_tolerance};
pub use ledger::{Counters, Ledger};
pub use observer::{Observer, Stage, Unobserved};
pub use sweep::{
    NO_RELATIVE_MOTION, SweepError, SweepResult, diagonal_at, distances_over_time, sweep, time_range,
};

/// The default tolerance, as a fraction of the scene's diagonal.
pub const TOLERANCE: f64 = 1e-6;

/// The default precision of a sweep, as a fraction of the scene's diagonal.
pub const PRECISION: f64 = 1e-5;

/// The reason why a check has no result.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CheckError {
    /// The observer asked to stop.
    #[error("interrupted")]
    Interrupted,
    /// A posed coordinate exceeds 2^200 or is not finite.
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

/// Returns the exact box of every part at its pose.
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

/// Returns an error if a coordinate exceeds 2^200.
fn admissible(index: usize, part: &Part, p: DVec3) -> Result<(), CheckError> {
    // A NaN is out of range too.
    match p.to_array().into_iter().find(|x| x.is_nan() || x.abs() > LARGEST) {
        Some(value) => {
            Err(CheckError::OutOfRange { part: to_u32(index), name: part.name.to_string(), value })
        }
        None => Ok(()),
    }
}

/// Returns the diagonal of the box of all parts at their poses.
fn diagonal(scene: &Scene, poses: &[Pose]) -> Result<f64, CheckError> {
    Ok(posed_boxes(scene, poses)?.into_iter().fold(Aabb::EMPTY, Aabb::union).diagonal())
}
