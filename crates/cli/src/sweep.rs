//! `closefit sweep`: time of contact and smallest clearance over the motion.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::anyhow;

use super::args::SweepArgs;
use super::claims::{self, Claimed};
use super::cross_check::Disagreed;
use super::diff::Baseline;
use super::named_parts::pair_named;
use super::pairs::Pairs;
use super::progress::Progress;
use super::{FlagLength, Outcome, decide, of_flag, read_scene, say_notes, terminal, time, with_file};
use closefit::Assembly;
use closefit::internals::engine::{Clock, Observer, Stage, SweepError};
use closefit::internals::hierarchy::strategy::Strategy;
use closefit::internals::query::CheckRequest;
use closefit::internals::query::moving_pair::SweepRequest;
use closefit_geometry::scene::Scene;
use closefit_report::digest::Digests;
use closefit_report::document::TraceRow;
use closefit_report::files::NewFile;
use closefit_report::table::View;
use closefit_report::{Certificate, RunRecord, Seconds, SweepReport, csv, json, table};
use closefit_scene::read::{Format, Motions};

pub fn run(args: &SweepArgs) -> anyhow::Result<Outcome> {
    Baseline::read(None, args.run.fail_on)?;
    decide::in_pool(&args.run, &args.input, |clock| run_in_pool(args, clock))
}

fn run_in_pool(args: &SweepArgs, mut clock: Clock) -> anyhow::Result<Outcome> {
    let asked = Asked::of(args)?;
    args.table.without_depths(&args.input)?;
    let progress = Progress::new(args.input.quiet);
    let mut pairs = Pairs::read(&args.pairs)?;
    let srdf = args.pairs.srdf.as_ref();
    let (mut scene, files) = read_scene(&args.input, Motions::Required, srdf, &progress)?;
    pairs.apply(&args.pairs, &mut scene, &files)?;
    let assembly = Arc::new(Assembly::from(scene));
    let scene = assembly.scene();
    progress.name_parts(Arc::clone(&assembly));
    let mut seconds = Seconds { read: clock.lap(), ..Seconds::default() };
    let traced = args.trace.as_deref().map(|names| {
        pair_named(scene, names)
            .map_err(|why| of_flag(anyhow!(why), format!("--trace '{names}'"), &args.input))
    });
    let traced = traced.transpose()?;
    let view = args.table.view(scene, &args.input)?;
    let request = asked.request(args, &assembly)?;

    let result = assembly.sweep_observed(&request, &progress);
    let result = result.map_err(|error| refused(error, scene, args))?;
    let cause = standstill(args, &assembly).map(str::to_owned).or_else(|| pairs.why_empty());
    decide::refuse_empty(&args.run, &args.input, &result.ledger, cause.as_deref())?;
    seconds.add_engine(clock.lap(), &result.counters);
    let strategy = result.request.strategy;
    if traced.is_some() {
        progress.begin(Stage::Tracing, 0);
    }
    let trace = traced.map(|pair| {
        assembly.distances_over_time(pair, &request).map(|distances| TraceRow::new(pair, distances))
    });
    let trace = trace.transpose().map_err(|error| refused(error, scene, args))?;
    seconds.trace = trace.as_ref().map(|_| clock.lap());

    if args.run.out.is_some() {
        progress.begin(Stage::Writing, 0);
    }
    let digests = Digests::moving(scene, [request.from, request.to]);
    seconds.digest = clock.lap();
    let (counters, repairs) = (result.counters, table::repairs(scene, &result.repairs));
    let rule_notes = pairs.notes(&result.ledger);
    let rules = pairs.rows(&result.ledger.by_entry, [request.clearance, request.tolerance]);
    let report = SweepReport { trace, ..SweepReport::with_digests(scene, result, &digests) };
    let report = report.with_rules(rules, |ids| pairs.rule_of(ids)).with_zones(|part| pairs.is_zone(part));
    let listed = || report.pairs.iter().map(|pair| (pair.sides.ids, pair.verdict));
    let certificate = certify(args, scene, &digests, &request, &pairs)?;
    if args.run.out.is_some() {
        let record = |report_s: f64, total: f64| {
            let seconds = Seconds { report: report_s, total, ..seconds };
            RunRecord::new("sweep", &args.input.scenes, (strategy, request.hull), &counters, seconds)
        };
        let mut files = output(&report, certificate.as_ref());
        let write_record = |file: &mut dyn Write| json::write(file, &record(clock.lap(), clock.total()));
        files.push(("run.json".to_owned(), Box::new(write_record)));
        terminal::write_output(files)?;
    }
    drop(progress);
    match report.trace.as_ref().filter(|_| args.run.out.is_none()) {
        _ if args.input.json => terminal::print_by(|stdout| json::write(stdout, &report))?,
        Some(trace) => terminal::print_by(|stdout| csv::write_trace(trace, stdout))?,
        None if args.input.quiet => {}
        None => {
            terminal::print(in_words(&report, (&view, certificate.as_ref()), args, clock).as_bytes())?;
        }
    }
    let beyond = decide::clearance_note(request.clearance, assembly.diagonal(Some(request.from))?, scene);
    let device = decide::device_note(strategy);
    let is_table = !args.input.json && report.trace.is_none();
    let claim_notes = claims::notes(certificate.as_ref().filter(|_| !is_table));
    let rule_notes = rule_notes.into_iter().chain(unasked(&pairs)).chain(claim_notes);
    let notes: Vec<String> = rule_notes.chain(repairs).chain(beyond).chain(device).collect();
    say_notes(&args.input, scene, &notes);
    Ok(claims::outcome(decide::outcome(&args.run, &pairs, listed()), certificate.as_ref()))
}

