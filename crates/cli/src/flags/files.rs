//! Flags of the commands that take and make files without asking a scene.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::exports::{ExportFlags, SceneExportFlags};
use super::help::{DIFF, GENERATE, MERGE, OUTPUT, REPORT, REPRODUCE, WAIVE, with_exit_status};
use super::values::{Rows, rows, threads};
use crate::settings::fail_on::FailOn;
use crate::settings::written::WrittenFile;

#[derive(Debug, Args)]
#[command(after_help = GENERATE)]
pub struct GenerateFlags {
    /// Name of a scene, see --list
    #[arg(required_unless_present = "list", conflicts_with = "list")]
    pub name: Option<String>,
    /// List the scenes
    #[arg(long)]
    pub list: bool,
    /// Directory to write to
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub out: PathBuf,
    /// Write NAME.glb, or a folder NAME with a manifest [default: glb, or manifest for moving scenes]
    #[arg(long, value_enum)]
    pub format: Option<FormatArg>,
    /// Size of the scene, in the sense and with the default that --list shows
    #[arg(long, value_name = "N")]
    pub size: Option<u32>,
    /// Seed of the random numbers
    #[arg(long, value_name = "S", default_value = "0")]
    pub seed: u64,
    /// Shuffle the triangles and reverse about half, so that no mesh bounds a solid
    #[arg(long)]
    pub soup: bool,
    /// Print nothing
    #[arg(long)]
    pub quiet: bool,
}

/// The file format of a generated scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FormatArg {
    Glb,
    Manifest,
}

#[derive(Debug, Args)]
#[command(after_help = WAIVE)]
pub struct WaiveFlags {
    /// The findings: keys of pairs or of groups, or two parts as A,B
    #[arg(value_name = "FINDING", required_unless_present_any = ["all", "review"])]
    pub findings: Vec<String>,
    /// Accept every clash and undecided pair that no waiver accepts yet
    #[arg(long, conflicts_with = "findings")]
    pub all: bool,
    /// Accept the findings that a review.json approves, each with its comment as the reason
    #[arg(long, value_name = "FILE", conflicts_with_all = ["findings", "all"])]
    pub review: Option<PathBuf>,
    /// Report of a check that lists them
    #[arg(long, value_name = "FILE", default_value = "report.json")]
    pub report: PathBuf,
    /// Rules file, in TOML, to which the waivers are added
    #[arg(long, value_name = "FILE")]
    pub rules: PathBuf,
    /// Reason why they are accepted; with --review, of findings without a comment
    #[arg(long, value_name = "TEXT", required_unless_present = "review")]
    pub reason: Option<String>,
    /// Accept them only while the meshes and places of both parts stay the same
    #[arg(long)]
    pub pinned: bool,
    /// Print nothing
    #[arg(long)]
    pub quiet: bool,
}

#[derive(Debug, Args)]
#[command(after_help = DIFF)]
pub struct DiffFlags {
    /// The report.json of the earlier run
    pub old: PathBuf,
    /// The report.json of the later run
    pub new: PathBuf,
    /// Statuses and comments from people: a review.json
    #[arg(long, value_name = "FILE")]
    pub review: Option<PathBuf>,
    /// Write diff.json to this directory
    #[arg(long, value_name = "DIR", help_heading = OUTPUT)]
    pub out: Option<PathBuf>,
    /// Changes that give exit status 1: new findings; also findings that got worse or are now unknown; or any
    /// change
    #[arg(long, value_name = "CHANGE", value_enum, default_value = "worse", help_heading = OUTPUT)]
    pub fail_on_diff: FailOnDiffArg,
    /// Largest number of rows of the table, or all
    #[arg(long, value_name = "N", default_value = "40", value_parser = rows, allow_hyphen_values = true,
        help_heading = OUTPUT)]
    pub rows: Rows,
    #[command(flatten)]
    pub exports: ExportFlags,
    /// Print only diff.json
    #[arg(long, help_heading = OUTPUT)]
    pub json: bool,
    /// Print nothing
    #[arg(long, help_heading = OUTPUT)]
    pub quiet: bool,
}

/// The changes with which a comparison fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FailOnDiffArg {
    New,
    Worse,
    Any,
    Never,
}

#[derive(Debug, Args)]
#[command(after_help = REPORT)]
pub struct ReportFlags {
    /// Folder that a check or a sweep has written with --out
    #[arg(value_name = "OUT")]
    pub out: PathBuf,
    #[command(flatten)]
    pub scene_exports: SceneExportFlags,
    /// Print no notes
    #[arg(long, help_heading = OUTPUT)]
    pub quiet: bool,
    /// The files that the command writes.
    #[arg(skip)]
    pub written: Vec<WrittenFile>,
}

#[derive(Debug, Args)]
#[command(after_help = with_exit_status(MERGE, true))]
pub struct MergeFlags {
    /// Directories of the shards
    #[arg(value_name = "OUT", required = true)]
    pub dirs: Vec<PathBuf>,
    /// Write the files of the whole run to this directory. Required for a report; without it, lines of rows
    /// go to stdout
    #[arg(long, value_name = "DIR", help_heading = OUTPUT)]
    pub out: Option<PathBuf>,
    /// Merge even if shards are missing: their pairs are undecided, and their rows have an error
    #[arg(long)]
    pub partial: bool,
    /// Exit with status 1 if any pair has this verdict or a worse one [default: undecided; for rows, the
    /// value that the shards had]
    #[arg(long, value_name = "VERDICT", help_heading = OUTPUT)]
    pub fail_on: Option<FailOn>,
    /// Print only the report, as JSON
    #[arg(long, help_heading = OUTPUT)]
    pub json: bool,
    /// Print no table, notes or progress
    #[arg(long, help_heading = OUTPUT)]
    pub quiet: bool,
}

#[derive(Debug, Args)]
#[command(after_help = REPRODUCE)]
pub struct ReproduceFlags {
    /// Names of tables, see --list [default: all]
    #[arg(value_name = "TABLE", conflicts_with = "list")]
    pub tables: Vec<String>,
    /// List the tables
    #[arg(long)]
    pub list: bool,
    /// Use small sizes and few frames: seconds instead of minutes
    #[arg(long)]
    pub quick: bool,
    /// Number of threads, 1 to 1024 [default: one per core]; counts do not depend on it
    #[arg(long, value_name = "N", value_parser = threads, allow_hyphen_values = true)]
    pub threads: Option<u16>,
    /// Print only the tables, as JSON
    #[arg(long, help_heading = OUTPUT)]
    pub json: bool,
    /// Write TABLE.json, TABLE.txt and, where the paper has a plot, TABLE.svg to this directory, each
    /// table when it is complete; with --quick, TABLE-quick.json and so on
    #[arg(long, value_name = "DIR", help_heading = OUTPUT)]
    pub out: Option<PathBuf>,
    /// Write the motions of the tables to folders DIR/TABLE/MOTION, for other engines: meshes as OBJ, and
    /// poses.csv with the pose of each body in each frame
    #[arg(long, value_name = "DIR", help_heading = OUTPUT, conflicts_with = "list")]
    pub poses: Option<PathBuf>,
    /// Print no progress
    #[arg(long, help_heading = OUTPUT)]
    pub quiet: bool,
}
