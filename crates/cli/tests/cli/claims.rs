//! Claims of a rules file, `certificate.json`, and `closefit verify`.

use std::fs;
use std::path::{Path, PathBuf};

use closefit_testing::command::*;
use closefit_testing::rng::Rng;
use serde_json::{Value, json};
use tempfile::TempDir;

const GEARBOX: &str = "examples/gearbox.glb";
const GEARBOX_RULES: &str = "examples/gearbox.toml";

fn put(folder: &TempDir, name: &str, text: &str) -> String {
    let path = folder.path().join(name);
    fs::write(&path, text).unwrap();
    shown(&path).to_owned()
}

/// Runs a check or a sweep, and returns its status and the bytes of its certificate.
fn certified(arguments: &[&str], out: &Path) -> (Option<i32>, Vec<u8>) {
    let output = run(&[arguments, &["--out", shown(out)]].concat());
    let certificate = fs::read(out.join("certificate.json"));
    (output.status.code(), certificate.unwrap_or_else(|_| panic!("{}", text(&output.stderr))))
}

fn parsed(bytes: &[u8]) -> Value {
    serde_json::from_slice(bytes).unwrap()
}

fn claim<'c>(certificate: &'c Value, id: &str) -> &'c Value {
    certificate["claims"].as_array().unwrap().iter().find(|claim| claim["id"] == id).expect(id)
}

fn bracket(claim: &Value) -> [f64; 2] {
    ["at_least", "at_most"].map(|end| claim["found"][end].as_f64().unwrap())
}

fn assert_conforms(certificate: &Value) {
    let schema = fs::read_to_string(root().join("schema/certificate.schema.json")).unwrap();
    let validator = jsonschema::validator_for(&serde_json::from_str(&schema).unwrap()).unwrap();
    let errors: Vec<String> = validator.iter_errors(certificate).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:?}: {certificate}");
}

/// Returns the smallest distance of parts whose names begin so, of all listed pairs of a report.
fn smallest(report: &Value, [a, b]: [&str; 2]) -> f64 {
    let is = |pair: &Value, side: &str, name: &str| pair[side].as_str().unwrap().starts_with(name);
    let meant = |pair: &&Value| is(pair, "a", a) && is(pair, "b", b) || is(pair, "a", b) && is(pair, "b", a);
    let pairs = report["pairs"].as_array().unwrap().iter().filter(meant);
    pairs.map(|pair| pair["distance"].as_f64().unwrap()).fold(f64::INFINITY, f64::min)
}

#[test]
fn five_claims_about_a_gearbox_of_which_one_is_violated() {
    let folder = tempfile::tempdir().unwrap();
    let (status, bytes) = certified(&["check", GEARBOX, "--rules", GEARBOX_RULES], folder.path());
    let certificate = parsed(&bytes);
    assert_conforms(&certificate);
    let outcomes: Vec<_> = certificate["claims"].as_array().unwrap().iter().map(|c| &c["outcome"]).collect();
    assert_eq!((status, outcomes.len()), (Some(1), 5));
    let violated: Vec<_> =
        certificate["claims"].as_array().unwrap().iter().filter(|c| c["outcome"] != "holds").collect();
    assert_eq!(violated.len(), 1, "{violated:?}");
    assert_eq!((&violated[0]["id"], &violated[0]["outcome"]), (&json!("washers"), &json!("violated")));

    // The numbers are those of a check that lists everything within 50 mm.
    let report = parsed(&run(&["check", GEARBOX, "--clearance", "50mm", "--json"]).stdout);
    for (id, sides) in [("washers", ["washer_back", "planet"]), ("planets", ["planet", "planet"])] {
        assert_eq!(bracket(claim(&certificate, id)), [smallest(&report, sides); 2], "{id}");
    }
    let output = run(&["check", GEARBOX, "--rules", GEARBOX_RULES]);
    line_with(text(&output.stdout), &["washers", "violated 0.06"]);
    assert!(!text(&bytes).contains(shown(root())), "no path");
}

#[test]
fn a_certificate_is_the_same_by_every_tree_executor_and_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    let check = ["check", GEARBOX, "--rules", GEARBOX_RULES, "--quiet"];
    let (_, expected) = certified(&check, folder.path());
    for more in [
        &["--tree", "rapid"][..],
        &["--tree", "sphere"],
        &["--tree", "kdop18", "--backend", "scalar"],
        &["--tree", "octree"],
        &["--backend", "scalar", "--threads", "1"],
        &["--backend", "simd", "--threads", "3", "--broad", "grid"],
        &["--hull", "contact-region"],
        &["--clearance", "1mm", "--depth", "none", "--fail-on", "never"],
    ] {
        let (status, found) = certified(&[&check, more].concat(), folder.path());
        assert_eq!(status, Some(1), "{more:?}");
        assert!(found == expected, "{more:?}");
    }
    let (_, crossed) = certified(&[&check[..], &["--cross-check", "sphere,rapid"]].concat(), folder.path());
    let mut crossed = parsed(&crossed);
    assert_conforms(&crossed);
    assert_eq!(crossed["cross_check"], json!(["obb", "rapid", "sphere"]));
    crossed.as_object_mut().unwrap().remove("cross_check");
    assert_eq!(crossed, parsed(&expected));
}

