//! The document of `audit`: how the collision geometry of a robot differs from its visual geometry, and
//! whether its SRDF is right. `schema/audit.schema.json` describes it.

use serde::{Deserialize, Serialize};

use super::joint_box::{ClosestRow, Configuration};
use super::word::{self, Word};
use closefit_geometry::units::Unit;

/// The document of `audit`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AuditReport {
    /// The version of the format.
    #[serde(rename = "closefit-audit")]
    pub closefit_audit: u32,
    /// The file of the robot.
    pub robot: String,
    /// The unit of all lengths.
    pub unit: Option<Unit>,
    /// The settings of the run.
    pub settings: AuditSettings,
    /// The links that have any geometry, in the order of the file.
    pub links: Vec<AuditedLink>,
    /// The lines of the SRDF, if one was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub srdf: Option<AuditedSrdf>,
}

impl AuditReport {
    /// The version of the format.
    pub const FORMAT: u32 = 1;

    /// Returns the number of links with visual geometry and without collision geometry.
    pub fn without_collision(&self) -> usize {
        self.links.iter().filter(|link| link.visual > 0 && link.collision == 0).count()
    }

    /// True if every link that can be seen can be hit, and every line of the SRDF that says so is proven.
    pub fn is_clean(&self) -> bool {
        let is_proven = |line: &NeverLine| line.found == NeverWord::Proven;
        self.without_collision() == 0 && self.srdf.iter().flat_map(|srdf| &srdf.never).all(is_proven)
    }
}

/// The settings of an audit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AuditSettings {
    /// The width at which a bracket of a length is narrow enough; 1 % of it is, too.
    pub precision: f64,
    /// True if the convex hulls of the collision meshes were taken.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub hulls: bool,
    /// True if winding and seams of meshes were not repaired.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub as_is: bool,
}

/// A link, and how its two geometries differ.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AuditedLink {
    /// The name.
    pub link: String,
    /// The number of its visual shapes.
    pub visual: usize,
    /// The number of its collision shapes.
    pub collision: usize,
    /// The distance by which its visual geometry lies outside its collision geometry: contacts are missed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub protrusion: Option<OutsideRow>,
    /// The distance by which its collision geometry lies outside its visual geometry: contacts are invented.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gap: Option<OutsideRow>,
    /// True if some of its shapes were not read.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub partly_read: bool,
    /// True if some visual mesh is open, so that points in it count by their distance from its surface.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub open_visual: bool,
    /// True if some collision mesh is open.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub open_collision: bool,
}

/// The largest distance of one geometry of a link from the other: a bracket.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OutsideRow {
    /// Some point lies this far outside.
    pub at_least: f64,
    /// No point lies farther outside.
    pub at_most: f64,
    /// The farthest point that was found, in the frame of the link.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub point: Option<[f64; 3]>,
    /// The part that has the point.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<String>,
    /// True if the search gave up with a bracket wider than requested.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ended_early: bool,
}

/// An SRDF.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AuditedSrdf {
    /// The file.
    pub file: String,
    /// The number of all lines that disable the collisions of two links.
    pub lines: usize,
    /// Those with the reason `Never`.
    pub never: Vec<NeverLine>,
}

/// The answer about a line with the reason `Never`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum NeverWord {
    /// The links meet in some configuration.
    False,
    /// It is not known.
    Open,
    /// The links never meet.
    Proven,
}

impl Word for NeverWord {
    const WORDS: &[(Self, &str)] = &[(Self::False, "false"), (Self::Open, "open"), (Self::Proven, "proven")];
}

/// A line with the reason `Never`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NeverLine {
    /// The names of the links.
    pub links: [String; 2],
    /// The answer.
    #[serde(with = "word")]
    pub found: NeverWord,
    /// The parts that meet, or may do so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parts: Option<[String; 2]>,
    /// A configuration in which they meet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Configuration>,
    /// The bracket of the smallest distance, if the line is proven or open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub distance: Option<ClosestRow>,
    /// The reason why it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}
