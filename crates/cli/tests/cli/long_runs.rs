//! Runs that are stopped, killed, damaged and resumed: the report has the bytes of an uninterrupted run, or
//! there is one line that says why not.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use closefit_testing::command::*;
use closefit_testing::rng::Rng;
use closefit_testing::slow_cases;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::pressed::block;

/// A run that takes seconds, and what it finds if nobody interrupts it.
struct LongRun {
    dir: TempDir,
    arguments: Vec<String>,
    report: Vec<u8>,
}

/// The files of a run whose bytes do not depend on time.
const FILES: [&str; 3] = ["report.json", "pairs.csv", "issues.csv"];

impl LongRun {
    fn new(scene: [&str; 2], arguments: &[&str]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let [name, size] = scene;
        run(&["generate", name, "--size", size, "--seed", "5", "--out", shown(dir.path())]);
        let file = ["glb", "json"].map(|extension| match extension {
            "glb" => dir.path().join(name).with_extension("glb"),
            _ => dir.path().join(name).join("scene.json"),
        });
        let file = file.into_iter().find(|file| file.exists()).expect("it was generated");
        Self::of(dir, &file, arguments)
    }

    /// A run over a scene in its folder.
    fn of(dir: TempDir, file: &Path, arguments: &[&str]) -> Self {
        let all =
            [&arguments[..1], &[shown(file)], &arguments[1..], &["--fail-on", "never", "--quiet"]].concat();
        let all: Vec<String> = all.into_iter().map(str::to_owned).collect();
        let mut long = Self { dir, arguments: all, report: Vec::new() };
        let output = long.run("plain", &[]);
        assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""));
        assert!(!long.rows("plain").exists(), "no rows are left");
        long.report = long.found("plain");
        long
    }

    fn check() -> Self {
        Self::new(["boxes", "3000"], &["check", "--clearance", "0.2m"])
    }

    fn sweep() -> Self {
        Self::new(["fast-plates", "400"], &["sweep", "--clearance", "0.05m", "--intervals"])
    }

    /// Boxes in rows, each pressed into a table of its own, which slide, sink or both.
    fn presses() -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("table.obj"), block([[-200.0, -200.0, -100.0], [200.0, 200.0, 0.0]]))
            .unwrap();
        fs::write(dir.path().join("box.obj"), block([[-20.0, -20.0, 0.0], [20.0, 20.0, 40.0]])).unwrap();
        let part = |k: u32| {
            let [x, y] = [k % 60, k / 60].map(|place| 1000.0 * f64::from(place));
            let sunk = 0.01 * f64::from(k % 7);
            let keys = json!([
                {"time": 0, "translation": [x, y, -sunk]},
                {"time": 1, "translation": [x + 10.0 * f64::from(k % 5), y + 1.0, -sunk - f64::from(k % 3)]},
            ]);
            [
                json!({"name": format!("table {k}"), "mesh": "table.obj", "pose": {"translation": [x, y, 0]}}),
                json!({"name": format!("box {k}"), "mesh": "box.obj",
                    "motion": {"between": "linear", "keyframes": keys}}),
            ]
        };
        let parts: Vec<Value> = (0..3000).flat_map(part).collect();
        let file = dir.path().join("presses.json");
        fs::write(&file, json!({"unit": "mm", "parts": parts}).to_string()).unwrap();
        let long = Self::of(dir, &file, &["sweep", "--precision", "1e-3mm", "--tolerance", "5e-3mm"]);
        assert!(text(&long.report).matches("\"pressed\"").count() >= 3000);
        long
    }

    fn out(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn rows(&self, name: &str) -> PathBuf {
        self.out(name).join("rows.cfr")
    }

    fn command(&self, name: &str, more: &[&str]) -> Command {
        let mut command = Command::new(program_path());
        command.args(&self.arguments).args(["--out", shown(&self.out(name))]).args(more);
        command
    }

    fn run(&self, name: &str, more: &[&str]) -> Output {
        self.command(name, more).output().unwrap()
    }

    fn start(&self, name: &str, more: &[&str]) -> Child {
        let_children_be_interrupted();
        self.command(name, more).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    /// The files that a run has written.
    fn found(&self, name: &str) -> Vec<u8> {
        FILES.map(|file| fs::read(self.out(name).join(file)).unwrap()).concat()
    }

    /// Stops a run by a signal once it has decided some pairs, and returns its rows.
    fn stopped(&self, name: &str) -> Vec<u8> {
        for wait in (1..).map(|step| Duration::from_millis(40 * step)) {
            let child = self.start(name, &["--restart"]);
            std::thread::sleep(wait);
            send("TERM", &child);
            let output = child.wait_with_output().unwrap();
            if self.rows(name).exists() {
                assert_eq!(output.status.code(), Some(143));
                let line = text(&output.stderr);
                assert!(
                    line.starts_with("stopped after ") && line.ends_with(": continue with --resume\n"),
                    "{line}"
                );
                return fs::read(self.rows(name)).unwrap();
            }
            assert_eq!((output.status.code(), text(&output.stderr)), (Some(143), "interrupted\n"));
        }
        unreachable!("there is no last step")
    }

    /// Goes on with a run to its end.
    fn ends_as_if_uninterrupted(&self, name: &str) {
        let output = self.run(name, &["--resume"]);
        assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""));
        assert!(self.found(name) == self.report);
        assert_eq!(entries(&self.out(name)), entries(&self.out("plain")));
    }
}

