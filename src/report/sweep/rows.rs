//! The rows of a sweep's report.

use serde::Serialize;

use super::super::rows::{ContainedRow, MeshSettings, Report, Sides, verdict_word};
use crate::engine::SweepResult;
use crate::query::moving_pair::MovingPairRecord;
use crate::query::time_of_contact::TimeOfContact;
use crate::query::touch::Contact;
use crate::scene::Scene;
use crate::scene::keys::PartKeys;

/// `report.json` of a sweep.
pub type SweepReport<'a> = Report<'a, SweepSettings, MovingPairRow<'a>>;

/// Of a sweep.
#[derive(Debug, Serialize)]
pub struct SweepSettings {
    clearance: f64,
    tolerance: f64,
    precision: f64,
    from: f64,
    to: f64,
    #[serde(flatten)]
    meshes: MeshSettings,
}

/// One listed pair of a sweep.
#[derive(Debug, Serialize)]
pub struct MovingPairRow<'a> {
    #[serde(flatten)]
    pub(super) sides: Sides<'a>,
    pub(super) verdict: &'static str,
    pub(super) time_of_contact: Option<TimeOfContactRow>,
    pub(super) start_contact: bool,
    pub(super) again: Option<TimeOfContactRow>,
    pub(super) clearance: Option<ClearanceRow>,
    pub(super) contained: Option<ContainedRow<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) depth_unknown: Option<&'a str>,
}

#[derive(Debug, Serialize)]
pub(super) struct TimeOfContactRow {
    pub after: f64,
    pub before: f64,
    pub point: [f64; 3],
    pub normal: [f64; 3],
    pub triangles: [u32; 2],
    pub feature: &'static str,
}

#[derive(Debug, Serialize)]
pub(super) struct ClearanceRow {
    pub at_least: f64,
    pub at_most: f64,
    pub at: f64,
}

impl<'a> SweepReport<'a> {
    /// The report of a `sweep`.
    pub fn of_sweep(scene: &'a Scene, result: &'a SweepResult) -> Self {
        let request = &result.request;
        let settings = SweepSettings {
            clearance: request.clearance,
            tolerance: request.tolerance,
            precision: request.precision,
            from: request.from,
            to: request.to,
            meshes: MeshSettings::new(request.winding),
        };
        let keys = PartKeys::of(scene);
        let pairs = result.pairs.iter().map(|record| MovingPairRow::new(scene, &keys, record)).collect();
        Self::of("sweep", scene, &keys, &result.digests, settings, &result.ledger, pairs)
    }
}

impl<'a> MovingPairRow<'a> {
    fn new(scene: &'a Scene, keys: &PartKeys, record: &'a MovingPairRecord) -> Self {
        Self {
            sides: Sides::new(scene, keys, record.ids),
            verdict: verdict_word(record.verdict),
            time_of_contact: record.time_of_contact.as_ref().map(TimeOfContactRow::new),
            start_contact: record.start_contact,
            again: record.again.as_ref().map(TimeOfContactRow::new),
            clearance: record.clearance.map(|found| ClearanceRow {
                at_least: found.at_least,
                at_most: found.at_most,
                at: found.at,
            }),
            contained: ContainedRow::of(&record.contained),
            depth_unknown: record.depth_unknown.as_deref(),
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
            feature: match touch.feature {
                Contact::EdgeEdge => "edge/edge",
                Contact::VertexFace => "vertex/face",
                Contact::FaceVertex => "face/vertex",
            },
        }
    }
}
