//! Accepted findings: `[[waive]]` in a rules file, and `closefit waive`, which writes it.

use std::fs;
use std::path::Path;

use closefit_testing::command::*;
use serde_json::{Value, json};
use tempfile::TempDir;

/// Writes a plate with its top at 4 mm and a bolt from `bottom` to above it, `x` from the side.
fn scene(folder: &TempDir, name: &str, bottom: f64, x: f64) -> String {
    fs::write(folder.path().join("cube.obj"), CUBE).unwrap();
    let part = |name: &str, size: [f64; 3], at: [f64; 3]| {
        let [sx, sy, sz] = size;
        let [x, y, z] = at;
        let matrix = [sx, 0.0, 0.0, x, 0.0, sy, 0.0, y, 0.0, 0.0, sz, z];
        json!({ "name": name, "mesh": "cube.obj", "pose": { "matrix": matrix } })
    };
    let parts = [
        part("plate", [10.0, 10.0, 4.0], [0.0; 3]),
        part("bolt", [2.0, 2.0, 8.0], [x, 4.0, bottom]),
        part("cover", [1.0; 3], [20.0, 0.0, 0.0]),
        part("lid", [1.0; 3], [20.0, 0.0, 1.25]),
    ];
    let path = folder.path().join(name);
    fs::write(&path, json!({ "unit": "mm", "parts": parts }).to_string()).unwrap();
    shown(&path).to_owned()
}

fn put(folder: &TempDir, name: &str, text: &str) -> String {
    let path = folder.path().join(name);
    fs::write(&path, text).unwrap();
    shown(&path).to_owned()
}

/// Returns the status of a check with rules, and its report.
fn check(scene: &str, rules: &str, more: &[&str]) -> (Option<i32>, Value) {
    let output = run(&[&["check", scene, "--rules", rules, "--json"], more].concat());
    let report = serde_json::from_slice(&output.stdout);
    (output.status.code(), report.unwrap_or_else(|_| panic!("{}", text(&output.stderr))))
}

/// Checks a scene without waivers and returns the key of the bolt in the plate.
fn key(folder: &TempDir, scene: &str) -> String {
    let out = folder.path().join("out");
    let output = run(&["check", scene, "--quiet", "--out", shown(&out)]);
    assert_eq!(output.status.code(), Some(1));
    let report: Value = serde_json::from_slice(&fs::read(out.join("report.json")).unwrap()).unwrap();
    assert_eq!(report["pairs"].as_array().unwrap().len(), 1);
    report["pairs"][0]["key"].as_str().unwrap().to_owned()
}

fn waive(folder: &TempDir, rules: &str, key: &str, more: &[&str]) {
    let report = folder.path().join("out/report.json");
    let arguments = ["waive", key, "--report", shown(&report), "--rules", rules, "--reason", "RFI 88"];
    let output = run(&[&arguments[..], more].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
}

const EMPTY: &str = "closefit-rules = 1 # ours\n\n# No rules yet.\n";

#[test]
fn a_waived_bolt_that_is_pushed_deeper_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    let today = scene(&folder, "today.json", 3.0, 4.0);
    let rules = put(&folder, "rules.toml", EMPTY);
    waive(&folder, &rules, &key(&folder, &today), &[]);
    let written = fs::read_to_string(&rules).unwrap();
    assert!(written.starts_with(EMPTY) && written.contains("reason = \"RFI 88\""), "{written}");
    // The same once more changes nothing, and says so.
    let report = folder.path().join("out/report.json");
    let key = check(&today, &rules, &[]).1["pairs"][0]["key"].as_str().unwrap().to_owned();
    let again = run(&["waive", &key, "--report", shown(&report), "--rules", &rules, "--reason", "RFI 88"]);
    let told = format!("{key} is already accepted up to 1.1mm: RFI 88\n");
    assert_eq!((again.status.code(), text(&again.stdout)), (Some(0), &told[..]));
    assert_eq!(fs::read_to_string(&rules).unwrap(), written);

    let (status, report) = check(&today, &rules, &[]);
    let pair = &report["pairs"][0];
    assert_eq!((status, &pair["status"], &pair["verdict"]), (Some(0), &json!("accepted"), &json!("clash")));
    let counts = &report["rules"]["waivers"][0];
    assert_eq!(
        (&counts["reason"], &counts["pairs"], &counts["accepted"], &counts["stale"]),
        (&json!("RFI 88"), &json!(1), &json!(1), &json!(0))
    );
    // But for its status, the row is that of a run without waivers.
    let plain: Value = serde_json::from_slice(&run(&["check", &today, "--json"]).stdout).unwrap();
    let mut bare = pair.clone();
    bare.as_object_mut().unwrap().remove("status");
    assert_eq!(bare, plain["pairs"][0]);
    let table = run(&["check", &today, "--rules", &rules]).stdout;
    assert!(text(&table).contains(", 1 accepted") && !text(&table).contains("clash  "), "{}", text(&table));

    let deeper = scene(&folder, "today.json", 2.0, 4.0);
    let (status, report) = check(&deeper, &rules, &[]);
    let pair = &report["pairs"][0];
    assert_eq!((status, &pair["status"]), (Some(1), &json!("waiver stale")));
    let cause = pair["status_cause"].as_str().unwrap();
    assert!(cause.starts_with("deeper than 1."), "{cause}");
    let table = run(&["check", &deeper, "--rules", &rules]).stdout;
    assert!(text(&table).contains("waiver stale: deeper than 1."), "{}", text(&table));

    let apart = scene(&folder, "today.json", 4.5, 4.0);
    let output = run(&["check", &apart, "--rules", &rules]);
    assert_eq!(output.status.code(), Some(0));
    assert!(text(&output.stderr).contains("is not listed: it is clear now"), "{}", text(&output.stderr));
}

