//! The command line on whole scenes: reports, tables, files and exit status.

use std::fs;
use std::path::{Path, PathBuf};

use closefit::BroadPhase;
use closefit_testing::command::*;
use serde_json::{Value, json};
use tempfile::TempDir;

/// Writes a manifest of unit cubes from names and translations.
pub(super) fn cubes(unit: &str, parts: &[(&str, [f64; 3])]) -> (TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("cube.obj"), CUBE).unwrap();
    let parts: Vec<_> = parts
        .iter()
        .map(|(name, t)| json!({"name": name, "mesh": "cube.obj", "pose": {"translation": t, "rotation": [0, 0, 0, 1]}}))
        .collect();
    let path = dir.path().join("scene.json");
    fs::write(&path, json!({"unit": unit, "parts": parts}).to_string()).unwrap();
    (dir, path)
}

/// A clash of depth 0.125, a contact, a gap of 1.125, and three pairs that are farther apart than 1.5.
pub(super) fn row_of_cubes() -> (TempDir, PathBuf) {
    let parts = [
        ("bolt", [0.0, 0.0, 0.0]),
        ("nut", [0.875, 0.25, 0.25]),
        ("pin", [3.0, 0.0, 0.0]),
        ("plate", [4.0, 0.0, 0.0]),
    ];
    cubes("mm", &parts)
}

fn entries(dir: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        fs::read_dir(dir).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn the_report_says_what_is_known() {
    let (_dir, scene) = row_of_cubes();
    let output = run(&["check", shown(&scene), "--clearance", "1.5mm", "--json"]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    assert!(output.stderr.is_empty());
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&report["closefit"], &report["command"]), (&json!(2), &json!("check")));
    assert_eq!((&report["scene"]["unit"], &report["scene"]["triangles"]), (&json!("mm"), &json!(48)));
    assert_eq!(report["settings"]["clearance"], json!(1.5));
    let ledger = json!({"pairs": 6, "excluded": {}, "apart": 3, "decided": 3, "undecided": 0});
    assert_eq!(report["ledger"], ledger);
    let pairs = report["pairs"].as_array().unwrap();
    let ids_and_verdicts: Vec<_> = pairs.iter().map(|p| (p["ids"].clone(), p["verdict"].clone())).collect();
    assert_eq!(
        ids_and_verdicts,
        [
            (json!([0, 1]), json!("clash")),
            (json!([1, 2]), json!("clearance")),
            (json!([2, 3]), json!("contact"))
        ]
    );
    let depth = |end: &str| pairs[0]["depth"][end].as_f64().unwrap();
    assert!(depth("at_least") <= 0.125 && 0.125 <= depth("at_most"), "{}", pairs[0]);
    assert!(depth("at_most") <= 1.01 * depth("at_least"), "{}", pairs[0]);
    assert_eq!(pairs[1]["distance"], json!(1.125));
    assert_eq!((&pairs[2]["distance"], &pairs[2]["contacts"]), (&json!(0), &pairs[2]["contacts"]));
    assert!(pairs[2]["contacts"].as_u64().unwrap() > 0);
    assert!(pairs[0].get("triangles").is_none());
}

/// A run that is asked about no pair passes only on request; a pair that is apart was asked about.
#[test]
fn nothing_to_check_is_refused() {
    let (dir, one) = cubes("mm", &[("alone", [0.0; 3])]);
    let out = dir.path().join("out");
    let cube = dir.path().join("cube.obj");
    for (command, scene) in [("check", &one), ("check", &cube), ("sweep", &cube)] {
        let arguments = [command, shown(scene), "--out", shown(&out)];
        let told = format!(
            "error: {}: nothing would be checked: the scene has one part (--allow-empty accepts that)\n",
            scene.display()
        );
        assert_eq!(refusal(&arguments), told);
        assert!(!out.exists());
        let output = run(&[&arguments[..], &["--allow-empty", "--json"]].concat());
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(report["ledger"]["pairs"], json!(0));
        fs::remove_dir_all(&out).unwrap();
    }
    let (_dir, apart) = cubes("mm", &[("a", [0.0; 3]), ("b", [30.0, 0.0, 0.0])]);
    assert_eq!(run(&["check", shown(&apart), "--quiet"]).status.code(), Some(0));
}

