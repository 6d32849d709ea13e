//! Robots of primitives: how far their surfaces may lie outside their meshes is part of every answer.

use std::fs;

use closefit_testing::command::*;
use closefit_testing::fixtures::Folder;
use serde_json::{Value, json};

/// Two balls of radius 0.5 with a gap along x, and a block far off that slides towards them.
fn balls(gap: f64) -> Folder {
    let folder = Folder::new();
    let link = |name: &str, shape: &str| {
        format!("<link name='{name}'><collision><geometry>{shape}</geometry></collision></link>")
    };
    let joint = |name: &str, kind: &str, child: &str, xyz: &str, more: &str| {
        format!(
            "<joint name='{name}' type='{kind}'><origin xyz='{xyz}'/><parent link='base'/><child link='{child}'/>\
             <axis xyz='1 0 0'/>{more}</joint>"
        )
    };
    let ball = "<sphere radius='0.5'/>";
    let text = [
        "<robot name='balls'><link name='base'/>".to_owned(),
        link("left", ball),
        link("right", ball),
        link("block", "<box size='1 1 1'/>"),
        joint("fixed", "fixed", "left", "0 0 0", ""),
        joint("slide", "prismatic", "right", &format!("{} 0 0", 1.0 + gap), "<limit lower='0' upper='0.5'/>"),
        joint("shelf", "fixed", "block", "0 5 0", ""),
        "</robot>".to_owned(),
    ];
    folder.put("balls.urdf", text.concat());
    folder
}

fn checked(folder: &Folder, more: &[&str]) -> Value {
    let arguments =
        [&["check", "balls.urdf", "--collision-geometry", "--out", "out", "--fail-on", "never"], more]
            .concat();
    let (code, _, told) = run_in(&folder.path(""), &arguments);
    assert!(code < 2, "{told}");
    serde_json::from_str(&fs::read_to_string(folder.path("out/report.json")).unwrap()).unwrap()
}

#[test]
fn pairs_are_listed_as_far_as_their_chords_reach() {
    let folder = balls(0.0015);
    let fine = checked(&folder, &[]);
    assert_eq!(fine["pairs"], json!([]));
    assert_eq!(fine["ledger"]["apart"], json!(3));
    let report = checked(&folder, &["--chord", "1mm"]);
    assert!(crate::schema::validator_of("report").is_valid(&report));
    let chords: Vec<&Value> = report["parts"].as_array().unwrap().iter().map(|part| &part["chord"]).collect();
    assert_eq!(chords, [&json!(0.001), &json!(0.001), &Value::Null], "boxes are exact");
    let pair = &report["pairs"][0];
    assert_eq!((&pair["verdict"], &report["pairs"][1]), (&json!("clearance"), &Value::Null));
    assert!((pair["distance"].as_f64().unwrap() - 0.0015).abs() < 1e-12);
    // Half of the tolerance, unless that is less than 0.1 mm.
    for (tolerance, chord) in [("0.01", 0.005), ("2e-4", 1e-4), ("1e-9", 1e-4)] {
        let report = checked(&folder, &["--tolerance", tolerance]);
        assert_eq!(report["parts"][0]["chord"], json!(chord));
    }
    let run: Value = serde_json::from_str(&fs::read_to_string(folder.path("out/run.json")).unwrap()).unwrap();
    assert_eq!(run["chord"], Value::Null);
    let (code, _, told) = run_in(&folder.path(""), &["report", "out", "--glb", "all.glb"]);
    assert_eq!(code, 0, "{told}");
    for wrong in ["0", "-1mm", "1furlong"] {
        let (code, _, told) = run_in(&folder.path(""), &["check", "balls.urdf", "--chord", wrong]);
        assert!(code == 2 && told.contains("--chord"), "{told}");
    }
}

#[test]
fn claims_and_joint_boxes_hold_for_the_true_surfaces() {
    let folder = balls(0.0015);
    let rules = "closefit-rules = 1\nunit = \"m\"\n[groups]\nl = { name = \"left/*\" }\nr = { name = \"right/*\" }\n\
                 [[require]]\nid = \"gap\"\na = \"l\"\nb = \"r\"\nclearance = 0.0005\n";
    folder.put("rules.toml", rules);
    let outcome = |chord: &str| {
        checked(&folder, &["--rules", "rules.toml", "--chord", chord]);
        let text = fs::read_to_string(folder.path("out/certificate.json")).unwrap();
        let certificate: Value = serde_json::from_str(&text).unwrap();
        let claim = &certificate["claims"][0];
        let [at_least, at_most] = ["at_least", "at_most"].map(|end| claim["found"][end].as_f64().unwrap());
        (claim["outcome"].clone(), at_least, at_most, claim["why"].clone())
    };
    let (holds, at_least, at_most, _) = outcome("0.1mm");
    assert_eq!(holds, json!("holds"));
    assert!((at_least - 0.0013).abs() < 1e-12 && (at_most - 0.0015).abs() < 1e-12, "{at_least} {at_most}");
    let (open, at_least, _, why) = outcome("1mm");
    assert_eq!(
        (open, at_least, why),
        (json!("undecided"), 0.0, json!("a smaller --chord or --precision may decide"))
    );
    let encounter = |chord: &str| {
        let arguments = ["joint-box", "balls.urdf", "--collision-geometry", "--chord", chord, "--json"];
        let (_, told, _) = run_in(&folder.path(""), &arguments);
        let found: Value = serde_json::from_str(&told).unwrap();
        let pairs = found["pairs"].as_array().unwrap();
        let pair = pairs.iter().find(|pair| pair["a"] == "left/sphere").unwrap().clone();
        (pair["encounter"].clone(), pair["distance"]["at_least"].as_f64().unwrap())
    };
    let (never, at_least) = encounter("0.1mm");
    assert!(never == json!("never") && 0.0 < at_least && at_least <= 0.0013, "{at_least}");
    assert_eq!(encounter("1mm"), (json!("unknown"), 0.0));
    let room = |chord: &str| {
        let arguments =
            ["slack", "balls.urdf", "right/sphere", "--collision-geometry", "--chord", chord, "--json"];
        let (_, told, _) = run_in(&folder.path(""), &arguments);
        let found: Value = serde_json::from_str(&told).unwrap();
        let shifts = found["slack"][0]["shifts"].as_array().unwrap();
        let towards = shifts.iter().find(|shift| shift["way"] == "-x").unwrap();
        towards["at_least"].as_f64().unwrap()
    };
    assert!(room("0.1mm") <= 0.0013, "{}", room("0.1mm"));
    assert!(room("1mm") < room("0.1mm"));
}