/// Writes a rotor that slides over 20 s, from 15 to 0 mm and back, beside a stator, and a lid at rest.
/// `first` is the first coordinate of the rotor's mesh.
fn machine(folder: &TempDir, first: f64) -> String {
    put(folder, "cube.obj", CUBE);
    put(folder, "rotor.obj", &CUBE.replacen("v 0 0 0", &format!("v {first:?} 0 0"), 1));
    let at = |time: f64, x: f64| json!({ "time": time, "translation": [x, 0.0, 0.0] });
    let keyframes = [at(0.0, 15.0), at(10.0, 0.0), at(20.0, 15.0)];
    let parts = json!([
        { "name": "rotor", "mesh": "rotor.obj", "motion": { "keyframes": keyframes } },
        { "name": "stator", "mesh": "cube.obj", "pose": { "translation": [0, 1.25, 0] } },
        { "name": "lid", "mesh": "cube.obj", "pose": { "translation": [0, 2.25, 0] } },
    ]);
    put(folder, "machine.json", &json!({ "unit": "mm", "parts": parts }).to_string())
}

const MACHINE_RULES: &str = r#"closefit-rules = 1
unit = "mm"
[[require]]
id = "gap"
a = { name = "rotor" }
b = { name = "stator" }
clearance = 0.2
over = "motion"
[[require]]
id = "wide gap"
a = { name = "rotor" }
b = { name = ["stator", "lid"] }
clearance = 0.3
over = "motion"
[[require]]
id = "lid"
a = { name = "lid" }
b = { name = "stator" }
verdict = "contact"
"#;

#[test]
fn claims_about_motion_are_for_a_sweep_and_those_about_rest_for_a_check() {
    let folder = tempfile::tempdir().unwrap();
    let (scene, rules) = (machine(&folder, 0.0), put(&folder, "rules.toml", MACHINE_RULES));
    let out = folder.path().join("out");
    let (status, bytes) = certified(&["sweep", &scene, "--rules", &rules, "--fail-on", "never"], &out);
    let certificate = parsed(&bytes);
    assert_conforms(&certificate);
    assert_eq!((status, &certificate["not_asked"]), (Some(1), &json!(["lid"])));
    let precision = certificate["settings"]["sweep"]["precision"].as_f64().unwrap();
    for (id, outcome) in [("gap", "holds"), ("wide gap", "violated")] {
        let found = claim(&certificate, id);
        let [at_least, at_most] = bracket(found);
        assert_eq!(found["outcome"], outcome);
        // They pass each other at exactly 0.25 mm, from about 9.3 s to 10.7 s.
        assert!(at_least <= 0.25 && 0.25 <= at_most && at_most - at_least <= precision, "{found}");
        assert!((9.0..11.0).contains(&found["time"].as_f64().unwrap()), "{found}");
    }
    let table = run(&["sweep", &scene, "--rules", &rules]).stdout;
    line_with(text(&table), &["wide gap", "violated 0.2", " s"]);
    line_with(text(&table), &["lid", "not asked here: 'closefit check' asks it"]);

    let (status, bytes) = certified(&["check", &scene, "--rules", &rules, "--fail-on", "never"], &out);
    let certificate = parsed(&bytes);
    assert_eq!((status, &certificate["not_asked"]), (Some(0), &json!(["gap", "wide gap"])));
    assert_eq!(claim(&certificate, "lid")["outcome"], "holds");
    // A pair that does not move has the distance of its rest.
    let rules = put(
        &folder,
        "still.toml",
        "closefit-rules = 1\n[[require]]\nid = \"c\"\na = { name = \"lid\" }\nb = { name = \"stator\" }\n\
         clearance = 0\nover = \"motion\"\n",
    );
    let (status, bytes) = certified(&["sweep", &scene, "--rules", &rules, "--fail-on", "never"], &out);
    assert_eq!((status, bracket(claim(&parsed(&bytes), "c"))), (Some(0), [0.0, 0.0]));
}

#[test]
fn a_certificate_is_verified_until_a_vertex_moves_by_one_ulp() {
    let folder = tempfile::tempdir().unwrap();
    let (scene, rules) = (machine(&folder, 0.0), put(&folder, "rules.toml", MACHINE_RULES));
    let (check, sweep) = (folder.path().join("check"), folder.path().join("sweep"));
    certified(&["check", &scene, "--rules", &rules, "--fail-on", "never"], &check);
    certified(&["sweep", &scene, "--rules", &rules, "--fail-on", "never", "--threads", "1"], &sweep);
    let verify = |out: &PathBuf, rules: &str| {
        let certificate = out.join("certificate.json");
        let output = run(&["verify", shown(&certificate), &scene, "--rules", rules]);
        (output.status.code(), text(&output.stdout).to_owned())
    };
    assert_eq!(verify(&check, &rules).0, Some(0));
    assert!(verify(&check, &rules).1.starts_with("verified: 1 claim\n"));
    let (status, told) = verify(&sweep, &rules);
    assert_eq!(status, Some(1), "a claim is violated");
    assert!(told.starts_with("verified: 2 claims\n"), "{told}");
    line_with(&told, &["wide gap", "violated"]);

    machine(&folder, 0.0_f64.next_up());
    assert!(verify(&check, &rules).1.starts_with("verified"), "the rotor is in no claim about rest");
    let (status, told) = verify(&sweep, &rules);
    assert_eq!(status, Some(1));
    assert!(told.starts_with("stale: rotor's mesh changed\n"), "{told}");
    line_with(&told, &["gap", "holds 0.2"]);
    machine(&folder, 0.0);

    let others = put(&folder, "others.toml", &format!("{MACHINE_RULES}# a comment\n"));
    assert!(verify(&check, &others).1.starts_with("stale: the rules changed\n"));
    let moved = fs::read_to_string(&scene).unwrap().replace("2.25", "2.5");
    fs::write(&scene, moved).unwrap();
    let (status, told) = verify(&check, &rules);
    assert_eq!(status, Some(1));
    assert!(told.starts_with("stale: lid's pose changed\n"), "{told}");
    line_with(&told, &["lid", "violated 0.25", "'lid' touches nothing there"]);

    let forged = fs::read_to_string(check.join("certificate.json")).unwrap().replace("holds", "violated");
    machine(&folder, 0.0);
    fs::write(check.join("certificate.json"), forged).unwrap();
    assert!(verify(&check, &rules).1.starts_with("stale: the scene has not changed, but"));
}