fn entries(dir: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        fs::read_dir(dir).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn send(signal: &str, to: &Child) {
    let _ = Command::new("kill").args([&format!("-{signal}"), &to.id().to_string()]).status().unwrap();
}

/// Returns the only line of stderr of a run that was refused.
fn refused(output: &Output) -> String {
    let line = text(&output.stderr);
    assert_eq!((output.status.code(), line.matches('\n').count()), (Some(2), 1), "{line}");
    line.trim_end().to_owned()
}

/// Ends a run at random moments until it is complete.
fn is_killed_again_and_again(long: &LongRun, rounds: u32) {
    let started = Instant::now();
    long.run("timed", &[]);
    let whole = started.elapsed();
    let mut rng = Rng::new("kills", 17);
    let mut kills = 0;
    while kills < rounds {
        let name = format!("killed{kills}");
        let mut moment = whole * rng.int(0, 1000) as u32 / 1000;
        loop {
            let mut child = long.start(&name, &["--resume"]);
            std::thread::sleep(moment);
            let signal = ["KILL", "TERM", "INT"][rng.index(3)];
            if child.try_wait().unwrap().is_none() {
                send(signal, &child);
            }
            let output = child.wait_with_output().unwrap();
            match output.status.code() {
                Some(0) => break,
                // A kill has no status.
                None | Some(130 | 143) => kills += 1,
                code => panic!("{signal}: {code:?}: {}", text(&output.stderr)),
            }
            moment = moment.mul_f64(1.2);
        }
        assert!(long.found(&name) == long.report, "{name}");
        assert!(!long.rows(&name).exists());
        fs::remove_dir_all(long.out(&name)).unwrap();
    }
}

#[test]
fn a_check_survives_kills_at_any_moment() {
    is_killed_again_and_again(&LongRun::check(), slow_cases(4, 12));
}

#[test]
fn a_sweep_survives_kills_at_any_moment() {
    is_killed_again_and_again(&LongRun::sweep(), slow_cases(4, 12));
}

#[test]
fn a_sweep_of_parts_pressed_together_survives_kills_at_any_moment() {
    is_killed_again_and_again(&LongRun::presses(), slow_cases(4, 12));
}

/// A kill within the first seconds leaves nothing, and nothing has to be said to begin again.
#[test]
fn a_run_that_is_killed_early_leaves_nothing() {
    let long = LongRun::check();
    let mut child = long.start("out", &[]);
    std::thread::sleep(Duration::from_millis(300));
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!long.rows("out").exists());
    let output = long.run("out", &[]);
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""));
    assert!(long.found("out") == long.report);
}

