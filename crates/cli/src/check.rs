//! `closefit check`: clash, contact and clearance between parts at rest.

use std::io::Write;
use std::sync::Arc;

use anyhow::anyhow;

use super::args::{CheckArgs, DepthArg};
use super::check_results::CheckResults;
use super::diff::Baseline;
use super::grouping::GroupsAsked;
use super::heat_map::FoundHeatMap;
use super::progress::Progress;
use super::project::ProjectAsked;
use super::scene_exports::Told;
use super::{
    FlagLength, Outcome, certificate, check_rows, cross_check, decide, exports, of_flag, read_options,
    read_scene, refusal, row_args, say_notes, terminal, time,
};
use closefit::internals::engine::{Clock, Observer, Stage};
use closefit::internals::hierarchy::strategy::Strategy;
use closefit::internals::query::CheckRequest;
use closefit_job::{CheckOptions, Finished, Job, JobError};
use closefit_report::{CheckReport, Reading, RunRecord, json};
use closefit_scene::read::Motions;
use closefit_views::Views;

pub fn run(args: &CheckArgs) -> anyhow::Result<Outcome> {
    decide::in_pool(&args.run, &args.input, |clock| run_in_pool(args, clock))
}

fn run_in_pool(args: &CheckArgs, mut clock: Clock) -> anyhow::Result<Outcome> {
    let asked = Asked::of(args)?;
    if args.way_out && args.depth == DepthArg::None {
        return Err(of_flag(
            anyhow!("it needs depths, which --depth none leaves out"),
            "--way-out",
            &args.input,
        ));
    }
    let groups = GroupsAsked::of(&args.groups, &args.input)?;
    let baseline = Baseline::read(args.baseline.as_ref(), args.run.fail_on)?;
    let review = args.scene_exports.review()?;
    let progress = Progress::new(args.input.quiet);
    let job = job(args, &progress)?;
    let scene = job.scene();
    progress.name_parts(Arc::clone(job.assembly()));
    if row_args::is_asked(args) {
        let request = asked.request(args, &job)?;
        return check_rows::run(args, &job, &request, progress, clock);
    }
    let read_s = clock.lap();

    let view = args.table.view(scene, &args.input)?;
    let request = asked.request(args, &job)?;
    let heat_map = args.heat_map.of(&job, &request, &args.input)?;
    let options = CheckOptions {
        groups: groups.options(scene, &args.input)?,
        cross_check: args.cross_check.as_ref().map_or_else(Vec::new, |compared| compared.0.clone()),
        ways_out: args.way_out,
        allow_empty: args.run.allow_empty,
    };
    let found = match job.check(&request, &options, &progress) {
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
    let heat_map = heat_map.map(|asked| asked.found(&job, &request, &progress)).transpose()?;
    let views = Views::of(scene, report);
    let map = heat_map.as_ref().map(FoundHeatMap::map);
    let told = Told { certificate, review: &review, heat_map: map.as_ref() };
    let mut shown = args.scene_exports.files(&views, &told, &args.input.scenes)?;
    shown.files.extend(heat_map.as_ref().map(|map| map.file(scene)).transpose()?);
    let results = CheckResults { args, job: &job, views: &views, review: &review, diff, certificate };
    if args.run.out.is_some() {
        write_out(args, &results, &found, (&request, read_s, &mut clock))?;
    }
    results.export()?;
    exports::write_all(shown.files)?;
    drop(progress);
    let agreement = found.cross_check.as_ref().map_or_else(String::new, |record| record.in_words());
    let since = baseline.as_ref().zip(diff).map(|(baseline, diff)| baseline.in_words(diff));
    results.show(&view, &agreement, since, clock)?;
    let outcome = results.outcome();
    let beyond = decide::clearance_note(request.clearance, job.diagonal(None)?, scene);
    let groups = groups.note(report);
    let claims = certificate::notes(certificate.filter(|_| args.input.json));
    let notes = found.notes.into_iter().chain(claims).chain(found.repairs);
    let notes =
        notes.chain(beyond).chain(groups).chain(decide::device_note(found.strategy)).chain(shown.notes);
    say_notes(&args.input, scene, &notes.collect::<Vec<_>>());
    Ok(outcome)
}

/// Writes the files of `--out`. The record of the run has the seconds until all others are written.
fn write_out(
    args: &CheckArgs,
    results: &CheckResults,
    found: &Finished<CheckReport>,
    (request, read_s, clock): (&CheckRequest, f64, &mut Clock),
) -> anyhow::Result<()> {
    let record = |total: f64| {
        let seconds = found.seconds.of_run(read_s, total);
        let strategy = (found.strategy, request.hull);
        let reading = Reading::of(&args.input.scenes, &read_options(&args.input));
        RunRecord::new("check", reading, strategy, &found.counters, seconds)
            .with_depth(request.depth)
            .with_cross_check(found.cross_check.clone())
    };
    let mut files = results.files();
    let write_record = |file: &mut dyn Write| {
        clock.lap();
        json::write(file, &record(clock.total()))
    };
    files.push(("run.json".to_owned(), Box::new(write_record)));
    terminal::write_output(files)?;
    Ok(())
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

/// The user's lengths and strategy.
struct Asked {
    clearance: FlagLength,
    tolerance: Option<FlagLength>,
    strategy: Strategy,
}

impl Asked {
    fn of(args: &CheckArgs) -> anyhow::Result<Self> {
        let input = &args.input;
        Ok(Self {
            clearance: FlagLength::of("--clearance", &args.clearance, input)?,
            tolerance: FlagLength::of_optional("--tolerance", args.tolerance.as_ref(), input)?,
            strategy: decide::on_device(decide::strategy(&args.run, input)?, &args.run, input)?,
        })
    }

    /// Returns the settings of the check, with lengths in the scene's unit.
    fn request(&self, args: &CheckArgs, job: &Job) -> anyhow::Result<CheckRequest> {
        let (input, scene) = (&args.input, job.scene());
        let request = match &self.tolerance {
            Some(tolerance) => CheckRequest::default().tolerance(tolerance.in_unit(scene, input)?),
            None => job.check_request()?,
        };
        let request = if args.contacts { request.list_contacts() } else { request };
        let clearance = self.clearance.in_unit(scene, input)?;
        let request = request.clearance(clearance).depth(args.depth.into());
        let request = request
            .strategy(self.strategy)
            .broad(args.run.broad)
            .hull(args.run.hull)
            .winding(input.winding())
            .memory(input.memory());
        Ok(request)
    }
}
