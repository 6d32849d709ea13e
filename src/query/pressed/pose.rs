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
    /// False if the search for it ended early, with a wider bracket than asked.
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
            is_complete: !found.ended_early,
        });
        let is_known = open.is_none() && doubt.is_none() && depth.is_some();
        Known { depth, unknown: if is_known { None } else { depth_unknown(open, doubt, found) } }
    })
}
