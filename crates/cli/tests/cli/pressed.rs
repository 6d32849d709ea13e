//! `closefit sweep` of parts that start in contact and are pressed into each other, and claims about them.

use std::fs;

use closefit_testing::command::*;
use serde_json::{Value, json};
use tempfile::TempDir;

/// The triangles of a box whose corners are numbered by x, then y, then z.
const FACES: [[u32; 3]; 12] = [
    [1, 2, 4],
    [1, 4, 3],
    [5, 7, 8],
    [5, 8, 6],
    [1, 5, 6],
    [1, 6, 2],
    [3, 4, 8],
    [3, 8, 7],
    [1, 3, 7],
    [1, 7, 5],
    [2, 6, 8],
    [2, 8, 4],
];

/// Returns the text of an OBJ file with a box.
pub fn block([lo, hi]: [[f64; 3]; 2]) -> String {
    let corners =
        (0..8).map(|k| [0, 1, 2].map(|axis| if k >> (2 - axis) & 1 == 0 { lo[axis] } else { hi[axis] }));
    let vertices: String = corners.map(|[x, y, z]| format!("v {x} {y} {z}\n")).collect();
    vertices + &FACES.map(|[a, b, c]| format!("f {a} {b} {c}\n")).concat()
}

/// A table, and a box that starts at a height and moves by a straight way within a second.
fn press(table: [[f64; 3]; 2], own: [[f64; 3]; 2], height: f64, way: [f64; 3]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("table.obj"), block(table)).unwrap();
    fs::write(folder.path().join("box.obj"), block(own)).unwrap();
    let [x, y, z] = way;
    let keys = json!([
        {"time": 0, "translation": [0, 0, height]},
        {"time": 1, "translation": [x, y, height + z]},
    ]);
    let parts = json!([
        {"name": "table", "mesh": "table.obj"},
        {"name": "box", "mesh": "box.obj", "motion": {"between": "linear", "keyframes": keys}},
    ]);
    let scene = json!({"unit": "mm", "parts": parts});
    fs::write(folder.path().join("press.json"), scene.to_string()).unwrap();
    folder
}

/// A box of 40 mm that sinks by 60 mm into a table of 100 mm, and slides.
fn sinking(height: f64) -> TempDir {
    let (table, own) =
        ([[-200.0, -200.0, -100.0], [200.0, 200.0, 0.0]], [[-20.0, -20.0, 0.0], [20.0, 20.0, 40.0]]);
    press(table, own, height, [100.0, 0.0, -60.0 - height])
}

fn pair(report: &[u8]) -> Value {
    let report: Value = serde_json::from_slice(report).unwrap();
    report["pairs"][0].clone()
}

#[test]
fn a_box_pressed_into_a_table_clashes() {
    let folder = sinking(0.0);
    let (code, table, _) = run_in(folder.path(), &["sweep", "press.json", "--out", "out"]);
    assert_eq!(code, 1);
    assert!(table.contains("1 clash"), "{table}");
    assert!(table.contains("from the start, pressed 50.0 mm at "), "{table}");
    let found = pair(&fs::read(folder.path().join("out/report.json")).unwrap());
    assert_eq!((&found["verdict"], &found["start_contact"]), (&json!("clash"), &json!(true)));
    let [at_least, at_most, at] =
        ["at_least", "at_most", "at"].map(|key| found["pressed"][key].as_f64().unwrap());
    // Its sides are deepest in the middle of the table, from the time on at which its bottom is there.
    assert!(at_least <= 50.0 && 50.0 <= at_most && at_most <= 1.01 * at_least, "{found}");
    assert!(at_least <= (60.0 * at).min(50.0) + 1e-9 && at <= 1.0, "{found}");
    let csv = fs::read_to_string(folder.path().join("out/pairs.csv")).unwrap();
    let [header, row] = csv.lines().collect::<Vec<_>>()[..] else { panic!("{csv}") };
    let column = header.split(',').position(|name| name == "pressed_at_most").unwrap();
    assert_eq!(row.split(',').nth(column).unwrap().parse(), Ok(at_most));
}

#[test]
fn a_press_that_starts_just_above_the_table_clashes() {
    let folder = sinking(0.002);
    let (code, report, _) = run_in(folder.path(), &["sweep", "press.json", "--json"]);
    let found = pair(report.as_bytes());
    assert_eq!((code, &found["verdict"], &found["start_contact"]), (1, &json!("clash"), &json!(false)));
    assert!(found["precision"].as_f64().unwrap() < 2.0 * 0.002, "{found}");
    assert!(found.get("pressed").is_none(), "{found}");
}

