//! `closefit sweep`: time of contact and smallest clearance over the motion.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::anyhow;

use super::args::SweepArgs;
use super::diff::refuse_changes;
use super::project::ProjectAsked;
use super::row_args::at_joints;
use super::scene_exports::Told;
use super::{
    FlagLength, Outcome, accepted_by_flag, certificate, decide, exports, kept_args, of_flag, read_options,
    read_scene, refusal, say_notes, terminal, time,
};
use closefit::internals::engine::{Clock, Observer, Stage, SweepError};
use closefit::internals::hierarchy::strategy::Strategy;
use closefit::internals::query::moving_pair::SweepRequest;
use closefit_geometry::hull::filter::HullFilter;
use closefit_job::{Job, JobError, NothingAsked, RowsFile, SweepOptions, joint_range, pair_named, robot_of};
use closefit_report::diff::Review;
use closefit_report::files::NewFile;
use closefit_report::table::View;
use closefit_report::{Certificate, Reading, RunRecord, SweepReport, csv, json, table};
use closefit_scene::read::{Format, Motions};
use closefit_views::Views;

pub fn run(args: &SweepArgs) -> anyhow::Result<Outcome> {
    refuse_changes(args.run.fail_on)?;
    let (out, threads) = (args.kept.claimed(&args.run), args.run.threads);
    decide::in_pool(out, threads, &args.input, |clock| run_in_pool(args, clock))
}

fn run_in_pool(args: &SweepArgs, mut clock: Clock) -> anyhow::Result<Outcome> {
    let asked = Asked::of(args)?;
    args.table.without_depths(&args.input)?;
    let progress = args.kept.progress(args.input.quiet);
    let project = ProjectAsked::of(&args.pairs)?;
    let read = read_scene(&args.input, Motions::Required, args.pairs.srdf.as_ref(), &progress)?;
    let job = project.of_scene(read)?;
    drop(progress);
    let sweeps = sweeps_of(args, job)?;
    let read_s = clock.lap();
    let mut outcome = Outcome::Pass;
    for one in &sweeps {
        outcome = outcome.worse(run_one(args, &asked, one, (read_s, clock.clone()))?);
    }
    // Only now, so that no sweep is done again if a later one is stopped.
    for one in &sweeps {
        if let Some(left) = kept_args::finish(one.rows.as_ref())? {
            outcome = outcome.worse(Outcome::Fail);
            say_notes(&args.input, one.job.scene(), &[left]);
        }
    }
    Ok(outcome)
}

/// A sweep of its own: over time, or along a joint.
struct OneSweep {
    job: Job,
    /// The folder in that of `--out`, of one of several sweeps.
    folder: Option<String>,
    /// The rows that are kept meanwhile.
    rows: Option<Arc<RowsFile>>,
}

/// Returns a sweep for each `--joint`, or else the one over time.
fn sweeps_of(args: &SweepArgs, job: Job) -> anyhow::Result<Vec<OneSweep>> {
    if args.joints.is_empty() {
        let rows = args.kept.open(args.run.out.as_deref(), args.budget)?;
        return Ok(vec![OneSweep { job, folder: None, rows }]);
    }
    let are_several = args.joints.len() > 1;
    if are_several && args.kept.shard.is_some() {
        let why = anyhow!("shards are those of one sweep: give one --joint");
        return Err(of_flag(why, "--shard", &args.input));
    }
    if are_several && !args.scene_exports.is_empty() {
        let why = "several sweeps cannot be shown in one file: --out DIR, and then closefit report";
        return Err(of_flag(anyhow!(why), "--picture, --glb, --bcf, --html", &args.input));
    }
    let has_folders = are_several && args.run.out.is_some();
    let mut sweeps: Vec<OneSweep> = Vec::new();
    for text in &args.joints {
        let refused = |why: &str| of_flag(anyhow!(why.to_owned()), format!("--joint {text}"), &args.input);
        let robot = robot_of(job.scene()).map_err(|why| refused(&why))?;
        let range = joint_range(robot, text).map_err(|why| refused(&why))?;
        let values = match &args.at_joints {
            None => robot.rest(),
            Some(text) => at_joints(text, job.scene(), &args.input)?,
        };
        let name = &*robot.joints[range.joint].name;
        let folder = has_folders.then(|| name.to_owned());
        if has_folders && Path::new(name).file_name().is_none_or(|file| file != name) {
            return Err(refused("its name cannot be that of a folder, which --out needs"));
        }
        if has_folders && sweeps.iter().any(|sweep| sweep.folder == folder) {
            return Err(refused("--out has one folder for each joint, and this one comes twice"));
        }
        let swept = job.along_joint(range, &values).map_err(|why| refused(&why))?;
        let dir = args.run.out.as_ref().map(|out| folder.as_ref().map_or(out.clone(), |name| out.join(name)));
        let rows = args.kept.open(dir.as_deref(), args.budget)?;
        sweeps.push(OneSweep { job: swept, folder, rows });
    }
    Ok(sweeps)
}

