//! `run.json` names the trees that a run built: those of its own kind, and of the kinds that it compares.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use closefit_testing::command::*;
use serde_json::Value;

/// Runs a command on a scene of two parts of different meshes. Returns the memory that it records.
fn memory(scene: &Path, command: &str, more: &[&str]) -> Value {
    let out = tempfile::tempdir().unwrap();
    let given = [command, shown(scene), "--clearance", "1", "--quiet", "--fail-on", "never"];
    let output = run(&[&given, more, &["--out", shown(out.path())]].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    let record: Value = serde_json::from_slice(&fs::read(out.path().join("run.json")).unwrap()).unwrap();
    record["memory"].clone()
}

/// Returns the number of trees of each kind.
fn counts(memory: &Value) -> BTreeMap<&str, u64> {
    let entry = |built: &'_ Value| {
        assert!(built["bytes"].as_u64().unwrap() > 0, "{built}");
        built["count"].as_u64().unwrap()
    };
    let trees = memory["trees"].as_array().unwrap();
    let counts: BTreeMap<&str, u64> =
        trees.iter().map(|built| (built["tree"].as_str().unwrap(), entry(built))).collect();
    assert_eq!(counts.len(), trees.len(), "a kind is named once");
    counts
}

#[test]
fn only_the_trees_that_were_asked_for_are_built() {
    let dir = tempfile::tempdir().unwrap();
    run(&["generate", "car-door", "--size", "1000", "--out", shown(dir.path())]);
    let scene = dir.path().join("car-door").join("scene.json");
    for command in ["check", "sweep"] {
        let by_default = memory(&scene, command, &[]);
        assert_eq!(counts(&by_default), BTreeMap::from([("obb", 2)]), "{command}");
        assert_eq!(by_default["trees"][0]["bytes"], by_default["tree_bytes"]);
        assert_eq!(by_default["hull_bytes"], 0);
        for &kind in closefit_methods::ALL {
            let memory = memory(&scene, command, &["--tree", kind.name()]);
            assert_eq!(counts(&memory), BTreeMap::from([(kind.name(), 2)]), "{command} {kind}");
        }
        let with_hulls = memory(&scene, command, &["--hull", "closest-features"]);
        assert_eq!(with_hulls["trees"], by_default["trees"]);
        assert!(with_hulls["hull_bytes"].as_u64().unwrap() > 0);
    }
    // A cross-check builds trees of its own, also of the run's kind.
    for &kind in closefit_methods::ALL {
        let compared = memory(&scene, "check", &["--cross-check", "rapid,octree", "--tree", kind.name()]);
        let mut expected = BTreeMap::from([("rapid", 2), ("octree", 2)]);
        *expected.entry(kind.name()).or_insert(2) += 2;
        assert_eq!(counts(&compared), expected, "{kind}");
    }
    let all = memory(&scene, "check", &["--cross-check", "all"]);
    let compared = closefit_methods::ALL.iter().filter(|kind| !kind.is_quadratic());
    let expected = compared.map(|kind| (kind.name(), if kind.name() == "obb" { 4 } else { 2 }));
    assert_eq!(counts(&all), expected.collect());
}

#[test]
fn no_tree_is_built_for_parts_that_are_apart() {
    let dir = tempfile::tempdir().unwrap();
    let scene = dir.path().join("scene.json");
    fs::write(dir.path().join("t.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").unwrap();
    let part = |name: &str, x: f64| serde_json::json!({ "name": name, "mesh": "t.obj", "pose": { "translation": [x, 0, 0] } });
    let parts = [part("a", 0.0), part("b", 9.0)];
    fs::write(&scene, serde_json::json!({ "parts": parts }).to_string()).unwrap();
    assert_eq!(memory(&scene, "check", &[])["trees"], serde_json::json!([]));
}

/// Writes files and a scene of parts `a` and `b`, each from one of them, the second shifted. Returns what the
/// program prints about the scene, the pairs of the report, and the number of trees.
fn checked(dir: &Path, files: [(&str, &str); 2]) -> (String, Value, u64) {
    files.iter().for_each(|(name, content)| fs::write(dir.join(name), content).unwrap());
    let part = |name: &str, mesh: &str, x: f64| serde_json::json!({ "name": name, "mesh": mesh, "pose": { "translation": [x, 0, 0] } });
    let parts = [part("a", files[0].0, 0.0), part("b", files[1].0, 0.75)];
    let (scene, out) = (dir.join("scene.json"), dir.join("out"));
    fs::write(&scene, serde_json::json!({ "parts": parts }).to_string()).unwrap();
    let output = run(&["check", shown(&scene), "--fail-on", "never", "--out", shown(&out)]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let read = |name: &str| -> Value { serde_json::from_slice(&fs::read(out.join(name)).unwrap()).unwrap() };
    let trees = counts(&read("run.json")["memory"])["obb"];
    (text(&output.stderr).to_owned(), read("report.json")["pairs"].clone(), trees)
}

/// Files of equal content are one mesh to the trees, and two to the notes on repairs. A mesh is another one
/// even if it differs in the order of its triangles alone.
#[test]
fn equal_meshes_share_a_tree() {
    let dir = tempfile::tempdir().unwrap();
    let flipped = CUBE.replace("f 2 4 8 6", "f 6 8 4 2");
    let reordered = CUBE.replace("f 1 3 4 2\nf 5 6 8 7\n", "f 5 6 8 7\nf 1 3 4 2\n");
    assert!(flipped != CUBE && reordered != CUBE);
    let (notes, pairs, trees) = checked(dir.path(), [("one.obj", &flipped), ("other.obj", &flipped)]);
    assert_eq!(trees, 1);
    assert!(pairs[0]["depth"]["at_most"].as_f64().unwrap() >= 0.25, "{pairs}");
    for file in ["one.obj", "other.obj"] {
        let tells = |line: &str| line.contains(file) && line.contains("1 shell turned");
        assert!(notes.lines().any(tells), "{file}: {notes}");
    }
    // One file for both parts gives the same answers.
    let (_, of_one, trees) = checked(dir.path(), [("one.obj", &flipped), ("one.obj", &flipped)]);
    assert_eq!((trees, of_one), (1, pairs.clone()));
    let (_, of_two, trees) = checked(dir.path(), [("one.obj", CUBE), ("other.obj", &reordered)]);
    assert_eq!((trees, &of_two[0]["verdict"]), (2, &pairs[0]["verdict"]));
}