#[test]
fn a_claim_changes_no_row_and_asks_pairs_that_no_rule_names() {
    let folder = tempfile::tempdir().unwrap();
    let rule = "closefit-rules = 1\n[[rule]]\nid = \"r\"\na = { name = \"sun\" }\nb = { name = \"*\" }\n";
    let claim = "[[exclude]]\nsame = \"file\"\nreason = \"why\"\n\
        [[require]]\nid = \"c\"\na = { name = \"planet_1\" }\nb = { name = \"planet_2\" }\nclearance = \"1mm\"\n";
    let exclude = claim.split("[[require]]").next().unwrap();
    let [without, with] = [("a.toml", exclude), ("b.toml", claim)]
        .map(|(name, more)| put(&folder, name, &[rule, more].concat()));
    let out = folder.path().join("out");
    let arguments =
        |rules| ["check", GEARBOX, "--allow-empty", "--fail-on", "never", "--json", "--rules", rules];
    let [plain, claimed] = [&without, &with].map(|rules| parsed(&run(&arguments(rules)).stdout));
    assert_eq!((&plain["pairs"], &plain["ledger"]), (&claimed["pairs"], &claimed["ledger"]));
    let (_, bytes) = certified(&["check", GEARBOX, "--allow-empty", "--rules", &with], &out);
    let found = parsed(&bytes)["claims"][0].clone();
    assert_eq!(found["outcome"], "holds");
    assert!(bracket(&found)[0] > 0.001, "{found}");
}

/// Writes a robot of three links in a row, which overlap, and a wall, 3 mm from the hand.
fn robot(folder: &TempDir) -> String {
    put(folder, "cube.obj", CUBE);
    let link = |name: &str| {
        format!(
            "<link name='{name}'><visual><geometry><mesh filename='cube.obj'/></geometry></visual></link>"
        )
    };
    let joint = |parent: &str, child: &str, x: f64| {
        format!(
            "<joint name='{child}' type='fixed'><parent link='{parent}'/><child link='{child}'/>\
             <origin xyz='{x} 0 0'/></joint>"
        )
    };
    let links = ["base", "arm", "hand", "wall"].map(link).concat();
    let joints = [joint("base", "arm", 0.75), joint("arm", "hand", 0.75), joint("base", "wall", 2.503)];
    put(folder, "robot.urdf", &format!("<robot name='r'>{links}{}</robot>", joints.concat()))
}

const ROBOT_RULES: &str = r#"closefit-rules = 1
unit = "mm"
[groups]
robot = { name = ["base/*", "arm/*", "hand/*"] }
[[require]]
id = "itself"
a = "robot"
clearance = 10
[[require]]
id = "wall"
a = "robot"
b = { name = "wall/*" }
clearance = 2.5
deflection = 0.2
[[require]]
id = "joint"
a = { name = "base/*" }
b = { name = "arm/*" }
clearance = 1
[[require]]
id = "stack"
a = { name = "base/*" }
b = { name = "arm/*" }
verdict = "contact"
"#;

