//! Common steps of the commands that decide pairs.

use std::ffi::OsString;
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::errors::of_flag;
use crate::outcome::Outcome;
use crate::settings::scene_exports::SceneExports;
use crate::terminal;
use closefit::Strategy;
use closefit::internals::engine::Clock;
use closefit_geometry::parallel;
use closefit_geometry::pool::Pool;
use closefit_geometry::text::printable;
use closefit_job::{Journal, files_line, unsaved_models};
use closefit_report::table::{Screen, folded};
use closefit_scene::shell;

/// The number of columns of a table that no terminal shows.
const COLUMNS: usize = 120;

/// Returns the width of tables in columns: the width of the terminal, else `COLUMNS` of the environment,
/// else 120.
pub fn width() -> usize {
    let said = || std::env::var("COLUMNS").ok()?.trim().parse().ok().filter(|&columns| columns > 0);
    terminal::width().or_else(said).unwrap_or(COLUMNS)
}

/// Returns the width of tables, and whether they have colours.
pub fn screen() -> Screen {
    Screen { width: Some(width()), has_colours: terminal::has_colours() }
}

/// Returns a line with the command to run next, which shows the findings of a run on a page: from the files
/// that it has written to `out`, or by its own arguments with one more. Empty if there is a page already.
pub fn next_step(out: Option<&Path>, arguments: &[OsString], exports: &SceneExports) -> String {
    if exports.html.is_some() {
        return String::new();
    }
    let words: Option<Vec<&str>> = match out {
        Some(out) => out.to_str().map(|out| vec!["report", out]),
        None => arguments.iter().map(|argument| argument.to_str()).collect(),
    };
    // A name that is not text cannot be pasted.
    words.map_or_else(String::new, |words| {
        let words: Vec<_> = words.into_iter().map(shell::word).collect();
        format!("Next: closefit {} --html report.html\n", printable(&words.join(" ")))
    })
}

/// Claims a directory, if there is one, then runs the work on a number of threads. The work receives a clock
/// that started before.
pub fn in_pool<T: Send>(
    out: Option<&Path>,
    threads: Option<u16>,
    work: impl FnOnce(Clock) -> anyhow::Result<T> + Send,
) -> anyhow::Result<T> {
    let clock = Clock::start();
    if let Some(out) = out {
        terminal::claim_output(out)?;
    }
    let pool = Pool::of(threads.map_or(0, usize::from)); // 0: one per core
    pool.install(|| work(clock)).map_err(|error| of_flag(error, "--threads"))?
}

/// Leaves a scene or a report in memory until the process ends, which is as soon as the run does. All memory
/// is then given back at once, where one thread would first free the texts and rows of a crowd one by one.
pub fn left_in_memory<T>(value: T) -> ManuallyDrop<T> {
    ManuallyDrop::new(value)
}

/// Returns notes for a user about a device that failed, and a cache that could not be written.
pub fn strategy_notes(strategy: Strategy) -> impl Iterator<Item = String> {
    let failure = strategy.device().and_then(|device| device.failure());
    let failure = failure.map(|failure| format!("{}; the CPU did its work", failure.in_one_line()));
    failure.into_iter().chain(strategy.cache().and_then(|_| unsaved_models()))
}

/// Returns the text for stdout: the scene, its pairs, the count of each verdict, and the time since the
/// start.
pub fn summary(scenes: &[PathBuf], [header, pairs, counts]: [&str; 3], mut clock: Clock) -> String {
    let width = width();
    let header = folded(&format!("{}: {header}", files_line(scenes)), width);
    let gap = if pairs.is_empty() { "" } else { "\n" };
    let threads = parallel::threads();
    let s = if threads == 1 { "" } else { "s" };
    let counts: Vec<String> = counts.lines().map(|line| folded(line, width)).collect();
    let counts = counts.join("\n");
    clock.lap();
    let total_s = clock.total();
    format!("{header}\n\n{pairs}{gap}{counts}\n{total_s:.2} s on {threads} thread{s}\n")
}

/// Ends the run of a shard: everything else is done when all are merged.
pub fn finish_shard(journal: &Journal, is_quiet: bool) -> anyhow::Result<Outcome> {
    journal.finish()?;
    let [decided, all] = journal.progress();
    if !is_quiet {
        let shard = journal.shard().map_or_else(String::new, |shard| shard.to_string());
        terminal::say(&format!("shard {shard}: {decided} of {all} {} are decided", journal.items()));
        let crashed = journal.left_in_words().filter(|_| decided == all);
        terminal::print_notes(crashed.iter());
    }
    Ok(if decided < all { Outcome::Fail } else { Outcome::Pass })
}

/// Ends the journal of a run whose output is written. Returns the note on pairs that were left undecided.
pub fn finish(journal: Option<&Arc<Journal>>) -> anyhow::Result<Option<String>> {
    let Some(journal) = journal else { return Ok(None) };
    journal.finish()?;
    Ok(journal.left_in_words())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_command_can_be_pasted() {
        let mut exports = SceneExports::default();
        let arguments = ["check", "my house.glb", "--clearance", "1mm"].map(OsString::from);
        let next =
            |out: Option<&str>, exports: &SceneExports| next_step(out.map(Path::new), &arguments, exports);
        assert_eq!(
            next(None, &exports),
            "Next: closefit check 'my house.glb' --clearance 1mm --html report.html\n"
        );
        assert_eq!(next(Some("out 1"), &exports), "Next: closefit report 'out 1' --html report.html\n");
        exports.html = Some((PathBuf::from("a.html"), 1));
        assert_eq!(next(None, &exports), "");
    }
}
