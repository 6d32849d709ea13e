//! A step of a world: from the present poses of its bodies to the next ones, with no contact missed between.
//!
//! Candidate pairs are those whose bodies sweep boxes that are near each other. Whether a pair is in contact
//! before and after the step is decided exactly, at the very poses that the caller gave; what happens between
//! is the pair's time of contact.

use std::sync::Arc;

use super::near_pairs::{NearPair, ask_each};
use super::{Bodies, REMOVED, World, WorldBody, WorldError};
use crate::bvh::kind::types::Obb;
use crate::bvh::moving::Shape;
use crate::bvh::sphere_levels::SphereLevels;
use crate::collision_mesh::PoseError;
use crate::narrow::{SLACK, Work};
use crate::query::moving_pair::finer;
use crate::query::pair_sweep::{PairSweep, SweepSearch};
use crate::query::pressed::pressed;
use crate::query::time_of_impact::{self, TimesOfImpact};
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::ids::{BodyId, to_u32};
use closefit_geometry::math::pose::{LARGEST, Pose};
use closefit_geometry::motion::pair::{PairMotion, PlacedPart};
use closefit_geometry::motion::swept::SweptPart;
use closefit_geometry::motion::{FrameId, Frames, Joint, Motion, MotionError};
use closefit_geometry::parallel;
use closefit_geometry::pool::on_threads;

/// The settings of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct AdvanceRequest {
    /// The precision of times of contact, a length: bodies within half of it count as near.
    pub precision: f64,
    /// The number of box and triangle tests after which no further pair is started, in the order of ids; no
    /// limit by default. A pair that was started is finished.
    pub budget: Option<u64>,
}

impl AdvanceRequest {
    /// Sets the precision, a length.
    pub fn precision(self, precision: f64) -> Self {
        Self { precision, ..self }
    }

    /// Sets the number of tests after which no further pair is looked at, or none.
    pub fn budget(self, tests: impl Into<Option<u64>>) -> Self {
        Self { budget: tests.into(), ..self }
    }
}

/// The events of a step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Step {
    /// The contacts that began, ended, or were there only between, ordered by the time of contact, then by
    /// the bodies.
    pub events: Vec<ContactEvent>,
    /// The pairs that were not examined because the budget was spent, sorted.
    pub open: Vec<[BodyId; 2]>,
}

/// A contact that began, ended, or was there only between.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ContactEvent {
    /// The two bodies, the one added first in front.
    pub bodies: [BodyId; 2],
    /// The change of the contact.
    pub change: ContactChange,
    /// The times of contact, from 0 at the present poses to 1 at the next ones.
    pub times: TimesOfImpact,
    /// The precision of the times: the request's, or a finer one if the bodies are close at the start.
    pub precision: f64,
}

/// The change of a contact in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ContactChange {
    /// The bodies are in contact at the end, and not at the start.
    Began,
    /// The bodies are in contact at the start, and not at the end.
    Ended,
    /// The bodies are in contact, or within half the precision, only between.
    Brief,
}

/// The reason why a world refuses a step.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum AdvanceError {
    /// A body was removed, or never added.
    #[error(transparent)]
    World(#[from] WorldError),
    /// A body has two next poses.
    #[error("body {body} is given twice")]
    Twice {
        /// Its index.
        body: usize,
    },
    /// A pose is inadmissible for the body's mesh.
    #[error("body {body}: {error}")]
    Pose {
        /// Its index.
        body: usize,
        /// The reason.
        error: PoseError,
    },
    /// No screw leads from one pose to the other: keyframe 0 is the present pose, keyframe 1 the next one.
    #[error("body {body}: {error}")]
    Motion {
        /// Its index.
        body: usize,
        /// The reason.
        error: MotionError,
    },
    /// A vertex may move beyond 2^200.
    #[error("body {body}: the step may take a vertex beyond 2^200")]
    OutOfRange {
        /// The index of its body.
        body: usize,
    },
    /// The precision is not a length above 0.
    #[error("the precision is {precision}, and must be a finite number above 0")]
    Precision {
        /// The precision.
        precision: f64,
    },
    /// Time in f64 cannot be divided so finely.
    #[error("bodies {} and {}: the precision is too fine for f64 here: the smallest possible is about {smallest:e}",
        .bodies[0], .bodies[1])]
    TooFine {
        /// The indices of the two bodies.
        bodies: [usize; 2],
        /// The approximate smallest possible precision.
        smallest: f64,
    },
}

