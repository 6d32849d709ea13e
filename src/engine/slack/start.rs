//! The neighbours of a part that are too near already before it moves, and the distance that it keeps from
//! them.
//!
//! A part that rests on another would have no room at all, although it can slide. So a short step first
//! takes the part off a neighbour that it touches, in the one of 26 directions that leaves the two farthest
//! apart. As long as the part that was taken off stays clear, the part itself overlaps the neighbour by no
//! more than the step, since the step parts them. A neighbour that no such step parts overlaps the part, or
//! holds it on all sides: it leaves no room. To a neighbour that is apart, but nearer than the clearance,
//! the part may come no nearer than it is.

use glam::DVec3;

use super::super::CheckError;
use super::super::pair_request::sum;
use super::super::posed::admissible;
use super::Slack;
use super::margin::{Margin, margin};
use crate::broad::apart;
use crate::bvh::static_pair::StaticPair;
use crate::narrow::Work;
use crate::query::Containment;
use crate::query::containment::containment;
use crate::query::separation::axes_first;
use closefit_geometry::ids::PartId;
use closefit_geometry::scene::pair_rules::Lengths;

/// A neighbour that is nearer than the clearance already.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NeighbourAtStart {
    /// The neighbour.
    pub part: PartId,
    /// The distance of the surfaces; 0 in contact.
    pub distance: f64,
    /// The way in which it is near.
    pub state: StartState,
}

/// The way in which a neighbour is near before the part moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StartState {
    /// It is apart: the part may come no nearer than it is.
    Near,
    /// It touches the part, which is taken off it by this step.
    Touching {
        /// The step.
        step: DVec3,
    },
    /// No short step parts it from the part: it leaves no room.
    Overlapping,
    /// One of the two lies inside the other: it leaves no room.
    Contained,
}

/// The distance that a part keeps from a neighbour.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Kept {
    /// The part is stopped where it comes this near.
    pub near: f64,
    /// The step by which the part is taken off first.
    pub step: DVec3,
}

/// The surroundings of a part before it moves.
pub(super) struct AtStart {
    /// The number of parts that it is checked against.
    pub asked: u64,
    pub margin: Option<Margin>,
    /// The neighbours that are nearer than the clearance already, in the order of their ids.
    pub neighbours: Vec<NeighbourAtStart>,
    /// The neighbours that may hold the part, or it them: it is not known.
    pub undecided: Vec<PartId>,
}

impl AtStart {
    /// Looks at all neighbours of a part.
    ///
    /// # Errors
    /// [`CheckError::OutOfRange`] if a step off a neighbour takes the part out of range.
    pub fn of(slack: &Slack, part: PartId) -> Result<Self, CheckError> {
        let (mut asked, mut neighbours, mut undecided) = (0, Vec::new(), Vec::new());
        for (other, lengths) in slack.standing.asked_against(part) {
            asked += 1;
            let found = slack.at_start([part, other], lengths)?;
            neighbours.extend(found.neighbour);
            undecided.extend(found.may_be_inside.then_some(other));
        }
        Ok(Self { asked, margin: margin(slack, part, &neighbours), neighbours, undecided })
    }

    /// Returns what is known of a neighbour, if it is too near.
    pub fn neighbour(&self, part: PartId) -> Option<&NeighbourAtStart> {
        let at = self.neighbours.binary_search_by_key(&part, |neighbour| neighbour.part);
        at.ok().map(|at| &self.neighbours[at])
    }
}

/// A pair before the part moves.
struct FoundAtStart {
    neighbour: Option<NeighbourAtStart>,
    may_be_inside: bool,
}

