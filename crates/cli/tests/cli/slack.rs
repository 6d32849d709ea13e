//! `closefit slack` and `check --way-out`: tables, documents and refusals.

use std::fs;
use std::path::Path;

use closefit_testing::command::*;
use serde_json::{Value, json};

use crate::schema::validator_of;

/// Writes a cube on a plate with a wall at 0.25, all in mm, and returns the path of the manifest.
fn bench(folder: &Path) -> String {
    fs::write(folder.join("cube.obj"), CUBE).unwrap();
    let part = |name: &str, scale: [f64; 3], at: [f64; 3]| {
        let [x, y, z] = scale;
        let matrix = [x, 0.0, 0.0, at[0], 0.0, y, 0.0, at[1], 0.0, 0.0, z, at[2]];
        json!({ "name": name, "mesh": "cube.obj", "pose": { "matrix": matrix } })
    };
    let parts = [
        part("block", [1.0; 3], [0.0; 3]),
        part("plate", [10.0, 10.0, 1.0], [-5.0, -5.0, -1.0]),
        part("wall", [1.0, 10.0, 2.0], [1.25, -5.0, 0.5]),
    ];
    let path = folder.join("bench.json");
    fs::write(&path, json!({ "unit": "mm", "parts": parts }).to_string()).unwrap();
    shown(&path).to_owned()
}

fn document(arguments: &[&str]) -> Value {
    let output = run(arguments);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn a_part_slides_until_the_wall() {
    let folder = tempfile::tempdir().unwrap();
    let bench = bench(folder.path());
    let output = run(&["slack", &bench, "block"]);
    let table = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{table}");
    line_with(table, &["block: margin 0 mm", "nearest is plate at 0 mm", "touches plate"]);
    line_with(table, &["+x", "0.25", "wall", "slides on plate"]);
    line_with(table, &["-x", "free"]);
    line_with(table, &["about +x", "0°", "plate"]);
    line_with(table, &["about +z", "free", "slides on plate"]);
    line_with(table, &["1 of 3 parts examined"]);
    let found = document(&["slack", &bench, "block", "--clearance", "0.1mm", "--json"]);
    let right = &found["slack"][0]["shifts"][0];
    let [at_least, at_most] = ["at_least", "at_most"].map(|end| right[end].as_f64().unwrap());
    assert!(at_least <= 0.15 && 0.15 <= at_most + 1e-3 && right["stopped_by"]["name"] == "wall", "{right}");
}

#[test]
fn all_parts_are_in_the_table_and_the_files() {
    let folder = tempfile::tempdir().unwrap();
    let bench = bench(folder.path());
    let out = folder.path().join("out");
    let output = run(&["slack", &bench, "--all", "--out", shown(&out)]);
    let table = text(&output.stdout);
    line_with(table, &["part", "margin, mm", "least travel, mm", "way", "stopped by", "least turn, °"]);
    line_with(table, &["3 of 3 parts examined"]);
    let names = |folder: &Path| {
        let mut names: Vec<_> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    };
    assert_eq!(names(&out), ["slack.csv", "slack.json"]);
    let printed =
        run(&["slack", &bench, "0", "plate", "2", "--json", "--threads", "1", "--tree", "kdop14"]).stdout;
    assert!(printed == fs::read(out.join("slack.json")).unwrap(), "names, ids and --all, by any tree");
    let mut reader = csv::Reader::from_path(out.join("slack.csv")).unwrap();
    let rows: Vec<_> = reader.records().map(Result::unwrap).collect();
    assert_eq!(rows.len(), 3 * 12);
    assert!(rows[0].iter().any(|cell| cell == "wall") && rows[6].iter().any(|cell| cell == "rad"));
}

#[test]
fn the_document_is_what_its_schema_says() {
    let folder = tempfile::tempdir().unwrap();
    let bench = bench(folder.path());
    let validator = validator_of("slack");
    let flags = ["--clearance", "1", "--about", "-1,0,2.5mm", "--axes", "part", "--as-is", "--json"];
    for arguments in
        [&["slack", &bench, "--all", "--json"][..], &[&["slack", &bench, "block"][..], &flags].concat()]
    {
        let mut found = document(arguments);
        let errors: Vec<String> = validator.iter_errors(&found).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{errors:?}");
        for pointer in
            ["", "/settings", "/slack/0", "/slack/0/margin", "/slack/0/at_start/0", "/slack/0/turns/0"]
        {
            let mut more = found.clone();
            more.pointer_mut(pointer).unwrap().as_object_mut().unwrap().insert("unheard".into(), json!(1));
            assert!(!validator.is_valid(&more), "{pointer} takes any key");
        }
        found["slack"][0].as_object_mut().unwrap().remove("turns");
        assert!(!validator.is_valid(&found));
    }
}

#[test]
fn the_gearbox_has_room() {
    let found = document(&["slack", "examples/gearbox.glb", "planet_1", "--json"]);
    assert!(validator_of("slack").is_valid(&found));
    let row = &found["slack"][0];
    assert_eq!((row["shifts"].as_array().unwrap().len(), &row["name"]), (6, &json!("planet_1")));
}

#[test]
fn what_cannot_be_asked_is_refused_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let bench = bench(folder.path());
    let cube = folder.path().join("cube.obj");
    let rules = folder.path().join("rules.toml");
    let text = "closefit-rules = 1\n[[exclude]]\na = { name = \"block\" }\nb = {}\nreason = \"r\"\n";
    fs::write(&rules, text).unwrap();
    for (arguments, expected) in [
        (&["slack", &bench, "blok"][..], "bench.json: there is no part 'blok': did you mean 'block'?"),
        (&["slack", &bench], "bench.json: which parts? name them after the scene, or give --all"),
        (&["slack", &bench, "wall", "--all"], "bench.json: --all is about every part, 'wall' too"),
        (&["slack", shown(&cube), "cube"], "cube.obj: nothing would be checked: the scene has one part"),
        (&["slack", &bench, "block", "--about", "1,2"], "--about: '1,2': a point is three lengths, X,Y,Z"),
        (
            &["slack", &bench, "block", "--about", "1,x,2"],
            "--about: '1,x,2': a point is three lengths, X,Y,Z",
        ),
        (&["slack", &bench, "block", "--clearance", "-1"], "--clearance"),
        (
            &["slack", &bench, "block", "--precision", "1e-300"],
            "--precision: a precision of 1e-300 is too fine",
        ),
        (&["slack", &bench, "block", "--precision", "0"], "--precision: '0' is not more than 0"),
        (&["slack", &bench, "block", "--precision", "1e155"], "part 0 'block': the posed coordinate"),
        (&["slack", &bench, "block", "--tolerance", "1e308"], "part 0 'block': the posed coordinate -inf"),
        (&["slack", &bench, "block", "--at", "1"], "--at 1: nothing in the scene moves"),
        (&["slack", &bench, "block", "--backend", "gpu"], "gpu"),
        (&["slack", &bench, "block", "--about", "1e300,0,0"], "part 0 'block': the posed coordinate"),
        (&["slack", &bench, "block", "--rules", shown(&rules)], "no other part is asked against 'block'"),
        (
            &["check", &bench, "--way-out", "--depth", "none"],
            "--way-out: it needs depths, which --depth none",
        ),
        (&["slack"], "the following required arguments were not provided: <SCENE>..."),
    ] {
        let refusal = refusal(arguments);
        assert!(refusal.contains(expected), "{arguments:?}: {refusal}");
    }
}

