//! `closefit check`: clash, contact and clearance of the parts where they stand.

use std::cell::LazyCell;
use std::sync::Arc;
use std::time::Instant;

use anyhow::anyhow;

use super::args::CheckArgs;
use super::progress::Progress;
use super::{FlagLength, Outcome, decide, of_flag, read_scene, say_notes, terminal, time, with_file};
use crate::engine;
use crate::query::CheckRequest;
use crate::report::{Report, RunRecord, csv, json, table};
use crate::scene::Scene;
use crate::scene::read::Motions;

pub fn run(args: &CheckArgs) -> anyhow::Result<Outcome> {
    decide::in_pool(&args.run, &args.input, |started| run_in_pool(args, started))
}

fn run_in_pool(args: &CheckArgs, started: Instant) -> anyhow::Result<Outcome> {
    let lengths = Lengths::of(args)?;
    let progress = Progress::new(args.input.quiet);
    let scene = Arc::new(scene(args, &progress)?);
    progress.name_parts(Arc::clone(&scene));
    let read_s = started.elapsed().as_secs_f64();
    let request = lengths.request(args, &scene)?;

    let result = engine::check(&scene, &request, &progress);
    drop(progress);
    let result = result.map_err(|error| with_file(error, &scene, &args.input))?;
    let total_s = started.elapsed().as_secs_f64();

    let verdicts = || result.pairs.iter().map(|pair| pair.verdict);
    let report = LazyCell::new(|| Report::new(&scene, &result));
    if args.run.out.is_some() {
        let run =
            RunRecord::new("check", &args.input.scenes, request.backend, &result.counters, [read_s, total_s])
                .with_depth(request.depth);
        let contents = [
            ("run.json".to_owned(), json::document(&run)),
            ("pairs.csv".to_owned(), csv::pairs(&report)),
            ("report.json".to_owned(), json::document(&*report)),
        ];
        terminal::write_output(&contents)?;
    }
    if args.input.json {
        terminal::print(&json::document(&*report))?;
    } else if !args.input.quiet {
        let header = table::header(&scene, &result);
        let pairs = table::pairs(&scene, &result, decide::ROWS, terminal::width());
        let counted = table::counts(verdicts(), &result.ledger);
        let summary = decide::summary(&args.input.scenes, [&header, &pairs, &counted], total_s);
        terminal::print(summary.as_bytes())?;
    }
    say_notes(&args.input, &scene, &table::repairs(&scene, &result.repairs));
    Ok(decide::outcome(&args.run, verdicts()))
}

/// The scene where it stands, or at `--at`: only then must all that moves be sound.
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

/// The user's lengths.
struct Lengths {
    clearance: FlagLength,
    tolerance: Option<FlagLength>,
}

impl Lengths {
    fn of(args: &CheckArgs) -> anyhow::Result<Self> {
        let input = &args.input;
        Ok(Self {
            clearance: FlagLength::of("--clearance", &args.clearance, input)?,
            tolerance: FlagLength::of_optional("--tolerance", args.tolerance.as_ref(), input)?,
        })
    }

    /// What to ask, with lengths in the scene's unit.
    fn request(&self, args: &CheckArgs, scene: &Scene) -> anyhow::Result<CheckRequest> {
        let input = &args.input;
        Ok(CheckRequest {
            clearance: self.clearance.in_unit(scene, input)?,
            tolerance: match &self.tolerance {
                Some(tolerance) => tolerance.in_unit(scene, input)?,
                None => engine::default_tolerance(scene).map_err(|error| with_file(error, scene, input))?,
            },
            list_contacts: args.contacts,
            backend: args.run.backend,
            winding: input.winding(),
            depth: args.depth.into(),
        })
    }
}
