//! `closefit check`: clash, contact and clearance of the parts where they stand.

use std::time::Instant;

use anyhow::{Context, ensure};

use super::args::CheckArgs;
use super::{Outcome, decide, read_scene, terminal, with_file};
use crate::engine;
use crate::query::CheckRequest;
use crate::report::{Report, RunRecord, csv, json, table};
use crate::scene::Scene;
use crate::units::Length;

pub fn run(args: &CheckArgs) -> anyhow::Result<Outcome> {
    decide::in_pool(&args.run, |started| run_in_pool(args, started))
}

fn run_in_pool(args: &CheckArgs, started: Instant) -> anyhow::Result<Outcome> {
    let mut scene = read_scene(&args.input)?;
    if let Some(time) = args.at {
        ensure!(scene.time_range().is_some(), "--at {time}: nothing in the scene moves");
        scene = scene.at(time);
    }
    let read_s = started.elapsed().as_secs_f64();
    let request = request(args, &scene)?;

    let progress = terminal::Progress::new(args.input.quiet);
    let result = engine::check(&scene, &request, &progress);
    progress.finish();
    let result = result.map_err(|error| with_file(error, &scene, &args.input))?;
    let total_s = started.elapsed().as_secs_f64();

    terminal::notes(&args.input, &table::repairs(&scene, &result.repairs));
    let verdicts = || result.pairs.iter().map(|pair| pair.verdict);
    let report = Report::new(&scene, &result);
    if args.run.out.is_some() {
        let run =
            RunRecord::new("check", &args.input.scenes, request.backend, &result.counters, [read_s, total_s]);
        let contents = [
            ("run.json".to_owned(), json::document(&run)),
            ("pairs.csv".to_owned(), csv::pairs(&report)),
            ("report.json".to_owned(), json::document(&report)),
        ];
        terminal::write_output(&contents)?;
    }
    if args.input.json {
        terminal::print(&json::document(&report))?;
    } else if !args.input.quiet {
        let header = table::header(&scene, &result);
        let pairs = table::pairs(&scene, &result, decide::ROWS, terminal::width());
        let counted = table::counts(verdicts(), &result.ledger);
        let summary = decide::summary(&args.input.scenes, [&header, &pairs, &counted], total_s);
        terminal::print(summary.as_bytes())?;
    }
    Ok(decide::outcome(&args.run, verdicts()))
}

/// The user's lengths in the scene's unit.
fn request(args: &CheckArgs, scene: &Scene) -> anyhow::Result<CheckRequest> {
    let resolve = |flag: &'static str, length: &Length| length.in_unit(scene.unit).context(flag);
    Ok(CheckRequest {
        clearance: resolve("--clearance", &args.clearance)?,
        tolerance: match &args.tolerance {
            Some(length) => resolve("--tolerance", length)?,
            None => engine::default_tolerance(scene).map_err(|error| with_file(error, scene, &args.input))?,
        },
        list_contacts: args.contacts,
        backend: args.run.backend,
        winding: args.input.winding(),
    })
}