#[test]
fn a_claim_leaves_out_what_the_scene_excludes_and_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let (scene, rules) = (robot(&folder), put(&folder, "rules.toml", ROBOT_RULES));
    let out = folder.path().join("out");
    let (status, bytes) = certified(&["check", &scene, "--rules", &rules, "--fail-on", "never"], &out);
    let certificate = parsed(&bytes);
    assert_conforms(&certificate);
    assert_eq!(status, Some(1));
    let excluded = |id: &str| {
        let rows = claim(&certificate, id)["excluded"].as_array().cloned().unwrap_or_default();
        rows.iter().map(|row| (row["reason"].clone(), row["pairs"].clone())).collect::<Vec<_>>()
    };
    // Base and hand are 0.5 m apart; both overlap the arm between them.
    assert_eq!(claim(&certificate, "itself")["outcome"], "holds");
    assert_eq!(bracket(claim(&certificate, "itself")), [0.5; 2]);
    assert_eq!(excluded("itself"), [(json!("adjacent links"), json!(2))]);
    assert_eq!(excluded("wall"), [(json!("adjacent links"), json!(1))], "base and wall");
    let all = "every pair is excluded: 1 as 'adjacent links'";
    assert_eq!(
        (&claim(&certificate, "joint")["outcome"], &claim(&certificate, "joint")["why"]),
        (&json!("undecided"), &json!(all))
    );
    assert_eq!(claim(&certificate, "stack")["outcome"], "undecided");
    let table = run(&["check", &scene, "--rules", &rules, "--fail-on", "never"]).stdout;
    line_with(text(&table), &["itself", "holds 500.0 mm; 2 pairs excluded: adjacent links"]);
    line_with(text(&table), &["wall", "holds 3.000 mm, for the surfaces too; 1 pair excluded"]);

    let certificate = shown(&out.join("certificate.json")).to_owned();
    let verify = |more: &[&str]| {
        let output = run(&[&["verify", &certificate, &scene, "--rules", &rules], more].concat());
        text(&output.stdout).to_owned()
    };
    assert!(verify(&[]).starts_with("verified: 4 claims\n"), "{}", verify(&[]));
    let srdf = "<robot name='r'><disable_collisions link1='base' link2='hand' reason='Never'/></robot>";
    let srdf = put(&folder, "r.srdf", srdf);
    let told = verify(&["--srdf", &srdf]);
    assert!(told.starts_with("stale: the excluded pairs of 'itself' changed\n"), "{told}");
    line_with(&told, &["itself", "undecided (every pair is excluded: 1 as 'Never', 2 as 'adjacent links')"]);
    let arguments =
        ["check", &scene, "--rules", &rules, "--srdf", &srdf, "--fail-on", "never", "--allow-empty"];
    certified(&arguments, &out);
    assert!(verify(&["--srdf", &srdf]).starts_with("verified: 4 claims\n"));
}

#[test]
fn a_claim_has_a_tolerance_of_its_own_and_knows_surfaces_from_triangles() {
    let folder = tempfile::tempdir().unwrap();
    let scene = robot(&folder);
    let of = |more: &str| {
        let claim = "closefit-rules = 1\nunit = \"mm\"\n[[require]]\nid = \"c\"\na = { name = \"hand/*\" }\n\
                     b = { name = \"wall/*\" }\n";
        let rules = put(&folder, "r.toml", &[claim, more].concat());
        let out = folder.path().join("out");
        let (_, bytes) = certified(&["check", &scene, "--rules", &rules, "--tolerance", "1mm"], &out);
        assert_conforms(&parsed(&bytes));
        parsed(&bytes)["claims"][0].clone()
    };
    let surfaces = |least: f64, deflection: f64| {
        let found = of(&format!("clearance = {least}\ndeflection = {deflection}"));
        (found["outcome"].clone(), found["surfaces"]["outcome"].clone())
    };
    assert_eq!(surfaces(2.5, 0.2), (json!("holds"), json!("holds")));
    assert_eq!(surfaces(2.5, 0.3), (json!("holds"), json!("undecided")));
    assert_eq!(surfaces(3.5, 0.2), (json!("violated"), json!("violated")));
    assert_eq!(surfaces(3.5, 0.3), (json!("violated"), json!("undecided")));
    let found = of("clearance = 1\ntolerance = 0.5");
    assert_eq!((&found["tolerance"], found.get("surfaces")), (&json!(0.0005), None));

    // Two cubes that overlap by a quarter.
    put(&folder, "cube.obj", CUBE);
    let at = |name: &str, x: f64| json!({ "name": name, "mesh": "cube.obj", "pose": { "translation": [x, 0, 0] } });
    let scene =
        put(&folder, "s.json", &json!({ "unit": "mm", "parts": [at("a", 0.0), at("b", 0.75)] }).to_string());
    for (tolerance, outcome) in
        [("", "violated"), ("tolerance = 0.3", "holds"), ("tolerance = 0.2", "violated")]
    {
        let rules = format!(
            "closefit-rules = 1\n[[require]]\nid = \"c\"\na = {{ name = \"a\" }}\nb = {{ name = \"b\" }}\n\
             verdict = \"contact\"\n{tolerance}\n"
        );
        let rules = put(&folder, "t.toml", &rules);
        let (_, bytes) = certified(&["check", &scene, "--rules", &rules], &folder.path().join("out"));
        assert_eq!(parsed(&bytes)["claims"][0]["outcome"], outcome, "{tolerance}");
    }
}

