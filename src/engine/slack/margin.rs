//! The part nearest to a part: the worst case of all shifts.

use super::Slack;
use super::start::{NeighbourAtStart, StartState};
use crate::narrow::Work;
use closefit_geometry::ids::PartId;

/// The part nearest to a part, beyond the clearance of the two.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Margin {
    /// The nearest part: the one with the least `shift`, in a tie with the least distance, then the lowest
    /// id.
    pub part: PartId,
    /// Its distance; 0 in contact.
    pub distance: f64,
    /// The distance less the clearance, 0 if that is negative or one of the two lies inside the other. No
    /// shift that is shorter, in whatever direction, brings the part nearer than the clearance to any part.
    pub shift: f64,
}

impl Margin {
    fn rank(&self) -> (f64, f64, PartId) {
        (self.shift, self.distance, self.part)
    }
}

/// Returns the margin of a part. `near` has its neighbours that are too near. `None` if the part is checked
/// against no other.
pub(super) fn margin(slack: &Slack, part: PartId, near: &[NeighbourAtStart]) -> Option<Margin> {
    let boxes = slack.standing.boxes;
    let asked = slack.standing.asked_against(part).map(|(other, lengths)| {
        let [clearance, _] = slack.lengths([part, other], lengths);
        // The gap is rounded once.
        let gap = boxes[part.index()].axis_gap(&boxes[other.index()]).max(0.0) * (1.0 - f64::EPSILON);
        ((gap - clearance).max(0.0), other, clearance)
    });
    let mut asked: Vec<(f64, PartId, f64)> = asked.collect();
    asked.sort_unstable_by(|(a, i, _), (b, j, _)| a.total_cmp(b).then(i.cmp(j)));
    let mut best: Option<Margin> = None;
    for (at_least, other, clearance) in asked {
        let bound = best.map_or(f64::INFINITY, |best| best.shift);
        if at_least > bound {
            break;
        }
        let is_inside = near.iter().any(|n| n.part == other && n.state == StartState::Contained);
        let distance = slack.standing.ask([part, other], |pair| {
            let work = &mut Work::default();
            // Rounded up: a distance at the bound ties.
            let bound = if is_inside { f64::INFINITY } else { (bound + clearance).next_up() };
            match pair.touches(work) {
                true => Some(0.0),
                false => pair.nearest(bound, work).map(|nearest| nearest.distance),
            }
        });
        let found = distance.map(|distance| {
            let shift = if is_inside { 0.0 } else { (distance - clearance).max(0.0) };
            Margin { part: other, distance, shift }
        });
        best = best.into_iter().chain(found).min_by(|a, b| a.rank().partial_cmp(&b.rank()).expect("numbers"));
    }
    best
}