#[test]
fn a_damaged_byte_never_gives_a_wrong_report() {
    for long in [LongRun::check(), LongRun::sweep()] {
        let rows = long.stopped("out");
        let mut rng = Rng::new("damage", 3);
        let mut refusals = 0;
        for round in 0..slow_cases(6, 12) {
            let mut damaged = rows.clone();
            let at = rng.index(rows.len());
            match round % 3 {
                0 => damaged[at] ^= 1 << (round / 3 % 8),
                1 => damaged.truncate(at),
                _ => damaged[round as usize * 7 % 600] ^= 64,
            }
            fs::write(long.rows("out"), &damaged).unwrap();
            let output = long.run("out", &["--resume"]);
            if output.status.code() == Some(2) {
                refusals += 1;
                let line = refused(&output);
                assert!(line.ends_with(": --restart"), "{line}");
                assert!(fs::read(long.rows("out")).unwrap() == damaged);
            } else {
                assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""));
                assert!(long.found("out") == long.report, "round {round}, byte {at}");
            }
        }
        assert!(refusals > 0, "some damage is at the beginning");
    }
}

#[test]
fn what_lies_in_a_directory_is_told() {
    let long = LongRun::check();
    long.stopped("out");
    let line = refused(&long.run("out", &[]));
    let (before, after) = line.split_once(" contains an unfinished run (").expect("it is told");
    assert_eq!(before, format!("error: {}:", long.out("out").display()));
    let (percent, after) = after.split_once(" %").expect("it is told");
    assert!((0..=100).contains(&percent.parse::<i32>().unwrap()));
    assert_eq!(after, "): use --resume or --restart");
    // Another run's rows are of no use.
    let line = refused(&long.run("out", &["--resume", "--tolerance", "5mm"]));
    let own = "tolerance was 0.0001 m, is 0.005 m";
    assert_eq!(line, format!("error: {}: it is of another run: {own}", long.rows("out").display()));
    for [flag, value, told] in [
        ["--depth", "verdict", "depth was full, is verdict"],
        ["--set", "name=box_1*", "rules and exclusions was "],
    ] {
        let line = refused(&long.run("out", &["--resume", flag, value]));
        assert!(line.contains(&format!("it is of another run: {told}")), "{line}");
    }
    // Neither if this run has no candidate pair.
    fs::write(long.dir.path().join("one.obj"), block([[0.0; 3], [1.0; 3]])).unwrap();
    let (one, out) = (long.dir.path().join("one.obj"), long.out("out"));
    let rows = fs::read(long.rows("out")).unwrap();
    let flags = ["--allow-empty", "--resume", "--quiet", "--out"];
    let line = refused(&run(&[&["check", shown(&one)], &flags[..], &[shown(&out)]].concat()));
    assert!(line.contains("it is of another run: "), "{line}");
    assert!(fs::read(long.rows("out")).unwrap() == rows);
    fs::write(long.rows("out"), "some text, long enough").unwrap();
    let line = refused(&long.run("out", &["--resume"]));
    assert!(line.ends_with("rows.cfr: it is no rows file of this version: --restart"), "{line}");
    let output = long.run("out", &["--restart"]);
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""));
    assert!(long.found("out") == long.report && !long.rows("out").exists());
}

/// The same pairs may be decided by other means.
#[test]
fn a_run_is_resumed_with_other_threads_and_trees() {
    let long = LongRun::check();
    for more in [
        &["--threads", "1"][..],
        &["--backend", "scalar", "--hull", "closest-features"],
        &["--tree", "kdop14"],
    ] {
        long.stopped("out");
        let output = long.run("out", &[&["--resume"], more].concat());
        assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""));
        assert!(long.found("out") == long.report);
    }
}

