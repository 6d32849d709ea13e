//! Questions about a pair of parts, and their answers: plain values that know nothing of files or commands.

pub mod clearance;
pub mod containment;
pub mod crossing;
pub mod depth;
pub mod duplicate;
mod fan;
pub mod location;
pub mod moving_pair;
pub mod pair;
mod partners;
pub mod passage;
pub mod time_of_contact;
pub mod touch;
mod unknown;
pub mod winding;

use glam::DVec3;

use crate::hierarchy::strategy::Strategy;
use crate::ids::PartId;
use crate::mesh::topology::Winding;

/// What to decide of every pair of standing parts. Lengths are in scene units.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct CheckRequest {
    /// Pairs that come this close are listed; 0 or more.
    pub clearance: f64,
    /// Overlap up to this depth is contact, not clash; 0 or more.
    pub tolerance: f64,
    /// Keep every pair of triangles in contact, not only their number.
    pub list_contacts: bool,
    /// Which trees, and what executes their kernels; no answer depends on it.
    pub strategy: Strategy,
    /// Whether winding and seams of meshes are repaired first.
    pub winding: Winding,
    /// How much is found out about depths.
    pub depth: DepthDetail,
}

/// How much is found out about depths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DepthDetail {
    /// Brackets no wider than 1 %, or within the tolerance.
    #[default]
    Full,
    /// On which side of the tolerance each depth is: the same verdicts, and wider brackets.
    Verdict,
    /// Nothing: of parts that touch is said that they do, [`Verdict::Meets`].
    None,
}

impl CheckRequest {
    /// Lists pairs that come this close.
    pub fn clearance(self, clearance: f64) -> Self {
        Self { clearance, ..self }
    }

    /// Takes overlap up to this depth for contact.
    pub fn tolerance(self, tolerance: f64) -> Self {
        Self { tolerance, ..self }
    }

    /// Keeps every pair of triangles in contact.
    pub fn list_contacts(self) -> Self {
        Self { list_contacts: true, ..self }
    }

    /// Chooses trees and what executes their kernels.
    pub fn strategy(self, strategy: Strategy) -> Self {
        Self { strategy, ..self }
    }

    /// Takes meshes as they are, or repairs them first.
    pub fn winding(self, winding: Winding) -> Self {
        Self { winding, ..self }
    }

    /// Finds out this much about depths.
    pub fn depth(self, depth: DepthDetail) -> Self {
        Self { depth, ..self }
    }
}

/// Of a pair, in order of severity, worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// They share space: deeper than the tolerance, contained, duplicate or crossing.
    Clash,
    /// They touch, and whether they clash was not asked: only with [`DepthDetail::None`].
    Meets,
    /// Whether one contains the other, or how deep they overlap, cannot be told.
    Undecided,
    /// They touch, or come within the tolerance.
    Contact,
    /// They come within the clearance.
    Clearance,
    /// Farther apart than the clearance: decided, and not listed.
    Clear,
}

/// Whether one part lies inside the other's solid without touching it.
#[derive(Clone, Debug, PartialEq)]
pub enum Containment {
    /// Neither.
    None,
    /// The first part of the pair lies (with at least one component) in the second.
    AInB,
    /// The second lies in the first.
    BInA,
    /// A shell that might contain the other is open; the reason counts its open edges.
    Undecidable(String),
}

/// How deep two parts overlap, as far as it is known: a certified bracket.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Depth {
    /// Some point lies at least this deep.
    pub at_least: f64,
    /// No point lies deeper.
    pub at_most: f64,
}

/// Where two parts clash or touch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Location {
    /// A deepest point found; for mere contact, a shared point.
    pub point: DVec3,
    /// Box around the contact: lowest and highest corner.
    pub bounds: [DVec3; 2],
}

/// Everything known of one pair: self-contained, so that records can be filtered, stored and merged.
#[derive(Clone, Debug, PartialEq)]
pub struct PairRecord {
    /// The two parts, the lower id first.
    pub ids: [PartId; 2],
    /// The summary.
    pub verdict: Verdict,
    /// Smallest distance of the surfaces; 0 in contact.
    pub distance: f64,
    /// How many pairs of triangles are in contact.
    pub contacts: u64,
    /// Those pairs (triangle of a, triangle of b), sorted, if they were asked for.
    pub triangles: Option<Vec<[u32; 2]>>,
    /// One inside the other.
    pub contained: Containment,
    /// They fill the same space although no surface point is deep.
    pub duplicate: bool,
    /// Open surfaces that pass through each other.
    pub crossing: bool,
    /// How deep they overlap, if they touch or one contains the other, and one has a solid.
    pub depth: Option<Depth>,
    /// What is not known about the depth, and why.
    pub depth_unknown: Option<String>,
    /// Where, if they touch or one contains the other.
    pub location: Option<Location>,
    /// Witness points of the distance, on a and on b, if they do not touch.
    pub points: Option<[DVec3; 2]>,
}
