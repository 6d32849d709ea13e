//! The room of a part along one way: the first neighbour that stops it.

use glam::DVec3;

use super::Slack;
use super::start::{AtStart, Kept, StartState};
use super::way::Way;
use crate::broad::apart;
use crate::engine::standing::stepped;
use crate::narrow::Work;
use crate::query::Containment;
use crate::query::entering::entered;
use crate::query::leeway::widened;
use crate::query::pair_sweep::PairSweep;
use crate::query::stage_work::StageWork;
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::ids::PartId;
use closefit_geometry::math::pose::Pose;
use closefit_geometry::motion::cells::Cells;
use closefit_geometry::motion::pair::{PairMotion, PlacedPart};
use closefit_geometry::motion::swept::SweptPart;

/// The room of a part along a way: a bracket.
#[derive(Clone, Debug, PartialEq)]
pub struct Room {
    /// The part comes no nearer than the clearance until here; a length, or an angle in radians.
    pub at_least: f64,
    /// The part is within the clearance and half the precision here; `None` if nothing stops it, and then
    /// `at_least` is all of the way.
    pub at_most: Option<f64>,
    /// The neighbour that stops it.
    pub stopped_by: Option<PartId>,
    /// The neighbours that it touches at the start, and still at `at_least`: it slides along them, or presses
    /// against them.
    pub still_touching: Vec<PartId>,
}

/// Number of equal pieces of a way whose swept boxes find the neighbours.
const PIECES: usize = 64;
const LEVEL: u32 = PIECES.trailing_zeros();

/// Steps of taking off within which a part that is stopped has no room. It was only on its way back.
const BACK: f64 = 4.0;

/// A neighbour that may stop the part.
struct Candidate {
    part: PartId,
    /// The first piece of the way in which its box is near.
    first_piece: usize,
    /// The distance kept from it; `None` if it leaves no room.
    kept: Option<Kept>,
}

/// The place at which a neighbour stops the part.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
struct Stop {
    after: f64,
    before: f64,
    part: PartId,
}

/// The search along one way of a part.
pub(super) struct RoomSearch<'a> {
    slack: &'a Slack<'a>,
    part: PartId,
    way: &'a Way,
    /// The boxes swept in each piece of the way; none if the way has no length.
    pieces: Vec<Aabb>,
}

impl<'a> RoomSearch<'a> {
    /// Prepares the search.
    pub fn new(slack: &'a Slack<'a>, part: PartId, way: &'a Way) -> Self {
        let mut search = Self { slack, part, way, pieces: Vec::new() };
        if way.length > 0.0 {
            let (frames, frame) = way.frames(&search.pose(DVec3::ZERO));
            let (_, around) = &slack.unplaced[slack.standing.scene.parts[part.index()].mesh.index()];
            let placed = PlacedPart { frame: Some(frame), ..search.placed(part) };
            let swept = SweptPart::new(&frames, placed, around);
            let at = |piece: usize| way.length * (piece as f64 / PIECES as f64);
            search.pieces = (0..PIECES).map(|piece| swept.over(at(piece), at(piece + 1))).collect();
        }
        search
    }

    /// Returns the boxes that the part sweeps.
    pub fn pieces(&self) -> &[Aabb] {
        &self.pieces
    }

    /// Returns the room, from what was found at the start.
    ///
    /// # Errors
    /// The smallest possible precision, about, if the request's is smaller.
    pub fn room(&self, start: &AtStart) -> Result<Room, f64> {
        let mut first: Option<Stop> = None;
        for candidate in self.candidates(start) {
            let from = self.way.length * (candidate.first_piece as f64 / PIECES as f64);
            if first.is_some_and(|stop| stop.after < from) {
                break;
            }
            let stop = match &candidate.kept {
                Some(kept) => self.stop(&candidate, kept, first)?,
                None => Some(Stop { after: 0.0, before: 0.0, part: candidate.part }),
            };
            let both = first.into_iter().chain(stop);
            first = both.min_by(|a, b| a.partial_cmp(b).expect("numbers"));
        }
        let at_least = first.map_or(self.way.length, |stop| stop.after);
        Ok(Room {
            at_least,
            at_most: first.map(|stop| stop.before),
            stopped_by: first.map(|stop| stop.part),
            still_touching: self.still_touching(start, at_least),
        })
    }

    /// Returns the neighbours that may stop the part, those whose boxes are near first at the beginning.
    fn candidates(&self, start: &AtStart) -> Vec<Candidate> {
        let standing = self.slack.standing;
        let all = self.pieces.iter().copied().fold(Aabb::EMPTY, Aabb::union);
        let candidate = |(other, lengths): (PartId, _)| {
            let Some(kept) = self.slack.kept([self.part, other], lengths, start.neighbour(other)) else {
                return Some(Candidate { part: other, first_piece: 0, kept: None });
            };
            let bounds = &standing.boxes[other.index()];
            // The box of the part that was taken off reaches as much farther.
            let reach = (kept.near + kept.step.length()) * (1.0 + 8.0 * f64::EPSILON);
            if apart(&all, bounds, reach) {
                return None;
            }
            let first_piece = self.pieces.iter().position(|piece| !apart(piece, bounds, reach))?;
            Some(Candidate { part: other, first_piece, kept: Some(kept) })
        };
        let mut candidates: Vec<Candidate> =
            standing.asked_against(self.part).filter_map(candidate).collect();
        candidates.sort_by_key(|candidate| candidate.first_piece);
        candidates
    }

