//! Messages to the user besides the answer, and a clean end.

use std::fs::File;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use closefit_geometry::text::printable;
use closefit_job::Journal;
use closefit_report::files::{self, FileElsewhere, NewFile, Output, WriteError, Writing};

/// The output directory that this run has claimed. It is locked while files are written, so that a signal
/// waits until the temporary ones are removed.
static OUTPUT: Mutex<Option<Output>> = Mutex::new(None);

/// The journals of this run, which a signal flushes.
static JOURNALS: Mutex<Vec<Arc<Journal>>> = Mutex::new(Vec::new());

/// The state of the files of this run.
static WRITING: Writing = Writing::new();

/// The time of the first signal.
static FIRST_SIGNAL: OnceLock<Instant> = OnceLock::new();

/// The time in which signals count as one: `timeout` sends each to the process and to its group.
const ONE_SIGNAL: Duration = Duration::from_millis(200);

/// The user's stderr, kept once [`without_stderr`] has been called.
static KEPT_STDERR: OnceLock<File> = OnceLock::new();

/// Prints one line on stderr, and ignores failure.
pub fn say(line: &str) {
    let _ = match KEPT_STDERR.get() {
        Some(mut stderr) => writeln!(stderr, "{line}"),
        None => writeln!(io::stderr(), "{line}"),
    };
}

/// Returns what `call` returns, and drops what it writes to stderr, but not what closefit [says](say)
/// meanwhile. Graphics drivers write there when a machine has no desktop, although nothing is wrong.
#[cfg(all(unix, feature = "gpu"))]
pub fn without_stderr<T>(call: impl FnOnce() -> T) -> T {
    let nowhere = File::options().write(true).open("/dev/null");
    let (Ok(nowhere), Ok(stderr)) = (nowhere, rustix::io::dup(io::stderr())) else { return call() };
    let stderr = KEPT_STDERR.get_or_init(|| File::from(stderr));
    let _ = rustix::stdio::dup2_stderr(nowhere);
    let answer = call();
    let _ = rustix::stdio::dup2_stderr(stderr);
    answer
}

/// Returns what `call` returns.
#[cfg(all(not(unix), feature = "gpu"))]
pub fn without_stderr<T>(call: impl FnOnce() -> T) -> T {
    call()
}

/// Prints all of a command's output on stdout. A reader that closed the pipe has seen enough, which is no
/// error.
pub fn print(output: &[u8]) -> anyhow::Result<()> {
    print_by(|stdout| stdout.write_all(output))
}

/// Prints what `write` writes, as [`print`] does.
pub fn print_by(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> anyhow::Result<()> {
    let mut stdout = io::BufWriter::with_capacity(1 << 16, io::stdout().lock());
    match write(&mut stdout).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(anyhow::Error::new(error).context("standard output"))
        }
        _ => Ok(()),
    }
}

/// Prints the readers' notes. Only for commands that succeeded, since an error is exactly one line.
pub fn print_notes<'a>(notes: impl Iterator<Item = &'a String>) {
    notes.for_each(|note| say(&format!("note: {}", printable(note))));
}

/// Returns the number of columns if stdout is a terminal.
pub fn width() -> Option<usize> {
    let (terminal_size::Width(columns), _) = terminal_size::terminal_size_of(io::stdout())?;
    (columns > 0).then_some(usize::from(columns))
}

/// The choice of colours for stdout, once it is made.
static COLOURS: OnceLock<bool> = OnceLock::new();

/// A choice of when stdout gets colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Colours {
    /// Colours on a terminal, unless `NO_COLOR` is set or the terminal knows none.
    #[default]
    Auto,
    Always,
    Never,
}

/// Decides whether stdout gets colours. Only the first call counts.
pub fn choose_colours(when: Colours) {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let is_dumb = || std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    let has_colours = match when {
        Colours::Always => true,
        Colours::Never => false,
        Colours::Auto => io::stdout().is_terminal() && !is_set("NO_COLOR") && !is_dumb(),
    };
    let _ = COLOURS.set(has_colours);
}

/// True if stdout gets colours.
pub fn has_colours() -> bool {
    COLOURS.get().copied().unwrap_or(false)
}

/// Keeps other runs out of an output directory until this one ends.
pub fn claim_output(dir: &Path) -> Result<(), WriteError> {
    *output() = Some(Output::claim(dir)?);
    Ok(())
}

/// Lets a signal flush a journal before it ends the process.
pub fn keep(journal: &Arc<Journal>) {
    JOURNALS.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::clone(journal));
}

/// Releases the output directory, and removes it if this run created it and wrote nothing.
pub fn leave_output() {
    output().take();
}

/// Writes files into the claimed directory. They appear completely or not at all, however the run ends.
pub fn write_output(files: Vec<NewFile>) -> Result<(), WriteError> {
    write_output_with(files, Vec::new())
}

/// Writes files into the claimed directory, if there is one, and others elsewhere: all of them appear, or
/// none.
pub fn write_output_with(files: Vec<NewFile>, elsewhere: Vec<FileElsewhere>) -> Result<(), WriteError> {
    let claimed = output();
    let written = match claimed.as_ref() {
        Some(output) => output.write_with(files, elsewhere, &WRITING),
        None if elsewhere.is_empty() => Ok(()),
        None => files::write_elsewhere(elsewhere, &WRITING),
    };
    drop(claimed);
    unless_stopped(written)
}

