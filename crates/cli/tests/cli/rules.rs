//! Sides and rules: which pairs are asked, with which lengths, and what the report says of them.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use closefit::{Assembly, PairRecord, Verdict};
use closefit_geometry::scene::Scene;
use closefit_geometry::scene::pair_rules::{Decision, Entry, Lengths, PairRules};
use closefit_scene::read::{ReadOptions, read};
use closefit_testing::command::*;
use proptest::prelude::*;
use serde_json::{Value, json};
use tempfile::TempDir;

/// Writes a manifest of unit cubes at places along the x axis, of which those with a speed move, and returns
/// its path. Cubes are called by a letter and their number.
fn cubes(folder: &Path, name: &str, places: &[(f64, f64)]) -> String {
    fs::write(folder.join("cube.obj"), CUBE).unwrap();
    let part = |(i, &(x, speed)): (usize, &(f64, f64))| {
        let mut part = json!({ "name": format!("{}{i}", ["a", "b", "c"][i % 3]), "mesh": "cube.obj" });
        let at = |x: f64, time: f64| json!({ "time": time, "translation": [x, 0, 0] });
        if speed == 0.0 {
            part["pose"] = json!({ "translation": [x, 0, 0] });
        } else {
            part["motion"] = json!({ "keyframes": [at(x, 0.0), at(x + speed, 1.0)] });
        }
        part
    };
    let parts: Vec<Value> = places.iter().enumerate().map(part).collect();
    let path = folder.join(name);
    fs::write(&path, json!({ "unit": "mm", "parts": parts }).to_string()).unwrap();
    shown(&path).to_owned()
}

fn write(folder: &TempDir, name: &str, text: &str) -> String {
    let path = folder.path().join(name);
    fs::write(&path, text).unwrap();
    shown(&path).to_owned()
}

fn json_of(arguments: &[&str]) -> Value {
    let output = run(&[arguments, &["--json"]].concat());
    assert!(!output.stdout.is_empty(), "{}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn still(xs: &[f64]) -> Vec<(f64, f64)> {
    xs.iter().map(|&x| (x, 0.0)).collect()
}

/// Returns the summary of pairs without the digest of what excludes some.
fn counts_of(report: &Value) -> Value {
    let mut ledger = report["ledger"].clone();
    let digest = ledger.as_object_mut().unwrap().remove("excluded_by");
    assert!(digest.is_some_and(|digest| digest.as_str().unwrap().len() == 64));
    ledger
}

#[test]
fn only_pairs_across_the_files_are_asked() {
    let folder = tempfile::tempdir().unwrap();
    let a = cubes(folder.path(), "first.json", &still(&[0.0, 0.5, 9.0]));
    let b = cubes(folder.path(), "second.json", &still(&[0.25, 20.0]));
    let report = json_of(&["check", &a, "--against", &b]);
    let rows: Vec<&Value> = report["pairs"].as_array().unwrap().iter().map(|pair| &pair["ids"]).collect();
    assert_eq!(rows, [&json!([0, 3]), &json!([1, 3])]);
    let ledger = json!({"pairs": 10, "excluded": {"same side": 4}, "apart": 4, "decided": 2, "undecided": 0});
    assert_eq!(counts_of(&report), ledger);
    assert!(report.get("rules").is_none() && report["pairs"][0].get("rule").is_none());
    let sets = json_of(&["check", &a, &b, "--set", "model=first", "--set", "model=second"]);
    assert_eq!((&sets["pairs"], counts_of(&sets)), (&report["pairs"], ledger));
    assert_ne!(sets["ledger"]["excluded_by"], report["ledger"]["excluded_by"]);
    let within = json_of(&["check", &a, &b, "--set", "name=a*"]);
    assert_eq!(within["ledger"]["excluded"], json!({"not selected": 9}));
    assert_eq!(within["pairs"][0]["ids"], json!([0, 3]));
}

#[test]
fn a_set_without_parts_checks_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let scene = cubes(folder.path(), "s.json", &still(&[0.0, 0.5]));
    let told = refusal(&["check", &scene, "--set", "name=x*"]);
    assert_eq!(
        told,
        format!(
            "error: {scene}: nothing would be checked: --set 'name=x*' matches no part of the scene (--allow-empty accepts that)\n"
        )
    );
    let empty = run(&["check", &scene, "--set", "name=x*", "--allow-empty"]);
    assert_eq!(empty.status.code(), Some(0));
    assert!(text(&empty.stderr).contains("note: --set 'name=x*' matches no part of the scene"));
    let told = refusal(&["check", &scene, "--set", "nam=x"]);
    assert!(told.contains("unknown key 'nam' in a selector: did you mean 'name'?"), "{told}");
}

