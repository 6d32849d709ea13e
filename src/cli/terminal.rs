//! What a user sees besides the answer: messages, progress, and a clean end.

use std::io::{self, ErrorKind, IsTerminal, Write};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::args::Input;
use crate::engine::Observer;
use crate::report::files;
use crate::text::printable;

/// Held while files are written, so that an interrupt waits until they are whole.
static WRITING: Mutex<()> = Mutex::new(());

/// Work shorter than this shows no progress.
const PATIENCE: Duration = Duration::from_secs(1);

/// One line on stderr, whether or not anyone still reads it.
pub fn say(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// What a user should know besides the answer, a line each, unless `--quiet`.
pub fn notes(input: &Input, notes: &[String]) {
    for note in notes.iter().filter(|_| !input.quiet) {
        say(&format!("note: {}", printable(note)));
    }
}

/// All of a command's output. A reader that closed the pipe has seen enough: that is no error.
pub fn print(output: &[u8]) -> anyhow::Result<()> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(output).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(anyhow::Error::new(error).context("standard output"))
        }
        _ => Ok(()),
    }
}

/// Columns of the terminal that stdout is, if it is one.
pub fn width() -> Option<usize> {
    let (terminal_size::Width(columns), _) = terminal_size::terminal_size_of(io::stdout())?;
    (columns > 0).then_some(usize::from(columns))
}

/// Writes files that appear whole or not at all, interrupted or not.
pub fn write_files(dir: &Path, contents: &[(String, Vec<u8>)]) -> Result<(), files::WriteError> {
    let _whole = WRITING.lock();
    files::write(dir, contents)
}

/// Ends the process with 130 on Ctrl-C, whatever it is doing. Files are only ever written under [`WRITING`],
/// so nothing is left half done.
pub fn leave_cleanly_on_interrupt() {
    // Without a handler Ctrl-C still ends the process, only less politely.
    let _ = ctrlc::set_handler(|| {
        let _whole = WRITING.lock();
        let clear_bar = if io::stderr().is_terminal() { "\r\x1b[2K" } else { "" };
        say(&format!("{clear_bar}interrupted"));
        std::process::exit(130);
    });
}

/// A defect of this program is one line too, and names its place.
pub fn report_panics_in_one_line() {
    std::panic::set_hook(Box::new(|panic| {
        let told = printable(&panic.to_string().replace('\n', " "));
        say(&format!("error: a defect in closefit, please report it: {told}"));
    }));
}

/// A bar on stderr, once the work has lasted a while and somebody watches.
pub struct Progress {
    bar: ProgressBar,
    started: Instant,
    wanted: bool,
    shown: AtomicBool,
    furthest: AtomicU64,
}

impl Progress {
    /// Shows nothing yet, and nothing ever when `quiet`.
    pub fn new(quiet: bool) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        if let Ok(style) = ProgressStyle::with_template("{wide_bar} {pos}/{len} pairs, {eta} left") {
            bar.set_style(style);
        }
        Self {
            bar,
            started: Instant::now(),
            wanted: !quiet && io::stderr().is_terminal(),
            shown: AtomicBool::new(false),
            furthest: AtomicU64::new(0),
        }
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

impl Observer for Progress {
    fn progress(&self, done: u64, total: u64) {
        if !self.wanted || self.started.elapsed() < PATIENCE {
            return;
        }
        if !self.shown.swap(true, Ordering::Relaxed) {
            self.bar.set_length(total);
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        // Threads report in no order: the bar only moves forward.
        let before = self.furthest.fetch_max(done, Ordering::Relaxed);
        self.bar.set_position(before.max(done));
    }

    /// Never: an interrupt ends the process by itself.
    fn cancelled(&self) -> bool {
        false
    }
}
