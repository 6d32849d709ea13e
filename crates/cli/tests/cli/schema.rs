//! The reports conform to `schema/report.schema.json`, and the schema accepts neither less nor more.

use std::fs;
use std::path::Path;

use closefit_report::{Document, json as writer};
use closefit_testing::command::*;
use jsonschema::Validator;
use serde_json::{Value, json};

fn validator() -> Validator {
    let schema = fs::read_to_string(root().join("schema/report.schema.json")).unwrap();
    jsonschema::validator_for(&serde_json::from_str(&schema).unwrap()).unwrap()
}

/// Returns the schema of another document, with the definitions of the report's that it refers to.
pub fn validator_of(name: &str) -> Validator {
    let read = |name: &str| fs::read_to_string(root().join(format!("schema/{name}.schema.json"))).unwrap();
    let own = read(name).replace("report.schema.json#", "#");
    let mut schema: Value = serde_json::from_str(&own).unwrap();
    let report: Value = serde_json::from_str(&read("report")).unwrap();
    let defs = schema["$defs"].as_object_mut().unwrap();
    for (name, definition) in report["$defs"].as_object().unwrap() {
        defs.entry(name).or_insert_with(|| definition.clone());
    }
    jsonschema::validator_for(&schema).unwrap()
}

/// Writes a cube; without its last two faces it is open.
fn cube(folder: &Path, name: &str, faces: usize) {
    let lines: Vec<&str> = CUBE.lines().collect();
    fs::write(folder.join(name), lines[..8 + faces].join("\n")).unwrap();
}

/// Writes cubes that clash, touch, come close and contain each other; one of them moves if `moving`.
fn manifest(folder: &Path, moving: bool) -> String {
    cube(folder, "cube.obj", 6);
    cube(folder, "open.obj", 4);
    let keyframes =
        json!([{ "time": 0, "translation": [9, 9, 9] }, { "time": 2, "translation": [-9, 9.5, 9] }]);
    let mut parts = vec![
        json!({ "name": "a", "mesh": "cube.obj", "tags": ["x", "y"], "surface": true }),
        json!({ "name": "b", "mesh": "cube.obj", "pose": { "translation": [0.5, 0.5, 0.5] } }),
        json!({ "name": "c", "mesh": "cube.obj", "pose": { "translation": [1.5, 1.5, 1.5] } }),
        json!({ "name": "c", "mesh": "cube.obj", "pose": { "translation": [0, 0, 1.75] } }),
        json!({ "name": "shell", "mesh": "open.obj",
            "pose": { "matrix": [40, 0, 0, -20, 0, 40, 0, -20, 0, 0, 40, -20] } }),
    ];
    if moving {
        parts.push(json!({ "name": "d", "mesh": "cube.obj", "motion": { "keyframes": keyframes } }));
        parts.push(json!({ "name": "e", "mesh": "cube.obj", "pose": { "translation": [5, 9, 9] } }));
    }
    let path = folder.join(if moving { "moving.json" } else { "standing.json" });
    fs::write(&path, json!({ "unit": "mm", "parts": parts }).to_string()).unwrap();
    shown(&path).to_owned()
}

/// Writes a robot of a mesh and a box.
fn robot(folder: &Path) -> String {
    let path = folder.join("robot.urdf");
    let shape = |shape: &str| format!("<visual><geometry>{shape}</geometry></visual>");
    let (mesh, block) = (shape("<mesh filename=\"cube.obj\"/>"), shape("<box size=\"1 1 1\"/>"));
    let text = format!(
        "<robot name=\"r\"><link name=\"a\">{mesh}</link><link name=\"b\">{block}</link><joint name=\"j\" type=\"fixed\">\
         <parent link=\"a\"/><child link=\"b\"/></joint></robot>"
    );
    fs::write(&path, text).unwrap();
    shown(&path).to_owned()
}

