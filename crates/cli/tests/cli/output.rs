//! The output directory: files are written whole or not at all, by one run at a time, and no way of ending a
//! run leaves anything behind.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use closefit_testing::command::*;
use tempfile::TempDir;

fn entries(dir: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        fs::read_dir(dir).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Creates a scene with this number of boxes.
fn boxes(size: &str) -> (TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    run(&["generate", "boxes", "--size", size, "--out", shown(dir.path())]);
    let scene = dir.path().join("boxes.glb");
    (dir, scene)
}

/// Creates a scene that takes seconds, however fast the machine.
fn long() -> (TempDir, PathBuf) {
    boxes("100000")
}

/// Writes two files with the same cube.
fn two_cubes(dir: &Path) -> [PathBuf; 2] {
    ["a.obj", "b.obj"].map(|name| {
        let path = dir.join(name);
        fs::write(&path, CUBE).unwrap();
        path
    })
}

/// Starts a run without progress output, which would depend on the clock.
fn start(mut program: Command, arguments: &[&str]) -> Child {
    let_children_be_interrupted();
    program.args(arguments).arg("--quiet").stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn program() -> Command {
    Command::new(program_path())
}

/// Waits for an event of a run rather than for a fixed time.
fn wait_until(what: &str, happened: impl Fn() -> bool) {
    let started = Instant::now();
    while !happened() {
        assert!(started.elapsed() < Duration::from_secs(60), "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn send(signal: &str, to: &Child) {
    assert!(Command::new("kill").args([signal, &to.id().to_string()]).status().unwrap().success());
}

#[test]
fn signals_leave_nothing_behind() {
    let (dir, scene) = long();
    for (signal, status) in [("-INT", 130), ("-TERM", 143), ("-HUP", 129)] {
        let out = dir.path().join("a/b");
        let child = start(program(), &["check", shown(&scene), "--out", shown(&out)]);
        wait_until("the directory is claimed", || out.exists());
        send(signal, &child);
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(status), "{signal}: {}", text(&output.stdout));
        assert_eq!(text(&output.stderr), "interrupted\n");
        assert!(output.stdout.is_empty());
        assert_eq!(entries(dir.path()), ["boxes.glb"], "{signal}");
    }
}

/// Starts a check that is decided soon, but has a report of many megabytes, and waits for its first temporary
/// file.
fn start_writing(scene: &Path, out: &Path, more: &[&str]) -> Child {
    let arguments = [&["check", shown(scene), "--clearance", "1e9", "--out", shown(out)], more].concat();
    let child = start(program(), &arguments);
    let is_begun = || entries(out).iter().any(|name| name.starts_with(".closefit-"));
    wait_until("the first file is begun", || out.exists() && is_begun());
    child
}

#[test]
fn a_signal_stops_the_writing_of_files_unless_they_have_begun_to_appear() {
    let (dir, scene) = boxes("300");
    let out = dir.path().join("a/out");
    for (signal, status) in [("-INT", 130), ("-TERM", 143), ("-HUP", 129)] {
        let child = start_writing(&scene, &out, &[]);
        send(signal, &child);
        send(signal, &child); // `timeout` sends each signal twice
        let output = child.wait_with_output().unwrap();
        if output.status.code() == Some(status) {
            assert_eq!(entries(&out), ["rows.cfr"], "{signal}");
            let told = "stopped after 44 850 of 44 850 candidate pairs: continue with --resume\n";
            assert_eq!(text(&output.stderr), told);
            fs::remove_dir_all(&out).unwrap();
        } else {
            assert_eq!((output.status.code(), text(&output.stderr)), (Some(1), ""), "the run's own status");
            assert_eq!(entries(&out), ["issues.csv", "pairs.csv", "report.json", "run.json"], "{signal}");
            fs::remove_dir_all(&out).unwrap();
        }
    }
}

/// Starts a check that has written its files and waits for somebody who reads the report from its stdout.
fn start_printing(scene: &Path, out: &Path) -> Child {
    let child = start_writing(scene, out, &["--json"]);
    wait_until("the files appear", || out.join("run.json").exists());
    child
}

#[test]
fn a_signal_after_the_files_leaves_the_run_its_end() {
    let (dir, scene) = boxes("300");
    let out = dir.path().join("out");
    let child = start_printing(&scene, &out);
    send("-INT", &child);
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(1), ""));
    assert!(output.stdout == fs::read(out.join("report.json")).unwrap());
    assert_eq!(entries(&out), ["issues.csv", "pairs.csv", "report.json", "run.json"]);
}

#[test]
fn a_second_signal_ends_a_run_at_once() {
    let (dir, scene) = boxes("300");
    let out = dir.path().join("out");
    let mut child = start_printing(&scene, &out);
    // Nobody reads. One signal after another, since those that follow each other closely count as one.
    let started = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        assert!(started.elapsed() < Duration::from_secs(60), "it does not end");
        send("-TERM", &child);
        std::thread::sleep(Duration::from_millis(300));
    };
    assert_eq!(status.code(), Some(143));
    assert_eq!(entries(&out), ["issues.csv", "pairs.csv", "report.json", "run.json"]);
}

