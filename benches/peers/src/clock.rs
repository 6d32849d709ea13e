//! CPU time of the calling thread: what a busy machine disturbs least.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// What the work returns, and the CPU time that this thread spent on it.
pub fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let start = now();
    let result = work();
    (result, now().saturating_sub(start))
}

fn now() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    // A clock that starts at 0 and never runs back: both fit.
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}
