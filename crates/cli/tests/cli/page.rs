//! The page of findings, from the program.

use std::fs;

use closefit_testing::command::{refusal, root, run, shown};
use closefit_testing::fixtures::{Folder, tetrahedron_obj};
use serde_json::json;

fn gearbox() -> String {
    shown(&root().join("examples/gearbox.glb")).to_owned()
}

/// A check and a finished run write the same page, which has a title of the models and a row per pair.
#[test]
fn a_check_and_its_finished_run_write_the_same_page() {
    let folder = Folder::new();
    let (out, [first, again]) =
        (folder.path("out"), ["first.html", "again.html"].map(|name| folder.path(name)));
    let check = ["check", &gearbox(), "--clearance", "0.1mm", "--quiet", "--html", shown(&first)];
    let output = run(&[&check[..], &["--out", shown(&out), "--fail-on", "never"]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let output = run(&["report", shown(&out), "--html", shown(&again)]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let page = fs::read_to_string(&first).unwrap();
    assert!(page == fs::read_to_string(&again).unwrap());
    assert!(page.contains("<title>gearbox</title>"));
}

/// A sweep writes a page with the frames of its motions. A `scene.json` has the title of its folder, in the
/// page of the finished run too.
#[test]
fn a_sweep_writes_a_page() {
    let folder = Folder::new();
    let scenes = folder.path("scenes");
    run(&["generate", "screw", "--size", "5000", "--out", shown(&scenes), "--format", "manifest", "--quiet"]);
    let scene = scenes.join("screw/scene.json");
    let [out, page, again] = ["out", "page.html", "again.html"].map(|name| folder.path(name));
    let sweep = ["sweep", shown(&scene), "--quiet", "--fail-on", "never", "--out", shown(&out)];
    let output = run(&[&sweep[..], &["--html", shown(&page)]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let page = fs::read_to_string(&page).unwrap();
    assert!(page.contains("\"command\":\"sweep\"") && page.contains("<title>screw</title>"));
    run(&["report", shown(&out), "--html", shown(&again)]);
    assert!(page == fs::read_to_string(&again).unwrap());
}

/// A sweep leaves a certificate in a folder. A check with the same rules asks no claim and writes none, so
/// its page shows none: the claim is violated by then.
#[test]
fn a_page_shows_no_claims_of_an_earlier_run() {
    let folder = Folder::new();
    let rules = "closefit-rules = 1\n[[rule]]\nid = \"all\"\na = {}\n[[require]]\nid = \"pass\"\na = { name = \"a\" }\nb = { name = \"b\" }\n\
                 clearance = \"2mm\"\nover = \"motion\"\n";
    folder.put("rules.toml", rules);
    folder.put("piece.obj", tetrahedron_obj());
    let put_scene = |height: f64| {
        let key = |time: i32, x: i32| json!({ "time": time, "translation": [x, height, 0] });
        let motion = json!({ "keyframes": [key(0, -5), key(1, 5)] });
        let parts = json!([
            { "name": "a", "mesh": "piece.obj" },
            { "name": "b", "mesh": "piece.obj", "motion": motion },
        ]);
        folder.put("scene.json", json!({ "unit": "mm", "parts": parts }).to_string());
    };
    let [scene, rules, out, page] =
        ["scene.json", "rules.toml", "out", "page.html"].map(|name| shown(&folder.path(name)).to_owned());
    let claims_after = |command: &str| {
        let arguments = [command, &scene, "--rules", &rules, "--out", &out, "--quiet", "--fail-on", "never"];
        let output = run(&arguments);
        assert!(output.status.code() != Some(2), "{}", String::from_utf8_lossy(&output.stderr));
        run(&["report", &out, "--html", &page]);
        fs::read_to_string(&page).unwrap().contains("\"id\":\"pass\"")
    };
    put_scene(4.0);
    assert!(claims_after("sweep"));
    assert!(!claims_after("check"), "another command");
    put_scene(0.5);
    assert!(!claims_after("check"), "other parts");
    assert!(claims_after("sweep"));
}

/// A file that cannot be written is refused in one line, and nothing is left behind.
#[test]
fn a_page_that_cannot_be_written_is_refused() {
    let folder = Folder::new();
    folder.put("file", "");
    let page = folder.path("file/page.html");
    let line = refusal(&["check", &gearbox(), "--html", shown(&page)]);
    assert!(line.contains("file"), "{line}");
    let line = refusal(&["check", &gearbox(), "--html", "page.html", "--html-limit", "much"]);
    assert!(line.contains("--html-limit") && line.contains("much"), "{line}");
}

/// The files of `--out` and those elsewhere are all new or all old.
#[test]
fn a_page_that_cannot_be_written_leaves_the_files_of_the_last_run() {
    let folder = Folder::new();
    let [out, page, junit] = ["out", "page.html", "junit.xml"].map(|name| folder.path(name));
    let files = [&out.join("report.json"), &out.join("run.json"), &junit];
    let read = || files.map(|file| fs::read(file).unwrap());
    let check = ["check", &gearbox(), "--quiet", "--fail-on", "never", "--out", shown(&out)];
    let elsewhere = ["--junit", shown(&junit), "--html", shown(&page), "--clearance"];
    let check = |clearance: &'static str| [&check[..], &elsewhere[..], &[clearance]].concat();
    assert_eq!(run(&check("0.1mm")).status.code(), Some(0));
    let old = read();
    fs::remove_file(&page).unwrap();
    fs::create_dir(&page).unwrap();
    let line = refusal(&check("0.2mm"));
    assert!(line.contains("page.html: cannot be written"), "{line}");
    assert!(read() == old);
    fs::remove_dir(&page).unwrap();
    assert_eq!(run(&check("0.2mm")).status.code(), Some(0));
    assert!(read()[0] != old[0]);
}
