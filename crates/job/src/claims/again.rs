//! The claims of a certificate, checked again.

use super::Claimed;
use crate::error::JobError;
use crate::job::Job;
use closefit::{CheckRequest, SweepRequest, TreeKind, Winding};
use closefit_report::Certificate;
use closefit_report::certificate::{CertifiedSettings, CertifiedSweep};
use closefit_report::digest::Digests;

impl Job {
    /// Returns the certificate that the claims have now, with the settings of another one, or `None` if there
    /// are no claims. The request gives what a certificate does not have: strategy, memory, and the winding
    /// unless the certificate says `as_is`. Kinds of trees, if there are any, must agree about the pairs.
    ///
    /// # Errors
    /// [`JobError`].
    pub fn certified(
        &self,
        settings: &CertifiedSettings,
        request: &CheckRequest,
        kinds: &[TreeKind],
    ) -> Result<Option<Certificate>, JobError> {
        let moved;
        let job = match (settings.at, &settings.joint, settings.sweep) {
            (Some(at), ..) => {
                moved = self.clone().at(at);
                &moved
            }
            (None, Some(joint), Some(sweep)) => {
                let swept = self.along_again(joint, [sweep.from, sweep.to]);
                moved = swept.map_err(|why| JobError::Joint { files: self.files(), why })?;
                &moved
            }
            (None, ..) => match &settings.joints {
                Some(joints) => {
                    let placed = self.at_joints_again(joints);
                    moved = placed.map_err(|why| JobError::Joint { files: self.files(), why })?;
                    &moved
                }
                None => self,
            },
        };
        let winding = if settings.as_is { Winding::AsFound } else { request.winding };
        let standing = request.tolerance(settings.tolerance).winding(winding);
        let motion = settings.sweep.map(|sweep| over(sweep, &standing));
        let digests = match &motion {
            Some(motion) => Digests::moving(job.scene(), [motion.from, motion.to]),
            None => Digests::standing(job.scene()),
        };
        Claimed { job, digests: &digests, standing, motion }.of_file(kinds)
    }
}

/// Returns the settings of a sweep that are the settings of pairs at rest but for its times and precision.
fn over(CertifiedSweep { precision, from, to }: CertifiedSweep, standing: &CheckRequest) -> SweepRequest {
    SweepRequest::default()
        .between(from, to)
        .precision(precision)
        .tolerance(standing.tolerance)
        .strategy(standing.strategy)
        .broad(standing.broad)
        .hull(standing.hull)
        .winding(standing.winding)
        .memory(standing.memory)
}
