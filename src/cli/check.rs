//! `closefit check`: clash, contact and clearance between parts at rest.

use std::sync::Arc;
use std::time::Instant;

use anyhow::anyhow;

use super::args::CheckArgs;
use super::progress::Progress;
use super::{FlagLength, Outcome, decide, of_flag, read_scene, say_notes, terminal, time, with_file};
use crate::assembly::Assembly;
use crate::hierarchy::strategy::Strategy;
use crate::query::CheckRequest;
use crate::report::{CheckReport, RunRecord, csv, json, table};
use crate::scene::Scene;
use crate::scene::read::Motions;

pub fn run(args: &CheckArgs) -> anyhow::Result<Outcome> {
    decide::in_pool(&args.run, &args.input, |started| run_in_pool(args, started))
}

fn run_in_pool(args: &CheckArgs, started: Instant) -> anyhow::Result<Outcome> {
    let asked = Asked::of(args)?;
    let progress = Progress::new(args.input.quiet);
    let assembly = Arc::new(Assembly::from(scene(args, &progress)?));
    let scene = assembly.scene();
    progress.name_parts(Arc::clone(&assembly));
    let read_s = started.elapsed().as_secs_f64();
    let request = asked.request(args, &assembly)?;

    let result = assembly.check_observed(&request, &progress);
    drop(progress);
    let result = result.map_err(|error| with_file(error, scene, &args.input))?;
    let total_s = started.elapsed().as_secs_f64();

    let (counters, repairs) = (result.counters, table::repairs(scene, &result.repairs));
    let report = CheckReport::new(scene, result);
    let verdicts = || report.pairs.iter().map(|pair| pair.verdict);
    if args.run.out.is_some() {
        let seconds = [read_s, total_s];
        let run = RunRecord::new("check", &args.input.scenes, request.strategy, &counters, seconds)
            .with_depth(request.depth);
        let contents = [
            ("run.json".to_owned(), json::document(&run)),
            ("pairs.csv".to_owned(), csv::check(&report)),
            ("report.json".to_owned(), json::document(&report)),
        ];
        terminal::write_output(&contents)?;
    }
    if args.input.json {
        terminal::print(&json::document(&report))?;
    } else if !args.input.quiet {
        let header = table::check_header(&report);
        let pairs = table::check_pairs(&report, decide::ROWS, terminal::width());
        let counted = table::counts(verdicts(), &report.ledger);
        let summary = decide::summary(&args.input.scenes, [&header, &pairs, &counted], total_s);
        terminal::print(summary.as_bytes())?;
    }
    say_notes(&args.input, scene, &repairs);
    Ok(decide::outcome(&args.run, verdicts()))
}

/// Reads the scene as it stands, or at the time `--at`. Its motions must be valid only if there is a time.
fn scene(args: &CheckArgs, progress: &Progress) -> anyhow::Result<Scene> {
    let input = &args.input;
    let Some(text) = &args.at else { return read_scene(input, Motions::Noted, progress) };
    let at = time("--at", text, input)?;
    let scene = read_scene(input, Motions::Required, progress)?;
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
            strategy: decide::strategy(&args.run, input)?,
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
        Ok(request.strategy(self.strategy).winding(input.winding()))
    }
}
