//! Findings of whole runs, as they are shown: what a picture, a label and a model say is what the report
//! says.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use closefit::{CheckRequest, Unobserved, Verdict};
use closefit_geometry::ids::PartId;
use closefit_geometry::scene::Scene;
use closefit_job::{CheckOptions, Job, Project, SweepOptions, read, read_from};
use closefit_picture::{Kind, Picture};
use closefit_report::{CheckReport, SweepReport};
use closefit_scene::read::{InMemory, ReadOptions};
use closefit_views::{Shown, Views};
use glam::DVec3;

/// Yellow, the colour of what parts share.
const SHARED: [u8; 3] = [0xff, 0xdd, 0x28];

/// A cube from 0 to 1.
const CUBE: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nv 0 0 1\nv 1 0 1\nv 0 1 1\nv 1 1 1\n\
    f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n";

/// Checks files of the repository with a clearance.
fn checked(file: &str, clearance: f64) -> (Scene, CheckReport) {
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join(file);
    check(read(&[path], &ReadOptions::default(), &Unobserved).expect("a scene"), clearance)
}

fn check(scene: closefit_job::ReadScene, clearance: f64) -> (Scene, CheckReport) {
    let job = Job::new(scene, Project::default()).expect("a job");
    let request: CheckRequest = job.check_request().expect("defaults").clearance(clearance);
    let found = job.check(&request, &CheckOptions::default(), &Unobserved).expect("a check");
    (job.scene().clone(), found.report)
}

/// Reads a manifest whose parts are cubes.
fn cubes(parts: &str) -> closefit_job::ReadScene {
    let manifest = format!(r#"{{ "unit": "m", "parts": [{parts}] }}"#);
    let mut files = InMemory::default();
    files.insert("scene.json", manifest).expect("a new path");
    files.insert("cube.obj", CUBE).expect("a new path");
    read_from(&files, &[PathBuf::from("scene.json")], &ReadOptions::default(), &Unobserved).expect("a scene")
}

/// Returns a part of a manifest at a place.
fn cube(name: &str, at: [f64; 3]) -> String {
    format!(r#"{{ "name": "{name}", "mesh": "cube.obj", "pose": {{ "translation": {at:?} }} }}"#)
}

fn yellow(picture: &Picture) -> f64 {
    let count = picture.pixels().iter().filter(|&&pixel| pixel == SHARED).count();
    count as f64 / picture.pixels().len() as f64
}

/// Every overlap is yellow, at once or in a closer look, and nothing else is.
#[test]
fn the_overlap_of_every_clash_is_seen_and_no_other() {
    let (scene, report) = checked("examples/gearbox.glb", 0.0001);
    let views = Views::of(&scene, &report);
    let mut kinds = HashSet::new();
    for pair in &report.pairs {
        let (view, picture) = (views.view(pair), views.picture(pair, [400, 300]));
        let kind = pair.kind();
        let is_seen = yellow(&picture) > 0.005 || kind == Kind::Overlap && view.detail.is_some();
        assert_eq!(is_seen, kind == Kind::Overlap, "{} {}: {}", pair.sides.a, pair.sides.b, yellow(&picture));
        kinds.insert(format!("{kind:?}"));
    }
    assert_eq!(kinds.len(), 3, "{kinds:?}");
}

/// The dimension of a clash is as long as its depth, that of a gap as the distance.
#[test]
fn dimensions_have_the_length_of_the_report() {
    let (scene, report) = checked("examples/gearbox.glb", 0.0001);
    let views = Views::of(&scene, &report);
    let mut measured = 0;
    for pair in &report.pairs {
        let finding = views.finding(pair);
        let Some([p, q]) = finding.measure else {
            assert_eq!(pair.verdict, Verdict::Contact);
            continue;
        };
        let length = p.distance(q);
        let [least, most] = pair.depth.map_or([pair.distance; 2], |depth| [depth.at_least, depth.at_most]);
        assert!(length >= least * (1.0 - 1e-9) && length <= most * (1.0 + 1e-9), "{length} {least} {most}");
        let shown: f64 = finding.label.split(' ').next().expect("a number").parse().expect("a number");
        assert!((shown * 0.001 - length).abs() < 0.006 * length, "{}: {length} m", finding.label);
        measured += 1;
    }
    assert_eq!(measured, 2);
}

#[test]
fn parts_in_the_same_space_are_shown_as_such() {
    let scene = cubes(&[cube("a", [0.0; 3]), cube("b", [0.0; 3])].join(","));
    let (scene, report) = check(scene, 0.0);
    let views = Views::of(&scene, &report);
    let pair = &report.pairs[0];
    assert!(pair.duplicate);
    let finding = views.finding(pair);
    assert_eq!((&finding.label[..], finding.measure, finding.kind), ("same space", None, Kind::Overlap));
    assert!(yellow(&views.picture(pair, [400, 300])) > 0.05);
}

/// A cube that moves by 1 m/s towards another, 2 m away, and a third that passes at 0.25 m.
fn passing() -> (Scene, SweepReport) {
    let moving = r#"{ "name": "b", "mesh": "cube.obj", "motion": { "keyframes": [
        { "time": 0, "translation": [3, 0, 0] }, { "time": 4, "translation": [-1, 0, 0] } ] } }"#;
    let parts = [cube("a", [0.0; 3]), moving.to_owned(), cube("c", [0.0, 1.25, 0.0])].join(",");
    let job = Job::new(cubes(&parts), Project::default()).expect("a job");
    let request = job.sweep_request(None, None).expect("defaults").clearance(0.5);
    let found = job.sweep(&request, &SweepOptions::default(), &Unobserved).expect("a sweep");
    (job.scene().clone(), found.report)
}

