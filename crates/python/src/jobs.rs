//! Whole checks and sweeps, as the program makes them.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use closefit::{CheckRequest, DepthDetail, Unit};
use closefit_geometry::units::Length;
use closefit_job::{CheckOptions, GroupOptions, Job, Project, ReadScene, SweepOptions, read_rules};
use closefit_project::{SetText, Sides};
use closefit_report::Document;
use closefit_report::groups::GroupBy;
use pyo3::prelude::*;

use crate::error::Refusal;
use crate::joints;
use crate::progress::run;
use crate::report::Findings;
use crate::scene::Scene;

/// The settings that all jobs have.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Common {
    clearance: String,
    tolerance: Option<String>,
    rules: Option<PathBuf>,
    sets: Vec<String>,
    pub allow_empty: bool,
}

/// The settings of a check.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct OfCheck {
    depth: String,
    way_out: bool,
    contacts: bool,
    contact_geometry: bool,
    volume: bool,
    self_contacts: bool,
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
    /// A joint with its range, in place of time.
    joint: Option<String>,
    at_joints: BTreeMap<String, f64>,
    intervals: bool,
}

/// Decide every pair of parts at rest.
#[pyfunction]
pub fn check(py: Python<'_>, scene: &Bound<'_, Scene>, settings: &Bound<'_, PyAny>) -> PyResult<Findings> {
    let (common, own): (Common, OfCheck) = (settings.extract()?, settings.extract()?);
    let (depth, by) = (detail(&own.depth)?, own.by()?);
    if own.way_out && depth == DepthDetail::None {
        return Err(Refusal::of("way_out", "it needs depths, which depth='none' leaves out").into());
    }
    let read = Arc::clone(scene.get().read());
    run(py, settings.extract()?, move |observer| {
        let job = common.job(&read)?;
        let mut request = common.check_request(&job)?.depth(depth);
        if own.contacts {
            request = request.list_contacts();
        }
        let extent = own.group_extent.map(|extent| length(&job, "group_extent", &extent)).transpose()?;
        let groups = GroupOptions { by, extent, ..GroupOptions::default() };
        let options = CheckOptions {
            groups,
            contact_geometry: own.contact_geometry,
            volumes: own.volume,
            self_contacts: own.self_contacts,
            ways_out: own.way_out,
            allow_empty: common.allow_empty,
            ..CheckOptions::default()
        };
        Ok(Findings::new(job.check(&request, &options, observer)?, Document::Check, job.scene()))
    })
}

/// Decide every pair of parts over their motion.
#[pyfunction]
pub fn sweep(py: Python<'_>, scene: &Bound<'_, Scene>, settings: &Bound<'_, PyAny>) -> PyResult<Findings> {
    let (common, own): (Common, OfSweep) = (settings.extract()?, settings.extract()?);
    if own.joint.is_none() {
        scene.get().require_motions()?;
    }
    let read = Arc::clone(scene.get().read());
    run(py, settings.extract()?, move |observer| {
        let job = common.job(&read)?;
        let job = match &own.joint {
            None => job,
            Some(joint) => joints::along(&job, joint, &own.at_joints)?,
        };
        let mut request = job.sweep_request(own.from, own.to)?;
        let (clearance, tolerance) = common.lengths(&job)?;
        request.clearance = clearance;
        request.tolerance = tolerance.unwrap_or(request.tolerance);
        if let Some(given) = &own.precision {
            request = request.precision(precision(given, job.scene().unit)?).most_cells(None);
        }
        let request = if own.intervals { request.with_intervals() } else { request };
        let options = SweepOptions { allow_empty: common.allow_empty, ..SweepOptions::default() };
        Ok(Findings::new(job.sweep(&request, &options, observer)?, Document::Sweep, job.scene()))
    })
}

impl Common {
    /// Returns the clearance, and the tolerance if one is given, in the scene's unit.
    pub fn lengths(&self, job: &Job) -> Result<(f64, Option<f64>), Refusal> {
        let tolerance = self.tolerance.as_ref().map(|tolerance| length(job, "tolerance", tolerance));
        Ok((length(job, "clearance", &self.clearance)?, tolerance.transpose()?))
    }

    /// Returns the settings of a check.
    pub fn check_request(&self, job: &Job) -> Result<CheckRequest, Refusal> {
        let (clearance, tolerance) = self.lengths(job)?;
        let request = job.check_request()?.clearance(clearance);
        Ok(tolerance.map_or(request, |tolerance| request.tolerance(tolerance)))
    }

    /// Returns a scene with its project.
    pub fn job(&self, read: &ReadScene) -> Result<Job, Refusal> {
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

/// Returns the detail of depths by its name.
pub fn detail(depth: &str) -> Result<DepthDetail, Refusal> {
    match depth {
        "full" => Ok(DepthDetail::Full),
        "verdict" => Ok(DepthDetail::Verdict),
        "none" => Ok(DepthDetail::None),
        other => Err(Refusal::of("depth", format!("'{other}' is neither 'full' nor 'verdict' nor 'none'"))),
    }
}

impl OfCheck {
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

/// Returns a length in the scene's unit.
pub fn length(job: &Job, key: &str, text: &str) -> Result<f64, Refusal> {
    let refused = |error| Refusal::of(key, error);
    text.parse::<Length>().map_err(refused)?.in_unit(job.scene().unit).map_err(refused)
}

/// Returns a precision, which is more than 0, in a unit.
pub fn precision(text: &str, unit: Option<Unit>) -> Result<f64, Refusal> {
    let above_zero = text.parse().and_then(Length::above_zero);
    let length = above_zero.and_then(|length| length.in_unit(unit));
    length.map_err(|error| Refusal::of("precision", error))
}
