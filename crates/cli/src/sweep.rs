//! `closefit sweep`: time of contact and smallest clearance over the motion.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::anyhow;

use crate::errors::{accepted_by_flag, of_flag, refusal};
use crate::joints::{at_joints, names_joint};
use crate::outcome::Outcome;
use crate::pair_commands::{self, in_pool, next_step};
use crate::pair_results::PairResults;
use crate::settings::length::FlagLength;
use crate::settings::pair_run::PairRun;
use crate::settings::scene_exports::{ExportContext, SceneExports};
use crate::settings::table::TableSettings;
use crate::terminal;
use closefit::internals::engine::Clock;
use closefit::{Method, Observer, PartId, Stage, Strategy, SweepRequest, Unobserved};
use closefit_geometry::hull::filter::HullFilter;
use closefit_geometry::text::printable;
use closefit_job::{
    Job, JobError, Journal, NothingAsked, SweepOptions, joint_range, limit_notes, pair_named, robot_of,
    sweep_refusal,
};
use closefit_report::diff::Review;
use closefit_report::files::NewFile;
use closefit_report::{SweepReport, csv, table};
use closefit_scene::read::{Format, Motions};
use closefit_views::Views;

/// A sweep over time, or one along each of some joints.
#[derive(Clone, Debug)]
pub struct SweepPlan {
    pub run: PairRun,
    pub settings: SweepSettings,
    /// The joints, each with its range, as the user writes them.
    pub joints: Vec<String>,
    /// The values of the other joints, as the user writes them.
    pub at_joints: Option<String>,
    /// The two parts whose distance is traced, as the user names them.
    pub trace: Option<String>,
    pub scene_exports: SceneExports,
    pub table: TableSettings,
}

/// The settings of a sweep, before the unit of its scene is known.
#[derive(Clone, Debug)]
pub struct SweepSettings {
    pub clearance: FlagLength,
    pub tolerance: Option<FlagLength>,
    pub precision: Option<FlagLength>,
    pub from: Option<f64>,
    pub to: Option<f64>,
    /// True to find all intervals of contact and nearness.
    pub finds_intervals: bool,
    pub method: Method,
}

/// Runs a sweep.
pub fn run(plan: &SweepPlan) -> anyhow::Result<Outcome> {
    plan.run.fail_on.refuse_changes()?;
    in_pool(plan.run.claimed(), plan.run.threads, |clock| run_in_pool(plan, clock))
}

fn run_in_pool(plan: &SweepPlan, mut clock: Clock) -> anyhow::Result<Outcome> {
    let run = &plan.run;
    let strategy = strategy(plan)?;
    let review = plan.scene_exports.review()?;
    let progress = run.progress();
    let job = run.input.job(&run.pairs, Motions::Required, &progress)?;
    drop(progress);
    let sweeps = sweeps_of(plan, job)?;
    let read_s = clock.lap();
    let mut outcome = Outcome::Pass;
    for one in &sweeps {
        outcome = outcome.worse(run_one(plan, (strategy, &review), one, (read_s, clock.clone()))?);
    }
    // Only now, so that no sweep is done again if a later one is stopped.
    for one in &sweeps {
        if let Some(left) = pair_commands::finish(one.journal.as_ref())? {
            outcome = outcome.worse(Outcome::Fail);
            run.input.say_notes(one.job.scene(), &[left]);
        }
    }
    Ok(outcome)
}

/// Returns the strategy, with its device, for trees that move.
fn strategy(plan: &SweepPlan) -> anyhow::Result<Strategy> {
    let (search, method) = (&plan.run.search, &plan.settings.method);
    let strategy = search.strategy()?;
    strategy.check_moving(method).map_err(|error| of_flag(error, format!("--method {method}")))?;
    let strategy = search.on_device(strategy)?;
    if search.hull == HullFilter::ContactRegion {
        let why = anyhow!("the contact region is that of parts at rest: closest-features is for a sweep");
        return Err(of_flag(why, "--hull contact-region"));
    }
    Ok(strategy)
}

/// A sweep of its own: over time, or along a joint.
struct OneSweep {
    job: Job,
    /// The folder below `--out`, if there are several sweeps.
    folder: Option<String>,
    /// The journal in which decided pairs are kept meanwhile.
    journal: Option<Arc<Journal>>,
    /// The parts of the robot whose joint it moves.
    of_robot: Option<BTreeSet<PartId>>,
    /// Notes on values of joints beyond their limits.
    notes: Vec<String>,
}

