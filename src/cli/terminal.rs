//! What a user sees besides the answer: messages and a clean end.

use std::io::{self, ErrorKind, IsTerminal, Write};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::report::files::{self, Output, WriteError};
use crate::text::printable;

/// The output directory that this run has claimed. It is held while files are written, so that a signal waits
/// until they are whole.
static OUTPUT: Mutex<Option<Output>> = Mutex::new(None);

/// One line on stderr, whether or not anyone still reads it.
pub fn say(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
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

/// What the readers noted: once the command has succeeded, since an error is one line and no other.
pub fn print_notes<'a>(notes: impl Iterator<Item = &'a String>) {
    notes.for_each(|note| say(&format!("note: {}", printable(note))));
}

/// Columns of the terminal that stdout is, if it is one.
pub fn width() -> Option<usize> {
    let (terminal_size::Width(columns), _) = terminal_size::terminal_size_of(io::stdout())?;
    (columns > 0).then_some(usize::from(columns))
}

/// Keeps other runs out of an output directory until this one ends.
pub fn claim_output(dir: &Path) -> Result<(), WriteError> {
    *output() = Some(Output::claim(dir)?);
    Ok(())
}

/// Leaves the output directory, which goes if this run created it and wrote nothing.
pub fn leave_output() {
    output().take();
}

/// Writes into the claimed directory files that appear whole or not at all, whatever ends the run.
pub fn write_output(contents: &[(String, Vec<u8>)]) -> Result<(), WriteError> {
    output().as_ref().map_or(Ok(()), |output| output.write(contents))
}

/// The same, into a directory that need not be claimed.
pub fn write_files(dir: &Path, contents: &[(String, Vec<u8>)]) -> Result<(), WriteError> {
    let _whole = output();
    files::write(dir, contents)
}

fn output() -> MutexGuard<'static, Option<Output>> {
    // A panic elsewhere is no reason to leave anything behind.
    OUTPUT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends the process on Ctrl-C, SIGTERM and SIGHUP, whatever it is doing, with 128 and the signal's number. Files
/// are only ever written while [`OUTPUT`] is held, so nothing is left half done. What was ignored when the
/// process began, as SIGHUP under `nohup`, stays ignored.
#[cfg(unix)]
pub fn leave_cleanly_on_signals() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let ignored = ignored_signals();
    let heeded = [SIGHUP, SIGINT, SIGTERM].into_iter().filter(|signal| ignored >> (signal - 1) & 1 == 0);
    // Without a handler a signal still ends the process, only less politely.
    let Ok(mut signals) = signal_hook::iterator::Signals::new(heeded) else { return };
    std::thread::spawn(move || {
        if let Some(signal) = signals.forever().next() {
            leave(128 + signal)
        }
    });
}

/// Other systems know Ctrl-C alone.
#[cfg(not(unix))]
pub fn leave_cleanly_on_signals() {
    let _ = ctrlc::set_handler(|| leave(130));
}

/// A bit for each signal that the process ignores, the lowest for signal 1; none where the system does not tell.
#[cfg(unix)]
fn ignored_signals() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}

fn leave(status: i32) -> ! {
    // Held to the end: no file is begun any more.
    let mut output = output();
    output.take();
    let clear_bar = if io::stderr().is_terminal() { "\r\x1b[2K" } else { "" };
    say(&format!("{clear_bar}interrupted"));
    std::process::exit(status);
}

/// A defect of this program is one line too, and names its place.
pub fn report_panics_in_one_line() {
    std::panic::set_hook(Box::new(|panic| {
        let told = printable(&panic.to_string().replace('\n', " "));
        say(&format!("error: a defect in closefit, please report it: {told}"));
    }));
}
