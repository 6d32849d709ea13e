//! The rows of a report: one schema, from which `report.json` and `pairs.csv` are written.

use std::collections::BTreeMap;
use std::sync::Arc;

use blake3::Hash;
use serde::{Serialize, Serializer};

use crate::engine::{CheckResult, Ledger};
use crate::ids::PartId;
use crate::mesh::topology::Winding;
use crate::query::{Containment, Depth, DepthDetail, PairRecord, Verdict};
use crate::scene::digest::Digests;
use crate::scene::keys::{PartKeys, pair_key};
use crate::scene::{Part, Scene, Up};
use crate::units::Unit;

/// The version of the files' format.
pub(super) const FORMAT: u32 = 2;

/// `report.json`: a pure function of input and settings. The order of fields is the order of keys. Commands
/// differ in settings and pairs.
#[derive(Debug, Serialize)]
pub struct Report<'a, S = Settings, P = PairRow<'a>> {
    closefit: u32,
    command: &'static str,
    scene: SceneRow,
    parts: Vec<PartRow<'a>>,
    settings: S,
    ledger: LedgerRow<'a>,
    pub(super) pairs: Vec<P>,
}

#[derive(Debug, Serialize)]
struct SceneRow {
    unit: Option<Unit>,
    up: Option<Up>,
    triangles: u64,
    #[serde(serialize_with = "hexadecimal")]
    digest: Hash,
}

/// A part as every report shows it. What the files do not say is `null`.
#[derive(Debug, Serialize)]
pub(super) struct PartRow<'a> {
    id: usize,
    key: Arc<str>,
    name: &'a str,
    #[serde(rename = "type")]
    kind: Option<&'a str>,
    guid: Option<&'a str>,
    model: &'a str,
    file: &'a str,
    path: &'a str,
    storey: Option<&'a str>,
    tags: &'a [String],
    /// Declared a surface: what is open in it is no solid with something missing.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    surface: bool,
    #[serde(serialize_with = "hexadecimal")]
    digest: Hash,
}

fn hexadecimal<S: Serializer>(hash: &Hash, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&hash.to_hex())
}

/// Of a check.
#[derive(Debug, Serialize)]
pub struct Settings {
    clearance: f64,
    tolerance: f64,
    /// Only where less than all was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    depth: Option<&'static str>,
    /// Only where a time was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<f64>,
    #[serde(flatten)]
    meshes: MeshSettings,
}

/// How meshes are taken; says nothing where that is as usual.
#[derive(Debug, Serialize)]
pub(super) struct MeshSettings {
    /// Winding and seams are not repaired.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    as_is: bool,
}

impl MeshSettings {
    pub fn new(winding: Winding) -> Self {
        Self { as_is: winding == Winding::AsFound }
    }
}

#[derive(Debug, Serialize)]
struct LedgerRow<'a> {
    pairs: u64,
    excluded: &'a BTreeMap<String, u64>,
    apart: u64,
    decided: u64,
    undecided: u64,
}

/// The two parts of a pair, the one with the lower id first.
#[derive(Debug, Serialize)]
pub(super) struct Sides<'a> {
    pub ids: [u32; 2],
    pub key: String,
    a: &'a str,
    b: &'a str,
    #[serde(skip)]
    pub parts: [&'a Part; 2],
    /// The keys of both parts.
    #[serde(skip)]
    pub keys: [Arc<str>; 2],
}

impl<'a> Sides<'a> {
    pub fn new(scene: &'a Scene, keys: &PartKeys, ids: [PartId; 2]) -> Self {
        let parts = ids.map(|id| &scene.parts[id.index()]);
        let keys = ids.map(|id| keys.of_part[id.index()].clone());
        let [a, b] = parts.map(|part| &part.name[..]);
        Self { ids: ids.map(|id| id.0), key: pair_key(&keys[0], &keys[1]), a, b, parts, keys }
    }
}

/// One listed pair of a check.
#[derive(Debug, Serialize)]
pub struct PairRow<'a> {
    #[serde(flatten)]
    pub(super) sides: Sides<'a>,
    pub(super) verdict: &'static str,
    pub(super) distance: f64,
    pub(super) contacts: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) triangles: Option<&'a [[u32; 2]]>,
    pub(super) contained: Option<ContainedRow<'a>>,
    pub(super) duplicate: bool,
    pub(super) crossing: bool,
    pub(super) depth: Option<DepthRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) depth_unknown: Option<&'a str>,
    #[serde(rename = "where")]
    pub(super) location: Option<WhereRow>,
    pub(super) points: Option<[[f64; 3]; 2]>,
}