#[test]
fn a_pinned_waiver_ends_when_a_part_moves_by_one_ulp() {
    let folder = tempfile::tempdir().unwrap();
    let today = scene(&folder, "today.json", 3.0, 4.0);
    let [loose, pinned] = ["loose.toml", "pinned.toml"].map(|name| put(&folder, name, EMPTY));
    let key = key(&folder, &today);
    waive(&folder, &loose, &key, &[]);
    waive(&folder, &pinned, &key, &["--pinned"]);
    let moved = scene(&folder, "today.json", 3.0, 4.0_f64.next_up());
    assert_eq!(check(&moved, &loose, &[]).1["pairs"][0]["status"], "accepted");
    let (status, report) = check(&moved, &pinned, &[]);
    let pair = &report["pairs"][0];
    assert_eq!(
        (status, &pair["status"], &pair["status_cause"]),
        (Some(1), &json!("waiver stale"), &json!("'bolt' changed"))
    );
    // The remark is whole, however narrow the table is.
    let table =
        closefit(&["check", &moved, "--rules", &pinned]).env("COLUMNS", "40").output().unwrap().stdout;
    assert!(text(&table).contains("waiver stale: 'bolt' changed"), "{}", text(&table));
    scene(&folder, "today.json", 3.0, 4.0);
    assert_eq!(check(&today, &pinned, &[]).1["pairs"][0]["status"], "accepted");
}

/// The bolt is 1 mm deep: a bracket around that has to be narrowed, and without depths one is asked for.
#[test]
fn a_depth_is_searched_until_one_side_of_the_waiver_is_proven() {
    let folder = tempfile::tempdir().unwrap();
    let scene = scene(&folder, "scene.json", 3.0, 4.0);
    let key = key(&folder, &scene);
    for (up_to, is_accepted) in [
        ("0.5mm", false),
        ("0.995mm", false),
        ("0.999999mm", false),
        ("1.000001mm", true),
        ("1.005mm", true),
        ("0.2cm", true),
    ] {
        let waive = format!("pairs = \"{key}\"\nup_to = \"{up_to}\"\nreason = \"r\"\n");
        let rules = put(&folder, "rules.toml", &format!("closefit-rules = 1\n[[waive]]\n{waive}"));
        for depth in ["full", "verdict", "none"] {
            let (status, report) = check(&scene, &rules, &["--depth", depth]);
            let expected = if is_accepted { (Some(0), "accepted") } else { (Some(1), "waiver stale") };
            assert_eq!((status, report["pairs"][0]["status"].as_str().unwrap()), expected, "{up_to} {depth}");
        }
    }
}

