//! Flags of `closefit batch`.

use std::path::PathBuf;

use clap::Args;

use super::groups::GroupFlags;
use super::help::{BATCH, OUTPUT, with_exit_status};
use super::long_run::LongRunFlags;
use super::question::QuestionFlags;
use super::run::RunFlags;
use super::scene::ReadingFlags;
use closefit_project::SetText;

#[derive(Debug, Args)]
#[command(after_help = with_exit_status(BATCH, false),
    mut_arg("out", |out| out.help("Write the lines to rows.jsonl in this directory instead of stdout")))]
pub struct BatchFlags {
    /// List of scenes: a line of JSON for each
    pub list: PathBuf,
    #[command(flatten)]
    pub question: QuestionFlags,
    /// Check only the parts of a set, such as type=IfcPipe*,model=A; given twice, only pairs with a part of
    /// each set
    #[arg(long = "set", value_name = "SET", help_heading = "Pairs")]
    pub sets: Vec<SetText>,
    /// Rules for the scenes whose rows name none
    #[arg(long, value_name = "FILE", help_heading = "Pairs")]
    pub rules: Option<PathBuf>,
    #[command(flatten)]
    pub groups: GroupFlags,
    #[command(flatten)]
    pub reading: ReadingFlags,
    /// Print no notes or progress
    #[arg(long, help_heading = OUTPUT)]
    pub quiet: bool,
    #[command(flatten)]
    pub long_run: LongRunFlags,
    #[command(flatten)]
    pub run: RunFlags,
}
