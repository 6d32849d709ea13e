//! A small finished run for this module's tests.

use std::collections::BTreeMap;
use std::sync::Arc;

use glam::DVec3;

use crate::document::{CheckReport, DepthRow, LedgerRow, PairRow, PartRow, Sides, pair_key};
use closefit::internals::engine::check;
use closefit::{
    CheckRequest, CheckResult, Containment, Counters, Depth, DepthDetail, Location, PairRecord, Unobserved,
    Verdict,
};
use closefit_geometry::ids::{MeshId, PartId};
use closefit_geometry::math::pose::Pose;
use closefit_geometry::mesh::Mesh;
use closefit_geometry::mesh::topology::Repairs;
use closefit_geometry::scene::{Part, Scene, Up};
use closefit_geometry::units::Unit;

fn part(name: &str, file: &str, path: &str, tags: &[&str]) -> Part {
    Part {
        model: "m".into(),
        file: file.into(),
        path: path.into(),
        tags: tags.iter().map(|&t| t.into()).collect(),
        ..Part::new(name, MeshId(0), Pose::IDENTITY)
    }
}

fn record(ids: [u32; 2], verdict: Verdict, distance: f64) -> PairRecord {
    let mut record = PairRecord::undecided(ids.map(PartId), "");
    (record.verdict, record.distance) = (verdict, distance);
    (record.triangles, record.contained) = (Some(Vec::new()), Containment::None);
    record
}

/// Returns four parts that share a triangle, two with the same name; a clash, a clearance and an undecided
/// pair.
pub fn run() -> (Scene, CheckResult) {
    let mesh = Mesh::new(&[DVec3::ZERO, DVec3::X, DVec3::Y], &[[0, 1, 2]]).unwrap();
    let scene = Scene {
        unit: Some(Unit::Mm),
        up: Some(Up::Z),
        meshes: vec![Arc::new(mesh)],
        parts: vec![
            Part {
                kind: Some("IfcFastener".into()),
                guid: Some("2O2Fr$t4X7Zf8NOew3FNtn".into()),
                storey: Some("Level 1".into()),
                ..part("bolt", "bolt.stl", "/frame/bolt", &["fastener"])
            },
            part("nut", "nut.stl", "/nut", &[]),
            part("bolt", "bolt.stl", "/bolt", &[]),
            part("a,\"b\"\n", "x.stl", "/x", &[]),
        ],
        ..Scene::default()
    };
    let mut clash = record([0, 1], Verdict::Clash, 0.0);
    (clash.contacts, clash.triangles) = (12, Some(vec![[4, 17]]));
    clash.depth = Some(Depth { at_least: 0.12, at_most: 0.1212 });
    clash.location = Some(Location { point: DVec3::ZERO, bounds: [DVec3::ZERO, DVec3::ONE], way_out: None });
    let mut clearance = record([0, 2], Verdict::Clearance, 0.25);
    clearance.points = Some([DVec3::ZERO, DVec3::X * 0.25]);
    let mut undecided = record([1, 3], Verdict::Undecided, 1e-7);
    undecided.contained = Containment::Undecidable("the shell has 4 open edges".into());
    undecided.depth_unknown = Some("neither part has a solid".into());

    let request = CheckRequest::default().clearance(5.0).tolerance(0.001);
    let request = request.list_contacts().depth(DepthDetail::Full);
    let mut result = check(&Scene::default(), &request, &Unobserved).expect("an empty scene can be checked");
    (result.ledger.pairs, result.ledger.apart) = (6, 1);
    (result.ledger.decided, result.ledger.undecided) = (3, 1);
    result.ledger.excluded = BTreeMap::from([("adjacent".into(), 1)]);
    result.pairs = vec![clash, clearance, undecided];
    result.repairs = vec![Repairs::default()];
    result.counters = Counters::default();
    (scene, result)
}

/// Returns the parts of that run's report.
pub fn parts() -> Vec<PartRow> {
    let (scene, result) = run();
    CheckReport::new(&scene, result).parts
}

/// Returns a part of a report, of a mesh and at a place of its own.
pub fn part_row(id: usize, key: &str, kind: Option<&str>) -> PartRow {
    PartRow {
        id,
        key: key.into(),
        name: key.into(),
        kind: kind.map(Into::into),
        guid: None,
        model: "m".into(),
        file: "m.glb".into(),
        path: format!("/{key}").into(),
        storey: None,
        tags: Arc::new([]),
        surface: false,
        chord: 0.0,
        deflection: 0.0,
        mesh_digest: blake3::hash(key.as_bytes()),
        pose_digest: blake3::hash(key.as_bytes()),
        at: [id as f64, 0.0, 0.0],
    }
}

/// Returns a pair of a report: a clash as deep as `overlap` says or, if that is negative, as far apart.
pub fn pair_row(parts: &[PartRow], ids: [usize; 2], overlap: f64, at: Option<[f64; 3]>) -> PairRow {
    let ids = [ids[0].min(ids[1]), ids[0].max(ids[1])];
    let [a, b] = ids.map(|id| &parts[id]);
    let ids = ids.map(|id| u32::try_from(id).unwrap());
    PairRow {
        sides: Sides { ids, key: pair_key(&a.key, &b.key), a: a.name.clone(), b: b.name.clone() },
        rule: Default::default(),
        status: Default::default(),
        verdict: if overlap > 0.0 { Verdict::Clash } else { Verdict::Clearance },
        distance: (-overlap).max(0.0),
        contacts: u64::from(overlap > 0.0),
        triangles: None,
        contained: None,
        duplicate: false,
        crossing: false,
        depth: (overlap > 0.0).then_some(DepthRow { at_least: overlap, at_most: 1.01 * overlap }),
        depth_unknown: None,
        at,
        location: None,
        points: None,
        more: Default::default(),
    }
}

/// Returns a report of these parts and pairs, sorted by ids.
pub fn report_of(parts: Vec<PartRow>, mut pairs: Vec<PairRow>) -> CheckReport {
    let (scene, result) = run();
    pairs.sort_by_key(|pair| pair.sides.ids);
    let pairs_in_all = (parts.len() * parts.len().saturating_sub(1) / 2) as u64;
    let ledger = LedgerRow {
        pairs: pairs_in_all,
        excluded: BTreeMap::new(),
        excluded_by: None,
        apart: pairs_in_all - pairs.len() as u64,
        decided: pairs.len() as u64,
        undecided: 0,
    };
    CheckReport { parts, pairs, ledger, ..CheckReport::new(&scene, result) }
}
