//! The contacts of parts with themselves.

use super::models::Models;
use super::standing::{Standing, standing_bodies};
use super::{CheckError, Observer, PosedBoxes, Stage};
use crate::query::CheckRequest;
use crate::query::self_contacts::self_contacts as of_body;
use closefit_geometry::ids::{PartId, to_u32};
use closefit_geometry::memory::MemoryAccount;
use closefit_geometry::parallel;
use closefit_geometry::scene::Scene;

/// Returns, for each part of a scene where it stands, the pairs of its triangles that share more than their
/// common vertices and edges.
///
/// # Errors
/// [`CheckError`].
pub fn self_contacts(
    scene: &Scene,
    posed: &PosedBoxes,
    request: &CheckRequest,
    observer: &dyn Observer,
) -> Result<Vec<Vec<[u32; 2]>>, CheckError> {
    let memory = MemoryAccount::new(request.memory);
    let linear = |part: PartId| scene.parts[part.index()].pose.linear();
    let how = (request.strategy, request.winding);
    let models = Models::of(scene, &vec![true; scene.parts.len()], linear, how, &memory, observer)?;
    let bodies = standing_bodies(scene, &posed.boxes, &models, &memory)?;
    let standing = Standing { scene, boxes: &posed.boxes, models: &models, bodies: &*bodies };
    observer.begin(Stage::Deciding, scene.parts.len() as u64);
    let found = parallel::map(scene.parts.len(), 1, |part| {
        if observer.cancelled() {
            return Err(CheckError::Interrupted);
        }
        let part = PartId(to_u32(part));
        let found = standing.ask([part; 2], |pair| of_body(pair.bodies()[0]));
        observer.advance();
        Ok(found)
    });
    found.into_iter().collect()
}
