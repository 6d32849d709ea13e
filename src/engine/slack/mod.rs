//! The room that single parts have: how far each can shift along its axes, and turn about them, before it
//! comes nearer than the clearance to another part.
//!
//! The part alone moves; all others stand. A way is a motion at constant speed whose time is its length, or
//! its angle, so that the certified search for a time of contact brackets the room. [`start`] finds the
//! distance that the part keeps from neighbours that are too near already, [`room`] finds which neighbour
//! stops the part first.

mod margin;
mod room;
mod start;
mod way;

use std::array;

use glam::DVec3;

use super::models::Models;
use super::posed::admissible;
use super::standing::{Standing, involved, standing_bodies};
use super::{CheckError, Observer, PosedBoxes, Stage, take_scene};
use crate::bvh::strategy::Strategy;
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::ids::PartId;
use closefit_geometry::math::pose::Pose;
use closefit_geometry::memory::MemoryAccount;
use closefit_geometry::mesh::topology::Winding;
use closefit_geometry::motion::pair::PlacedPart;
use closefit_geometry::parallel;
use closefit_geometry::scene::Scene;
pub use margin::Margin;
pub use room::Room;
use room::RoomSearch;
use start::AtStart;
pub use start::{NeighbourAtStart, StartState};
use way::Way;

/// The settings of the question how much room parts have. Lengths are in scene units.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct SlackRequest {
    /// The distance that the part keeps from all others; 0 or more.
    pub clearance: f64,
    /// Overlap up to this depth at the start is contact; 0 or more.
    pub tolerance: f64,
    /// A part is stopped within half of this of the clearance. No bracket of a length is wider, but those
    /// that begin with 0 because the part only comes back to where it touches a neighbour.
    pub precision: f64,
    /// The axes along and about which parts move.
    pub axes: Axes,
    /// A point on the axes of all turns; by default the middle of the part's box.
    pub about: Option<DVec3>,
    /// The kind of tree, and the executor of its kernels. No answer depends on it.
    pub strategy: Strategy,
    /// Repair the winding and seams of meshes first, or take them as they are.
    pub winding: Winding,
    /// The limit of memory in bytes, or none. A run that would take more ends with an error.
    pub memory: Option<u64>,
}

impl SlackRequest {
    /// Sets the clearance that the part keeps.
    pub fn clearance(self, clearance: f64) -> Self {
        Self { clearance, ..self }
    }

    /// Sets the tolerance: overlap up to this depth at the start is contact.
    pub fn tolerance(self, tolerance: f64) -> Self {
        Self { tolerance, ..self }
    }

    /// Sets the precision.
    pub fn precision(self, precision: f64) -> Self {
        Self { precision, ..self }
    }

    /// Sets the axes along and about which parts move.
    pub fn axes(self, axes: Axes) -> Self {
        Self { axes, ..self }
    }

    /// Sets the point on the axes of all turns, or the middle of each part's box.
    pub fn about(self, about: impl Into<Option<DVec3>>) -> Self {
        Self { about: about.into(), ..self }
    }

    /// Sets the kind of tree and the executor of its kernels.
    pub fn strategy(self, strategy: Strategy) -> Self {
        Self { strategy, ..self }
    }

    /// Sets the winding: repaired meshes, or meshes as they are.
    pub fn winding(self, winding: Winding) -> Self {
        Self { winding, ..self }
    }

    /// Sets the limit of memory, in bytes, or none.
    pub fn memory(self, limit: impl Into<Option<u64>>) -> Self {
        Self { memory: limit.into(), ..self }
    }
}

/// The axes along and about which a part moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Axes {
    /// Those of the scene.
    #[default]
    Scene,
    /// Those of the part's own coordinates.
    Part,
}

/// The room of some parts, in the order of the request.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SlackResult {
    /// The settings.
    pub request: SlackRequest,
    /// The parts.
    pub parts: Vec<PartSlack>,
}

