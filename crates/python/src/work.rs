//! Work without the interpreter's lock: on the calling thread where it is short, on closefit's own threads
//! where it may be long. Ctrl-C is heeded meanwhile, and no panic leaves.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, TryLockError};
use std::thread;
use std::time::Duration;

use closefit::{Observer, Pool};
use pyo3::prelude::*;

use crate::error::{Refusal, defect};

/// The time between two looks for signals.
const BETWEEN_LOOKS: Duration = Duration::from_millis(50);

/// The first wait for a lock.
const SHORTEST_WAIT: Duration = Duration::from_micros(50);

/// The largest number of threads.
pub const MOST_THREADS: usize = 1024;

/// Returns what short work gives, on this thread.
pub fn brief<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    py.detach(|| catch_unwind(AssertUnwindSafe(work))).map_err(|panic| defect(&*panic))
}

/// Returns the result of short work on a value, on this thread. An interrupted call may keep the value locked
/// for a long time, so this looks for signals while it waits for the lock.
pub fn brief_on<V: Send, T: Send>(
    py: Python<'_>,
    value: &Mutex<V>,
    work: impl FnOnce(&mut V) -> T + Send,
) -> PyResult<T> {
    let (mut work, mut wait) = (work, SHORTEST_WAIT);
    loop {
        let tried = brief(py, || match value.try_lock() {
            Ok(mut value) => Ok(work(&mut value)),
            Err(TryLockError::Poisoned(poisoned)) => Ok(work(&mut poisoned.into_inner())),
            Err(TryLockError::WouldBlock) => {
                thread::sleep(wait);
                Err(work)
            }
        })?;
        match tried {
            Ok(found) => return Ok(found),
            Err(again) => work = again,
        }
        py.check_signals()?;
        wait = BETWEEN_LOOKS.min(2 * wait);
    }
}

/// A flag that tells long work to stop.
#[derive(Clone, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// True once the work should stop.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Returns what holds the flag.
    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0)
    }
}

impl Observer for Stop {
    fn cancelled(&self) -> bool {
        self.is_set()
    }
}

/// Returns the result of work that may be long, on `threads` threads of closefit's own, 0 for one per core.
/// After Ctrl-C the work is told to stop, and nobody waits for it.
pub fn long<T: Send + 'static>(
    py: Python<'_>,
    threads: usize,
    work: impl FnOnce(&Stop) -> T + Send + 'static,
) -> PyResult<T> {
    told(py, threads, |_| Ok(()), work)
}

/// Returns what such work gives, and calls `tell` now and then meanwhile. An error of it stops the work, too.
pub fn told<T: Send + 'static>(
    py: Python<'_>,
    threads: usize,
    tell: impl Fn(Python<'_>) -> PyResult<()> + Send,
    work: impl FnOnce(&Stop) -> T + Send + 'static,
) -> PyResult<T> {
    if threads > MOST_THREADS {
        return Err(Refusal::of("threads", format!("{threads} are more than {MOST_THREADS}")).into());
    }
    let stop = Stop::default();
    let seen = stop.clone();
    let (sender, receiver) = channel();
    let guarded = move || _ = sender.send(catch_unwind(AssertUnwindSafe(|| work(&seen))));
    let found = py.detach(move || {
        let started = Pool::of(threads).spawn(guarded);
        started.map_err(|error| Refusal::of("threads", error))?;
        awaited(&receiver, tell)
    });
    stop.0.store(found.is_err(), Ordering::Relaxed);
    found
}

/// Waits for an answer. Meanwhile it looks for signals, and calls `tell`.
fn awaited<T>(
    receiver: &Receiver<Result<T, Box<dyn Any + Send>>>,
    tell: impl Fn(Python<'_>) -> PyResult<()>,
) -> PyResult<T> {
    loop {
        match receiver.recv_timeout(BETWEEN_LOOKS) {
            Ok(found) => return found.map_err(|panic| defect(&*panic)),
            Err(RecvTimeoutError::Timeout) => {
                Python::attach(|py| py.check_signals().and_then(|()| tell(py)))?;
            }
            Err(RecvTimeoutError::Disconnected) => return Err(defect(&"the work has gone")),
        }
    }
}
