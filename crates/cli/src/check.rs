//! `closefit check`: clash, contact and clearance between parts at rest.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::anyhow;

use crate::check_results::CheckResults;
use crate::diff::Baseline;
use crate::errors::{of_flag, refusal};
use crate::joints::at_joints;
use crate::outcome::Outcome;
use crate::pair_commands::{self, in_pool, left_in_memory, next_step};
use crate::pair_results::PairResults;
use crate::progress::Progress;
use crate::settings::exports::ExportFiles;
use crate::settings::groups::{GroupSettings, Groups};
use crate::settings::heat_map::{FoundHeatMap, HeatMapFile};
use crate::settings::input::AtTime;
use crate::settings::pair_run::PairRun;
use crate::settings::question::CheckSettings;
use crate::settings::scene_exports::{ExportContext, SceneExports};
use crate::settings::table::TableSettings;
use crate::{cross_check, terminal};
use closefit::internals::engine::Clock;
use closefit::{CheckRequest, Observer, Stage, TreeKind};
use closefit_job::{CheckOptions, Job, JobError, Journal, limit_notes, robot_of};
use closefit_report::diff::Review;
use closefit_report::table::View;
use closefit_views::Views;

/// A check of a scene as it stands, or at a time.
#[derive(Clone, Debug)]
pub struct CheckPlan {
    pub run: PairRun,
    pub settings: CheckSettings,
    pub at: Option<AtTime>,
    /// The values of the joints of a robot, as the user writes them.
    pub at_joints: Option<String>,
    /// The kinds of trees that must agree with the run's kind.
    pub cross_check: Vec<TreeKind>,
    /// The report of an earlier check.
    pub baseline: Option<PathBuf>,
    /// True to accept a baseline that leaves pairs open.
    pub is_partial_baseline: bool,
    pub groups: GroupSettings,
    pub exports: ExportFiles,
    pub scene_exports: SceneExports,
    pub heat_map: Option<HeatMapFile>,
    pub table: TableSettings,
}

/// Runs a check.
pub fn run(plan: &CheckPlan) -> anyhow::Result<Outcome> {
    in_pool(plan.run.claimed(), plan.run.threads, |clock| run_in_pool(plan, clock))
}

fn run_in_pool(plan: &CheckPlan, mut clock: Clock) -> anyhow::Result<Outcome> {
    let CheckPlan { run, settings, .. } = plan;
    let strategy = run.search.on_device(run.search.strategy()?)?;
    let groups = plan.groups.read()?;
    let baseline = match &plan.baseline {
        Some(path) => Some(Baseline::read(path, plan.is_partial_baseline)?),
        None => run.fail_on.refuse_changes().map(|()| None)?,
    };
    let review = plan.scene_exports.review()?;
    let journal = run.long_run.open(run.out.as_deref())?;
    let progress = run.progress();
    let job = run.input.job_at_rest(&run.pairs, plan.at.as_ref(), &progress)?;
    let (job, of_joints) = match &plan.at_joints {
        Some(values) => placed(&job, values)?,
        None => (job, Vec::new()),
    };
    let job = left_in_memory(job);
    progress.name_parts(Arc::clone(job.assembly()));
    let read_s = clock.lap();

    let view = plan.table.view(job.scene())?;
    let request = settings.request(&job, &run.input, (&run.search, strategy))?;
    let options = CheckOptions {
        groups: groups.options(job.scene())?,
        cross_check: plan.cross_check.clone(),
        contact_geometry: settings.finds_geometry,
        volumes: settings.finds_volumes,
        self_contacts: settings.finds_self_contacts,
        ways_out: settings.finds_ways_out,
        allow_empty: run.allow_empty,
        journal,
    };
    let check = ReadCheck { plan, job: &job, of_joints, request, options, view, groups, baseline, review };
    match check.options.journal.as_ref().filter(|journal| journal.shard().is_some()) {
        Some(journal) => check.shard(journal, progress),
        None => check.whole(progress, (read_s, clock)),
    }
}

/// Returns the job with its robot at these values of joints, and notes on values beyond limits.
fn placed(job: &Job, values: &str) -> anyhow::Result<(Job, Vec<String>)> {
    let scene = job.scene();
    let given = at_joints(values, scene)?;
    let refused = |why: String| of_flag(anyhow!(why), format!("--at-joints {values}"));
    let ranges: Vec<[f64; 2]> = given.iter().map(|&value| [value; 2]).collect();
    let notes = limit_notes(scene, robot_of(scene).map_err(refused)?, &ranges);
    Ok((job.at_joints(&given).map_err(refused)?, notes))
}

