//! `closefit check`: clash, contact and clearance between parts at rest.

use std::io::Write;
use std::sync::Arc;

use anyhow::anyhow;

use super::args::CheckArgs;
use super::check_results::CheckResults;
use super::claims::{self, Claimed};
use super::cross_check::{Disagreed, compared as compared_kinds};
use super::diff::Baseline;
use super::grouping::GroupsAsked;
use super::pairs::Pairs;
use super::progress::Progress;
use super::waivers::Checked;
use super::{
    FlagLength, Outcome, cross_check, decide, of_flag, read_scene, say_notes, terminal, time, with_file,
};
use closefit::Assembly;
use closefit::internals::engine::{Clock, Observer, Stage};
use closefit::internals::hierarchy::strategy::Strategy;
use closefit::internals::query::CheckRequest;
use closefit_geometry::scene::Scene;
use closefit_report::digest::Digests;
use closefit_report::{CheckReport, RunRecord, Seconds, json, table};
use closefit_scene::read::Motions;

pub fn run(args: &CheckArgs) -> anyhow::Result<Outcome> {
    match decide::in_pool(&args.run, &args.input, |clock| run_in_pool(args, clock))? {
        Ok(outcome) => Ok(outcome),
        Err(Disagreed(line)) => {
            terminal::say(&line);
            Ok(Outcome::Disagreement)
        }
    }
}

fn run_in_pool(args: &CheckArgs, mut clock: Clock) -> anyhow::Result<Result<Outcome, Disagreed>> {
    let asked = Asked::of(args)?;
    let groups = GroupsAsked::of(&args.groups, &args.input)?;
    let baseline = Baseline::read(args.baseline.as_ref(), args.run.fail_on)?;
    let progress = Progress::new(args.input.quiet);
    let mut pairs = Pairs::read(&args.pairs)?;
    let assembly = Arc::new(Assembly::from(scene(args, &mut pairs, &progress)?));
    let scene = assembly.scene();
    progress.name_parts(Arc::clone(&assembly));
    let mut seconds = Seconds { read: clock.lap(), ..Seconds::default() };

    let view = args.table.view(scene, &args.input)?;
    let request = asked.request(args, &assembly)?;
    let result = assembly.check_observed(&request, &progress);
    let result = result.map_err(|error| with_file(error, scene, &args.input))?;
    seconds.add_engine(clock.lap(), &result.counters);
    decide::refuse_empty(&args.run, &args.input, &result.ledger, pairs.why_empty().as_deref())?;
    let strategy = result.request.strategy;

    let kinds = compared_kinds(request.strategy.tree(), args.cross_check.as_ref());
    let compared = match kinds.is_empty() {
        false => match cross_check::run(&assembly, &request, &kinds, args, &progress)? {
            Ok(record) => Some((record, clock.lap())),
            Err(disagreed) => return Ok(Err(disagreed)),
        },
        true => None,
    };

    if args.run.out.is_some() {
        progress.begin(Stage::Writing, 0);
    }
    let digests = Digests::standing(scene);
    seconds.digest = clock.lap();
    let (counters, repairs) = (result.counters, table::repairs(scene, &result.repairs));
    let rule_notes = pairs.notes(&result.ledger);
    let rules = pairs.rows(&result.ledger.by_entry, [request.clearance, request.tolerance]);
    let report = CheckReport::with_digests(scene, result, &digests);
    let mut report =
        report.with_rules(rules, |ids| pairs.rule_of(ids)).with_zones(|part| pairs.is_zone(part));
    let checked = Checked { scene, request: &request, input: &args.input };
    let waiver_notes = checked.waive(pairs.waivers(), &mut report)?;
    let (report, group_note) = groups.group(report, &assembly, &args.input)?;
    let diff = baseline.as_ref().map(|baseline| baseline.compared(&report)).transpose()?;
    let claimed = Claimed { scene, input: &args.input, digests: &digests, standing: request, motion: None };
    let certificate = match claimed.of_file(&pairs, &kinds)? {
        Ok(certificate) => certificate,
        Err(disagreed) => return Ok(Err(disagreed)),
    };
    let (diff, certificate) = (diff.as_ref(), certificate.as_ref());
    let results = CheckResults { args, pairs: &pairs, report: &report, diff, certificate };
    if args.run.out.is_some() {
        let record = |report_s: f64, total: f64| {
            let cross_check = compared.as_ref().map(|&(_, seconds)| seconds);
            let seconds = Seconds { cross_check, report: report_s, total, ..seconds };
            RunRecord::new("check", &args.input.scenes, (strategy, request.hull), &counters, seconds)
                .with_depth(request.depth)
                .with_cross_check(compared.as_ref().map(|(record, _)| record.clone()))
        };
        let mut files = results.files();
        let write_record = |file: &mut dyn Write| json::write(file, &record(clock.lap(), clock.total()));
        files.push(("run.json".to_owned(), Box::new(write_record)));
        terminal::write_output(files)?;
    }
    results.export()?;
    drop(progress);
    let agreement = compared.as_ref().map_or_else(String::new, |(record, _)| record.in_words());
    let since = baseline.as_ref().zip(diff).map(|(baseline, diff)| baseline.in_words(diff));
    results.show(&view, &agreement, since, clock)?;
    let beyond = decide::clearance_note(request.clearance, assembly.diagonal(None)?, scene);
    let device = decide::device_note(strategy);
    let claim_notes = claims::notes(certificate.filter(|_| args.input.json));
    let rule_notes = rule_notes.into_iter().chain(waiver_notes).chain(claim_notes);
    let notes = rule_notes.chain(repairs).chain(beyond).chain(group_note).chain(device);
    say_notes(&args.input, scene, &notes.collect::<Vec<_>>());
    Ok(Ok(results.outcome()))
}

/// Reads the scene as it stands, or at the time `--at`, with the rules about its pairs. Its motions must be
/// valid only if there is a time.
fn scene(args: &CheckArgs, pairs: &mut Pairs, progress: &Progress) -> anyhow::Result<Scene> {
    let (input, srdf) = (&args.input, args.pairs.srdf.as_ref());
    let motions = if args.at.is_some() { Motions::Required } else { Motions::Noted };
    let at = args.at.as_ref().map(|text| time("--at", text, input).map(|at| (at, text))).transpose()?;
    let (mut scene, files) = read_scene(input, motions, srdf, progress)?;
    pairs.apply(&args.pairs, &mut scene, &files)?;
    let Some((at, text)) = at else { return Ok(scene) };
    match scene.time_range() {
        Some(_) => Ok(scene.at(at)),
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
    fn request(&self, args: &CheckArgs, assembly: &Assembly) -> anyhow::Result<CheckRequest> {
        let (input, scene) = (&args.input, assembly.scene());
        let request = match &self.tolerance {
            Some(tolerance) => CheckRequest::default().tolerance(tolerance.in_unit(scene, input)?),
            None => assembly.check_request().map_err(|error| with_file(error, scene, input))?,
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
