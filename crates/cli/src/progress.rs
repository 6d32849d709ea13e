//! Progress of a long run: a bar on a terminal, otherwise a line from time to time.
//!
//! A separate thread shows the last state that the observer received, so that something moves even while one
//! pair takes minutes.

use std::fmt::Write;
use std::io::{self, IsTerminal};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use bytesize::ByteSize;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Serialize;

use crate::terminal;
use closefit::{Assembly, Observer, Stage};
use closefit_geometry::ids::PartId;
use closefit_geometry::parallel;
use closefit_geometry::text::printable;
use closefit_job::BenchObserver;
use closefit_report::table::elided;

/// The interval between two lines if stderr is not a terminal.
const LINE_INTERVAL: Duration = Duration::from_secs(10);
/// The interval between two lines of JSON.
const JSON_INTERVAL: Duration = Duration::from_secs(1);
/// The interval between two updates of the bar.
const BAR_INTERVAL: Duration = Duration::from_millis(100);
/// The time before the bar appears.
const PATIENCE: Duration = Duration::from_secs(1);
/// The time after which a pair is named.
const LONG_PAIR: Duration = Duration::from_secs(2);
/// The width to which names of parts are shortened.
const WIDEST_NAME: usize = 30;

/// An observer that shows a run's progress until it is dropped.
pub struct Progress {
    state: Arc<State>,
    /// The sender that stops the thread when dropped, and the thread.
    ticker: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Progress {
    /// An observer that shows nothing yet, and never does if `quiet`.
    pub fn new(quiet: bool) -> Self {
        match (quiet, io::stderr().is_terminal()) {
            (true, _) => Self { state: Arc::default(), ticker: None },
            (false, true) => {
                let mut bar = Bar::new();
                Self::shown(BAR_INTERVAL, move |status| bar.show(status))
            }
            (false, false) => Self::shown(LINE_INTERVAL, |status| {
                terminal::say(&format!("progress: {}", status.in_one_line()));
            }),
        }
    }

    /// An observer that says each second how far the run is, as a line of JSON.
    pub fn in_json() -> Self {
        Self::shown(JSON_INTERVAL, |status| {
            terminal::say(&serde_json::to_string(&status.event()).unwrap_or_default());
        })
    }

    /// Calls `show` with the current status after each interval.
    fn shown(interval: Duration, mut show: impl FnMut(&Status) + Send + 'static) -> Self {
        let state = Arc::new(State::default());
        let (stop, stopped) = mpsc::channel::<()>();
        let seen = Arc::clone(&state);
        let ticker = thread::Builder::new().spawn(move || {
            while stopped.recv_timeout(interval) == Err(RecvTimeoutError::Timeout) {
                show(&seen.status(Instant::now()));
            }
        });
        // Without a thread to spare, the run goes on without progress.
        Self { state, ticker: ticker.ok().map(|ticker| (stop, ticker)) }
    }

    /// Lets messages name pairs by the names of their parts.
    pub fn name_parts(&self, assembly: Arc<Assembly>) {
        let _ = self.state.assembly.set(assembly);
    }
}

impl BenchObserver for Progress {
    fn asks(&self, method: &str, round: u32) {
        *locked(&self.state.asked) = Some(format!("{method}, round {round}"));
    }
}

impl Drop for Progress {
    /// Ends the thread, which removes the bar.
    fn drop(&mut self) {
        if let Some((stop, ticker)) = self.ticker.take() {
            drop(stop);
            let _ = ticker.join();
        }
    }
}

impl Observer for Progress {
    fn begin(&self, stage: Stage, total: u64) {
        self.state.begin(stage, total);
    }

    fn advance_by(&self, items: u64) {
        self.state.done.fetch_add(items, Ordering::Relaxed);
    }

    fn enter(&self, pair: [PartId; 2]) {
        locked(self.state.thread()).push((pair, Instant::now()));
    }

    fn leave(&self, _pair: [PartId; 2]) {
        locked(self.state.thread()).pop();
        self.advance();
    }

