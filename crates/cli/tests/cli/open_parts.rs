//! Parts that move into open parts through their holes: sweeps, claims, intervals, room and joints.

use closefit_testing::command::*;
use closefit_testing::fixtures::Folder;
use serde_json::{Value, json};

/// The eight corners of a box about the origin with edges of a length.
fn corners(edge: f64) -> String {
    let half = 0.5 * edge;
    (0..8)
        .map(|corner: u32| {
            let at = |axis: u32| if corner >> (2 - axis) & 1 == 0 { -half } else { half };
            format!("v {} {} {}\n", at(0), at(1), at(2))
        })
        .collect()
}

/// The faces of a box at +y and at the ends of x and y, then at both ends of z.
const BOTTOM_AND_SIDES: &str =
    "f 1 4 3\nf 5 7 8\nf 5 8 6\nf 1 5 6\nf 1 6 2\nf 3 4 8\nf 3 8 7\nf 1 3 7\nf 1 7 5\n";
const FACE: &str = "f 1 2 4\n";
const LID: &str = "f 2 6 8\nf 2 8 4\n";

/// A peg, a housing that lacks half of the face at its lower end of x, and a tray without a lid.
fn folder() -> Folder {
    let folder = Folder::new();
    folder.put("peg.obj", corners(0.1) + FACE + BOTTOM_AND_SIDES + LID);
    folder.put("housing.obj", corners(1.0) + BOTTOM_AND_SIDES + LID);
    folder.put("tray.obj", corners(1.0) + FACE + BOTTOM_AND_SIDES);
    folder.put(
        "gap.toml",
        "closefit-rules = 1\nunit = \"mm\"\n[[require]]\nid = \"gap\"\na = {name = \"tray\"}\n\
         b = {name = \"peg\"}\nclearance = 0.05\nover = \"motion\"\n",
    );
    folder
}

/// Writes a scene in which the peg moves along a line past, or into, a part that stands.
fn moves(folder: &Folder, part: &str, stops: &[[f64; 3]]) {
    let key = |(time, at): (usize, &[f64; 3])| json!({"time": time, "translation": at});
    let keyframes: Vec<Value> = stops.iter().enumerate().map(key).collect();
    let parts = json!([
        {"name": part, "mesh": format!("{part}.obj")},
        {"name": "peg", "mesh": "peg.obj", "motion": {"between": "linear", "keyframes": keyframes}},
    ]);
    folder.put("scene.json", json!({"unit": "mm", "parts": parts}).to_string());
}

/// Sweeps the scene and returns its exit status and its report.
fn swept(folder: &Folder, more: &[&str]) -> (i32, Value) {
    let (code, report, errors) =
        run_in(&folder.path(""), &[&["sweep", "scene.json", "--json"], more].concat());
    (code, serde_json::from_str(&report).unwrap_or_else(|_| panic!("{errors}")))
}

