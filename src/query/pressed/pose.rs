//! The depth of a pair at one pose.

use glam::DVec3;

use crate::bvh::static_pair::StaticPair;
use crate::query::Containment;
use crate::query::containment::containment;
use crate::query::depth::{Deepest, DepthQuestion};
use crate::query::pair::{depth_unknown, known_depth};
use crate::query::stage_work::StageWork;
use crate::query::unknown::open_where_they_overlap;

/// The depth at a pose.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct AtPose {
    pub at_least: f64,
    pub at_most: f64,
    /// The part (0 or 1) whose deepest point was found, and the way on which it leaves the other.
    pub way: Option<(usize, DVec3)>,
    /// That point.
    pub deepest: Option<Deepest>,
    /// False if the search for it ended early, with a wider bracket than requested.
    pub is_complete: bool,
}

/// The depth at a pose, as far as it is known.
pub(super) struct Known {
    /// The depth, of closed components.
    pub depth: Option<AtPose>,
    /// The reason why that is not the whole depth, or why there is none.
    pub unknown: Option<String>,
}

impl Known {
    fn apart() -> Self {
        Self { depth: Some(AtPose { is_complete: true, ..AtPose::default() }), unknown: None }
    }
}

/// Returns the depth of a pair as it stands. Open shells count as the tolerance says, which is no part of
/// the question.
pub(super) fn at_pose(
    pair: &dyn StaticPair,
    question: DepthQuestion,
    tolerance: f64,
    work: &mut StageWork,
) -> Known {
    let [a, b] = pair.bodies();
    let contacts = work.contacts.on(|work| pair.contacts(work));
    if contacts.is_empty() {
        match work.containment.ask(|| containment(a, b, tolerance)) {
            Containment::None => return Known::apart(),
            Containment::Undecidable(why) => return Known { depth: None, unknown: Some(why) },
            Containment::AInB | Containment::BInA => {}
        }
    }
    work.depth.ask(|| {
        let has_solid = a.has_solid() || b.has_solid();
        let open = if contacts.is_empty() { None } else { open_where_they_overlap(a, b, tolerance) };
        let (found, doubt) =
            if has_solid { known_depth(pair, &contacts, question, tolerance) } else { (None, None) };
        let depth = found.map(|found| AtPose {
            at_least: found.at_least,
            at_most: found.at_most,
            way: found.deepest.map(|deepest: Deepest| {
                (deepest.on, deepest.nearest(pair.bodies()[1 - deepest.on]) - deepest.point)
            }),
            deepest: found.deepest,
            is_complete: !found.ended_early,
        });
        let is_known = open.is_none() && doubt.is_none() && depth.is_some();
        Known { depth, unknown: if is_known { None } else { depth_unknown(open, doubt, found) } }
    })
}

/// True only if no depth of a pair exceeds a length, because it is free once one part (0 or 1) has moved
/// along a way by no more: then each point that was in a solid has been met by the solid's surface, or has
/// met it itself.
pub(super) fn comes_free(
    pair: &dyn StaticPair,
    side: usize,
    way: DVec3,
    length: f64,
    tolerance: f64,
    work: &mut StageWork,
) -> bool {
    let bodies = pair.bodies();
    if bodies.iter().any(|body| body.has_incomplete_solid() || !body.seam_triangles().is_empty()) {
        return false;
    }
    let Some(way) = way.try_normalize() else { return false };
    // The step is rounded, and so are the posed vertices, before and after.
    let largest = bodies.map(|body| body.bounds().lo.abs().max(body.bounds().hi.abs()).max_element());
    let rounding =
        4.0 * bodies[side].rounding() + 64.0 * f64::EPSILON * (largest[0].max(largest[1]) + length);
    let step = length * (1.0 - 16.0 * f64::EPSILON) - rounding;
    step > 0.0
        && pair.ask_after(side, way * step, |moved| {
            let [a, b] = moved.bodies();
            !work.contacts.on(|work| moved.touches(work))
                && work.containment.ask(|| containment(a, b, tolerance)) == Containment::None
        })
}
