//! Bytes of a text that people or programs write (rules, disabled pairs of a robot, reviews, groups, reports,
//! certificates): what it says, or one line.
#![no_main]

#[path = "../../crates/job/tests/job/texts.rs"]
mod texts;

use std::sync::OnceLock;

use closefit::scene::{Part, Scene};
use closefit_geometry::ids::MeshId;
use closefit_job::ReadScene;
use libfuzzer_sys::fuzz_target;
use texts::Kind;

fuzz_target!(|data: &[u8]| {
    static FOLDER: OnceLock<tempfile::TempDir> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| tempfile::tempdir().expect("a folder"));
    let Some((&which, bytes)) = data.split_first() else { return };
    let kind = Kind::ALL[usize::from(which) % Kind::ALL.len()];
    if let Some(told) = kind.read(bytes, &scene(), folder.path()) {
        assert!(told.lines().count() == 1 && !told.chars().any(char::is_control), "one line: {told:?}");
    }
});

/// Three parts without a mesh, which rules can select.
fn scene() -> ReadScene {
    let part = |name: &str| Part::new(name, MeshId(0), closefit::Pose::IDENTITY);
    Scene { parts: ["a", "b", "c/d"].map(part).to_vec(), ..Scene::default() }.into()
}
