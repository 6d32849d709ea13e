//! The groups of a check's pairs.

use std::path::PathBuf;

use anyhow::{Context, anyhow};
use clap::{Args, ValueEnum};

use super::args::Input;
use super::diff::read_file;
use super::help::OUTPUT;
use super::{FlagLength, of_flag};
use closefit::Assembly;
use closefit_geometry::units::Length;
use closefit_report::CheckReport;
use closefit_report::groups::{GroupBy, GroupSettings, Grouping, NamedGroups};

/// The default of `--group-extent` in scenes with a unit.
const EXTENT: &str = "5m";
/// The part of the scene's diagonal that the default does not exceed.
const OF_DIAGONAL: f64 = 0.1;

/// Arguments about groups.
#[derive(Debug, Args)]
#[command(next_help_heading = OUTPUT)]
pub struct GroupArgs {
    /// Group the pairs of the report by the part that most of them share (host), by types, or not at all
    #[arg(long, value_name = "MODE", value_enum, default_value = "host")]
    group: Mode,
    /// Groups of your own, which win: a JSON object of names, each with a list of pair keys
    #[arg(long, value_name = "FILE")]
    groups: Option<PathBuf>,
    /// Cut groups by host that are longer than this [default: 5 m, or a tenth of the scene's diagonal if that
    /// is less]
    #[arg(long, value_name = "LEN", allow_hyphen_values = true)]
    group_extent: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Mode {
    Host,
    Type,
    None,
}

/// The groups that were asked for, before the scene is known.
pub struct GroupsAsked {
    by: Option<GroupBy>,
    extent: Option<FlagLength>,
    named: NamedGroups,
    file: Option<PathBuf>,
}

impl GroupsAsked {
    /// Reads the user's groups and checks the flags.
    pub fn of(args: &GroupArgs, input: &Input) -> anyhow::Result<Self> {
        let by = match args.group {
            Mode::Host => Some(GroupBy::Host),
            Mode::Type => Some(GroupBy::Type),
            Mode::None => None,
        };
        if let (None, Some(file)) = (by, &args.groups) {
            return Err(of_flag(
                anyhow!("--group none allows no groups"),
                format!("--groups {}", file.display()),
                input,
            ));
        }
        let named = args
            .groups
            .as_ref()
            .map(|file| NamedGroups::read(&read_file(file)?).with_context(|| file.display().to_string()));
        Ok(Self {
            by,
            extent: FlagLength::of_optional("--group-extent", args.group_extent.as_ref(), input)?,
            named: named.transpose()?.unwrap_or_default(),
            file: args.groups.clone(),
        })
    }

    /// Returns the report with its groups, and a note if keys of the user's groups are those of no pair.
    pub fn group(
        self,
        report: CheckReport,
        assembly: &Assembly,
        input: &Input,
    ) -> anyhow::Result<(CheckReport, Option<String>)> {
        let Some(by) = self.by else { return Ok((report, None)) };
        let extent = match (by, &self.extent) {
            (GroupBy::Type, _) => None,
            (GroupBy::Host, Some(extent)) => Some(extent.in_unit(assembly.scene(), input)?),
            (GroupBy::Host, None) => Some(default_extent(assembly)?),
        };
        let unused = self.named.unused(&report);
        let note = self
            .file
            .filter(|_| unused > 0)
            .map(|file| format!("{}: {unused} of the keys belong to no pair of this report", file.display()));
        let grouping = Grouping { settings: GroupSettings { by, extent }, named: self.named };
        Ok((report.with_groups(&grouping), note))
    }
}

fn default_extent(assembly: &Assembly) -> anyhow::Result<f64> {
    let tenth = OF_DIAGONAL * assembly.diagonal(None)?;
    let length: Length = EXTENT.parse()?;
    let longest = length.in_unit(assembly.scene().unit).ok();
    Ok(longest.map_or(tenth, |longest| longest.min(tenth)))
}
