//! `closefit sweep` as scripts see it, on scenes of moving cubes.

use std::fs;
use std::path::PathBuf;

use closefit_testing::command::*;
use serde_json::{Value, json};
use tempfile::TempDir;

/// Writes a manifest of unit cubes along the x axis from names, and times and positions of their keyframes.
fn cubes(parts: &[(&str, &[(f64, f64)])]) -> (TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("cube.obj"), CUBE).unwrap();
    let at = |x: f64| json!({"translation": [x, 0, 0], "rotation": [0, 0, 0, 1]});
    let part = |(name, stops): &(&str, &[(f64, f64)])| {
        let mut part = json!({"name": name, "mesh": "cube.obj"});
        if let [(_, x)] = stops {
            part["pose"] = at(*x);
        } else {
            let keyframe = |&(time, x): &(f64, f64)| {
                let mut key = at(x);
                key["time"] = json!(time);
                key
            };
            part["motion"] = json!({"keyframes": stops.iter().map(keyframe).collect::<Vec<_>>()});
        }
        part
    };
    let parts: Vec<Value> = parts.iter().map(part).collect();
    let path = dir.path().join("scene.json");
    fs::write(&path, json!({"unit": "mm", "parts": parts}).to_string()).unwrap();
    (dir, path)
}

/// A shuttle moves from one wall into another and back out of it; a third cube is far away.
fn shuttle() -> (TempDir, PathBuf) {
    cubes(&[
        ("left", &[(0.0, 0.0)]),
        ("shuttle", &[(0.0, 1.5), (4.0, 3.5), (6.0, 1.5)]),
        ("right", &[(0.0, 4.0)]),
        ("far", &[(0.0, 900.0)]),
    ])
}

#[test]
fn the_report_says_when_and_how_close() {
    let (_dir, scene) = shuttle();
    let arguments = [
        "sweep",
        shown(&scene),
        "--clearance",
        "0.6mm",
        "--precision",
        "0.001",
        "--tolerance",
        "0",
        "--json",
    ];
    let output = run(&arguments);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&report["closefit"], &report["command"]), (&json!(2), &json!("sweep")));
    let settings = json!({"clearance": 0.6, "tolerance": 0, "precision": 0.001, "from": 0, "to": 6});
    assert_eq!(serde_json::to_string(&report["settings"]).unwrap(), settings.to_string());
    let ledger =
        json!({"pairs": 6, "excluded": {"no relative motion": 3}, "apart": 1, "decided": 2, "undecided": 0});
    assert_eq!(report["ledger"], ledger);
    let [near, met] = report["pairs"].as_array().unwrap().as_slice() else { panic!("two pairs") };
    let keys: Vec<&String> = near.as_object().unwrap().keys().collect();
    let mut expected = [
        "ids",
        "key",
        "a",
        "b",
        "verdict",
        "time_of_contact",
        "start_contact",
        "again",
        "clearance",
        "at",
        "contained",
    ];
    expected.sort_unstable();
    assert_eq!(keys, expected);
    // Midway between the closest points, on faces that look at each other along x; and where they meet.
    assert!((near["at"][0].as_f64().unwrap() - 1.25).abs() < 0.001, "{near}");
    assert_eq!(met["at"], met["time_of_contact"]["point"]);
    assert_eq!((&near["ids"], &near["verdict"]), (&json!([0, 1]), &json!("clearance")));
    assert_eq!((&near["time_of_contact"], &near["again"]), (&Value::Null, &Value::Null));
    let closest = |end: &str| near["clearance"][end].as_f64().unwrap();
    assert!(closest("at_least") <= 0.5 && 0.5 <= closest("at_most"), "{near}");
    assert!(closest("at_most") - closest("at_least") <= 0.001, "{near}");
    assert_eq!((&met["ids"], &met["verdict"]), (&json!([1, 2]), &json!("clash")));
    let contact = &met["time_of_contact"];
    let time = |end: &str| contact[end].as_f64().unwrap();
    assert!(time("after") < 3.0 && (time("before") - 3.0).abs() < 0.002, "{met}");
    assert_eq!(contact["normal"], json!([1, 0, 0]));
    assert!(["edge/edge", "vertex/face", "face/vertex"].contains(&contact["feature"].as_str().unwrap()));
    assert_eq!((&met["start_contact"], &met["clearance"]["at_least"]), (&json!(false), &json!(0)));
    assert_eq!(met["clearance"]["at"], contact["before"]);
    // Other thread counts and strategies give the same output.
    for more in [
        &["--threads", "1"][..],
        &["--backend", "scalar"],
        &["--method", "interval"],
        &["--method", "interval", "--backend", "scalar"],
        &["--method", "redon"],
        &["--method", "triangles=roots", "--tree", "kdop6"],
        &["--method", "interval,k=0.05"],
        &["--method", "fronts=off,order=space-first", "--tree", "kdop18"],
        &["--tree", "rapid"],
        &["--tree", "rapid", "--method", "redon"],
        &["--tree", "rapid:split=min-max,leaf=1", "--method", "redon,subdivision=never"],
    ] {
        assert_eq!(run(&[&arguments[..], more].concat()).stdout, output.stdout);
    }
}