#[test]
fn contacts_are_listed_on_request_and_counted_alike() {
    let (_dir, scene) = row_of_cubes();
    let output = run(&["check", shown(&scene), "--json", "--contacts"]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    for pair in report["pairs"].as_array().unwrap() {
        let triangles: Vec<[u32; 2]> = serde_json::from_value(pair["triangles"].clone()).unwrap();
        assert_eq!(json!(triangles.len()), pair["contacts"]);
        assert!(triangles.is_sorted());
    }
}

#[test]
fn the_table_is_for_people() {
    let (_dir, scene) = row_of_cubes();
    let two_bolts = fs::read_to_string(&scene).unwrap().replace("pin", "bolt");
    fs::write(&scene, two_bolts).unwrap();
    let output = run(&["check", shown(&scene), "--clearance", "1.5", "--list", "clearance"]);
    let note = "note: several parts have the key 'scene/bolt': all but the first get ~2, ~3 ...\n";
    assert_eq!(text(&output.stderr), note);
    let table = text(&output.stdout);
    let line = |words: &[&str]| line_with(table, words);
    line(&["4 parts", "48 triangles", "unit mm", "clearance 1.5 mm"]);
    let clash = line(&["clash", "bolt #0", "nut", "0.125"]);
    let contact = line(&["contact", "bolt #2", "plate"]);
    let clearance = line(&["clearance", "nut", "bolt #2", "1.125"]);
    assert!(clash < contact && contact < clearance);
    line(&["6 pairs: 1 clash, 0 undecided, 1 contact, 1 clearance, 0 clear, 3 apart"]);
}

#[test]
fn a_table_on_a_pipe_has_the_columns_of_the_environment_or_120() {
    let names = ["the_first_of_two_brackets_with_a_long_name", "the_second_of_two_brackets_with_a_long_name"];
    let (_dir, scene) = cubes("mm", &[(names[0], [0.0; 3]), (names[1], [0.75, 0.0, 0.0])]);
    let widest = |columns: Option<&str>| {
        let mut command = closefit(&["check", shown(&scene)]);
        match columns {
            Some(columns) => command.env("COLUMNS", columns),
            None => command.env_remove("COLUMNS"),
        };
        let output = command.output().unwrap();
        let lines = text(&output.stdout).lines().skip(2).filter(|line| !line.starts_with("Next: "));
        lines.map(|line| line.chars().count()).max().unwrap()
    };
    let [whole, narrow] = [widest(Some("400")), widest(Some("60"))];
    assert!(whole > 120 && narrow <= 60, "{whole} {narrow}");
    assert!(widest(None) <= 120 && widest(Some("no number")) <= 120);
}

#[test]
fn a_clearance_beyond_the_scene_is_noted() {
    let (_dir, scene) = row_of_cubes();
    let notes =
        |clearance: &str| text(&run(&["check", shown(&scene), "--clearance", clearance]).stderr).to_owned();
    assert_eq!(notes("5"), "");
    let told = "note: --clearance 6 mm is more than the scene's diagonal of 5.303 mm, so every pair is within it: \
                another unit?\n";
    assert_eq!(notes("6"), told);
}

#[test]
fn a_part_that_does_not_exist_is_answered_with_one_that_does() {
    let parts = [("base/Base", [0.0; 3]), ("jaw/Moving_Jaw", [3.0, 0.0, 0.0])];
    let (_dir, scene) = cubes("mm", &parts);
    let line = refusal(&["sweep", shown(&scene), "--trace", "base,jaw/Moving_Jaw"]);
    assert!(
        line.ends_with("--trace 'base,jaw/Moving_Jaw': there is no part 'base': did you mean 'base/Base'?\n"),
        "{line}"
    );
}

/// A shell whose every triangle is there twice, once each way round, encloses nothing.
#[test]
fn a_double_sided_shell_is_called_so() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("double.obj");
    let cut = |faces: &str| -> String {
        let faces = faces.lines().filter_map(|line| line.strip_prefix("f "));
        faces
            .map(|face| {
                let [a, b, c, d] = face.split(' ').collect::<Vec<_>>()[..] else { panic!("{face}") };
                format!("f {a} {b} {c}\nf {a} {c} {d}\nf {c} {b} {a}\nf {d} {c} {a}\n")
            })
            .collect()
    };
    let vertices: String =
        CUBE.lines().filter(|line| line.starts_with('v')).map(|line| format!("{line}\n")).collect();
    fs::write(&path, vertices + &cut(CUBE)).unwrap();
    let output = run(&["inspect", shown(&path)]);
    let told = text(&output.stdout);
    assert!(told.contains("its triangles cancel in opposite pairs, "), "{told}");
}

