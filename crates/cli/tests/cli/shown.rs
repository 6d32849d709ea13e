//! Findings shown in their scene: pictures, issues and models, by a run and from a finished one.

use std::fs;
use std::path::{Path, PathBuf};

use closefit_testing::command::*;
use tempfile::TempDir;

const GEARBOX: &str = "examples/gearbox.glb";

/// Returns the key of the first pair with a verdict, and that of its group.
fn keys(out: &Path, verdict: &str) -> [String; 2] {
    let report: serde_json::Value =
        serde_json::from_slice(&fs::read(out.join("report.json")).unwrap()).unwrap();
    let pair = report["pairs"].as_array().unwrap().iter().find(|pair| pair["verdict"] == verdict).unwrap();
    let has = |group: &&serde_json::Value| group["pairs"].as_array().unwrap().contains(&pair["key"]);
    let group = report["groups"].as_array().unwrap().iter().find(has).unwrap();
    [pair, group].map(|found| found["key"].as_str().unwrap().to_owned())
}

/// Runs the program, which is to find clashes and say nothing, and returns the file that it writes.
fn written(arguments: &[&str], file: &Path) -> Vec<u8> {
    let output = run(arguments);
    assert!(output.status.code() < Some(2) && output.stderr.is_empty(), "{}", text(&output.stderr));
    fs::read(file).unwrap()
}

/// Checks the gearbox with an output folder.
fn finished() -> (TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out");
    run(&["check", GEARBOX, "--clearance", "0.1mm", "--out", shown(&out), "--quiet"]);
    (dir, out)
}

#[test]
fn a_finished_run_is_shown_as_the_run_itself_shows_it() {
    let (dir, out) = finished();
    let [pair, group] = keys(&out, "clash");
    let file = dir.path().join("file");
    let check = ["check", GEARBOX, "--clearance", "0.1mm", "--quiet"];
    let report = ["report", shown(&out), "--quiet"];
    for flags in [
        &["--picture", shown(&file)][..],
        &["--picture", shown(&file), "--picture-of", &pair],
        &["--picture", shown(&file), "--picture-of", &group],
        &["--picture", shown(&file), "--picture-of", "bolt_front_4,cover_back"],
        &["--glb", shown(&file)],
        &["--bcf", shown(&file), "--date", "2026-11-25", "--bcf-version", "3.0", "--bcf-per", "pair"],
    ] {
        let [by_check, by_report] =
            [&check[..], &report].map(|command| written(&[command, flags].concat(), &file));
        assert!(by_check == by_report && !by_check.is_empty(), "{flags:?}");
    }
    let picture =
        |of: &str| written(&[&report[..], &["--picture", shown(&file), "--picture-of", of]].concat(), &file);
    assert!(picture(&pair) == picture("cover_back,bolt_front_4"), "parts in any order");
    assert!(picture(&pair) != picture(&keys(&out, "clearance")[0]));
}

