//! Pairs that end the process: the run is resumed until it knows them, and has the rows of all others.

use std::env;
use std::fs;
use std::path::Path;
use std::process::{Command, abort};
use std::sync::Arc;

use closefit::{DVec3, Mesh, Observer, PartId, Pose, Unobserved, Verdict};
use closefit_geometry::ids::MeshId;
use closefit_geometry::scene::{Part, Scene};
use closefit_job::{CRASHED, CheckOptions, Job, Journal, JournalOptions, Merge, Project, Start};
use closefit_report::{CheckReport, json};
use serde_json::Value;

/// The variables with which a child process is told the directory and the shard.
const DIR: &str = "CLOSEFIT_CRASHES_IN";
const SHARD: &str = "CLOSEFIT_CRASHES_SHARD";

/// The pairs that end the process.
const FATAL: [[u32; 2]; 2] = [[8, 9], [70, 72]];

/// A row of tetrahedra, each of which is near the next two.
fn job() -> Job {
    let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    let mesh = Mesh::new(&corners, &[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]).expect("valid");
    let part = |i: u32| {
        Part::new(&*format!("part {i}"), MeshId(0), Pose::translation([0.45 * f64::from(i), 0.0, 0.0]))
    };
    let scene =
        Scene { meshes: vec![Arc::new(mesh)], parts: (0..100).map(part).collect(), ..Scene::default() };
    Job::new(scene.into(), Project::default()).expect("no rules")
}

/// An observer that ends the process when it comes to some pairs.
struct Fatal;

impl Observer for Fatal {
    fn enter(&self, pair: [PartId; 2]) {
        if FATAL.contains(&pair.map(|id| id.0)) {
            abort();
        }
    }
}

/// A run of the child process, if this is one.
fn run_of_child() -> bool {
    let (Some(dir), Ok(shard)) = (env::var_os(DIR), env::var(SHARD)) else { return false };
    let shard = (!shard.is_empty()).then(|| (shard.parse().unwrap(), Vec::new()));
    let is_shard = shard.is_some();
    let options = JournalOptions { start: Start::Resume, shard, ..JournalOptions::default() };
    let journal = Arc::new(Journal::open(Path::new(&dir), options).unwrap());
    let (job, options) =
        (job(), CheckOptions { journal: Some(Arc::clone(&journal)), ..CheckOptions::default() });
    let request = job.check_request().unwrap();
    if is_shard {
        job.decide_shard(&request, &journal, false, &Fatal).unwrap();
    } else {
        let report = job.check(&request, &options, &Fatal).unwrap().report;
        fs::write(Path::new(&dir).join("report.json"), json::document(&report)).unwrap();
        let left = journal.left().unwrap();
        assert_eq!((left.why, left.near - left.decided), (CRASHED, 2));
        let told = journal.left_in_words().unwrap();
        assert_eq!(told, "2 pairs ended the process each time, and stay undecided: --restart tries again");
    }
    journal.finish().unwrap();
    true
}

/// Runs a test as a child process until it succeeds. Returns the number of runs.
fn runs_until_done(test: &str, dir: &Path, shard: &str) -> u32 {
    for run in 1..=12 {
        let child = Command::new(env::current_exe().unwrap())
            .args([test, "--exact", "--test-threads", "1"])
            .env(DIR, dir)
            .env(SHARD, shard)
            .output()
            .unwrap();
        if child.status.success() {
            return run;
        }
        assert_eq!(child.status.code(), None, "{}", String::from_utf8_lossy(&child.stdout));
    }
    panic!("it never ends");
}

/// Compares a report with that of a run that nothing ends: only the fatal pairs differ.
fn has_all_but_fatal(report: &[u8]) {
    let job = job();
    let options = CheckOptions::default();
    let whole: CheckReport = job.check(&job.check_request().unwrap(), &options, &Unobserved).unwrap().report;
    let rows = |bytes: &[u8]| -> Vec<Value> {
        serde_json::from_slice::<Value>(bytes).unwrap()["pairs"].as_array().unwrap().clone()
    };
    let (found, whole) = (rows(report), rows(&json::document(&whole)));
    assert!(whole.iter().all(|row| row["verdict"] == "clash") && whole.len() > 150);
    assert_eq!(found.len(), whole.len());
    for (found, whole) in found.iter().zip(&whole) {
        let ids: [u32; 2] = serde_json::from_value(whole["ids"].clone()).unwrap();
        match FATAL.contains(&ids) {
            false => assert_eq!(found, whole),
            true => {
                assert_eq!((&found["ids"], &found["verdict"]), (&whole["ids"], &"undecided".into()));
                assert_eq!(found["contained"]["undecidable"], CRASHED);
            }
        }
    }
}

#[test]
fn pairs_that_end_the_process_are_found() {
    if run_of_child() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let test = "crashes::pairs_that_end_the_process_are_found";
    let runs = runs_until_done(test, dir.path(), "");
    assert!(runs <= 11, "five for each, and one that succeeds: {runs}");
    has_all_but_fatal(&fs::read(dir.path().join("report.json")).unwrap());
    // The journal stays, so that the next run knows as much.
    assert_eq!(runs_until_done(test, dir.path(), ""), 1);
    assert!(dir.path().join("rows.cfr").exists());
}

#[test]
fn shards_know_them_when_they_are_merged() {
    if run_of_child() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let test = "crashes::shards_know_them_when_they_are_merged";
    for shard in ["1/2", "2/2"] {
        runs_until_done(test, dir.path(), shard);
    }
    let merge = Merge::read(&[dir.path().to_owned()]).unwrap();
    assert!(merge.missing.is_empty());
    let journal = Arc::new(merge.into_journal(&dir.path().join("merged")));
    let (job, options) =
        (job(), CheckOptions { journal: Some(Arc::clone(&journal)), ..CheckOptions::default() });
    let found = job.check(&job.check_request().unwrap(), &options, &Unobserved).unwrap();
    has_all_but_fatal(&json::document(&found.report));
    assert!(found.report.pairs.iter().filter(|pair| pair.verdict == Verdict::Undecided).count() == 2);
    assert_eq!(journal.left().unwrap().why, CRASHED);
}