#[test]
fn a_claim_about_parts_pressed_together_is_violated() {
    // Unit cubes that touch, and one moves 0.6 mm into the other.
    let cube = [[-0.5; 3], [0.5; 3]];
    let folder = press(cube, cube, 1.0, [0.0, 0.0, -0.6]);
    let rules = "closefit-rules = 1\nunit = \"mm\"\n[[require]]\nid = \"g\"\na = { name = \"table\" }\n\
        b = { name = \"box\" }\nclearance = 0\nover = \"motion\"\n";
    fs::write(folder.path().join("p0.toml"), rules).unwrap();
    let arguments = ["sweep", "press.json", "--rules", "p0.toml", "--out", "out"];
    let (code, table, _) = run_in(folder.path(), &arguments);
    assert_eq!(code, 1, "{table}");
    assert!(table.contains("violated 0.49") && table.contains(" mm deep at 0.83"), "{table}");
    let bytes = fs::read(folder.path().join("out/certificate.json")).unwrap();
    let certificate: Value = serde_json::from_slice(&bytes).unwrap();
    let claim = &certificate["claims"][0];
    assert_eq!((&claim["outcome"], &claim["measure"]), (&json!("violated"), &json!("depth")), "{claim}");
    // The middle of a face is no farther from the other cube's sides than that.
    let [low, high] = ["at_least", "at_most"].map(|end| claim["found"][end].as_f64().unwrap());
    assert!(low <= 0.5 && 0.5 <= high && high <= 1.01 * low, "{claim}");
}

#[test]
fn a_pressed_pair_of_shards_and_of_a_resumed_run_has_the_same_bytes() {
    let folder = sinking(0.0);
    let sweep =
        |more: &[&str]| run_in(folder.path(), &[&["sweep", "press.json", "--intervals"], more].concat());
    let files = |out: &str| {
        ["report.json", "pairs.csv", "intervals.csv"]
            .map(|file| fs::read(folder.path().join(out).join(file)).unwrap())
    };
    sweep(&["--out", "whole"]);
    for shard in ["1/2", "2/2"] {
        sweep(&["--shard", shard, "--out", "shards"]);
    }
    let merged = run_in(folder.path(), &["merge", "shards", "--out", "merged"]);
    assert_eq!(merged.0, 1, "{}", merged.2);
    assert_eq!(files("merged"), files("whole"));
    let trees = [&["--tree", "rapid"][..], &["--tree", "kdop6", "--threads", "1"]];
    for (k, tree) in trees.into_iter().enumerate() {
        let out = format!("tree{k}");
        sweep(&[tree, &["--out", &out]].concat());
        assert_eq!(files(&out), files("whole"), "{tree:?}");
    }
}

/// A triangle that hangs with a corner on a sheet, and then moves by a straight way.
fn hanging(way: [f64; 3]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let sheet = "v -9 -9 0\nv 9 -9 0\nv 9 9 0\nv -9 9 0\nf 1 2 3 4\n";
    fs::write(folder.path().join("sheet.obj"), sheet).unwrap();
    fs::write(folder.path().join("hanging.obj"), "v 0 0 0\nv 1 0 3\nv -1 0 3\nf 1 2 3\n").unwrap();
    let keys = json!([{"time": 0, "translation": [0, 0, 0]}, {"time": 1, "translation": way}]);
    let parts = json!([
        {"name": "sheet", "mesh": "sheet.obj", "surface": true},
        {"name": "hanging", "mesh": "hanging.obj", "surface": true, "motion": {"keyframes": keys}},
    ]);
    let scene = json!({"unit": "mm", "parts": parts});
    fs::write(folder.path().join("scene.json"), scene.to_string()).unwrap();
    folder
}

/// Neither has a depth, so where they stand at the start does not tell what becomes of them.
#[test]
fn surfaces_that_touch_at_the_start_and_then_cross_clash() {
    let verdict = |way: [f64; 3]| {
        let folder = hanging(way);
        let (code, report, _) =
            run_in(folder.path(), &["sweep", "scene.json", "--precision", "0.01mm", "--json"]);
        let found = pair(report.as_bytes());
        assert_eq!((&found["start_contact"], &found["pressed"]), (&json!(true), &Value::Null), "{found}");
        (code, found["verdict"].clone(), found["depth_unknown"].as_str().unwrap().contains("may cross"))
    };
    assert_eq!(verdict([0.0, 0.0, 5.0]), (0, json!("contact"), false), "it leaves the sheet");
    assert_eq!(
        verdict([0.0, 0.0, -2.0]),
        (1, json!("clash"), false),
        "it sinks through the sheet, and stays"
    );
    assert_eq!(verdict([0.0, 0.0, -5.0]), (1, json!("clash"), false), "it sinks through the sheet wholly");
    assert_eq!(
        verdict([8.0, 0.0, 0.0]),
        (1, json!("undecided"), true),
        "it slides, and no proof excludes more"
    );
}