#[test]
fn a_peg_that_ends_in_an_open_part_is_undecided() {
    let folder = folder();
    let ways: [(&str, &[[f64; 3]], &str); 5] = [
        ("housing", &[[-2.0, -0.2, 0.2], [0.3, -0.2, 0.2]], "1 open edge"),
        ("tray", &[[0.0, 0.0, 2.0], [0.0, 0.0, -0.2]], "4 open edges"),
        ("tray", &[[0.0, 0.0, -0.2], [0.0, 0.0, 2.0]], "4 open edges"),
        // In and out again, and briefly.
        ("tray", &[[0.0, 0.0, 2.0], [0.0, 0.0, 0.4], [0.0, 0.0, 2.0]], "4 open edges"),
        (
            "housing",
            &[[-2.0, -0.2, 0.2], [-0.43, -0.2, 0.2], [-2.0, -0.2, 0.2], [-9.0, 0.0, 0.0]],
            "open edges",
        ),
    ];
    for (part, stops, edges) in ways {
        moves(&folder, part, stops);
        let (code, report) = swept(&folder, &["--intervals"]);
        let pair = &report["pairs"][0];
        assert_eq!((code, &pair["verdict"]), (1, &json!("undecided")), "{stops:?}: {report}");
        let why = pair["contained"]["undecidable"].as_str().unwrap();
        assert!(why.starts_with("a shell of a") && why.contains(edges.trim_start_matches("1 ")), "{why}");
        assert_eq!(pair["intervals"]["contact"], json!([]));
        assert_eq!(pair["intervals"]["undecided"], json!([[0, stops.len() - 1]]));
    }
    // Beside the hole, above the rim, and through the empty part of no box: nothing is in doubt.
    for (part, stops) in [
        ("housing", [[-2.0, -0.2, 0.2], [-0.6, -0.2, 0.2]]),
        ("housing", [[-2.0, 0.7, 0.0], [2.0, 0.7, 0.0]]),
        ("tray", [[-2.0, 0.0, 0.56], [2.0, 0.0, 0.56]]),
    ] {
        moves(&folder, part, &stops);
        let (code, report) = swept(&folder, &[]);
        assert_eq!((code, &report["pairs"]), (0, &json!([])), "{stops:?}");
        assert_eq!(report["ledger"]["undecided"], 0);
    }
}

#[test]
fn no_claim_about_a_motion_holds_in_an_open_part() {
    let folder = folder();
    let mut outcomes = Vec::new();
    for stops in [[2.0, -0.2], [-0.2, 2.0], [2.0, 0.61]] {
        moves(&folder, "tray", &stops.map(|z| [0.0, 0.0, z]));
        let arguments = ["sweep", "scene.json", "--rules", "gap.toml", "--out", "out"];
        let (code, _, errors) = run_in(&folder.path(""), &arguments);
        let certificate = std::fs::read(folder.path("out/certificate.json")).expect(&errors);
        let certificate: Value = serde_json::from_slice(&certificate).unwrap();
        outcomes.push((code, certificate["claims"][0]["outcome"].as_str().unwrap().to_owned()));
    }
    let expected = [(1, "undecided"), (1, "undecided"), (0, "holds")];
    assert_eq!(outcomes, expected.map(|(code, outcome)| (code, outcome.to_owned())));
}

#[test]
fn no_joint_brings_a_part_into_an_open_one_and_is_never_near() {
    let folder = folder();
    let link = |name: &str| {
        format!(
            "<link name=\"{name}\"><visual><geometry><mesh filename=\"{name}.obj\"/></geometry></visual></link>"
        )
    };
    for (lower, upper, met) in [(-0.2, 3.0, "unknown"), (-0.2, 0.2, "unknown"), (0.6, 3.0, "never")] {
        let joint = format!(
            "<link name=\"m\"/><joint name=\"f\" type=\"fixed\"><parent link=\"tray\"/><child link=\"m\"/></joint>\
             <joint name=\"z\" type=\"prismatic\"><parent link=\"m\"/><child link=\"peg\"/><axis xyz=\"0 0 1\"/>\
             <limit lower=\"{lower}\" upper=\"{upper}\" effort=\"1\" velocity=\"1\"/></joint>"
        );
        folder
            .put("r.urdf", ["<robot name=\"r\">", &link("tray"), &link("peg"), &joint, "</robot>"].concat());
        let arguments = ["joint-box", "r.urdf", "--out", "out"];
        let (code, told, errors) = run_in(&folder.path(""), &arguments);
        assert_eq!(code, i32::from(met == "unknown"), "{told}{errors}");
        let found = std::fs::read_to_string(folder.path("out/joint-box.json")).unwrap();
        let found: Value = serde_json::from_str(&found).unwrap();
        assert_eq!(found["pairs"][0]["encounter"], met, "{found}");
    }
}

