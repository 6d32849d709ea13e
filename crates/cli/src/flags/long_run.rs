//! Flags of runs that can be stopped and resumed, or shared by machines.

use clap::{Args, ValueEnum};

use crate::settings::long_run::ShardArg;
use closefit_job::Budget;

/// Arguments of runs that can be stopped and resumed, or shared by machines.
#[derive(Debug, Args)]
#[command(next_help_heading = "Long runs")]
pub struct LongRunFlags {
    /// Go on with the stopped run in --out: what it has decided is not decided again
    #[arg(long, requires = "out")]
    pub resume: bool,
    /// Drop what the stopped run in --out has decided
    #[arg(long, requires = "out", conflicts_with = "resume")]
    pub restart: bool,
    /// Decide only one of N shares of the pairs or rows, which 'closefit merge' then puts together: I/N, or
    /// auto or auto/N for the number that a scheduler gives
    #[arg(long, value_name = "I/N", requires = "out")]
    pub shard: Option<ShardArg>,
    /// Say progress in lines of JSON on stderr, for other programs
    #[arg(long, value_name = "FORMAT", conflicts_with = "quiet")]
    pub progress: Option<ProgressFormat>,
}

/// The limit of a run that decides pairs.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Long runs")]
pub struct BudgetFlags {
    /// Begin no pair after a time such as 90s, 30m or 2h, or after so many, such as 500pairs: the others stay
    /// undecided, and --resume goes on with them
    #[arg(long, value_name = "BUDGET", requires = "out")]
    pub budget: Option<Budget>,
}

/// The format of progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ProgressFormat {
    Json,
}