#[test]
fn failing_is_the_users_choice() {
    let (_dir, scene) = row_of_cubes();
    let (_apart_dir, apart) = cubes("mm", &[("a", [0.0; 3]), ("b", [3.0, 0.0, 0.0])]);
    let (_touch_dir, touching) = cubes("mm", &[("a", [0.0; 3]), ("b", [1.0, 0.0, 0.0])]);
    for (scene, arguments, status) in [
        (&scene, &[][..], 1),
        (&scene, &["--fail-on", "clash"], 1),
        (&scene, &["--fail-on", "never"], 0),
        (&touching, &[], 0),
        (&touching, &["--fail-on", "clash"], 0),
        (&touching, &["--fail-on", "contact"], 1),
        (&touching, &["--fail-on", "clearance"], 1),
        (&apart, &["--fail-on", "clearance"], 0),
        (&apart, &["--fail-on", "clearance", "--clearance", "2"], 1),
        (&apart, &["--fail-on", "contact", "--clearance", "2"], 0),
    ] {
        let output = run(&[&["check", shown(scene), "--quiet"], arguments].concat());
        assert_eq!(output.status.code(), Some(status), "{arguments:?}: {}", text(&output.stderr));
        assert!(output.stdout.is_empty() && output.stderr.is_empty());
    }
}

#[test]
fn the_same_report_whatever_the_threads_and_backend_and_wherever_it_goes() {
    let (dir, scene) = row_of_cubes();
    let report = run(&["check", shown(&scene), "--clearance", "1.5", "--json"]).stdout;
    for (threads, tree, backend, chosen) in [
        ("1", "obb", "scalar", "scalar"),
        ("2", "obb", "simd", "simd"),
        ("7", "obb", "auto", "simd"),
        ("3", "rapid", "auto", "scalar"),
        ("4", "rapid", "scalar", "scalar"),
    ] {
        let out = dir.path().join(format!("out/{threads}"));
        let arguments = [
            "check",
            shown(&scene),
            "--clearance",
            "1.5mm",
            "--threads",
            threads,
            "--tree",
            tree,
            "--backend",
            backend,
        ];
        run(&[&arguments[..], &["--quiet", "--out", shown(&out)]].concat());
        assert_eq!(entries(&out), ["issues.csv", "pairs.csv", "report.json", "run.json"]);
        assert_eq!(fs::read(out.join("report.json")).unwrap(), report);
        let record: Value = serde_json::from_slice(&fs::read(out.join("run.json")).unwrap()).unwrap();
        let mut seconds = record["seconds"].as_object().unwrap().clone();
        let total = seconds.remove("total").unwrap().as_f64().unwrap();
        let stages: Vec<f64> = seconds.values().map(|stage| stage.as_f64().unwrap()).collect();
        assert!(
            stages.iter().all(|&stage| stage >= 0.0) && (stages.iter().sum::<f64>() - total).abs() < 1e-6,
            "{record}"
        );
        assert_eq!(record["threads"], json!(threads.parse::<u32>().unwrap()));
        assert_eq!((&record["tree"], &record["backend"]), (&json!(tree), &json!(chosen)));
        let work = record["work"].as_object().unwrap();
        let stages = work["stages"].as_object().unwrap();
        let names = [
            "broad",
            "hull",
            "contacts",
            "distance",
            "witness",
            "containment",
            "depth",
            "duplicate",
            "crossing",
            "location",
            "continuous",
        ];
        assert!(
            stages.len() == names.len() && names.iter().all(|name| stages.contains_key(*name)),
            "{record}"
        );
        let counts =
            ["box_tests", "triangle_tests", "settled_exactly", "updates", "exchanges", "overlaps", "unboxed"];
        for tests in counts {
            let sum: u64 = stages.values().map(|stage| stage[tests].as_u64().unwrap()).sum();
            assert_eq!(work[tests], sum, "{record}");
        }
        for tests in stages.values().chain([&record["work"]]) {
            let by_axis = tests["exchanges_by_axis"].as_array().unwrap();
            let sum: u64 = by_axis.iter().map(|along| along.as_u64().unwrap()).sum();
            assert_eq!((by_axis.len(), &tests["exchanges"]), (3, &json!(sum)), "{record}");
        }
        for (name, stage) in stages {
            let seconds = stage.get("thread_seconds").map(|seconds| seconds.as_f64().unwrap());
            assert_eq!(seconds.is_some_and(|seconds| seconds >= 0.0), name != "broad", "{record}");
        }
        let memory = |key: &str| record["memory"][key].as_f64().unwrap();
        let bytes = memory("mesh_bytes") + memory("tree_bytes") + memory("topology_bytes");
        assert_eq!(memory("bytes_per_triangle"), bytes / memory("unique_triangles"));
        assert_eq!(fs::read_to_string(out.join("pairs.csv")).unwrap().lines().count(), 4);
    }
}