#[test]
fn waivers_about_sides_are_in_the_csv_and_milder_pairs_are_accepted() {
    let folder = tempfile::tempdir().unwrap();
    let scene = scene(&folder, "scene.json", 3.0, 4.0);
    let rules = put(
        &folder,
        "rules.toml",
        "closefit-rules = 1\nunit = \"mm\"\n\
         [[waive]]\na = { name = \"lid\" }\nb = { name = \"cover\" }\nup_to = 0\nreason = \"apart\"\n\
         [[waive]]\na = { name = \"bolt\" }\nb = { name = \"*\" }\nup_to = 0.5\nreason = \"small\"\n\
         [[waive]]\na = { name = \"bolt\" }\nb = { name = \"plate\" }\nup_to = 2\nreason = \"generous\"\n\
         [[waive]]\na = { name = \"bolt\" }\nb = { name = \"lid\" }\nup_to = 2\nreason = \"idle\"\n",
    );
    let out = folder.path().join("result");
    let output = run(&["check", &scene, "--rules", &rules, "--clearance", "0.25mm", "--out", shown(&out)]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("note: waive 'idle' is about no listed pair"));
    let report: Value = serde_json::from_slice(&fs::read(out.join("report.json")).unwrap()).unwrap();
    let counts = report["rules"]["waivers"].as_array().unwrap().iter();
    let counts: Vec<_> =
        counts.map(|row| ["pairs", "accepted", "stale"].map(|key| row[key].as_u64().unwrap())).collect();
    assert_eq!(counts, [[1, 1, 0], [1, 0, 0], [1, 1, 0], [0, 0, 0]]);
    let csv = fs::read_to_string(out.join("pairs.csv")).unwrap();
    assert!(csv.lines().next().unwrap().ends_with(",rule,status,status_cause"), "{csv}");
    assert_eq!(csv.matches(",accepted,").count(), 2, "{csv}");
}

/// The depth in an open part is known in part, so only a waiver of the very same parts accepts it.
#[test]
fn a_pinned_waiver_accepts_what_is_known_in_part() {
    let folder = tempfile::tempdir().unwrap();
    let today = scene(&folder, "today.json", 3.0, 4.0);
    let open: Vec<&str> = CUBE.lines().filter(|line| !line.is_empty()).collect();
    let open = open[..open.len() - 1].join("\n") + "\n";
    let opened = fs::read_to_string(&today).unwrap().replacen("cube.obj", "open.obj", 1);
    fs::write(&today, opened).unwrap();
    put(&folder, "open.obj", &open);
    let rules = put(&folder, "rules.toml", EMPTY);
    let key = key(&folder, &today);
    let report = folder.path().join("out/report.json");
    let told = refusal(&["waive", &key, "--report", shown(&report), "--rules", &rules, "--reason", "r"]);
    assert!(told.contains("is known only in part") && told.contains("--pinned"), "{told}");
    waive(&folder, &rules, &key, &["--pinned"]);
    let (status, report) = check(&today, &rules, &[]);
    assert_eq!((status, &report["pairs"][0]["status"]), (Some(0), &json!("accepted")), "{report}");
}

/// Writes a block that lacks a triangle and a plate, 0.1 mm thick, that goes 0.5 mm into it or lies in it.
fn torn(folder: &TempDir, y: f64) -> String {
    let open: Vec<&str> = CUBE.lines().filter(|line| !line.is_empty()).collect();
    put(folder, "open.obj", &(open[..open.len() - 1].join("\n") + "\n"));
    put(folder, "cube.obj", CUBE);
    let part = |name: &str, mesh: &str, [sx, sy, sz]: [f64; 3], [x, y, z]: [f64; 3]| {
        let matrix = [sx, 0.0, 0.0, x, 0.0, sy, 0.0, y, 0.0, 0.0, sz, z];
        json!({ "name": name, "mesh": mesh, "pose": { "matrix": matrix } })
    };
    let parts = [
        part("block", "open.obj", [2.0; 3], [0.0; 3]),
        part("plate", "cube.obj", [1.0, 1.0, 0.1], [0.5, y, 1.0]),
    ];
    put(folder, "torn.json", &json!({ "unit": "mm", "parts": parts }).to_string())
}

