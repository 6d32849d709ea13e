//! `closefit reproduce`: tables as text, JSON and files, and refusals.

use std::fs;
use std::path::Path;

use closefit_testing::command::*;
use serde_json::Value;

/// The two quickest tables.
const QUICK: [&str; 2] = ["lin-obb-test", "zachmann-build"];

fn validator() -> jsonschema::Validator {
    let schema = fs::read_to_string(root().join("schema/reproduce.schema.json")).unwrap();
    jsonschema::validator_for(&serde_json::from_str(&schema).unwrap()).unwrap()
}

fn entries(dir: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        fs::read_dir(dir).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn tables_are_listed_and_asked_by_name() {
    let list = run(&["reproduce", "--list"]);
    assert_eq!(list.status.code(), Some(0));
    let names: Vec<&str> = text(&list.stdout).lines().filter_map(|line| line.split(' ').next()).collect();
    assert!(QUICK.iter().all(|name| names.contains(name)), "{names:?}");
    let output = run(&["reproduce", "zachmann-build", "--quick"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(text(&output.stderr), "progress: zachmann-build\n");
    let table = text(&output.stdout);
    for part in ["MIPS R4400 at 200 MHz", "plane tests", "  Z0  ", "This machine: "] {
        assert!(table.contains(part), "{part}: {table}");
    }
}

/// Two runs, in another order, on other numbers of threads, and the files.
#[test]
fn documents_conform_and_counts_repeat() {
    let folder = tempfile::tempdir().unwrap();
    let document = |arguments: &[&str]| -> Value {
        let all = [&["reproduce", "--quick", "--json", "--quiet"], arguments].concat();
        let output = run(&all);
        assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""));
        let mut document = serde_json::from_slice(&output.stdout).unwrap();
        let errors: Vec<String> = validator().iter_errors(&document).map(|e| e.to_string()).collect();
        assert!(errors.is_empty(), "{errors:?}");
        let tables: &mut Vec<Value> = document["tables"].as_array_mut().unwrap();
        tables.iter_mut().for_each(|table| drop(table["this_machine"].take()));
        tables.sort_by_key(|table| table["table"].to_string());
        document
    };
    let [first, second] = QUICK;
    let out = shown(folder.path());
    let one = document(&[first, second, "--threads", "1", "--out", out]);
    assert_eq!(one, document(&[second, first, second, "--threads", "2"]));
    let written: Value =
        serde_json::from_str(&fs::read_to_string(folder.path().join("zachmann-build-quick.json")).unwrap())
            .unwrap();
    assert_eq!(written["tables"][0]["rows"], one["tables"][1]["rows"]);
    assert!(fs::read_to_string(folder.path().join("lin-obb-test-quick.txt")).unwrap().contains("L7  "));
    assert!(fs::read_to_string(folder.path().join("zachmann-build-quick.svg")).unwrap().starts_with("<svg"));
    // The paper has no plot of the other one; no name is that of a full run's file.
    let files = ["lin-obb-test-quick.json", "lin-obb-test-quick.txt"];
    let plotted = ["json", "svg", "txt"].map(|ending| format!("zachmann-build-quick.{ending}"));
    assert_eq!(entries(folder.path()), [&files.map(str::to_owned)[..], &plotted].concat());
}

/// A table that cannot be written ends the run; those before it have been written and printed.
#[test]
fn a_table_is_kept_as_soon_as_it_is_complete() {
    let folder = tempfile::tempdir().unwrap();
    let taken = folder.path().join("zachmann-build-quick.json");
    fs::create_dir(&taken).unwrap();
    let arguments = ["reproduce", QUICK[0], QUICK[1], "--quick", "--quiet", "--out", shown(folder.path())];
    let output = run(&arguments);
    assert_eq!(output.status.code(), Some(2));
    let told = text(&output.stderr);
    assert!(told.starts_with("error: ") && told.contains("zachmann-build-quick.json: cannot"), "{told}");
    let files = ["lin-obb-test-quick.json", "lin-obb-test-quick.txt", "zachmann-build-quick.json"];
    assert_eq!(entries(folder.path()), files);
    let written = fs::read_to_string(folder.path().join(files[1])).unwrap();
    assert_eq!(text(&output.stdout), written);
    assert!(written.contains("L7  ") && written.contains("A full run may decide otherwise."), "{written}");
}

#[test]
fn wrong_requests_are_refused_in_one_line() {
    assert_eq!(
        refusal(&["reproduce", "zachman-depht"]),
        "error: unknown table 'zachman-depht': did you mean 'zachmann-depth'? See reproduce --list\n"
    );
    assert_eq!(
        refusal(&["reproduce", "nonsense"]),
        "error: unknown table 'nonsense': see reproduce --list\n"
    );
    assert!(refusal(&["reproduce", "lin-obb-test", "--list"]).contains("cannot be used with"));
    assert!(refusal(&["reproduce", "--threads", "0"]).contains("a number of threads is from 1 to 1024"));
    // Nothing is run before every name is known, and nothing is left behind.
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    assert!(refusal(&["reproduce", "lin-obb-test", "x\ny", "--out", shown(&out)]).contains("'x\\ny'"));
    assert!(!out.exists());
}

/// The motions of a table as files: every body in every frame, and meshes that other programs read.
#[test]
fn motions_are_written_for_other_engines() {
    let folder = tempfile::tempdir().unwrap();
    let output = run(&[
        "reproduce",
        "ponamgi-table-2",
        "--quick",
        "--quiet",
        "--json",
        "--poses",
        shown(folder.path()),
    ]);
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""));
    let table = folder.path().join("ponamgi-table-2");
    assert_eq!(entries(&table), ["3-threads", "6-threads", "9-threads"]);
    let motion = table.join("3-threads");
    assert_eq!(entries(&motion), ["mesh-0.obj", "mesh-1.obj", "motion.json", "poses.csv", "scene.json"]);
    let read = |name: &str| fs::read_to_string(motion.join(name)).unwrap();
    let about: Value = serde_json::from_str(&read("motion.json")).unwrap();
    let poses = read("poses.csv");
    assert_eq!(about["poses"].as_str().map(str::len), Some(64));
    assert_eq!(about["bodies"], serde_json::json!(["mesh-0.obj", "mesh-1.obj"]));
    let rows: Vec<Vec<f64>> =
        poses.lines().skip(1).map(|row| row.split(',').map(|cell| cell.parse().unwrap()).collect()).collect();
    assert_eq!(Some(rows.len() as u64), about["frames"].as_u64().map(|frames| 2 * frames));
    // The bolt turns and comes in; the nut stands still.
    assert!(
        rows.chunks(2)
            .all(|frame| frame[1][2..] == [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0])
    );
    assert!(rows.chunks(2).zip(rows.chunks(2).skip(1)).all(|(one, next)| one[0][2..] != next[0][2..]));
    let output = run(&["inspect", shown(&motion.join("mesh-0.obj")), "--unit", "m"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
}

/// The papers' motions are scenes of any size: a manifest that a sweep reads, beside the poses.
#[test]
fn motions_of_the_papers_are_scenes_of_any_size() {
    let folder = tempfile::tempdir().unwrap();
    let generate =
        |more: &[&str]| run(&[&["generate", "cage", "--out", shown(folder.path())], more].concat());
    let output = generate(&["--size", "100", "--seed", "3"]);
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""));
    assert!(text(&output.stdout).ends_with("cage: 2 bodies, 500 frames\n"), "{}", text(&output.stdout));
    let cage = folder.path().join("cage");
    assert_eq!(entries(&cage), ["mesh-0.obj", "motion.json", "poses.csv", "scene.json"]);
    let scene = cage.join("scene.json");
    let sweep = ["sweep", shown(&scene), "--to", "20", "--precision", "10mm", "--fail-on", "never"];
    let output = run(&sweep);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    for (more, why) in [
        (&["--size", "3"][..], "size 3 is not within 18 to 1000000"),
        (&["--format", "glb"], "without --format glb and --soup"),
        (&["--soup"], "without --format glb and --soup"),
    ] {
        let output = generate(more);
        assert_eq!(output.status.code(), Some(2));
        assert!(text(&output.stderr).contains(why), "{}", text(&output.stderr));
    }
    let list = run(&["generate", "--list"]);
    for name in ["fall", "crowd", "chain", "insertion", "cage", "hand", "walk"] {
        assert!(text(&list.stdout).lines().any(|line| line.starts_with(&format!("{name} "))), "{name}");
    }
}