/// The record names the broad phase that ran, and counts its work in its own units.
#[test]
fn every_broad_phase_runs_and_gives_the_same_report() {
    let (dir, scene) = row_of_cubes();
    let moving = dir.path().join("fast-plates/scene.json");
    run(&["generate", "fast-plates", "--size", "3", "--out", shown(dir.path()), "--quiet"]);
    for (command, scene) in [("check", &scene), ("sweep", &moving)] {
        let mut answers = Vec::new();
        for method in BroadPhase::ALL.iter().map(|method| method.name()) {
            let out = dir.path().join(format!("{command}/{method}"));
            let arguments = [command, shown(scene), "--clearance", "1.5", "--quiet", "--broad", method];
            let output = run(&[&arguments[..], &["--out", shown(&out)]].concat());
            assert!(output.status.code() < Some(2), "{}", text(&output.stderr));
            answers.push(["report.json", "pairs.csv"].map(|name| fs::read(out.join(name)).unwrap()));
            let record: Value = serde_json::from_slice(&fs::read(out.join("run.json")).unwrap()).unwrap();
            let broad = &record["broad"];
            assert_eq!(
                (&broad["method"], broad["exchanges"].is_array()),
                (&json!(method), method == "lists")
            );
            assert_eq!(broad["recursive_grid"].is_object(), method == "recursive-grid");
            assert_eq!(broad["box_tests"], record["work"]["stages"]["broad"]["box_tests"]);
            assert!(broad["box_tests"].as_u64() > Some(0) && broad["frames"].as_u64() > Some(0), "{broad}");
        }
        assert!(answers.iter().all(|answer| *answer == answers[0]), "{command}");
    }
}

#[test]
fn a_filter_by_hulls_is_counted_and_gives_the_same_report() {
    let (dir, scene) = row_of_cubes();
    let moving = dir.path().join("fast-plates/scene.json");
    run(&["generate", "fast-plates", "--size", "3", "--out", shown(dir.path()), "--quiet"]);
    let filters = ["off", "closest-features", "contact-region"];
    for (command, scene, filters) in [("check", &scene, &filters[..]), ("sweep", &moving, &filters[..2])] {
        let reports = filters.iter().map(|&filter| {
            let out = dir.path().join(format!("{command}/{filter}"));
            let arguments = [command, shown(scene), "--clearance", "1.5", "--quiet", "--hull", filter];
            let output = run(&[&arguments[..], &["--out", shown(&out)]].concat());
            assert!(output.status.code() < Some(2), "{}", text(&output.stderr));
            let record: Value = serde_json::from_slice(&fs::read(out.join("run.json")).unwrap()).unwrap();
            let hull = record["work"]["stages"]["hull"].clone();
            assert_eq!(hull["walks"].as_u64() > Some(0), filter != "off", "{hull}");
            assert_eq!(record["memory"]["hull_bytes"].as_u64() > Some(0), filter != "off");
            if filter != "off" {
                assert_eq!(record["hull"], filter);
                assert!(hull["steps"].as_u64() >= hull["walks"].as_u64(), "{hull}");
                assert!(hull["vertices_tested"].as_u64() > hull["proofs_won"].as_u64(), "{hull}");
            }
            let has_regions = filter == "contact-region";
            for key in ["regions_tried", "regions_found", "region_plane_steps", "regions_searched"] {
                assert_eq!(hull[key].as_u64() > Some(0), has_regions, "{key}: {hull}");
            }
            ["report.json", "pairs.csv"].map(|name| fs::read(out.join(name)).unwrap())
        });
        let reports: Vec<_> = reports.collect();
        assert!(reports.iter().all(|report| *report == reports[0]), "{command}");
    }
    let why = refusal(&["sweep", shown(&moving), "--hull", "contact-region"]);
    assert!(why.contains("parts at rest: closest-features is for a sweep"), "{why}");
}

