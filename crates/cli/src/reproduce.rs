//! `closefit reproduce`: the experiments of the papers, run again.

#[cfg(feature = "reproduce")]
mod tables;

use std::path::PathBuf;

use clap::Args;

use super::Outcome;
use super::args::threads;
use super::help::{OUTPUT, REPRODUCE};

#[derive(Debug, Args)]
#[command(after_help = REPRODUCE)]
pub struct ReproduceArgs {
    /// Names of tables, see --list [default: all]
    #[arg(value_name = "TABLE", conflicts_with = "list")]
    tables: Vec<String>,
    /// List the tables
    #[arg(long)]
    list: bool,
    /// Take small sizes and few frames: seconds instead of minutes
    #[arg(long)]
    quick: bool,
    /// Number of threads, 1 to 1024 [default: one per core]; counts do not depend on it
    #[arg(long, value_name = "N", value_parser = threads, allow_hyphen_values = true)]
    threads: Option<u16>,
    /// Print only the tables, as JSON
    #[arg(long, help_heading = OUTPUT)]
    json: bool,
    /// Write TABLE.json, TABLE.txt and, where the paper has a plot, TABLE.svg to this directory, each
    /// table when it is complete; with --quick, TABLE-quick.json and so on
    #[arg(long, value_name = "DIR", help_heading = OUTPUT)]
    out: Option<PathBuf>,
    /// Print no progress
    #[arg(long, help_heading = OUTPUT)]
    quiet: bool,
}

/// Runs the experiments.
#[cfg(feature = "reproduce")]
pub fn run(args: &ReproduceArgs) -> anyhow::Result<Outcome> {
    tables::run(args)
}

/// Refuses the command: this program was built without the experiments.
#[cfg(not(feature = "reproduce"))]
pub fn run(_: &ReproduceArgs) -> anyhow::Result<Outcome> {
    anyhow::bail!(
        "this program was built without the papers' experiments: build it with them by 'cargo install --path crates/cli --features reproduce'"
    )
}