impl World<Obb> {
    /// Moves bodies to their next poses and returns the contacts that began, ended, or were there only
    /// between. Other bodies stay where they are.
    ///
    /// Each body moves by the [screw](Motion::screw) between its two poses, over the times 0 to 1. A pair is
    /// in contact before or after the step exactly if [`World::intersecting`] finds it there. Its times of
    /// contact equal the result of [`time_of_impact`](crate::time_of_impact()) for the two screws. If two
    /// bodies start closer than half the precision, but not in contact, the precision is halved until the gap
    /// shows. A pair that is in contact both before and after the step produces no event.
    ///
    /// The budget counts tests, so the pairs that it leaves open do not depend on machine or threads.
    ///
    /// ```
    /// use closefit::{AdvanceRequest, CollisionMesh, ContactChange, DVec3, Pose, World};
    ///
    /// let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    /// let mesh = CollisionMesh::new(&corners, &[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])?;
    /// let mut world = World::default();
    /// let wall = world.add_fixed(&mesh, &Pose::IDENTITY)?;
    /// let bullet = world.add(&mesh, &Pose::translation([5.0, 0.0, 0.0]))?;
    ///
    /// // It passes through the wall within one step.
    /// let next = [(bullet, Pose::translation([-5.0, 0.0, 0.0]))];
    /// let step = world.advance(&next, &AdvanceRequest::default().precision(1e-6))?;
    /// let event = step.events[0];
    /// assert_eq!((event.bodies, event.change), ([wall, bullet], ContactChange::Brief));
    /// assert!(event.times.first.after < 0.4 && 0.4 < event.times.first.before + 1e-6);
    /// assert!(world.intersecting().is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`AdvanceError`]; all bodies then stay where they were.
    pub fn advance(
        &mut self,
        next: &[(BodyId, Pose)],
        request: &AdvanceRequest,
    ) -> Result<Step, AdvanceError> {
        let AdvanceRequest { precision, budget } = *request;
        if !(precision > 0.0 && precision.is_finite()) {
            return Err(AdvanceError::Precision { precision });
        }
        let moves = Moves::new(&self.bodies, next)?;
        let swept = moves.swept(&self.bodies)?;
        let before = self.bodies.sweep(&moves, &swept);
        self.changed();
        // Distances up to half the precision are near, and may have been rounded to it.
        self.stepping.find(&mut self.bodies, 0.5 * precision * SLACK);
        let found = self.search(&moves, precision, budget);
        self.bodies.undo_sweep(&moves, before);
        self.changed();
        let step = found?;
        for (id, pose) in &moves.next {
            self.set_pose(*id, pose)?;
        }
        Ok(step)
    }

    /// Answers the candidate pairs.
    fn search(&mut self, moves: &Moves, precision: f64, budget: Option<u64>) -> Result<Step, AdvanceError> {
        let Self { bodies, stepping, steps, .. } = self;
        let is_spent = |tests: u64| budget.is_some_and(|most| tests >= most);
        let wave = if budget.is_some() { WAVE } else { usize::MAX };
        let (mut step, mut tests, mut answered) = (Step::default(), 0, 0);
        'waves: for pairs in stepping.pairs.chunks_mut(wave) {
            if is_spent(tests) {
                break;
            }
            for found in ask_each(pairs, |pair| moves.ask(bodies, pair, precision)) {
                if is_spent(tests) {
                    break 'waves;
                }
                let Answer { event, on_contact, on_motion } = found?;
                tests += on_contact + counted(&on_motion);
                *steps += on_motion;
                step.events.extend(event);
                answered += 1;
            }
        }
        stepping.asked += answered as u64;
        step.open = stepping.pairs[answered..].iter().map(|pair| pair.bodies).collect();
        step.events.sort_unstable_by(|a, b| {
            let [one, other] = [a, b].map(|event| event.times.first);
            let by_time = one.after.total_cmp(&other.after).then(one.before.total_cmp(&other.before));
            by_time.then(a.bodies.cmp(&b.bodies))
        });
        Ok(step)
    }
}

