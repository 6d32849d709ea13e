//! Questions about a pair of parts, and their answers: plain values, independent of files and commands.

mod beside;
mod boundary_angle;
pub mod clearance;
pub mod contact_geometry;
pub mod containment;
pub mod crossing;
pub mod depth;
pub mod duplicate;
pub mod entering;
mod fan;
mod hole;
mod immersion;
pub mod intervals;
pub mod joint_box;
mod joint_entering;
pub mod lasting;
pub mod leeway;
mod level;
pub mod location;
pub mod moving_pair;
pub mod open_margin;
pub mod open_shells;
pub mod overlap_volume;
pub mod pair;
pub mod pair_sweep;
mod partners;
pub mod pressed;
pub mod protrusion;
pub mod self_contacts;
pub mod separation;
pub mod stage_work;
pub mod stretches;
pub mod time_of_impact;
pub mod touch;
mod unknown;
pub mod vertex_distances;
pub mod winding;

use glam::DVec3;

use crate::broad::method::BroadPhase;
use crate::bvh::strategy::Strategy;
use closefit_geometry::hull::filter::HullFilter;
use closefit_geometry::ids::PartId;
use closefit_geometry::mesh::topology::Winding;

/// The settings of a check: the questions to decide for every pair of standing parts. Lengths are in scene
/// units.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct CheckRequest {
    /// Pairs that come this close are listed; 0 or more.
    pub clearance: f64,
    /// Overlap up to this depth is contact, not clash; 0 or more.
    pub tolerance: f64,
    /// Keep every pair of triangles in contact, not only the number of pairs.
    pub list_contacts: bool,
    /// The kind of tree, and the executor of its kernels. No answer depends on it.
    pub strategy: Strategy,
    /// The broad phase, which finds the candidate pairs. No answer depends on it.
    pub broad: BroadPhase,
    /// The filter by convex hulls. No answer depends on it.
    pub hull: HullFilter,
    /// Repair the winding and seams of meshes first, or take them as they are.
    pub winding: Winding,
    /// The detail of depths.
    pub depth: DepthDetail,
    /// The limit of memory in bytes, or none. A run that would take more ends with an error.
    pub memory: Option<u64>,
}

/// The detail of depths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DepthDetail {
    /// Brackets no wider than 1 %, or within the tolerance.
    #[default]
    Full,
    /// The side of the tolerance on which each depth lies: the same verdicts, with wider brackets.
    Verdict,
    /// Nothing. Parts that touch get [`Verdict::Meets`], unless open surfaces cross.
    None,
}

impl CheckRequest {
    /// Sets the clearance: pairs that come this close are listed.
    pub fn clearance(self, clearance: f64) -> Self {
        Self { clearance, ..self }
    }

    /// Sets the tolerance: overlap up to this depth is contact.
    pub fn tolerance(self, tolerance: f64) -> Self {
        Self { tolerance, ..self }
    }

    /// Returns the greatest distance that the request needs.
    pub(crate) fn reach(&self) -> f64 {
        self.clearance.max(self.tolerance)
    }

    /// Keeps every pair of triangles in contact.
    pub fn list_contacts(self) -> Self {
        Self { list_contacts: true, ..self }
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

    /// Sets the detail of depths.
    pub fn depth(self, depth: DepthDetail) -> Self {
        Self { depth, ..self }
    }
}

/// The verdict on a pair, in order of severity, worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Verdict {
    /// They share space: deeper than the tolerance, contained, duplicate or crossing.
    Clash,
    /// They touch, and whether they clash was not checked. Only with [`DepthDetail::None`].
    Meets,
    /// It cannot be decided if one contains the other, or how deep they overlap.
    Undecided,
    /// They touch, or come within the tolerance.
    Contact,
    /// They come within the clearance.
    Clearance,
    /// Farther apart than the clearance: decided, and not listed.
    Clear,
}

/// The containment of one part in the other's solid without contact.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Containment {
    /// Neither contains the other.
    None,
    /// The first part of the pair, or at least one of its components, lies in the second.
    AInB,
    /// The second part, or at least one of its components, lies in the first.
    BInA,
    /// A shell that might contain the other part is open. The reason counts its open edges.
    Undecidable(String),
}

/// A certified bracket of how deep two parts overlap.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Depth {
    /// A lower bound: some point lies at least this deep.
    pub at_least: f64,
    /// An upper bound: no point lies deeper.
    pub at_most: f64,
}

/// The place at which two parts clash or touch.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Location {
    /// The deepest point found; for mere contact, a shared point.
    pub point: DVec3,
    /// A box around the contact, by its lowest and highest corner. It need not hold the point.
    pub bounds: [DVec3; 2],
    /// The way out from the point, if it is a deepest one.
    pub way_out: Option<WayOut>,
}

/// The straight way from a deepest point to the other part's surface. It is as long as the point is deep.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct WayOut {
    /// The part whose surface the deepest point lies on: 0 or 1.
    pub on: usize,
    /// The nearest point of the other part's surface.
    pub to: DVec3,
}

/// The record of one pair, self-contained, so that records can be filtered, stored and merged.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct PairRecord {
    /// The two parts, the lower id first.
    pub ids: [PartId; 2],
    /// The verdict.
    pub verdict: Verdict,
    /// The smallest distance of the surfaces; 0 in contact.
    pub distance: f64,
    /// The number of pairs of triangles in contact.
    pub contacts: u64,
    /// These pairs (triangle of a, triangle of b), sorted, if requested.
    pub triangles: Option<Vec<[u32; 2]>>,
    /// Containment without contact.
    pub contained: Containment,
    /// True if they fill the same space although no surface point is deep.
    pub duplicate: bool,
    /// True if open surfaces pass through each other.
    pub crossing: bool,
    /// The depth of the overlap, if they touch or one contains the other, and one has a solid.
    pub depth: Option<Depth>,
    /// The reason why the depth is unknown, or only partly known.
    pub depth_unknown: Option<String>,
    /// The location, if they touch or one contains the other.
    pub location: Option<Location>,
    /// Witness points of the distance, on a and on b, if they do not touch.
    pub points: Option<[DVec3; 2]>,
}

impl PairRecord {
    /// Returns the record of a pair that was not decided, for a reason: nothing is known of it.
    pub fn undecided(ids: [PartId; 2], why: &str) -> Self {
        Self {
            ids,
            verdict: Verdict::Undecided,
            distance: f64::INFINITY,
            contacts: 0,
            triangles: None,
            contained: Containment::Undecidable(why.to_owned()),
            duplicate: false,
            crossing: false,
            depth: None,
            depth_unknown: None,
            location: None,
            points: None,
        }
    }
}