/// Sweeps, and writes and prints what was found.
fn run_one(
    args: &SweepArgs,
    asked: &Asked,
    one: &OneSweep,
    (read_s, mut clock): (f64, Clock),
) -> anyhow::Result<Outcome> {
    let (job, scene, progress) = (&one.job, one.job.scene(), args.kept.progress(args.input.quiet));
    progress.name_parts(Arc::clone(job.assembly()));
    let traced = args.trace.as_deref().map(|names| {
        pair_named(scene, names)
            .map_err(|why| of_flag(anyhow!(why), format!("--trace '{names}'"), &args.input))
    });
    let (rows, allow_empty) = (one.rows.clone(), args.run.allow_empty);
    let options = SweepOptions { trace: traced.transpose()?, allow_empty, rows };
    let view = args.table.view(scene, &args.input)?;
    let request = asked.request(args, job)?;
    if let Some(rows) = one.rows.as_ref().filter(|rows| rows.shard().is_some()) {
        job.sweep_shard(&request, &options, &progress).map_err(|error| refused(error, args))?;
        drop(progress);
        return kept_args::finish_shard(rows, args.input.quiet);
    }

    let found = job.sweep(&request, &options, &progress).map_err(|error| refused(error, args))?;
    if args.run.out.is_some() {
        progress.begin(Stage::Writing, 0);
    }
    let (report, certificate) = (&found.report, found.certificate.as_ref());
    let told = Told { certificate, review: &asked.review, heat_map: None };
    let shown = args.scene_exports.files(&Views::of(scene, report), &told, &args.input.scenes)?;
    if args.run.out.is_some() {
        let record = |total: f64| {
            let seconds = found.seconds.of_run(read_s, total);
            let strategy = (found.strategy, request.hull);
            let reading = Reading::of(&args.input.scenes, &read_options(&args.input));
            RunRecord::new("sweep", reading, strategy, &found.counters, seconds)
                .with_method(&request.method, request.precision)
                .with_left(one.rows.as_ref().and_then(|rows| rows.left()))
        };
        let mut files = output(report, &asked.review, certificate);
        let write_record = |file: &mut dyn Write| {
            clock.lap();
            json::write(file, &record(clock.total()))
        };
        files.push(("run.json".to_owned(), Box::new(write_record)));
        match (&one.folder, &args.run.out) {
            (Some(folder), Some(out)) => terminal::write_files(&out.join(folder), files)?,
            _ => terminal::write_output(files)?,
        }
    }
    exports::write_all(shown.files)?;
    drop(progress);
    match report.trace.as_ref().filter(|_| args.run.out.is_none()) {
        _ if args.input.json => terminal::print_by(|stdout| json::write(stdout, report))?,
        Some(trace) => terminal::print_by(|stdout| csv::write_trace(trace, stdout))?,
        None if args.input.quiet => {}
        None => {
            terminal::print(in_words(report, (&view, certificate), args, clock).as_bytes())?;
        }
    }
    let beyond = decide::clearance_note(request.clearance, job.diagonal(Some(request.from))?, scene);
    let is_table = !args.input.json && report.trace.is_none();
    let claims = certificate::notes(certificate.filter(|_| !is_table));
    let notes = found.notes.iter().cloned().chain(claims).chain(found.repairs.iter().cloned());
    let notes = notes.chain(beyond).chain(decide::strategy_notes(found.strategy)).chain(shown.notes);
    say_notes(&args.input, scene, &notes.collect::<Vec<_>>());
    let listed = report.pairs.iter().map(|pair| (pair.sides.ids, pair.verdict));
    Ok(certificate::outcome(decide::outcome(&args.run, job, listed), certificate))
}

/// Returns the files of `--out`, without the record of the run.
fn output<'r>(
    report: &'r SweepReport,
    review: &'r Review,
    certificate: Option<&Certificate>,
) -> Vec<NewFile<'r>> {
    let mut files: Vec<NewFile> = vec![
        ("issues.csv".to_owned(), Box::new(|file| csv::write_issues(report, review, file))),
        ("pairs.csv".to_owned(), Box::new(|file| csv::write_sweep(report, file))),
        ("report.json".to_owned(), Box::new(|file| json::write(file, report))),
    ];
    if report.settings.intervals {
        files.push(("intervals.csv".to_owned(), Box::new(|file| csv::write_intervals(report, file))));
    }
    if let Some(trace) = &report.trace {
        files.push(("trace.csv".to_owned(), Box::new(|file| csv::write_trace(trace, file))));
    }
    files.extend(certificate::file(certificate));
    files
}

