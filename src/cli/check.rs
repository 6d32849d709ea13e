//! `closefit check`: clash, contact and clearance of the parts where they stand.

use std::fmt::Write;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, ensure};

use super::args::CheckArgs;
use super::{Outcome, read_scene, terminal, with_file};
use crate::engine::{self, CheckResult};
use crate::query::CheckRequest;
use crate::report::{Report, RunRecord, csv, files, json, table};
use crate::scene::Scene;
use crate::text::printable;
use crate::units::Length;

/// Rows of the table on stdout; the report has all.
const ROWS: usize = 40;

pub fn run(args: &CheckArgs) -> anyhow::Result<Outcome> {
    let started = Instant::now();
    if let Some(out) = &args.out {
        files::check_writable(out)?;
    }
    let threads = args.threads.map_or(0, usize::from); // 0: one per core
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().context("--threads")?;
    pool.install(|| run_in_pool(args, started))
}

fn run_in_pool(args: &CheckArgs, started: Instant) -> anyhow::Result<Outcome> {
    let threads = rayon::current_num_threads();
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

    let report = Report::new(&scene, &result);
    if let Some(out) = &args.out {
        let inputs = args.input.scenes.iter().map(|p| p.display().to_string()).collect();
        let run =
            RunRecord::new("check", inputs, (request.backend, threads), &result.counters, read_s, total_s);
        let contents = [
            ("run.json".to_owned(), json::document(&run)),
            ("pairs.csv".to_owned(), csv::pairs(&report)),
            ("report.json".to_owned(), json::document(&report)),
        ];
        terminal::write_files(out, &contents)?;
    }
    if args.input.json {
        terminal::print(&json::document(&report))?;
    } else if !args.input.quiet {
        let summary = summary(args, &scene, &result, threads, total_s);
        terminal::print(summary.as_bytes())?;
    }
    let failed = result.pairs.iter().any(|pair| args.fail_on.fails(pair.verdict));
    Ok(if failed { Outcome::Fail } else { Outcome::Pass })
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
        backend: args.backend,
    })
}

fn summary(args: &CheckArgs, scene: &Scene, result: &CheckResult, threads: usize, total_s: f64) -> String {
    let mut text = format!("{}: {}\n\n", files_line(&args.input.scenes), table::header(scene, result));
    let pairs = table::pairs(scene, result, ROWS, terminal::width());
    if !pairs.is_empty() {
        text += &pairs;
        text.push('\n');
    }
    // Writing to a String cannot fail.
    let _ = writeln!(text, "{}", table::counts(result.pairs.iter().map(|p| p.verdict), &result.ledger));
    let _ = writeln!(text, "{total_s:.2} s on {threads} thread{}", if threads == 1 { "" } else { "s" });
    text
}

/// The files of the scene; of many, the first and how many others.
pub(super) fn files_line(scenes: &[PathBuf]) -> String {
    let names: Vec<_> = scenes.iter().map(|path| printable(&path.display().to_string())).collect();
    match names.as_slice() {
        [first, rest @ ..] if rest.len() > 2 => format!("{first} and {} more files", rest.len()),
        few => few.join(", "),
    }
}
