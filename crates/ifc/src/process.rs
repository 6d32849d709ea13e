//! The kernel in a process of its own, which may take only so much time and memory.
//!
//! A product cannot be cancelled, a stack that overflows ends its process, and what the kernel prints is not
//! for users.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::OnceLock;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use ifc_lite_processing::{GEOMETRY_STACK_BYTES, run_on_geometry_pool};

use crate::error::Refused;
use crate::kernel;
use crate::output::Output;
use crate::{Limits, default_time};

/// The command that starts this program, or another, as the kernel.
static PROGRAM: OnceLock<Vec<OsString>> = OnceLock::new();

/// Sets the command line that runs the kernel: a program that calls [`run_kernel`] with the arguments after
/// these. Without one, or if it cannot be started, the kernel runs in this process: without limits, and with
/// messages on stderr. Only the first call counts.
pub fn kernel_program(command: Vec<OsString>) {
    let _ = PROGRAM.set(command);
}

/// Returns what the kernel draws of the products of a text.
pub fn draw(text: &[u8], products: &[u32], limits: &Limits) -> Result<Output, Refused> {
    if products.is_empty() {
        return Ok(Output::default());
    }
    let time = limits.time.unwrap_or_else(|| default_time(text.len()));
    match PROGRAM.get().and_then(|command| start(command, limits.memory, time)) {
        Some(child) => ask(child, text, products, limits.memory, time),
        None => draw_here(text, products),
    }
}

fn draw_here(text: &[u8], products: &[u32]) -> Result<Output, Refused> {
    let drawn = catch_unwind(AssertUnwindSafe(|| run_on_geometry_pool(|| kernel::draw(text, products))));
    match drawn {
        Ok(Ok(output)) => Ok(output),
        Ok(Err(error)) => Err(failed(&format!("it has no threads: {error}"))),
        Err(_) => Err(failed("it panicked")),
    }
}

fn failed(why: &str) -> Refused {
    Refused::file(format!("the geometry kernel failed: {why}"))
}

fn start(command: &[OsString], memory: u64, time: Duration) -> Option<Child> {
    let (program, arguments) = command.split_first()?;
    // It ends by itself if this process is gone.
    let limits = [memory.to_string(), (time.as_secs() + 10).to_string()];
    let mut command = Command::new(program);
    command.args(arguments).args(limits);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().ok()
}

/// Sends a text to the kernel, and returns its answer.
fn ask(
    mut child: Child,
    text: &[u8],
    products: &[u32],
    memory: u64,
    time: Duration,
) -> Result<Output, Refused> {
    let (Some(mut to), Some(from)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(failed("it has no pipes"));
    };
    let (send, receive) = channel();
    let answer = thread::scope(|scope| {
        // A kernel that ends early closes the pipe, and its status tells why.
        scope.spawn(move || {
            let count = (products.len() as u32).to_le_bytes();
            let ids: Vec<u8> = products.iter().flat_map(|id| id.to_le_bytes()).collect();
            [&count[..], &ids, text].iter().try_for_each(|bytes| to.write_all(bytes))
        });
        scope.spawn(move || {
            let mut answer = Vec::new();
            let read = from.take(memory.saturating_add(1)).read_to_end(&mut answer);
            send.send(read.map(|_| answer))
        });
        let answer = receive.recv_timeout(time);
        if !matches!(&answer, Ok(Ok(answer)) if answer.len() as u64 <= memory) {
            let _ = child.kill();
        }
        answer
    });
    let status = child.wait();
    match answer {
        Err(_) => {
            let seconds = time.as_secs();
            Err(Refused::file(format!("its geometry takes more than {seconds} s: --ifc-limit allows more")))
        }
        Ok(Err(error)) => Err(failed(&error.to_string())),
        Ok(Ok(answer)) if answer.len() as u64 > memory => Err(failed("its answer takes too much memory")),
        Ok(Ok(answer)) => Output::read(&answer).ok_or_else(|| failed(&ended(status))),
    }
}

/// Returns how a process ended.
fn ended(status: io::Result<ExitStatus>) -> String {
    match status {
        Ok(status) => format!("it panicked, or took too much memory or stack ({status})"),
        Err(error) => error.to_string(),
    }
}

/// Runs the kernel: a text and numbers of products come on stdin, and the answer goes to stdout. `limits` are
/// the last arguments of the command line. Returns the exit status.
pub fn run_kernel(limits: &[OsString]) -> u8 {
    let limit = |place: usize| limits.get(place)?.to_str()?.parse::<u64>().ok();
    let (Some(memory), Some(seconds)) = (limit(0), limit(1)) else { return 2 };
    limit_memory(memory);
    thread::spawn(move || {
        thread::sleep(Duration::from_secs(seconds));
        std::process::exit(2);
    });
    let mut input = Vec::new();
    let read = io::stdin().lock().read_to_end(&mut input);
    let Some((products, text)) = read.ok().and_then(|_| split(&input)) else { return 2 };
    let answer = draw_here(text, &products).map(|output| {
        let mut to = io::BufWriter::new(io::stdout().lock());
        output.write(&mut to).and_then(|()| to.flush())
    });
    if matches!(answer, Ok(Ok(()))) { 0 } else { 2 }
}

/// Returns the numbers of products, and the text after them.
fn split(input: &[u8]) -> Option<(Vec<u32>, &[u8])> {
    let (count, rest) = input.split_first_chunk::<4>()?;
    let (ids, text) = rest.split_at_checked((u32::from_le_bytes(*count) as usize).checked_mul(4)?)?;
    let ids = ids.chunks_exact(4).filter_map(|id| Some(u32::from_le_bytes(id.try_into().ok()?)));
    Some((ids.collect(), text))
}

/// Address space that the program, its libraries and Python take before any file.
#[cfg(unix)]
const OF_PROGRAM: u64 = 2 << 30;
/// Address space of a thread: its stack, and its part of the allocator's.
#[cfg(unix)]
const OF_THREAD: u64 = GEOMETRY_STACK_BYTES as u64 + (128 << 20);

/// Limits the address space of this process, so that memory beyond the limit is not available to it.
#[cfg(unix)]
fn limit_memory(memory: u64) {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let threads = thread::available_parallelism().map_or(64, |threads| threads.get() as u64);
    let most = memory.saturating_add(OF_PROGRAM + threads * OF_THREAD);
    let maximum = getrlimit(Resource::As).maximum;
    if maximum.is_none_or(|maximum| most < maximum) {
        let _ = setrlimit(Resource::As, Rlimit { current: Some(most), maximum });
    }
}

#[cfg(not(unix))]
fn limit_memory(_: u64) {}