/// Writes files, as above, into the claimed directory, in a run that then continues: a signal waits for them,
/// and ends the run.
#[cfg(feature = "reproduce")]
pub fn write_output_and_go_on(files: Vec<NewFile>) -> Result<(), WriteError> {
    output().as_ref().map_or(Ok(()), |output| output.write(files, &Writing::new()))
}

/// Writes files, as above, into a directory that need not be claimed.
pub fn write_files(dir: &Path, files: Vec<NewFile>) -> Result<(), WriteError> {
    let whole = output();
    let written = files::write(dir, files, &WRITING);
    drop(whole);
    unless_stopped(written)
}

/// Writes files into a directory of their own, in a run that then goes on: a signal waits for them, and ends
/// the run.
pub fn write_between(dir: &Path, files: Vec<NewFile>) -> Result<(), WriteError> {
    let _whole = output();
    write_while_writing(dir, files)
}

/// Writes files, as above, while others are being written into the claimed directory, for which signals wait
/// already.
pub fn write_while_writing(dir: &Path, files: Vec<NewFile>) -> Result<(), WriteError> {
    Output::claim(dir)?.write(files, &Writing::new())
}

/// True once a signal has stopped the writing of files: the process will end.
pub fn is_stopped() -> bool {
    WRITING.is_stopped()
}

/// Returns the number of bytes of files written so far.
pub fn bytes_written() -> u64 {
    WRITING.bytes()
}

/// Returns the outcome of writing, but not if a signal has stopped it: then another thread ends the process.
fn unless_stopped(written: Result<(), WriteError>) -> Result<(), WriteError> {
    if matches!(written, Err(WriteError::Stopped)) {
        loop {
            thread::park();
        }
    }
    written
}

fn output() -> MutexGuard<'static, Option<Output>> {
    // After a panic elsewhere, the directory must still be released.
    OUTPUT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends the process on Ctrl-C, SIGTERM and SIGHUP at any moment, with status 128 plus the signal's number,
/// and makes a file beyond the limit of its size an error as on a full disk. Signals that were ignored when
/// the process began, such as SIGHUP under `nohup`, stay ignored.
#[cfg(unix)]
pub fn leave_cleanly_on_signals() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
    // Any handler will do.
    let _ = signal_hook::flag::register(SIGXFSZ, Arc::default());
    let ignored = ignored_signals();
    let heeded = [SIGHUP, SIGINT, SIGTERM].into_iter().filter(|signal| ignored >> (signal - 1) & 1 == 0);
    // Without a handler a signal still ends the process, only less politely.
    let Ok(mut signals) = signal_hook::iterator::Signals::new(heeded) else { return };
    thread::spawn(move || signals.forever().for_each(|signal| heed(128 + signal)));
}

/// Ends the process on Ctrl-C, the only such signal on other systems.
#[cfg(not(unix))]
pub fn leave_cleanly_on_signals() {
    let _ = ctrlc::set_handler(|| heed(130));
}

/// Ends the process with a status. The first time it leaves nothing behind, unless files have begun to
/// appear: then the run goes on to its end. The second time it does not wait for anything.
fn heed(status: i32) {
    if FIRST_SIGNAL.set(Instant::now()).is_ok() {
        let leaves = || thread::Builder::new().spawn(move || leave(status));
        if WRITING.stop() && leaves().is_err() {
            leave(status);
        }
    } else if FIRST_SIGNAL.get().is_some_and(|first| first.elapsed() >= ONE_SIGNAL) {
        leave_at_once(status);
    }
}

#[cfg(unix)]
fn leave_at_once(status: i32) -> ! {
    signal_hook::low_level::exit(status)
}

#[cfg(not(unix))]
fn leave_at_once(status: i32) -> ! {
    std::process::exit(status)
}

/// Returns a bit mask of the ignored signals, the lowest bit for signal 1; 0 if the system does not report
/// them.
#[cfg(unix)]
fn ignored_signals() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}

fn leave(status: i32) -> ! {
    // Held to the end, so that no other file is begun.
    let mut output = output();
    let kept = JOURNALS.lock().unwrap_or_else(PoisonError::into_inner);
    let stopped = last_said(kept.iter().map(|journal| journal.stop()));
    // A directory without a journal is left as it was found.
    output.take();
    let clear_bar = if io::stderr().is_terminal() { "\r\x1b[2K" } else { "" };
    let told = stopped.map_or_else(|| "interrupted".to_owned(), |stopped| printable(&stopped));
    say(&format!("{clear_bar}{told}"));
    // Not by `exit`: the driver of a device that is in use may crash in what it does there.
    leave_at_once(status);
}

/// Returns the last of the texts that there are. All are computed: the rows of every run must be put on the
/// disk.
fn last_said(texts: impl Iterator<Item = Option<String>>) -> Option<String> {
    texts.fold(None, |last, text| text.or(last))
}

/// Makes a panic, a defect of this program, print one line with its place.
pub fn report_panics_in_one_line() {
    std::panic::set_hook(Box::new(|panic| {
        let told = printable(&panic.to_string().replace('\n', " "));
        say(&format!("error: a defect in closefit, please report it: {told}"));
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_run_is_stopped() {
        let mut stopped = Vec::new();
        let runs = ["first", "", "last", ""].into_iter().map(|told| {
            stopped.push(told);
            Some(told.to_owned()).filter(|told| !told.is_empty())
        });
        assert_eq!(last_said(runs).as_deref(), Some("last"));
        assert_eq!(stopped, ["first", "", "last", ""]);
        assert_eq!(last_said(std::iter::empty()), None);
    }
}
