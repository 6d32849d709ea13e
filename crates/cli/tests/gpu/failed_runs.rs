//! Whole runs of the command line that fail on the device or are interrupted while it works: the report of
//! the CPU and one note, or nothing at all.
//!
//! In a process of its own this program stands in for `closefit`: it opens the device with little room, so
//! that every stage takes many submissions, waits for a stage to begin, and provokes the failure meanwhile.

use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode, Output};
use std::time::Duration;

use closefit::internals::gpu::Use;
use closefit::{Device, Tally};
use closefit_testing::on_device;
use serde_json::Value;

use crate::command_line::{motion, program, scene, shown};

/// Environment variable that names the failure and the stage of a run, and makes this program stand in for
/// `closefit`.
pub const FAILED_RUN: &str = "CLOSEFIT_TEST_FAILED_RUN";

/// A failure that a user may meet.
struct Failure {
    name: &'static str,
    provoke: fn(Device),
    /// The beginning of the note; empty if there is none.
    note: &'static str,
}

const FAILURES: [Failure; 5] = [
    Failure { name: "destroyed", provoke: |device| device.destroy(), note: "the device " },
    Failure {
        name: "slow",
        provoke: |device| device.set_patience(Duration::ZERO),
        note: "the device did not answer within 0 s",
    },
    Failure {
        name: "full",
        provoke: |device| drop(device.lend(Use::Storage, 1 << 50).expect_err("no device has so much")),
        note: "the device is out of memory",
    },
    Failure { name: NARROW, provoke: |_| {}, note: "" },
    Failure { name: INTERRUPTED, provoke: interrupt, note: "" },
];

/// Kernels can bind 1 MiB, and all goes well.
const NARROW: &str = "narrow";

/// The user presses Ctrl-C.
const INTERRUPTED: &str = "interrupted";

fn interrupt(_: Device) {
    let sent = Command::new("kill").args(["-INT", &std::process::id().to_string()]).status().expect("kill");
    assert!(sent.success());
}

