//! Damaged texts of every kind: none panics, and each refusal is one line.

use std::fs;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use closefit::{CheckRequest, DVec3, Mesh, Pose, Unobserved};
use closefit_geometry::ids::MeshId;
use closefit_geometry::scene::{Part, Scene};
use closefit_geometry::units::Unit;
use closefit_job::{CheckOptions, Job, Project, ReadScene};
use closefit_project::RulesFile;
use closefit_report::{Inspection, json};
use proptest::prelude::*;

use super::texts::Kind;

const RULES: &str = r#"closefit-rules = 1
unit = "mm"
[groups]
all = { name = ["a", "b", "c"], layer = "M*" }
zone = { name = "c", zone = true }
[[rule]]
id = "r"
a = "all"
clearance = "2mm"
fail = "clash"
severity = "major"
[matrix]
groups = ["all", "zone"]
all = ["off"]
zone = ["25mm", "clash"]
[[exclude]]
a = "all"
b = { path = "*/x" }
same = "mesh"
reason = "known"
[[waive]]
a = "all"
up_to = 0.3
reason = "RFI 88"
[[require]]
id = "claim"
a = "all"
clearance = 0.1
tolerance = 0.01
deflection = 0.2
"#;
const JSON: &str = r#"{"closefit-rules": 1, "unit": "mm", "groups": {"all": {"name": ["a", "b"]}},
 "rule": [{"id": "r", "a": "all", "clearance": "2mm"}], "require": [{"id": "c", "a": "all", "verdict": "contact"}]}"#;
const SRDF: &str = "<?xml version='1.0'?><robot name='r'><group name='g'/>\
    <disable_collisions link1='base' link2='arm' reason='Adjacent'/>\
    <disable_collisions link1='arm' link2='hand'/></robot>";
const REVIEW: &str = r#"{"closefit-review": 1, "statuses": {"8be9bc86b7d73450ab75": {"status": "approved",
 "comment": "RFI 88"}, "0011223344556677889a": {"status": "open"}}}"#;
const GROUPS: &str = r#"{"staircase": ["8be9bc86b7d73450ab75", "0011223344556677889a"], "roof": []}"#;

/// Three tetrahedra, of which two overlap.
pub fn scene() -> ReadScene {
    let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    let mesh = Mesh::new(&corners, &[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]).expect("valid");
    let part = |(name, x): (&str, f64)| Part {
        tags: vec!["layer:M1".to_owned()].into(),
        ..Part::new(name, MeshId(0), Pose::translation([x, 0.0, 0.0]))
    };
    let parts = [("a", 0.0), ("b", 0.5), ("c", 1.501)].map(part).to_vec();
    Scene { unit: Some(Unit::M), meshes: vec![Arc::new(mesh)], parts, ..Scene::default() }.into()
}

/// Returns sound texts of a kind.
fn sound(kind: Kind) -> Vec<Vec<u8>> {
    let of_project = || {
        let rules = RulesFile::read(Path::new("r.toml"), RULES).expect("sound");
        let job = Job::new(scene(), Project { sides: None, rules: Some(rules) }).expect("sound");
        let request = CheckRequest::default().tolerance(1e-6).clearance(0.01);
        job.check(&request, &CheckOptions::default(), &Unobserved).expect("in range")
    };
    match kind {
        Kind::Toml => vec![RULES.as_bytes().to_vec()],
        Kind::Json => vec![JSON.as_bytes().to_vec()],
        Kind::Srdf => vec![SRDF.as_bytes().to_vec()],
        Kind::Review => vec![REVIEW.as_bytes().to_vec()],
        Kind::Groups => vec![GROUPS.as_bytes().to_vec()],
        Kind::Report => {
            let job = Job::new(scene(), Project::default()).expect("no rules");
            let request = CheckRequest::default().tolerance(1e-6).clearance(0.01);
            let plain = job.check(&request, &CheckOptions::default(), &Unobserved).expect("in range");
            vec![json::document(&of_project().report), json::document(&plain.report)]
        }
        Kind::Certificate => {
            vec![json::document(&of_project().certificate.expect("there is a claim"))]
        }
    }
}

