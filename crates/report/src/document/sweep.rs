//! The report of a sweep.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize};

use super::{
    Command, ContainedRow, Format, IntervalsRow, PartRow, Report, RuleOfPair, SceneRow, Sides, pair::rows,
    word,
};
use crate::digest::Digests;
use closefit::internals::engine::ROW_BYTES;
use closefit::{FeaturePair, MovingPairRecord, Pressed, SweepResult, TimeOfImpact, Verdict};
use closefit_geometry::mesh::topology::Winding;
use closefit_geometry::motion::pair::PlacedPart;
use closefit_geometry::scene::Scene;

/// The `report.json` of a sweep.
pub type SweepReport = Report<SweepSettings, MovingPairRow>;

/// The settings of a sweep. Times are in seconds or, of a sweep along a joint, values of that joint: radians
/// or a length.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SweepSettings {
    /// The clearance: pairs that may come this close are listed.
    pub clearance: f64,
    /// The tolerance: overlap up to this depth, of parts in contact from the start, is contact.
    pub tolerance: f64,
    /// The precision: the largest width of brackets of distances.
    pub precision: f64,
    /// The start of the sweep.
    pub from: f64,
    /// The end of the sweep.
    pub to: f64,
    /// The joint whose value stands for the time, if it is a sweep along a joint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub joint: Option<JointRow>,
    /// True if the pairs have their intervals.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub intervals: bool,
    /// True if winding and seams of meshes were not repaired.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub as_is: bool,
}

/// The joint along which parts are swept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JointRow {
    /// The name.
    pub name: String,
    /// The kind of joint.
    pub kind: JointKind,
    /// The values at which all other joints stand that follow no other.
    pub others: BTreeMap<String, f64>,
}

/// A kind of joint that moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum JointKind {
    /// It turns: values are radians.
    Turning,
    /// It slides: values are lengths in the unit of the scene.
    Sliding,
}

/// A listed pair of a sweep.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MovingPairRow {
    /// The two parts.
    #[serde(flatten)]
    pub sides: Sides,
    /// The verdict.
    #[serde(with = "word")]
    pub verdict: Verdict,
    /// The rule that decided it, if any.
    #[serde(flatten)]
    pub rule: RuleOfPair,
    /// The first time of contact.
    pub time_of_contact: Option<TimeOfContactRow>,
    /// True if they are in contact from the start.
    pub start_contact: bool,
    /// The next time of contact after they have parted, if they are in contact from the start.
    pub again: Option<TimeOfContactRow>,
    /// The smallest distance.
    pub clearance: Option<ClearanceRow>,
    /// One place of the finding: the point of contact (of the next contact, if they begin in contact and meet
    /// again) or, of parts that never meet, the middle of the closest points at the time of the smallest
    /// distance.
    #[serde(default)]
    pub at: Option<[f64; 3]>,
    /// Containment without contact.
    pub contained: Option<ContainedRow>,
    /// The largest depth while they are in contact, if they are from the start: `Some(None)` if it is
    /// unknown.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    pub pressed: Option<Option<PressedRow>>,
    /// The reason why that depth is unknown, or does not decide.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth_unknown: Option<String>,
    /// The precision of this pair, if it differs from the settings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub precision: Option<f64>,
    /// All intervals in which they are near, if they were requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intervals: Option<Box<IntervalsRow>>,
}

/// Reads a key that is there, with a value or with null.
fn given<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Option<PressedRow>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}

impl MovingPairRow {
    /// Returns the contact that people look at: the next one, of parts that begin in contact and meet again.
    pub fn contact(&self) -> Option<&TimeOfContactRow> {
        self.again.as_ref().or(self.time_of_contact.as_ref())
    }
}

/// A time of contact, with its place.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TimeOfContactRow {
    /// A time until which they are apart.
    pub after: f64,
    /// A time at which they are in contact.
    pub before: f64,
    /// The point of contact.
    pub point: [f64; 3],
    /// The unit vector from a to b, or zero if none exists.
    pub normal: [f64; 3],
    /// The triangles of a and b.
    pub triangles: [u32; 2],
    /// The closest features of the two.
    #[serde(with = "word")]
    pub feature: FeaturePair,
}

/// A bracket of the largest depth over a stretch of contact.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PressedRow {
    /// A lower bound: they are so deep at `at`.
    pub at_least: f64,
    /// An upper bound at all times of the stretch.
    pub at_most: f64,
    /// A time at which they are `at_least` deep.
    pub at: f64,
}

impl PressedRow {
    pub(super) fn new(Pressed { at_least, at_most, at }: Pressed) -> Self {
        Self { at_least, at_most, at }
    }
}

/// A bracket of the smallest distance over a motion.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClearanceRow {
    /// A lower bound of the distance at all times.
    pub at_least: f64,
    /// The distance at `at`.
    pub at_most: f64,
    /// A time at which the distance is `at_most`.
    pub at: f64,
}

impl SweepReport {
    /// Makes the report of a sweep of this scene.
    pub fn new(scene: &Scene, result: SweepResult) -> Self {
        let digests = Digests::moving(scene, [result.request.from, result.request.to]);
        Self::with_digests(scene, result, &digests)
    }

    /// Makes the report from the digests of its parts, too.
    pub fn with_digests(scene: &Scene, result: SweepResult, digests: &Digests) -> Self {
        let request = &result.request;
        let parts = PartRow::all(scene, &digests.parts, |part| {
            PlacedPart::of(part.pose, part.frame, &[]).pose_at(&scene.frames, request.from)
        });
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
                joint: None,
                intervals: request.intervals,
                as_is: request.winding == Winding::AsFound,
            },
            ledger: (&result.ledger).into(),
            rules: None,
            pairs: rows(result.pairs, |record| MovingPairRow::new(&parts, record)),
            parts,
            groups: Vec::new(),
            self_contacts: None,
            trace: None,
        }
    }
}

impl MovingPairRow {
    fn new(parts: &[PartRow], record: MovingPairRecord) -> Self {
        let at = record.place().map(|point| point.to_array());
        Self {
            sides: Sides::new(parts, record.ids),
            verdict: record.verdict,
            rule: RuleOfPair::default(),
            time_of_contact: record.time_of_impact.as_ref().map(TimeOfContactRow::new),
            start_contact: record.start_contact,
            again: record.again.as_ref().map(TimeOfContactRow::new),
            clearance: record.clearance.map(|found| ClearanceRow {
                at_least: found.at_least,
                at_most: found.at_most,
                at: found.at,
            }),
            at,
            contained: ContainedRow::of(record.contained),
            pressed: record.start_contact.then(|| record.pressed.map(PressedRow::new)),
            depth_unknown: record.depth_unknown,
            precision: record.precision,
            intervals: record.intervals.map(|found| Box::new(IntervalsRow::new(*found))),
        }
    }
}

impl TimeOfContactRow {
    fn new(found: &TimeOfImpact) -> Self {
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

// As for the rows of a check.
const _: () = assert!(size_of::<MovingPairRow>() + 32 + size_of::<MovingPairRecord>() / 8 <= ROW_BYTES);
