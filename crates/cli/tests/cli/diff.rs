//! Groups, comparisons of reports, the baseline of a check, and files for other programs.

use std::fs;
use std::path::Path;

use closefit_testing::command::*;
use serde_json::{Value, json};
use tempfile::TempDir;

/// Writes unit cubes at these places along x, checks them, and returns the folder of the report.
fn checked(root: &Path, name: &str, cubes: &[(&str, f64)], more: &[&str]) -> String {
    fs::write(root.join("cube.obj"), CUBE).unwrap();
    let part = |(name, x): &(&str, f64)| json!({ "name": name, "mesh": "cube.obj", "pose": { "translation": [x, 0, 0] } });
    let parts: Vec<Value> = cubes.iter().map(part).collect();
    let scene = root.join("scene.json");
    fs::write(&scene, json!({ "unit": "mm", "parts": parts }).to_string()).unwrap();
    let out = root.join(name);
    let flags = ["check", shown(&scene), "--fail-on", "never", "--tolerance", "0.01", "--out", shown(&out)];
    let output = run(&[&flags[..], more].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    shown(&out.join("report.json")).to_owned()
}

const CUBES: [(&str, f64); 4] = [("plate", 0.0), ("bolt", 0.9), ("nut", 1.95), ("far", 20.0)];

fn read(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

/// Returns reports of a bolt that was pushed deeper, a nut that went away, and a part that came.
fn reports() -> (TempDir, [String; 2]) {
    let root = tempfile::tempdir().unwrap();
    let old = checked(root.path(), "old", &CUBES, &["--clearance", "0.1"]);
    let changed = [("plate", 0.0), ("bolt", 0.8), ("nut", 5.0), ("far", 20.0), ("came", 20.5)];
    let new = checked(root.path(), "new", &changed, &["--clearance", "0.1"]);
    (root, [old, new])
}

#[test]
fn a_comparison_says_what_became_of_each_pair() {
    let (root, [old, new]) = reports();
    let out = root.path().join("out");
    let output = run(&["diff", &old, &new, "--out", shown(&out)]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let table = text(&output.stdout);
    assert!(
        table.ends_with("\n1 new, 1 active (1 worse), 1 resolved, 0 part gone, 0 not checked\n"),
        "{table}"
    );
    line_with(table, &["new", "far", "came", "clash", "0.5 mm deep"]);
    line_with(table, &["worse", "plate", "bolt", "clash", "0.1 mm deep -> 0.2 mm deep"]);
    line_with(table, &["resolved", "bolt", "nut", "clearance", "0.05 mm apart"]);
    let diff = read(&out.join("diff.json"));
    let schema = read(&root_schema("diff.schema.json"));
    let validator = jsonschema::validator_for(&schema).unwrap();
    let errors: Vec<String> = validator.iter_errors(&diff).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:?}");
    let printed = run(&["diff", &old, &new, "--json", "--fail-on-diff", "never"]);
    assert_eq!((printed.status.code(), printed.stdout), (Some(0), fs::read(out.join("diff.json")).unwrap()));
    for (fail_on, status) in [("new", 1), ("worse", 1), ("any", 1), ("never", 0)] {
        let output = run(&["diff", &old, &new, "--quiet", "--fail-on-diff", fail_on]);
        assert_eq!((output.status.code(), text(&output.stdout)), (Some(status), ""), "{fail_on}");
    }
    assert_eq!(run(&["diff", &new, &new, "--fail-on-diff", "any"]).status.code(), Some(0));
}

/// The published schemas and the readers agree about what people write by hand.
#[test]
fn the_schemas_of_reviews_and_groups_are_what_is_read() {
    let (key, other) = ("8be9bc86b7d73450ab75", "0011223344556677889a");
    let review = |row: Value| json!({ "closefit-review": 1, "statuses": { key: row } });
    let reviews = [
        (review(json!({ "status": "approved", "comment": "RFI 88" })), true),
        (review(json!({ "status": "open", "comment": null })), true),
        (json!({ "closefit-review": 1, "statuses": {} }), true),
        (review(json!({ "status": "done" })), false),
        (review(json!({ "comment": "x" })), false),
        (review(json!({ "status": "open", "by": "me" })), false),
        (review(json!(1)), false),
        (json!({ "closefit-review": 2, "statuses": {} }), false),
        (json!({ "statuses": {} }), false),
        (json!({ "closefit-review": 1, "statuses": {}, "x": 1 }), false),
    ];
    let groups = [
        (json!({ "stairs": [key, other], "roof": [] }), true),
        (json!({}), true),
        (json!({ "stairs": ["8be9"] }), false),
        (json!({ "stairs": key }), false),
        (json!([key]), false),
    ];
    let read_review = |bytes: &[u8]| closefit_report::diff::Review::read(bytes).is_ok();
    let read_groups = |bytes: &[u8]| closefit_report::groups::NamedGroups::read(bytes).is_ok();
    for (name, cases, is_read) in [
        ("review.schema.json", &reviews[..], &read_review as &dyn Fn(&[u8]) -> bool),
        ("groups.schema.json", &groups[..], &read_groups),
    ] {
        let validator = jsonschema::validator_for(&read(&root_schema(name))).unwrap();
        for (document, is_sound) in cases {
            assert_eq!(validator.is_valid(document), *is_sound, "{document}");
            assert_eq!(is_read(document.to_string().as_bytes()), *is_sound, "{document}");
        }
    }
}

fn root_schema(name: &str) -> std::path::PathBuf {
    root().join("schema").join(name)
}

#[test]
fn a_baseline_lets_old_findings_pass() {
    let (folder, [old, new]) = reports();
    let scene = folder.path().join("scene.json");
    let check = |baseline: &str, fail_on: &str, more: &[&str]| {
        let flags =
            ["check", shown(&scene), "--clearance", "0.1", "--tolerance", "0.01", "--baseline", baseline];
        run(&[&flags[..], &["--fail-on", fail_on], more].concat())
    };
    let out = folder.path().join("again");
    let same = check(&new, "worse", &["--out", shown(&out)]);
    assert_eq!(same.status.code(), Some(0), "{}", text(&same.stderr));
    assert!(
        text(&same.stdout).contains("report.json: 0 new, 2 active, 0 resolved"),
        "{}",
        text(&same.stdout)
    );
    assert_eq!(read(&out.join("diff.json"))["counts"]["active"], 2);
    assert_eq!(check(&old, "new", &[]).status.code(), Some(1));
    assert_eq!(check(&old, "never", &[]).status.code(), Some(0));
    assert_eq!(check(&new, "clash", &[]).status.code(), Some(1), "verdicts count as ever");
    let flags = ["check", shown(&scene), "--clearance", "0.1", "--tolerance", "0.01", "--baseline"];
    let alone = |baseline: &str| run(&[&flags[..], &[baseline]].concat()).status.code();
    assert_eq!([alone(&new), alone(&old)], [Some(0), Some(1)], "without --fail-on, new and worse ones count");
    let line = refusal(&["check", shown(&scene), "--fail-on", "new"]);
    assert!(line.contains("--baseline"), "{line}");
    let robot = refusal(&["sweep", shown(&scene), "--fail-on", "worse"]);
    assert!(robot.contains("--baseline"), "{robot}");
}

/// The cubes of a plate and a bolt that clash, and of a lid and a nut that clash less.
const CLASHES: [(&str, f64); 4] = [("plate", 0.0), ("bolt", 0.9), ("lid", 5.0), ("nut", 5.95)];

#[test]
fn what_was_never_looked_at_is_neither_old_nor_better() {
    let root = tempfile::tempdir().unwrap();
    let whole = checked(root.path(), "whole", &CLASHES, &[]);
    let scene = root.path().join("scene.json");
    let out = root.path().join("partial");
    let stopped =
        run(&["check", shown(&scene), "--tolerance", "0.01", "--budget", "1pairs", "--out", shown(&out)]);
    assert_eq!(stopped.status.code(), Some(1), "{}", text(&stopped.stderr));
    let partial = shown(&out.join("report.json")).to_owned();

    // As a baseline: refused, or what it left open is new.
    let check = ["check", shown(&scene), "--tolerance", "0.01", "--baseline", &partial];
    let line = refusal(&check);
    assert!(
        line.contains("partial/report.json: its run did not look at all pairs, and left open 1 (budget)"),
        "{line}"
    );
    let taken = |more: &[&str]| {
        let output = run(&[&check[..], &["--partial-baseline"], more].concat());
        (output.status.code(), text(&output.stdout).to_owned())
    };
    let (status, told) = taken(&[]);
    assert_eq!(status, Some(1));
    assert!(told.contains("report.json: 1 new, 1 active, 0 resolved"), "{told}");
    assert_eq!(taken(&["--fail-on", "new"]).0, Some(1));
    assert!(refusal(&["check", shown(&scene), "--partial-baseline"]).contains("--baseline"));

    // As the later report: not checked, and no pass.
    let later = |fail_on: &str| run(&["diff", &whole, &partial, "--fail-on-diff", fail_on]);
    let output = later("worse");
    assert_eq!(output.status.code(), Some(1));
    let told = text(&output.stdout);
    line_with(told, &["not checked", "lid", "nut", "clash -> undecided", "not looked at: budget"]);
    assert!(told.ends_with("0 new, 1 active, 0 resolved, 0 part gone, 1 not checked\n"), "{told}");
    assert_eq!((later("new").status.code(), later("any").status.code()), (Some(0), Some(1)));
    // As the earlier one, with the whole report: a new clash, and no defect.
    let earlier = run(&["diff", &partial, &whole, "--fail-on-diff", "new"]);
    assert_eq!(earlier.status.code(), Some(1), "{}", text(&earlier.stderr));
    line_with(text(&earlier.stdout), &["new", "lid", "nut", "not looked at before: budget"]);
}

/// Each rules file excludes one pair, for the same reason.
#[test]
fn what_one_run_excludes_is_neither_resolved_nor_old() {
    let root = tempfile::tempdir().unwrap();
    let excluding = |name: &str, a: &str, b: &str| {
        let file = root.path().join(format!("{name}.toml"));
        let rules = format!(
            "closefit-rules = 1\n[[exclude]]\na = {{ name = \"{a}\" }}\nb = {{ name = \"{b}\" }}\nreason = \"by design\"\n"
        );
        fs::write(&file, rules).unwrap();
        checked(root.path(), name, &CUBES, &["--clearance", "0.1", "--rules", shown(&file)])
    };
    let [first, second] = [excluding("first", "plate", "bolt"), excluding("second", "bolt", "nut")];
    let compared = |old: &str, new: &str| {
        let output = run(&["diff", old, new]);
        (output.status.code(), text(&output.stdout).to_owned())
    };
    // The clash of plate and bolt is there in the second run alone, and the clearance of bolt and nut is not.
    let (status, table) = compared(&first, &second);
    assert_eq!(status, Some(1), "{table}");
    line_with(&table, &["new", "plate", "bolt", "clash", "perhaps not looked at before: by design"]);
    line_with(&table, &["not checked", "bolt", "nut", "perhaps excluded now: by design"]);
    let (_, table) = compared(&second, &first);
    line_with(&table, &["not checked", "plate", "bolt", "perhaps excluded now: by design"]);
    let same = compared(&first, &first);
    assert!(same.0 == Some(0) && same.1.contains("0 not checked"), "{}", same.1);
}

/// Sets of parts are no rules, but leave out pairs as well.
#[test]
fn sets_that_leave_out_other_pairs_are_no_fault_of_the_reports() {
    let root = tempfile::tempdir().unwrap();
    let of_set =
        |name: &str, set: &str| checked(root.path(), name, &CUBES, &["--clearance", "0.1", "--set", set]);
    let [first, second] = [of_set("first", "name=[pb]*"), of_set("second", "name=[bn]*")];
    let output = run(&["diff", &first, &second]);
    let table = text(&output.stdout);
    line_with(table, &["new", "bolt", "nut", "perhaps not looked at before: not selected"]);
    line_with(table, &["not checked", "plate", "bolt", "perhaps excluded now: not selected"]);
}

#[test]
fn what_is_not_known_any_more_is_not_better() {
    let root = tempfile::tempdir().unwrap();
    let old = checked(root.path(), "old", &CLASHES, &[]);
    // Deeper, but the mesh has lost two triangles.
    let scene = root.path().join("scene.json");
    let deeper = fs::read_to_string(&scene).unwrap().replace("0.9,", "0.7,");
    assert!(deeper.contains("0.7,"));
    fs::write(&scene, deeper).unwrap();
    let (open, _) = CUBE.trim_end().rsplit_once('\n').unwrap();
    fs::write(root.path().join("cube.obj"), open).unwrap();
    let check = |more: &[&str]| {
        let flags = ["check", shown(&scene), "--tolerance", "0.01", "--baseline", &old];
        let output = run(&[&flags[..], more].concat());
        (output.status.code(), text(&output.stdout).to_owned())
    };
    for more in [&[][..], &["--fail-on", "worse"]] {
        let (status, told) = check(more);
        assert_eq!(status, Some(1), "{told}");
        assert!(told.contains("report.json: 0 new, 2 active (2 unknown now), 0 resolved"), "{told}");
    }
    assert_eq!(check(&["--fail-on", "new"]).0, Some(0));
    let out = root.path().join("out");
    check(&["--out", shown(&out)]);
    let diff = read(&out.join("diff.json"));
    let validator = jsonschema::validator_for(&read(&root_schema("diff.schema.json"))).unwrap();
    assert!(validator.is_valid(&diff), "{diff}");
    assert_eq!(
        (&diff["counts"]["unknown_now"], &diff["pairs"][0]["change"]),
        (&json!(2), &json!("unknown now"))
    );
}

#[test]
fn what_cannot_be_compared_is_refused_in_one_line() {
    let (folder, [old, new]) = reports();
    let edited = |from: &str, to: &str| {
        let path = folder.path().join("edited.json");
        let report = fs::read_to_string(&old).unwrap();
        assert!(report.contains(from), "{from}");
        fs::write(&path, report.replacen(from, to, 1)).unwrap();
        refusal(&["diff", shown(&path), &new])
    };
    let line = edited("\"unit\": \"mm\"", "\"unit\": \"cm\"");
    assert!(
        line.contains("edited.json, ") && line.contains("the unit is cm in one and mm in the other"),
        "{line}"
    );
    assert!(edited("\"closefit\": 2", "\"closefit\": 1").contains("edited.json: it has format 1"));
    assert!(edited("mesh_digest", "digest").contains("parts[0] has 'digest'"));
    assert!(edited("\"ids\": [0, 1]", "\"ids\": [0, 99]").contains("pairs[0]: the ids 0, 99"));
    assert!(edited("\"ledger\"", "\"lodger\"").contains("missing field `ledger`"));
    let missing = refusal(&["diff", "no/such.json", &new]);
    assert!(missing.contains("no/such.json"), "{missing}");
    fs::write(folder.path().join("review.json"), "{\"closefit-review\": 1}").unwrap();
    let review = shown(&folder.path().join("review.json")).to_owned();
    let line = refusal(&["diff", &old, &new, "--review", &review]);
    assert!(line.contains("review.json: missing field `statuses`"), "{line}");
}

#[test]
fn a_review_is_carried_along() {
    let (folder, [old, new]) = reports();
    let diff: Value = serde_json::from_slice(&run(&["diff", &old, &new, "--json"]).stdout).unwrap();
    let key = diff["pairs"][0]["key"].as_str().unwrap();
    let review = folder.path().join("review.json");
    let statuses = json!({ key: { "status": "approved", "comment": "as designed" } });
    fs::write(&review, json!({ "closefit-review": 1, "statuses": statuses }).to_string()).unwrap();
    let flags = ["diff", &old, &new, "--review", shown(&review), "--fail-on-diff", "new"];
    assert_eq!(run(&flags).status.code(), Some(0));
    let junit = folder.path().join("a.xml");
    run(&[&flags[..], &["--junit", shown(&junit)]].concat());
    let xml = fs::read_to_string(&junit).unwrap();
    assert!(xml.contains("<skipped message=\"as designed\"/>"), "{xml}");
}

#[test]
fn groups_are_in_the_report() {
    let root = tempfile::tempdir().unwrap();
    let out = root.path().join("out");
    let check = |more: &[&str]| {
        let flags = ["check", "examples/gearbox.glb", "--fail-on", "never", "--out", shown(&out)];
        let output = run(&[&flags[..], more].concat());
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        (read(&out.join("report.json")), text(&output.stderr).to_owned())
    };
    let (report, _) = check(&[]);
    let members: usize =
        report["groups"].as_array().unwrap().iter().map(|g| g["pairs"].as_array().unwrap().len()).sum();
    assert_eq!(members, report["pairs"].as_array().unwrap().len());
    assert_eq!(report["groups"][0]["title"], "bolt_front x cover_back");
    assert_eq!(report["settings"]["groups"]["by"], "host");
    assert!(check(&["--group", "none"]).0.get("groups").is_none());
    let (types, _) = check(&["--group", "type"]);
    assert_eq!(types["groups"][0]["title"], "fastener x housing");
    let key = report["pairs"][0]["key"].as_str().unwrap();
    let file = root.path().join("groups.json");
    fs::write(&file, json!({ "mine": [key, "0".repeat(20)] }).to_string()).unwrap();
    let (own, notes) = check(&["--groups", shown(&file)]);
    let mine = own["groups"].as_array().unwrap().iter().find(|group| group["title"] == "mine").unwrap();
    assert_eq!(mine["pairs"], json!([key]));
    assert!(notes.contains("groups.json: 1 of the keys belong to no pair"), "{notes}");
    fs::write(&file, "{\"a\": [], \"a\": []}").unwrap();
    let line = refusal(&["check", "examples/gearbox.glb", "--groups", shown(&file)]);
    assert!(line.contains("groups.json: two groups are called 'a'"), "{line}");
    let line = refusal(&["check", "examples/gearbox.glb", "--group-extent", "-1"]);
    assert!(line.contains("--group-extent"), "{line}");
    for mode in ["type", "none"] {
        let line = refusal(&["check", "examples/gearbox.glb", "--group", mode, "--group-extent", "5mm"]);
        assert!(line.contains("--group-extent 5mm: it cuts groups by host"), "{line}");
    }
}

#[test]
fn other_programs_get_what_fails() {
    let root = tempfile::tempdir().unwrap();
    let [junit, markdown] = ["a/b.xml", "c.md"].map(|name| root.path().join(name));
    let flags = ["check", "examples/gearbox.glb", "--junit", shown(&junit), "--markdown", shown(&markdown)];
    assert_eq!(run(&flags).status.code(), Some(1));
    let xml = fs::read_to_string(&junit).unwrap();
    assert!(xml.contains("<testsuites name=\"closefit\" tests=\"2\" failures=\"1\" skipped=\"0\">"), "{xml}");
    assert!(xml.contains("<failure type=\"clash\" message=\"1 pair, the worst 1 mm deep\">"), "{xml}");
    assert!(xml.contains("name=\"860 other pairs\""), "{xml}");
    let text = fs::read_to_string(&markdown).unwrap();
    assert!(
        text.contains("861 pairs: 1 clash") && text.contains("| clash | bolt\\_front x cover\\_back |"),
        "{text}"
    );
    run(&[&flags[..], &["--fail-on", "never"]].concat());
    let xml = fs::read_to_string(&junit).unwrap();
    assert!(xml.contains("failures=\"0\"") && xml.contains("name=\"861 pairs\""), "{xml}");
}
