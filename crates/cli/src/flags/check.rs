//! Flags of `closefit check`.

use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{ArgMatches, Args};

use super::exports::{ExportFlags, HeatMapFlags, SceneExportFlags};
use super::groups::GroupFlags;
use super::help::{CHECK, METHODS, with_exit_status};
use super::question::QuestionFlags;
use super::rows::RowFlags;
use super::scene_run::{LastFlags, SceneRunFlags};
use super::values::{Compared, compared};

#[derive(Debug, Args)]
#[command(after_help = with_exit_status(CHECK, true), mut_arg("fail_on", |fail_on| fail_on.help(FAIL_ON)))]
pub struct CheckFlags {
    #[command(flatten)]
    pub question: QuestionFlags,
    /// Check moving parts at this time, in seconds; with FROM:TO:STEP, print a line of JSON for each time
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub at: Option<String>,
    /// Compare with the report.json of an earlier check: only findings that are new or worse fail, unless
    /// --fail-on says otherwise
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<PathBuf>,
    /// Accept a baseline that leaves pairs open, because its run had a budget, lacked a shard or crashed
    #[arg(long, requires = "baseline")]
    pub partial_baseline: bool,
    #[command(flatten)]
    pub scene_run: SceneRunFlags,
    #[command(flatten)]
    pub groups: GroupFlags,
    #[command(flatten)]
    pub exports: ExportFlags,
    #[command(flatten)]
    pub heat_map: HeatMapFlags,
    #[command(flatten)]
    pub rows: RowFlags,
    #[command(flatten)]
    pub scene_exports: SceneExportFlags,
    #[command(flatten)]
    pub last: LastFlags,
    /// Compare the results of other trees for every pair: all, or some of the trees of --tree, as T1,T2
    #[arg(long, value_name = "TREES", value_parser = compared, help_heading = METHODS)]
    pub cross_check: Option<Compared>,
}

/// The help of `--fail-on`.
const FAIL_ON: &str = "Exit with status 1 if any pair has this verdict or a worse one; with --baseline, new: if any \
    pair is new, or worse: if any is new or worse, which is then the default";

/// Arguments of a check that have no meaning for rows.
const WITHOUT_ROWS: [&str; 22] = [
    "contacts",
    "self",
    "volume",
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
    "review",
    "heatmap",
    "json",
    "list",
    "sort",
    "only",
    "budget",
];

impl CheckFlags {
    /// True if rows are checked.
    pub fn has_rows(&self) -> bool {
        let are_times = self.at.as_ref().is_some_and(|at| at.contains(':'));
        self.rows.configurations.is_some() || self.rows.poses.is_some() || are_times
    }

    /// Refuses flags that do not go with rows, or with a single pose.
    pub fn refuse_conflicts(&self, matches: &ArgMatches) -> Result<(), clap::Error> {
        let is_given = |id: &&&str| matches.value_source(id) == Some(ValueSource::CommandLine);
        let flag = |id: &str| format!("--{}", id.replace('_', "-"));
        let conflict = |why: String| Err(clap::Error::raw(ErrorKind::ArgumentConflict, why + "\n"));
        match self.has_rows() {
            true => WITHOUT_ROWS.iter().find(is_given).map_or(Ok(()), |id| {
                conflict(format!("the argument '{}' does not work with many poses", flag(id)))
            }),
            false if self.rows.first => {
                conflict("the argument '--first' is for --configurations, --poses and --at A:B:S".to_owned())
            }
            false => Ok(()),
        }
    }
}
