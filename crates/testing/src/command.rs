//! The program, run as scripts run it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::sync::{Mutex, PoisonError};

use assert_cmd::Command;

/// A closed unit cube from the origin, outward, as an OBJ file.
pub const CUBE: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nv 0 0 1\nv 1 0 1\nv 0 1 1\nv 1 1 1\n\
    f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n";

/// A block from 0 to 4 with a square pocket from above, from 1 to 3 and down to 1.
pub const CUP: &str = "v 0 0 0\nv 4 0 0\nv 4 4 0\nv 0 4 0\nv 0 0 4\nv 4 0 4\nv 4 4 4\nv 0 4 4\n\
    v 1 1 4\nv 3 1 4\nv 3 3 4\nv 1 3 4\nv 1 1 1\nv 3 1 1\nv 3 3 1\nv 1 3 1\n\
    f 4 3 2 1\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\nf 5 6 10 9\nf 6 7 11 10\nf 7 8 12 11\nf 8 5 9 12\n\
    f 9 10 14 13\nf 10 11 15 14\nf 11 12 16 15\nf 12 9 13 16\nf 13 14 15 16\n";

/// Returns the root of the workspace, where examples, the manual and the schema are.
pub fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// Returns the path of the program that was built with the running test.
pub fn program_path() -> PathBuf {
    assert_cmd::cargo::cargo_bin("closefit")
}

/// Returns the program with arguments, ready to run in the root of the workspace.
pub fn closefit(arguments: &[&str]) -> Command {
    let mut command = Command::new(program_path());
    // Lines of tables are as long as they are, whatever the terminal of the tests.
    command.env("COLUMNS", "300").current_dir(root()).args(arguments);
    command
}

/// Runs the program. Each flag that it names on stderr must be one of the command.
pub fn run(arguments: &[&str]) -> Output {
    let output = closefit(arguments).output().unwrap();
    assert_flags_exist(arguments, &String::from_utf8_lossy(&output.stderr));
    output
}

/// Runs the program in a folder, as [`run`] does. Returns its status and what it printed on both streams.
pub fn run_in(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    let output = closefit(arguments).current_dir(folder).output().unwrap();
    assert_flags_exist(arguments, &String::from_utf8_lossy(&output.stderr));
    let code = output.status.code().unwrap();
    (code, text(&output.stdout).to_owned(), text(&output.stderr).to_owned())
}

/// Panics if a text that a command printed names a flag that the command does not have and was not given.
/// After the name of another command, as in `closefit report`, its flags are meant; a converter has flags of
/// its own.
fn assert_flags_exist(arguments: &[&str], printed: &str) {
    let given = |flag: &str| arguments.iter().any(|argument| argument.starts_with(flag));
    for line in printed.lines() {
        let mut command = arguments.first().copied().unwrap_or_default().to_owned();
        let mut before = "";
        let own = line.split("convert it: ").next().unwrap_or_default();
        for word in own.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-')) {
            let is_flag = word.strip_prefix("--").is_some_and(|name| name.starts_with(char::is_alphabetic));
            if before == "closefit" {
                word.clone_into(&mut command);
            } else if is_flag && !given(word) && command.starts_with(char::is_alphabetic) {
                assert!(flags_of(&command).contains(word), "closefit {command} has no {word}: {line}");
            }
            before = word;
        }
    }
}

/// Returns the flags of a command, as its help lists them.
fn flags_of(command: &str) -> BTreeSet<String> {
    static KNOWN: Mutex<BTreeMap<String, BTreeSet<String>>> = Mutex::new(BTreeMap::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let read = || {
        let output = closefit(&[command, "--help"]).output().unwrap();
        let listed = text(&output.stdout).lines().filter(|line| line.trim_start().starts_with('-'));
        let words = listed.flat_map(|line| line.split([' ', ',', '=']).filter(|word| word.starts_with("--")));
        words.map(str::to_owned).collect()
    };
    known.entry(command.to_owned()).or_insert_with(read).clone()
}

/// Gives a handler to signals that are ignored here, as SIGINT is in the background of a script: children
/// inherit that a signal is ignored, but not that it has a handler.
#[cfg(unix)]
pub fn let_children_be_interrupted() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap_or("0");
    let ignored = u64::from_str_radix(mask.trim(), 16).unwrap();
    for signal in [SIGHUP, SIGINT, SIGTERM, SIGXFSZ] {
        if ignored >> (signal - 1) & 1 == 1 {
            signal_hook::flag::register(signal, std::sync::Arc::default()).unwrap();
        }
    }
}

/// Runs the program with a standard output that nobody reads.
pub fn run_unread(arguments: &[&str]) -> Output {
    let mut child = std::process::Command::new(program_path())
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    child.wait_with_output().unwrap()
}

/// Returns the number of the first line of a table that has all of some words, and panics if none has.
pub fn line_with(table: &str, words: &[&str]) -> usize {
    let has_all = |line: &str| words.iter().all(|word| line.contains(word));
    table.lines().position(has_all).unwrap_or_else(|| panic!("{words:?}: {table}"))
}

/// Returns the text of an output, which must be UTF-8.
pub fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

/// Returns the text of a path, which must be UTF-8.
pub fn shown(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Runs the program and expects a refusal: status 2, nothing on stdout, one line on stderr. Returns that
/// line.
pub fn refusal(arguments: &[&str]) -> String {
    let output = run(arguments);
    let stderr = text(&output.stderr).to_owned();
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {stderr}");
    assert!(output.stdout.is_empty(), "{arguments:?}");
    assert_eq!(stderr.matches('\n').count(), 1, "{arguments:?}: {stderr:?}");
    assert!(stderr.starts_with("error: ") && stderr.ends_with('\n'), "{stderr:?}");
    stderr
}
