//! The decision of one pair of moving parts, in the order of the contract's verdicts.

use glam::DVec3;

use super::clearance::{Clearance, clearance};
use super::containment::containment;
use super::entering::entered;
use super::intervals::{Intervals, entered_apart};
use super::pair_sweep::{PairSweep, SweepSearch};
use super::pressed::{Pressed, Unknown, pressed, surfaces};
use super::stage_work::StageWork;
use super::time_of_impact::{TimeOfImpact, TimesOfImpact, contacts};
use super::touch::touch;
use super::{CheckRequest, Containment, DepthDetail, Verdict, pair};
use crate::broad::method::BroadPhase;
use crate::bvh::strategy::Strategy;
use crate::continuous::method::Method;
use crate::narrow::Work;
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
    /// with more is refused before any pair is searched, since that might take long. Without a limit the
    /// observer receives the number, if it is above 2^40.
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
#[non_exhaustive]
pub struct MovingPairRecord {
    /// The two parts, the lower id first.
    pub ids: [PartId; 2],
    /// The verdict.
    pub verdict: Verdict,
    /// The first time of contact.
    pub time_of_impact: Option<TimeOfImpact>,
    /// True if they are in contact from the start.
    pub start_contact: bool,
    /// The next time of contact after they have parted, if they are in contact from the start.
    pub again: Option<TimeOfImpact>,
    /// The smallest distance; `None` for a clear pair, which is not listed.
    pub clearance: Option<Clearance>,
    /// The point midway between the closest points at the time of the smallest distance, if they never meet.
    pub closest: Option<DVec3>,
    /// Containment without contact: in a closed part at the start or after a jump, since it lasts until the
    /// next jump; in an open part at any time.
    pub contained: Containment,
    /// The largest depth while they are in contact, if they are from the start: until they have parted and
    /// neither lies in the other, or to the end.
    pub pressed: Option<Pressed>,
    /// The reason why that depth is unknown, or may be more than the tolerance.
    pub depth_unknown: Option<String>,
    /// The precision of this pair, if it has another than the request: one that distinguishes a gap at the
    /// start from a contact.
    pub precision: Option<f64>,
    /// All intervals of contact, and within the clearance, if they were requested.
    pub intervals: Option<Box<Intervals>>,
}

impl MovingPairRecord {
    /// The record of a pair that was not decided, for a reason: nothing is known of it.
    pub(crate) fn undecided(ids: [PartId; 2], why: &str) -> Self {
        Self {
            ids,
            verdict: Verdict::Undecided,
            time_of_impact: None,
            start_contact: false,
            again: None,
            clearance: None,
            closest: None,
            contained: Containment::Undecidable(why.to_owned()),
            pressed: None,
            depth_unknown: None,
            precision: None,
            intervals: None,
        }
    }

    /// Returns one place of what was found: the point of contact, of the next one if they begin in contact
    /// and meet again; else the middle of the closest points.
    pub fn place(&self) -> Option<DVec3> {
        self.again.or(self.time_of_impact).map(|found| found.touch.point).or(self.closest)
    }
}

/// Returns the precision that distinguishes a gap at the start from a contact, and the pair with that
/// precision. The given precision is halved until half of it is less than the distance, unless the distance
/// is within the tolerance already. `None` if the given precision is enough. Where f64 cannot resolve the
/// motion so finely, it is the smallest that it can.
pub fn finer<'a>(sweep: &PairSweep<'a>, tolerance: f64, work: &mut Work) -> Option<(f64, PairSweep<'a>)> {
    let gap = sweep.nearest(sweep.from(), sweep.near(), work)?.distance;
    if gap <= tolerance {
        return None;
    }
    let halvings = std::iter::successors(Some(sweep.unit()), |precision| Some(0.5 * precision));
    let finer = halvings.map_while(|precision| Some((precision, sweep.with_precision(precision)?)));
    let mut best = None;
    for (precision, sweep) in finer {
        let tells = sweep.near() < gap;
        best = Some((precision, sweep));
        if tells {
            break;
        }
    }
    best
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
    found: &TimesOfImpact,
    searched: &mut SweepSearch,
) -> MovingPairRecord {
    let &TimesOfImpact { first, at_start, again, .. } = found;
    let together = at_start.then(|| Together::new(ids, sweep, request, found, searched));
    let (mut verdict, mut contained, pressed, depth_unknown) = match together {
        Some(together) if again.is_none() => {
            (together.verdict(sweep, request), together.contained, together.pressed, together.unknown)
        }
        Some(Together { pressed, unknown, .. }) => (Verdict::Clash, Containment::None, pressed, unknown),
        None => (Verdict::Clash, Containment::None, None, None),
    };
    if verdict != Verdict::Clash && contained == Containment::None {
        contained = entered_apart(sweep, request.tolerance, searched);
        verdict = verdict.min(verdict_of(&contained));
    }
    MovingPairRecord {
        ids,
        verdict,
        time_of_impact: Some(first),
        start_contact: at_start,
        again,
        clearance: Some(Clearance::in_contact(&first)),
        closest: None,
        contained,
        pressed,
        depth_unknown,
        precision: None,
        intervals: None,
    }
}

