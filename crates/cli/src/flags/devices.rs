//! Flags of `closefit devices`.

use clap::Args;

use super::help::DEVICES;
use super::values::threads;

#[derive(Debug, Args)]
#[command(after_help = DEVICES)]
pub struct DevicesFlags {
    /// Number of threads of the run, 1 to 1024 [default: one per core]
    #[arg(long, value_name = "N", value_parser = threads, allow_hyphen_values = true)]
    pub threads: Option<u16>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}
