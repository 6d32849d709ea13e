//! Queries about the pairs that a check has found, once all pairs are decided.

use super::models::Models;
use super::standing::{Standing, standing_bodies};
use super::{CheckError, Observer, PosedBoxes, Stage};
use crate::bvh::static_pair::StaticPair;
use crate::query::{CheckRequest, PairRecord};
use closefit_geometry::ids::PartId;
use closefit_geometry::memory::MemoryAccount;
use closefit_geometry::parallel;
use closefit_geometry::scene::Scene;

/// Some pairs of a check of a scene.
pub(super) struct FoundPairs<'a> {
    pub scene: &'a Scene,
    pub posed: &'a PosedBoxes,
    pub request: &'a CheckRequest,
    pub pairs: &'a [PairRecord],
}

impl FoundPairs<'_> {
    /// Returns what each pair of interest answers; `None` for others.
    ///
    /// # Errors
    /// [`CheckError`].
    pub fn ask<T: Send + Sync>(
        &self,
        memory: &MemoryAccount,
        is_asked: impl Fn(&PairRecord) -> bool + Sync,
        answer: impl Fn(&PairRecord, &dyn StaticPair) -> T + Sync,
        observer: &dyn Observer,
    ) -> Result<Vec<Option<T>>, CheckError> {
        let &Self { scene, posed, request, pairs } = self;
        let mut is_involved = vec![false; scene.parts.len()];
        for part in pairs.iter().filter(|pair| is_asked(pair)).flat_map(|pair| pair.ids) {
            is_involved[part.index()] = true;
        }
        let linear = |part: PartId| scene.parts[part.index()].pose.linear();
        let how = (request.strategy, request.winding);
        let models = Models::of(scene, &is_involved, linear, how, memory, observer)?;
        let bodies = standing_bodies(scene, &posed.boxes, &models, memory)?;
        let standing = Standing { scene, boxes: &posed.boxes, models: &models, bodies: &*bodies };
        observer.begin(Stage::Deciding, pairs.len() as u64);
        let found = parallel::map_items(pairs, 1, |pair| {
            if observer.cancelled() {
                return Err(CheckError::Interrupted);
            }
            let found = is_asked(pair).then(|| standing.ask(pair.ids, |two| answer(pair, two)));
            observer.advance();
            Ok(found)
        });
        found.into_iter().collect()
    }
}