#[test]
fn claims_that_cannot_be_asked_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |claim: &str| {
        let rules =
            put(&folder, "rules.toml", &format!("closefit-rules = 1\n[[require]]\nid = \"c\"\n{claim}\n"));
        refusal(&["check", GEARBOX, "--rules", &rules])
    };
    let sides = "a = { name = \"sun\" }\nb = { name = \"ring\" }\n";
    for (claim, why) in [
        ("clearance = 1", "claim 'c': it needs 'a'"),
        (sides, "claim 'c': it needs one of 'clearance', 'verdict' and 'volume_at_most'"),
        (&format!("{sides}clearance = 1\nverdict = \"contact\""), "it needs one of"),
        (&format!("{sides}clearance = 1\nvolume_at_most = 1"), "it needs one of"),
        (&format!("{sides}volume_at_most = -1"), "volume_at_most: '-1' is not a volume"),
        (&format!("{sides}volume_at_most = \"1mm\""), "volume_at_most: '1mm' is not a volume"),
        (&format!("{sides}volume_at_most = 1\nover = \"motion\""), "volumes are asked of parts at rest"),
        (&format!("{sides}volume_at_most = 1\ntolerance = 1"), "no volume depends on it"),
        (&format!("{sides}volume_at_most = 1\ndeflection = 1"), "'deflection' needs 'clearance'"),
        (&format!("{sides}verdict = \"clear\""), "verdict: 'clear' is not contact"),
        (&format!("{sides}clearance = -1"), "clearance: '-1' is not a length"),
        (&format!("{sides}clearance = 1\ntolerance = -1"), "tolerance: '-1' is not a length"),
        (&format!("{sides}verdict = \"contact\"\ndeflection = 1"), "'deflection' needs 'clearance'"),
        (&format!("{sides}clearance = 1\nover = \"spin\""), "over: 'spin' is not rest or motion"),
        (
            &format!("{sides}clearance = 1\nover = {{ joint = \"k\", range = \"limits\" }}"),
            "not supported yet",
        ),
        (&format!("{sides}verdict = \"contact\"\nover = \"motion\""), "contact is asked of parts at rest"),
        (&format!("{sides}clearance = 1\nclearence = 2"), "did you mean 'clearance'?"),
        (
            "a = { name = \"son\" }\nb = { name = \"ring\" }\nclearance = 1",
            "claim 'c': a matches no part of the scene",
        ),
        ("a = { name = \"sun\" }\nclearance = 1", "both sides are one part"),
        (&format!("{sides}clearance = 1\n[[require]]\nid = \"c\"\n{sides}clearance = 2"), "two claims 'c'"),
    ] {
        let told = refused(claim);
        assert!(told.contains(why), "{why}: {told}");
    }
    let rules = put(&folder, "none.toml", "closefit-rules = 1\n");
    let out = folder.path().join("out");
    certified(&["check", GEARBOX, "--rules", GEARBOX_RULES], &out);
    let certificate = shown(&out.join("certificate.json")).to_owned();
    assert!(
        refusal(&["verify", &certificate, GEARBOX, "--rules", &rules]).contains("there is no [[require]]")
    );
    assert!(refusal(&["verify", GEARBOX_RULES, GEARBOX, "--rules", &rules]).contains("gearbox.toml: "));
    assert!(refusal(&["verify", "nowhere", GEARBOX, "--rules", &rules]).contains("nowhere: cannot be read"));
    for (from, to, why) in [
        ("\"closefit_certificate\": 1", "\"closefit_certificate\": 2", "certificate of format 2"),
        ("\"tolerance\": ", "\"tolerance\": -", "settings: tolerance: '-"),
    ] {
        let damaged = fs::read_to_string(&certificate).unwrap().replace(from, to);
        let damaged = put(&folder, "damaged.json", &damaged);
        assert!(refusal(&["verify", &damaged, GEARBOX, "--rules", GEARBOX_RULES]).contains(why));
    }
}

/// Replaces, removes or repeats some bytes of a text.
fn mutated(bytes: &[u8], rng: &mut Rng) -> Vec<u8> {
    const PIECES: [&str; 12] = ["-", "0", "9", "1e400", "null", "\"", "[", "}", "=", "\n", "é", "contact"];
    let mut mutated = bytes.to_vec();
    for _ in 0..1 + rng.index(3) {
        let at = rng.index(mutated.len());
        let end = (at + rng.index(8)).min(mutated.len());
        let piece = PIECES[rng.index(PIECES.len())].as_bytes();
        mutated.splice(at..end, piece.iter().copied());
    }
    mutated
}

#[test]
fn damaged_claims_and_certificates_are_refused_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let (scene, rules) = (machine(&folder, 0.0), put(&folder, "rules.toml", MACHINE_RULES));
    let out = folder.path().join("out");
    let (_, certificate) = certified(&["check", &scene, "--rules", &rules, "--fail-on", "never"], &out);
    let [damaged_rules, damaged] = ["damaged.toml", "damaged.json"].map(|name| folder.path().join(name));
    let mut rng = Rng::new("claims", 7);
    for round in 0..80 {
        fs::write(&damaged_rules, mutated(MACHINE_RULES.as_bytes(), &mut rng)).unwrap();
        fs::write(&damaged, mutated(&certificate, &mut rng)).unwrap();
        for arguments in [
            &["check", &scene, "--quiet", "--rules", shown(&damaged_rules)][..],
            &["verify", shown(&damaged), &scene, "--quiet", "--rules", &rules],
        ] {
            let output = run(arguments);
            let told = text(&output.stderr);
            let lines = usize::from(output.status.code() == Some(2));
            assert!(matches!(output.status.code(), Some(0..=2)), "{round} {arguments:?}: {told}");
            assert_eq!(told.matches('\n').count(), lines, "{round} {arguments:?}: {told}");
            assert!(!told.contains("a defect in closefit"), "{round} {arguments:?}: {told}");
        }
    }
}