/// A finding of a sweep is shown with its parts where they are then.
#[test]
fn a_sweep_is_shown_at_the_time_of_each_finding() {
    let (scene, report) = passing();
    let views = Views::of(&scene, &report);
    let pair = |a: &str, b: &str| {
        report.pairs.iter().find(|pair| (&*pair.sides.a, &*pair.sides.b) == (a, b)).expect("a listed pair")
    };
    let clash = pair("a", "b");
    assert_eq!((clash.verdict, clash.kind()), (Verdict::Clash, Kind::Meeting));
    views.on_stage(clash, |stage, finding| {
        let time = finding.label.strip_prefix("contact at ").and_then(|rest| rest.strip_suffix(" s"));
        let time: f64 = time.expect("a time").parse().expect("a number");
        assert!((time - 2.0).abs() < 1e-3, "{time}");
        let [a, b] = finding.parts.map(|part| bounds(stage.scene(), part));
        // The second cube touches the first: it comes from the right.
        assert!((b[0].x - a[1].x).abs() < 1e-3, "{a:?} {b:?}");
    });
    let near = pair("b", "c");
    assert_eq!((near.verdict, near.kind()), (Verdict::Clearance, Kind::Gap));
    views.on_stage(near, |stage, finding| {
        let [p, q] = finding.measure.expect("two points");
        assert!((p.distance(q) - 0.25).abs() < 1e-3 && finding.label.starts_with("2"), "{}", finding.label);
        let [b, c] = finding.parts.map(|part| bounds(stage.scene(), part));
        let is_on = |p: DVec3, [lo, hi]: [DVec3; 2]| (p - p.clamp(lo, hi)).length() < 1e-9;
        assert!(is_on(p, b) && is_on(q, c), "{p} {b:?} {q} {c:?}");
    });
    assert_eq!(views.time(), clash.time());
}

fn bounds(scene: &Scene, part: PartId) -> [DVec3; 2] {
    let bounds = scene.mesh(part).posed_bounds(&scene.parts[part.index()].pose);
    [bounds.lo, bounds.hi]
}

/// A group is known by its key, and stands for its worst pair.
#[test]
fn findings_are_known_by_the_keys_of_the_report() {
    let (scene, report) = checked("examples/gearbox.glb", 0.0001);
    let views = Views::of(&scene, &report);
    for group in &report.groups {
        assert_eq!(views.with_key(&group.key).map(|pair| &pair.sides.key), Some(&group.pairs[0]));
    }
    for pair in &report.pairs {
        assert_eq!(views.with_key(&pair.sides.key), Some(pair));
    }
    assert_eq!(views.with_key("none"), None);
}

/// The worst dots are drawn last. Contacts have none.
#[test]
fn the_whole_scene_has_a_dot_per_finding() {
    let (scene, report) = checked("examples/gearbox.glb", 0.0001);
    let dots = Views::of(&scene, &report).dots();
    assert_eq!(dots.iter().map(|dot| dot.kind).collect::<Vec<_>>(), [Kind::Gap, Kind::Overlap]);
}

/// The reader of scenes finds the parts of the findings where they were, and the marks where the findings
/// are.
#[test]
fn the_model_has_the_parts_of_all_findings_in_their_places() {
    let parts =
        [cube("a", [0.0; 3]), cube("b", [0.5, 0.0, 0.0]), cube("c", [9.0; 3]), cube("d", [0.9, 0.9, 0.5])];
    let (scene, report) = check(cubes(&parts.join(",")), 0.0);
    let mut files = InMemory::default();
    files
        .insert("clashes.glb", Views::of(&scene, &report).glb().expect("a small model"))
        .expect("a new path");
    let model = read_from(&files, &[PathBuf::from("clashes.glb")], &ReadOptions::default(), &Unobserved);
    let model = model.expect("a model").scene;
    let named = |name: &str| {
        let index = model.parts.iter().position(|part| &*part.name == name);
        PartId(index.unwrap_or_else(|| panic!("{name}")) as u32)
    };
    // Up is y in glTF, and z in the manifest.
    let turned = |[lo, hi]: [DVec3; 2]| [DVec3::new(lo.x, lo.z, -hi.y), DVec3::new(hi.x, hi.z, -lo.y)];
    for (index, name) in ["a", "b", "d"].iter().enumerate() {
        let found = bounds(&model, named(name));
        let expected = turned(bounds(&scene, PartId([0, 1, 3][index])));
        assert!((0..2).all(|k| found[k].distance(expected[k]) < 1e-6), "{name}: {found:?} {expected:?}");
    }
    assert_eq!(model.parts.len(), 3 + report.pairs.len());
    for pair in &report.pairs {
        let [lo, hi] = bounds(&model, named(&format!("clash: {} x {}", pair.sides.a, pair.sides.b)));
        let [x, y, z] = pair.at.expect("a place");
        assert!((0.5 * (lo + hi)).distance(DVec3::new(x, z, -y)) < 1e-6);
    }
}