const RULES: &str = "closefit-rules = 1
unit = \"mm\"
[groups]
a = { name = \"a*\" }
b = { name = \"b*\" }
none = { name = \"z*\" }
[[exclude]]
a = { name = \"a0\" }
b = { name = \"b1\" }
reason = \"welded\"
[[rule]]
id = \"deep\"
a = \"a\"
b = \"b\"
tolerance = 0.75
severity = \"minor\"
[[rule]]
id = \"near\"
a = \"a\"
clearance = 3
fail = \"clearance\"
[[rule]]
id = \"idle\"
a = \"none\"
";

#[test]
fn each_pair_has_the_lengths_of_its_rule() {
    let folder = tempfile::tempdir().unwrap();
    // a0 b1 c2 a3 b4
    let scene = cubes(folder.path(), "s.json", &still(&[0.0, 0.5, 0.25, 3.5, 3.0]));
    let rules = write(&folder, "rules.toml", RULES);
    let out = folder.path().join("out");
    let output = run(&["check", &scene, "--rules", &rules, "--out", shown(&out)]);
    assert_eq!(output.status.code(), Some(1), "less than the clearance fails by its rule");
    let report: Value = serde_json::from_slice(&fs::read(out.join("report.json")).unwrap()).unwrap();
    let rows: Vec<_> = (report["pairs"].as_array().unwrap().iter())
        .map(|pair| [&pair["ids"], &pair["verdict"], &pair["rule"], &pair["severity"]].map(Clone::clone))
        .collect();
    let expected = [
        [json!([0, 3]), json!("clearance"), json!("near"), Value::Null],
        [json!([3, 4]), json!("contact"), json!("deep"), json!("minor")],
    ];
    assert_eq!(rows, expected);
    let ledger = json!({"pairs": 10, "excluded": {"no rule": 5, "welded": 1}, "apart": 2, "decided": 2, "undecided": 0});
    assert_eq!(counts_of(&report), ledger);
    let rule = &report["rules"]["rules"][0];
    assert_eq!([&rule["id"], &rule["parts_a"], &rule["pairs"]], [&json!("deep"), &json!(2), &json!(3)]);
    assert_eq!([&rule["tolerance"], &rule["clearance"]], [&json!(0.75), &json!(0)]);
    assert_eq!(rule["by_verdict"], json!({"clash": 0, "undecided": 0, "contact": 1, "clearance": 0}));
    assert_eq!(report["rules"]["excludes"], json!([{"reason": "welded", "pairs": 1}]));
    let table = text(&output.stdout);
    assert!(table.contains("\ndeep  2 x 2 parts, 3 pairs: 1 contact\n"), "{table}");
    assert!(text(&output.stderr).contains("note: group 'none' matches no part of the scene"));
    assert!(text(&output.stderr).contains("note: rule 'idle' decides no pair of 0 x 0 parts"));
    let csv = fs::read_to_string(out.join("pairs.csv")).unwrap();
    let ends: Vec<&str> = csv.lines().map(|line| line.rsplit(',').next().unwrap()).collect();
    assert_eq!(ends, ["rule", "near", "deep"]);

    let milder = write(&folder, "milder.toml", &RULES.replace("fail = \"clearance\"", "fail = \"never\""));
    let output = run(&["check", &scene, "--rules", &milder, "--fail-on", "contact", "--quiet"]);
    assert_eq!(output.status.code(), Some(1), "the contact has the command's");
    let output = run(&["check", &scene, "--rules", &milder, "--quiet"]);
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn rules_that_cannot_be_applied_are_refused_on_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let scene = cubes(folder.path(), "s.json", &still(&[0.0, 0.5]));
    let refused = |name: &str, rules: &str| {
        let rules = write(&folder, name, rules);
        refusal(&["check", &scene, "--rules", &rules]).replace(&rules, "R")
    };
    assert_eq!(
        refused("a.toml", "closefit-rules = 2"),
        "error: R:1:18: closefit-rules = 2: made for a newer closefit\n"
    );
    let waive = "closefit-rules = 1\n[[waive]]\na = {}\nup_to = \"1\"\nreason = \"\"";
    assert!(refused("b.toml", waive).starts_with("error: R:5:10: waive: the text is empty"));
    assert!(
        refused("c.json", "{\"closefit-rules\": 1, \"x\": 1}").starts_with("error: R:1:23: unknown key 'x'")
    );
    let told = refusal(&["check", &scene, "--rules", "missing.toml"]);
    assert!(told.starts_with("error: missing.toml: cannot be read: "), "{told}");
    let all = "closefit-rules = 1\n[[exclude]]\na = {}\nreason = \"all\"";
    assert!(refused("d.toml", all).contains("nothing would be checked: every pair is excluded: 1 as 'all'"));
}

#[test]
fn an_srdf_excludes_pairs_of_links() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("cube.obj"), CUBE).unwrap();
    let link = |name: &str| {
        format!(
            "<link name=\"{name}\"><visual><geometry><mesh filename=\"cube.obj\"/></geometry></visual></link>"
        )
    };
    let joint = |parent: &str, child: &str| {
        format!(
            "<joint name=\"{child}\" type=\"fixed\"><parent link=\"{parent}\"/><child link=\"{child}\"/></joint>"
        )
    };
    let links = ["base", "arm", "hand"].map(link).concat();
    let robot = format!("<robot name=\"r\">{links}{}{}</robot>", joint("base", "arm"), joint("arm", "hand"));
    let robot = write(&folder, "r.urdf", &robot);
    let srdf =
        "<robot name=\"r\"><disable_collisions link1=\"base\" link2=\"hand\" reason=\"Never\"/></robot>";
    let srdf = write(&folder, "r.srdf", srdf);
    assert_eq!(json_of(&["check", &robot])["ledger"]["excluded"], json!({"adjacent links": 2}));
    let told = refusal(&["check", &robot, "--srdf", &srdf]);
    assert!(told.contains("1 as 'Never', 2 as 'adjacent links'"), "{told}");
    let wrong = write(&folder, "w.srdf", "<robot>\n<disable_collisions link1=\"a\"/></robot>");
    let told = refusal(&["check", &robot, "--srdf", &wrong]);
    assert_eq!(told, format!("error: {wrong}: line 2: <disable_collisions> has no link2\n"));
}

/// A rule for a pair, as the oracle knows it.
#[derive(Clone, Debug)]
enum Rule {
    Excluded,
    Asked(Lengths),
}

fn rule() -> impl Strategy<Value = Rule> {
    let length = prop::option::of(prop::sample::select(vec![0.0, 0.125, 0.5, 2.0]));
    prop_oneof![
        1 => Just(Rule::Excluded),
        3 => (length.clone(), length).prop_map(|(clearance, tolerance)| Rule::Asked(Lengths { clearance, tolerance })),
    ]
}

/// Makes entries for the pairs of three groups of parts, by their letters: the upper triangle of a matrix.
fn with_rules(scene: &Scene, rules: &[Rule]) -> Scene {
    let parts = scene.parts.len();
    let set = |letter: usize| (0..parts).map(|part| part % 3 == letter).collect();
    let sets: Vec<Vec<bool>> = (0..3).map(set).collect();
    let sides = (0..3).flat_map(|a| (a..3).map(move |b| [a, b]));
    let entries = sides.zip(rules).map(|(sides, rule)| {
        let decision = match rule {
            Rule::Excluded => Decision::Excluded("off".into()),
            Rule::Asked(lengths) => Decision::Asked(*lengths),
        };
        Entry { sides, same: None, decision }
    });
    let rules =
        PairRules::new(parts, &sets, Vec::new(), entries.collect(), Decision::Asked(Lengths::default()));
    Scene { rules: Some(rules), ..scene.clone() }
}

fn scene_of(places: &[(f64, f64)]) -> (TempDir, Scene) {
    let folder = tempfile::tempdir().unwrap();
    let path = PathBuf::from(cubes(folder.path(), "s.json", places));
    let scene = read(&[path], &ReadOptions::default()).unwrap();
    (folder, scene)
}

fn places(moving: bool) -> impl Strategy<Value = Vec<(f64, f64)>> {
    let speeds = if moving { vec![0.0, 0.0, 1.0, -2.5] } else { vec![0.0] };
    let place = (0..40_u32).prop_map(|eighth| f64::from(eighth) / 8.0);
    prop::collection::vec((place, prop::sample::select(speeds)), 3..9)
}

/// Returns the lengths of a pair by its rule.
fn lengths_of(scene: &Scene, ids: [closefit_geometry::ids::PartId; 2]) -> Option<Lengths> {
    scene.asked(ids[0], ids[1]).ok()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// The rows are those of runs without rules in which every pair has the lengths of this pair, and `apart`
    /// are the pairs that such a run has apart.
    #[test]
    fn each_pair_is_checked_as_if_all_had_its_lengths(
        places in places(false),
        rules in prop::collection::vec(rule(), 6),
        clearance in prop::sample::select(vec![0.0, 1.0]),
    ) {
        let (_folder, plain) = scene_of(&places);
        let ruled = with_rules(&plain, &rules);
        let plain = Assembly::from(plain);
        let request = plain.check_request().unwrap().clearance(clearance);
        let found = Assembly::from(ruled.clone()).check(&request).unwrap();
        let (mut expected, mut apart, mut excluded): (Vec<PairRecord>, u64, u64) = Default::default();
        let mut runs = HashMap::new();
        let parts = u32::try_from(places.len()).unwrap();
        for (a, b) in (0..parts).flat_map(|a| (a + 1..parts).map(move |b| (a, b))) {
            let ids = [a, b].map(closefit_geometry::ids::PartId);
            let Some(lengths) = lengths_of(&ruled, ids) else { excluded += 1; continue };
            let own = request
                .clearance(lengths.clearance.unwrap_or(request.clearance))
                .tolerance(lengths.tolerance.unwrap_or(request.tolerance));
            // Pairs of equal lengths share a run.
            let lengths = [own.clearance, own.tolerance].map(f64::to_bits);
            let alone = runs.entry(lengths).or_insert_with(|| plain.check(&own).unwrap().pairs);
            expected.extend(alone.iter().filter(|pair| pair.ids == ids).cloned());
            let gap = (places[a as usize].0 - places[b as usize].0).abs() - 1.0;
            apart += u64::from(gap > own.clearance.max(own.tolerance));
        }
        prop_assert_eq!(&found.pairs, &expected);
        let undecided = expected.iter().filter(|pair| pair.verdict == Verdict::Undecided).count() as u64;
        prop_assert_eq!((found.ledger.apart, found.ledger.undecided), (apart, undecided));
        prop_assert_eq!(found.ledger.excluded.values().sum::<u64>(), excluded);
        prop_assert_eq!(found.ledger.excluded.values().sum::<u64>() + found.ledger.asked(), found.ledger.pairs);
        prop_assert!(found.ledger.by_entry.iter().sum::<u64>() <= found.ledger.pairs);
    }

    #[test]
    fn each_pair_is_swept_as_if_all_had_its_lengths(
        places in places(true),
        rules in prop::collection::vec(rule(), 6),
    ) {
        let (_folder, plain) = scene_of(&places);
        let ruled = with_rules(&plain, &rules);
        let plain = Assembly::from(plain);
        let request = plain.sweep_request(0.0, 1.0).unwrap().precision(0.01).clearance(0.25);
        let found = Assembly::from(ruled.clone()).sweep(&request).unwrap();
        let (mut expected, mut asked, mut runs) = (Vec::new(), 0, HashMap::new());
        let parts = u32::try_from(places.len()).unwrap();
        for (a, b) in (0..parts).flat_map(|a| (a + 1..parts).map(move |b| (a, b))) {
            let ids = [a, b].map(closefit_geometry::ids::PartId);
            let stands = [a, b].map(|part| places[part as usize].1 == 0.0) == [true; 2];
            let Some(lengths) = lengths_of(&ruled, ids).filter(|_| !stands) else { continue };
            asked += 1;
            let own = request
                .clearance(lengths.clearance.unwrap_or(request.clearance))
                .tolerance(lengths.tolerance.unwrap_or(request.tolerance));
            let lengths = [own.clearance, own.tolerance].map(f64::to_bits);
            let alone = runs.entry(lengths).or_insert_with(|| plain.sweep(&own).unwrap().pairs);
            expected.extend(alone.iter().filter(|pair| pair.ids == ids).cloned());
        }
        prop_assert_eq!(&found.pairs, &expected);
        prop_assert_eq!(found.ledger.asked(), asked);
        prop_assert_eq!(found.ledger.excluded.values().sum::<u64>() + asked, found.ledger.pairs);
    }
}

/// The swing of a door overlaps its leaf, another swing, and a box in its way: only the box is in the zone.
#[test]
fn a_zone_is_to_be_free_of_all_but_its_own_part_and_other_zones() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("cube.obj"), CUBE).unwrap();
    let part = |name: &str, parent: Option<&str>, size: f64, at: [f64; 3]| {
        let [x, y, z] = at;
        let matrix = [size, 0.0, 0.0, x, 0.0, size, 0.0, y, 0.0, 0.0, size, z];
        let mut part = json!({ "name": name, "mesh": "cube.obj", "pose": { "matrix": matrix } });
        part.as_object_mut().unwrap().extend(parent.map(|parent| ("parent".to_owned(), json!(parent))));
        part
    };
    let parts = [
        part("frame", None, 1.0, [0.0; 3]),
        part("leaf", Some("frame"), 1.0, [10.5, 0.5, 0.5]),
        part("swing 1", Some("frame"), 4.0, [10.0, 0.0, 0.0]),
        part("swing 2", None, 4.0, [13.0, 0.0, 0.0]),
        part("box", None, 1.0, [11.5, 2.0, 2.0]),
        part("far", None, 1.0, [40.0, 0.0, 0.0]),
    ];
    let scene = folder.path().join("scene.json");
    fs::write(&scene, json!({ "unit": "mm", "parts": parts }).to_string()).unwrap();
    let rules = folder.path().join("rules.toml");
    let groups = "closefit-rules = 1\n[groups]\nswings = { name = \"swing *\", zone = true }\n";
    let only_far = "[[rule]]\nid = \"far\"\na = { name = \"far\" }\nb = { name = \"frame\" }\n";
    for content in [groups.to_owned(), format!("{groups}{only_far}")] {
        fs::write(&rules, &content).unwrap();
        let output = run(&["check", shown(&scene), "--rules", shown(&rules), "--json"]);
        assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        let of_zones: Vec<_> = (report["pairs"].as_array().unwrap().iter())
            .filter(|pair| pair["kind"] == "zone")
            .map(|pair| [&pair["a"], &pair["b"], &pair["verdict"]].map(|text| text.as_str().unwrap()))
            .collect();
        assert_eq!(of_zones, [["swing 1", "box", "clash"]], "{content}");
        let excluded = &report["ledger"]["excluded"];
        assert_eq!((&excluded["two zones"], &excluded["a part in its own zone"]), (&json!(1), &json!(1)));
    }
}

#[test]
fn a_report_that_lists_more_pairs_of_a_rule_than_it_decides_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let scene = cubes(folder.path(), "s.json", &still(&[0.0, 0.5]));
    let rules = write(
        &folder,
        "r.toml",
        "closefit-rules = 1\n[[rule]]\nid = \"R\"\na = { name = \"a*\" }\nb = { name = \"b*\" }\n",
    );
    let out = folder.path().join("out");
    run(&["check", &scene, "--rules", &rules, "--out", shown(&out)]);
    let path = out.join("report.json");
    let report: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    assert_eq!(report["rules"]["rules"][0]["pairs"], 1);
    for (pairs, why) in [
        (0, "pairs[0]: its rule decides fewer pairs than are listed"),
        (2, "rules: they decide more pairs than there are"),
    ] {
        let mut damaged = report.clone();
        damaged["rules"]["rules"][0]["pairs"] = json!(pairs);
        fs::write(&path, damaged.to_string()).unwrap();
        let told = refusal(&["diff", shown(&path), shown(&path)]);
        assert!(told.ends_with(&format!("{why}\n")), "{told}");
    }
}
