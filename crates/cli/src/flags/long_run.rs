//! Flags of runs that can be stopped and resumed, or shared by machines.

use clap::{Args, ValueEnum};

use crate::settings::long_run::ShardArg;
use closefit_job::Budget;

/// Arguments of runs that can be stopped and resumed, or shared by machines.
#[derive(Debug, Args)]
#[command(next_help_heading = "Long runs")]
pub struct LongRunFlags {
    /// Continue the stopped run in --out: pairs that it has decided are not decided again
    #[arg(long, requires = "out")]
    pub resume: bool,
    /// Discard the results of the stopped run in --out and start again
    #[arg(long, requires = "out", conflicts_with = "resume")]
    pub restart: bool,
    /// Decide only one of N shares of the pairs or rows, for 'closefit merge': I/N, or auto or auto/N if a
    /// scheduler gives the number
    #[arg(long, value_name = "I/N", requires = "out")]
    pub shard: Option<ShardArg>,
    /// Print progress as lines of JSON on stderr, for other programs
    #[arg(long, value_name = "FORMAT", conflicts_with = "quiet")]
    pub progress: Option<ProgressFormat>,
}

/// The limit of a run that decides pairs.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Long runs")]
pub struct BudgetFlags {
    /// Stop after a time such as 90s, 30m or 2h, or after a number such as 500pairs: the other pairs stay
    /// undecided, and --resume continues with them
    #[arg(long, value_name = "BUDGET", requires = "out")]
    pub budget: Option<Budget>,
}

/// The format of progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ProgressFormat {
    Json,
}