/// Writes a box that moves past a table, at a height of `gap` above it.
fn passing(folder: &TempDir, gap: f64) -> String {
    put(folder, "cube.obj", CUBE);
    let at = |time: f64, y: f64| json!({ "time": time, "translation": [0.0, y, 1.0 + gap] });
    let motion = json!({ "between": "linear", "keyframes": [at(0.0, -3.0), at(1.0, 3.0)] });
    let parts = json!([
        { "name": "table", "mesh": "cube.obj" },
        { "name": "box", "mesh": "cube.obj", "motion": motion },
    ]);
    put(folder, "passing.json", &json!({ "unit": "mm", "parts": parts }).to_string())
}

const OVER_MOTION: &str = "closefit-rules = 1\nunit = \"mm\"\n[[require]]\nid = \"gap\"\n\
    a = { name = \"table\" }\nb = { name = \"box\" }\nclearance = 0.001\nover = \"motion\"\n";

#[test]
fn a_bracket_that_contains_the_limit_is_undecided_until_it_is_narrow() {
    let folder = tempfile::tempdir().unwrap();
    let (scene, rules) = (passing(&folder, 0.003), put(&folder, "rules.toml", OVER_MOTION));
    let sweep = |precision: &str| {
        let arguments = ["sweep", &scene, "--rules", &rules, "--fail-on", "never", "--precision", precision];
        let output = run(&arguments);
        (output.status.code(), text(&output.stdout).to_owned())
    };
    let (status, told) = sweep("0.01");
    assert_eq!(status, Some(1));
    line_with(&told, &["gap", "undecided (a smaller --precision decides)"]);
    let (status, told) = sweep("0.001");
    assert_eq!(status, Some(0), "{told}");
    line_with(&told, &["gap", "holds 0.002"]);
    // And so it does where they are too near.
    let near = passing(&folder, 0.0007);
    let output = run(&["sweep", &near, "--rules", &rules, "--fail-on", "never", "--precision", "0.0005"]);
    line_with(text(&output.stdout), &["gap", "violated"]);
}

#[test]
fn claims_are_tests_and_stand_in_comments() {
    let folder = tempfile::tempdir().unwrap();
    put(&folder, "cube.obj", CUBE);
    let at = |name: &str, x: f64| json!({ "name": name, "mesh": "cube.obj", "pose": { "translation": [x, 0, 0] } });
    let parts = [at("a", 0.0), at("b", 1.5), at("d", 5.0), at("e", 5.95)];
    let scene = put(&folder, "s.json", &json!({ "unit": "mm", "parts": parts }).to_string());
    let claim = |id: &str, clearance: f64, over: &str| {
        format!(
            "[[require]]\nid = \"{id}\"\na = {{ name = \"a\" }}\nb = {{ name = \"b\" }}\n\
             clearance = {clearance}\nover = \"{over}\"\n"
        )
    };
    let rule = "closefit-rules = 1\nunit = \"mm\"\n[[rule]]\nid = \"r\"\na = { name = \"d\" }\n\
        b = { name = \"e\" }\nfail = \"never\"\n";
    let claims = [claim("gap", 0.8, "rest"), claim("small", 0.1, "rest"), claim("m", 1.0, "motion")].concat();
    let rules = put(&folder, "r.toml", &[rule, &claims].concat());
    let [junit, markdown, out] = ["j.xml", "j.md", "out"].map(|name| folder.path().join(name));
    let arguments =
        ["check", &scene, "--rules", &rules, "--junit", shown(&junit), "--markdown", shown(&markdown)];
    let assert_told = |more: &[&str]| {
        let output = run(&[&arguments[..], more].concat());
        assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
        let xml = fs::read_to_string(&junit).unwrap();
        assert!(
            xml.contains("<testsuite name=\"claims\" tests=\"3\" failures=\"1\" skipped=\"1\">"),
            "{xml}"
        );
        assert!(xml.contains("<failure type=\"violated\" message=\"violated 0.5000 mm\">"), "{xml}");
        assert!(xml.contains("<testcase classname=\"claims\" name=\"small\"/>"), "{xml}");
        let comment = fs::read_to_string(&markdown).unwrap();
        assert!(
            comment.contains("| **gap** | violated 0.5000 mm |\n| small | holds 0.5000 mm |"),
            "{comment}"
        );
        assert!(
            comment.contains("3 claims: 1 violated, 0 undecided, 1 holds, 1 not asked here"),
            "{comment}"
        );
    };
    assert_told(&["--out", shown(&out)]);
    // The same where only changes count.
    assert_told(&["--baseline", shown(&out.join("report.json"))]);
}