/// A check whose files are read, before its pairs are decided.
struct ReadCheck<'a> {
    plan: &'a CheckPlan,
    job: &'a Job,
    /// Notes on values of joints beyond their limits.
    of_joints: Vec<String>,
    request: CheckRequest,
    options: CheckOptions,
    view: View,
    groups: Groups<'a>,
    baseline: Option<Baseline>,
    /// The statuses that people have given.
    review: Review,
}

impl ReadCheck<'_> {
    /// Decides the pairs of a shard, and does nothing else.
    fn shard(&self, journal: &Journal, progress: Progress) -> anyhow::Result<Outcome> {
        let (allow_empty, input) = (self.options.allow_empty, &self.plan.run.input);
        self.job.decide_shard(&self.request, journal, allow_empty, &progress).map_err(refusal)?;
        drop(progress);
        pair_commands::finish_shard(journal, input.quiet)
    }

    /// Decides all pairs, and writes and prints what was found.
    fn whole(&self, progress: Progress, (read_s, mut clock): (f64, Clock)) -> anyhow::Result<Outcome> {
        let Self { plan, job, of_joints, request, options, view, groups, baseline, review } = self;
        let (run, scene) = (&plan.run, job.scene());
        let heat_map = plan.heat_map.as_ref().map(|file| file.parts(job, request)).transpose()?;
        let found = match job.check(request, options, &progress) {
            Err(JobError::Disagreement(disagreed)) => {
                let line = cross_check::told(scene, &disagreed, run.out.as_deref())?;
                drop(progress);
                terminal::say(&line);
                return Ok(Outcome::Disagreement);
            }
            found => left_in_memory(found.map_err(refusal)?),
        };
        if run.out.is_some() {
            progress.begin(Stage::Writing, 0);
        }
        let report = &found.report;
        let diff = baseline.as_ref().map(|baseline| baseline.compared(report)).transpose()?;
        let diff = diff.as_ref();
        let heat_map = heat_map.map(|parts| parts.found(job, request, &progress)).transpose()?;
        let views = Views::of(scene, report);
        let map = heat_map.as_ref().map(FoundHeatMap::map);
        let context = ExportContext {
            certificate: found.certificate.as_ref(),
            review,
            heat_map: map.as_ref(),
            inputs: &run.input.scenes,
        };
        let mut shown = plan.scene_exports.files(&views, &context)?;
        shown.files.extend(heat_map.as_ref().map(|map| map.file(scene)).transpose()?);
        let PairRun { input, fail_on, out, .. } = run;
        let pairs = PairResults { input, fail_on: *fail_on, job, found: &found, review };
        let results = CheckResults { pairs, views: &views, diff };
        let mut elsewhere = results.exports(&plan.exports);
        elsewhere.extend(shown.files);
        let mut files = Vec::new();
        let left = options.journal.as_ref().and_then(|journal| journal.left());
        if out.is_some() {
            files = results.files();
            files.push(results.pairs.record(request.hull, (read_s, &mut clock), |record| {
                record.with_depth(request.depth).with_cross_check(found.cross_check.clone()).with_left(left)
            }));
        }
        terminal::write_output_with(files, elsewhere)?;
        let left = pair_commands::finish(options.journal.as_ref())?;
        drop(progress);
        let agreement = found.cross_check.as_ref().map_or_else(String::new, |record| record.in_words());
        let since = baseline.as_ref().zip(diff).map(|(baseline, diff)| baseline.in_words(diff));
        let next = next_step(out.as_deref(), &run.long_run.arguments, &plan.scene_exports);
        results.show(view, &agreement, [&since.unwrap_or_default(), &next], clock)?;
        let outcome = if left.is_some() { Outcome::Fail } else { results.outcome() };
        let lengths = (request.clearance, job.diagonal(None)?);
        let notes = results.pairs.notes(lengths, !input.json, groups.note(report));
        let left: Vec<String> = left.into_iter().collect();
        input.say_notes(scene, &[of_joints.clone(), notes, shown.notes, left].concat());
        Ok(outcome)
    }
}
