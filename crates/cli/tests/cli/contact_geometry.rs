//! `check --contacts=geometry`, `--volume` and `--self`: what triangles and solids share, and parts that
//! touch themselves.

use std::fs;
use std::path::Path;

use closefit_testing::command::*;
use closefit_testing::meshes::cuboid;
use closefit_testing::rational::Triangle;
use serde_json::{Value, json};

/// Writes triangles as a file of vertices and faces.
pub fn obj(folder: &Path, name: &str, triangles: &[Triangle]) -> String {
    let mut text = String::new();
    for p in triangles.as_flattened() {
        text += &format!("v {:?} {:?} {:?}\n", p.x, p.y, p.z);
    }
    for k in 0..triangles.len() {
        text += &format!("f {} {} {}\n", 3 * k + 1, 3 * k + 2, 3 * k + 3);
    }
    let path = folder.join(name);
    fs::write(&path, text).unwrap();
    shown(&path).to_owned()
}

fn report(arguments: &[&str]) -> Value {
    let output = run(&[arguments, &["--json", "--fail-on", "never"]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn a_box_on_a_box_shares_a_rectangle() {
    let folder = tempfile::tempdir().unwrap();
    let lower = obj(folder.path(), "lower.obj", &cuboid([0.0; 3], [4.0, 3.0, 1.0]));
    let upper = obj(folder.path(), "upper.obj", &cuboid([1.0, 1.0, 1.0], [3.0, 2.0, 2.0]));
    let found = report(&["check", &lower, &upper, "--contacts=geometry"]);
    assert_eq!(found["settings"]["contact_geometry"], true);
    let pair = &found["pairs"][0];
    let geometry = &pair["geometry"];
    let count = pair["contacts"].as_u64().unwrap() as usize;
    assert_eq!(geometry["shared"].as_array().unwrap().len(), count);
    assert_eq!(pair["triangles"].as_array().unwrap().len(), count);
    let [patch] = &geometry["patches"].as_array().unwrap()[..] else { panic!("{geometry}") };
    assert_eq!(patch["pairs"], json!((0..count).collect::<Vec<_>>()));
    assert_eq!(patch["box"], json!([[1, 1, 1], [3, 2, 1]]));
    let measures = [&patch["area"], &patch["length"], &patch["closed"], &patch["normal"]];
    assert_eq!(measures, [&json!(2), &json!(6), &json!(true), &json!([0, 0, 1])]);
    assert_eq!(patch["points"].as_array().unwrap().len(), 4);

    // Without the flag, and with the list alone, the report has none of it.
    let mut bare = found.clone();
    bare["settings"].as_object_mut().unwrap().remove("contact_geometry");
    bare["pairs"][0].as_object_mut().unwrap().remove("geometry");
    assert_eq!(report(&["check", &lower, &upper, "--contacts"]), bare);
    assert_eq!(report(&["check", &lower, &upper, "--contacts=list"]), bare);
    bare["pairs"][0].as_object_mut().unwrap().remove("triangles");
    assert_eq!(report(&["check", &lower, &upper]), bare);
}

#[test]
fn every_tree_and_executor_gives_the_same_bytes() {
    let arguments = [
        "check",
        "examples/gearbox.glb",
        "--contacts=geometry",
        "--volume",
        "--self",
        "--json",
        "--fail-on",
        "never",
    ];
    let first = run(&arguments).stdout;
    let patches = |report: &Value| -> usize {
        let pairs = report["pairs"].as_array().unwrap().iter();
        pairs.filter_map(|pair| pair["geometry"]["patches"].as_array()).map(Vec::len).sum()
    };
    assert!(patches(&serde_json::from_slice(&first).unwrap()) > 1);
    for more in [["--backend", "scalar"], ["--tree", "octree"], ["--threads", "1"]] {
        assert!(run(&[&arguments[..], &more].concat()).stdout == first, "{more:?}");
    }
}

#[test]
fn parts_share_a_volume_or_a_reason_says_why_not() {
    let folder = tempfile::tempdir().unwrap();
    let part = |name: &str, triangles: &[Triangle]| obj(folder.path(), name, triangles);
    let block = part("block.obj", &cuboid([0.0; 3], [4.0, 3.0, 1.0]));
    let peg = part("peg.obj", &cuboid([1.0, 1.0, 0.5], [3.0, 2.0, 2.0]));
    let inner = part("inner.obj", &cuboid([0.25; 3], [0.5; 3]));
    let beside = part("beside.obj", &cuboid([4.0, 0.0, 0.0], [5.0; 3]));
    let tray = part("tray.obj", &cuboid([2.0, 0.5, -0.5], [2.5, 2.5, 0.5])[2..]);
    let arguments = ["check", &block, &peg, &inner, &beside, &tray, "--volume", "--clearance", "9"];
    let found = report(&arguments);
    assert_eq!(found["settings"]["volume"], true);
    let pair = |b: &str| {
        let mut pairs = found["pairs"].as_array().unwrap().iter();
        pairs.find(|pair| pair["a"] == "block" && pair["b"] == b).unwrap()
    };
    let bracket = |b: &str| ["at_least", "at_most"].map(|end| pair(b)["volume"][end].as_f64().unwrap());
    for (b, volume) in [("peg", 1.0), ("inner", 0.015625), ("beside", 0.0)] {
        let [least, most] = bracket(b);
        assert!(least <= volume && volume <= most && most - least <= 1e-12, "{b}: {least} {most}");
    }
    assert_eq!(pair("peg")["volume"]["centroid"], json!([2, 1.5, 0.75]));
    assert_eq!(pair("beside")["volume"]["centroid"], Value::Null);
    assert_eq!(pair("tray").get("volume"), None);
    assert_eq!(pair("tray")["volume_unknown"], "tray has no solid");

    // Parts that do not meet have neither, and without the flag no pair has.
    let apart = |pair: &Value| pair["a"] == "peg" && pair["b"] == "inner";
    let pairs = found["pairs"].as_array().unwrap();
    assert!(
        pairs
            .iter()
            .any(|pair| apart(pair) && pair.get("volume").is_none() && pair.get("volume_unknown").is_none())
    );
    let mut bare = found.clone();
    bare["settings"].as_object_mut().unwrap().remove("volume");
    for pair in bare["pairs"].as_array_mut().unwrap() {
        for key in ["volume", "volume_unknown"] {
            pair.as_object_mut().unwrap().remove(key);
        }
    }
    assert_eq!(report(&["check", &block, &peg, &inner, &beside, &tray, "--clearance", "9"]), bare);

    let out = folder.path().join("out");
    run(&[&arguments[..], &["--out", shown(&out), "--fail-on", "never"]].concat());
    let table = fs::read_to_string(out.join("pairs.csv")).unwrap();
    let ends = "volume_at_least,volume_at_most,volume_unknown,centroid_x,centroid_y,centroid_z";
    assert!(table.lines().next().unwrap().ends_with(ends), "{table}");
    assert!(table.lines().any(|line| line.ends_with(",,,tray has no solid,,,")), "{table}");
}

#[test]
fn a_part_that_passes_through_itself_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let crossing = [cuboid([0.0; 3], [2.0; 3]), cuboid([1.0; 3], [3.0; 3])].concat();
    let crossed = obj(folder.path(), "crossed.obj", &crossing);
    let whole = obj(folder.path(), "whole.obj", &cuboid([9.0; 3], [10.0; 3]));
    let found = report(&["check", &crossed, &whole, "--self"]);
    let [row] = &found["self_contacts"].as_array().unwrap()[..] else { panic!("{found}") };
    assert_eq!([&row["id"], &row["name"]], [&json!(0), &json!("crossed")]);
    let triangles = row["triangles"].as_array().unwrap();
    assert_eq!(row["contacts"], json!(triangles.len()));
    assert!(triangles.iter().all(|pair| pair[0].as_u64() < Some(12) && pair[1].as_u64() >= Some(12)));
    let said = run(&["check", &crossed, &whole, "--self"]);
    assert!(text(&said.stderr).contains("crossed: touches itself: "), "{}", text(&said.stderr));
    let other = obj(folder.path(), "other.obj", &cuboid([9.0; 3], [11.0; 3]));
    assert_eq!(report(&["check", &whole, &other, "--self"])["self_contacts"], json!([]));

    let inspected = run(&["inspect", &crossed, &whole, "--self", "--json"]);
    let inspected: Value = serde_json::from_slice(&inspected.stdout).unwrap();
    let counts = [0, 1].map(|mesh: usize| &inspected["meshes"][mesh]["self_contacts"]);
    assert_eq!(counts, [&row["contacts"], &json!(0)]);
    let table = run(&["inspect", &crossed, &whole, "--self"]);
    let counted = format!("pairs of triangles that touch or cross {}", row["contacts"]);
    assert!(text(&table.stdout).contains(&counted), "{}", text(&table.stdout));
    let bare = run(&["inspect", &crossed, &whole, "--json"]);
    assert!(!text(&bare.stdout).contains("self_contacts"));
}