#[test]
fn a_claim_that_a_run_does_not_ask_is_a_note_or_ends_it() {
    let folder = tempfile::tempdir().unwrap();
    let (scene, only) = (passing(&folder, 0.5), put(&folder, "only.toml", OVER_MOTION));
    let exclude = "[[exclude]]\nsame = \"model\"\na = { name = \"none*\" }\nreason = \"why\"\n";
    let more = put(&folder, "more.toml", &[OVER_MOTION, &exclude.replace("same = \"model\"\n", "")].concat());
    let told = "claim 'gap' is not asked here: 'closefit sweep' asks it";
    for arguments in [&["check", &scene, "--at", "0:1:0.5"][..], &["check", &scene]] {
        let line = refusal(&[arguments, &["--rules", &only]].concat());
        assert!(
            line.contains("nothing would be checked: the rules have only claims") && line.contains(told),
            "{line}"
        );
        assert!(line.contains("--allow-empty"), "{line}");
        let accepted = run(&[arguments, &["--rules", &only, "--allow-empty"]].concat());
        assert_eq!(accepted.status.code(), Some(0), "{}", text(&accepted.stderr));
    }
    for rules in [&more, &only] {
        let rows = run(&["check", &scene, "--at", "0:1:0.5", "--rules", rules, "--allow-empty"]);
        assert_eq!(rows.status.code(), Some(0), "{}", text(&rows.stderr));
        line_with(text(&rows.stderr), &["note: ", told]);
    }
    // A certificate without a claim says nothing.
    let out = folder.path().join("out");
    let (_, bytes) = certified(&["sweep", &scene, "--rules", &only, "--fail-on", "never"], &out);
    let mut certificate = parsed(&bytes);
    certificate["settings"].as_object_mut().unwrap().remove("sweep");
    (certificate["claims"], certificate["command"]) = (json!([]), json!("check"));
    let empty = put(&folder, "empty.json", &certificate.to_string());
    let line = refusal(&["verify", &empty, &scene, "--rules", &only]);
    assert!(line.contains("empty.json: it is about no claim: a check does not ask 'gap'"), "{line}");
}

/// Writes a robot whose lever turns over a block, 1 mm above it, and whose slide moves beside a block.
fn moving_robot(folder: &TempDir) -> String {
    put(folder, "cube.obj", CUBE);
    let link = |name: &str, xyz: &str| {
        format!(
            "<link name='{name}'><visual><origin xyz='{xyz}'/><geometry><mesh filename='cube.obj'/></geometry>\
             </visual></link>"
        )
    };
    let joint = |name: &str, kind: &str, ends: [&str; 2], limits: [f64; 2]| {
        format!(
            "<joint name='{name}' type='{kind}'><parent link='{}'/><child link='{}'/><axis xyz='0 0 1'/>\
             <limit lower='{}' upper='{}'/></joint>",
            ends[0], ends[1], limits[0], limits[1]
        )
    };
    let links =
        [link("block", "0 0 -1.001"), link("post", "9 9 9"), link("lever", "0 0 0"), link("slide", "5 0 0")];
    let joints = [
        joint("foot", "fixed", ["block", "post"], [0.0; 2]),
        joint("turn", "revolute", ["post", "lever"], [-1.0, 1.0]),
        joint("push", "prismatic", ["post", "slide"], [-2.0, 2.0]),
    ];
    put(folder, "m.urdf", &format!("<robot name='r'>{}{}</robot>", links.concat(), joints.concat()))
}

#[test]
fn a_certificate_of_a_joint_is_verified_and_says_what_it_covers() {
    let folder = tempfile::tempdir().unwrap();
    let scene = moving_robot(&folder);
    let claim = |id: &str, a: &str, clearance: f64| {
        format!(
            "[[require]]\nid = \"{id}\"\na = {{ name = \"{a}/*\" }}\nb = {{ name = \"block/*\" }}\n\
             clearance = {clearance}\nover = \"motion\"\n"
        )
    };
    let claims = [
        "closefit-rules = 1\nunit = \"m\"\n",
        &claim("over", "lever", 0.0005),
        &claim("beside", "slide", 9.0),
    ];
    let rules = put(&folder, "r.toml", &claims.concat());
    let out = folder.path().join("out");
    let made = |joint: &str, others: &str| {
        let arguments = ["sweep", &scene, "--rules", &rules, "--fail-on", "never", "--precision", "0.0001"];
        certified(&[&arguments[..], &["--joint", joint, "--at-joints", others]].concat(), &out)
    };
    let verified = |more: &[&str]| {
        let certificate = shown(&out.join("certificate.json")).to_owned();
        let output = run(&[&["verify", &certificate, &scene, "--rules", &rules], more].concat());
        (output.status.code(), text(&output.stdout).to_owned())
    };
    let (_, bytes) = made("turn=-0.5:1", "push=0.5");
    let certificate = parsed(&bytes);
    assert_conforms(&certificate);
    let joint = json!({ "name": "turn", "kind": "turning", "others": { "push": 0.5 } });
    assert_eq!(certificate["settings"]["joint"], joint);
    let (status, told) = verified(&[]);
    assert_eq!(status, Some(1), "a claim is violated: {told}");
    assert!(told.starts_with("verified: 2 claims\n"), "{told}");
    line_with(
        &told,
        &["asked from turn -28.6479 to 57.2958 deg, with tolerance 0.1 mm, precision 0.1 mm; push = 0.5"],
    );
    line_with(
        &told,
        &["nothing is claimed beyond that: the limits of the joint are -57.2958 to 57.2958 deg"],
    );
    line_with(&told, &["over", "holds 0.9", " mm"]);
    line_with(&told, &["beside", "violated", " deg"]);
    // A joint that slides has lengths, and all of its limits leave nothing beyond.
    made("push=limits", "turn=0");
    let (_, told) = verified(&[]);
    assert!(
        told.starts_with("verified: 2 claims\nasked from push -2000 to 2000 mm, with tolerance"),
        "{told}"
    );
    assert!(!told.contains("beyond"), "{told}");
    let (_, json) = verified(&["--json"]);
    assert!(json.contains("\"kind\": \"sliding\""), "{json}");
    // Another joint than the scene has.
    let forged = fs::read_to_string(out.join("certificate.json")).unwrap().replace("\"push\"", "\"pull\"");
    fs::write(out.join("certificate.json"), forged).unwrap();
    let line = refusal(&["verify", shown(&out.join("certificate.json")), &scene, "--rules", &rules]);
    assert!(line.contains("m.urdf: 'pull' is not the name of a joint"), "{line}");
}