/// Writes a robot of which the third link turns against the first.
fn hinge(folder: &Path) -> String {
    let path = folder.join("hinge.urdf");
    let link = |name: &str| {
        format!(
            "<link name=\"{name}\"><visual><geometry><mesh filename=\"cube.obj\"/></geometry></visual></link>"
        )
    };
    let joint = |name: &str, ends: [&str; 2]| {
        format!(
            "<joint name=\"{name}\" type=\"revolute\"><parent link=\"{}\"/><child link=\"{}\"/>\
             <origin xyz=\"1.2 0 0\"/><axis xyz=\"0 0 1\"/><limit lower=\"0\" upper=\"3\"/></joint>",
            ends[0], ends[1]
        )
    };
    let links = ["a", "b", "c"].map(link).concat();
    let joints = joint("i", ["a", "b"]) + &joint("j", ["b", "c"]);
    fs::write(&path, format!("<robot name=\"h\">{links}{joints}</robot>")).unwrap();
    shown(&path).to_owned()
}

const RULES: &str = "closefit-rules = 1\n[[exclude]]\na = { tag = \"x\" }\nb = { name = \"b\" }\nreason = \"r\"\n\
                     [[rule]]\nid = \"1\"\na = { name = \"[cd]\" }\nseverity = \"major\"\n\
                     [[rule]]\nid = \"2\"\na = {}\nclearance = \"2mm\"\n\
                     [[waive]]\na = {}\nup_to = 0\nreason = \"w\"\n";

fn outputs() -> Vec<Vec<u8>> {
    let folder = tempfile::tempdir().unwrap();
    let [standing, moving] = [false, true].map(|moving| manifest(folder.path(), moving));
    let gearbox = "examples/gearbox.glb";
    fs::write(folder.path().join("cup.obj"), CUP).unwrap();
    let cup = shown(&folder.path().join("cup.obj")).to_owned();
    let robot = robot(folder.path());
    let hinge = hinge(folder.path());
    let rules = shown(&folder.path().join("rules.toml")).to_owned();
    fs::write(&rules, RULES).unwrap();
    let commands: [&[&str]; 25] = [
        &["check", &standing, "--clearance", "1"],
        &["check", &standing, "--clearance", "1", "--contacts"],
        &["check", &standing, "--contacts=geometry"],
        &["check", &standing, "--volume"],
        &["check", &standing, "--self"],
        &["inspect", &standing, "--self"],
        &["check", &moving, "--at", "1.5", "--as-is"],
        &["check", gearbox, "--clearance", "0.1mm"],
        &["check", &standing, "--depth", "verdict"],
        &["check", &standing, "--depth", "none"],
        &["sweep", &moving, "--clearance", "2", "--precision", "0.01"],
        &["inspect", &standing, "--as-is"],
        &["sweep", &moving, "--as-is"],
        &["inspect", &moving],
        &["sweep", &moving, "--trace", "d,e"],
        &["check", &robot, "--allow-empty"],
        &["inspect", gearbox],
        &["inspect", &cup, "--features"],
        &["check", &standing, "--rules", &rules],
        &["check", &standing, "--way-out"],
        &["sweep", &moving, "--rules", &rules],
        &["sweep", &moving, "--clearance", "2", "--precision", "0.01", "--intervals"],
        &["sweep", &hinge, "--joint", "j=limits", "--intervals"],
        &["check", &hinge, "--at-joints", "j=1"],
        &["inspect", &hinge],
    ];
    let report = |command: &&[&str]| {
        let output = run(&[*command, &["--json"]].concat());
        assert!(!output.stdout.is_empty(), "{}", text(&output.stderr));
        output.stdout
    };
    commands.iter().map(report).collect()
}

fn reports() -> Vec<Value> {
    outputs().iter().map(|output| serde_json::from_slice(output).unwrap()).collect()
}

