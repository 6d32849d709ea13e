//! Whole checks and sweeps, as the program makes them.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use closefit::{DepthDetail, Observer, Stage};
use closefit_geometry::units::Length;
use closefit_job::{CheckOptions, GroupOptions, Job, Project, ReadScene, SweepOptions, read_rules};
use closefit_project::{SetText, Sides};
use closefit_report::Document;
use closefit_report::groups::GroupBy;
use pyo3::prelude::*;

use crate::error::Refusal;
use crate::report::Findings;
use crate::scene::Scene;
use crate::work::{self, Stop};

/// The settings that a check and a sweep have both.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct Common {
    clearance: String,
    tolerance: Option<String>,
    rules: Option<PathBuf>,
    sets: Vec<String>,
    allow_empty: bool,
}

/// The ways in which a run goes, on which no answer depends.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct Way {
    threads: usize,
    progress: Option<Py<PyAny>>,
}

/// The settings of a check.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct OfCheck {
    depth: String,
    contacts: bool,
    groups: Option<String>,
    group_extent: Option<String>,
}

/// The settings of a sweep.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct OfSweep {
    precision: Option<String>,
    from: Option<f64>,
    to: Option<f64>,
}

/// Decide every pair of parts at rest.
#[pyfunction]
pub fn check(py: Python<'_>, scene: &Bound<'_, Scene>, settings: &Bound<'_, PyAny>) -> PyResult<Findings> {
    let (common, own): (Common, OfCheck) = (settings.extract()?, settings.extract()?);
    let (detail, by) = (own.detail()?, own.by()?);
    let read = Arc::clone(scene.get().read());
    run(py, settings.extract()?, move |observer| {
        let job = common.job(&read)?;
        let mut request = job.check_request()?.depth(detail);
        request.clearance = length(&job, "clearance", &common.clearance)?;
        if let Some(tolerance) = &common.tolerance {
            request.tolerance = length(&job, "tolerance", tolerance)?;
        }
        if own.contacts {
            request = request.list_contacts();
        }
        let extent = own.group_extent.map(|extent| length(&job, "group_extent", &extent)).transpose()?;
        let groups = GroupOptions { by, extent, ..GroupOptions::default() };
        let options = CheckOptions { groups, allow_empty: common.allow_empty, ..CheckOptions::default() };
        Ok(Findings::new(job.check(&request, &options, observer)?, Document::Check, job.scene()))
    })
}

/// Decide every pair of parts over their motion.
#[pyfunction]
pub fn sweep(py: Python<'_>, scene: &Bound<'_, Scene>, settings: &Bound<'_, PyAny>) -> PyResult<Findings> {
    let (common, own): (Common, OfSweep) = (settings.extract()?, settings.extract()?);
    scene.get().require_motions()?;
    let read = Arc::clone(scene.get().read());
    run(py, settings.extract()?, move |observer| {
        let job = common.job(&read)?;
        let mut request = job.sweep_request(own.from, own.to)?;
        request.clearance = length(&job, "clearance", &common.clearance)?;
        if let Some(tolerance) = &common.tolerance {
            request.tolerance = length(&job, "tolerance", tolerance)?;
        }
        if let Some(precision) = &own.precision {
            request.precision = length(&job, "precision", precision)?;
        }
        let options = SweepOptions { allow_empty: common.allow_empty, ..SweepOptions::default() };
        Ok(Findings::new(job.sweep(&request, &options, observer)?, Document::Sweep, job.scene()))
    })
}

impl Common {
    /// Returns a scene with its project.
    fn job(&self, read: &ReadScene) -> Result<Job, Refusal> {
        let rules = self.rules.as_deref().map(read_rules).transpose()?;
        Ok(Job::new(read.clone(), Project { rules, sides: self.sides()? })?)
    }

    /// Returns the sides that one or two sets choose.
    fn sides(&self) -> Result<Option<Sides>, Refusal> {
        let sets = self.sets.iter().map(|set| set.parse().map_err(|error| Refusal::of("sets", error)));
        match &sets.collect::<Result<Vec<SetText>, Refusal>>()?[..] {
            [] => Ok(None),
            [set] => Ok(Some(Sides::Within(set.clone()))),
            [a, b] => Ok(Some(Sides::Between([a.clone(), b.clone()]))),
            more => Err(Refusal::of("sets", format!("{} instead of one or two", more.len()))),
        }
    }
}

impl OfCheck {
    fn detail(&self) -> Result<DepthDetail, Refusal> {
        match &self.depth[..] {
            "full" => Ok(DepthDetail::Full),
            "verdict" => Ok(DepthDetail::Verdict),
            "none" => Ok(DepthDetail::None),
            other => {
                Err(Refusal::of("depth", format!("'{other}' is neither 'full' nor 'verdict' nor 'none'")))
            }
        }
    }

    fn by(&self) -> Result<Option<GroupBy>, Refusal> {
        match self.groups.as_deref() {
            None => Ok(None),
            Some("host") => Ok(Some(GroupBy::Host)),
            Some("type") => Ok(Some(GroupBy::Type)),
            Some(other) => {
                Err(Refusal::of("groups", format!("'{other}' is neither 'host' nor 'type' nor None")))
            }
        }
    }
}

/// Runs a job on closefit's own threads, and tells the user's callback how far it is.
fn run(
    py: Python<'_>,
    way: Way,
    work: impl FnOnce(&dyn Observer) -> Result<Findings, Refusal> + Send + 'static,
) -> PyResult<Findings> {
    let progress = Arc::new(Progress::default());
    let seen = Arc::clone(&progress);
    let tell = |py: Python<'_>| match (&way.progress, progress.stage()) {
        (Some(callback), Some((stage, total))) => {
            let done = progress.done.load(Ordering::Relaxed);
            callback.call1(py, (name(stage), done, total)).map(drop)
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

/// Keeps what a run says of its progress, and tells it to stop.
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

/// Returns what a stage is called.
fn name(stage: Stage) -> &'static str {
    match stage {
        Stage::Reading => "reading",
        Stage::Pairing => "pairing",
        Stage::Building => "building",
        Stage::Deciding => "deciding",
        Stage::CrossChecking => "cross-checking",
        Stage::Moving => "moving",
        Stage::Tracing => "tracing",
        Stage::Inspecting => "inspecting",
        Stage::Writing => "writing",
    }
}

/// Returns a length in the scene's unit.
fn length(job: &Job, key: &str, text: &str) -> Result<f64, Refusal> {
    let refused = |error| Refusal::of(key, error);
    text.parse::<Length>().map_err(refused)?.in_unit(job.scene().unit).map_err(refused)
}
