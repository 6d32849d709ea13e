//! The settings of a check of parts at rest.

use super::input::Input;
use super::length::FlagLength;
use super::search::Search;
use closefit::{CheckRequest, DepthDetail, Strategy};
use closefit_job::Job;

/// The settings of a check, before the unit of a scene is known.
#[derive(Clone, Debug)]
pub struct CheckSettings {
    pub clearance: FlagLength,
    pub tolerance: Option<FlagLength>,
    pub depth: DepthDetail,
    /// True to find the way out of every clash.
    pub finds_ways_out: bool,
    /// True to list every pair of triangles in contact.
    pub lists_contacts: bool,
    /// True to find the volumes that parts share.
    pub finds_volumes: bool,
    /// True to find the contacts of each part with itself.
    pub finds_self_contacts: bool,
    /// True to find what these share.
    pub finds_geometry: bool,
}

impl CheckSettings {
    /// Returns the request for the check of a scene, with lengths in its unit.
    pub fn request(
        &self,
        job: &Job,
        input: &Input,
        (search, strategy): (&Search, Strategy),
    ) -> anyhow::Result<CheckRequest> {
        let scene = job.scene();
        let request = match &self.tolerance {
            Some(tolerance) => CheckRequest::default().tolerance(tolerance.in_unit(scene)?),
            None => job.check_request()?,
        };
        let request = if self.lists_contacts { request.list_contacts() } else { request };
        let request = request.clearance(self.clearance.in_unit(scene)?).depth(self.depth);
        let request = request.strategy(strategy).broad(search.broad).hull(search.hull);
        Ok(request.winding(input.winding).memory(input.memory()))
    }
}