    fn may_take_long(&self, why: &str) {
        if self.ticker.is_some() {
            terminal::say(&format!("note: {why}"));
        }
    }

    #[cfg(feature = "gpu")]
    fn opens_device(&self, open: &mut dyn FnMut()) {
        terminal::without_stderr(open);
    }
}

/// The pairs that a thread has entered and not left, with the times of entry.
type Entered = Mutex<Vec<([PartId; 2], Instant)>>;

/// Everything that the observer has received.
struct State {
    started: Instant,
    stage: Mutex<Option<(Stage, u64)>>,
    /// The method in progress, if several are compared.
    asked: Mutex<Option<String>>,
    done: AtomicU64,
    /// One entry for each thread of the pool, so that they do not wait for one another, and one for all
    /// others.
    threads: Vec<Entered>,
    assembly: OnceLock<Arc<Assembly>>,
}

impl Default for State {
    fn default() -> Self {
        Self {
            started: Instant::now(),
            stage: Mutex::default(),
            asked: Mutex::default(),
            done: AtomicU64::new(0),
            threads: (0..=parallel::threads()).map(|_| Entered::default()).collect(),
            assembly: OnceLock::new(),
        }
    }
}

impl State {
    fn begin(&self, stage: Stage, total: u64) {
        let mut current = locked(&self.stage);
        self.done.store(0, Ordering::Relaxed);
        *current = Some((stage, total));
    }

    fn thread(&self) -> &Entered {
        let last = self.threads.len() - 1;
        &self.threads[parallel::thread_index().map_or(last, |index| index.min(last))]
    }

    fn status(&self, now: Instant) -> Status {
        let current = locked(&self.stage);
        let entered = self.threads.iter().filter_map(|thread| locked(thread).first().copied());
        let long = entered.min_by_key(|&(_, since)| since);
        let long = long.map(|(pair, since)| (pair, now.saturating_duration_since(since)));
        Status {
            elapsed: now.saturating_duration_since(self.started),
            stage: current.map(|(stage, _)| stage),
            asked: locked(&self.asked).clone(),
            done: self.done.load(Ordering::Relaxed),
            total: current.map_or(0, |(_, total)| total),
            bytes: terminal::bytes_written(),
            long_pair: long
                .filter(|(_, elapsed)| *elapsed >= LONG_PAIR)
                .map(|(pair, elapsed)| (pair.map(|id| self.name(id)), elapsed)),
        }
    }

    fn name(&self, id: PartId) -> String {
        let part = self.assembly.get().and_then(|assembly| assembly.scene().parts.get(id.index()));
        part.map_or_else(|| format!("#{}", id.0), |part| elided(&printable(&part.name), WIDEST_NAME))
    }
}

/// Locks a mutex, ignoring a panic elsewhere.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The state of a run at one moment.
struct Status {
    elapsed: Duration,
    stage: Option<Stage>,
    /// The method in progress, if several are compared.
    asked: Option<String>,
    done: u64,
    /// The number of steps, or 0 if there is nothing to count.
    total: u64,
    /// The number of bytes of files written so far.
    bytes: u64,
    /// The pair that has taken longest so far, and how long, if at least [`LONG_PAIR`].
    long_pair: Option<([String; 2], Duration)>,
}

impl Status {
    fn doing(&self) -> &'static str {
        match self.stage {
            None => "starting",
            Some(Stage::Reading) => "reading files",
            Some(Stage::Building) => "building trees",
            Some(Stage::Pairing) => "looking for candidate pairs",
            Some(Stage::Deciding) => "deciding pairs",
            Some(Stage::CrossChecking) => "comparing trees",
            Some(Stage::Moving) => "moving parts",
            Some(Stage::Tracing) => "measuring distances over time",
            Some(Stage::Inspecting) => "examining meshes",
            Some(Stage::Writing) => "writing files",
            Some(_) => "working",
        }
    }

    /// Returns what is done and, if several methods run, by which.
    fn doing_by(&self) -> String {
        match &self.asked {
            Some(asked) if self.stage != Some(Stage::Writing) => format!("{asked}: {}", self.doing()),
            _ => self.doing().to_owned(),
        }
    }