#[test]
fn a_record_has_the_whole_method_of_a_sweep() {
    let dir = tempfile::tempdir().unwrap();
    run(&["generate", "fast-plates", "--size", "3", "--out", shown(dir.path()), "--quiet"]);
    let scene = dir.path().join("fast-plates/scene.json");
    let out = dir.path().join("out");
    let record = |more: &[&str]| -> Value {
        run(&[&["sweep", shown(&scene), "--quiet", "--out", shown(&out)][..], more].concat());
        serde_json::from_slice(&fs::read(out.join("run.json")).unwrap()).unwrap()
    };
    let [default, redon] = [&[][..], &["--method", "redon,k=0.5", "--precision", "0.01"]].map(record);
    assert_eq!(default["method"]["boxes"], "swept");
    assert_eq!([&redon["method"]["boxes"], &redon["method"]["discrete"]], ["natural", "ends"]);
    assert_eq!([&redon["method"]["k"], &default["method"]["k"]], ["0.5", "0.2"]);
    assert_eq!(redon["precision"], 0.01);
    assert!(
        redon["work"]["discrete_tests"].as_u64() > Some(0) && default["work"]["discrete_tests"].is_null()
    );
}

#[test]
fn an_earlier_run_is_replaced_and_a_directory_in_the_way_is_not() {
    let (dir, scene) = row_of_cubes();
    let out = dir.path().join("out");
    run(&["check", shown(&scene), "--out", shown(&out)]);
    let before = fs::read(out.join("report.json")).unwrap();
    run(&["check", shown(&scene), "--clearance", "1.5", "--out", shown(&out)]);
    assert_ne!(fs::read(out.join("report.json")).unwrap(), before);
    let blocked = dir.path().join("blocked");
    fs::create_dir_all(blocked.join("report.json")).unwrap();
    assert!(refusal(&["check", shown(&scene), "--out", shown(&blocked)]).contains("report.json"));
    assert_eq!(entries(&blocked), ["report.json"]);
}

#[test]
fn a_spreadsheet_runs_no_name() {
    let names = ["=cmd|' /C calc'!A0", "+1+1", "-2", "@SUM(A1)", "\t=1", "\r=1", "a\n=1", "plain, \"b\""];
    let parts: Vec<_> =
        (0..).zip(names).map(|(i, name)| (name, [-63.25 - 0.5 * f64::from(i), 0.0, 0.0])).collect();
    let (dir, scene) = cubes("mm", &parts);
    let out = dir.path().join("out");
    run(&["check", shown(&scene), "--quiet", "--out", shown(&out)]);
    let mut table = csv::Reader::from_path(out.join("pairs.csv")).unwrap();
    let header = table.headers().unwrap().clone();
    let column = |name: &str| header.iter().position(|title| title == name).expect(name);
    let is_coordinate = |title: &str| ["_x", "_y", "_z"].iter().any(|axis| title.ends_with(axis));
    let numbers: Vec<usize> = (0..header.len()).filter(|&k| is_coordinate(&header[k])).collect();
    let mut seen = std::collections::BTreeSet::new();
    for row in table.records().map(Result::unwrap) {
        seen.extend(["a", "b"].map(|side| row[column(side)].to_owned()));
        for cell in numbers.iter().map(|&k| &row[k]).filter(|cell| !cell.is_empty()) {
            cell.parse::<f64>().unwrap();
        }
        assert!(row.iter().any(|cell| cell.starts_with("-6")), "{row:?}");
    }
    let cells =
        ["'=cmd|' /C calc'!A0", "'+1+1", "'-2", "'@SUM(A1)", r"\t=1", r"\r=1", r"a\n=1", "plain, \"b\""];
    assert_eq!(seen, cells.map(str::to_owned).into());
}

