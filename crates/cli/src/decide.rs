//! Common steps of the commands that decide pairs.

use std::path::{Path, PathBuf};

use anyhow::anyhow;

use super::args::{Backend, Input, RunArgs};
use super::{Outcome, of_flag, terminal};
use closefit::internals::engine::Clock;
#[cfg(feature = "gpu")]
use closefit::internals::gpu::{Choice, Device, DeviceError};
use closefit::internals::hierarchy::strategy::Strategy;
use closefit::internals::query::Verdict;
use closefit_geometry::parallel;
use closefit_geometry::pool::Pool;
use closefit_geometry::scene::Scene;
use closefit_job::{Job, files_line, model_cache, unsaved_models};
use closefit_report::Certificate;
use closefit_report::document::RulesRow;
use closefit_report::table::{self, folded, scene_length};

/// The number of columns of a table that no terminal shows.
const COLUMNS: usize = 120;

/// Returns the number of columns of tables: those of the terminal, else what the environment says in
/// `COLUMNS`, else 120.
pub(super) fn width() -> usize {
    let said = || std::env::var("COLUMNS").ok()?.trim().parse().ok().filter(|&columns| columns > 0);
    terminal::width().or_else(said).unwrap_or(COLUMNS)
}

/// Claims a directory, if there is one, then runs the work on a number of threads. The work receives a clock
/// that started before.
pub(super) fn in_pool<T: Send>(
    out: Option<&Path>,
    threads: Option<u16>,
    input: &Input,
    work: impl FnOnce(Clock) -> anyhow::Result<T> + Send,
) -> anyhow::Result<T> {
    let clock = Clock::start();
    if let Some(out) = out {
        terminal::claim_output(out)?;
    }
    let pool = Pool::of(threads.map_or(0, usize::from)); // 0: one per core
    pool.install(|| work(clock)).map_err(|error| of_flag(error, "--threads", input))?
}

/// Returns the kind of tree, the executor of its kernels and the cache of trees, without a device.
pub(super) fn strategy(args: &RunArgs, input: &Input) -> anyhow::Result<Strategy> {
    if let (Some(adapter), true) = (&args.adapter, args.backend != Backend::Gpu) {
        return Err(of_flag(anyhow!("it needs --backend gpu"), format!("--adapter {adapter}"), input));
    }
    let strategy = args.strategy().map_err(|error| of_flag(error, format!("--tree {}", args.tree), input))?;
    let cache = args.cache.as_deref().map(model_cache).transpose()?;
    Ok(cache.map_or(strategy, |cache| strategy.cached(cache)))
}

/// Opens the device for `--backend gpu`. For `auto`, the run opens one if that pays.
#[cfg(feature = "gpu")]
pub(super) fn on_device(strategy: Strategy, args: &RunArgs, input: &Input) -> anyhow::Result<Strategy> {
    match args.backend {
        Backend::Auto => return Ok(strategy.on_device_if_worthwhile()),
        Backend::On(_) => return Ok(strategy),
        Backend::Gpu => {}
    }
    let refused = |error: DeviceError| of_flag(anyhow!(error.in_one_line()), "--backend gpu", input);
    let Ok(choice) = args.adapter.as_deref().map_or(Ok(Choice::Best), str::parse);
    let device = terminal::without_stderr(|| Device::open(&choice)).map_err(refused)?;
    strategy.on(device).map_err(|error| of_flag(error, format!("--tree {}", args.tree), input))
}

/// Returns the strategy unchanged: this build has no devices.
#[cfg(not(feature = "gpu"))]
pub(super) fn on_device(strategy: Strategy, _: &RunArgs, _: &Input) -> anyhow::Result<Strategy> {
    Ok(strategy)
}

/// Returns the note for a user whose clearance exceeds the scene, so that every pair is listed: a wrong unit?
pub(super) fn clearance_note(clearance: f64, diagonal: f64, scene: &Scene) -> Option<String> {
    let in_unit = |length| scene_length(scene.unit, length);
    let (asked, all) = (in_unit(clearance), in_unit(diagonal));
    (clearance > diagonal).then(|| {
        format!("--clearance {asked} is more than the scene's diagonal of {all}, so every pair is within it: another unit?")
    })
}

/// Returns notes for a user about a device that failed, and a cache that could not be written.
pub(super) fn strategy_notes(strategy: Strategy) -> impl Iterator<Item = String> {
    let failure = strategy.device().and_then(|device| device.failure());
    let failure = failure.map(|failure| format!("{}; the CPU did its work", failure.in_one_line()));
    failure.into_iter().chain(strategy.cache().and_then(|_| unsaved_models()))
}

/// Returns [`Outcome::Fail`] if any pair has a verdict at or above that with which it fails.
pub(super) fn outcome(
    args: &RunArgs,
    job: &Job,
    mut listed: impl Iterator<Item = ([u32; 2], Verdict)>,
) -> Outcome {
    let fails = |(ids, verdict)| args.fail_on.of_pair(job, ids).fails(verdict);
    if listed.any(fails) { Outcome::Fail } else { Outcome::Pass }
}

/// Returns the lines about the rules of a report and about claims, if it has any, followed by its table of
/// pairs.
pub(super) fn ruled(rules: Option<&RulesRow>, claims: Option<&Certificate>, pairs: &str) -> String {
    let [rules, claims] = [rules.map(table::rules), claims.map(table::claims)].map(Option::unwrap_or_default);
    let gap = if rules.is_empty() || claims.is_empty() { "" } else { "\n" };
    let width = width();
    let lines = format!("{rules}{gap}{claims}");
    let lines: String = lines.lines().map(|line| folded(line, width) + "\n").collect();
    let gap = if lines.is_empty() || pairs.is_empty() { "" } else { "\n" };
    format!("{lines}{gap}{pairs}")
}

/// Returns the text for stdout: the scene, its pairs, the count of each verdict, and the time since the
/// start.
pub(super) fn summary(scenes: &[PathBuf], [header, pairs, counts]: [&str; 3], mut clock: Clock) -> String {
    let width = width();
    let header = folded(&format!("{}: {header}", files_line(scenes)), width);
    let gap = if pairs.is_empty() { "" } else { "\n" };
    let threads = parallel::threads();
    let s = if threads == 1 { "" } else { "s" };
    let counts = folded(counts, width);
    clock.lap();
    let total_s = clock.total();
    format!("{header}\n\n{pairs}{gap}{counts}\n{total_s:.2} s on {threads} thread{s}\n")
}
