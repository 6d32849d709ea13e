//! The geometry of the contacts that a check has found.

use super::models::Models;
use super::standing::{Standing, standing_bodies};
use super::{CheckError, Observer, PosedBoxes, Stage};
use crate::narrow::Work;
use crate::query::contact_geometry::{ContactGeometry, contact_geometry};
use crate::query::{CheckRequest, PairRecord};
use closefit_geometry::ids::PartId;
use closefit_geometry::memory::MemoryAccount;
use closefit_geometry::parallel;
use closefit_geometry::scene::Scene;

/// Bytes of what a pair of triangles shares, with its exact points, while it is found.
const SHARED_BYTES: usize = 1024;

/// Returns the geometry of each pair that is in contact, with at most `points` points for a solver in each
/// patch; `None` for others. The pairs are some of a check of the scene with this request.
///
/// # Errors
/// [`CheckError`].
pub fn contact_geometries(
    scene: &Scene,
    posed: &PosedBoxes,
    request: &CheckRequest,
    (pairs, points): (&[PairRecord], usize),
    observer: &dyn Observer,
) -> Result<Vec<Option<ContactGeometry>>, CheckError> {
    let memory = MemoryAccount::new(request.memory);
    let mut is_involved = vec![false; scene.parts.len()];
    for pair in pairs.iter().filter(|pair| pair.contacts > 0) {
        pair.ids.iter().for_each(|id| is_involved[id.index()] = true);
    }
    let linear = |part: PartId| scene.parts[part.index()].pose.linear();
    let how = (request.strategy, request.winding);
    let models = Models::of(scene, &is_involved, linear, how, &memory, observer)?;
    let bodies = standing_bodies(scene, &posed.boxes, &models, &memory)?;
    let all = pairs.iter().map(|pair| pair.contacts as usize).sum();
    memory.take(all, SHARED_BYTES, || "what triangles in contact share".to_owned())?;
    let standing = Standing { scene, boxes: &posed.boxes, models: &models, bodies: &*bodies };
    observer.begin(Stage::Deciding, pairs.len() as u64);
    let found = parallel::map_items(pairs, 1, |pair| {
        if observer.cancelled() {
            return Err(CheckError::Interrupted);
        }
        let found = (pair.contacts > 0).then(|| {
            standing.ask(pair.ids, |two| {
                let search = || two.contacts(&mut Work::default());
                let contacts = pair.triangles.clone().unwrap_or_else(search);
                contact_geometry(two.bodies(), contacts, points)
            })
        });
        observer.advance();
        Ok(found)
    });
    found.into_iter().collect()
}
