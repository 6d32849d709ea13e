//! The groups of a check's pairs.

use crate::error::JobError;
use crate::job::Job;
use closefit_geometry::units::Length;
use closefit_report::CheckReport;
use closefit_report::groups::{GroupBy, GroupSettings, Grouping, NamedGroups};

/// The default of [`GroupOptions::extent`] in scenes with a unit.
const EXTENT: &str = "5m";
/// The part of the scene's diagonal that the default does not exceed.
const OF_DIAGONAL: f64 = 0.1;

/// The groups of a report.
#[derive(Clone, Debug)]
pub struct GroupOptions {
    /// The property that makes pairs a group; without it, there are no groups. The default is
    /// [`GroupBy::Host`].
    pub by: Option<GroupBy>,
    /// The longest side of a group by host. The default is 5 m, or a tenth of the scene's diagonal if that is
    /// less.
    pub extent: Option<f64>,
    /// Groups of the user's own, which win.
    pub named: NamedGroups,
}

impl Default for GroupOptions {
    fn default() -> Self {
        Self { by: Some(GroupBy::Host), extent: None, named: NamedGroups::default() }
    }
}

impl GroupOptions {
    /// Returns the report of a job with its groups.
    pub(crate) fn group(&self, report: CheckReport, job: &Job) -> Result<CheckReport, JobError> {
        let Some(by) = self.by else { return Ok(report) };
        let extent = match (by, self.extent) {
            (GroupBy::Type, _) => None,
            (GroupBy::Host, Some(extent)) => Some(extent),
            (GroupBy::Host, None) => Some(default_extent(job)?),
        };
        let grouping = Grouping { settings: GroupSettings { by, extent }, named: self.named.clone() };
        Ok(report.with_groups(&grouping))
    }
}

fn default_extent(job: &Job) -> Result<f64, JobError> {
    let tenth = OF_DIAGONAL * job.diagonal(None)?;
    let length: Length = EXTENT.parse().expect("it is a length");
    let longest = length.in_unit(job.scene().unit).ok();
    Ok(longest.map_or(tenth, |longest| longest.min(tenth)))
}
