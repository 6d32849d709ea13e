//! The volumes that parts share where a check has found them to meet.

use super::models::Models;
use super::standing::{Standing, standing_bodies};
use super::{CheckError, Observer, PosedBoxes, Stage};
use crate::query::overlap_volume::{OverlapVolume, VolumeUnknown, overlap_volume};
use crate::query::{CheckRequest, Containment, PairRecord};
use closefit_geometry::ids::PartId;
use closefit_geometry::memory::MemoryAccount;
use closefit_geometry::parallel;
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
    let memory = MemoryAccount::new(request.memory);
    let meets = |pair: &PairRecord| pair.contacts > 0 || pair.contained != Containment::None;
    let mut is_involved = vec![false; scene.parts.len()];
    for pair in pairs.iter().filter(|pair| meets(pair)) {
        pair.ids.iter().for_each(|id| is_involved[id.index()] = true);
    }
    let linear = |part: PartId| scene.parts[part.index()].pose.linear();
    let how = (request.strategy, request.winding);
    let models = Models::of(scene, &is_involved, linear, how, &memory, observer)?;
    let bodies = standing_bodies(scene, &posed.boxes, &models, &memory)?;
    let standing = Standing { scene, boxes: &posed.boxes, models: &models, bodies: &*bodies };
    observer.begin(Stage::Deciding, pairs.len() as u64);
    let found = parallel::map_items(pairs, 1, |pair| {
        if observer.cancelled() {
            return Err(CheckError::Interrupted);
        }
        let found = meets(pair).then(|| standing.ask(pair.ids, |two| overlap_volume(two.bodies())));
        observer.advance();
        Ok(found)
    });
    found.into_iter().collect()
}