#[test]
fn one_of_several_resumes_wins() {
    let long = LongRun::check();
    let rows = long.stopped("out");
    let runs: Vec<Child> = (0..6).map(|_| long.start("out", &["--resume"])).collect();
    let outputs: Vec<Output> = runs.into_iter().map(|run| run.wait_with_output().unwrap()).collect();
    let (won, lost): (Vec<_>, Vec<_>) = outputs.iter().partition(|output| output.status.code() == Some(0));
    assert!(!won.is_empty() && !rows.is_empty());
    for output in lost {
        let line = refused(output);
        assert!(line.contains("another run is writing there"), "{line}");
    }
    assert!(long.found("out") == long.report);
}

/// The system refuses what goes beyond a limit, as on a full disk.
#[test]
fn what_fits_on_a_full_disk_stays_valid() {
    let long = LongRun::check();
    let rows = long.stopped("out").len();
    let_children_be_interrupted();
    let limited = format!("ulimit -f {}; exec \"$0\" \"$@\"", rows / 512 + 1);
    let output = Command::new("sh")
        .args(["-c", &limited, shown(&program_path())])
        .args(long.command("out", &["--resume"]).get_args())
        .output()
        .unwrap();
    let line = refused(&output);
    let why = "cannot be written: File too large (os error 27)";
    assert_eq!(line, format!("error: {}: {why}", long.rows("out").display()));
    assert!(fs::read(long.rows("out")).unwrap().len() >= rows);
    long.ends_as_if_uninterrupted("out");
}

#[test]
fn a_budget_leaves_the_rest_undecided() {
    for long in [LongRun::check(), LongRun::sweep()] {
        for budget in ["0s", "0pairs", "40pairs"] {
            let output = long.run("out", &["--budget", budget]);
            assert_eq!((output.status.code(), text(&output.stderr)), (Some(1), ""), "{budget}");
            let report: serde_json::Value =
                serde_json::from_slice(&fs::read(long.out("out").join("report.json")).unwrap()).unwrap();
            let count = |key: &str| report["ledger"][key].as_u64().unwrap();
            let excluded = report["ledger"]["excluded"].as_object().unwrap().values();
            let excluded: u64 = excluded.map(|count| count.as_u64().unwrap()).sum();
            assert_eq!(count("pairs"), excluded + count("apart") + count("decided") + count("undecided"));
            let pairs = report["pairs"].as_array().unwrap();
            let left =
                pairs.iter().filter(|pair| pair["contained"]["undecidable"] == "budget").count() as u64;
            let near = count("decided") + count("undecided");
            let asked = if budget == "40pairs" { 40 } else { 0 };
            assert_eq!(near - left, asked, "{budget}");
            let record = fs::read(long.out("out").join("run.json")).unwrap();
            let record: serde_json::Value = serde_json::from_slice(&record).unwrap();
            assert_eq!(
                record["left"],
                serde_json::json!({ "why": "budget", "decided": asked, "near": near })
            );
            if asked > 0 {
                long.ends_as_if_uninterrupted("out");
            } else {
                fs::remove_dir_all(long.out("out")).unwrap();
            }
        }
    }
}

#[test]
fn progress_is_told_in_lines_of_json() {
    let dir = tempfile::tempdir().unwrap();
    run(&["generate", "boxes", "--size", "100000", "--out", shown(dir.path())]);
    let mut child = Command::new(program_path())
        .args(["check", shown(&dir.path().join("boxes.glb")), "--progress", "json"])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let told: Vec<serde_json::Value> =
        lines.take(2).map(|line| serde_json::from_str(&line.unwrap()).unwrap()).collect();
    child.kill().unwrap();
    child.wait().unwrap();
    let schema = fs::read(root().join("schema/progress.schema.json")).unwrap();
    let schema = jsonschema::validator_for(&serde_json::from_slice(&schema).unwrap()).unwrap();
    assert_eq!(told.len(), 2);
    told.iter().for_each(|event| schema.validate(event).unwrap());
    assert!(told[0]["seconds"].as_f64() < told[1]["seconds"].as_f64());
}