#[test]
fn an_error_is_one_line_and_notes_come_with_the_result() {
    let (dir, _) = cubes("mm", &[]);
    let noted = dir.path().join("noted.obj");
    fs::write(&noted, format!("{CUBE}l 1 2\n")).unwrap();
    let missing = dir.path().join("missing.stl");
    let blocked = dir.path().join("blocked");
    fs::create_dir_all(blocked.join("report.json")).unwrap();
    for (arguments, named) in [
        (&[shown(&missing)][..], "missing.stl: "),
        (&["--clearance", "5mm"], "noted.obj: --clearance: "),
        (&["--at", "1"], "noted.obj: --at 1: "),
        (&["--allow-empty", "--out", shown(&blocked)], "report.json: "),
    ] {
        let line = refusal(&[&["check", shown(&noted)], arguments].concat());
        assert!(line.contains(named), "{line}");
    }
    for (command, empty) in [("check", "--allow-empty"), ("sweep", "--allow-empty"), ("inspect", "--as-is")] {
        let output = run(&[command, empty, shown(&noted)]);
        assert_eq!(text(&output.stderr), "note: noted.obj: points and lines left out (no surface): 1\n");
        assert!(!output.stdout.is_empty());
        assert!(run(&[command, empty, shown(&noted), "--quiet"]).stderr.is_empty());
    }
}

#[test]
fn trees_are_built_for_parts_that_may_meet() {
    let (dir, near) = row_of_cubes();
    let (_apart_dir, apart) = cubes("mm", &[("a", [0.0; 3]), ("b", [3.0, 0.0, 0.0])]);
    let (_one_dir, one) = cubes("mm", &[("a", [0.0; 3])]);
    let memory = |scene: &Path, key: &str| {
        let out = dir.path().join("out");
        run(&["check", shown(scene), "--allow-empty", "--quiet", "--out", shown(&out)]);
        let record: Value = serde_json::from_slice(&fs::read(out.join("run.json")).unwrap()).unwrap();
        record["memory"][key].as_u64().unwrap()
    };
    for key in ["tree_bytes", "topology_bytes"] {
        assert_eq!([memory(&apart, key), memory(&one, key)], [0, 0]);
        assert!(memory(&near, key) > 0);
    }
    assert!(memory(&one, "mesh_bytes") > 0);
}

#[test]
fn a_unit_has_to_be_known_to_be_converted() {
    let dir = tempfile::tempdir().unwrap();
    let cube = dir.path().join("cube.obj");
    fs::write(&cube, CUBE).unwrap();
    let line = refusal(&["check", shown(&cube), "--clearance", "5mm"]);
    assert!(line.contains("--clearance") && line.contains("--unit"), "{line}");
    assert!(refusal(&["check", shown(&cube), "--clearance", "1e999"]).contains("'1e999'"));
    let output =
        run(&["check", shown(&cube), "--clearance", "5mm", "--unit", "in", "--allow-empty", "--json"]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["settings"]["clearance"], json!(5.0 / 25.4));
    let bare = ["check", shown(&cube), "--clearance", "5", "--allow-empty", "--quiet"];
    assert_eq!(run(&bare).status.code(), Some(0));
}

