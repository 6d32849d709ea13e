//! `closefit inspect --features`: the printed form, the document, and what is refused.

use std::fs;

use closefit_testing::command::*;
use serde_json::{Value, json};

/// Writes a file and returns its folder and path.
fn file(name: &str, content: &str) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, content).unwrap();
    let path = shown(&path).to_owned();
    (folder, path)
}

fn features(name: &str, content: &str) -> Value {
    let (_folder, path) = file(name, content);
    let output = run(&["inspect", &path, "--features", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    document["meshes"][0]["features"].clone()
}

#[test]
fn the_tables_name_hulls_and_concavities() {
    let (_folder, path) = file("cup.obj", CUP);
    let without = run(&["inspect", &path, "--unit", "mm"]);
    let output = run(&["inspect", &path, "--unit", "mm", "--features"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let (without, with) = (text(&without.stdout), text(&output.stdout));
    let expected = "
Convex hulls, in each mesh's own frame

 mesh  first part  vertices  edges   faces           subsets           pockets, mm³  hull, mm³
    0  cup                8  12 red  5 red, 1 mixed  1 on hull, 1 off            12  64

 mesh  first part  concavity  triangles  loops  caps  cap area, mm²
    0  cup                 1         10  1      1                 4
";
    assert_eq!(with, format!("{without}{expected}"));
    assert_eq!(run(&["inspect", &path, "--features", "--quiet"]).stdout, b"");
}

#[test]
fn the_document_lists_subsets_loops_and_caps() {
    let cup = features("cup.obj", CUP);
    let red = |n: u32| json!({"red": n, "green": 0});
    let faces = json!({"red": 5, "green": 0, "mixed": 1});
    assert_eq!(cup["hull"], json!({"vertices": red(8), "edges": red(12), "faces": faces, "volume": 64}));
    assert_eq!(cup["pocket_volume"], 12);
    assert_eq!(
        cup["subsets"],
        json!([
            {"id": 0, "side": "hull", "triangles": 18, "first": 0},
            {"id": 1, "side": "concavity", "triangles": 10, "first": 18}
        ])
    );
    let face = cup["caps"][0]["face"].clone();
    let cap = json!({"id": 0, "face": face, "subsets": [1], "triangles": 2, "area": 4, "exact": true});
    assert_eq!(cup["caps"], json!([cap]));
    let around = json!({"id": 0, "subset": 1, "vertices": 4, "closed": true, "faces": [face], "depth": 0});
    assert_eq!(cup["loops"], json!([around]));
}

#[test]
fn degenerate_meshes_have_features() {
    let cube = features("cube.obj", CUBE);
    assert_eq!((&cube["pocket_volume"], &cube["hull"]["faces"]["red"]), (&json!(0), &json!(6)));
    let open = features("open.obj", CUBE.rsplit_once("f 2").unwrap().0);
    assert_eq!((&open["pocket_volume"], &open["caps"][0]["subsets"]), (&json!(null), &json!([])));
    let (_folder, path) = file("open.obj", CUBE.rsplit_once("f 2").unwrap().0);
    let table = run(&["inspect", &path, "--unit", "mm", "--features"]);
    let table = text(&table.stdout).to_owned();
    assert!(table.contains("\n   1 cap over openings without a concavity: 1 mm²\n"), "{table}");
    assert!(table.contains("not closed") && table.ends_with("\nno concavities\n"), "{table}");
    for corners in
        ["v 1 2 3\nv 1 2 3\nv 1 2 3\n", "v 0 0 0\nv 1 1 1\nv 2 2 2\n", "v 0 0 0\nv 1 0 0\nv 0 1 0\n"]
    {
        let flat = features("flat.obj", &format!("{corners}f 1 2 3\n"));
        assert_eq!(flat["hull"]["volume"], 0, "{flat}");
        assert_eq!(flat["subsets"].as_array().unwrap().len(), 1);
    }
}

/// A scale may bring a mesh into range whose own coordinates are not.
#[test]
fn a_mesh_out_of_range_is_named() {
    let (folder, _) = file("huge.obj", "v 0 0 0\nv 1e300 0 0\nv 0 -1e301 0\nf 1 2 3\n");
    let matrix = json!([1e-300, 0, 0, 0, 0, 1e-300, 0, 0, 0, 0, 1e-300, 0]);
    let scene =
        json!({"unit": "mm", "parts": [{"name": "huge", "mesh": "huge.obj", "pose": {"matrix": matrix}}]});
    let path = folder.path().join("scene.json");
    fs::write(&path, scene.to_string()).unwrap();
    assert_eq!(run(&["inspect", shown(&path)]).status.code(), Some(0));
    let line = refusal(&["inspect", shown(&path), "--features"]);
    assert!(line.contains("scene.json: huge.obj: mesh 0: the coordinate -1e301 is beyond 2^200"), "{line}");
    let (_folder, path) = file("cup.obj", CUP);
    let line = refusal(&["inspect", &path, "--features", "--memory", "25kB"]);
    assert!(line.contains("the features of 28 triangles"), "{line}");
}