/// Pieces that are put into texts.
const PIECES: [&str; 28] = [
    "\"",
    "'",
    "[",
    "]",
    "[[",
    "{",
    "}",
    "=",
    ":",
    ",",
    "\n",
    "\\",
    "\\u0000",
    "\\n",
    "-1",
    "1e999",
    "1e-400",
    "null",
    "nan",
    "true",
    "0",
    "18446744073709551616",
    "a",
    "\u{1b}",
    "\u{202e}",
    "é",
    "<robot>",
    "/>",
];

/// A piece of a text is replaced by one of the pieces, or by another piece of the text.
#[derive(Clone, Debug)]
struct Damage {
    at: usize,
    length: usize,
    from: usize,
    copied: usize,
}

fn damage() -> impl Strategy<Value = Damage> {
    let any = || any::<usize>();
    (any(), 0..6_usize, any(), prop_oneof![Just(0), 1..12_usize])
        .prop_map(|(at, length, from, copied)| Damage { at, length, from, copied })
}

fn damaged(text: &[u8], all: &[Damage]) -> Vec<u8> {
    let mut text = text.to_vec();
    for Damage { at, length, from, copied } in all {
        let piece = |from: usize, length: usize, text: &[u8]| {
            let from = from % (text.len() + 1);
            from..(from + length).min(text.len())
        };
        let put = match copied {
            0 => PIECES[from % PIECES.len()].as_bytes().to_vec(),
            &copied => text[piece(*from, copied, &text)].to_vec(),
        };
        text.splice(piece(*at, *length, &text), put);
    }
    text
}

/// Returns the number of cases: 300, or `CLOSEFIT_CASES`.
fn cases() -> u32 {
    std::env::var("CLOSEFIT_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(300)
}

#[test]
fn sound_texts_are_read() {
    let folder = tempfile::tempdir().expect("a folder");
    for kind in Kind::ALL {
        for text in sound(kind) {
            let shown = String::from_utf8_lossy(&text).into_owned();
            assert_eq!(kind.read(&text, &scene(), folder.path()), None, "{kind:?}: {shown}");
        }
    }
    let inspection = Inspection::new(
        &scene().scene,
        &closefit::internals::engine::PosedBoxes::new(&scene().scene, None).expect("in range"),
        closefit::Winding::Repaired,
    );
    assert_eq!(Kind::Report.read(&json::document(&inspection), &scene(), folder.path()), None);
}

fn check(kind: Kind) {
    static FOLDER: OnceLock<tempfile::TempDir> = OnceLock::new();
    let folder =
        FOLDER.get_or_init(|| tempfile::tempdir().expect("a folder")).path().join(format!("{kind:?}"));
    fs::create_dir_all(&folder).expect("a folder");
    let (sound, scene) = (sound(kind), scene());
    let input = (0..sound.len(), prop::collection::vec(damage(), 1..4));
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases()) };
    let mut runner = proptest::test_runner::TestRunner::new(config);
    let refused = std::cell::Cell::new(0);
    let found = runner.run(&input, |(which, all)| {
        let text = damaged(&sound[which], &all);
        if let Some(told) = kind.read(&text, &scene, &folder) {
            prop_assert!(told.lines().count() == 1 && !told.chars().any(char::is_control), "{told:?}");
            refused.set(refused.get() + 1);
        }
        Ok(())
    });
    println!("{kind:?}: {} cases, {} refused", cases(), refused.get());
    found.unwrap_or_else(|error| panic!("{kind:?}: {error}"));
    assert!(refused.get() > cases() / 20, "the damage is felt");
}

#[test]
fn damaged_rules() {
    check(Kind::Toml);
    check(Kind::Json);
}

#[test]
fn damaged_exclusions_of_a_robot() {
    check(Kind::Srdf);
}

#[test]
fn damaged_reviews_and_groups() {
    check(Kind::Review);
    check(Kind::Groups);
}

#[test]
fn damaged_reports() {
    check(Kind::Report);
}

#[test]
fn damaged_certificates() {
    check(Kind::Certificate);
}
