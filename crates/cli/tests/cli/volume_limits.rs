//! Limits of the volume that parts share: `volume_at_most` of rules and claims. The oracle is the product of
//! the sides of boxes.

use std::fs;

use super::contact_geometry::obj;
use closefit_testing::command::*;
use closefit_testing::meshes::cuboid;
use closefit_testing::rational::Triangle;
use serde_json::{Value, json};
use tempfile::TempDir;

/// A block with two pins, which share 0.25 and 0.5 mm³ with it, a tray without a bottom, which crosses it,
/// and a lid that rests on it.
struct Machine {
    folder: TempDir,
    scene: String,
}

impl Machine {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let part = |name: &str, triangles: &[Triangle]| {
            obj(folder.path(), &format!("{name}.obj"), triangles);
            json!({ "name": name, "mesh": format!("{name}.obj") })
        };
        let parts = [
            part("block", &cuboid([0.0; 3], [8.0, 4.0, 2.0])),
            part("pin_1", &cuboid([1.0, 1.0, -1.0], [1.5, 1.5, 1.0])),
            part("pin_2", &cuboid([2.0, 1.0, -1.0], [3.0, 1.5, 1.0])),
            part("tray", &cuboid([4.0, 1.0, -1.0], [5.0, 2.0, 1.0])[2..]),
            part("lid", &cuboid([0.0, 0.0, 2.0], [8.0, 4.0, 3.0])),
        ];
        let scene = folder.path().join("machine.json");
        fs::write(&scene, json!({ "unit": "mm", "parts": parts }).to_string()).unwrap();
        Self { scene: shown(&scene).to_owned(), folder }
    }

    fn rules(&self, entry: &str) -> String {
        let path = self.folder.path().join("rules.toml");
        fs::write(&path, format!("closefit-rules = 1\n{entry}\n")).unwrap();
        shown(&path).to_owned()
    }
}

fn assert_conforms(document: &Value, schema: &str) {
    let schema = fs::read_to_string(root().join("schema").join(schema)).unwrap();
    let validator = jsonschema::validator_for(&serde_json::from_str(&schema).unwrap()).unwrap();
    let errors: Vec<String> = validator.iter_errors(document).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:?}: {document}");
}

#[test]
fn a_rule_accepts_what_is_proven_to_share_no_more() {
    let machine = Machine::new();
    let check = |limit: &str| {
        let rules = machine.rules(&format!("[[rule]]\nid = \"r\"\na = {{}}\nvolume_at_most = {limit}"));
        let arguments = ["check", &machine.scene, "--rules", &rules];
        let report: Value =
            serde_json::from_slice(&run(&[&arguments[..], &["--json"]].concat()).stdout).unwrap();
        assert_conforms(&report, "report.schema.json");
        (report, run(&arguments))
    };
    let of = |report: &Value, name: &str| {
        let mut pairs = report["pairs"].as_array().unwrap().iter();
        let pair = pairs.find(|pair| pair["a"] == "block" && pair["b"] == name).unwrap();
        let text = |key: &str| pair[key].as_str().unwrap_or("").to_owned();
        [text("verdict"), text("volume_limit"), text("status")]
    };
    for limit in ["0.375", "\"0.000375 cm3\"", "\"3.75e-10m³\""] {
        let (report, output) = check(limit);
        assert_eq!(report["rules"]["rules"][0]["volume_at_most"], json!(0.375), "{limit}");
        assert_eq!(of(&report, "pin_1"), ["clash", "holds", "accepted"]);
        assert_eq!(of(&report, "pin_2"), ["clash", "violated", ""]);
        assert_eq!(of(&report, "tray")[1..], ["undecided", ""]);
        assert_eq!(of(&report, "lid"), ["contact", "", ""], "parts that do not overlap");
        assert_eq!(output.status.code(), Some(1));
        let table = text(&output.stdout);
        assert!(table.contains("shares 0.5 mm³, more than 0.375 mm³"), "{table}");
        assert!(table.contains("shared volume not known: tray has no solid"), "{table}");
        assert!(table.contains(", 1 accepted") && !table.contains("pin_1"), "{table}");
    }
    // The bracket decides, however close the limit is.
    let limits = [(0.5 - 1e-12, "violated"), (0.5 + 1e-12, "holds")];
    for (limit, expected) in limits {
        assert_eq!(of(&check(&limit.to_string()).0, "pin_2")[1], expected, "{limit}");
    }
    // The two volumes read differently, too.
    let (_, output) = check(&limits[0].0.to_string());
    let (_, told) = text(&output.stdout).split_once("shares ").unwrap();
    let (shared, told) = told.split_once(" mm³, more than ").unwrap();
    let most = told.split(" mm³").next().unwrap();
    assert!(shared.parse::<f64>().unwrap() > most.parse::<f64>().unwrap(), "{shared} {most}");
    // The limit adds to the rows, and changes nothing else.
    let (limited, _) = check("0.375");
    let plain = machine.rules("[[rule]]\nid = \"r\"\na = {}");
    let plain = run(&["check", &machine.scene, "--rules", &plain, "--volume", "--json"]).stdout;
    let mut plain: Value = serde_json::from_slice(&plain).unwrap();
    let (mut limited, plain) = (limited["pairs"].clone(), plain["pairs"].take());
    for pair in limited.as_array_mut().unwrap() {
        for key in ["volume_limit", "status"] {
            pair.as_object_mut().unwrap().remove(key);
        }
    }
    assert_eq!(limited, plain);
}