/// The number of pairs that are begun together while there is a budget. What is answered beyond it is thrown
/// away, so that the number of threads does not count.
const WAVE: usize = 64;

/// Returns the number of tests, as a budget counts them.
fn counted(work: &Work) -> u64 {
    work.box_tests + work.discrete_tests + work.triangle_tests
}

/// The event of a pair, and the work that it took.
struct Answer {
    event: Option<ContactEvent>,
    /// The number of tests of contact before and after the step.
    on_contact: u64,
    /// The work of the search between.
    on_motion: Work,
}

/// The bodies that move in a step.
struct Moves {
    /// Their next poses, sorted by their ids.
    next: Vec<(BodyId, Pose)>,
    /// A frame for each, in the same order.
    frames: Frames,
}

impl Moves {
    fn new(bodies: &Bodies<Obb>, next: &[(BodyId, Pose)]) -> Result<Self, AdvanceError> {
        let mut next = next.to_vec();
        next.sort_by_key(|(id, _)| *id);
        if let Some(twice) = next.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            return Err(AdvanceError::Twice { body: twice[0].0.index() });
        }
        let mut moves = Self { next: Vec::with_capacity(next.len()), frames: Frames::default() };
        for (id, pose) in next {
            let (body, index) = (bodies.get(id)?, id.index());
            body.tree.check(&pose).map_err(|error| AdvanceError::Pose { body: index, error })?;
            if pose == body.pose {
                continue;
            }
            let motion = Motion::screw(&body.pose, &pose);
            let motion = motion.map_err(|error| AdvanceError::Motion { body: index, error })?;
            moves.frames.add(None, Joint::Moving(motion));
            moves.next.push((id, pose));
        }
        Ok(moves)
    }

    /// Returns the place of a body among those that move.
    fn place(&self, id: BodyId) -> Option<usize> {
        self.next.binary_search_by_key(&id, |(id, _)| *id).ok()
    }

    fn placed(&self, body: &WorldBody<Obb>, place: Option<usize>) -> PlacedPart {
        let frame = place.map(|place| FrameId(to_u32(place)));
        PlacedPart { pose: body.pose, frame, ..body.tree.solid().placed }
    }

    /// Returns a box around all that each body sweeps, its present and its next pose included.
    fn swept(&self, bodies: &Bodies<Obb>) -> Result<Vec<Aabb>, AdvanceError> {
        let of = |place: usize| {
            let (id, next) = &self.next[place];
            let body = bodies.body(*id);
            let part =
                SweptPart::new(&self.frames, self.placed(body, Some(place)), &body.tree.solid().bounds);
            let between = part.over(0.0, 1.0);
            let farthest = between.lo.abs().max(between.hi.abs()).max_element();
            if farthest.is_nan() || farthest > LARGEST {
                return Err(AdvanceError::OutOfRange { body: id.index() });
            }
            Ok(between.union(body.bounds).union(body.tree.posed(next).bounds_of(bodies.bounds)))
        };
        on_threads(|| parallel::map(self.next.len(), parallel::SMALL, of)).into_iter().collect()
    }

    /// Answers a pair.
    fn ask(
        &self,
        bodies: &Bodies<Obb>,
        NearPair { bodies: ids, memory }: &mut NearPair<Obb>,
        precision: f64,
    ) -> Result<Answer, AdvanceError> {
        let pair = ids.map(|id| bodies.body(id));
        let places = ids.map(|id| self.place(id));
        let mut answer = Answer { event: None, on_contact: 0, on_motion: Work::NONE };
        if places == [None; 2] {
            return Ok(answer);
        }
        let known = counted(&memory.work().tests);
        let [a, b] = pair.map(WorldBody::posed);
        let at_start = memory.intersects(&a, &b);
        let [a, b] = [0, 1].map(|side| {
            let next = places[side].map_or(&pair[side].pose, |place| &self.next[place].1);
            pair[side].tree.posed(next)
        });
        let at_end = memory.intersects(&a, &b);
        answer.on_contact = counted(&memory.work().tests) - known;
        if at_start && at_end {
            return Ok(answer);
        }
        let motion = PairMotion::new(&self.frames, [0, 1].map(|side| self.placed(pair[side], places[side])));
        let shapes = pair.map(|body| Shape { mesh: body.tree.mesh(), model: &body.tree.solid().model });
        let sweep = PairSweep::new(&shapes, &motion, [0.0, 1.0], precision)
            .map_err(|smallest| AdvanceError::TooFine { bodies: ids.map(BodyId::index), smallest })?;
        let mut searched = sweep.searched();
        let finer = if at_start { None } else { finer(&sweep, 0.0, &mut searched.work.continuous) };
        let asked = precision;
        let (precision, sweep) = finer.unwrap_or((precision, sweep));
        let times = time_of_impact::contacts(&sweep, &mut searched);
        let event = |change, times| ContactEvent { bodies: *ids, change, times, precision };
        answer.event = match [at_start, at_end] {
            [false, true] => Some(event(ContactChange::Began, times.expect(SEEN))),
            [true, _] => Some(event(ContactChange::Ended, times.expect(SEEN))),
            [false, false] => {
                let mut is_later = |times: &TimesOfImpact| {
                    !times.at_start || times.again.is_some() || meet(&sweep, times, asked, &mut searched)
                };
                times.filter(&mut is_later).map(|times| event(ContactChange::Brief, times))
            }
        };
        answer.on_motion = searched.work.continuous.tests;
        answer.on_motion += searched.work.depth.tests;
        Ok(answer)
    }
}