    /// Returns where a neighbour stops the part, unless that is later than a stop that is known.
    fn stop(&self, candidate: &Candidate, kept: &Kept, known: Option<Stop>) -> Result<Option<Stop>, f64> {
        self.with_sweep(candidate.part, kept, |sweep| {
            let cells = sweep.cells(0);
            // As far as the part may only be on its way back to where it was taken off.
            let back = BACK * kept.step.length() / self.way.lever;
            let finer = cells.level.checked_sub(LEVEL);
            let begin = finer.map_or(0, |finer| (candidate.first_piece as u64) << finer);
            let end = known.map_or(cells.count(), |known| cells_until(cells, known.after.max(back)));
            let mut searched = sweep.searched();
            let StageWork { continuous: work, .. } = &mut searched.work;
            let range = begin..end.max(begin);
            let found = sweep.moving(0).first_within(range, kept.near, &mut searched.scratch, work);
            found.map(|cell| {
                let cell = cells.cell(cell);
                let (after, before) = (cells.start(cell), cells.middle(cell));
                Stop { after: if before <= back { 0.0 } else { after }, before, part: candidate.part }
            })
        })
    }

    /// Returns what the part on its way and a neighbour, from which it keeps a distance, answer.
    fn with_sweep<R>(&self, other: PartId, kept: &Kept, ask: impl FnOnce(&PairSweep) -> R) -> Result<R, f64> {
        let standing = self.slack.standing;
        let ids = [self.part, other];
        let (frames, frame) = self.way.frames(&self.pose(kept.step));
        let placed = [PlacedPart { frame: Some(frame), ..self.placed(self.part) }, self.placed(other)];
        let motion = PairMotion::new(&frames, placed);
        let shapes = standing.models.trees.moving(standing.models.places(ids), standing.meshes(ids));
        let range = [0.0, self.way.length];
        let sweep = PairSweep::new(&*shapes, &motion, range, self.slack.request.precision)?;
        let surfaces = ids.map(|id| standing.scene.parts[id.index()].is_surface);
        Ok(ask(&sweep.within(kept.near).declared(surfaces)))
    }

    /// Returns the neighbours that might lie in the part, or hold it, somewhere on the way until `at`,
    /// because one of the two is open. Those in `known` are left out.
    pub fn entered(&self, start: &AtStart, at: f64, known: &[PartId]) -> Result<Vec<PartId>, f64> {
        let standing = self.slack.standing;
        let mut doubtful = Vec::new();
        if at == 0.0 {
            return Ok(doubtful);
        }
        let until = |&(piece, _): &(usize, &Aabb)| self.way.length * (piece as f64 / PIECES as f64) < at;
        let swept = self.pieces.iter().enumerate().filter(until);
        let swept = swept.fold(Aabb::EMPTY, |all, (_, piece)| all.union(*piece));
        for (other, lengths) in standing.asked_against(self.part) {
            let [_, tolerance] = self.slack.lengths([self.part, other], lengths);
            let pair = [self.part, other];
            let Some(kept) = self.slack.kept(pair, lengths, start.neighbour(other)) else { continue };
            let reach = widened(&swept, kept.step.abs());
            let overlaps = reach.overlaps_by_more(&standing.boxes[other.index()], tolerance);
            if overlaps && !known.contains(&other) {
                let found = self.with_sweep(other, &kept, |sweep| entered(sweep, [0.0, at], tolerance))?;
                doubtful.extend((found != Containment::None).then_some(other));
            }
        }
        Ok(doubtful)
    }

    /// Returns the neighbours that touch the part at the start, and still somewhere along the way.
    fn still_touching(&self, start: &AtStart, at: f64) -> Vec<PartId> {
        let touching = start.neighbours.iter().filter(|n| matches!(n.state, StartState::Touching { .. }));
        let is_near = |&other: &PartId| at == 0.0 || self.touches_at(other, at);
        touching.map(|neighbour| neighbour.part).filter(is_near).collect()
    }

    /// True when the part is within half the precision of another somewhere along its way.
    fn touches_at(&self, other: PartId, at: f64) -> bool {
        let standing = self.slack.standing;
        let ids = [self.part, other];
        let (frames, frame) = self.way.frames(&self.pose(DVec3::ZERO));
        let placed = [frames.pose(frame, at), standing.scene.parts[other.index()].pose];
        let shapes = standing.models.trees.moving(standing.models.places(ids), standing.meshes(ids));
        // No box is looked at.
        shapes.ask_at(placed.map(|pose| (pose, Aabb::EMPTY)), [false; 2], |pair| {
            let work = &mut Work::default();
            pair.touches(work) || pair.within(0.5 * self.slack.request.precision, work).is_some()
        })
    }

    /// Returns the pose of the part at the start, after a step.
    fn pose(&self, step: DVec3) -> Pose {
        stepped(&self.slack.standing.scene.parts[self.part.index()].pose, step)
    }

    /// Returns a part where it stands.
    fn placed(&self, part: PartId) -> PlacedPart {
        let part = &self.slack.standing.scene.parts[part.index()];
        let (unplaced, _) = self.slack.unplaced[part.mesh.index()];
        PlacedPart { pose: part.pose, ..unplaced }
    }
}

/// Returns the number of cells that begin no later than a time; perhaps one more.
fn cells_until(cells: &Cells, time: f64) -> u64 {
    let cell = (time - cells.from) / cells.width();
    cells.count().min(cell as u64 + 2)
}
