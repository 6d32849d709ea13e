//! Flags of `closefit sweep`.

use clap::Args;

use super::exports::SceneExportFlags;
use super::help::{METHODS, SWEEP, with_exit_status};
use super::scene_run::{LastFlags, SceneRunFlags};
use closefit::Method;

#[derive(Debug, Args)]
#[command(after_help = with_exit_status(SWEEP, false))]
pub struct SweepFlags {
    /// List pairs that come as close as this length
    #[arg(long, value_name = "LEN", default_value = "0", allow_hyphen_values = true)]
    pub clearance: String,
    /// Largest depth of overlap at the start that counts as contact, not clash [default: the
    /// smallest power of ten, in scene units, that is at least 1e-6 of the scene's diagonal]
    #[arg(long, value_name = "LEN", allow_hyphen_values = true)]
    pub tolerance: Option<String>,
    /// Largest width of a bracket of a distance; parts within half of it are in contact [default: 1e-5 of the
    /// scene's diagonal]
    #[arg(long, value_name = "LEN", allow_hyphen_values = true)]
    pub precision: Option<String>,
    /// Start of the sweep, in seconds [default: the first keyframe, or 0]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub from: Option<String>,
    /// End of the sweep, in seconds [default: the last keyframe, or 0]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub to: Option<String>,
    /// Sweep a joint of a robot instead of time: NAME=limits, or NAME=A:B in radians, in degrees
    /// (-90deg:0deg) or in metres; repeatable: each joint is a separate sweep
    #[arg(long = "joint", value_name = "NAME=RANGE", conflicts_with_all = ["trajectory", "from", "to"],
        allow_hyphen_values = true)]
    pub joints: Vec<String>,
    /// Values of the other joints: NAME=V,NAME=V in radians, in degrees (90deg) or in metres; or a CSV file
    /// with one row of joints [default: 0, or the limit nearest to it]
    #[arg(
        long,
        value_name = "VALUES",
        requires = "joints",
        conflicts_with = "trajectory",
        allow_hyphen_values = true
    )]
    pub at_joints: Option<String>,
    /// Find all intervals in which pairs are in contact, or within the clearance, and where they are clear
    #[arg(long)]
    pub intervals: bool,
    /// Trace the distance of two parts over time, in the report and as CSV: in trace.csv of --out, or on
    /// stdout instead of the table; A and B are names, keys or ids
    #[arg(long, value_name = "A,B")]
    pub trace: Option<String>,
    #[command(flatten)]
    pub scene_run: SceneRunFlags,
    #[command(flatten)]
    pub scene_exports: SceneExportFlags,
    #[command(flatten)]
    pub last: LastFlags,
    /// Search over time: swept, interval or redon (Redon et al. 2002), or options such as order=space-first,
    /// separated by commas
    #[arg(long, value_name = "METHOD", default_value_t, help_heading = METHODS)]
    pub method: Method,
}
