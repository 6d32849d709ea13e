//! The step that a check and a sweep share: deciding all pairs of a scene, or the pairs of a shard.

use crate::error::JobError;
use crate::job::Job;
use crate::journal::{self, Journal, JournalRecord};
use closefit::internals::engine::check_times;
use closefit::{
    CheckRequest, CheckResult, Ledger, MovingPairRecord, Observer, PairJournal, PairRecord, Run,
    SweepRequest, SweepResult,
};
use closefit_report::digest::Digests;

/// A request about all pairs of a scene.
pub trait Decide {
    /// The record of a pair.
    type Record: JournalRecord;
    /// The result of the engine.
    type Result;

    /// Returns the digests of the parts, on which the answers depend.
    ///
    /// # Errors
    /// [`JobError::Sweep`] for times at which nothing can be swept.
    fn digests(&self, job: &Job) -> Result<Digests, JobError>;

    /// Returns the names and values of all settings on which the answers depend.
    fn settings(&self, job: &Job, digests: &Digests) -> Vec<(String, String)>;

    /// Decides the pairs that a journal leaves open.
    ///
    /// # Errors
    /// [`JobError::Check`] or [`JobError::Sweep`].
    fn ask(
        &self,
        job: &Job,
        observer: &dyn Observer,
        journal: &dyn PairJournal<Self::Record>,
    ) -> Result<Self::Result, JobError>;

    /// Returns the summary of all pairs of a result.
    fn ledger(result: &Self::Result) -> &Ledger;

    /// True if the request is about motion, and nothing in the scene moves.
    fn lacks_motion(job: &Job) -> bool;
}

impl Job {
    /// Decides the pairs of a shard, and adds them to its journal. Everything else is done when shards are
    /// merged.
    ///
    /// # Errors
    /// [`JobError`]; [`JobError::Nothing`] only unless `allow_empty`.
    pub fn decide_shard<D: Decide>(
        &self,
        request: &D,
        journal: &Journal,
        allow_empty: bool,
        observer: &dyn Observer,
    ) -> Result<(), JobError> {
        let digests = request.digests(self)?;
        self.decided(request, &digests, (Some(journal), allow_empty), observer).map(drop)
    }

    /// Decides all pairs, or those that the journal does not know.
    pub(crate) fn decided<D: Decide>(
        &self,
        request: &D,
        digests: &Digests,
        (journal, allow_empty): (Option<&Journal>, bool),
        observer: &dyn Observer,
    ) -> Result<D::Result, JobError> {
        let settings = || request.settings(self, digests);
        let result = journal::decided(journal, settings, |journal| request.ask(self, observer, journal))?;
        if !allow_empty {
            self.refuse_empty(D::ledger(&result), D::lacks_motion(self))?;
        }
        Ok(result)
    }
}

impl Decide for CheckRequest {
    type Record = PairRecord;
    type Result = CheckResult;

    fn digests(&self, job: &Job) -> Result<Digests, JobError> {
        Ok(Digests::standing(job.scene()))
    }

    fn settings(&self, job: &Job, digests: &Digests) -> Vec<(String, String)> {
        journal::of_check(job.scene(), self, digests)
    }

    fn ask(
        &self,
        job: &Job,
        observer: &dyn Observer,
        journal: &dyn PairJournal<PairRecord>,
    ) -> Result<CheckResult, JobError> {
        let found = job.assembly().check_with(self, Run::default().observer(observer).journal(journal));
        found.map_err(|error| job.refused(error, job.scene()))
    }

    fn ledger(result: &CheckResult) -> &Ledger {
        &result.ledger
    }

    fn lacks_motion(_: &Job) -> bool {
        false
    }
}

impl Decide for SweepRequest {
    type Record = MovingPairRecord;
    type Result = SweepResult;

    fn digests(&self, job: &Job) -> Result<Digests, JobError> {
        check_times(job.scene(), self).map_err(|error| job.refused_sweep(error, job.scene()))?;
        Ok(Digests::moving(job.scene(), [self.from, self.to]))
    }

    fn settings(&self, job: &Job, digests: &Digests) -> Vec<(String, String)> {
        journal::of_sweep(job.scene(), self, digests)
    }

    fn ask(
        &self,
        job: &Job,
        observer: &dyn Observer,
        journal: &dyn PairJournal<MovingPairRecord>,
    ) -> Result<SweepResult, JobError> {
        let found = job.assembly().sweep_with(self, Run::default().observer(observer).journal(journal));
        found.map_err(|error| job.refused_sweep(error, job.scene()))
    }

    fn ledger(result: &SweepResult) -> &Ledger {
        &result.ledger
    }

    fn lacks_motion(job: &Job) -> bool {
        job.assembly().time_range().is_none()
    }
}
