//! The page of findings, from the program.

use std::fs;

use closefit_testing::command::{refusal, root, run, shown};
use closefit_testing::fixtures::Folder;

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