/// The plate is thinner than the waiver allows, so with that as the tolerance the pair would be in contact or
/// clear. It may still be deeper in the open block.
#[test]
fn a_waiver_that_is_not_pinned_accepts_no_overlap_of_an_open_part() {
    let folder = tempfile::tempdir().unwrap();
    let waiver = "closefit-rules = 1\n[[waive]]\na = { name = \"block\" }\nb = { name = \"plate\" }\nup_to = \"0.25mm\"\n\
        reason = \"r\"\n";
    let rules = put(&folder, "rules.toml", waiver);
    for (y, verdict) in [(1.5, "clash"), (0.5, "undecided")] {
        let (status, report) = check(&torn(&folder, y), &rules, &["--tolerance", "0.001"]);
        let pair = &report["pairs"][0];
        assert_eq!((status, &pair["verdict"]), (Some(1), &json!(verdict)), "{report}");
        assert_eq!(pair["status"], json!("waiver stale"), "{report}");
        let cause = pair["status_cause"].as_str().unwrap();
        assert!(cause.starts_with("not proven to be within 0.25mm: "), "{cause}");
    }
}

#[test]
fn what_cannot_be_waived_is_refused_and_the_file_stays() {
    let folder = tempfile::tempdir().unwrap();
    let scene = scene(&folder, "scene.json", 3.0, 4.0);
    let rules = put(&folder, "rules.toml", EMPTY);
    let out = folder.path().join("out");
    let output = run(&["check", &scene, "--quiet", "--clearance", "1mm", "--out", shown(&out)]);
    assert_eq!(output.status.code(), Some(1));
    let report: Value = serde_json::from_slice(&fs::read(out.join("report.json")).unwrap()).unwrap();
    let keys: Vec<&str> =
        report["pairs"].as_array().unwrap().iter().map(|pair| pair["key"].as_str().unwrap()).collect();
    let report = shown(&out.join("report.json")).to_owned();
    let refused = |key: &str, report: &str, rules: &str, reason: &str| {
        refusal(&["waive", key, "--report", report, "--rules", rules, "--reason", reason])
    };
    let typo = keys[0][..19].to_owned() + "g";
    let told = refused(&typo, &report, &rules, "r");
    assert!(told.contains(&format!("did you mean '{}'?", keys[0])), "{told}");
    let told = refused(keys[1], &report, &rules, "r");
    assert!(told.contains("has no depth to accept: the parts do not overlap"), "{told}");
    assert!(refused(keys[0], &report, &rules, "two\nlines").contains("control character"));
    assert!(refused(keys[0], &report, &scene, "r").contains("scene.json:1:"));
    assert!(refused(keys[0], "nowhere.json", &rules, "r").contains("nowhere.json: cannot be read"));
    assert!(refused(keys[0], &scene, &rules, "r").contains("missing field"));
    assert_eq!(fs::read_to_string(&rules).unwrap(), EMPTY);
    assert!(Path::new(&rules).exists());
}

#[test]
fn a_rules_file_that_is_not_there_is_made() {
    let folder = tempfile::tempdir().unwrap();
    let scene = scene(&folder, "s.json", 1.0, 4.0);
    let key = key(&folder, &scene);
    let path = folder.path().join("new.toml");
    waive(&folder, shown(&path), &key, &[]);
    let written = fs::read_to_string(&path).unwrap();
    assert!(written.starts_with("closefit-rules = 1\n"), "{written}");
    assert_eq!(check(&scene, shown(&path), &[]).0, Some(0));
    // In the current folder too; nothing is made of what cannot be TOML, or beside a wrong key.
    let report = shown(&folder.path().join("out/report.json")).to_owned();
    let arguments = |key: &str, rules: &str| {
        ["waive", key, "--report", &report, "--rules", rules, "--reason", "why"].map(str::to_owned)
    };
    let waive = |key: &str, rules: &str| {
        let arguments = arguments(key, rules);
        run_in(folder.path(), &arguments.each_ref().map(String::as_str)).0
    };
    assert_eq!([waive(&key, "here.toml"), waive(&key, "here.json"), waive("0", "other.toml")], [0, 2, 2]);
    let made = ["here.toml", "here.json", "other.toml"].map(|name| folder.path().join(name).exists());
    assert_eq!(made, [true, false, false]);
}

