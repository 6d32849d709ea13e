//! The volumes that parts share where a check has found them to meet.

use super::found_pairs::FoundPairs;
use super::{CheckError, Observer, PosedBoxes};
use crate::query::overlap_volume::{OverlapVolume, VolumeUnknown, overlap_volume};
use crate::query::{CheckRequest, Containment, PairRecord};
use closefit_geometry::memory::MemoryAccount;
use closefit_geometry::scene::Scene;

/// The volume that the parts of a pair share; `None` for parts that do not meet.
pub type SharedVolume = Option<Result<OverlapVolume, VolumeUnknown>>;

/// Returns the volume that each pair shares whose parts touch or contain each other. The pairs are some of a
/// check of the scene with this request.
///
/// # Errors
/// [`CheckError`].
pub fn overlap_volumes(
    scene: &Scene,
    posed: &PosedBoxes,
    request: &CheckRequest,
    pairs: &[PairRecord],
    observer: &dyn Observer,
) -> Result<Vec<SharedVolume>, CheckError> {
    let meets = |pair: &PairRecord| pair.contacts > 0 || pair.contained != Containment::None;
    let found = FoundPairs { scene, posed, request, pairs };
    found.ask(&MemoryAccount::new(request.memory), meets, |_, two| overlap_volume(two.bodies()), observer)
}