#[test]
fn only_a_limit_within_which_every_overlap_is_proven_passes() {
    let machine = Machine::new();
    let status = |entry: &str| {
        let rules = machine.rules(&format!("[[rule]]\nid = \"r\"\n{entry}"));
        run(&["check", &machine.scene, "--rules", &rules]).status.code()
    };
    let pins = "a = { name = \"block\" }\nb = { name = \"pin*\" }\n";
    assert_eq!(status(&format!("{pins}volume_at_most = 0.51")), Some(0));
    assert_eq!(status(&format!("{pins}volume_at_most = 0.49")), Some(1));
    assert_eq!(status(&format!("{pins}volume_at_most = 0")), Some(1));
    let all = "a = { name = \"block\" }\nb = {}\nvolume_at_most = 1e9\n";
    assert_eq!(status(all), Some(1), "the volume in the tray is not known");
}

#[test]
fn a_claim_is_about_the_largest_volume_of_its_pairs() {
    let machine = Machine::new();
    let out = machine.folder.path().join("out");
    let claim = |b: &str, limit: &str| {
        let sides = format!("a = {{ name = \"block\" }}\nb = {{ name = \"{b}\" }}");
        let rules = machine.rules(&format!("[[require]]\nid = \"fit\"\n{sides}\nvolume_at_most = {limit}"));
        let arguments = ["check", &machine.scene, "--rules", &rules, "--fail-on", "never"];
        let output = run(&[&arguments[..], &["--out", shown(&out)]].concat());
        let certificate: Value =
            serde_json::from_slice(&fs::read(out.join("certificate.json")).unwrap()).unwrap();
        assert_conforms(&certificate, "certificate.schema.json");
        let row = certificate["claims"][0].clone();
        assert_eq!(row["measure"], "volume");
        let found = ["at_least", "at_most"].map(|end| row["found"][end].as_f64().unwrap());
        let table = text(&output.stdout).to_owned();
        let line = table.lines().find(|line| line.starts_with("fit")).unwrap().to_owned();
        (output.status.code(), row, found, line)
    };
    let is_about = |found: [f64; 2], volume: f64| {
        found[0] <= volume && volume <= found[1] && found[1] - found[0] <= 1e-12
    };
    let (status, row, found, line) = claim("pin*", "\"0.6mm3\"");
    assert_eq!((status, &row["outcome"], &row["volume_at_most"]), (Some(0), &json!("holds"), &json!(0.6)));
    assert!(is_about(found, 0.5) && row["pairs"].as_array().unwrap().len() == 1, "{row}");
    assert!(line.contains("holds 0.5000") && line.ends_with(" mm³"), "{line}");
    let (status, row, found, line) = claim("pin*", "0.3");
    assert_eq!((status, &row["outcome"]), (Some(1), &json!("violated")));
    assert!(is_about(found, 0.5), "{row}");
    assert!(line.contains("violated 0.5000"), "{line}");
    let (status, row, found, _) = claim("lid", "0");
    assert_eq!((status, &row["outcome"]), (Some(0), &json!("holds")));
    assert_eq!(found, [0.0; 2], "faces that touch share nothing");
    let (status, row, _, line) = claim("tray", "5");
    assert_eq!(
        (status, &row["outcome"], &row["why"]),
        (Some(1), &json!("undecided"), &json!("tray has no solid"))
    );
    assert!(line.contains("undecided (tray has no solid)"), "{line}");

    claim("pin*", "0.6");
    let (certificate, rules) = (out.join("certificate.json"), machine.folder.path().join("rules.toml"));
    let verified = run(&["verify", shown(&certificate), &machine.scene, "--rules", shown(&rules)]);
    assert_eq!(verified.status.code(), Some(0), "{}", text(&verified.stderr));
    let crossed = ["check", &machine.scene, "--rules", shown(&rules), "--cross-check", "rapid,sphere"];
    assert_eq!(run(&[&crossed[..], &["--fail-on", "never"]].concat()).status.code(), Some(0));
}

