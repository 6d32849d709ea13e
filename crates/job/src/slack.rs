//! The room of parts.

use crate::error::{JobError, NothingAsked};
use crate::job::Job;
use closefit::{Observer, PartId, SlackError, SlackRequest};
use closefit_report::SlackReport;

impl Job {
    /// Returns the default settings of the question how much room parts have: the settings of
    /// [`Assembly::slack_request`](closefit::Assembly::slack_request).
    ///
    /// # Errors
    /// [`JobError::Check`] for a part that cannot be posed.
    pub fn slack_request(&self) -> Result<SlackRequest, JobError> {
        self.assembly().slack_request().map_err(|error| self.refused(error, self.scene()))
    }

    /// Returns how much room parts have, each moved alone: against the parts that the project asks of them.
    ///
    /// # Errors
    /// [`JobError`]; [`JobError::Nothing`] if none of them has another part to be checked against.
    pub fn slack(
        &self,
        parts: &[PartId],
        request: &SlackRequest,
        observer: &dyn Observer,
    ) -> Result<SlackReport, JobError> {
        let scene = self.scene();
        let result = self.assembly().slack(parts, request, observer).map_err(|error| match error {
            SlackError::Check(error) => self.refused(error, scene),
            error => JobError::Slack { files: self.files(), error },
        })?;
        if result.parts.iter().all(|part| part.asked == 0) {
            let why = match (scene.parts.len(), parts) {
                (..=1, _) => NothingAsked::OnePart,
                (_, [part]) => NothingAsked::NoOther(scene.parts[part.index()].name.to_string()),
                _ => NothingAsked::Excluded(scene.count_pairs(None).excluded),
            };
            return Err(JobError::Nothing { files: self.files(), why });
        }
        Ok(SlackReport::new(scene, &result))
    }
}