#[test]
fn room_in_an_open_part_is_said_to_be_in_doubt() {
    let folder = folder();
    moves(&folder, "tray", &[[0.0, 0.0, 2.0], [0.0, 0.0, 2.0]]);
    let told = |at: f64| {
        let parts = json!([
            {"name": "tray", "mesh": "tray.obj"},
            {"name": "peg", "mesh": "peg.obj", "pose": {"translation": [at, 0, 2]}},
        ]);
        folder.put("still.json", json!({"unit": "mm", "parts": parts}).to_string());
        let (_, told, errors) = run_in(&folder.path(""), &["slack", "still.json", "peg", "--json"]);
        let found: Value = serde_json::from_str(&told).expect(&errors);
        found["slack"][0]["undecided"].clone()
    };
    assert_eq!(told(0.0), json!([{"id": 0, "name": "tray"}]), "down into the tray");
    assert_eq!(told(3.0), json!([]), "past the tray");
}

#[test]
fn intervals_within_a_clearance_miss_no_cell() {
    let folder = folder();
    // The gap at the end is 0.19, less than the clearance, but the middle of the last cell is farther.
    folder.put("block.obj", corners(1.0) + FACE + BOTTOM_AND_SIDES + LID);
    moves(&folder, "block", &[[3.0, 0.0, 0.0], [0.74, 0.0, 0.0]]);
    let more = ["--clearance", "0.2", "--precision", "0.1", "--intervals", "--fail-on", "never"];
    let (_, report) = swept(&folder, &more);
    let found = &report["pairs"][0]["intervals"]["clearance"];
    assert_eq!(found.as_array().map(Vec::len), Some(1), "{report}");
    assert_eq!(found[0]["leave"], json!([1, 1]));
    assert!(found[0]["enter"][0].as_f64().unwrap() > 0.9, "{found}");
}

#[test]
fn a_motion_of_too_many_cells_is_refused_before_the_work_begins() {
    let folder = folder();
    let mesh = |name: &str, at: &str| {
        format!(
            "<link name=\"{name}\"><visual><origin xyz=\"{at}\"/><geometry><mesh filename=\"peg.obj\"/></geometry></visual></link>"
        )
    };
    let joints = "<link name=\"m\"/><joint name=\"f\" type=\"fixed\"><parent link=\"base\"/><child link=\"m\"/></joint>\
        <joint name=\"turn\" type=\"continuous\"><parent link=\"m\"/><child link=\"arm\"/><axis xyz=\"0 0 1\"/></joint>";
    let robot = ["<robot name=\"r\">", &mesh("base", "0 0 0.5"), &mesh("arm", "1 0 0"), joints, "</robot>"];
    folder.put("r.urdf", robot.concat());
    let swept = |radians: &str, more: &[&str]| {
        folder.put("way.csv", format!("t_s,turn\n0,0\n1,{radians}\n"));
        let sweep = ["sweep", "r.urdf", "--trajectory", "way.csv", "--fail-on", "never"];
        run_in(&folder.path(""), &[&sweep, more].concat())
    };
    let (code, told, refused) = swept("1e8", &[]);
    assert_eq!((code, &told[..], refused.lines().count()), (2, "", 1), "{refused}");
    for word in ["r.urdf", "--precision", "base", "arm", "cells"] {
        assert!(refused.contains(word), "{refused}");
    }
    assert_eq!(swept("1e3", &[]).0, 0);
    assert_eq!(swept("1e6", &["--precision", "1e-4"]).0, 0, "one that is given has no limit");
    // It is told before the first pair is searched.
    let long = ["--precision", "1e-5", "--budget", "0pairs", "--restart", "--out", "long"];
    let (_, _, told) = swept("1e8", &long);
    let note = told.lines().next().unwrap();
    assert!(note.starts_with("note: 'base/peg' and 'arm/peg' move so far that "), "{told}");
    assert!(note.ends_with(" cells, more than 1.1e12, which might take long"), "{told}");
    let (_, _, told) = swept("1e8", &[&long[..], &["--quiet"]].concat());
    assert!(!told.contains(" cells"), "{told}");
}