impl OneSweep {
    /// Returns the line with the command to run next. Several sweeps cannot be shown on one page.
    fn next_step(&self, plan: &SweepPlan) -> String {
        let out =
            plan.run.out.as_ref().map(|out| self.folder.as_ref().map_or(out.clone(), |name| out.join(name)));
        if out.is_none() && plan.joints.len() > 1 {
            return String::new();
        }
        next_step(out.as_deref(), &plan.run.long_run.arguments, &plan.scene_exports)
    }
}

/// Returns a sweep for each `--joint`, or else the one over time.
fn sweeps_of(plan: &SweepPlan, job: Job) -> anyhow::Result<Vec<OneSweep>> {
    let SweepPlan { run, joints, .. } = plan;
    if joints.is_empty() {
        let journal = run.long_run.open(run.out.as_deref())?;
        return Ok(vec![OneSweep { job, folder: None, journal, of_robot: None, notes: Vec::new() }]);
    }
    let are_several = joints.len() > 1;
    if are_several && run.long_run.shard.is_some() {
        let why = anyhow!("shards belong to one sweep: give one --joint");
        return Err(of_flag(why, "--shard"));
    }
    if are_several && !plan.scene_exports.is_empty() {
        let why = "several sweeps cannot be shown in one file: --out DIR, and then closefit report";
        return Err(of_flag(anyhow!(why), "--picture, --glb, --bcf, --html"));
    }
    let has_folders = are_several && run.out.is_some();
    let mut sweeps: Vec<OneSweep> = Vec::new();
    for text in joints {
        let refused = |why: &str| of_flag(anyhow!(why.to_owned()), format!("--joint {text}"));
        let robot = robot_of(job.scene()).map_err(|why| refused(&why))?;
        let range = joint_range(robot, text).map_err(|why| refused(&why))?;
        let values = match &plan.at_joints {
            None => robot.rest(),
            Some(text) => at_joints(text, job.scene())?,
        };
        let name = &*robot.joints[range.joint].name;
        // In a sweep of another joint, the value counts.
        if let Some(others) = plan.at_joints.as_ref().filter(|_| !are_several)
            && names_joint(others, name)
        {
            let why = anyhow!("'{}' is the joint that is swept: leave out its value", printable(name));
            return Err(of_flag(why, format!("--at-joints {others}")));
        }
        let folder = has_folders.then(|| name.to_owned());
        if has_folders && Path::new(name).file_name().is_none_or(|file| file != name) {
            return Err(refused("it cannot be the name of a folder, which --out needs"));
        }
        if has_folders && sweeps.iter().any(|sweep| sweep.folder == folder) {
            return Err(refused("--out has one folder for each joint, and this one comes twice"));
        }
        let swept = job.along_joint(range, &values).map_err(|why| refused(&why))?;
        let dir = run.out.as_ref().map(|out| folder.as_ref().map_or(out.clone(), |name| out.join(name)));
        let journal = run.long_run.open(dir.as_deref())?;
        let mut ranges: Vec<[f64; 2]> = values.iter().map(|&value| [value; 2]).collect();
        ranges[range.joint] = range.range;
        let notes = limit_notes(job.scene(), robot, &ranges);
        let of_robot = Some(robot.parts.iter().map(|place| place.part).collect());
        sweeps.push(OneSweep { job: swept, folder, journal, of_robot, notes });
    }
    Ok(sweeps)
}