#[test]
fn verify_says_with_which_settings_it_asks() {
    let folder = tempfile::tempdir().unwrap();
    let (scene, rules) = (machine(&folder, 0.0), put(&folder, "rules.toml", MACHINE_RULES));
    let out = folder.path().join("out");
    let told = |arguments: &[&str]| {
        let arguments = [&arguments[..1], &[&scene], &arguments[1..], &["--rules", &rules]].concat();
        certified(&[&arguments[..], &["--fail-on", "never", "--tolerance", "0.02"]].concat(), &out);
        let certificate = shown(&out.join("certificate.json")).to_owned();
        text(&run(&["verify", &certificate, &scene, "--rules", &rules]).stdout).to_owned()
    };
    let rest = told(&["check"]);
    assert!(rest.contains("\nasked at rest, with tolerance 0.02 mm\n"), "{rest}");
    line_with(&rest, &["nothing is claimed of the motion, which is from 0 to 20 s"]);
    assert!(told(&["check", "--at", "2.5"]).contains("\nasked at 2.5 s, with tolerance 0.02 mm\n"));
    let part = told(&["sweep", "--to", "12", "--precision", "0.01"]);
    assert!(part.contains("\nasked from 0 to 12 s, with tolerance 0.02 mm, precision 0.01 mm\n"), "{part}");
    line_with(&part, &["nothing is claimed beyond that: the motion is from 0 to 20 s"]);
    assert!(!told(&["sweep"]).contains("beyond"));
}

#[test]
fn a_certificate_at_values_of_joints_is_verified_there() {
    let folder = tempfile::tempdir().unwrap();
    let scene = moving_robot(&folder);
    let rules = put(
        &folder,
        "r.toml",
        "closefit-rules = 1\n[[require]]\nid = \"one\"\na = { name = \"lever/*\" }\nb = { name = \"block/*\" }\n\
         clearance = 0.0005\n",
    );
    let out = folder.path().join("out");
    let check = ["check", &scene, "--rules", &rules, "--fail-on", "never", "--at-joints", "turn=-0.5"];
    let (_, bytes) = certified(&check, &out);
    let certificate = parsed(&bytes);
    assert_conforms(&certificate);
    assert_eq!(certificate["settings"]["joints"]["turn"], -0.5);
    let path = shown(&out.join("certificate.json")).to_owned();
    let told = text(&run(&["verify", &path, &scene, "--rules", &rules]).stdout).to_owned();
    assert!(told.starts_with("verified: 1 claim\n") && told.contains("asked at turn=-0.5, with"), "{told}");
}

#[test]
fn a_certificate_of_curved_primitives_is_verified_with_their_chord() {
    let folder = tempfile::tempdir().unwrap();
    let link = |name: &str, shape: &str| {
        format!("<link name='{name}'><visual><geometry>{shape}</geometry></visual></link>")
    };
    let joint = |name: &str, parent: &str, child: &str, x: f64| {
        format!(
            "<joint name='{name}' type='fixed'><parent link='{parent}'/><child link='{child}'/>\
             <origin xyz='{x} 0 0'/></joint>"
        )
    };
    // Links that share a joint are not checked against each other.
    let parts = [
        link("a", "<cylinder radius='0.1' length='0.5'/>"),
        "<link name='between'/>".to_owned(),
        link("b", "<sphere radius='0.1'/>"),
        joint("j", "a", "between", 0.0),
        joint("k", "between", "b", 1.0),
    ];
    let scene = put(&folder, "arm.urdf", &format!("<robot name='r'>{}</robot>", parts.concat()));
    let rules = put(
        &folder,
        "r.toml",
        "closefit-rules = 1\n[[require]]\nid = \"one\"\na = { name = \"a/*\" }\nb = { name = \"b/*\" }\n\
         clearance = \"0.5m\"\n",
    );
    let out = folder.path().join("out");
    let tolerance: [&str; 2] = ["--tolerance", "5mm"];
    for (settings, chord) in
        [(&tolerance[..], &[][..]), (&[], &[]), (&tolerance, &["--chord", "1mm"]), (&[], &["--chord", "3mm"])]
    {
        let check = ["check", &scene, "--rules", &rules, "--fail-on", "never"];
        certified(&[&check[..], settings, chord].concat(), &out);
        let path = shown(&out.join("certificate.json")).to_owned();
        let told = run(&[&["verify", &path, &scene, "--rules", &rules], chord].concat());
        assert!(text(&told.stdout).starts_with("verified: 1 claim\n"), "{settings:?} {chord:?}: {told:?}");
    }
}
