//! Flags of `closefit joint-box`.

use std::path::PathBuf;

use clap::Args;

use super::help::{JOINT_BOX, OUTPUT, ROBOT};
use super::pairs::PairFlags;
use super::scene::InputFlags;
use super::search::SearchFlags;
use super::values::{Rows, rows};

#[derive(Debug, Args)]
#[command(after_help = JOINT_BOX, mut_arg("scenes", |scenes| scenes.help(ROBOT)))]
pub struct JointBoxFlags {
    /// Range of a joint: NAME=limits, NAME=A:B or NAME=V, in radians, in degrees as -90deg:0deg, or in
    /// metres; repeatable [default: the limits of every joint, or a full turn]
    #[arg(long = "joint", value_name = "NAME=RANGE", allow_hyphen_values = true)]
    pub joints: Vec<String>,
    /// Parts this close count as near
    #[arg(long, value_name = "LEN", default_value = "0", allow_hyphen_values = true)]
    pub clearance: String,
    /// Width of the bracket of a smallest distance at which the search ends [default: 1e-5 of the scene's
    /// diagonal, or a 16th of the distance if that is more]
    #[arg(long, value_name = "LEN", allow_hyphen_values = true)]
    pub precision: Option<String>,
    /// Largest number of configurations to examine for each pair
    #[arg(long, value_name = "N", default_value = "100000", value_parser = clap::value_parser!(u32).range(1..))]
    pub configurations: u32,
    #[command(flatten)]
    pub pairs: PairFlags,
    #[command(flatten)]
    pub input: InputFlags,
    /// Write the links that never meet, or always meet, to this SRDF, for planners; uses the collision meshes
    /// if the robot has any
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    pub write_srdf: Option<PathBuf>,
    /// Use the visual meshes for --write-srdf as well
    #[arg(long, conflicts_with = "collision_geometry", help_heading = OUTPUT)]
    pub visual_geometry: bool,
    /// Largest number of rows of the table, or all
    #[arg(long, value_name = "N", default_value = "40", value_parser = rows, allow_hyphen_values = true,
        help_heading = OUTPUT)]
    pub rows: Rows,
    /// Write joint-box.json to this directory
    #[arg(long, value_name = "DIR", help_heading = OUTPUT)]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub search: SearchFlags,
}
