//! `closefit merge`: puts the shards of a run together, with the report that one machine would have written.
//!
//! The run is repeated as its plan says, with the pairs known that shards have decided. So a merge reads the
//! scene, and decides nothing.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::anyhow;
use clap::Args;

use super::args::{Cli, Command, FailOn};
use super::help::{MERGE, OUTPUT, with_exit_status};
use super::{Outcome, check, merge_rows, sweep, usage_in_one_line};
use closefit_job::{Items, Merge, missing_in_words};

/// The file with the numbers of missing shards, beside the plan.
const MISSING: &str = "missing.txt";

#[derive(Debug, Args)]
#[command(after_help = with_exit_status(MERGE, true))]
pub struct MergeArgs {
    /// Directories of the shards
    #[arg(value_name = "OUT", required = true)]
    dirs: Vec<PathBuf>,
    /// Write what the whole run would have written to this directory. Needed for a report; the lines of rows
    /// go to stdout otherwise
    #[arg(long, value_name = "DIR", help_heading = OUTPUT)]
    pub out: Option<PathBuf>,
    /// Merge although shards are missing: their pairs are undecided, their rows have an error
    #[arg(long)]
    partial: bool,
    /// Exit with status 1 if any pair has this verdict or a worse one [default: undecided; of rows, what the
    /// shards were told]
    #[arg(long, value_name = "VERDICT", help_heading = OUTPUT)]
    pub fail_on: Option<FailOn>,
    /// Print only the report, as JSON
    #[arg(long, help_heading = OUTPUT)]
    pub json: bool,
    /// Print no table, notes or progress
    #[arg(long, help_heading = OUTPUT)]
    pub quiet: bool,
}

pub fn run(args: &MergeArgs) -> anyhow::Result<Outcome> {
    let merge = Merge::read(&args.dirs)?;
    say_missing(&args.dirs[0], &merge.missing)?;
    if !merge.missing.is_empty() && !args.partial {
        let missing = missing_in_words(&merge.missing).replace(',', ", ");
        let (count, of) = (merge.missing.len(), merge.plan.shards);
        let place = args.dirs[0].join(MISSING);
        return Err(anyhow!("missing {count} of {of} shards: {missing} ({} has them)", place.display()));
    }
    let mut cli = planned(args, &merge.plan.arguments)?;
    if merge.plan.items == Items::Rows {
        return merge_rows::run(args, &cli, merge);
    }
    let out = args.out.as_ref().ok_or_else(|| anyhow!("--out DIR is needed, for the report"))?;
    let rows = Some(Arc::new(merge.into_rows(out)));
    match &mut cli.command {
        Command::Check(check) => {
            check.kept.merged = rows;
            (check.input.json, check.input.quiet) = (args.json, args.quiet);
            check.run.fail_on = args.fail_on.unwrap_or(check.run.fail_on);
            check::run(check)
        }
        Command::Sweep(sweep) => {
            sweep.kept.merged = rows;
            (sweep.input.json, sweep.input.quiet) = (args.json, args.quiet);
            sweep.run.fail_on = args.fail_on.unwrap_or(sweep.run.fail_on);
            sweep::run(sweep)
        }
        _ => Err(anyhow!("{}: plan.json is that of no check or sweep", args.dirs[0].display())),
    }
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

/// Parses the arguments of a plan, with the directory of the merge.
fn planned(args: &MergeArgs, arguments: &[String]) -> anyhow::Result<Cli> {
    let out = args.out.iter().flat_map(|out| ["--out".into(), out.clone().into_os_string()]);
    let all = ["closefit".into()].into_iter().chain(arguments.iter().map(Into::into)).chain(out);
    Cli::of(all).map_err(|error| {
        let why = usage_in_one_line(&error.render().to_string());
        anyhow!("{}: arguments: {why}", args.dirs[0].join("plan.json").display())
    })
}
