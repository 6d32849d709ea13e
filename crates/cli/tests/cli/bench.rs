//! `closefit bench`: its table, its document, and refusals.

use closefit_testing::command::*;
use closefit_testing::fixtures::Folder;
use serde_json::Value;

use crate::schema::validator_of;

/// Two cubes that overlap, beside the same with one of them in motion.
fn cubes() -> Folder {
    let folder = Folder::new();
    folder.put("cube.obj", CUBE);
    let part = |name: &str, more: &str| format!(r#"{{"name": "{name}", "mesh": "cube.obj"{more}}}"#);
    let scene = |moved: &str| format!(r#"{{"unit": "mm", "parts": [{}, {moved}]}}"#, part("a", ""));
    folder.put("rest.json", scene(&part("b", r#", "pose": {"translation": [0.5, 0.25, 0.125]}"#)));
    let keys = r#", "motion": {"keyframes": [{"time": 0, "translation": [5, 0.25, 0.125]},
        {"time": 1, "translation": [-5, 0.25, 0.125]}]}"#;
    folder.put("moving.json", scene(&part("b", keys)));
    folder.put("poses.csv", "qx,qy,qz,qw,tx,ty,tz\n0,0,0,1,0.5,0,0\n0,0,0,1,3,0,0\n");
    folder
}

fn document(folder: &Folder, arguments: &[&str]) -> Value {
    let (code, text, told) = run_in(&folder.path(""), &[arguments, &["--json", "--rounds", "1"]].concat());
    assert_eq!(code, 0, "{told}");
    let document: Value = serde_json::from_str(&text).unwrap();
    let errors =
        validator_of("bench").iter_errors(&document).map(|error| error.to_string()).collect::<Vec<_>>();
    assert_eq!(errors, Vec::<String>::new());
    document
}

/// Returns the names of the methods with a choice.
fn names<'a>(document: &'a Value, choice: &str) -> Vec<&'a str> {
    let methods = document["methods"].as_array().unwrap().iter();
    methods.filter(|row| row["choice"] == choice).map(|row| row["name"].as_str().unwrap()).collect()
}

#[test]
fn every_method_is_asked_and_counted() {
    let folder = cubes();
    let rest = document(&folder, &["bench", "rest.json"]);
    assert_eq!(rest["settings"]["question"], "rest");
    let trees = names(&rest, "tree");
    assert_eq!((trees[0], trees.len()), ("obb simd", closefit_methods::strategies().count()));
    assert_eq!(names(&rest, "broad"), ["grid", "recursive-grid", "lists", "brute"]);
    assert_eq!(names(&rest, "hull"), ["closest-features", "contact-region"]);
    let motion = document(&folder, &["bench", "moving.json"]);
    assert_eq!(motion["settings"]["question"], "motion");
    assert_eq!(names(&motion, "method"), ["interval", "redon"]);
    assert_eq!(names(&motion, "hull"), ["closest-features"]);
    for document in [&rest, &motion] {
        for row in document["methods"].as_array().unwrap() {
            assert!(row["work"]["triangle_tests"].as_u64() > Some(0) || row["choice"] == "hull", "{row}");
        }
        let seconds = document["this_machine"]["seconds"].as_array().unwrap();
        assert_eq!(seconds.len(), document["methods"].as_array().unwrap().len());
        assert!(seconds.iter().all(|row| row["decide"].as_f64() > Some(0.0)));
        // One round has no spread.
        assert!(seconds.iter().all(|row| row["cpu"].as_f64() > Some(0.0) && row["spread"] == 0.0));
    }
    let at_a_time = document(&folder, &["bench", "moving.json", "--at", "0.5"]);
    assert_eq!(at_a_time["settings"]["question"], "rest");
}

#[test]
fn counts_are_those_of_a_check() {
    let folder = cubes();
    let bench = document(&folder, &["bench", "rest.json"]);
    for (tree, row) in names(&bench, "tree").into_iter().zip(bench["methods"].as_array().unwrap()) {
        let (tree, backend) = tree.split_once(' ').unwrap();
        let check = ["check", "rest.json", "--tree", tree, "--backend", backend, "--out", "out", "--quiet"];
        run_in(&folder.path(""), &check);
        let run = std::fs::read_to_string(folder.path("out/run.json")).unwrap();
        let run: Value = serde_json::from_str(&run).unwrap();
        for key in ["box_tests", "triangle_tests", "settled_exactly", "updates", "exchanges"] {
            assert_eq!(row["work"][key], run["work"][key], "{tree} {backend}: {key}");
        }
    }
}

#[test]
fn many_poses_are_timed_by_every_tree() {
    let folder = cubes();
    let poses = document(&folder, &["bench", "cube.obj", "cube.obj", "--poses", "poses.csv"]);
    assert_eq!((&poses["settings"]["question"], &poses["settings"]["poses"]), (&"poses".into(), &2.into()));
    assert_eq!(names(&poses, "tree").len(), poses["methods"].as_array().unwrap().len());
}

#[test]
fn the_table_names_the_best_and_files_hold_the_document() {
    let folder = cubes();
    let (code, table, told) = run_in(&folder.path(""), &["bench", "rest.json", "--out", "out"]);
    assert_eq!((code, &told[..]), (0, ""));
    assert!(table.contains("obb simd") && table.contains("box tests"), "{table}");
    assert!(table.contains("all gave the same answers"), "{table}");
    let document = std::fs::read_to_string(folder.path("out/bench.json")).unwrap();
    let document: serde_json::Value = serde_json::from_str(&document).unwrap();
    assert!(validator_of("bench").is_valid(&document));
    // The picture names every method.
    let picture = std::fs::read_to_string(folder.path("out/bench.svg")).unwrap();
    assert!(picture.starts_with("<svg"));
    for method in document["methods"].as_array().unwrap() {
        let name = format!("{} {}", method["choice"].as_str().unwrap(), method["name"].as_str().unwrap());
        assert!(picture.contains(&name), "{name}");
    }
}

#[test]
fn what_cannot_be_asked_is_told_in_one_line() {
    let folder = cubes();
    for (arguments, says) in [
        (&["rest.json", "--at", "1"][..], "--at: nothing in the scene moves"),
        (&["cube.obj"], "the scene has one part"),
        (&["rest.json", "--rounds", "0"], "0"),
        (&["rest.json", "--poses", "none.csv"], "none.csv"),
    ] {
        let (code, table, told) = run_in(&folder.path(""), &[&["bench"], arguments].concat());
        assert_eq!((code, &table[..], told.lines().count()), (2, "", 1), "{arguments:?}: {told}");
        assert!(told.contains(says), "{arguments:?}: {told}");
    }
}

#[test]
fn a_refusal_names_no_flag_of_other_commands() {
    let folder = cubes();
    folder.put("one.json", r#"{"unit": "mm", "parts": [{"name": "a", "mesh": "cube.obj"}]}"#);
    let line = "error: one.json: nothing would be checked: the scene has one part\n".to_owned();
    assert_eq!(run_in(&folder.path(""), &["bench", "one.json"]), (2, String::new(), line));
}