/// Returns the files of `--out`, without the record of the run.
fn output<'r>(report: &'r SweepReport, certificate: Option<&Certificate>) -> Vec<NewFile<'r>> {
    let mut files: Vec<NewFile> = vec![
        ("pairs.csv".to_owned(), Box::new(|file| csv::write_sweep(report, file))),
        ("report.json".to_owned(), Box::new(|file| json::write(file, report))),
    ];
    if let Some(trace) = &report.trace {
        files.push(("trace.csv".to_owned(), Box::new(|file| csv::write_trace(trace, file))));
    }
    files.extend(claims::file(certificate));
    files
}

/// Returns what was found about the claims of the rules file, if it has any.
fn certify(
    args: &SweepArgs,
    scene: &Scene,
    digests: &Digests,
    request: &SweepRequest,
    pairs: &Pairs,
) -> anyhow::Result<Option<Certificate>> {
    let standing = CheckRequest::default()
        .tolerance(request.tolerance)
        .strategy(request.strategy)
        .broad(request.broad)
        .hull(request.hull)
        .winding(request.winding)
        .memory(request.memory);
    let claimed = Claimed { scene, input: &args.input, digests, standing, motion: Some(*request) };
    claimed.of_file(pairs, &[])?.map_err(|Disagreed(line)| anyhow!(line))
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
    let counted = table::counts(report.pairs.iter().map(|pair| pair.verdict), &report.ledger);
    decide::summary(&args.input.scenes, [&header, &found, &counted], clock)
}

/// Returns a note if the rules file has waivers.
fn unasked(pairs: &Pairs) -> Option<String> {
    pairs.waivers().map(|_| "waivers are about depths, of which a sweep has no bounds".to_owned())
}

/// Returns the reason why nothing is swept, if nothing moves.
fn standstill(args: &SweepArgs, assembly: &Assembly) -> Option<&'static str> {
    let is_robot = |path: &PathBuf| Format::of(&path.to_string_lossy()).is_ok_and(|f| f == Format::Urdf);
    match assembly.time_range() {
        Some(_) => None,
        None if args.input.trajectory.is_none() && args.input.scenes.iter().any(is_robot) => {
            Some("nothing moves: was --trajectory forgotten?")
        }
        None => Some("nothing moves: 'closefit check' is for parts at rest"),
    }
}

/// The user's lengths, times and strategy.
struct Asked {
    clearance: FlagLength,
    tolerance: Option<FlagLength>,
    precision: Option<FlagLength>,
    from: Option<f64>,
    to: Option<f64>,
    strategy: Strategy,
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
        Ok(Self {
            clearance: FlagLength::of("--clearance", &args.clearance, input)?,
            tolerance: FlagLength::of_optional("--tolerance", args.tolerance.as_ref(), input)?,
            precision: FlagLength::of_optional("--precision", args.precision.as_ref(), input)?,
            from: time("--from", &args.from)?,
            to: time("--to", &args.to)?,
            strategy,
        })
    }

    /// Returns the settings of the sweep, with lengths in the scene's unit. If nothing moves, a single time
    /// given is both start and end.
    fn request(&self, args: &SweepArgs, assembly: &Assembly) -> anyhow::Result<SweepRequest> {
        let (input, scene) = (&args.input, assembly.scene());
        let [from, to] = match assembly.time_range() {
            Some([first, last]) => [self.from.unwrap_or(first), self.to.unwrap_or(last)],
            None => [self.from.or(self.to), self.to.or(self.from)].map(Option::unwrap_or_default),
        };
        let mut request = assembly.sweep_request(from, to).map_err(|error| with_file(error, scene, input))?;
        if let Some(tolerance) = &self.tolerance {
            request.tolerance = tolerance.in_unit(scene, input)?;
        }
        if let Some(precision) = &self.precision {
            request.precision = precision.in_unit(scene, input)?;
        }
        let clearance = self.clearance.in_unit(scene, input)?;
        let request =
            request.clearance(clearance).strategy(self.strategy).broad(args.run.broad).hull(args.run.hull);
        Ok(request.winding(input.winding()).method(args.method).memory(input.memory()))
    }
}

/// Adds to the engine's error the flag or the files that it concerns.
fn refused(error: SweepError, scene: &Scene, args: &SweepArgs) -> anyhow::Error {
    match error {
        SweepError::Check(error) => with_file(error, scene, &args.input),
        SweepError::Unavailable(error) => of_flag(error, "--method", &args.input),
        SweepError::NoTime { .. } => of_flag(error, "--from, --to", &args.input),
        SweepError::Precision { asked, smallest } if args.precision.is_none() => {
            let why = anyhow!(
                "the default precision of {asked:e} is too fine for f64 here: the smallest possible is {smallest:e}"
            );
            of_flag(why, "--precision", &args.input)
        }
        SweepError::Precision { .. } => of_flag(error, "--precision", &args.input),
    }
}
