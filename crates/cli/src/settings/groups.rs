//! The groups of a check's pairs.

use std::path::PathBuf;

use anyhow::Context;

use super::length::FlagLength;
use crate::files::read_file;
use closefit_geometry::scene::Scene;
use closefit_job::GroupOptions;
use closefit_report::CheckReport;
use closefit_report::groups::{GroupBy, NamedGroups};

/// The settings of groups.
#[derive(Clone, Debug)]
pub struct GroupSettings {
    pub by: Option<GroupBy>,
    /// The length above which groups by host are cut.
    pub extent: Option<FlagLength>,
    /// The file with the user's groups.
    pub file: Option<PathBuf>,
}

/// The settings of groups, with the user's own.
pub struct Groups<'s> {
    settings: &'s GroupSettings,
    named: NamedGroups,
}

impl GroupSettings {
    /// Reads the user's groups.
    pub fn read(&self) -> anyhow::Result<Groups<'_>> {
        let read =
            |file: &PathBuf| NamedGroups::read(&read_file(file)?).with_context(|| file.display().to_string());
        let named = self.file.as_ref().map(read).transpose()?.unwrap_or_default();
        Ok(Groups { settings: self, named })
    }
}

impl Groups<'_> {
    /// Returns the options of a scene's job, with lengths in its unit.
    pub fn options(&self, scene: &Scene) -> anyhow::Result<GroupOptions> {
        let GroupSettings { by, extent, .. } = self.settings;
        let extent = extent.as_ref().map(|extent| extent.in_unit(scene)).transpose()?;
        Ok(GroupOptions { by: *by, extent, named: self.named.clone() })
    }

    /// Returns a note if some keys of the user's groups belong to no pair.
    pub fn note(&self, report: &CheckReport) -> Option<String> {
        let file = self.settings.file.as_ref()?;
        let unused = self.named.unused(report);
        (unused > 0)
            .then(|| format!("{}: {unused} of the keys belong to no pair of this report", file.display()))
    }
}
