//! The report of a check.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize};

use super::{
    Command, ContainedRow, Format, GeometryRow, PartRow, Rarely, Report, RuleOfPair, SceneRow,
    SelfContactsRow, Sides, StatusOfPair, VolumeRow, WayOutRow, pair::rows, rarely::Usual, word,
};
use crate::certificate::Outcome;
use crate::digest::Digests;
use crate::groups::GroupSettings;
use closefit::internals::engine::ROW_BYTES;
use closefit::{
    CheckResult, ContactGeometry, Depth, DepthDetail, PairRecord, Separation, SharedVolume, Verdict,
};
use closefit_geometry::mesh::topology::Winding;
use closefit_geometry::scene::Scene;

/// The `report.json` of a check.
pub type CheckReport = Report<CheckSettings, PairRow>;

/// The settings of a check.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CheckSettings {
    /// The clearance: pairs that come this close are listed.
    pub clearance: f64,
    /// The tolerance: overlap up to this depth is contact.
    pub tolerance: f64,
    /// The detail of depths; absent from JSON if full.
    #[serde(default, with = "word", skip_serializing_if = "is_full")]
    pub depth: DepthDetail,
    /// The time at which moving parts were checked, if one was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<f64>,
    /// The values of a robot's joints, without those that follow another, if it was checked at some.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub joints: Option<BTreeMap<String, f64>>,
    /// True if winding and seams of meshes were not repaired.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub as_is: bool,
    /// True if the ways out of clashes were requested.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub way_out: bool,
    /// True if the geometry of contacts was requested.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub contact_geometry: bool,
    /// True if the volumes that parts share were requested.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub volume: bool,
    /// The way in which pairs are grouped, if they are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub groups: Option<GroupSettings>,
}

fn is_full(depth: &DepthDetail) -> bool {
    *depth == DepthDetail::Full
}

/// A listed pair of a check.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairRow {
    /// The two parts.
    #[serde(flatten)]
    pub sides: Sides,
    /// The verdict.
    #[serde(with = "word")]
    pub verdict: Verdict,
    /// The rule that decided it, if any.
    #[serde(flatten)]
    pub rule: Rarely<RuleOfPair>,
    /// Its status, if a waiver is about it or its rule accepts it.
    #[serde(flatten)]
    pub status: Rarely<StatusOfPair>,
    /// The smallest distance of the surfaces; 0 in contact. Infinity, `null` in JSON, for a pair that was not
    /// asked.
    #[serde(deserialize_with = "number_or_infinity")]
    pub distance: f64,
    /// The number of pairs of triangles in contact.
    pub contacts: u64,
    /// These pairs, if requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub triangles: Option<Box<[[u32; 2]]>>,
    /// Containment without contact.
    pub contained: Option<Box<ContainedRow>>,
    /// True if they fill the same space.
    pub duplicate: bool,
    /// True if open surfaces pass through each other.
    pub crossing: bool,
    /// The depth of the overlap, as far as it is known.
    pub depth: Option<DepthRow>,
    /// The reason why the depth is unknown, or only partly known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth_unknown: Option<Box<str>>,
    /// One place of the finding: the deepest point found or, of parts that do not meet, the middle of the
    /// witness points.
    #[serde(default)]
    pub at: Option<[f64; 3]>,
    /// The location, if they touch or one contains the other.
    #[serde(rename = "where")]
    pub location: Option<WhereRow>,
    /// Witness points of the distance, on a and on b, if they do not touch.
    pub points: Option<Box<[[f64; 3]; 2]>>,
    /// Answers to what was requested in addition.
    #[serde(flatten)]
    pub more: Rarely<MoreOfPair>,
}

/// Answers to what may be requested of a pair in addition.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MoreOfPair {
    /// The geometry of the contact, if requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub geometry: Option<Box<GeometryRow>>,
    /// The volume that they share, if it was requested and is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub volume: Option<Box<VolumeRow>>,
    /// The reason why it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub volume_unknown: Option<Box<str>>,
    /// The outcome of the largest volume that its rule allows, if it has one and the parts may overlap.
    #[serde(default, with = "word::optional", skip_serializing_if = "Option::is_none")]
    pub volume_limit: Option<Outcome>,
    /// The way out of a clash, if it was requested and found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub way_out: Option<Box<WayOutRow>>,
}

impl Usual for MoreOfPair {
    const USUAL: &'static Self =
        &Self { geometry: None, volume: None, volume_unknown: None, volume_limit: None, way_out: None };
}

fn number_or_infinity<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or(f64::INFINITY))
}

/// A bracket of a depth.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct DepthRow {
    /// A lower bound: some point lies at least this deep.
    pub at_least: f64,
    /// An upper bound: no point lies deeper.
    pub at_most: f64,
}