/// Checks the scene with a second bolt beside the first, and returns the report's path and its pairs' keys.
fn two_clashes(folder: &TempDir) -> (String, String, Vec<String>) {
    let path = scene(folder, "two.json", 3.0, 4.0);
    let mut manifest: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    let mut bolt = manifest["parts"][1].clone();
    bolt["name"] = json!("screw#1:57:54");
    bolt["pose"]["matrix"][3] = json!(7.0);
    manifest["parts"].as_array_mut().unwrap().push(bolt);
    fs::write(&path, manifest.to_string()).unwrap();
    let out = folder.path().join("out");
    assert_eq!(
        run(&["check", &path, "--quiet", "--group", "type", "--out", shown(&out)]).status.code(),
        Some(1)
    );
    let report = shown(&out.join("report.json")).to_owned();
    let read: Value = serde_json::from_str(&fs::read_to_string(&report).unwrap()).unwrap();
    let keys = read["pairs"].as_array().unwrap().iter().map(|pair| pair["key"].as_str().unwrap().to_owned());
    (path, report, keys.collect())
}

/// Returns the keys of the waivers of a rules file.
fn waived(rules: &str) -> Vec<String> {
    let text = fs::read_to_string(rules).unwrap();
    let lines = text.lines().filter_map(|line| line.strip_prefix("pairs = [\""));
    lines.map(|line| line.trim_end_matches("\"]").to_owned()).collect()
}

#[test]
fn findings_are_named_as_tables_and_files_print_them() {
    let folder = tempfile::tempdir().unwrap();
    let (scene, report, keys) = two_clashes(&folder);
    let read: Value = serde_json::from_str(&fs::read_to_string(&report).unwrap()).unwrap();
    let group = read["groups"][0]["key"].as_str().unwrap();
    for (names, expected) in [
        (&["plate,screw"][..], &keys[1..]),
        (&["plate x screw#1:57:54"], &keys[1..]),
        (&["#4,0", "bolt,plate"], &[keys[1].clone(), keys[0].clone()]),
        (&["scr…w #4, plate"], &keys[1..]),
        (&[group], &keys),
        (&["--all"], &keys),
    ] {
        let rules = put(&folder, "rules.toml", EMPTY);
        let more = ["--report", &report, "--rules", &rules, "--reason", "r"];
        let output = run(&[&["waive"], names, &more].concat());
        assert_eq!(output.status.code(), Some(0), "{names:?}: {}", text(&output.stderr));
        let (mut found, mut expected) = (waived(&rules), expected.to_vec());
        if names[0] == group || names[0] == "--all" {
            found.sort();
            expected.sort();
        }
        assert_eq!(found, expected, "{names:?}");
    }
    assert_eq!(check(&scene, shown(&folder.path().join("rules.toml")), &[]).0, Some(0));
    let rules = put(&folder, "rules.toml", EMPTY);
    for (name, why) in [
        ("bolt,screw", "the report does not list the pair 'bolt,screw'"),
        ("bolt,nut", "'bolt,nut': there is no part 'nut'"),
        ("bolt", "no listed pair and no group has the key 'bolt'"),
    ] {
        let told = refusal(&["waive", name, "--report", &report, "--rules", &rules, "--reason", "r"]);
        assert!(told.contains(why), "{told}");
    }
}

#[test]
fn all_pairs_that_need_pinning_are_named_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = scene(&folder, "two.json", 3.0, 4.0);
    let mut manifest: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    let open: Vec<&str> = CUBE.lines().filter(|line| !line.is_empty()).collect();
    put(&folder, "open.obj", &(open[..open.len() - 1].join("\n") + "\n"));
    manifest["parts"][0]["mesh"] = json!("open.obj");
    let mut bolt = manifest["parts"][1].clone();
    bolt["name"] = json!("screw");
    bolt["pose"]["matrix"][3] = json!(7.0);
    manifest["parts"].as_array_mut().unwrap().push(bolt);
    fs::write(&path, manifest.to_string()).unwrap();
    let out = folder.path().join("out");
    run(&["check", &path, "--quiet", "--out", shown(&out)]);
    let report = shown(&out.join("report.json")).to_owned();
    let rules = put(&folder, "rules.toml", EMPTY);
    let waive = ["waive", "--all", "--report", &report, "--rules", &rules, "--reason", "r"];
    let told = refusal(&waive);
    let read: Value = serde_json::from_str(&fs::read_to_string(&report).unwrap()).unwrap();
    let keys: Vec<&str> =
        read["pairs"].as_array().unwrap().iter().map(|pair| pair["key"].as_str().unwrap()).collect();
    assert!(keys.len() == 2 && keys.iter().all(|key| told.contains(key)), "{told}");
    assert!(told.contains("the depths of 2 pairs are known only in part (--pinned accepts them"), "{told}");
    assert_eq!(run(&[&waive[..], &["--pinned"]].concat()).status.code(), Some(0));
    assert_eq!(check(&path, &rules, &[]).0, Some(0));
}