#[test]
fn inspect_counts_what_is_wrong() {
    let dir = tempfile::tempdir().unwrap();
    let (whole, broken) = (dir.path().join("whole.obj"), dir.path().join("broken.obj"));
    fs::write(&whole, CUBE).unwrap();
    fs::write(&broken, CUBE.replace("f 2 4 8 6\n", "f 1 1 2\nf 1 3 4\n")).unwrap();
    let output = run(&["inspect", shown(&whole), shown(&broken), "--unit", "mm", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    let [a, b] = [&document["meshes"][0], &document["meshes"][1]];
    assert_eq!((&a["closed"], &a["volume"], &a["area"]), (&json!(true), &json!(1), &json!(6)));
    assert_eq!((&b["closed"], &b["degenerate_triangles"]), (&json!(false), &json!(1)));
    assert_eq!(b["duplicate_triangles"], json!(1));
    assert_eq!(document["parts"][1]["mesh"], json!(1));
    let table = run(&["inspect", shown(&whole), shown(&broken), "--unit", "mm"]);
    assert!(text(&table.stdout).contains("2 meshes: 1 closed, 1 not"), "{}", text(&table.stdout));
}

#[test]
fn a_part_out_of_range_is_named_with_its_file() {
    let (_dir, scene) = cubes("mm", &[("near", [0.0; 3]), ("far", [1e300, 0.0, 0.0])]);
    for command in ["check", "inspect"] {
        let line = refusal(&[command, shown(&scene)]);
        assert!(line.contains("scene.json: cube.obj: part 1 'far'") && line.contains("2^200"), "{line}");
    }
}

#[test]
fn generated_scenes_are_the_same_every_time_and_in_both_formats() {
    let dir = tempfile::tempdir().unwrap();
    let [first, second] = ["1", "2"].map(|d| dir.path().join(d));
    for out in [&first, &second] {
        for format in ["glb", "manifest"] {
            let output = run(&["generate", "nested", "--format", format, "--out", shown(out)]);
            assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        }
    }
    assert_eq!(entries(&first), ["nested", "nested.glb"]);
    assert_eq!(fs::read(first.join("nested.glb")).unwrap(), fs::read(second.join("nested.glb")).unwrap());
    assert_eq!(entries(&first.join("nested")), entries(&second.join("nested")));
    let manifest = entries(&first.join("nested")).into_iter().find(|n| n.ends_with(".json")).unwrap();
    for scene in [first.join("nested.glb"), first.join("nested").join(manifest)] {
        let output = run(&["inspect", shown(&scene)]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    }
}

#[test]
fn the_example_is_the_generated_gearbox_with_its_one_clash() {
    let example = root().join("examples/gearbox.glb");
    let dir = tempfile::tempdir().unwrap();
    run(&["generate", "gearbox", "--out", shown(dir.path())]);
    assert!(fs::read(&example).unwrap() == fs::read(dir.path().join("gearbox.glb")).unwrap());
    let output = run(&["check", shown(&example), "--clearance", "0.1mm", "--json"]);
    assert_eq!(output.status.code(), Some(1));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let count = |verdict: &str| {
        report["pairs"].as_array().unwrap().iter().filter(|p| p["verdict"] == json!(verdict)).count()
    };
    assert_eq!((count("clash"), count("undecided"), count("clearance")), (1, 0, 1));
}

/// Checks that a page has a command, and that the command prints what the first sample of the page shows.
fn prints_the_sample_of(page: &str, arguments: &[&str]) {
    let output = closefit(arguments).env_remove("COLUMNS").output().unwrap();
    let printed: Vec<_> = text(&output.stdout).lines().collect();
    let page = fs::read_to_string(root().join(page)).unwrap();
    assert!(page.contains(&format!("closefit {}\n", arguments.join(" "))), "{arguments:?}");
    let shown = page.split("```text\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let lines = shown.lines().filter(|line| *line != " ...");
    lines.for_each(|line| assert!(printed.contains(&line), "not printed: {line}: {printed:#?}"));
}

#[test]
fn pages_show_what_their_examples_print() {
    let gearbox = ["check", "examples/gearbox.glb", "--clearance", "0.1mm", "--fail-on", "never"];
    prints_the_sample_of("README.md", &gearbox);
    let [a, e] = ["examples/Duplex_A.glb", "examples/Duplex_E.glb"];
    prints_the_sample_of("docs/rules.md", &["check", a, e, "--rules", "examples/duplex.toml"]);
    for (more, counts) in [(&[a, e][..], "1005"), (&[a, "--against", e], "137")] {
        let lengths = ["--clearance", "10mm", "--tolerance", "0.03mm", "--json"];
        let report = run(&[&["check"], more, &lengths].concat());
        let report: Value = serde_json::from_slice(&report.stdout).unwrap();
        assert_eq!(report["pairs"].as_array().unwrap().len().to_string(), counts);
    }
}

#[cfg(unix)]
#[test]
fn a_closed_pipe_does_not_hide_the_verdict() {
    let (_dir, scene) = row_of_cubes();
    let output = run_unread(&["check", shown(&scene)]);
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(1), ""));
}