/// The place at which two parts clash or touch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WhereRow {
    /// The deepest point found; for mere contact, a shared point.
    pub point: [f64; 3],
    /// Lowest and highest corner of a box around the contact.
    #[serde(rename = "box")]
    pub bounds: [[f64; 3]; 2],
    /// The part whose surface the point lies on, if it is a deepest one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on: Option<PartOfPair>,
    /// The nearest point of the other part's surface, if it is a deepest one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<Box<[f64; 3]>>,
}

/// One of the two parts of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PartOfPair {
    /// The first.
    A,
    /// The second.
    B,
}

impl PartOfPair {
    /// Returns the word of the part in documents.
    pub fn word(self) -> &'static str {
        match self {
            Self::A => "a",
            Self::B => "b",
        }
    }
}

impl CheckReport {
    /// Makes the report of a check of this scene.
    pub fn new(scene: &Scene, result: CheckResult) -> Self {
        let digests = Digests::standing(scene);
        Self::with_digests(scene, result, &digests)
    }

    /// Makes the report from the digests of its parts, too.
    pub fn with_digests(scene: &Scene, result: CheckResult, digests: &Digests) -> Self {
        let request = &result.request;
        let parts = PartRow::all(scene, &digests.parts, |part| part.pose);
        Self {
            closefit: Format,
            command: Command::Check,
            scene: SceneRow::new(scene, digests.scene),
            settings: CheckSettings {
                clearance: request.clearance,
                tolerance: request.tolerance,
                depth: request.depth,
                at: scene.time,
                joints: None,
                as_is: request.winding == Winding::AsFound,
                way_out: false,
                contact_geometry: false,
                volume: false,
                groups: None,
            },
            ledger: (&result.ledger).into(),
            rules: None,
            pairs: rows(result.pairs, |record| PairRow::new(&parts, record)),
            parts,
            groups: Vec::new(),
            self_contacts: None,
            trace: None,
        }
    }
}

impl CheckReport {
    /// Returns the report with the ways out of its pairs, in their order.
    pub fn with_ways_out(mut self, found: &[Option<Separation>]) -> Self {
        self.settings.way_out = true;
        let rows = self.pairs.into_iter().zip(found);
        self.pairs = rows.map(|(row, found)| row.with_way_out(&self.parts, found.as_ref())).collect();
        self
    }

    /// Returns the report with the geometry of the contacts of its pairs, in their order.
    pub fn with_contact_geometries(mut self, found: &[Option<ContactGeometry>]) -> Self {
        self.settings.contact_geometry = true;
        let rows = self.pairs.into_iter().zip(found);
        self.pairs = rows.map(|(row, found)| row.with_contact_geometry(found.as_ref())).collect();
        self
    }

    /// Returns the report with the volumes that its pairs share, in their order.
    pub fn with_volumes(mut self, found: &[SharedVolume]) -> Self {
        let rows = self.pairs.into_iter().zip(found);
        self.pairs = rows.map(|(row, found)| row.with_volume(found)).collect();
        self
    }

    /// Returns the report with the contacts of each part with itself.
    pub fn with_self_contacts(mut self, found: Vec<Vec<[u32; 2]>>) -> Self {
        self.self_contacts = Some(SelfContactsRow::of(&self.parts, found));
        self
    }
}

impl PairRow {
    /// Returns the smallest distance of the surfaces, if the pair was asked.
    pub fn known_distance(&self) -> Option<f64> {
        Some(self.distance).filter(|distance| distance.is_finite())
    }

    fn new(parts: &[PartRow], record: PairRecord) -> Self {
        let location = record.location.map(|found| WhereRow {
            point: found.point.to_array(),
            bounds: found.bounds.map(|corner| corner.to_array()),
            on: found.way_out.map(|way| if way.on == 0 { PartOfPair::A } else { PartOfPair::B }),
            to: found.way_out.map(|way| Box::new(way.to.to_array())),
        });
        let middle = record.points.map(|[p, q]| (0.5 * p + 0.5 * q).to_array());
        Self {
            sides: Sides::new(parts, record.ids),
            at: location.as_ref().map(|found| found.point).or(middle),
            verdict: record.verdict,
            rule: Rarely::default(),
            status: Rarely::default(),
            distance: record.distance,
            contacts: record.contacts,
            triangles: record.triangles.map(Vec::into_boxed_slice),
            contained: ContainedRow::of(record.contained).map(Box::new),
            duplicate: record.duplicate,
            crossing: record.crossing,
            depth: record.depth.map(|Depth { at_least, at_most }| DepthRow { at_least, at_most }),
            depth_unknown: record.depth_unknown.map(String::into_boxed_str),
            location,
            points: record.points.map(|points| Box::new(points.map(|point| point.to_array()))),
            more: Rarely::default(),
        }
    }
}

