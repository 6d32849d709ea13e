//! The ways out of the clashes of a check, and what the moved parts then meet.

use glam::DVec3;

use super::models::Models;
use super::pair_request::request_of;
use super::standing::{Standing, involved, standing_bodies};
use super::{CheckError, Observer, PosedBoxes, Stage};
use crate::broad::apart;
use crate::query::separation::SeparationSearch;
use crate::query::{CheckRequest, Depth, Location, PairRecord, Verdict};
use closefit_geometry::ids::PartId;
use closefit_geometry::memory::MemoryAccount;
use closefit_geometry::parallel;
use closefit_geometry::scene::Scene;

/// A translation of one part of a clash that parts the two, and a bracket of the least length.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Separation {
    /// The part that is moved: the one with the smaller box, or the second.
    pub part: PartId,
    /// The translation. Afterwards the two share no point.
    pub step: DVec3,
    /// No translation of either part that is shorter parts them: their depth.
    pub at_least: f64,
    /// The length of the translation, rounded up.
    pub at_most: f64,
    /// The verdict on the two afterwards.
    pub leaves: Verdict,
    /// The parts with which the moved part then clashes and did not before, or not as deep.
    pub meets: Vec<PartId>,
}

/// Returns the way out of each pair that clashes and has a depth; `None` for others. The pairs are all
/// pairs that a check of the scene with this request lists.
///
/// # Errors
/// [`CheckError`].
pub fn separations(
    scene: &Scene,
    posed: &PosedBoxes,
    request: &CheckRequest,
    pairs: &[PairRecord],
    observer: &dyn Observer,
) -> Result<Vec<Option<Separation>>, CheckError> {
    let memory = MemoryAccount::new(request.memory);
    let mut parts: Vec<PartId> =
        pairs.iter().filter(|pair| is_asked(pair)).map(|pair| moved(posed, pair.ids)).collect();
    parts.sort_unstable();
    parts.dedup();
    let linear = |part: PartId| scene.parts[part.index()].pose.linear();
    let how = (request.strategy, request.winding);
    let models = Models::of(scene, &involved(scene, &parts), linear, how, &memory, observer)?;
    let bodies = standing_bodies(scene, &posed.boxes, &models, &memory)?;
    let standing = Standing { scene, boxes: &posed.boxes, models: &models, bodies: &*bodies };
    observer.begin(Stage::Moving, pairs.len() as u64);
    let all = Separations { standing, posed, request, pairs };
    let found = parallel::map_items(pairs, 1, |pair| {
        if observer.cancelled() {
            return Err(CheckError::Interrupted);
        }
        let found = if is_asked(pair) { all.of_pair(pair) } else { None };
        observer.advance();
        Ok(found)
    });
    found.into_iter().collect()
}

fn is_asked(pair: &PairRecord) -> bool {
    pair.verdict == Verdict::Clash && pair.depth.is_some()
}

/// Returns the part of a pair that is moved.
fn moved(posed: &PosedBoxes, [a, b]: [PartId; 2]) -> PartId {
    let [of_a, of_b] = [a, b].map(|part| posed.boxes[part.index()].diagonal());
    if of_a < of_b { a } else { b }
}

/// The ways out of the clashes of a check.
struct Separations<'a> {
    standing: Standing<'a>,
    posed: &'a PosedBoxes,
    request: &'a CheckRequest,
    /// All pairs of the check, sorted by ids.
    pairs: &'a [PairRecord],
}

impl Separations<'_> {
    fn of_pair(&self, pair: &PairRecord) -> Option<Separation> {
        let part = moved(self.posed, pair.ids);
        let side = usize::from(part == pair.ids[1]);
        let other = pair.ids[1 - side];
        let Depth { at_least, .. } = pair.depth?;
        let request = request_of(self.standing.scene, self.request, pair.ids);
        let way = pair.location.and_then(|location| way_of(&location, side));
        let tolerance = request.tolerance;
        let step = self
            .standing
            .ask(pair.ids, |pair| SeparationSearch { pair, side, at_least, way, tolerance }.shortest())?;
        let placed = self.standing.moved(part, step);
        let then = self.standing.decide_moved(part, placed, other, &request);
        if then.verdict == Verdict::Clash || then.contacts > 0 {
            return None;
        }
        let length = step.length() * (1.0 + 4.0 * f64::EPSILON);
        Some(Separation {
            part,
            step,
            at_least: at_least.min(length),
            at_most: length,
            leaves: then.verdict,
            meets: self.met(part, step, other),
        })
    }

    /// Returns the other parts with which a part clashes after a step, more than before.
    fn met(&self, part: PartId, step: DVec3, left: PartId) -> Vec<PartId> {
        let standing = self.standing;
        let placed = standing.moved(part, step);
        let near = standing
            .asked_against(part)
            .map(|(other, _)| other)
            .filter(|&other| other != left && !apart(&placed.1, &standing.boxes[other.index()], 0.0));
        let is_met = |&other: &PartId| {
            let ids = [part.min(other), part.max(other)];
            let request = request_of(standing.scene, self.request, ids);
            let now = standing.decide_moved(part, placed, other, &request);
            now.verdict == Verdict::Clash && self.before(ids).is_none_or(|before| is_worse(&now, before))
        };
        near.filter(is_met).collect()
    }

    /// Returns what the check found of a pair, if it clashes.
    fn before(&self, ids: [PartId; 2]) -> Option<&PairRecord> {
        let at = self.pairs.binary_search_by_key(&ids, |pair| pair.ids).ok()?;
        Some(&self.pairs[at]).filter(|pair| pair.verdict == Verdict::Clash)
    }
}

/// True when a clash is certainly deeper than before.
fn is_worse(now: &PairRecord, before: &PairRecord) -> bool {
    now.depth.zip(before.depth).is_some_and(|(now, before)| now.at_least > before.at_most)
}

/// Returns the direction from a deepest point to the surface, for the part that is moved.
fn way_of(location: &Location, side: usize) -> Option<DVec3> {
    let way = location.way_out?;
    let out = (way.to - location.point).try_normalize()?;
    Some(if way.on == side { out } else { -out })
}
