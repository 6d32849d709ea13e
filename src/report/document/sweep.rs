//! The report of a sweep.

use serde::{Deserialize, Serialize};

use super::{Command, ContainedRow, Format, PartRow, Report, SceneRow, Sides, word};
use crate::engine::SweepResult;
use crate::mesh::topology::Winding;
use crate::query::Verdict;
use crate::query::moving_pair::MovingPairRecord;
use crate::query::time_of_contact::TimeOfContact;
use crate::query::touch::Contact;
use crate::report::digest::Digests;
use crate::scene::Scene;

/// `report.json` of a sweep.
pub type SweepReport = Report<SweepSettings, MovingPairRow>;

/// What a sweep was asked. Times are in seconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SweepSettings {
    /// Pairs that may come this close are listed.
    pub clearance: f64,
    /// Overlap up to this depth at the start is contact.
    pub tolerance: f64,
    /// How wide brackets of distances may be.
    pub precision: f64,
    /// The start.
    pub from: f64,
    /// The end.
    pub to: f64,
    /// Winding and seams of meshes were not repaired.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub as_is: bool,
}

/// A listed pair of a sweep.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MovingPairRow {
    /// Which pair.
    #[serde(flatten)]
    pub sides: Sides,
    /// The summary.
    #[serde(with = "word")]
    pub verdict: Verdict,
    /// When they first come together.
    pub time_of_contact: Option<TimeOfContactRow>,
    /// They are together from the start.
    pub start_contact: bool,
    /// If so, when they come together again after they have parted.
    pub again: Option<TimeOfContactRow>,
    /// How close they come.
    pub clearance: Option<ClearanceRow>,
    /// One inside the other without contact.
    pub contained: Option<ContainedRow>,
    /// What is not known about the depth at the start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth_unknown: Option<String>,
}

/// When and where two parts come together.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TimeOfContactRow {
    /// They are apart at this time.
    pub after: f64,
    /// They are together at this time.
    pub before: f64,
    /// Where.
    pub point: [f64; 3],
    /// The direction from a to b.
    pub normal: [f64; 3],
    /// Triangle of a, triangle of b.
    pub triangles: [u32; 2],
    /// What of the two meets.
    #[serde(with = "word")]
    pub feature: Contact,
}

/// A bracket of the smallest distance over a motion.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClearanceRow {
    /// They never come closer.
    pub at_least: f64,
    /// They come this close.
    pub at_most: f64,
    /// When.
    pub at: f64,
}

impl SweepReport {
    /// The report of a sweep of this scene.
    pub fn new(scene: &Scene, result: SweepResult) -> Self {
        let request = &result.request;
        let digests = Digests::moving(scene, [request.from, request.to]);
        let parts = PartRow::all(scene, &digests);
        Self {
            closefit: Format,
            command: Command::Sweep,
            scene: SceneRow::new(scene, digests.scene),
            settings: SweepSettings {
                clearance: request.clearance,
                tolerance: request.tolerance,
                precision: request.precision,
                from: request.from,
                to: request.to,
                as_is: request.winding == Winding::AsFound,
            },
            ledger: (&result.ledger).into(),
            pairs: result.pairs.into_iter().map(|record| MovingPairRow::new(&parts, record)).collect(),
            parts,
        }
    }
}

impl MovingPairRow {
    fn new(parts: &[PartRow], record: MovingPairRecord) -> Self {
        Self {
            sides: Sides::new(parts, record.ids),
            verdict: record.verdict,
            time_of_contact: record.time_of_contact.as_ref().map(TimeOfContactRow::new),
            start_contact: record.start_contact,
            again: record.again.as_ref().map(TimeOfContactRow::new),
            clearance: record.clearance.map(|found| ClearanceRow {
                at_least: found.at_least,
                at_most: found.at_most,
                at: found.at,
            }),
            contained: ContainedRow::of(record.contained),
            depth_unknown: record.depth_unknown,
        }
    }
}

impl TimeOfContactRow {
    fn new(found: &TimeOfContact) -> Self {
        let touch = &found.touch;
        Self {
            after: found.after,
            before: found.before,
            point: touch.point.to_array(),
            normal: touch.normal.to_array(),
            triangles: touch.triangles,
            feature: touch.feature,
        }
    }
}