    fn event(&self) -> ProgressEvent<'_> {
        ProgressEvent {
            event: "progress",
            stage: self.doing(),
            done: self.done,
            total: Some(self.total).filter(|&total| total > 0),
            seconds: self.elapsed.as_secs_f64(),
            pair: self.long_pair.as_ref().map(|(names, _)| names),
        }
    }

    fn in_one_line(&self) -> String {
        let mut line = format!("{} s, {}", self.elapsed.as_secs(), self.doing_by());
        let _ = match self.stage {
            _ if self.total == 0 => Ok(()),
            // Steps of the work on a tree mean nothing to a user.
            Some(Stage::Building) => write!(line, ", {} % done", 100 * self.done / self.total),
            _ => write!(line, ", {} of {} done", self.done, self.total),
        };
        line + &self.more()
    }

    /// Returns a text to follow the number of steps: the bytes written, and the pair that takes long.
    fn more(&self) -> String {
        let written = match self.stage {
            Some(Stage::Writing) if self.bytes > 0 => format!(", {}", ByteSize(self.bytes).display().si()),
            _ => String::new(),
        };
        written + &self.on_long_pair()
    }

    /// Returns a text such as `; 46 s on a and b`, or an empty one.
    fn on_long_pair(&self) -> String {
        let told =
            |([a, b], elapsed): &([String; 2], Duration)| format!("; {} s on {a} and {b}", elapsed.as_secs());
        self.long_pair.as_ref().map_or_else(String::new, told)
    }
}

/// The state of a run as a program reads it.
#[derive(Serialize)]
struct ProgressEvent<'a> {
    event: &'static str,
    stage: &'static str,
    done: u64,
    /// The number of steps, if they are counted.
    total: Option<u64>,
    seconds: f64,
    /// The pair that has taken longest so far, if it takes long.
    pair: Option<&'a [String; 2]>,
}

/// A bar on stderr that appears once the work has lasted a while.
struct Bar {
    bar: ProgressBar,
    stage: Option<Stage>,
}