// A crowd has two rows for each part: each word counts.
const _: () = assert!(size_of::<PairRow>() <= 304);
// The engine accounts for a row, and for its key of 20 bytes, when it lists a pair.
const _: () = assert!(size_of::<PairRow>() + 32 + size_of::<PairRecord>() / 8 <= ROW_BYTES);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::pair_key;
    use crate::{json, testing};

    #[test]
    fn the_report_has_the_keys_in_order() {
        let (scene, result) = testing::run();
        let digests = Digests::standing(&scene);
        let text = String::from_utf8(json::document(&CheckReport::new(&scene, result))).unwrap();
        let [mesh, pose] = [digests.parts[0].mesh, digests.parts[0].pose].map(|hash| hash.to_hex());
        let pairs =
            [["2O2Fr$t4X7Zf8NOew3FNtn", "m/nut"], ["m/bolt", "2O2Fr$t4X7Zf8NOew3FNtn"], ["m/nut", "m/x"]];
        let [k0, k1, k2] = pairs.map(|[a, b]| pair_key(a, b));
        let expected = format!(
            r#"{{
  "closefit": 2,
  "command": "check",
  "scene": {{"unit": "mm", "up": "z", "triangles": 4, "digest": "{}"}},
  "parts": [
    {{"id": 0, "key": "2O2Fr$t4X7Zf8NOew3FNtn", "name": "bolt", "type": "IfcFastener", "guid": "2O2Fr$t4X7Zf8NOew3FNtn", "model": "m", "file": "bolt.stl", "path": "/frame/bolt", "storey": "Level 1", "tags": ["fastener"], "mesh_digest": "{mesh}", "pose_digest": "{pose}", "at": [0.5, 0.5, 0]}},
    {{"id": 1, "key": "m/nut", "name": "nut", "type": null, "guid": null, "model": "m", "file": "nut.stl", "path": "/nut", "storey": null, "tags": [], "mesh_digest": "{mesh}", "pose_digest": "{pose}", "at": [0.5, 0.5, 0]}},
    {{"id": 2, "key": "m/bolt", "name": "bolt", "type": null, "guid": null, "model": "m", "file": "bolt.stl", "path": "/bolt", "storey": null, "tags": [], "mesh_digest": "{mesh}", "pose_digest": "{pose}", "at": [0.5, 0.5, 0]}},
    {{"id": 3, "key": "m/x", "name": "a,\"b\"\n", "type": null, "guid": null, "model": "m", "file": "x.stl", "path": "/x", "storey": null, "tags": [], "mesh_digest": "{mesh}", "pose_digest": "{pose}", "at": [0.5, 0.5, 0]}}
  ],
  "settings": {{"clearance": 5, "tolerance": 0.001}},
  "ledger": {{"pairs": 6, "excluded": {{"adjacent": 1}}, "apart": 1, "decided": 3, "undecided": 1}},
  "pairs": [
    {{"ids": [0, 1], "key": "{k0}", "a": "bolt", "b": "nut", "verdict": "clash", "distance": 0, "contacts": 12, "triangles": [[4, 17]], "contained": null, "duplicate": false, "crossing": false, "depth": {{"at_least": 0.12, "at_most": 0.1212}}, "at": [0, 0, 0], "where": {{"point": [0, 0, 0], "box": [[0, 0, 0], [1, 1, 1]]}}, "points": null}},
    {{"ids": [0, 2], "key": "{k1}", "a": "bolt", "b": "bolt", "verdict": "clearance", "distance": 0.25, "contacts": 0, "triangles": [], "contained": null, "duplicate": false, "crossing": false, "depth": null, "at": [0.125, 0, 0], "where": null, "points": [[0, 0, 0], [0.25, 0, 0]]}},
    {{"ids": [1, 3], "key": "{k2}", "a": "nut", "b": "a,\"b\"\n", "verdict": "undecided", "distance": 1e-7, "contacts": 0, "triangles": [], "contained": {{"undecidable": "the shell has 4 open edges"}}, "duplicate": false, "crossing": false, "depth": null, "depth_unknown": "neither part has a solid", "at": null, "where": null, "points": null}}
  ]
}}
"#,
            digests.scene.to_hex()
        );
        assert_eq!(text, expected);
        serde_json::from_str::<serde_json::Value>(&text).unwrap();
    }

    #[test]
    fn triangles_appear_only_on_request() {
        let (scene, mut result) = testing::run();
        result.pairs.iter_mut().for_each(|p| p.triangles = None);
        let text = String::from_utf8(json::document(&CheckReport::new(&scene, result))).unwrap();
        assert!(!text.contains("triangles\": ["));
    }
}