/// The room of a part.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PartSlack {
    /// The part.
    pub part: PartId,
    /// The number of parts that it is checked against.
    pub asked: u64,
    /// The part nearest to it, and the length of every safe shift; `None` if it is checked against no part.
    pub margin: Option<Margin>,
    /// The neighbours that are nearer than the clearance already, in the order of their ids.
    pub at_start: Vec<NeighbourAtStart>,
    /// The neighbours that may hold the part, or that the part may hold, at the start or somewhere in its
    /// room. It is not known, because they are open.
    pub undecided: Vec<PartId>,
    /// The three axes, of length 1.
    pub axes: [DVec3; 3],
    /// The point on the axes of the turns.
    pub about: DVec3,
    /// The room to shift along the axes, in the order +x, -x, +y, -y, +z, -z.
    pub shifts: [Room; 6],
    /// The room to turn about the axes, in the same order and in radians, counterclockwise as seen from the
    /// axis's tip.
    pub turns: [Room; 6],
}

/// The reason why the room of parts is not known.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SlackError {
    /// An error that a check has too.
    #[error(transparent)]
    Check(#[from] CheckError),
    /// A motion in f64 cannot be divided this finely.
    #[error("a precision of {asked:e} is too fine for f64 here: the smallest possible is about {smallest:e}")]
    Precision {
        /// The requested precision.
        asked: f64,
        /// The smallest precision possible, about.
        smallest: f64,
    },
}

/// Number of ways of a part: along and about three axes, both ways.
const WAYS: usize = 12;

/// Returns the room of parts of a scene whose parts have been posed. It does not depend on the number of
/// threads.
///
/// # Errors
/// [`SlackError`].
pub fn slack(
    scene: &Scene,
    posed: &PosedBoxes,
    parts: &[PartId],
    request: &SlackRequest,
    observer: &dyn Observer,
) -> Result<SlackResult, SlackError> {
    // No precision is finer than 0.
    let request = &SlackRequest { precision: request.precision.max(0.0), ..*request };
    let memory = MemoryAccount::new(request.memory);
    let refused = |error| SlackError::Check(CheckError::OutOfMemory(error));
    take_scene(&memory, scene).map_err(refused)?;
    let linear = |part: PartId| scene.parts[part.index()].pose.linear();
    let how = (request.strategy, request.winding);
    let models =
        Models::of(scene, &involved(scene, parts), linear, how, &memory, observer).map_err(refused)?;
    let bodies = standing_bodies(scene, &posed.boxes, &models, &memory).map_err(refused)?;
    let standing = Standing { scene, boxes: &posed.boxes, models: &models, bodies: &*bodies };
    let unplaced = parallel::map_items(&scene.meshes, 1, |mesh| {
        let vertices = mesh.vertices();
        (PlacedPart::of(Pose::IDENTITY, None, vertices), Aabb::of(vertices.iter().copied()))
    });
    let all = Slack { standing, request, unplaced, observer };
    observer.begin(Stage::Moving, (parts.len() * (WAYS + 1)) as u64);
    Ok(SlackResult { request: *request, parts: all.of_parts(parts)? })
}

/// The question about the room of parts.
struct Slack<'a> {
    standing: Standing<'a>,
    request: &'a SlackRequest,
    /// Each mesh without a pose, with the box of its vertices.
    unplaced: Vec<(PlacedPart, Aabb)>,
    observer: &'a dyn Observer,
}

