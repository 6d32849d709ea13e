//! The decision of one pair of moving parts, in the order of the contract's verdicts.

use glam::DVec3;

use super::clearance::{Clearance, clearance};
use super::containment::containment;
use super::entering::entered;
use super::intervals::{Intervals, entered_apart};
use super::pair_sweep::{PairSweep, SweepSearch};
use super::stage_work::StageWork;
use super::time_of_contact::{TimeOfContact, TimesOfContact, contacts};
use super::touch::touch;
use super::{CheckRequest, Containment, Verdict, pair};
use crate::broad::method::BroadPhase;
use crate::continuous::method::Method;
use crate::hierarchy::strategy::Strategy;
use closefit_geometry::hull::filter::HullFilter;
use closefit_geometry::ids::PartId;
use closefit_geometry::mesh::topology::Winding;

/// The settings of a sweep: the questions to decide for every pair of moving parts. Lengths are in scene
/// units, times in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct SweepRequest {
    /// Pairs that may come this close are listed; 0 or more.
    pub clearance: f64,
    /// Overlap up to this depth is contact, not clash, for parts in contact at the start; 0 or more.
    pub tolerance: f64,
    /// The largest width of the brackets of distances.
    pub precision: f64,
    /// The start of the sweep.
    pub from: f64,
    /// The end of the sweep, later than `from`.
    pub to: f64,
    /// The kind of tree, and the executor of its kernels. No answer depends on it.
    pub strategy: Strategy,
    /// The broad phase, which finds the candidate pairs. No answer depends on it.
    pub broad: BroadPhase,
    /// The filter by convex hulls. No answer depends on it.
    pub hull: HullFilter,
    /// Repair the winding and seams of meshes first, or take them as they are.
    pub winding: Winding,
    /// The method of the search over time. No answer depends on it.
    pub method: Method,
    /// True to find all intervals in which a listed pair is in contact, or within its clearance.
    pub intervals: bool,
    /// The largest number of cells into which the precision may cut the motion of a pair, or none. A motion
    /// with more is refused before any pair is searched, since that might take long.
    pub most_cells: Option<u64>,
    /// The limit of memory in bytes, or none. A run that would take more ends with an error.
    pub memory: Option<u64>,
}

impl SweepRequest {
    /// Sets the clearance: pairs that may come this close are listed.
    pub fn clearance(self, clearance: f64) -> Self {
        Self { clearance, ..self }
    }

    /// Sets the tolerance: overlap up to this depth at the start is contact.
    pub fn tolerance(self, tolerance: f64) -> Self {
        Self { tolerance, ..self }
    }

    /// Sets the precision: the largest width of the brackets of distances.
    pub fn precision(self, precision: f64) -> Self {
        Self { precision, ..self }
    }

    /// Sets the start and the end, in seconds.
    pub fn between(self, from: f64, to: f64) -> Self {
        Self { from, to, ..self }
    }

    /// Finds all intervals in which a listed pair is in contact, or within its clearance.
    pub fn with_intervals(self) -> Self {
        Self { intervals: true, ..self }
    }

    /// Sets the largest number of cells into which the precision may cut the motion of a pair, or none.
    pub fn most_cells(self, most: impl Into<Option<u64>>) -> Self {
        Self { most_cells: most.into(), ..self }
    }

    /// Sets the limit of memory, in bytes, or none.
    pub fn memory(self, limit: impl Into<Option<u64>>) -> Self {
        Self { memory: limit.into(), ..self }
    }

    /// Sets the kind of tree and the executor of its kernels.
    pub fn strategy(self, strategy: Strategy) -> Self {
        Self { strategy, ..self }
    }

    /// Sets the broad phase, which finds the candidate pairs.
    pub fn broad(self, broad: BroadPhase) -> Self {
        Self { broad, ..self }
    }

    /// Sets the filter by convex hulls.
    pub fn hull(self, hull: HullFilter) -> Self {
        Self { hull, ..self }
    }

    /// Sets the winding: repaired meshes, or meshes as they are.
    pub fn winding(self, winding: Winding) -> Self {
        Self { winding, ..self }
    }

    /// Sets the method of the search over time.
    pub fn method(self, method: Method) -> Self {
        Self { method, ..self }
    }
}

/// The record of one pair over a motion.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MovingPairRecord {
    /// The two parts, the lower id first.
    pub ids: [PartId; 2],
    /// The verdict.
    pub verdict: Verdict,
    /// The first time of contact.
    pub time_of_contact: Option<TimeOfContact>,
    /// True if they are in contact from the start.
    pub start_contact: bool,
    /// The next time of contact after they have parted, if they are in contact from the start.
    pub again: Option<TimeOfContact>,
    /// The smallest distance; `None` for a clear pair, which is not listed.
    pub clearance: Option<Clearance>,
    /// The point midway between the closest points at the time of the smallest distance, if they never meet.
    pub closest: Option<DVec3>,
    /// Containment without contact: in a closed part at the start or after a jump, since it lasts until the
    /// next jump; in an open part at any time.
    pub contained: Containment,
    /// The reason why the depth at the start is unknown, if the verdict is that of the start.
    pub depth_unknown: Option<String>,
    /// All intervals of contact, and within the clearance, if they were asked for.
    pub intervals: Option<Box<Intervals>>,
}

