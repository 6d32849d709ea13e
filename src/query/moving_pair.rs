//! Everything about one pair of moving parts, in the order of the contract's verdicts.

use super::clearance::{Clearance, clearance};
use super::containment::containment;
use super::passage::{Passage, Searched};
use super::time_of_contact::{Contacts, TimeOfContact, contacts};
use super::{CheckRequest, Containment, Verdict, pair};
use crate::continuous::method::Method;
use crate::hierarchy::Hierarchy;
use crate::hierarchy::strategy::Strategy;
use crate::ids::PartId;
use crate::mesh::topology::Winding;
use crate::narrow::Work;

/// What to decide of every pair of moving parts. Lengths are in scene units, times in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct SweepRequest {
    /// Pairs that may come this close are listed; 0 or more.
    pub clearance: f64,
    /// Of parts in contact at the start only: overlap up to this depth is contact, not clash; 0 or more.
    pub tolerance: f64,
    /// How wide the brackets of distances may be.
    pub precision: f64,
    /// The motion before is not looked at.
    pub from: f64,
    /// Nor after; later than `from`.
    pub to: f64,
    /// Which trees, and what executes their kernels; no answer depends on it.
    pub strategy: Strategy,
    /// Whether winding and seams of meshes are repaired first.
    pub winding: Winding,
    /// How time is searched; no answer depends on it.
    pub method: Method,
}

impl SweepRequest {
    /// Lists pairs that may come this close.
    pub fn clearance(self, clearance: f64) -> Self {
        Self { clearance, ..self }
    }

    /// Takes overlap up to this depth at the start for contact.
    pub fn tolerance(self, tolerance: f64) -> Self {
        Self { tolerance, ..self }
    }

    /// Makes brackets of distances no wider than this.
    pub fn precision(self, precision: f64) -> Self {
        Self { precision, ..self }
    }

    /// Looks at the motion between two times, in seconds.
    pub fn between(self, from: f64, to: f64) -> Self {
        Self { from, to, ..self }
    }

    /// Chooses trees and what executes their kernels.
    pub fn strategy(self, strategy: Strategy) -> Self {
        Self { strategy, ..self }
    }

    /// Takes meshes as they are, or repairs them first.
    pub fn winding(self, winding: Winding) -> Self {
        Self { winding, ..self }
    }

    /// Chooses how time is searched.
    pub fn method(self, method: Method) -> Self {
        Self { method, ..self }
    }
}

/// Everything known of one pair that moves.
#[derive(Clone, Debug, PartialEq)]
pub struct MovingPairRecord {
    /// The two parts, the lower id first.
    pub ids: [PartId; 2],
    /// The summary.
    pub verdict: Verdict,
    /// When they first come together.
    pub time_of_contact: Option<TimeOfContact>,
    /// They are together from the start.
    pub start_contact: bool,
    /// If so, when they come together again after they have parted.
    pub again: Option<TimeOfContact>,
    /// How close they come; `None` for a clear pair, which is not listed.
    pub clearance: Option<Clearance>,
    /// One inside the other without contact, at the start or after a jump: so it stays until the next.
    pub contained: Containment,
    /// What is not known about the depth at the start, where the verdict is that of the start.
    pub depth_unknown: Option<String>,
}

/// Decides a pair.
pub fn decide<T: Hierarchy>(
    ids: [PartId; 2],
    passage: &Passage<T>,
    request: &SweepRequest,
    searched: &mut Searched<T>,
) -> MovingPairRecord {
    match contacts(passage, searched) {
        Some(found) => meeting(ids, passage, request, &found, searched),
        None => apart(ids, passage, request, searched),
    }
}

fn meeting<T: Hierarchy>(
    ids: [PartId; 2],
    passage: &Passage<T>,
    request: &SweepRequest,
    found: &Contacts,
    searched: &mut Searched<T>,
) -> MovingPairRecord {
    let &Contacts { first, at_start, again } = found;
    let (verdict, contained, depth_unknown) = if at_start && again.is_none() {
        started_together(ids, passage, request, &mut searched.work)
    } else {
        (Verdict::Clash, Containment::None, None)
    };
    MovingPairRecord {
        ids,
        verdict,
        time_of_contact: Some(first),
        start_contact: at_start,
        again,
        clearance: Some(Clearance::in_contact(&first)),
        contained,
        depth_unknown,
    }
}

/// The verdict of parts that are together at the start and, once they have parted, never again: that at the
/// start, and no better than `clearance`, since they come that close.
fn started_together<T: Hierarchy>(
    ids: [PartId; 2],
    passage: &Passage<T>,
    request: &SweepRequest,
    work: &mut Work,
) -> (Verdict, Containment, Option<String>) {
    let request = CheckRequest::default()
        .clearance(request.clearance)
        .tolerance(request.tolerance)
        .strategy(request.strategy)
        .winding(request.winding);
    let [a, b] = passage.bodies(passage.from());
    let standing = pair::decide(ids, &[&a, &b], &request, work);
    let contained = match standing.contained {
        Containment::None => {
            inside(passage, passage.jumps().iter().copied().filter(|&time| !passage.is_near(time, work)))
        }
        known => known,
    };
    let verdict = standing.verdict.min(verdict_of(&contained)).min(Verdict::Clearance);
    (verdict, contained, standing.depth_unknown)
}

fn apart<T: Hierarchy>(
    ids: [PartId; 2],
    passage: &Passage<T>,
    request: &SweepRequest,
    searched: &mut Searched<T>,
) -> MovingPairRecord {
    let times = std::iter::once(passage.from()).chain(passage.jumps().iter().copied());
    let contained = inside(passage, times);
    // A contained or undecidable pair is listed at any distance.
    let limit = if contained == Containment::None { request.clearance } else { f64::INFINITY };
    let clearance = clearance(passage, limit, searched);
    let verdict = if clearance.is_some() { Verdict::Clearance } else { Verdict::Clear };
    MovingPairRecord {
        ids,
        verdict: verdict.min(verdict_of(&contained)),
        time_of_contact: None,
        start_contact: false,
        again: None,
        clearance,
        contained,
        depth_unknown: None,
    }
}

/// Whether one is inside the other at any of these times, at which they are not near; the first such time
/// decides, a certain one before an undecidable one.
fn inside<T: Hierarchy>(passage: &Passage<T>, times: impl Iterator<Item = f64>) -> Containment {
    let mut found = Containment::None;
    for time in times {
        let [a, b] = passage.bodies(time);
        match containment(&a, &b) {
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
