//! Bytes of a text that people or programs write (rules, disabled pairs of a robot, reviews, groups, reports,
//! certificates, tables of poses): what it says, or one line.
#![no_main]

#[path = "../../crates/job/tests/job/texts.rs"]
mod texts;

use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;
use texts::{Kind, scene};

fuzz_target!(|data: &[u8]| {
    static FOLDER: OnceLock<tempfile::TempDir> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| tempfile::tempdir().expect("a folder"));
    let Some((&which, bytes)) = data.split_first() else { return };
    let kind = Kind::ALL[usize::from(which) % Kind::ALL.len()];
    if let Some(told) = kind.read(bytes, &scene(), folder.path()) {
        assert!(told.lines().count() == 1 && !told.chars().any(char::is_control), "one line: {told:?}");
    }
});