#[test]
fn reports_are_what_the_schema_says() {
    let validator = validator();
    let reports = reports();
    for report in &reports {
        let errors: Vec<String> = validator.iter_errors(report).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{}: {errors:?}", report["command"]);
    }
    // Otherwise the reports would not cover these verdicts.
    let has = |verdict: &str| {
        let mut pairs = reports.iter().filter_map(|report| report["pairs"].as_array()).flatten();
        assert!(pairs.any(|pair| pair["verdict"] == verdict), "{verdict}");
    };
    ["clash", "undecided", "contact", "clearance"].iter().for_each(|verdict| has(verdict));
}

/// Collects every object of a document, by its pointer.
fn objects(value: &Value, at: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(entries) => {
            found.push(at.to_owned());
            entries.iter().for_each(|(key, value)| objects(value, &format!("{at}/{key}"), found));
        }
        Value::Array(list) => {
            list.iter().enumerate().for_each(|(i, value)| objects(value, &format!("{at}/{i}"), found));
        }
        _ => {}
    }
}

#[test]
fn the_schema_knows_every_key() {
    let validator = validator();
    // Keys that are present only sometimes, and an object whose keys are reasons.
    let optional = [
        "as_is",
        "triangles",
        "depth_unknown",
        "motion",
        "surface",
        "features",
        "trace",
        "left_out",
        "rule",
        "rules",
        "severity",
        "kind",
        "groups",
        "extent",
        "status",
        "status_cause",
        "waivers",
        "way_out",
        "geometry",
        "contact_geometry",
        "volume",
        "volume_unknown",
        "self_contacts",
        "joint",
        "robots",
        "intervals",
        "pressed",
        "precision",
    ];
    // Objects of any keys.
    let open = ["/ledger/excluded", "/settings/joint/others", "/settings/joints"];
    for report in reports() {
        let mut found = Vec::new();
        objects(&report, "", &mut found);
        for pointer in found.iter().filter(|pointer| !open.contains(&pointer.as_str())) {
            let mut more = report.clone();
            more.pointer_mut(pointer).unwrap().as_object_mut().unwrap().insert("unheard".into(), json!(1));
            assert!(!validator.is_valid(&more), "{pointer} takes any key");
            let keys: Vec<String> =
                report.pointer(pointer).unwrap().as_object().unwrap().keys().cloned().collect();
            let is_optional = |key: &str| {
                optional.contains(&key)
                    || (pointer == "/settings" && ["depth", "at", "joints"].contains(&key))
                    || (pointer.starts_with("/robots/") && key == "limits")
                    || (pointer == "/ledger" && key == "excluded_by")
                    || (pointer.ends_with("/intervals") && ["undecided", "clearance"].contains(&key))
            };
            for key in keys.iter().filter(|key| !is_optional(key)) {
                let mut less = report.clone();
                less.pointer_mut(pointer).unwrap().as_object_mut().unwrap().remove(key);
                assert!(!validator.is_valid(&less), "{pointer} does not need {key}");
            }
        }
    }
}

#[test]
fn a_document_reads_back_as_it_was_written() {
    for output in outputs() {
        let document = Document::read(&output).unwrap();
        assert_eq!(text(&writer::document(&document)), text(&output));
    }
}

#[test]
fn what_cannot_be_read_says_why() {
    let check = text(&outputs()[0]).to_owned();
    let refusal = |from: &str, to: &str| {
        assert!(check.contains(from), "{from}");
        Document::read(check.replacen(from, to, 1).as_bytes()).unwrap_err().to_string()
    };
    assert_eq!(refusal("\"closefit\": 2", "\"closefit\": 3"), "it has format 3; this version reads format 2");
    assert!(refusal("\"check\"", "\"chess\"").starts_with("'chess' is none of check, sweep, inspect"));
    assert!(refusal("\"clash\"", "\"crash\"").contains("'crash' is none of clash, meets, undecided"));
    assert!(refusal("\"ledger\"", "\"lodger\"").contains("missing field `ledger`"));
    assert!(Document::read(&check.as_bytes()[..check.len() / 2]).is_err());
}