#[test]
fn times_bound_what_is_looked_at() {
    let (_dir, scene) = shuttle();
    let sweep = |more: &[&str]| run(&[&["sweep", shown(&scene), "--quiet"], more].concat()).status.code();
    assert_eq!(sweep(&["--to", "2.9"]), Some(0));
    assert_eq!(sweep(&["--from", "5.2"]), Some(0));
    assert_eq!(sweep(&["--from", "2.9", "--to", "3.1"]), Some(1));
    // In deep contact at the start, and never again afterwards.
    assert_eq!(sweep(&["--from", "4"]), Some(1));
    assert_eq!(sweep(&["--fail-on", "never"]), Some(0));
    assert_eq!(sweep(&["--to", "2.9", "--fail-on", "clearance", "--clearance", "1"]), Some(1));
}

#[test]
fn the_table_is_for_people() {
    let (_dir, scene) = shuttle();
    let output = run(&["sweep", shown(&scene), "--clearance", "0.6", "--precision", "0.001"]);
    let table = text(&output.stdout);
    let line = |words: &[&str]| line_with(table, words);
    line(&["4 parts", "unit mm", "0 to 6 s", "clearance 0.6 mm", "precision 0.001 mm"]);
    let clash = line(&["clash", "shuttle", "right", "2.99"]);
    let clearance = line(&["clearance", "left", "shuttle", "0.500", "0.0005"]);
    assert!(clash < clearance);
    line(&[
        "6 pairs: 1 clash, 0 undecided, 0 contact, 1 clearance, 0 clear, 1 apart, 3 excluded (no relative motion)",
    ]);
}

#[test]
fn files_and_traces_go_where_they_should() {
    let (dir, scene) = shuttle();
    let out = dir.path().join("out");
    let trace = ["sweep", shown(&scene), "--trace", "shuttle,right"];
    let output = run(&[&trace[..], &["--out", shown(&out), "--json"]].concat());
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(fs::read(out.join("report.json")).unwrap(), output.stdout);
    let file = |name: &str| fs::read_to_string(out.join(name)).unwrap();
    let pairs = file("pairs.csv");
    assert!(pairs.starts_with("key,id_a,id_b,a,b,type_a,"), "{pairs}");
    assert_eq!(pairs.lines().count(), 2);
    let record: Value = serde_json::from_str(&file("run.json")).unwrap();
    assert_eq!((&record["command"], &record["backend"]), (&json!("sweep"), &json!("simd")));
    assert!(record["work"]["triangle_tests"].as_u64().unwrap() > 0);
    let rows = file("trace.csv");
    assert!(rows.starts_with("time,distance\n0,1.5\n"), "{rows}");
    assert!(rows.lines().count() > 900 && rows.contains("\n4,0\n") && rows.ends_with("\n6,1.5\n"));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let distances = report["trace"]["distances"].as_array().unwrap();
    assert_eq!((&report["trace"]["ids"], &distances[0]), (&json!([1, 2]), &json!([0, 1.5])));
    assert_eq!(distances.len(), rows.lines().count() - 1);
    // With --json the report alone goes to stdout, and the trace is in it.
    assert_eq!(run(&[&trace[..], &["--json"]].concat()).stdout, output.stdout);
    // Without a directory the trace goes to stdout. Ids are accepted, in any order.
    for arguments in [&trace[..], &["sweep", shown(&scene), "--trace", "2,#1", "--quiet"]] {
        assert_eq!(text(&run(arguments).stdout), rows);
    }
}

#[test]
fn times_far_beyond_all_keyframes_are_times() {
    let (_dir, scene) = shuttle();
    let sweep = |more: &[&str]| {
        let arguments = ["sweep", shown(&scene), "--clearance", "0.6", "--precision", "0.001", "--json"];
        let report: Value = serde_json::from_slice(&run(&[&arguments[..], more].concat()).stdout).unwrap();
        report["pairs"].clone()
    };
    let whole = sweep(&[]);
    assert_eq!((&whole[0]["verdict"], &whole[1]["verdict"]), (&json!("clearance"), &json!("clash")));
    for longer in [&["--to", "1e60"][..], &["--from", "-1e60", "--to", "1e60"]] {
        let found = sweep(longer);
        assert_eq!((&found[0]["verdict"], &found[1]), (&json!("clearance"), &whole[1]), "{longer:?}");
    }
    let line = refusal(&["sweep", shown(&scene), "--to", "1e61"]);
    assert!(line.contains("scene.json: --to: '1e61': a time is a number of seconds, within 2^200"), "{line}");
    let (_far_dir, far) = cubes(&[("a", &[(0.0, 0.0)]), ("b", &[(0.0, 2.0), (1e61, 3.0)])]);
    let line = refusal(&["sweep", shown(&far)]);
    assert!(line.contains("part 'b'") && line.contains("the time 1e61 s is not within 2^200"), "{line}");
}

