//! The arguments of a check at many poses.

use std::path::{Path, PathBuf};

use anyhow::anyhow;
use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{ArgMatches, Args};

use super::args::{CheckArgs, Input};
use super::{of_flag, time};
use closefit_geometry::scene::Scene;
use closefit_job::{RowSource, joint_values, joint_values_in, robot_of};

/// Arguments of a check at many poses.
#[derive(Debug, Args)]
#[command(next_help_heading = "Many poses (a line of JSON for each)")]
pub struct RowArgs {
    /// Check a .urdf robot at each row of this CSV file, whose columns are joints: radians or metres
    #[arg(long, value_name = "FILE", conflicts_with_all = ["poses", "at"])]
    pub configurations: Option<PathBuf>,
    /// Put the joints without a column there: NAME=V,NAME=V, or a CSV file with one such row [default: 0, or
    /// the limit nearest to it]
    #[arg(long, value_name = "VALUES", requires = "configurations", allow_hyphen_values = true)]
    pub at_joints: Option<String>,
    /// Check two parts with the second at each row of this CSV file: qx,qy,qz,qw,tx,ty,tz or m00,m01,...,m23
    #[arg(long, value_name = "FILE", conflicts_with = "at")]
    pub poses: Option<PathBuf>,
    /// End each row at its first pair that clashes
    #[arg(long)]
    pub first: bool,
}

impl RowArgs {
    /// Returns the file that has the rows, if a file has.
    pub fn file(&self) -> Option<&Path> {
        self.configurations.as_deref().or(self.poses.as_deref())
    }
}

/// Arguments of a check that have no meaning for rows.
const WITHOUT_ROWS: [&str; 19] = [
    "contacts",
    "cross_check",
    "baseline",
    "partial_baseline",
    "group",
    "groups",
    "group_extent",
    "junit",
    "markdown",
    "picture",
    "glb",
    "html",
    "bcf",
    "heatmap",
    "json",
    "list",
    "sort",
    "only",
    "budget",
];

/// Refuses arguments of a check that do not go with rows, or with a single pose.
pub fn refuse_conflicts(args: &CheckArgs, matches: &ArgMatches) -> Result<(), clap::Error> {
    let is_given = |id: &&&str| matches.value_source(id) == Some(ValueSource::CommandLine);
    let flag = |id: &str| format!("--{}", id.replace('_', "-"));
    let conflict = |why: String| Err(clap::Error::raw(ErrorKind::ArgumentConflict, why + "\n"));
    match is_asked(args) {
        true => WITHOUT_ROWS.iter().find(is_given).map_or(Ok(()), |id| {
            conflict(format!("the argument '{}' cannot be used where each row gets a line", flag(id)))
        }),
        false if args.rows.first => {
            conflict("the argument '--first' is for --configurations, --poses and --at A:B:S".to_owned())
        }
        false => Ok(()),
    }
}

/// True if a check is asked for at many poses.
pub fn is_asked(args: &CheckArgs) -> bool {
    let RowArgs { configurations, poses, .. } = &args.rows;
    let are_times = args.at.as_ref().is_some_and(|at| at.contains(':'));
    configurations.is_some() || poses.is_some() || are_times
}

/// Returns the rows that are asked for.
pub fn source(args: &CheckArgs, scene: &Scene) -> anyhow::Result<RowSource> {
    let input = &args.input;
    if let Some(path) = &args.rows.configurations {
        return configurations(path, args, scene);
    }
    if let Some(path) = &args.rows.poses {
        return Ok(RowSource::poses(path, scene)?);
    }
    let text = args.at.as_deref().unwrap_or_default();
    let refused = |why: String| of_flag(anyhow!(why), format!("--at {text}"), input);
    if scene.time_range().is_none() {
        return Err(refused("nothing in the scene moves".to_owned()));
    }
    let times: Vec<f64> = text.split(':').map(|one| time("--at", one, input)).collect::<Result<_, _>>()?;
    let [from, to, step] = times[..] else {
        return Err(refused("times are FROM:TO:STEP".to_owned()));
    };
    RowSource::times(from, to, step).map_err(refused)
}

fn configurations(path: &Path, args: &CheckArgs, scene: &Scene) -> anyhow::Result<RowSource> {
    let input = &args.input;
    let refused = |why: String| of_flag(anyhow!(why), format!("--configurations {}", path.display()), input);
    let robot = robot_of(scene).map_err(refused)?;
    let values = match &args.rows.at_joints {
        None => robot.rest(),
        Some(text) => at_joints(text, scene, input)?,
    };
    Ok(RowSource::configurations(path, scene, values)?)
}

/// Returns the values of `--at-joints`: as they are written, or those in a file.
pub fn at_joints(text: &str, scene: &Scene, input: &Input) -> anyhow::Result<Vec<f64>> {
    let refused = |why: String| of_flag(anyhow!(why), format!("--at-joints {text}"), input);
    let robot = robot_of(scene).map_err(refused)?;
    match text.contains('=') {
        true => joint_values(robot, text).map_err(refused),
        false if Path::new(text).exists() => Ok(joint_values_in(Path::new(text), scene)?),
        false => Err(refused("it is no file, and values of joints are NAME=V,NAME=V,...".to_owned())),
    }
}