#[test]
fn what_a_killed_run_left_behind_is_removed_by_the_next() {
    let (dir, scene) = boxes("300");
    let out = dir.path().join("out");
    let mut child = start_writing(&scene, &out, &[]);
    child.kill().unwrap();
    child.wait().unwrap();
    let [a, b] = two_cubes(dir.path());
    let arguments = ["check", shown(&a), shown(&b), "--out", shown(&out), "--fail-on", "never", "--restart"];
    let output = run(&arguments);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(entries(&out), ["issues.csv", "pairs.csv", "report.json", "run.json"]);
}

/// Files of a table appear while the run goes on, and a signal ends it all the same.
#[test]
fn a_signal_ends_a_run_of_many_tables_and_leaves_those_that_are_complete() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out");
    let child = start(program(), &["reproduce", "lin-torpedo", "lin-table-1", "--out", shown(&out)]);
    wait_until("a table is written", || out.join("lin-torpedo.txt").exists());
    send("-TERM", &child);
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(143), "interrupted\n"));
    assert_eq!(entries(&out), ["lin-torpedo.json", "lin-torpedo.txt"]);
}

#[cfg(target_os = "linux")]
#[test]
fn what_is_ignored_at_the_start_stays_ignored() {
    // It runs to its end, and takes about a second.
    let (dir, scene) = boxes("10000");
    let out = dir.path().join("out");
    let mut shell = Command::new("sh");
    shell.args(["-c", "trap '' HUP; exec \"$0\" \"$@\"", shown(&program_path())]);
    let child = start(shell, &["check", shown(&scene), "--out", shown(&out), "--fail-on", "never"]);
    wait_until("the directory is claimed", || out.exists());
    send("-HUP", &child);
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""));
    assert_eq!(entries(&out), ["issues.csv", "pairs.csv", "report.json", "run.json"]);
}

#[test]
fn a_directory_is_for_one_run_at_a_time() {
    let (dir, scene) = long();
    let (out, other) = (dir.path().join("out"), dir.path().join("other"));
    let mut first = start(program(), &["check", shown(&scene), "--out", shown(&out)]);
    wait_until("the directory is claimed", || out.exists());
    let cube = dir.path().join("cube.obj");
    fs::write(&cube, CUBE).unwrap();
    // A directory is locked a moment after its creation; a run in between is refused or comes first.
    std::thread::sleep(Duration::from_millis(100));
    for command in ["check", "sweep"] {
        let line = refusal(&[command, shown(&cube), "--out", shown(&out)]);
        assert_eq!(
            line,
            format!(
                "error: {}: another run is writing there: wait for it, or use another directory\n",
                out.display()
            )
        );
    }
    let alone = ["check", shown(&cube), "--allow-empty", "--out"];
    assert_eq!(run(&[&alone[..], &[shown(&other)]].concat()).status.code(), Some(0));
    assert_eq!(entries(&out), [] as [&str; 0]);
    // A killed run leaves a directory that nobody holds.
    first.kill().unwrap();
    first.wait().unwrap();
    assert_eq!(run(&[&alone[..], &[shown(&out)]].concat()).status.code(), Some(0));
    assert_eq!(entries(&out), ["issues.csv", "pairs.csv", "report.json", "run.json"]);
}

#[test]
fn a_full_disk_is_told_of_the_file_that_was_asked_for() {
    let dir = tempfile::tempdir().unwrap();
    let [a, b] = two_cubes(dir.path());
    let out = dir.path().join("a/out");
    let_children_be_interrupted();
    // The system refuses a file of more than one block of 512 bytes, as on a full disk, and by default sends
    // a signal that ends the process.
    for before in ["", "trap '' XFSZ;"] {
        let limited = format!("ulimit -f 1; {before} exec \"$0\" \"$@\"");
        let program = program_path();
        let output = Command::new("sh")
            .args(["-c", &limited, shown(&program), "check", shown(&a), shown(&b), "--out", shown(&out)])
            .output()
            .unwrap();
        let line = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{line}");
        assert_eq!(line.matches('\n').count(), 1, "{line}");
        let told = format!(
            "error: {}: cannot be written: File too large (os error 27)",
            out.join("report.json").display()
        );
        assert_eq!(line.trim_end(), told);
        assert_eq!(entries(dir.path()), ["a.obj", "b.obj"]);
    }
}
