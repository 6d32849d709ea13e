//! Flags of a check at many poses.

use std::path::PathBuf;

use clap::Args;

/// Arguments of a check at many poses.
#[derive(Debug, Args)]
#[command(next_help_heading = "Many poses (a line of JSON for each)")]
pub struct RowFlags {
    /// Check a robot at each row of this CSV file, whose columns are joints: radians or metres
    #[arg(long, value_name = "FILE", conflicts_with_all = ["poses", "at", "trajectory"])]
    pub configurations: Option<PathBuf>,
    /// Check a robot at these values of its joints: NAME=V,NAME=V in radians, in degrees (90deg) or in
    /// metres; or the row of a CSV file. With --configurations: values for joints that have no column
    /// [default: 0, or the limit nearest to it]
    #[arg(long, value_name = "VALUES", conflicts_with_all = ["poses", "at", "trajectory"],
        allow_hyphen_values = true, help_heading = None)]
    pub at_joints: Option<String>,
    /// Check two parts, with the second at each pose in this CSV file: qx,qy,qz,qw,tx,ty,tz or
    /// m00,m01,...,m23
    #[arg(long, value_name = "FILE", conflicts_with = "at")]
    pub poses: Option<PathBuf>,
    /// End each row at its first pair that clashes
    #[arg(long)]
    pub first: bool,
}