#[test]
fn a_scene_where_nothing_moves_is_swept_on_request_only() {
    let (dir, scene) = cubes(&[("a", &[(0.0, 0.0)]), ("b", &[(0.0, 0.5)]), ("c", &[(0.0, 0.75)])]);
    let out = dir.path().join("out");
    let line = refusal(&["sweep", shown(&scene), "--out", shown(&out)]);
    let told = "scene.json: nothing would be checked: nothing moves: 'closefit check' is for parts at rest";
    assert!(line.contains(told) && !out.exists(), "{line}");
    let output = run(&["sweep", shown(&scene), "--json", "--allow-empty", "--out", shown(&out)]);
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let ledger =
        json!({"pairs": 3, "excluded": {"no relative motion": 3}, "apart": 0, "decided": 0, "undecided": 0});
    assert_eq!((&report["ledger"], &report["pairs"]), (&ledger, &json!([])));
    assert_eq!((&report["settings"]["from"], &report["settings"]["to"]), (&json!(0), &json!(0)));
    let record: Value = serde_json::from_slice(&fs::read(out.join("run.json")).unwrap()).unwrap();
    assert_eq!(record["memory"]["tree_bytes"], json!(0));
    let table = run(&["sweep", shown(&scene), "--allow-empty", "--from", "2"]);
    assert!(text(&table.stdout).contains("unit mm; 2 to 2 s;"), "{}", text(&table.stdout));
    assert!(text(&table.stdout).contains("3 excluded (no relative motion)"));
    let trace = run(&["sweep", shown(&scene), "--allow-empty", "--trace", "a,c", "--to", "1.5"]);
    assert_eq!(text(&trace.stdout), "time,distance\n1.5,0\n");
}

#[test]
fn trees_are_built_for_pairs_that_meet() {
    let (dir, scene) =
        cubes(&[("a", &[(0.0, 0.0)]), ("b", &[(0.0, 9.0), (1.0, 5.0)]), ("c", &[(0.0, 90.0), (1.0, 80.0)])]);
    let bytes = |clearance: &str| {
        let out = dir.path().join(clearance);
        run(&["sweep", shown(&scene), "--clearance", clearance, "--out", shown(&out)]);
        let record: Value = serde_json::from_slice(&fs::read(out.join("run.json")).unwrap()).unwrap();
        record["memory"]["tree_bytes"].as_u64().unwrap()
    };
    assert_eq!(bytes("1"), 0);
    assert!(bytes("5") > 0);
}

#[test]
fn what_cannot_be_swept_is_one_line() {
    let (_dir, scene) = shuttle();
    let scene = shown(&scene);
    let (_still_dir, still) = cubes(&[("a", &[(0.0, 0.0)]), ("b", &[(0.0, 1.0)])]);
    let line = refusal(&["sweep", shown(&still), "--from", "2", "--to", "1"]);
    assert!(line.contains("scene.json: --from, --to: the sweep from 2 to 1 has no duration"), "{line}");
    for (more, told) in [
        (&["--from", "7"][..], "--from, --to: the sweep from 7 to 6 has no duration"),
        (&["--from", "2", "--to", "2"], "from 2 to 2"),
        (&["--precision", "1e-30"], "--precision: a precision of 1e-30 is too fine for f64 here"),
        (&["--precision", "0"], "--precision: '0' is not more than 0"),
        (&["--trace", "shuttle"], "--trace 'shuttle': it needs two parts"),
        (&["--trace", "shuttle,rihgt"], "there is no part 'rihgt': did you mean 'right'?"),
        (&["--trace", "shuttle,shuttle"], "two different parts"),
        (&["--trace", "0,9"], "there is no part '9'"),
    ] {
        let line = refusal(&[&["sweep", scene], more].concat());
        assert!(line.contains(told) && line.contains("scene.json: --"), "{more:?}: {line}");
    }
    let far = [("a", &[(0.0, 1e13), (1.0, 1e13 + 1.0)][..]), ("b", &[(0.0, 1e13 + 3.0)])];
    let (_far_dir, far) = cubes(&far);
    let line = refusal(&["sweep", shown(&far)]);
    assert!(line.contains("scene.json: --precision: the default precision of "), "{line}");
    let line = refusal(&["sweep", scene, "--precision", "1e-30"]);
    let smallest = line.trim().rsplit(' ').next().unwrap();
    assert_eq!(
        run(&["sweep", scene, "--to", "2", "--quiet", "--precision", smallest]).status.code(),
        Some(0)
    );
}