impl Bar {
    fn new() -> Self {
        Self { bar: ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden()), stage: None }
    }

    fn show(&mut self, status: &Status) {
        if status.elapsed < PATIENCE {
            return;
        }
        if self.bar.is_hidden() {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        if self.stage != status.stage {
            self.stage = status.stage;
            self.bar.reset_eta();
        }
        let template = match status {
            Status { total: 0, .. } => "{spinner} {prefix}{wide_msg}",
            Status { long_pair: Some(_), .. } => "{spinner} {prefix} {bar:20} {pos}/{len}{wide_msg}",
            Status { stage: Some(Stage::Building), .. } => "{spinner} {prefix} {wide_bar} {percent} %",
            Status { done: 0, .. } => "{spinner} {prefix} {wide_bar} {pos}/{len}",
            _ => "{spinner} {prefix} {wide_bar} {pos}/{len}, {eta} left",
        };
        // These do not draw: all visible changes happen in the update below.
        let bar = self.bar.clone().with_prefix(status.doing_by()).with_message(status.more());
        if let Ok(style) = ProgressStyle::with_template(template) {
            drop(bar.with_style(style));
        }
        self.bar.update(|state| {
            state.set_len(status.total);
            state.set_pos(status.done);
        });
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use closefit_geometry::ids::MeshId;
    use closefit_geometry::math::pose::Pose;
    use closefit_geometry::scene::{Part, Scene};

    fn later(state: &State, seconds: u64) -> String {
        state.status(state.started + Duration::from_secs(seconds)).in_one_line()
    }

    #[test]
    fn a_line_says_which_stage_runs_and_how_far_it_is() {
        let state = State::default();
        assert_eq!(later(&state, 10), "10 s, starting");
        state.begin(Stage::Reading, 2);
        assert_eq!(later(&state, 10), "10 s, reading files, 0 of 2 done");
        state.done.fetch_add(1, Ordering::Relaxed);
        assert_eq!(later(&state, 20), "20 s, reading files, 1 of 2 done");
        state.begin(Stage::Pairing, 0);
        assert_eq!(later(&state, 30), "30 s, looking for candidate pairs");
        state.begin(Stage::Building, 3_000_000);
        state.done.fetch_add(1_290_000, Ordering::Relaxed);
        assert_eq!(later(&state, 40), "40 s, building trees, 43 % done");
        state.begin(Stage::Writing, 0);
        let status = Status { bytes: 1_300_000_000, ..state.status(state.started) };
        assert_eq!(status.in_one_line(), "0 s, writing files, 1.3 GB");
    }

    #[test]
    fn a_method_is_named_while_it_is_asked() {
        let progress = Progress { state: Arc::default(), ticker: None };
        progress.begin(Stage::Reading, 2);
        progress.asks("tree rapid", 2);
        progress.begin(Stage::Deciding, 3);
        assert_eq!(later(&progress.state, 10), "10 s, tree rapid, round 2: deciding pairs, 0 of 3 done");
        progress.begin(Stage::Writing, 0);
        assert_eq!(progress.state.status(progress.state.started).doing_by(), "writing files");
    }

    #[test]
    fn a_long_pair_is_named() {
        let state = State::default();
        state.begin(Stage::Deciding, 3);
        let enter = |thread: usize, pair: [u32; 2], seconds| {
            let since = state.started + Duration::from_secs(seconds);
            locked(&state.threads[thread]).push((pair.map(PartId), since));
        };
        enter(0, [0, 1], 5);
        enter(0, [1, 2], 6); // taken up while the first waits
        enter(1, [0, 2], 7);
        assert_eq!(later(&state, 6), "6 s, deciding pairs, 0 of 3 done");
        assert_eq!(later(&state, 50), "50 s, deciding pairs, 0 of 3 done; 45 s on #0 and #1");
        let part = |name: &str| Part::new(name, MeshId(0), Pose::IDENTITY);
        let parts = vec![part("a\nb"), part(&"long".repeat(20)), part("c")];
        let _ = state.assembly.set(Arc::new(Scene { parts, ..Scene::default() }.into()));
        let expected = r"50 s, deciding pairs, 0 of 3 done; 45 s on a\nb and longlonglonglon…nglonglonglong";
        assert_eq!(later(&state, 50), expected);
        locked(&state.threads[0]).clear();
        assert_eq!(later(&state, 8), "8 s, deciding pairs, 0 of 3 done");
    }

    #[test]
    fn what_a_run_tells_is_shown_until_it_is_dropped() {
        let (lines, shown) = mpsc::channel();
        let progress = Progress::shown(Duration::ZERO, move |status| {
            let _ = lines.send((status.stage, status.done));
        });
        for (stage, done) in [(Stage::Building, 0), (Stage::Deciding, 1)] {
            progress.begin(stage, 2);
            if done == 1 {
                progress.enter([PartId(0), PartId(1)]);
                progress.leave([PartId(0), PartId(1)]);
            }
            assert!(shown.iter().any(|seen| seen == (Some(stage), done)));
        }
        assert!(progress.state.threads.iter().all(|thread| locked(thread).is_empty()));
        drop(progress);
        // The loop ends because the thread is gone, and with it the other end of the channel.
        assert!(shown.iter().all(|seen| seen == (Some(Stage::Deciding), 1)));
    }

    #[test]
    fn a_bar_takes_every_stage() {
        let mut bar = Bar::new();
        for (stage, total) in
            [(Stage::Reading, 0), (Stage::Building, 3), (Stage::Deciding, 9), (Stage::Writing, 0)]
        {
            for long_pair in [None, Some((["a".to_owned(), "b".to_owned()], Duration::from_secs(3)))] {
                bar.show(&Status {
                    elapsed: PATIENCE,
                    stage: Some(stage),
                    asked: Some("tree rapid, round 1".to_owned()),
                    done: 1,
                    total,
                    bytes: 1,
                    long_pair,
                });
                assert_eq!(bar.bar.length(), Some(total));
            }
        }
    }
}
