//! `closefit check`: clash, contact and clearance between parts at rest.

use std::io::Write;
use std::sync::Arc;

use anyhow::anyhow;

use super::args::{CheckArgs, Input};
use super::check_results::CheckResults;
use super::diff::{Baseline, refuse_changes};
use super::grouping::GroupsAsked;
use super::heat_map::FoundHeatMap;
use super::progress::Progress;
use super::project::ProjectAsked;
use super::question_args::Asked;
use super::scene_exports::Told;
use super::{
    Outcome, certificate, check_rows, cross_check, decide, exports, kept_args, of_flag, read_options,
    read_scene, refusal, row_args, say_notes, terminal, time,
};
use closefit::internals::engine::{Clock, Observer, Stage};
use closefit::internals::query::CheckRequest;
use closefit_job::{CheckOptions, Finished, Job, JobError, RowsFile};
use closefit_report::diff::Review;
use closefit_report::files::NewFile;
use closefit_report::table::View;
use closefit_report::{CheckReport, LeftRecord, Reading, RunRecord, json};
use closefit_scene::read::Motions;
use closefit_views::Views;

pub fn run(args: &CheckArgs) -> anyhow::Result<Outcome> {
    let (out, threads) = (args.kept.claimed(&args.run), args.run.threads);
    decide::in_pool(out, threads, &args.input, |clock| run_in_pool(args, clock))
}

fn run_in_pool(args: &CheckArgs, mut clock: Clock) -> anyhow::Result<Outcome> {
    let asked = Asked::of(&args.question, &args.run, &args.input)?;
    let groups = GroupsAsked::of(&args.groups, &args.input)?;
    let baseline = match &args.baseline {
        Some(path) => Some(Baseline::read(path, args.partial_baseline)?),
        None => refuse_changes(args.run.fail_on).map(|()| None)?,
    };
    let review = args.scene_exports.review()?;
    let rows = args.kept.open(args.run.out.as_deref(), args.budget)?;
    let progress = args.kept.progress(args.input.quiet);
    let job = job(args, &progress)?;
    let scene = job.scene();
    progress.name_parts(Arc::clone(job.assembly()));
    if row_args::is_asked(args) {
        let request = asked.request(&args.input, &job)?;
        return check_rows::run(args, &job, (&request, rows), progress, clock);
    }
    let read_s = clock.lap();

    let view = args.table.view(scene, &args.input)?;
    let request = asked.request(&args.input, &job)?;
    let options = CheckOptions {
        groups: groups.options(scene, &args.input)?,
        cross_check: args.cross_check.as_ref().map_or_else(Vec::new, |compared| compared.0.clone()),
        ways_out: args.question.way_out,
        allow_empty: args.run.allow_empty,
        rows,
    };
    let run = CheckRun { args, job: &job, request, options, view, groups, baseline, review };
    match run.options.rows.as_ref().filter(|rows| rows.shard().is_some()) {
        Some(rows) => run.shard(rows, progress),
        None => run.whole(progress, (read_s, clock)),
    }
}

/// A check, before its pairs are decided.
struct CheckRun<'a> {
    args: &'a CheckArgs,
    job: &'a Job,
    request: CheckRequest,
    options: CheckOptions,
    view: View,
    groups: GroupsAsked,
    baseline: Option<Baseline>,
    /// The statuses that people have given.
    review: Review,
}