impl MovingPairRecord {
    /// The record of a pair that was not decided, for a reason: nothing is known of it.
    pub(crate) fn undecided(ids: [PartId; 2], why: &str) -> Self {
        Self {
            ids,
            verdict: Verdict::Undecided,
            time_of_contact: None,
            start_contact: false,
            again: None,
            clearance: None,
            closest: None,
            contained: Containment::Undecidable(why.to_owned()),
            depth_unknown: None,
            intervals: None,
        }
    }

    /// Returns one place of what was found: the point of contact, of the next one if they begin in contact
    /// and meet again; else the middle of the closest points.
    pub fn place(&self) -> Option<DVec3> {
        self.again.or(self.time_of_contact).map(|found| found.touch.point).or(self.closest)
    }
}

/// Decides a pair over its motion.
pub fn decide(
    ids: [PartId; 2],
    sweep: &PairSweep,
    request: &SweepRequest,
    searched: &mut SweepSearch,
) -> MovingPairRecord {
    match contacts(sweep, searched) {
        Some(found) => meeting(ids, sweep, request, &found, searched),
        None => apart(ids, sweep, request, searched),
    }
}

fn meeting(
    ids: [PartId; 2],
    sweep: &PairSweep,
    request: &SweepRequest,
    found: &TimesOfContact,
    searched: &mut SweepSearch,
) -> MovingPairRecord {
    let &TimesOfContact { first, at_start, again } = found;
    let (mut verdict, mut contained, depth_unknown) = if at_start && again.is_none() {
        started_together(ids, sweep, request, &mut searched.work)
    } else {
        (Verdict::Clash, Containment::None, None)
    };
    if verdict != Verdict::Clash && contained == Containment::None {
        contained = entered_apart(sweep, request.tolerance, searched);
        verdict = verdict.min(verdict_of(&contained));
    }
    MovingPairRecord {
        ids,
        verdict,
        time_of_contact: Some(first),
        start_contact: at_start,
        again,
        clearance: Some(Clearance::in_contact(&first)),
        closest: None,
        contained,
        depth_unknown,
        intervals: None,
    }
}

/// Returns the verdict of parts that are in contact at the start and, once parted, never again: the verdict
/// at the start, and no better than `clearance`, since they come that close.
fn started_together(
    ids: [PartId; 2],
    sweep: &PairSweep,
    request: &SweepRequest,
    work: &mut StageWork,
) -> (Verdict, Containment, Option<String>) {
    let request = CheckRequest::default()
        .clearance(request.clearance)
        .tolerance(request.tolerance)
        .strategy(request.strategy)
        .winding(request.winding);
    let standing = sweep.ask_at(sweep.from(), |pair| pair::decide(ids, pair, &request, work));
    let contained = match standing.contained {
        Containment::None => {
            let StageWork { containment, continuous, .. } = work;
            let jumps = sweep.jumps().iter().copied();
            let apart = jumps.filter(|&time| !sweep.is_near(time, continuous));
            containment.ask(|| inside(sweep, apart, request.tolerance))
        }
        known => known,
    };
    let verdict = standing.verdict.min(verdict_of(&contained)).min(Verdict::Clearance);
    (verdict, contained, standing.depth_unknown)
}

fn apart(
    ids: [PartId; 2],
    sweep: &PairSweep,
    request: &SweepRequest,
    searched: &mut SweepSearch,
) -> MovingPairRecord {
    let times = std::iter::once(sweep.from()).chain(sweep.jumps().iter().copied());
    let contained = searched.work.containment.ask(|| match inside(sweep, times, request.tolerance) {
        Containment::None => entered(sweep, [sweep.from(), sweep.to()], request.tolerance),
        known => known,
    });
    // A contained or undecidable pair is listed at any distance.
    let limit = if contained == Containment::None { request.clearance } else { f64::INFINITY };
    let clearance = clearance(sweep, limit, searched);
    let closest = clearance.and_then(|found| {
        touch(sweep, found.at, found.at_most.next_up(), &mut searched.work.continuous)
            .map(|touch| touch.point)
    });
    let verdict = if clearance.is_some() { Verdict::Clearance } else { Verdict::Clear };
    MovingPairRecord {
        ids,
        verdict: verdict.min(verdict_of(&contained)),
        time_of_contact: None,
        start_contact: false,
        again: None,
        clearance,
        closest,
        contained,
        depth_unknown: None,
        intervals: None,
    }
}

/// Returns the containment at any of these times, at which the parts are not near. The first time with a
/// certain answer decides; otherwise the first undecidable one.
fn inside(sweep: &PairSweep, times: impl Iterator<Item = f64>, tolerance: f64) -> Containment {
    let mut found = Containment::None;
    for time in times {
        let at_time = sweep.ask_at(time, |pair| {
            let [a, b] = pair.bodies();
            containment(a, b, tolerance)
        });
        match at_time {
            certain @ (Containment::AInB | Containment::BInA) => return certain,
            undecidable if found == Containment::None => found = undecidable,
            _ => {}
        }
    }
    found
}

fn verdict_of(contained: &Containment) -> Verdict {
    match contained {
        Containment::AInB | Containment::BInA => Verdict::Clash,
        Containment::Undecidable(_) => Verdict::Undecided,
        Containment::None => Verdict::Clear,
    }
}