#[test]
fn runs_that_ask_no_volumes_say_so() {
    let folder = tempfile::tempdir().unwrap();
    obj(folder.path(), "cube.obj", &cuboid([0.0; 3], [1.0; 3]));
    let at = |time: f64, x: f64| json!({ "time": time, "translation": [x, 0.0, 0.0] });
    let parts = json!([
        { "name": "a", "mesh": "cube.obj" },
        { "name": "b", "mesh": "cube.obj", "motion": { "keyframes": [at(0.0, 3.0), at(1.0, 2.0)] } },
    ]);
    let scene = folder.path().join("scene.json");
    fs::write(&scene, json!({ "unit": "mm", "parts": parts }).to_string()).unwrap();
    let rules = folder.path().join("rules.toml");
    fs::write(&rules, "closefit-rules = 1\n[[rule]]\nid = \"r\"\na = {}\nvolume_at_most = 1\n").unwrap();
    let (scene, rules) = (shown(&scene), shown(&rules));
    for arguments in
        [&["sweep", scene, "--rules", rules][..], &["check", scene, "--at", "0:1:0.5", "--rules", rules]]
    {
        let output = run(arguments);
        assert!(
            text(&output.stderr).contains("'volume_at_most' of rules is not asked here"),
            "{arguments:?}"
        );
    }
}

/// Meshes lie inside the true surfaces of curved primitives, so these share no less than the meshes.
#[test]
fn curved_primitives_may_share_more_than_their_meshes() {
    let folder = tempfile::tempdir().unwrap();
    let ball = |name: &str, x: f64| {
        format!(
            "<link name='{name}'><visual><origin xyz='{x} 0 0'/><geometry><sphere radius='1'/></geometry>\
             </visual></link>"
        )
    };
    let joint = |name: &str, parent: &str, child: &str| {
        format!("<joint name='{name}' type='fixed'><parent link='{parent}'/><child link='{child}'/></joint>")
    };
    // Links that share a joint are not checked against each other. The caps of both balls have 0.0150 m3.
    let links = [ball("a", 0.0), "<link name='between'/>".to_owned(), ball("b", 1.9)].concat();
    let joints = [joint("j", "a", "between"), joint("k", "between", "b")].concat();
    let scene = folder.path().join("balls.urdf");
    fs::write(&scene, format!("<robot name='r'>{links}{joints}</robot>")).unwrap();
    for (most, expected) in [("0.001", "violated"), ("1", "undecided")] {
        let rules = folder.path().join("rules.toml");
        let entry = |head: &str| format!("[[{head}]]\nid = \"{head}\"\na = {{}}\nvolume_at_most = {most}\n");
        let sides = format!("{}b = {{}}\n", entry("require"));
        fs::write(&rules, format!("closefit-rules = 1\nunit = \"m\"\n{}{sides}", entry("rule"))).unwrap();
        let out = folder.path().join("out");
        let arguments =
            ["check", shown(&scene), "--rules", shown(&rules), "--chord", "10mm", "--out", shown(&out)];
        assert_eq!(run(&arguments).status.code(), Some(1));
        let read =
            |file: &str| -> Value { serde_json::from_slice(&fs::read(out.join(file)).unwrap()).unwrap() };
        assert_eq!(read("report.json")["pairs"][0]["volume_limit"], expected);
        assert_eq!(read("certificate.json")["claims"][0]["outcome"], expected);
    }
}
