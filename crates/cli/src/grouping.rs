//! The groups of a check's pairs.

use std::path::PathBuf;

use anyhow::{Context, anyhow};
use clap::{Args, ValueEnum};

use super::args::Input;
use super::diff::read_file;
use super::help::OUTPUT;
use super::{FlagLength, of_flag};
use closefit_geometry::scene::Scene;
use closefit_job::GroupOptions;
use closefit_report::CheckReport;
use closefit_report::groups::{GroupBy, NamedGroups};

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

    /// Returns the groups, with lengths in the scene's unit.
    pub fn options(&self, scene: &Scene, input: &Input) -> anyhow::Result<GroupOptions> {
        let extent = self.extent.as_ref().filter(|_| self.by == Some(GroupBy::Host));
        let extent = extent.map(|extent| extent.in_unit(scene, input)).transpose()?;
        Ok(GroupOptions { by: self.by, extent, named: self.named.clone() })
    }

    /// Returns a note if keys of the user's groups are those of no pair.
    pub fn note(&self, report: &CheckReport) -> Option<String> {
        let file = self.file.as_ref()?;
        let unused = self.named.unused(report);
        (unused > 0)
            .then(|| format!("{}: {unused} of the keys belong to no pair of this report", file.display()))
    }
}