/// A stage of the device's work.
struct Stage {
    name: &'static str,
    /// Command, scene, its size and the clearance.
    run: [&'static str; 4],
    has_begun: fn(&Tally) -> bool,
}

const STAGES: [Stage; 4] = [
    Stage {
        name: "candidate pairs",
        run: ["check", "boxes", "2000", "0.3"],
        has_begun: |tally| tally.launches > 0,
    },
    Stage { name: "contacts", run: ["check", "boxes", "60", "0.3"], has_begun: |tally| tally.pairs > 0 },
    Stage {
        name: "distances",
        run: ["check", "boxes", "60", "0.3"],
        has_begun: |tally| tally.distance_rounds > 0,
    },
    Stage {
        name: "stretches",
        run: ["sweep", "torus-path", "2000", "0"],
        has_begun: |tally| tally.pairs > 0,
    },
];

/// The failures and stages that are tested together.
const RUNS: [(&str, &str); 7] = [
    ("destroyed", "candidate pairs"),
    ("destroyed", "contacts"),
    ("destroyed", "distances"),
    ("destroyed", "stretches"),
    ("slow", "distances"),
    ("full", "stretches"),
    (NARROW, "contacts"),
];

/// Runs the command line, whose arguments are those of this process, with a failure.
pub fn closefit(failed_run: &str) -> ExitCode {
    let failure = FAILURES.iter().find(|failure| failed_run.starts_with(failure.name)).expect("a failure");
    let stage = STAGES.iter().find(|stage| failed_run.ends_with(stage.name)).expect("a stage");
    let binding = if failure.name == NARROW { 1 << 20 } else { u64::MAX };
    let device = on_device::open(binding).expect("it was opened before");
    on_device::give_little_room(device);
    std::thread::spawn(move || {
        while !(stage.has_begun)(&device.tally()) {
            std::thread::sleep(Duration::from_micros(100));
        }
        (failure.provoke)(device);
    });
    closefit_cli::run()
}

/// Runs a program as `closefit` on a scene.
fn run(mut program: Command, [command, path, clearance]: [&str; 3], out: &Path, backend: &[&str]) -> Output {
    program.args([command, path, "--clearance", clearance, "--out", shown(out), "--fail-on", "never"]);
    program.args(backend).output().expect("it runs")
}

/// Runs this program as `closefit` on a scene, with a failure at a stage.
fn run_with(failure: &str, stage: &Stage, path: &str, out: &Path) -> Output {
    let mut this = Command::new(std::env::current_exe().expect("this program"));
    // Without this directory, Mesa's driver complains on stderr.
    this.env("XDG_RUNTIME_DIR", std::env::temp_dir());
    this.env(FAILED_RUN, format!("{failure} {}", stage.name));
    let on_device = ["--backend", "gpu", "--adapter", &on_device::adapter()];
    run(this, [stage.run[0], path, stage.run[3]], out, &on_device)
}

/// Creates the scene of a stage and returns its directory and path.
fn scene_of(stage: &Stage) -> (tempfile::TempDir, String) {
    let [command, name, size, _] = stage.run;
    if command == "sweep" { motion(name, size) } else { scene(name, size) }
}

/// Returns the lines of an output, without those that tell of the progress of a slow run.
fn lines(bytes: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(bytes);
    text.lines().filter(|line| !line.starts_with("progress: ")).map(str::to_owned).collect()
}

/// Checks that a failure leaves the report, the table and the exit status as they are, and that one note
/// tells of it.
pub fn the_report_is_that_of_the_cpu(_: Device) {
    for (name, stage) in RUNS {
        let stage = STAGES.iter().find(|one| one.name == stage).expect("a stage");
        let failure = FAILURES.iter().find(|failure| failure.name == name).expect("a failure");
        let (dir, path) = scene_of(stage);
        let [expected_out, out] = ["simd", "gpu"].map(|backend| dir.path().join(backend));
        let of_cpu = [stage.run[0], &path, stage.run[3]];
        let expected = run(program(&[]), of_cpu, &expected_out, &["--backend", "simd"]);
        let output = run_with(name, stage, &path, &out);
        let told = lines(&output.stderr);
        println!("{name} during {}: {told:?}", stage.name);
        assert!(output.status.success() && expected.status.success(), "{told:?}");
        for file in ["report.json", "pairs.csv"] {
            let [expected, found] = [&expected_out, &out].map(|out| fs::read(out.join(file)).expect(file));
            assert!(expected == found, "{name} during {}: {file}", stage.name);
        }
        // One line has the seconds, and one the folder of the run.
        let [expected, found] = [&expected, &output].map(|output| {
            let all = lines(&output.stdout);
            all.into_iter()
                .filter(|line| !line.contains(" s on ") && !line.starts_with("Next: "))
                .collect::<Vec<_>>()
        });
        assert!(found.len() > 1 && found == expected, "{found:?}");

        let record: Value =
            serde_json::from_slice(&fs::read(out.join("run.json")).expect("a record")).expect("JSON");
        let counts = &record["device"];
        let count = |name: &str| counts[name].as_u64().expect(name);
        match (stage.name, failure.note.is_empty()) {
            (_, true) => assert!(count("distances") > 0),
            ("candidate pairs", _) => assert!(count("broad_boxes") > 0 && count("rounds") == 0),
            ("contacts", _) => assert!(count("rounds") > 0 && count("distances") == 0),
            ("distances", _) => assert!(count("distance_rounds") > 0),
            _ => assert!(count("launches") > 0 && count("distances") == 0),
        }
        let notes: Vec<String> = match counts["failure"].as_str() {
            Some(reason) => vec![format!("note: {reason}; the CPU did its work")],
            None => Vec::new(),
        };
        assert_eq!(told, notes);
        let begins = format!("note: {}", failure.note);
        assert!(
            failure.note.is_empty() == told.is_empty() && told.iter().all(|note| note.starts_with(&begins))
        );
    }
}

/// Checks that Ctrl-C while the device works ends a run with one line and leaves nothing behind.
pub fn an_interrupted_run_leaves_nothing(_: Device) {
    if cfg!(not(unix)) {
        return;
    }
    for stage in &STAGES {
        let (dir, path) = scene_of(stage);
        let out = dir.path().join("out");
        let output = run_with(INTERRUPTED, stage, &path, &out);
        assert_eq!(output.status.code(), Some(130), "{}", stage.name);
        assert_eq!((output.stdout, lines(&output.stderr)), (Vec::new(), vec!["interrupted".to_owned()]));
        assert!(!out.exists(), "{}", stage.name);
    }
}
