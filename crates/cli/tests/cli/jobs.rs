//! Jobs of the library: their documents are the program's files, byte by byte.

use std::fs;
use std::path::{Path, PathBuf};

use closefit::Unobserved;
use closefit_job::{CheckOptions, Job, Project, ReadScene, SweepOptions, read, read_rules};
use closefit_report::diff::{Diff, Review};
use closefit_report::{Document, json};
use closefit_scene::read::ReadOptions;
use closefit_testing::command::*;
use serde_json::json;

/// Rules with everything that changes a report.
const RULES: &str = r#"closefit-rules = 1
unit = "mm"
[groups]
planets = { name = "planet_*" }
bolts = { name = "bolt_front_*" }
swing = { name = "lid_*", zone = true }
[[rule]]
id = "bolts"
a = "bolts"
b = { name = "*" }
clearance = 0.5
severity = "major"
fail = "never"
[[rule]]
id = "others"
a = { name = "*" }
[[exclude]]
same = "mesh"
reason = "instances of one mesh"
[[waive]]
a = "bolts"
up_to = 1.2
b = { name = "cover_*" }
reason = "threads"
[[require]]
id = "planets"
a = "planets"
clearance = 1
[[require]]
id = "motion"
a = "planets"
clearance = 0.001
over = "motion"
"#;

fn scene(name: &str) -> ReadScene {
    read(&[root().join(name)], &ReadOptions::default(), &Unobserved).unwrap()
}

/// Runs a command in a folder, and returns the bytes of a file that it writes there.
fn written(arguments: &[&str], out: &Path, name: &str) -> Option<Vec<u8>> {
    let output = run(&[arguments, &["--fail-on", "never", "--quiet", "--out", shown(out)]].concat());
    assert!(output.stderr.is_empty(), "{}", text(&output.stderr));
    fs::read(out.join(name)).ok()
}

#[test]
fn a_check_of_the_library_is_that_of_the_program() {
    let folder = tempfile::tempdir().unwrap();
    let rules = folder.path().join("rules.toml");
    fs::write(&rules, RULES).unwrap();
    let scene = scene("examples/gearbox.glb");
    let projects =
        [Project::default(), Project { rules: Some(read_rules(&rules).unwrap()), ..Project::default() }];
    let mut reports = Vec::new();
    for (project, more) in projects.into_iter().zip([&[][..], &["--rules", shown(&rules)]]) {
        let job = Job::new(scene.clone(), project).unwrap();
        let request = job.check_request().unwrap().clearance(0.0005);
        let found = job.check(&request, &CheckOptions::default(), &Unobserved).unwrap();
        let arguments = [&["check", "examples/gearbox.glb", "--clearance", "0.5mm"], more].concat();
        let report = written(&arguments, folder.path(), "report.json").unwrap();
        assert!(json::document(&found.report) == report, "{more:?}");
        let certificate = found.certificate.as_ref().map(json::document);
        assert_eq!(certificate.is_some(), !more.is_empty());
        assert!(certificate == written(&arguments, folder.path(), "certificate.json"), "{more:?}");
        assert!(!found.report.groups.is_empty());
        reports.push((report, found.report));
    }
    let (old, new) = (&reports[0].0, &reports[1].1);
    let path = folder.path().join("old.json");
    fs::write(&path, old).unwrap();
    let diff = Diff::since(&Document::read(old).unwrap(), new, &Review::default()).unwrap();
    let arguments = [
        "check",
        "examples/gearbox.glb",
        "--clearance",
        "0.5mm",
        "--rules",
        shown(&rules),
        "--baseline",
        shown(&path),
    ];
    assert!(json::document(&diff) == written(&arguments, folder.path(), "diff.json").unwrap());
}

#[test]
fn a_sweep_of_the_library_is_that_of_the_program() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("cube.obj"), CUBE).unwrap();
    let at = |time: f64, x: f64| json!({ "time": time, "translation": [x, 0.0, 0.0] });
    let parts = json!([
        { "name": "planet_1", "mesh": "cube.obj", "motion": { "keyframes": [at(0.0, 9.0), at(2.0, -3.0)] } },
        { "name": "planet_2", "mesh": "cube.obj", "pose": { "translation": [0, 1.25, 0] } },
        { "name": "bolt_front_1", "mesh": "cube.obj", "pose": { "translation": [0, 0.5, 0] } },
    ]);
    let path: PathBuf = folder.path().join("s.json");
    fs::write(&path, json!({ "unit": "mm", "parts": parts }).to_string()).unwrap();
    let rules = folder.path().join("rules.toml");
    fs::write(
        &rules,
        RULES.replace("[[exclude]]\nsame = \"mesh\"\nreason = \"instances of one mesh\"\n", ""),
    )
    .unwrap();

    let project = Project { rules: Some(read_rules(&rules).unwrap()), ..Project::default() };
    let read = read(std::slice::from_ref(&path), &ReadOptions::default(), &Unobserved).unwrap();
    let job = Job::new(read, project).unwrap();
    let request = job.sweep_request(None, Some(1.5)).unwrap().clearance(0.5);
    let trace = closefit_job::pair_named(job.scene(), "planet_1,planet_2").unwrap();
    let options = SweepOptions { trace: Some(trace), ..SweepOptions::default() };
    let found = job.sweep(&request, &options, &Unobserved).unwrap();
    assert!(found.notes.iter().any(|note| note.contains("waivers are about depths")), "{:?}", found.notes);
    let arguments = [
        "sweep",
        shown(&path),
        "--to",
        "1.5",
        "--clearance",
        "0.5mm",
        "--trace",
        "planet_1,planet_2",
        "--rules",
        shown(&rules),
    ];
    let [report, certificate] =
        ["report.json", "certificate.json"].map(|name| written(&arguments, folder.path(), name).unwrap());
    assert!(json::document(&found.report) == report);
    assert!(json::document(&found.certificate.unwrap()) == certificate);

    let still = job.at(0.5);
    let request = still.check_request().unwrap();
    let found = still.check(&request, &CheckOptions::default(), &Unobserved).unwrap();
    let arguments = ["check", shown(&path), "--at", "0.5", "--rules", shown(&rules)];
    assert!(json::document(&found.report) == written(&arguments, folder.path(), "report.json").unwrap());
}