/// Statuses and comments are in the list of issues, in BCF and in the page; a key that is of nothing is told.
#[test]
fn a_review_is_in_all_lists_of_issues() {
    let (dir, out) = finished();
    let [pair, _] = keys(&out, "clash");
    let review = dir.path().join("review.json");
    let row = r#"{ "status": "resolved", "comment": "moved, \"by 2 mm\"" }"#;
    let statuses = format!(r#""{pair}": {row}, "feed": {{ "status": "open" }}"#);
    fs::write(&review, format!(r#"{{ "closefit-review": 1, "statuses": {{ {statuses} }} }}"#)).unwrap();
    let (bcf, page) = (dir.path().join("issues.bcf"), dir.path().join("page.html"));
    let outputs = ["--bcf", shown(&bcf), "--bcf-per", "pair", "--html", shown(&page), "--out", shown(&out)];
    let check = ["check", GEARBOX, "--clearance", "0.1mm", "--fail-on", "never", "--review", shown(&review)];
    let output = run(&[&check[..], &outputs].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("1 status of the review belongs to no pair and no group"));
    let issues = fs::read_to_string(out.join("issues.csv")).unwrap();
    let row = issues.lines().find(|line| line.starts_with(&pair)).unwrap();
    assert!(row.contains(r#",resolved,"moved, ""by 2 mm""","#), "{row}");
    let line = refusal(&["check", GEARBOX, "--review", shown(&page), "--bcf", shown(&bcf)]);
    assert!(line.contains("page.html"), "{line}");
}

#[test]
fn what_cannot_be_shown_is_refused_in_one_line() {
    let (dir, out) = finished();
    let file = dir.path().join("file.png");
    let report = ["report", shown(&out)];
    for (flags, expected) in [
        (&[][..], "nothing to write"),
        (&["--picture-of", "x"], "--picture"),
        (&["--picture", "x.jpg"], "a picture is a PNG: use .png"),
        (
            &["--picture", shown(&file), "--picture-of", "x"],
            "gearbox.glb: --picture-of 'x': no listed pair and no group has this key",
        ),
        (
            &["--picture", shown(&file), "--picture-of", "bolt_front_4,cover_bak"],
            "did you mean 'cover_back'?",
        ),
        (
            &["--picture", shown(&file), "--picture-of", "bolt_front_1,bolt_front_2"],
            "the report does not list this pair",
        ),
        (&["--bcf", shown(&file), "--date", "yesterday"], "a date is like 2026-11-25"),
        (&["--bcf", shown(&file), "--origin", "1,2"], "an origin is three numbers"),
        (&["--bcf", shown(&file), "--author", " "], "an author has a name"),
        (&["--bcf-version", "3.0"], "--bcf"),
    ] {
        let line = refusal(&[&report[..], flags].concat());
        assert!(line.contains(expected), "{line}");
        assert!(!file.exists(), "{flags:?}");
    }
    fs::write(out.join("run.json"), "{}").unwrap();
    let line = refusal(&[&report[..], &["--picture", shown(&file)]].concat());
    assert!(line.contains("run.json: missing field `inputs`"), "{line}");
    let line = refusal(&["report", shown(dir.path()), "--picture", shown(&file)]);
    assert!(line.contains("report.json: "), "{line}");
}

/// A key that is unknown is found out before the files of the run are written.
#[test]
fn an_unknown_finding_leaves_no_files() {
    let dir = tempfile::tempdir().unwrap();
    let [out, file] = ["out", "file.png"].map(|name| dir.path().join(name));
    let flags = ["--out", shown(&out), "--picture", shown(&file), "--picture-of", "0123", "--json"];
    refusal(&[&["check", GEARBOX][..], &flags].concat());
    assert!(!out.exists() && !file.exists());
}

#[test]
fn parts_that_have_changed_since_are_refused_by_name() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    let [a, b, out, file] = [at("a.obj"), at("b.obj"), at("out"), at("file.png")];
    [&a, &b].into_iter().for_each(|path| fs::write(path, CUBE).unwrap());
    let scenes = [shown(&a), shown(&b), "--unit", "mm"];
    run(&[&["check"], &scenes[..], &["--out", shown(&out), "--quiet"]].concat());
    let report = ["report", shown(&out), "--picture", shown(&file)];
    written(&report, &file);
    fs::write(&b, CUBE.replace("v 1 1 1", "v 1 1 2")).unwrap();
    let line = refusal(&report);
    assert!(line.contains("'b' has changed since the report in ") && line.contains("b.obj"), "{line}");
    fs::remove_file(&b).unwrap();
    assert!(refusal(&report).contains("b.obj: "));
}

/// Lengths without a unit are no metres.
#[test]
fn bcf_needs_a_unit() {
    let dir = tempfile::tempdir().unwrap();
    let [a, b, file] = ["a.obj", "b.obj", "x.bcf"].map(|name| dir.path().join(name));
    [&a, &b].into_iter().for_each(|path| fs::write(path, CUBE).unwrap());
    let check = ["check", shown(&a), shown(&b), "--bcf", shown(&file)];
    assert!(refusal(&check).contains("BCF is in metres, and the scene has no unit: add --unit"));
    let output = run(&[&check[..], &["--unit", "mm", "--quiet"]].concat());
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    assert!(file.exists());
}

#[test]
fn a_sweep_is_shown_too() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    run(&["generate", "robot", "--size", "8", "--out", shown(dir.path()), "--quiet"]);
    let [scene, out, file] = [at("robot/scene.json"), at("out"), at("file")];
    let sweep = ["sweep", shown(&scene), "--clearance", "10mm", "--quiet", "--out", shown(&out)];
    for flag in ["--picture", "--glb"] {
        let [by_sweep, by_report] = [&sweep[..], &["report", shown(&out), "--quiet"]]
            .map(|command| written(&[command, &[flag, shown(&file)]].concat(), &file));
        assert!(by_sweep == by_report && !by_sweep.is_empty(), "{flag}");
    }
    written(&["report", shown(&out), "--quiet", "--bcf", shown(&file), "--date", "2026-11-25"], &file);
}

/// Linux names files by bytes, which need be no Unicode: a scene with such a name is found again.
#[cfg(target_os = "linux")]
#[test]
fn a_finished_run_finds_a_scene_whose_name_is_not_unicode() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let dir = tempfile::tempdir().unwrap();
    let name = OsStr::from_bytes(b"T\xfcr.obj");
    fs::write(dir.path().join(name), CUBE).unwrap();
    fs::write(dir.path().join("b.obj"), CUBE).unwrap();
    let check = ["--unit", "mm", "--quiet", "--out", "out"];
    let output =
        closefit(&["check"]).arg(name).arg("b.obj").args(check).current_dir(dir.path()).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let shown = run_in(dir.path(), &["report", "out", "--glb", "out.glb"]);
    assert_eq!((shown.0, &shown.2[..]), (0, ""));
    assert!(dir.path().join("out.glb").exists());
}

/// Every link of the Markdown leads to a picture beside it.
#[test]
fn markdown_has_its_pictures_beside_it() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("my result.md");
    let markdown =
        written(&["check", GEARBOX, "--clearance", "0.1mm", "--quiet", "--markdown", shown(&file)], &file);
    let links: Vec<&str> =
        text(&markdown).split("](").skip(1).map(|rest| rest.split(')').next().unwrap()).collect();
    assert_eq!(links.len(), 2);
    for link in links {
        let picture = fs::read(dir.path().join(link.replace("%20", " "))).unwrap();
        assert_eq!(&picture[1..4], b"PNG");
    }
}

/// A row per pair that is more than a contact; no name is a formula.
#[test]
fn issues_are_listed_for_spreadsheets() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out");
    let scene = dir.path().join("scene.json");
    fs::write(dir.path().join("cube.obj"), CUBE).unwrap();
    let part = |name: &str, x: f64| {
        format!(r#"{{ "name": "{name}", "mesh": "cube.obj", "pose": {{ "translation": [{x}, 0, 0] }} }}"#)
    };
    let parts = [part("=1+1", 0.0), part("b", 0.5), part("c", 1.5), part("d", 2.75)].join(",");
    fs::write(&scene, format!(r#"{{ "unit": "mm", "parts": [{parts}] }}"#)).unwrap();
    run(&["check", shown(&scene), "--clearance", "0.5", "--out", shown(&out), "--quiet"]);
    let mut reader = csv::Reader::from_path(out.join("issues.csv")).unwrap();
    let header = reader.headers().unwrap().clone();
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    let cell = |row: &csv::StringRecord, name: &str| {
        row[header.iter().position(|known| known == name).expect(name)].to_owned()
    };
    let told: Vec<[String; 4]> =
        rows.iter().map(|row| ["verdict", "name_a", "name_b", "unit"].map(|name| cell(row, name))).collect();
    let expected =
        [["clash", "'=1+1", "b", "mm"], ["clearance", "c", "d", "mm"], ["clearance", "'=1+1", "c", "mm"]];
    let mut told: Vec<_> = told.iter().map(|row| row.each_ref().map(|cell| &cell[..])).collect();
    told.sort();
    let mut expected = expected.to_vec();
    expected.sort();
    // b and c touch.
    assert_eq!(told, expected);
    let [pair, group] = keys(&out, "clash");
    assert_eq!((cell(&rows[0], "key"), cell(&rows[0], "group")), (pair, group));
    assert_eq!(cell(&rows[0], "status"), "");
    let depth: f64 = cell(&rows[0], "signed_distance").parse().unwrap();
    assert!((depth + 0.5).abs() < 0.005, "{depth}");
}
