//! A clock of the time that the calling thread has a core: cheap enough to be read twice for every question.

use closefit_geometry::clock::Instant;
use std::cell::Cell;
use std::time::Duration;

#[cfg(not(target_family = "wasm"))]
use cpu_time::ThreadTime;

/// The clock that a web page does not have.
#[cfg(target_family = "wasm")]
#[derive(Clone, Copy)]
enum ThreadTime {}

#[cfg(target_family = "wasm")]
impl ThreadTime {
    fn try_now() -> Result<Self, std::io::Error> {
        Err(std::io::ErrorKind::Unsupported.into())
    }

    fn duration_since(&self, _: Self) -> Duration {
        match *self {}
    }
}

/// Wall time up to which an interval counts as it is. The system's clock of the thread takes a call to read,
/// longer than short questions take; and a thread that has to wait for its core waits longer than this.
const SHORT: Duration = Duration::from_micros(50);

/// The last reading of a thread's clock.
#[derive(Clone, Copy)]
struct Reading {
    /// The time shown.
    time: Duration,
    /// The wall clock then.
    wall: Instant,
    /// The system's clock of the thread when that was last read, and the time shown then; `None` if the
    /// system has no such clock.
    core: Option<(ThreadTime, Duration)>,
}

thread_local! {
    static LAST: Cell<Option<Reading>> = const { Cell::new(None) };
}

/// Returns the time that the calling thread has had a core since its first call, nearly: less what others
/// took from it, but for some of its waits that were shorter than 50 microseconds. It never runs backwards.
pub fn now() -> Duration {
    let wall = Instant::now();
    let Some(last) = LAST.get() else {
        let core = ThreadTime::try_now().ok().map(|core| (core, Duration::ZERO));
        LAST.set(Some(Reading { time: Duration::ZERO, wall, core }));
        return Duration::ZERO;
    };
    let passed = wall.duration_since(last.wall);
    let mut reading = Reading { time: last.time + passed, wall, ..last };
    if passed > SHORT
        && let Some((core, shown)) = last.core
        && let Ok(core_now) = ThreadTime::try_now()
    {
        // Short intervals since then have been counted by the wall clock.
        let at_most = shown + core_now.duration_since(core);
        reading.time = reading.time.min(at_most).max(last.time);
        reading.core = Some((core_now, reading.time));
    }
    LAST.set(Some(reading));
    reading.time
}

#[cfg(test)]
mod tests {
    use std::hint::black_box;
    use std::thread;

    use super::*;

    fn work_for(time: Duration) {
        let start = ThreadTime::now();
        while start.elapsed() < time {
            black_box((0..100).map(black_box).sum::<u32>());
        }
    }

    /// However many threads share the cores, and however often the clock is read in between.
    #[test]
    fn the_clock_counts_work_and_no_waits() {
        let measure = |pieces: u32| {
            let (start, core) = (now(), ThreadTime::now());
            for _ in 0..pieces {
                work_for(Duration::from_millis(20) / pieces);
                black_box(now());
                if pieces < 10 {
                    thread::sleep(Duration::from_millis(20));
                }
            }
            (now() - start, core.elapsed())
        };
        let threads = 2 * thread::available_parallelism().map_or(2, usize::from);
        let all: Vec<(Duration, Duration)> = thread::scope(|scope| {
            let started: Vec<_> =
                (0..threads).map(|thread| scope.spawn(move || measure([1, 5, 1000][thread % 3]))).collect();
            started.into_iter().map(|thread| thread.join().expect("no panic")).collect()
        });
        for (counted, core) in all {
            let off = counted.abs_diff(core);
            assert!(off < core / 4, "{counted:?} counted, {core:?} had");
        }
    }
}
