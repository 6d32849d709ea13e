//! Two parts without solids while they are in contact. They have no depth, but they may come to cross.
//!
//! Stretches of time are halved, long ones first. A stretch is passed if the parts are apart throughout, or
//! if they move by no more than the tolerance or the precision from where they are at its middle. What their
//! verdict is at the middles decides. If too many stretches are left, they may cross in one of these.

use std::collections::VecDeque;

use super::node::{Node, cover};
use crate::query::Verdict;
use crate::query::pair_sweep::{PairSweep, SweepSearch};
use crate::query::stage_work::StageWork;
use closefit_geometry::motion::cells::FINEST;

/// Largest number of poses at which the verdict is found.
const MOST_POSES: u32 = 1 << 8;

/// Returns the worst verdict of a pair from one time to another, given the verdict of a pose: no better than
/// contact, and undecided where it is not known throughout.
pub fn worst(
    sweep: &PairSweep,
    within: [f64; 2],
    tolerance: f64,
    searched: &mut SweepSearch,
    standing: impl Fn(f64, &mut StageWork) -> Verdict,
) -> Verdict {
    let enough = tolerance.max(2.0 * sweep.unit());
    let mut waiting = VecDeque::from(cover(sweep, within));
    let (mut worst, mut poses) = (Verdict::Contact, 0);
    while let Some(Node { span, stretch, .. }) = waiting.pop_front() {
        let moment = sweep.around(span, stretch);
        let moved = moment.speed * moment.half + moment.slack;
        let work = &mut searched.work;
        if !sweep.moving(span).is_within(moment.time, moved, &mut work.continuous) {
            continue;
        }
        if poses == MOST_POSES {
            return worst.min(Verdict::Undecided);
        }
        poses += 1;
        worst = worst.min(standing(moment.time, work));
        if worst == Verdict::Clash {
            break;
        }
        if moved > enough && stretch.level < FINEST {
            let halves = stretch.halves();
            waiting.extend(halves.map(|stretch| Node {
                bound: f64::INFINITY,
                span,
                stretch,
                is_asked: false,
            }));
        }
    }
    worst
}