#[test]
fn approvals_of_a_page_become_waivers() {
    let folder = tempfile::tempdir().unwrap();
    let (scene, report, keys) = two_clashes(&folder);
    let status = |status: &str, comment: &str| json!({ "status": status, "comment": comment });
    let statuses = json!({
        keys[0].clone(): status("approved", "seen\nby Ann"),
        keys[1].clone(): status("open", "no"),
        "00000000000000000000": status("approved", "of another report"),
    });
    let review =
        put(&folder, "review.json", &json!({ "closefit-review": 1, "statuses": statuses }).to_string());
    let rules = put(&folder, "rules.toml", EMPTY);
    let waive = ["waive", "--review", &review, "--report", &report, "--rules", &rules];
    let output = run(&waive);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(
        text(&output.stderr),
        "note: 1 status of the review about no pair and no group of the report\n"
    );
    assert_eq!(waived(&rules), &keys[..1]);
    assert!(fs::read_to_string(&rules).unwrap().contains("reason = \"seen by Ann\""));
    let (code, checked) = check(&scene, &rules, &[]);
    assert_eq!((code, &checked["pairs"][0]["status"]), (Some(1), &json!("accepted")));
    assert!(checked["pairs"][1].get("status").is_none());

    // The group stands for its pairs; a finding without a comment needs a reason.
    let group =
        serde_json::from_str::<Value>(&fs::read_to_string(&report).unwrap()).unwrap()["groups"][0]["key"]
            .clone();
    let statuses = json!({ group.as_str().unwrap(): { "status": "approved" } });
    put(&folder, "review.json", &json!({ "closefit-review": 1, "statuses": statuses }).to_string());
    let rules = put(&folder, "rules.toml", EMPTY);
    assert!(refusal(&waive).contains("has no comment: give --reason"));
    assert_eq!(run(&[&waive[..], &["--reason", "all fine"]].concat()).status.code(), Some(0));
    assert_eq!(check(&scene, &rules, &[]).0, Some(0));
    put(&folder, "review.json", r#"{"closefit-review": 1, "statuses": {}}"#);
    assert!(refusal(&waive).contains("it approves no clash and no undecided pair of the report"));
}

#[test]
fn waivers_follow_parts_whose_names_changed() {
    let folder = tempfile::tempdir().unwrap();
    let (scene, report, keys) = two_clashes(&folder);
    let rules = put(&folder, "rules.toml", EMPTY);
    let more = ["--report", &report, "--rules", &rules, "--reason", "r"];
    assert_eq!(run(&[&["waive", "--all"], &more[..]].concat()).status.code(), Some(0));
    let renamed = fs::read_to_string(&scene).unwrap().replace("plate", "base").replace("bolt", "pin");
    let renamed = put(&folder, "renamed.json", &renamed);
    let output = run(&["check", &renamed, "--rules", &rules]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stdout));
    let note = "note: 2 waivers follow parts whose names changed: their meshes and places are the same\n";
    assert_eq!(text(&output.stderr), note);
    // A part that has moved as well is another finding.
    let moved = fs::read_to_string(&renamed).unwrap().replacen("3.0", "2.5", 1);
    let moved = put(&folder, "moved.json", &moved);
    let (code, checked) = check(&moved, &rules, &[]);
    let accepted = checked["pairs"].as_array().unwrap().iter().filter(|pair| pair.get("status").is_some());
    assert_eq!((code, accepted.count(), keys.len()), (Some(1), 1, 2));
}
