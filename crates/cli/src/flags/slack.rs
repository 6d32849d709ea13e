//! Flags of `closefit slack`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::help::{OUTPUT, SLACK};
use super::pairs::PairFlags;
use super::scene::InputFlags;
use super::search::SearchFlags;
use super::values::{Rows, rows};

/// The help of what follows the options.
const SCENES: &str = "Scene files, and then the parts to move: names, keys or ids";

#[derive(Debug, Args)]
#[command(after_help = SLACK, override_usage = "closefit slack [OPTIONS] <SCENE>... <PART>...",
    mut_arg("scenes", |scenes| scenes.help(SCENES)))]
pub struct SlackFlags {
    /// Examine every part
    #[arg(long)]
    pub all: bool,
    /// The distance that parts must keep
    #[arg(long, value_name = "LEN", default_value = "0", allow_hyphen_values = true)]
    pub clearance: String,
    /// Largest depth of overlap at the start that counts as contact [default: the smallest power of ten, in
    /// scene units, that is at least 1e-6 of the scene's diagonal]
    #[arg(long, value_name = "LEN", allow_hyphen_values = true)]
    pub tolerance: Option<String>,
    /// Width of the brackets: a part stops within half of this of the clearance [default: 1e-5 of the scene's
    /// diagonal]
    #[arg(long, value_name = "LEN", allow_hyphen_values = true)]
    pub precision: Option<String>,
    /// Axes along and about which parts move
    #[arg(long, value_name = "AXES", value_enum, default_value = "scene")]
    pub axes: AxesArg,
    /// A point on the axes of all turns [default: the middle of each part's box]
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true)]
    pub about: Option<String>,
    /// Place moving parts where they are at this time, in seconds
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub at: Option<String>,
    #[command(flatten)]
    pub pairs: PairFlags,
    #[command(flatten)]
    pub input: InputFlags,
    /// Largest number of rows of the table of all parts, or all
    #[arg(long, value_name = "N", default_value = "40", value_parser = rows, allow_hyphen_values = true,
        help_heading = OUTPUT)]
    pub rows: Rows,
    /// Write slack.json and slack.csv to this directory
    #[arg(long, value_name = "DIR", help_heading = OUTPUT)]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub search: SearchFlags,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum AxesArg {
    Scene,
    Part,
}
