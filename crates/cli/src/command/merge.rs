//! `closefit merge`: puts the shards of a run together, with the report that one machine would have written.
//!
//! The run is repeated as its plan says, with the pairs known that shards have decided. Therefore a merge
//! reads the scene, and decides nothing.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use anyhow::anyhow;

use super::cli::{Cli, Command, usage_in_one_line};
use super::shared::SharedPlan;
use crate::flags::files::MergeFlags;
use crate::merge_rows;
use crate::outcome::Outcome;
use closefit_job::{Items, Merge, missing_in_words};

/// The file with the numbers of missing shards, next to the plan.
const MISSING: &str = "missing.txt";

/// Puts shards together.
pub fn run(flags: &MergeFlags) -> anyhow::Result<Outcome> {
    let merge = Merge::read(&flags.dirs)?;
    let first = &flags.dirs[0];
    say_missing(first, &merge.missing)?;
    if !merge.missing.is_empty() && !flags.partial {
        let missing = missing_in_words(&merge.missing).replace(',', ", ");
        let (count, of) = (merge.missing.len(), merge.plan.shards);
        let place = first.join(MISSING);
        return Err(anyhow!("missing {count} of {of} shards: {missing} ({} has them)", place.display()));
    }
    let planned = planned(flags, &merge.plan.arguments)?;
    if merge.plan.items == Items::Rows {
        if flags.json {
            return Err(anyhow!("--json: each row has a line of JSON anyway"));
        }
        if flags.fail_on.is_some() {
            return Err(anyhow!("--fail-on: that of rows is what the shards were told"));
        }
        let file = planned.as_ref().and_then(SharedPlan::rows_file);
        return merge_rows::run(merge, file, flags.out.as_deref(), flags.quiet);
    }
    let out = flags.out.as_ref().ok_or_else(|| anyhow!("--out DIR is needed, for the report"))?;
    let mut planned = planned
        .filter(SharedPlan::is_about_pairs)
        .ok_or_else(|| anyhow!("{}: plan.json is that of no check or sweep", first.display()))?;
    let run = planned.settings_mut();
    run.long_run.merged = Some(Arc::new(merge.into_journal(out)));
    (run.input.json, run.input.quiet) = (flags.json, flags.quiet);
    run.fail_on = flags.fail_on.unwrap_or(run.fail_on);
    planned.run()
}

/// Writes the numbers of missing shards as schedulers take them, or removes the file if none is missing.
fn say_missing(dir: &Path, missing: &[u32]) -> anyhow::Result<()> {
    let path = dir.join(MISSING);
    let done = match missing {
        [] if path.exists() => fs::remove_file(&path),
        [] => Ok(()),
        missing => fs::write(&path, missing_in_words(missing) + "\n"),
    };
    done.map_err(|error| anyhow!("{}: cannot be written: {error}", path.display()))
}

/// Returns the run that a plan has the arguments of, if it is one that shards decide; it writes to the
/// directory of the merge.
fn planned(flags: &MergeFlags, arguments: &[String]) -> anyhow::Result<Option<SharedPlan>> {
    let out = flags.out.iter().flat_map(|out| ["--out".into(), out.clone().into_os_string()]);
    let all = ["closefit".into()].into_iter().chain(arguments.iter().map(Into::into)).chain(out);
    let cli = Cli::of(all).map_err(|error| {
        let why = usage_in_one_line(&error.render().to_string());
        anyhow!("{}: arguments: {why}", flags.dirs[0].join("plan.json").display())
    })?;
    let Cli { command, arguments, .. } = cli;
    Ok(Some(match command {
        Command::Check(flags) => SharedPlan::check(flags, arguments)?,
        Command::Sweep(flags) => SharedPlan::sweep(flags, arguments)?,
        Command::Batch(flags) => SharedPlan::batch(flags, arguments)?,
        _ => return Ok(None),
    }))
}