/// The findings about parts that are in contact at the start.
struct Together {
    /// The verdict where they stand at the start; if no depth is known, also at the end if they stay in
    /// contact, and while they are, if neither has a solid.
    standing: Verdict,
    contained: Containment,
    pressed: Option<Pressed>,
    /// The reason why that is unknown, or does not decide.
    unknown: Option<String>,
    /// True if some part of the depth that is known exceeds the tolerance.
    is_deep: bool,
    /// True if a part has a solid, so that there is a depth.
    has_solid: bool,
}

impl Together {
    fn new(
        ids: [PartId; 2],
        sweep: &PairSweep,
        request: &SweepRequest,
        &TimesOfImpact { parted, again, .. }: &TimesOfImpact,
        searched: &mut SweepSearch,
    ) -> Self {
        let standing = |time: f64, work: &mut StageWork| {
            let request = CheckRequest::default()
                .clearance(request.clearance)
                .tolerance(request.tolerance)
                .strategy(request.strategy)
                .winding(request.winding)
                .depth(DepthDetail::Verdict);
            sweep.ask_at(time, |pair| pair::decide(ids, pair, &request, work))
        };
        let at_start = standing(sweep.from(), &mut searched.work);
        let contained = match at_start.contained {
            Containment::None => {
                let StageWork { containment, continuous, .. } = &mut searched.work;
                let times = parted.into_iter().chain(sweep.jumps().iter().copied());
                let apart = times.filter(|&time| !sweep.is_near(time, continuous));
                containment.ask(|| inside(sweep, apart, request.tolerance))
            }
            known => known,
        };
        // Parts that have parted so that one lies in the other are still together: until they meet again, or
        // to the end.
        let is_inside = |&time: &f64| {
            verdict_of(&inside(sweep, std::iter::once(time), request.tolerance)) == Verdict::Clash
        };
        let until = match parted.filter(|time| !searched.work.containment.ask(|| is_inside(time))) {
            Some(parted) => parted,
            None => again.map_or(sweep.to(), |again| again.before),
        };
        let found = pressed(sweep, [sweep.from(), until], request.tolerance, searched);
        let has_solid = sweep.ask_at(sweep.from(), |pair| pair.bodies().iter().any(|body| body.has_solid()));
        let mut together = Self {
            standing: at_start.verdict,
            contained,
            pressed: None,
            unknown: None,
            is_deep: false,
            has_solid,
        };
        match found {
            Ok(pressed) => {
                together.is_deep = pressed.at_least > request.tolerance;
                if !together.is_deep && pressed.at_most > enough(sweep, request) {
                    together.unknown = Some("may be pressed deeper than the tolerance".to_owned());
                }
                together.pressed = Some(pressed);
            }
            Err(Unknown { why, is_deep }) => {
                (together.unknown, together.is_deep) = (Some(why), is_deep);
                if parted.is_none() {
                    let at_end = standing(sweep.to(), &mut searched.work);
                    together.standing = together.standing.min(at_end.verdict);
                }
                if !has_solid && again.is_none() && together.standing >= Verdict::Contact {
                    let of_pose = |time: f64, work: &mut StageWork| standing(time, work).verdict;
                    let until = [sweep.from(), until];
                    let worst = surfaces::worst(sweep, until, request.tolerance, searched, of_pose);
                    together.standing = together.standing.min(worst);
                    if worst == Verdict::Undecided {
                        together.unknown.get_or_insert_default().push_str(", and they may cross");
                    }
                }
            }
        }
        together
    }

    /// Returns the verdict of parts that, once parted, never meet again. The standing verdict also counts for
    /// what no depth shows: parts that fill the same space, and open surfaces that cross.
    fn verdict(&self, sweep: &PairSweep, request: &SweepRequest) -> Verdict {
        let contained = verdict_of(&self.contained);
        let by_depth = match &self.pressed {
            _ if self.is_deep || self.standing == Verdict::Clash => Verdict::Clash,
            Some(pressed) if pressed.at_most <= enough(sweep, request) => Verdict::Contact,
            Some(_) => Verdict::Undecided,
            None if self.has_solid => Verdict::Undecided,
            None => self.standing.min(Verdict::Contact),
        };
        by_depth.min(contained)
    }
}

/// Returns the depth up to which parts that are in contact from the start are no more than that: the
/// tolerance, or the precision if that is larger.
fn enough(sweep: &PairSweep, request: &SweepRequest) -> f64 {
    request.tolerance.max(2.0 * sweep.unit())
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
        time_of_impact: None,
        start_contact: false,
        again: None,
        clearance,
        closest,
        contained,
        pressed: None,
        depth_unknown: None,
        precision: None,
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
