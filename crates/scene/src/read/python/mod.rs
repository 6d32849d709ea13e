//! STEP and USD, which packages of Python read in a process of their own.
//!
//! Such a package may crash, takes its time, and prints what is not for users. Its process is given the kind
//! of the file and its limits as arguments, and the bytes of the file on stdin. On stdout it answers with the
//! length of a JSON value, that value, and bytes whose meaning depends on the kind.

pub(super) mod step;
pub(super) mod usd;

use std::ffi::{OsStr, OsString};
use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::Source;
use super::error::Fault;

/// The command that starts the readers in Python.
static PROGRAM: OnceLock<Vec<OsString>> = OnceLock::new();

/// The longest time that a file may take.
const LONGEST: Duration = Duration::from_secs(600);

/// The time between two looks at whether to stop.
const BETWEEN_LOOKS: Duration = Duration::from_millis(50);

/// Bytes of the length of the JSON value.
const LENGTH: usize = size_of::<u64>();

/// Sets the command line that starts the readers of STEP and USD in Python; the arguments of each question
/// follow. Without one these formats are not read. Only the first call counts.
pub fn python_readers(command: Vec<OsString>) {
    let _ = PROGRAM.set(command);
}

/// True if there are such readers.
pub(super) fn are_here() -> bool {
    PROGRAM.get().is_some()
}

/// The answer of a reader.
#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Answer<T> {
    Read(T),
    Refused(String),
}

/// The result of a reader.
struct Found<T> {
    value: T,
    /// The bytes that follow it.
    bytes: Vec<u8>,
}

/// Has a file of this kind read; `argument` is for the reader, and `kernel` names it in messages.
fn read<T: DeserializeOwned>(
    kind: &str,
    kernel: &str,
    argument: &OsStr,
    bytes: &[u8],
    source: &Source,
) -> Result<Found<T>, Fault> {
    let failed = |why: &str| Fault::Scene(format!("{kernel} failed: {why}"));
    let memory = source.memory.left();
    let (program, arguments) =
        PROGRAM.get().and_then(|command| command.split_first()).ok_or_else(|| failed("it has no command"))?;
    let mut command = Command::new(program);
    command
        .args(arguments)
        .arg(kind)
        .arg(memory.to_string())
        .arg(LONGEST.as_secs().to_string())
        .arg(argument);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let child = command.spawn().map_err(|error| failed(&error.to_string()))?;
    let mut answer = ask(child, bytes, memory, &source.options.stop).map_err(|why| failed(&why))?;
    source.memory.take(answer.len(), 1, || format!("an answer of {} bytes", answer.len()))?;
    let length = answer.first_chunk().map_or(0, |length: &[u8; LENGTH]| u64::from_le_bytes(*length));
    let end = usize::try_from(length).ok().and_then(|length| LENGTH.checked_add(length));
    let json = end.and_then(|end| answer.get(LENGTH..end)).ok_or_else(|| failed("it ended early"))?;
    match serde_json::from_slice(json).map_err(|error| failed(&error.to_string()))? {
        Answer::Refused(why) => Err(Fault::Scene(why)),
        Answer::Read(value) => Ok(Found { value, bytes: answer.split_off(LENGTH + json.len()) }),
    }
}

/// Sends a file to a reader, and returns its answer, or why there is none. Ends the reader if it takes too
/// long, or once it is told to stop.
fn ask(mut child: Child, bytes: &[u8], memory: u64, stop: &AtomicBool) -> Result<Vec<u8>, String> {
    let (Some(mut to), Some(from)) = (child.stdin.take(), child.stdout.take()) else {
        return Err("it has no pipes".to_owned());
    };
    let (send, receive) = channel();
    let answer = thread::scope(|scope| {
        // A reader that ends early closes the pipe, and its status says why.
        scope.spawn(move || to.write_all(bytes));
        scope.spawn(move || {
            let mut answer = Vec::new();
            let read = from.take(memory.saturating_add(1)).read_to_end(&mut answer);
            send.send(read.map(|_| answer))
        });
        let answer = awaited(&receive, stop);
        if !matches!(&answer, Ok(Ok(answer)) if answer.len() as u64 <= memory) {
            let _ = child.kill();
        }
        answer
    });
    let status = child.wait().map_err(|error| error.to_string())?;
    match answer {
        Err(why) => Err(why),
        Ok(Err(error)) => Err(error.to_string()),
        Ok(Ok(answer)) if answer.len() as u64 > memory => Err("its answer takes too much memory".to_owned()),
        Ok(Ok(answer)) if status.success() => Ok(answer),
        Ok(Ok(_)) => Err(format!("it crashed, or took too much memory ({status})")),
    }
}

/// Waits for an answer; returns why it waits no longer if there is none.
fn awaited<T>(answer: &Receiver<T>, stop: &AtomicBool) -> Result<T, String> {
    let start = Instant::now();
    while !stop.load(Ordering::Relaxed) {
        match answer.recv_timeout(BETWEEN_LOOKS) {
            Err(RecvTimeoutError::Timeout) if start.elapsed() < LONGEST => {}
            Ok(answer) => return Ok(answer),
            Err(_) => return Err(format!("it took more than {} s", LONGEST.as_secs())),
        }
    }
    Err("it was interrupted".to_owned())
}

#[cfg(test)]
mod tests {
    use super::super::cut_path;
    use super::*;

    #[test]
    fn long_paths_keep_their_innermost_names() {
        assert_eq!(cut_path("/a/b"), "/a/b");
        assert_eq!(cut_path(&"/x".repeat(600)), format!("/...{}", "/x".repeat(510)));
        let name = "n".repeat(1024);
        assert_eq!(cut_path(&format!("/a/{name}")), format!("/.../{name}"));
    }

    /// The reader would take two minutes. Its process has ended when the answer is there.
    #[cfg(unix)]
    #[test]
    fn a_reader_that_is_told_to_stop_ends() {
        let mut command = Command::new("sleep");
        let child =
            command.arg("120").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
        let (stop, start) = (AtomicBool::new(false), Instant::now());
        let answer = thread::scope(|scope| {
            let answer = scope.spawn(|| ask(child, b"a file", 1 << 20, &stop));
            thread::sleep(2 * BETWEEN_LOOKS);
            assert!(!answer.is_finished());
            stop.store(true, Ordering::Relaxed);
            answer.join().expect("no panic")
        });
        assert_eq!(answer, Err("it was interrupted".to_owned()));
        assert!(start.elapsed() < Duration::from_secs(100));
    }
}