impl CheckRun<'_> {
    /// Decides the pairs of a shard, and does nothing else.
    fn shard(&self, rows: &RowsFile, progress: Progress) -> anyhow::Result<Outcome> {
        let Self { args, job, request, options, .. } = self;
        job.check_shard(request, options, &progress).map_err(refusal)?;
        drop(progress);
        kept_args::finish_shard(rows, args.input.quiet)
    }

    /// Decides all pairs, and writes and prints what was found.
    fn whole(&self, progress: Progress, (read_s, mut clock): (f64, Clock)) -> anyhow::Result<Outcome> {
        let Self { args, job, request, options, view, groups, baseline, review } = self;
        let scene = job.scene();
        let heat_map = args.heat_map.of(job, request, &args.input)?;
        let found = match job.check(request, options, &progress) {
            Err(JobError::Disagreement(disagreed)) => {
                let line = cross_check::told(scene, &disagreed, args)?;
                drop(progress);
                terminal::say(&line);
                return Ok(Outcome::Disagreement);
            }
            found => found.map_err(refusal)?,
        };
        if args.run.out.is_some() {
            progress.begin(Stage::Writing, 0);
        }
        let report = &found.report;
        let diff = baseline.as_ref().map(|baseline| baseline.compared(report)).transpose()?;
        let (diff, certificate) = (diff.as_ref(), found.certificate.as_ref());
        let heat_map = heat_map.map(|asked| asked.found(job, request, &progress)).transpose()?;
        let views = Views::of(scene, report);
        let map = heat_map.as_ref().map(FoundHeatMap::map);
        let told = Told { certificate, review, heat_map: map.as_ref() };
        let mut shown = args.scene_exports.files(&views, &told, &args.input.scenes)?;
        shown.files.extend(heat_map.as_ref().map(|map| map.file(scene)).transpose()?);
        let results = CheckResults { args, job, views: &views, review, diff, certificate };
        if args.run.out.is_some() {
            let left = options.rows.as_ref().and_then(|rows| rows.left());
            let asked = (&args.input, request, left);
            let files = with_record(results.files(), &found, asked, (read_s, &mut clock));
            terminal::write_output(files)?;
        }
        results.export()?;
        exports::write_all(shown.files)?;
        let left = kept_args::finish(options.rows.as_ref())?;
        drop(progress);
        let agreement = found.cross_check.as_ref().map_or_else(String::new, |record| record.in_words());
        let since = baseline.as_ref().zip(diff).map(|(baseline, diff)| baseline.in_words(diff));
        results.show(view, &agreement, since, clock)?;
        let outcome = if left.is_some() { Outcome::Fail } else { results.outcome() };
        let beyond = decide::clearance_note(request.clearance, job.diagonal(None)?, scene);
        let groups = groups.note(report);
        let claims = certificate::notes(certificate.filter(|_| args.input.json));
        let notes = found.notes.into_iter().chain(claims).chain(found.repairs);
        let notes = notes.chain(beyond).chain(groups).chain(decide::strategy_notes(found.strategy));
        say_notes(&args.input, scene, &notes.chain(shown.notes).chain(left).collect::<Vec<_>>());
        Ok(outcome)
    }
}

/// Returns the files of a check, with the record of the run as the last one, which has the seconds until all
/// others are written.
pub(super) fn with_record<'a>(
    mut files: Vec<NewFile<'a>>,
    found: &'a Finished<CheckReport>,
    (input, request, left): (&'a Input, &'a CheckRequest, Option<LeftRecord>),
    (read_s, clock): (f64, &'a mut Clock),
) -> Vec<NewFile<'a>> {
    let write_record = move |file: &mut dyn Write| {
        clock.lap();
        let seconds = found.seconds.of_run(read_s, clock.total());
        let strategy = (found.strategy, request.hull);
        let reading = Reading::of(&input.scenes, &read_options(input));
        let record = RunRecord::new("check", reading, strategy, &found.counters, seconds)
            .with_depth(request.depth)
            .with_cross_check(found.cross_check.clone())
            .with_left(left);
        json::write(file, &record)
    };
    files.push(("run.json".to_owned(), Box::new(write_record)));
    files
}

/// Reads the scene as it stands, or at the time `--at`, with the rules about its pairs. Its motions must be
/// valid only if there is a time.
fn job(args: &CheckArgs, progress: &Progress) -> anyhow::Result<Job> {
    let (input, srdf) = (&args.input, args.pairs.srdf.as_ref());
    let project = ProjectAsked::of(&args.pairs)?;
    let single = args.at.as_ref().filter(|_| !row_args::is_asked(args));
    let motions = if args.at.is_some() { Motions::Required } else { Motions::Noted };
    let at = single.map(|text| time("--at", text, input).map(|at| (at, text))).transpose()?;
    let job = project.of_scene(read_scene(input, motions, srdf, progress)?)?;
    let Some((at, text)) = at else { return Ok(job) };
    match job.scene().time_range() {
        Some(_) => Ok(job.at(at)),
        None => Err(of_flag(anyhow!("nothing in the scene moves"), format!("--at {text}"), input)),
    }
}
