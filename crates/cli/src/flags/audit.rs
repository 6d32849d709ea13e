//! Flags of `closefit audit`.

use std::path::PathBuf;

use clap::Args;

use super::help::{AUDIT, OUTPUT, ROBOT_ALONE};
use super::scene::InputFlags;
use super::values::{Rows, rows, threads};

#[derive(Debug, Args)]
#[command(after_help = AUDIT, mut_arg("scenes", |scenes| scenes.help(ROBOT_ALONE)),
    mut_arg("collision_geometry", |flag| flag.hide(true)))]
pub struct AuditFlags {
    /// Prove or refute the lines of this SRDF with the reason Never
    #[arg(long, value_name = "FILE")]
    pub srdf: Option<PathBuf>,
    /// Width at which a bracket of a length is narrow enough; 1 % of it is, too [default: 1e-4 of the robot's
    /// diagonal]
    #[arg(long, value_name = "LEN", allow_hyphen_values = true)]
    pub precision: Option<String>,
    /// Range of a joint for --srdf: NAME=limits, NAME=A:B or NAME=V, in radians, in degrees as -90deg:0deg,
    /// or in metres; repeatable [default: the limits of every joint, or a full turn]
    #[arg(long = "joint", value_name = "NAME=RANGE", requires = "srdf", allow_hyphen_values = true)]
    pub joints: Vec<String>,
    /// Largest number of configurations to examine for each pair of --srdf
    #[arg(long, value_name = "N", default_value = "100000", requires = "srdf",
        value_parser = clap::value_parser!(u32).range(1..))]
    pub configurations: u32,
    #[command(flatten)]
    pub input: InputFlags,
    /// Largest number of rows of each table, or all
    #[arg(long, value_name = "N", default_value = "40", value_parser = rows, allow_hyphen_values = true,
        help_heading = OUTPUT)]
    pub rows: Rows,
    /// Write audit.json to this directory
    #[arg(long, value_name = "DIR", help_heading = OUTPUT)]
    pub out: Option<PathBuf>,
    /// Number of threads, 1 to 1024 [default: one per core]
    #[arg(long, value_name = "N", value_parser = threads, allow_hyphen_values = true)]
    pub threads: Option<u16>,
}