impl Slack<'_> {
    fn of_parts(&self, parts: &[PartId]) -> Result<Vec<PartSlack>, SlackError> {
        let start_of = |&part: &PartId| -> Result<AtStart, SlackError> {
            Ok(self.stepped(|| AtStart::of(self, part))??)
        };
        let starts = parallel::map_items(parts, 1, start_of);
        let starts = starts.into_iter().collect::<Result<Vec<AtStart>, SlackError>>()?;
        let rooms = parallel::map(parts.len() * WAYS, 1, |item| {
            let (part, way) = (item / WAYS, item % WAYS);
            self.stepped(|| self.room(parts[part], &starts[part], way))?
        });
        let rooms = all_or_worst(rooms)?;
        let of_part = |index: usize| {
            let (part, start) = (parts[index], &starts[index]);
            let rooms = &rooms[index * WAYS..][..WAYS];
            let undecided = self.undecided(part, start, rooms)?;
            let six = |from: usize| array::from_fn(|way| rooms[from + way].clone());
            Ok(PartSlack {
                part,
                asked: start.asked,
                margin: start.margin,
                at_start: start.neighbours.clone(),
                undecided,
                axes: self.axes(part),
                about: self.about(part),
                shifts: six(0),
                turns: six(6),
            })
        };
        all_or_worst(parallel::map(parts.len(), 1, of_part))
    }

    /// Returns the neighbours for which it is not known, at the start or somewhere in the room of a part,
    /// whether one of the two lies in the other, in the order of their ids.
    fn undecided(&self, part: PartId, start: &AtStart, rooms: &[Room]) -> Result<Vec<PartId>, SlackError> {
        let mut undecided = start.undecided.clone();
        for (index, room) in rooms.iter().enumerate() {
            if self.observer.cancelled() {
                return Err(CheckError::Interrupted.into());
            }
            let way = self.way(part, index);
            let search = RoomSearch::new(self, part, &way);
            let entered = search.entered(start, room.at_least, &undecided);
            undecided.extend(entered.map_err(|smallest| self.too_fine(smallest))?);
        }
        undecided.sort_unstable();
        Ok(undecided)
    }

    /// Does one item of the work, unless the observer has asked to stop.
    fn stepped<R>(&self, work: impl FnOnce() -> R) -> Result<R, SlackError> {
        if self.observer.cancelled() {
            return Err(CheckError::Interrupted.into());
        }
        let done = work();
        self.observer.advance();
        Ok(done)
    }

    /// Returns the room of a part along one of its ways: six shifts, then six turns.
    fn room(&self, part: PartId, start: &AtStart, index: usize) -> Result<Room, SlackError> {
        let way = self.way(part, index);
        let search = RoomSearch::new(self, part, &way);
        for piece in search.pieces() {
            let (id, part) = (part.index(), &self.standing.scene.parts[part.index()]);
            admissible(id, part, piece.lo)?;
            admissible(id, part, piece.hi)?;
        }
        search.room(start).map_err(|smallest| self.too_fine(smallest))
    }

    /// Returns one of the ways of a part.
    fn way(&self, part: PartId, index: usize) -> Way {
        let axis = self.axes(part)[index % 6 / 2] * [1.0, -1.0][index % 2];
        match index < 6 {
            true => Way::shift(axis, self.standing.boxes, part),
            false => Way::turn(axis, self.about(part), &self.standing.boxes[part.index()]),
        }
    }

    fn too_fine(&self, smallest: f64) -> SlackError {
        SlackError::Precision { asked: self.request.precision, smallest }
    }

    /// Returns the axes of a part's ways. An axis that a pose leaves no length is the scene's.
    fn axes(&self, part: PartId) -> [DVec3; 3] {
        let scene = [DVec3::X, DVec3::Y, DVec3::Z];
        match self.request.axes {
            Axes::Scene => scene,
            Axes::Part => {
                let linear = self.standing.scene.parts[part.index()].pose.linear();
                // Not -0.
                array::from_fn(|axis| linear.col(axis).try_normalize().unwrap_or(scene[axis]) + DVec3::ZERO)
            }
        }
    }

    /// Returns the point on the axes of a part's turns.
    fn about(&self, part: PartId) -> DVec3 {
        let Aabb { lo, hi } = self.standing.boxes[part.index()];
        self.request.about.unwrap_or(0.5 * lo + 0.5 * hi)
    }
}

/// Returns all values, or one error: the first that is not about the precision, or else the coarsest
/// precision that any of them needs.
fn all_or_worst<T>(found: Vec<Result<T, SlackError>>) -> Result<Vec<T>, SlackError> {
    let coarseness = |error: &SlackError| match error {
        SlackError::Precision { smallest, .. } => *smallest,
        SlackError::Check(_) => f64::INFINITY,
    };
    let (mut values, mut worst): (Vec<T>, Option<SlackError>) = (Vec::with_capacity(found.len()), None);
    for one in found {
        match one {
            Ok(value) => values.push(value),
            Err(error) if worst.as_ref().is_none_or(|worst| coarseness(worst) < coarseness(&error)) => {
                worst = Some(error);
            }
            Err(_) => {}
        }
    }
    worst.map_or(Ok(values), Err)
}
