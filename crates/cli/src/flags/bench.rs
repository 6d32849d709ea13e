//! Flags of `closefit bench`.

use std::path::PathBuf;

use clap::Args;

use super::help::{BENCH, OUTPUT};
use super::pairs::PairFlags;
use super::scene::InputFlags;
use super::values::threads;

#[derive(Debug, Args)]
#[command(after_help = BENCH)]
pub struct BenchFlags {
    /// List pairs that are no farther apart than this length
    #[arg(long, value_name = "LEN", default_value = "0", allow_hyphen_values = true)]
    pub clearance: String,
    /// Check moving parts at this time, in seconds, instead of over their motion
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub at: Option<String>,
    /// Check two meshes at the poses of this CSV file, as check does
    #[arg(long, value_name = "FILE", conflicts_with = "at")]
    pub poses: Option<PathBuf>,
    /// Number of rounds; in each, the methods take turns, and the round with the least CPU time counts
    #[arg(long, value_name = "N", default_value = "3", value_parser = clap::value_parser!(u32).range(1..))]
    pub rounds: u32,
    /// Stop a method after this many seconds
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = clap::value_parser!(u32).range(1..))]
    pub limit: u32,
    #[command(flatten)]
    pub pairs: PairFlags,
    #[command(flatten)]
    pub input: InputFlags,
    /// Write bench.json and bench.svg to this directory
    #[arg(long, value_name = "DIR", help_heading = OUTPUT)]
    pub out: Option<PathBuf>,
    /// Number of threads, 1 to 1024
    #[arg(long, value_name = "N", default_value = "1", value_parser = threads, allow_hyphen_values = true)]
    pub threads: u16,
}
