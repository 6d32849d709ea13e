//! What an answer costs: thread CPU time, or instructions as callgrind counts them.

use std::cell::Cell;
use std::ffi::{OsStr, OsString};
use std::fs::read_to_string;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::Context;
use closefit_peers::clock::timed;

/// Measures some work.
pub enum Meter {
    /// The thread's clock.
    Clock,
    /// Callgrind, which runs this program and at each [`mark`] writes a file with what was done since the last.
    Callgrind {
        /// The files' name, but for their number.
        counts: PathBuf,
        /// How many there are.
        files: Cell<u32>,
    },
}

impl Meter {
    /// Reads callgrind's files.
    pub fn callgrind(counts: PathBuf) -> Self {
        Self::Callgrind { counts, files: Cell::new(0) }
    }

    /// Seconds, or instructions.
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

    /// What is measured.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Clock => "thread CPU time",
            Self::Callgrind { .. } => "instructions",
        }
    }
}

/// The median time of some work in seconds: of five runs, or of fewer where they are long.
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

/// Callgrind finds this function by its name.
#[inline(never)]
fn mark() {
    black_box(());
}

/// Instructions, from a file of callgrind's, which then goes.
fn total(path: &Path) -> anyhow::Result<f64> {
    let text = read_to_string(path).with_context(|| path.display().to_string())?;
    let total = text.lines().find_map(|line| line.strip_prefix("totals: ")).context("no totals")?;
    let total: f64 = total.parse()?;
    std::fs::remove_file(path)?;
    Ok(total)
}

/// Runs this program again under callgrind, with these arguments and the name of the files to read.
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
    // What was done after the last mark.
    _ = std::fs::remove_file(counts);
    anyhow::ensure!(status.success(), "valgrind: {status}");
    Ok(())
}