/// False if two bodies, whose gap at the start is too small for f64 to tell from a contact at any later time,
/// are never pressed into each other by more than the precision before they part.
fn meet(sweep: &PairSweep, times: &TimesOfImpact, precision: f64, searched: &mut SweepSearch) -> bool {
    let until = times.parted.unwrap_or(sweep.to());
    let found = pressed(sweep, [sweep.from(), until], precision, searched);
    !found.is_ok_and(|pressed| pressed.at_least == 0.0 && pressed.at_most <= precision)
}

/// A contact at the start is near there. One at the end is near in the middle of the last cell, in which
/// nothing moves farther than half the precision, or there is a jump at the end, at which it is near.
const SEEN: &str = "a contact at either end is near";

/// The box and the spheres of a body before a step.
struct Before {
    bounds: Aabb,
    spheres: Option<Arc<SphereLevels>>,
}

impl Bodies<Obb> {
    /// Replaces the boxes of moving bodies by the boxes that they sweep, and removes their spheres, which
    /// hold for one pose only.
    fn sweep(&mut self, moves: &Moves, swept: &[Aabb]) -> Vec<Before> {
        let swept = moves.next.iter().zip(swept);
        swept
            .map(|(&(id, _), &around)| {
                let spheres = self.all[id.index()].as_mut().expect(REMOVED).spheres.take();
                let before = Before { bounds: self.body(id).bounds, spheres };
                self.set_bounds(id, around);
                before
            })
            .collect()
    }

    /// Gives bodies their own boxes and spheres back.
    fn undo_sweep(&mut self, moves: &Moves, before: Vec<Before>) {
        for (&(id, _), Before { bounds, spheres }) in moves.next.iter().zip(before) {
            self.set_bounds(id, bounds);
            self.all[id.index()].as_mut().expect(REMOVED).spheres = spheres;
        }
    }
}
