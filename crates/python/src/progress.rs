//! Whole jobs on closefit's own threads, and how far they are.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use closefit::{Observer, Stage};
use pyo3::prelude::*;

use crate::error::Refusal;
use crate::work::{self, Stop};

/// The ways in which a run goes, on which no answer depends.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Way {
    threads: usize,
    progress: Option<Py<PyAny>>,
}

/// Runs a job on closefit's own threads, and reports its progress to the user's callback.
pub fn run<T: Send + 'static>(
    py: Python<'_>,
    way: Way,
    work: impl FnOnce(&dyn Observer) -> Result<T, Refusal> + Send + 'static,
) -> PyResult<T> {
    let progress = Arc::new(Progress::default());
    let seen = Arc::clone(&progress);
    let tell = |py: Python<'_>| match (&way.progress, progress.stage()) {
        (Some(callback), Some((stage, total))) => {
            let done = progress.done.load(Ordering::Relaxed);
            callback.call1(py, (stage.name(), done, total)).map(drop)
        }
        _ => Ok(()),
    };
    let run = move |stop: &Stop| work(&Watched { progress: &seen, stop });
    let found = work::told(py, way.threads, tell, run)??;
    // Of a short run, too.
    tell(py)?;
    Ok(found)
}

/// The state of a run.
#[derive(Default)]
struct Progress {
    /// The stage, and the number of its items.
    stage: Mutex<Option<(Stage, u64)>>,
    done: AtomicU64,
}

impl Progress {
    fn stage(&self) -> Option<(Stage, u64)> {
        *self.stage.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Keeps the progress that a run reports, and tells the run to stop.
struct Watched<'a> {
    progress: &'a Progress,
    stop: &'a Stop,
}

impl Observer for Watched<'_> {
    fn begin(&self, stage: Stage, total: u64) {
        self.progress.done.store(0, Ordering::Relaxed);
        *self.progress.stage.lock().unwrap_or_else(PoisonError::into_inner) = Some((stage, total));
    }

    fn advance_by(&self, items: u64) {
        self.progress.done.fetch_add(items, Ordering::Relaxed);
    }

    fn leave(&self, _: [closefit::PartId; 2]) {
        self.advance();
    }

    fn cancelled(&self) -> bool {
        self.stop.is_set()
    }
}