/// Returns the text for stdout.
fn in_words(
    report: &SweepReport,
    (view, certificate): (&View, Option<&Certificate>),
    args: &SweepArgs,
    clock: Clock,
) -> String {
    let header = table::sweep_header(report);
    let found = table::sweep_pairs(report, view, Some(decide::width()));
    let found = decide::ruled(report.rules.as_ref(), certificate, &found);
    let intervals = table::sweep_intervals(report, view);
    let gap = if found.is_empty() || intervals.is_empty() { "" } else { "\n" };
    let found = format!("{found}{gap}{intervals}");
    let counted = table::counts(report.pairs.iter().map(|pair| pair.verdict), &report.ledger);
    decide::summary(&args.input.scenes, [&header, &found, &counted], clock)
}

/// Returns the reason why nothing is swept, if nothing moves.
fn standstill(args: &SweepArgs) -> &'static str {
    let is_robot = |path: &PathBuf| Format::of(&path.to_string_lossy()).is_ok_and(|f| f == Format::Urdf);
    match args.input.trajectory.is_none() && args.input.scenes.iter().any(is_robot) {
        true if args.joints.is_empty() => "nothing moves: was --trajectory or --joint forgotten?",
        true => "nothing that the joint moves has a mesh",
        false => "nothing moves: 'closefit check' is for parts at rest",
    }
}

/// The user's lengths, times, strategy, and what people have said.
struct Asked {
    clearance: FlagLength,
    tolerance: Option<FlagLength>,
    precision: Option<FlagLength>,
    from: Option<f64>,
    to: Option<f64>,
    strategy: Strategy,
    review: Review,
}

impl Asked {
    fn of(args: &SweepArgs) -> anyhow::Result<Self> {
        let input = &args.input;
        let time =
            |flag, text: &Option<String>| text.as_ref().map(|text| time(flag, text, input)).transpose();
        let strategy = decide::strategy(&args.run, input)?;
        strategy
            .check_moving(&args.method)
            .map_err(|error| of_flag(error, format!("--method {}", args.method), input))?;
        let strategy = decide::on_device(strategy, &args.run, input)?;
        if args.run.hull == HullFilter::ContactRegion {
            let why = anyhow!("the contact region is that of parts at rest: closest-features is for a sweep");
            return Err(of_flag(why, "--hull contact-region", input));
        }
        Ok(Self {
            clearance: FlagLength::of("--clearance", &args.clearance, input)?,
            tolerance: FlagLength::of_optional("--tolerance", args.tolerance.as_ref(), input)?,
            precision: FlagLength::of_optional("--precision", args.precision.as_ref(), input)?,
            from: time("--from", &args.from)?,
            to: time("--to", &args.to)?,
            strategy,
            review: args.scene_exports.review()?,
        })
    }

    /// Returns the settings of the sweep, with lengths in the scene's unit.
    fn request(&self, args: &SweepArgs, job: &Job) -> anyhow::Result<SweepRequest> {
        let (input, scene) = (&args.input, job.scene());
        let mut request = job.sweep_request(self.from, self.to)?;
        if let Some(tolerance) = &self.tolerance {
            request.tolerance = tolerance.in_unit(scene, input)?;
        }
        if let Some(precision) = &self.precision {
            // If it takes long, a note says so before the work begins.
            request = request.precision(precision.in_unit(scene, input)?).most_cells(None);
        }
        let clearance = self.clearance.in_unit(scene, input)?;
        let request =
            request.clearance(clearance).strategy(self.strategy).broad(args.run.broad).hull(args.run.hull);
        let request = if args.intervals { request.with_intervals() } else { request };
        Ok(request.winding(input.winding()).method(args.method).memory(input.memory()))
    }
}

/// Adds to an error the flag that it concerns.
fn refused(error: JobError, args: &SweepArgs) -> anyhow::Error {
    let error = match error {
        JobError::Sweep { error, .. } => error,
        JobError::Nothing { files, why: NothingAsked::NothingMoves } => {
            return accepted_by_flag(&format!("{files}: nothing would be checked: {}", standstill(args)));
        }
        error => return refusal(error),
    };
    match error {
        SweepError::Unavailable(error) => of_flag(error, "--method", &args.input),
        SweepError::Precision { asked, smallest } if args.precision.is_none() => {
            let why = anyhow!(
                "the default precision of {asked:e} is too fine for f64 here: the smallest possible is {smallest:e}"
            );
            of_flag(why, "--precision", &args.input)
        }
        SweepError::TooManyCells { .. } => {
            let why =
                anyhow!("{error}: a larger precision has fewer cells, and one that is given has no limit");
            of_flag(why, "--precision", &args.input)
        }
        SweepError::Precision { .. } | SweepError::TooManyIntervals { .. } => {
            of_flag(error, "--precision", &args.input)
        }
        error => of_flag(error, "--from, --to", &args.input),
    }
}