/// One part inside another, or why that cannot be told.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum ContainedRow<'a> {
    Known(&'static str),
    Unknown { undecidable: &'a str },
}

impl<'a> ContainedRow<'a> {
    pub(super) fn of(contained: &'a Containment) -> Option<Self> {
        match contained {
            Containment::None => None,
            Containment::AInB => Some(Self::Known("a in b")),
            Containment::BInA => Some(Self::Known("b in a")),
            Containment::Undecidable(undecidable) => Some(Self::Unknown { undecidable }),
        }
    }
}

#[derive(Debug, Serialize)]
pub(super) struct DepthRow {
    pub at_least: f64,
    pub at_most: f64,
}

#[derive(Debug, Serialize)]
pub(super) struct WhereRow {
    pub point: [f64; 3],
    #[serde(rename = "box")]
    pub bounds: [[f64; 3]; 2],
}

/// A verdict as users see it and type it.
pub fn verdict_word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Clash => "clash",
        Verdict::Meets => "meets",
        Verdict::Undecided => "undecided",
        Verdict::Contact => "contact",
        Verdict::Clearance => "clearance",
        Verdict::Clear => "clear",
    }
}

/// How much was asked about depths, where that is not all.
pub fn depth_word(depth: DepthDetail) -> Option<&'static str> {
    match depth {
        DepthDetail::Full => None,
        DepthDetail::Verdict => Some("verdict"),
        DepthDetail::None => Some("none"),
    }
}

impl<'a> Report<'a> {
    /// The report of a `check`.
    pub fn new(scene: &'a Scene, result: &'a CheckResult) -> Self {
        let settings = Settings {
            clearance: result.request.clearance,
            tolerance: result.request.tolerance,
            depth: depth_word(result.request.depth),
            at: scene.time,
            meshes: MeshSettings::new(result.request.winding),
        };
        let keys = PartKeys::of(scene);
        let pairs = result.pairs.iter().map(|record| PairRow::new(scene, &keys, record)).collect();
        Self::of("check", scene, &keys, &result.digests, settings, &result.ledger, pairs)
    }
}

impl<'a, S, P> Report<'a, S, P> {
    /// What every command reports, and its own settings and pairs.
    pub(super) fn of(
        command: &'static str,
        scene: &'a Scene,
        keys: &PartKeys,
        digests: &Digests,
        settings: S,
        ledger: &'a Ledger,
        pairs: Vec<P>,
    ) -> Self {
        Self {
            closefit: FORMAT,
            command,
            scene: SceneRow {
                unit: scene.unit,
                up: scene.up,
                triangles: super::triangle_count(scene),
                digest: digests.scene,
            },
            parts: part_rows(scene, keys, digests),
            settings,
            ledger: LedgerRow {
                pairs: ledger.pairs,
                excluded: &ledger.excluded,
                apart: ledger.apart,
                decided: ledger.decided,
                undecided: ledger.undecided,
            },
            pairs,
        }
    }
}

/// All parts of a scene, in its order.
pub(super) fn part_rows<'a>(scene: &'a Scene, keys: &PartKeys, digests: &Digests) -> Vec<PartRow<'a>> {
    let rows = scene.parts.iter().zip(&keys.of_part).zip(&digests.parts).enumerate();
    rows.map(|(id, ((part, key), &digest))| PartRow {
        id,
        key: key.clone(),
        name: &part.name,
        kind: part.kind.as_deref(),
        guid: part.guid.as_deref(),
        model: &part.model,
        file: &part.file,
        path: &part.path,
        storey: part.storey.as_deref(),
        tags: &part.tags,
        surface: part.is_surface,
        digest,
    })
    .collect()
}