/// A scene whose block is 0.25 mm too low.
fn sunk(folder: &Path) -> String {
    let path = bench(folder);
    let mut scene: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    scene["parts"][0]["pose"]["matrix"][11] = json!(-0.25);
    fs::write(&path, scene.to_string()).unwrap();
    path
}

#[test]
fn a_clash_has_a_way_out_where_it_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let sunk = sunk(folder.path());
    let out = folder.path().join("out");
    let output = run(&["check", &sunk, "--way-out", "--out", shown(&out)]);
    let table = text(&output.stdout);
    line_with(table, &["way out"]);
    line_with(table, &["clash", "block", "plate", "a by 0.2", " mm along +z, clear of all"]);
    let report: Value = serde_json::from_slice(&fs::read(out.join("report.json")).unwrap()).unwrap();
    let way = &report["pairs"][0]["way_out"];
    assert_eq!((&report["settings"]["way_out"], &way["part"]), (&json!(true), &json!("a")));
    assert!(way["at_least"].as_f64() <= Some(0.25) && way["at_most"].as_f64() > Some(0.25), "{way}");
    assert_eq!((&way["by"][0], &way["by"][1], &way["meets"]), (&json!(0), &json!(0), &json!([])));
    let pairs = fs::read_to_string(out.join("pairs.csv")).unwrap();
    assert!(pairs.lines().next().unwrap().ends_with(",way_out_z,way_out_leaves,way_out_meets"), "{pairs}");
    // Nothing of it where it is not asked for.
    let without = run(&["check", &sunk, "--json"]);
    assert!(!text(&without.stdout).contains("way_out"));
    let with = run(&["check", &sunk, "--way-out", "--json", "--tree", "octree", "--threads", "2"]);
    assert!(with.stdout == fs::read(out.join("report.json")).unwrap());
}
