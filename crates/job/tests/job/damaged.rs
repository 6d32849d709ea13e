//! Damaged texts of every kind: none panics, and each refusal is one line.

use std::fs;
use std::path::Path;
use std::sync::OnceLock;

use closefit::{CheckRequest, Unobserved};
use closefit_job::{CheckOptions, Job, Project, ReadScene, SweepOptions, joint_range};
use closefit_project::RulesFile;
use closefit_report::{Inspection, json};
use proptest::prelude::*;

use super::texts::{CLAIMS, CLAIMS_OF_JOINTS, Kind, robot_scene, scene};

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

const POSES: &str = "m00,m01,m02,m03,m10,m11,m12,m13,m20,m21,m22,m23\n1,0,0,0.5,0,1,0,0,0,0,1,0\n\
    0,-1,0,3,1,0,0,0,0,0,1,0.25\n";
const QUATERNIONS: &str = "id,qx,qy,qz,qw,tx,ty,tz\na,0,0,0,1,0.5,0,0\nb,0,0,0.7071,0.7071,2,0,1e-3\n";

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
        Kind::Certificate => certificates(),
        Kind::Waivers => vec![RULES.as_bytes().to_vec()],
        Kind::Configurations => vec![b"id,j,k\n1,0.5,0\n2,-0.25,1\n".to_vec(), b"j\n0\n1e-3\n".to_vec()],
        Kind::Poses => vec![POSES.as_bytes().to_vec(), QUATERNIONS.as_bytes().to_vec()],
    }
}

/// Returns the certificates of a check, of a sweep over time, and of one along a joint.
fn certificates() -> Vec<Vec<u8>> {
    let job = |scene: ReadScene, rules: &str| {
        let rules = RulesFile::read(Path::new("r.toml"), rules).expect("sound");
        Job::new(scene, Project { sides: None, rules: Some(rules) }).expect("sound")
    };
    let swept = |job: &Job| {
        let request = job.sweep_request(Some(0.0), Some(0.5)).expect("in range");
        let options = SweepOptions { allow_empty: true, ..SweepOptions::default() };
        job.sweep(&request, &options, &Unobserved).expect("in range").certificate
    };
    let still = job(scene(), CLAIMS);
    let request = CheckRequest::default().tolerance(1e-6);
    let checked = still.check(&request, &CheckOptions::default(), &Unobserved).expect("in range").certificate;
    let folder = tempfile::tempdir().expect("a folder");
    let robot = job(robot_scene(folder.path()), CLAIMS_OF_JOINTS);
    let range = joint_range(&robot.scene().robots[0], "j=0:0.5").expect("a joint");
    let turned = robot.along_joint(range, &[0.0, 0.25]).expect("in range");
    let all = [checked, swept(&still), swept(&turned)];
    all.iter().map(|certificate| json::document(certificate.as_ref().expect("there is a claim"))).collect()
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
fn damaged_rules_that_get_waivers() {
    check(Kind::Waivers);
}

#[test]
fn damaged_tables_of_poses() {
    check(Kind::Configurations);
    check(Kind::Poses);
}

#[test]
fn damaged_certificates() {
    check(Kind::Certificate);
}