impl<'a> PairRow<'a> {
    fn new(scene: &'a Scene, keys: &PartKeys, record: &'a PairRecord) -> Self {
        Self {
            sides: Sides::new(scene, keys, record.ids),
            verdict: verdict_word(record.verdict),
            distance: record.distance,
            contacts: record.contacts,
            triangles: record.triangles.as_deref(),
            contained: ContainedRow::of(&record.contained),
            duplicate: record.duplicate,
            crossing: record.crossing,
            depth: record.depth.map(|Depth { at_least, at_most }| DepthRow { at_least, at_most }),
            depth_unknown: record.depth_unknown.as_deref(),
            location: record
                .location
                .map(|l| WhereRow { point: l.point.to_array(), bounds: l.bounds.map(|p| p.to_array()) }),
            points: record.points.map(|points| points.map(|p| p.to_array())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{csv, json, table, testing};
    use super::*;

    #[test]
    fn the_report_has_the_keys_in_order() {
        let (scene, result) = testing::run();
        let text = String::from_utf8(json::document(&Report::new(&scene, &result))).unwrap();
        let digests = &result.digests;
        let [d0, d1, d2, d3] = [0, 1, 2, 3].map(|part: usize| digests.parts[part].to_hex());
        let pairs =
            [["2O2Fr$t4X7Zf8NOew3FNtn", "m/nut"], ["m/bolt", "2O2Fr$t4X7Zf8NOew3FNtn"], ["m/nut", "m/x"]];
        let [k0, k1, k2] = pairs.map(|[a, b]| pair_key(a, b));
        let expected = format!(
            r#"{{
  "closefit": 2,
  "command": "check",
  "scene": {{"unit": "mm", "up": "z", "triangles": 4, "digest": "{}"}},
  "parts": [
    {{"id": 0, "key": "2O2Fr$t4X7Zf8NOew3FNtn", "name": "bolt", "type": "IfcFastener", "guid": "2O2Fr$t4X7Zf8NOew3FNtn", "model": "m", "file": "bolt.stl", "path": "/frame/bolt", "storey": "Level 1", "tags": ["fastener"], "digest": "{d0}"}},
    {{"id": 1, "key": "m/nut", "name": "nut", "type": null, "guid": null, "model": "m", "file": "nut.stl", "path": "/nut", "storey": null, "tags": [], "digest": "{d1}"}},
    {{"id": 2, "key": "m/bolt", "name": "bolt", "type": null, "guid": null, "model": "m", "file": "bolt.stl", "path": "/bolt", "storey": null, "tags": [], "digest": "{d2}"}},
    {{"id": 3, "key": "m/x", "name": "a,\"b\"\n", "type": null, "guid": null, "model": "m", "file": "x.stl", "path": "/x", "storey": null, "tags": [], "digest": "{d3}"}}
  ],
  "settings": {{"clearance": 5, "tolerance": 0.001}},
  "ledger": {{"pairs": 6, "excluded": {{"adjacent": 1}}, "apart": 1, "decided": 3, "undecided": 1}},
  "pairs": [
    {{"ids": [0, 1], "key": "{k0}", "a": "bolt", "b": "nut", "verdict": "clash", "distance": 0, "contacts": 12, "triangles": [[4, 17]], "contained": null, "duplicate": false, "crossing": false, "depth": {{"at_least": 0.12, "at_most": 0.1212}}, "where": {{"point": [0, 0, 0], "box": [[0, 0, 0], [1, 1, 1]]}}, "points": null}},
    {{"ids": [0, 2], "key": "{k1}", "a": "bolt", "b": "bolt", "verdict": "clearance", "distance": 0.25, "contacts": 0, "triangles": [], "contained": null, "duplicate": false, "crossing": false, "depth": null, "where": null, "points": [[0, 0, 0], [0.25, 0, 0]]}},
    {{"ids": [1, 3], "key": "{k2}", "a": "nut", "b": "a,\"b\"\n", "verdict": "undecided", "distance": 1e-7, "contacts": 0, "triangles": [], "contained": {{"undecidable": "the shell has 4 open edges"}}, "duplicate": false, "crossing": false, "depth": null, "depth_unknown": "neither part has a solid", "where": null, "points": null}}
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
        let text = String::from_utf8(json::document(&Report::new(&scene, &result))).unwrap();
        assert!(!text.contains("triangles\": ["));
    }

    #[test]
    fn the_csv_has_a_row_per_pair() {
        let (scene, result) = testing::run();
        let text = String::from_utf8(csv::pairs(&Report::new(&scene, &result))).unwrap();
        let mut reader = ::csv::Reader::from_reader(text.as_bytes());
        let header = reader.headers().unwrap().clone();
        let rows: Vec<_> = reader.records().map(Result::unwrap).collect();
        let cell =
            |row: usize, name: &str| rows[row][header.iter().position(|h| h == name).expect(name)].to_owned();
        assert_eq!(rows.len(), 3);
        assert_eq!((cell(0, "verdict"), cell(0, "depth_at_most")), ("clash".into(), "0.1212".into()));
        assert_eq!((cell(1, "b_x"), cell(1, "where_x")), ("0.25".into(), String::new()));
        assert_eq!(cell(1, "key"), pair_key("2O2Fr$t4X7Zf8NOew3FNtn", "m/bolt"));
        let side = |row: usize, side: &str| {
            ["type", "model", "storey", "key"].map(|name| cell(row, &format!("{name}_{side}")))
        };
        assert_eq!(side(1, "a"), ["IfcFastener", "m", "Level 1", "2O2Fr$t4X7Zf8NOew3FNtn"]);
        assert_eq!(side(1, "b"), ["", "m", "", "m/bolt"]);
        assert_eq!(cell(2, "b"), r#"a,"b"\n"#);
        assert_eq!(cell(2, "contained"), "undecidable: the shell has 4 open edges");
        assert_eq!(cell(2, "depth_unknown"), "neither part has a solid");
    }

    #[test]
    fn the_table_shows_the_worst_first_and_tells_names_apart() {
        let (scene, result) = testing::run();
        let text = table::pairs(&scene, &result, 2, None);
        let line = |word: &str| text.lines().position(|l| l.contains(word)).unwrap_or(usize::MAX);
        assert!(line("clash") < line("undecided"));
        assert!(text.contains("bolt #0") && text.contains("a,\"b\"\\n") && !text.contains("nut #"));
        assert!(text.contains("depth     0.1200 to 0.1212"), "{text}");
        assert!(text.contains("\n   the shell has 4 open edges\n"), "{text}");
        assert!(text.contains("and 1 more: see --out or --json") && !text.contains("0.25"), "{text}");
        let counts = table::counts(result.pairs.iter().map(|p| p.verdict), &result.ledger);
        assert_eq!(
            counts,
            "6 pairs: 1 clash, 1 undecided, 0 contact, 1 clearance, 1 clear, 1 apart, 1 excluded (adjacent)"
        );
    }
}
