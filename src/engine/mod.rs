//! Runs the stages over all pairs of a scene and accounts for every pair: [`check()`] for parts at rest,
//! [`sweep()`] for parts that move.

mod candidates;
mod check;
mod clock;
mod contact_geometries;
mod cross_check;
mod crowd;
mod device;
mod driver;
mod found_pairs;
mod hull_filter;
mod hulls;
mod joint_boxes;
mod journal;
mod kept_models;
mod ledger;
mod memory_forecast;
mod models;
mod observer;
mod overlap_volumes;
mod pair_request;
mod pair_times;
mod posed;
mod reduce;
mod repeated;
mod rows_on_device;
mod self_contacts;
mod separations;
mod slack;
mod standing;
mod sweep;
mod tolerance;

use closefit_geometry::ids::PartId;
use closefit_geometry::memory::{MemoryAccount, OutOfMemory};
use closefit_geometry::scene::Scene;

pub use check::{CheckResult, check, check_posed, default_tolerance};
pub use clock::Clock;
pub use contact_geometries::contact_geometries;
pub use cross_check::{CrossChecked, Disagreement, cross_check};
#[cfg(any(test, feature = "testing"))]
pub use cross_check::{injected, marked};
pub use device::settled;
pub use driver::ROW_BYTES;
pub use joint_boxes::{EncounterRecord, JointBoxRequest, encounters};
pub use journal::{KnownPair, NoJournal, PairJournal, PairState};
pub use kept_models::KeptModels;
pub use ledger::{BuiltTrees, Counters, Ledger};
pub use observer::{Observer, Stage, Unobserved};
pub use overlap_volumes::{SharedVolume, overlap_volumes};
pub use pair_times::SlowPair;
pub use posed::PosedBoxes;
pub use repeated::{PosedPair, PreparedCheck, PreparedScene, RowScratch};
pub use rows_on_device::{NearRow, RowsOnDevice};
pub use self_contacts::self_contacts;
pub use separations::{Separation, separations};
pub use slack::{
    Axes, Margin, NeighbourAtStart, PartSlack, Room, SlackError, SlackRequest, SlackResult, StartState, slack,
};
pub use sweep::{
    NO_RELATIVE_MOTION, SweepError, SweepResult, check_times, diagonal_at, distances_over_time, sweep,
    sweep_posed, time_range,
};
pub use tolerance::tolerance_of;

/// The default precision of a sweep, as a fraction of the scene's diagonal.
pub const PRECISION: f64 = 1e-5;

/// The default limit of the cells into which a precision cuts the motion of a pair: at the default precision,
/// a way of some 5 million diagonals.
pub const MOST_CELLS: u64 = 1 << 40;

/// The reason why a check has no result.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CheckError {
    /// The observer asked to stop.
    #[error("interrupted")]
    Interrupted,
    /// The run would take more memory than it may.
    #[error(transparent)]
    OutOfMemory(#[from] OutOfMemory),
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

/// Takes the memory of a scene that has been read, and of the boxes of its parts.
fn take_scene(memory: &MemoryAccount, scene: &Scene) -> Result<(), OutOfMemory> {
    let parts = scene.parts.len();
    let scene_of = || format!("a scene of {parts} parts");
    memory.take(scene.bytes(), 1, scene_of)?;
    // Boxes in f64 and in f32, sorted and packed; keys, and rows of the report.
    memory.take(parts, 192 + 320, scene_of)?;
    memory.take(scene.parts.iter().map(|part| part.path.len()).sum(), 1, scene_of)
}

/// Bytes of a near pair that a broad phase keeps, in up to four lists.
const KEPT_BYTES: usize = 4 * size_of::<(PartId, PartId)>();

/// Returns the largest number of near pairs for which there is memory.
fn most_kept(memory: &MemoryAccount) -> usize {
    usize::try_from(memory.left()).unwrap_or(usize::MAX) / KEPT_BYTES
}

/// Returns the refusal of more near pairs than that.
fn too_many_kept(memory: &MemoryAccount) -> OutOfMemory {
    let most = most_kept(memory);
    let cause = || format!("more than {most} near pairs, which the broad phase keeps,");
    memory.take(most + 1, KEPT_BYTES, cause).expect_err("there is no memory for one more")
}

/// Bytes per triangle of its hull, features and caps, and of their rows in a document.
const FEATURE_BYTES: usize = 1024;

/// Takes the memory of a scene that has been read, and of examining each of its meshes.
///
/// # Errors
/// `OutOfMemory`.
pub fn take_examined(memory: &MemoryAccount, scene: &Scene) -> Result<(), OutOfMemory> {
    take_scene(memory, scene)?;
    let triangles = scene.meshes.iter().map(|mesh| mesh.triangles().len()).sum();
    memory.take(triangles, models::TRIANGLE_BYTES, || format!("the health of {triangles} triangles"))
}

/// Takes the memory of finding the features of each mesh.
///
/// # Errors
/// `OutOfMemory`.
pub fn take_features(memory: &MemoryAccount, scene: &Scene) -> Result<(), OutOfMemory> {
    let triangles = scene.meshes.iter().map(|mesh| mesh.triangles().len()).sum();
    memory.take(triangles, FEATURE_BYTES, || format!("the features of {triangles} triangles"))
}
