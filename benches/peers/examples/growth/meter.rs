//! Measures cost: thread CPU time, or instructions as counted by callgrind.

use std::cell::Cell;
use std::ffi::{OsStr, OsString};
use std::fs::read_to_string;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::Context;
use closefit_peers::clock::timed;

/// A meter of the cost of work.
pub enum Meter {
    /// The CPU clock of the thread.
    Clock,
    /// Callgrind, which runs this program and writes a file with the counts since the last [`mark`] at each
    /// new one.
    Callgrind {
        /// The common part of the files' names, without their number.
        counts: PathBuf,
        /// The number of files so far.
        files: Cell<u32>,
    },
}

impl Meter {
    /// Creates a meter that reads callgrind's files.
    pub fn callgrind(counts: PathBuf) -> Self {
        Self::Callgrind { counts, files: Cell::new(0) }
    }

    /// Returns the cost of some work, in seconds or instructions.
    pub fn cost<T>(&self, mut work: impl FnMut() -> T) -> f64 {
        match self {
            Self::Clock => seconds(work),
            Self::Callgrind { counts, files } => {
                mark();
                black_box(work());
                mark();
                let next = || {
                    files.set(files.get() + 1);
                    let mut path = counts.clone().into_os_string();
                    path.push(format!(".{}", files.get()));
                    total(Path::new(&path)).expect("what callgrind has counted")
                };
                let _before = next();
                next()
            }
        }
    }

    /// Returns the name of the measure.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Clock => "thread CPU time",
            Self::Callgrind { .. } => "instructions",
        }
    }
}

/// Returns the median time of some work in seconds, over five runs or fewer if they are long.
fn seconds<T>(mut work: impl FnMut() -> T) -> f64 {
    const RUNS: usize = 5;
    const ENOUGH: Duration = Duration::from_secs(2);
    let mut times: Vec<Duration> = Vec::new();
    while times.len() < RUNS && times.iter().sum::<Duration>() < ENOUGH {
        times.push(timed(|| black_box(work())).1);
    }
    times.sort_unstable();
    times[times.len() / 2].as_secs_f64()
}

/// Marks the end of a measurement. Callgrind finds this function by its name.
#[inline(never)]
fn mark() {
    black_box(());
}

/// Returns the instructions counted in a file of callgrind's, and deletes the file.
fn total(path: &Path) -> anyhow::Result<f64> {
    let text = read_to_string(path).with_context(|| path.display().to_string())?;
    let total = text.lines().find_map(|line| line.strip_prefix("totals: ")).context("no totals")?;
    let total: f64 = total.parse()?;
    std::fs::remove_file(path)?;
    Ok(total)
}

/// Runs this program again under callgrind, with these arguments and the names of its files.
pub fn run_under_callgrind(arguments: impl Iterator<Item = OsString>) -> anyhow::Result<()> {
    let counts = std::env::temp_dir().join(format!("growth-counts-{}", std::process::id()));
    let mut out_file = OsString::from("--callgrind-out-file=");
    out_file.push(&counts);
    let status = Command::new("valgrind")
        .args(["--tool=callgrind", concat!("--dump-before=", module_path!(), "::mark*")])
        .arg(out_file)
        .arg(std::env::current_exe()?)
        .args(arguments)
        .args([OsStr::new("--counts"), counts.as_os_str()])
        .status()
        .context("running valgrind")?;
    // The file with the counts after the last mark.
    _ = std::fs::remove_file(counts);
    anyhow::ensure!(status.success(), "valgrind: {status}");
    Ok(())
}
