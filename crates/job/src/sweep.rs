//! A whole sweep.

use std::sync::Arc;

use crate::claims::Claimed;
use crate::decide::Decide;
use crate::error::JobError;
use crate::finished::Finished;
use crate::job::Job;
use crate::journal::Journal;
use closefit::internals::engine::Clock;
use closefit::{CheckRequest, Observer, PartId, Stage, SweepRequest, SweepResult};
use closefit_project::Over;
use closefit_report::digest::Digests;
use closefit_report::document::TraceRow;
use closefit_report::{Seconds, SweepReport, table};

/// The things that a sweep does in addition to deciding pairs.
#[derive(Clone, Debug, Default)]
pub struct SweepOptions {
    /// Two parts whose distance over time the report has.
    pub trace: Option<[PartId; 2]>,
    /// True to accept a scene without a pair to decide.
    pub allow_empty: bool,
    /// The journal to which decided pairs are added, and from which known ones are taken.
    pub journal: Option<Arc<Journal>>,
}

impl Job {
    /// Returns the default settings of a sweep between two times, or else the first and the last keyframe: no
    /// clearance, and the tolerance and precision of
    /// [`Assembly::sweep_request`](closefit::Assembly::sweep_request). If nothing moves, a single time given
    /// is both start and end.
    ///
    /// # Errors
    /// [`JobError::Check`] for a part that cannot be posed.
    pub fn sweep_request(&self, from: Option<f64>, to: Option<f64>) -> Result<SweepRequest, JobError> {
        let [from, to] = match self.assembly().time_range() {
            Some([first, last]) => [from.unwrap_or(first), to.unwrap_or(last)],
            None => [from.or(to), to.or(from)].map(Option::unwrap_or_default),
        };
        self.assembly().sweep_request(from, to).map_err(|error| self.refused(error, self.scene()))
    }

    /// Decides over their motion every pair that the project asks for, and the claims about motion.
    ///
    /// # Errors
    /// [`JobError`].
    pub fn sweep(
        &self,
        request: &SweepRequest,
        options: &SweepOptions,
        observer: &dyn Observer,
    ) -> Result<Finished<SweepReport>, JobError> {
        if !options.allow_empty {
            self.refuse_no_claim(Some(Over::Motion))?;
        }
        let (mut clock, mut seconds) = (Clock::start(), Seconds::default());
        let scene = self.scene();
        let digests = request.digests(self)?;
        seconds.digest = clock.lap();
        let journal = (options.journal.as_deref(), options.allow_empty);
        let result = self.decided(request, &digests, journal, observer)?;
        seconds.add_engine(clock.lap(), &result.counters);
        let trace = options.trace.map(|pair| self.trace(pair, request, observer)).transpose()?;
        seconds.trace = trace.as_ref().map(|_| clock.lap());

        let repairs = table::repairs(scene, &result.repairs);
        let (strategy, counters) = (result.request.strategy, result.counters);
        let (report, notes) = self.sweep_report(request, result, trace, &digests);
        let standing = at_rest(request);
        let claimed = Claimed { job: self, digests: &digests, standing, motion: Some(*request) };
        let certificate = claimed.of_file(&[])?;
        let cross_check = None;
        Ok(Finished { report, certificate, notes, repairs, strategy, counters, cross_check, seconds })
    }

    fn trace(
        &self,
        pair: [PartId; 2],
        request: &SweepRequest,
        observer: &dyn Observer,
    ) -> Result<TraceRow, JobError> {
        observer.begin(Stage::Tracing, 0);
        let distances = self.assembly().distances_over_time(pair, request);
        let distances = distances.map_err(|error| self.refused_sweep(error, self.scene()))?;
        Ok(TraceRow::new(pair, distances))
    }

    /// Returns the report of a result with rules and zones, and notes on those that decide nothing.
    fn sweep_report(
        &self,
        request: &SweepRequest,
        result: SweepResult,
        trace: Option<TraceRow>,
        digests: &Digests,
    ) -> (SweepReport, Vec<String>) {
        let mut notes = self.pairs.notes(&result.ledger);
        let rules = self.pairs.rows(&result.ledger.by_entry, [request.clearance, request.tolerance]);
        let mut report = SweepReport { trace, ..SweepReport::with_digests(self.scene(), result, digests) };
        report.settings.joint.clone_from(&self.joint);
        let report = report.with_rules(rules, |ids| self.pairs.rule_of(ids));
        let report = report.with_exclusions(|| self.pairs.exclusions(self.scene()));
        if self.pairs.waivers().is_some() {
            notes.push("waivers are about depths, of which a sweep has no bounds".to_owned());
        }
        notes.extend(self.volumes_not_asked());
        (report.with_zones(|part| self.pairs.is_zone(part)), notes)
    }
}

/// Returns the settings with which the claims of a sweep are checked for pairs that do not move.
pub(crate) fn at_rest(request: &SweepRequest) -> CheckRequest {
    CheckRequest::default()
        .tolerance(request.tolerance)
        .strategy(request.strategy)
        .broad(request.broad)
        .hull(request.hull)
        .winding(request.winding)
        .memory(request.memory)
}
