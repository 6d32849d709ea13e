//! CPU time of the calling thread, the measure that a busy machine disturbs least.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// Returns the result of the work, and the CPU time that this thread spent on it.
pub fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let start = now();
    let result = work();
    (result, now().saturating_sub(start))
}

fn now() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    // Both numbers fit: the clock starts at 0 and never runs backwards.
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}