/// Sweeps, and writes and prints what was found.
fn run_one(
    plan: &SweepPlan,
    (strategy, review): (Strategy, &Review),
    one: &OneSweep,
    (read_s, mut clock): (f64, Clock),
) -> anyhow::Result<Outcome> {
    let (job, scene, progress) = (&one.job, one.job.scene(), plan.run.progress());
    progress.name_parts(Arc::clone(job.assembly()));
    let SweepPlan { run, settings, .. } = plan;
    let input = &run.input;
    let traced = plan.trace.as_deref().map(|names| {
        pair_named(scene, names).map_err(|why| of_flag(anyhow!(why), format!("--trace '{names}'")))
    });
    let (journal, allow_empty) = (one.journal.clone(), run.allow_empty);
    let options = SweepOptions { trace: traced.transpose()?, allow_empty, journal };
    let view = plan.table.view(scene)?;
    let request = settings.request(job, run, strategy)?;
    if let Some(journal) = one.journal.as_ref().filter(|journal| journal.shard().is_some()) {
        job.decide_shard(&request, journal, allow_empty, &progress).map_err(|error| refused(error, plan))?;
        drop(progress);
        return pair_commands::finish_shard(journal, input.quiet);
    }

    let found = job.sweep(&request, &options, &progress).map_err(|error| refused(error, plan))?;
    if run.out.is_some() {
        progress.begin(Stage::Writing, 0);
    }
    let (report, certificate) = (&found.report, found.certificate.as_ref());
    let context = ExportContext { certificate, review, heat_map: None, inputs: &input.scenes };
    let shown = plan.scene_exports.files(&Views::of(scene, report), &context)?;
    let results = PairResults { input, fail_on: run.fail_on, job, found: &found, review };
    let mut files = Vec::new();
    let left = one.journal.as_ref().and_then(|journal| journal.left());
    if run.out.is_some() {
        files = results.files();
        files.extend(files_of_times(report));
        files.push(results.record(request.hull, (read_s, &mut clock), |record| {
            record.with_method(&request.method, request.precision).with_left(left)
        }));
    }
    match run.out.as_ref().zip(one.folder.as_ref()) {
        Some((out, folder)) => terminal::write_files(&out.join(folder), files)?,
        None => terminal::write_output_with(files, shown.files)?,
    }
    drop(progress);
    match report.trace.as_ref().filter(|_| run.out.is_none() && !input.json) {
        Some(trace) => terminal::print_by(|stdout| csv::write_trace(trace, stdout))?,
        None => input.print_document(report, || {
            let text = results.in_words(&view, [&table::sweep_intervals(report, &view), ""], clock);
            if results.has_findings() { text + &one.next_step(plan) } else { text }
        })?,
    }
    let lengths = (request.clearance, job.diagonal(Some(request.from))?);
    let is_table = !input.json && report.trace.is_none();
    let notes = results.notes(lengths, is_table, None);
    let unmoved = match &one.of_robot {
        Some(parts) => job.clashes_without_motion(&request, parts.clone(), &Unobserved).map_err(refusal)?,
        None => None,
    };
    let unmoved: Vec<String> = unmoved.into_iter().collect();
    input.say_notes(scene, &[one.notes.clone(), unmoved, notes, shown.notes].concat());
    Ok(results.outcome())
}

/// Returns the files of intervals and distances over time, if these were requested.
fn files_of_times(report: &SweepReport) -> Vec<NewFile<'_>> {
    let mut files: Vec<NewFile> = Vec::new();
    if report.settings.intervals {
        files.push(("intervals.csv".to_owned(), Box::new(|file| csv::write_intervals(report, file))));
    }
    if let Some(trace) = &report.trace {
        files.push(("trace.csv".to_owned(), Box::new(|file| csv::write_trace(trace, file))));
    }
    files
}

/// Returns the reason why nothing is swept, if nothing moves.
fn standstill(plan: &SweepPlan) -> &'static str {
    let is_robot = |path: &PathBuf| Format::of(&path.to_string_lossy()).is_ok_and(Format::is_robot);
    let input = &plan.run.input;
    match input.reading.trajectory.is_none() && input.scenes.iter().any(is_robot) {
        true if plan.joints.is_empty() => "no part moves: add --trajectory or --joint",
        true => "nothing that the joint moves has a mesh",
        false => "nothing moves: 'closefit check' is for parts at rest",
    }
}

impl SweepSettings {
    /// Returns the request for the sweep of a scene, with lengths in its unit.
    fn request(&self, job: &Job, run: &PairRun, strategy: Strategy) -> anyhow::Result<SweepRequest> {
        let (input, search, scene) = (&run.input, &run.search, job.scene());
        let mut request = job.sweep_request(self.from, self.to)?;
        if let Some(tolerance) = &self.tolerance {
            request.tolerance = tolerance.in_unit(scene)?;
        }
        if let Some(precision) = &self.precision {
            // If it takes long, a note says so before the work begins.
            request = request.precision(precision.in_unit(scene)?).most_cells(None);
        }
        let request = request.clearance(self.clearance.in_unit(scene)?);
        let request = request.strategy(strategy).broad(search.broad).hull(search.hull);
        let request = if self.finds_intervals { request.with_intervals() } else { request };
        Ok(request.winding(input.winding).method(self.method).memory(input.memory()))
    }
}

/// Adds to an error the flag that it concerns.
fn refused(error: JobError, plan: &SweepPlan) -> anyhow::Error {
    let error = match error {
        JobError::Sweep { error, .. } => error,
        JobError::Nothing { files, why: NothingAsked::NothingMoves } => {
            return accepted_by_flag(&format!("{files}: nothing would be checked: {}", standstill(plan)));
        }
        error => return refusal(error),
    };
    let (flag, why) = sweep_refusal(&error, plan.settings.precision.is_some());
    of_flag(anyhow!(why), flag)
}