impl Slack<'_> {
    /// Returns the clearance and the tolerance of a pair. The clearance is larger where the true surfaces may
    /// be nearer to each other than the meshes.
    pub(super) fn lengths(&self, pair: [PartId; 2], lengths: Lengths) -> [f64; 2] {
        let Lengths { clearance, tolerance } = lengths;
        let clearance = clearance.unwrap_or(self.request.clearance);
        let chords = self.standing.scene.chords(pair);
        [sum(clearance, chords), tolerance.unwrap_or(self.request.tolerance)]
    }

    /// Returns the distance up to which two parts count as touching.
    fn touching(&self) -> f64 {
        2.0 * self.request.precision
    }

    fn at_start(&self, [part, other]: [PartId; 2], lengths: Lengths) -> Result<FoundAtStart, CheckError> {
        let [clearance, tolerance] = self.lengths([part, other], lengths);
        let boxes = [part, other].map(|id| &self.standing.boxes[id.index()]);
        let near = self.near(clearance);
        let reach = near.max(self.touching());
        if apart(boxes[0], boxes[1], reach) {
            return Ok(FoundAtStart { neighbour: None, may_be_inside: false });
        }
        self.standing.ask([part, other], |pair| {
            let work = &mut Work::default();
            let told = |distance, state| Some(NeighbourAtStart { part: other, distance, state });
            if pair.touches(work) {
                let state = self.taken_off(part, pair, tolerance)?;
                return Ok(FoundAtStart { neighbour: told(0.0, state), may_be_inside: false });
            }
            let [a, b] = pair.bodies();
            let inside = containment(a, b, tolerance);
            let is_inside = matches!(inside, Containment::AInB | Containment::BInA);
            let distance = pair.nearest(if is_inside { f64::INFINITY } else { reach }, work);
            let neighbour = match distance.map(|nearest| nearest.distance) {
                Some(distance) if is_inside => told(distance, StartState::Contained),
                Some(distance) if distance <= self.touching() => {
                    told(distance, self.taken_off(part, pair, tolerance)?)
                }
                Some(distance) if distance <= near => told(distance, StartState::Near),
                _ => None,
            };
            Ok(FoundAtStart { neighbour, may_be_inside: matches!(inside, Containment::Undecidable(_)) })
        })
    }

    /// Returns the distance at which a part is stopped by a neighbour with this clearance: until then it was
    /// farther away than the clearance.
    fn near(&self, clearance: f64) -> f64 {
        clearance + 0.5 * self.request.precision
    }

    /// Takes the first part of a pair off the second, if a short step does.
    fn taken_off(
        &self,
        part: PartId,
        pair: &dyn StaticPair,
        tolerance: f64,
    ) -> Result<StartState, CheckError> {
        let length = 2.0 * (self.request.precision + tolerance);
        let (index, bounds) = (part.index(), &self.standing.boxes[part.index()]);
        for farthest in [bounds.lo - length, bounds.hi + length] {
            admissible(index, &self.standing.scene.parts[index], farthest)?;
        }
        let distance = |step: DVec3| {
            pair.ask_after(0, step, |pair| {
                let work = &mut Work::default();
                let is_apart = !pair.touches(work);
                is_apart.then(|| pair.nearest(f64::INFINITY, work).map_or(0.0, |nearest| nearest.distance))
            })
        };
        let steps = axes_first().map(|way| way * length + DVec3::ZERO);
        let mut steps: Vec<(f64, DVec3)> =
            steps.filter_map(|step| distance(step).map(|distance| (distance, step))).collect();
        steps.retain(|(distance, _)| *distance >= self.request.precision);
        // Of equal distances the first direction stays first.
        steps.sort_by(|(a, _), (b, _)| b.total_cmp(a));
        let is_outside = |step: DVec3| {
            pair.ask_after(0, step, |pair| {
                let [a, b] = pair.bodies();
                !matches!(containment(a, b, tolerance), Containment::AInB | Containment::BInA)
            })
        };
        Ok(match steps.into_iter().find(|&(_, step)| is_outside(step)) {
            Some((_, step)) => StartState::Touching { step },
            None => StartState::Overlapping,
        })
    }

    /// Returns the distance that a part keeps from a neighbour, in that state at the start if it is too near;
    /// `None` if the neighbour leaves it no room.
    pub(super) fn kept(
        &self,
        pair: [PartId; 2],
        lengths: Lengths,
        start: Option<&NeighbourAtStart>,
    ) -> Option<Kept> {
        let half = 0.5 * self.request.precision;
        let [clearance, _] = self.lengths(pair, lengths);
        match start.map(|start| (start.state, start.distance)) {
            None => Some(Kept { near: self.near(clearance), step: DVec3::ZERO }),
            Some((StartState::Near, distance)) => Some(Kept { near: distance - half, step: DVec3::ZERO }),
            Some((StartState::Touching { step }, _)) => Some(Kept { near: half, step }),
            Some((StartState::Overlapping | StartState::Contained, _)) => None,
        }
    }
}
