//! A whole check.

use std::sync::Arc;

use crate::claims::Claimed;
use crate::decide::Decide;
use crate::error::{Disagreed, JobError};
use crate::finished::Finished;
use crate::groups::GroupOptions;
use crate::job::Job;
use crate::journal::Journal;
use closefit::internals::engine::Clock;
use closefit::{
    CheckRequest, CheckResult, ContactGeometry, Observer, PairRecord, PartId, Separation, SharedVolume,
    TreeKind,
};
use closefit_project::Over;
use closefit_report::digest::Digests;
use closefit_report::document::SelfContactsRow;
use closefit_report::{CheckReport, CrossCheckRecord, Seconds, table};

/// The number of points of a patch of contact in a report.
const SOLVER_POINTS: usize = 4;

/// The things that a check does in addition to deciding pairs.
#[derive(Clone, Debug, Default)]
pub struct CheckOptions {
    /// The groups of the report.
    pub groups: GroupOptions,
    /// Kinds of trees that must agree with the kind of the request about every candidate pair, and about the
    /// pairs of claims.
    pub cross_check: Vec<TreeKind>,
    /// True to find what triangles in contact share.
    pub contact_geometry: bool,
    /// True to find the volumes that parts share.
    pub volumes: bool,
    /// True to find the contacts of each part with itself.
    pub self_contacts: bool,
    /// True to find the ways out of clashes.
    pub ways_out: bool,
    /// True to accept a scene without a pair to decide.
    pub allow_empty: bool,
    /// The journal to which decided pairs are added, and from which known ones are taken.
    pub journal: Option<Arc<Journal>>,
}

impl Job {
    /// Returns the default settings of a check: no clearance, and the tolerance of
    /// [`Assembly::check_request`](closefit::Assembly::check_request).
    ///
    /// # Errors
    /// [`JobError::Check`] for a part that cannot be posed.
    pub fn check_request(&self) -> Result<CheckRequest, JobError> {
        self.assembly().check_request().map_err(|error| self.refused(error, self.scene()))
    }

    /// Decides every pair that the project asks for, and the claims about parts at rest.
    ///
    /// # Errors
    /// [`JobError`].
    pub fn check(
        &self,
        request: &CheckRequest,
        options: &CheckOptions,
        observer: &dyn Observer,
    ) -> Result<Finished<CheckReport>, JobError> {
        if !options.allow_empty {
            self.refuse_no_claim(Some(Over::Rest))?;
        }
        let (mut clock, mut seconds) = (Clock::start(), Seconds::default());
        let digests = request.digests(self)?;
        seconds.digest = clock.lap();
        let journal = (options.journal.as_deref(), options.allow_empty);
        let result = self.decided(request, &digests, journal, observer)?;
        seconds.add_engine(clock.lap(), &result.counters);
        let kinds = compared(request.strategy.tree(), &options.cross_check);
        let cross_check = self.cross_check((request, &result.pairs), &kinds, observer)?;
        seconds.cross_check = cross_check.as_ref().map(|_| clock.lap());

        let ways_out = options.ways_out.then(|| self.ways_out(request, &result, observer)).transpose()?;
        seconds.ways_out = ways_out.as_ref().map(|_| clock.lap());

        let geometries =
            options.contact_geometry.then(|| self.contact_geometries(request, &result, observer));
        let geometries = geometries.transpose()?;
        let volumes = self.overlap_volumes(request, options.volumes, &result, observer)?;
        let repairs = table::repairs(self.scene(), &result.repairs);
        let (strategy, counters) = (result.request.strategy, result.counters);
        let of_parts = options.self_contacts.then(|| self.self_contacts(request, observer)).transpose()?;
        let (mut report, mut notes) = self.check_report(request, result, &digests)?;
        if let Some(ways_out) = &ways_out {
            report = report.with_ways_out(ways_out);
        }
        if let Some(geometries) = &geometries {
            report = report.with_contact_geometries(geometries);
        }
        if let Some(volumes) = &volumes {
            report = report.with_volumes(volumes);
            let apart = |ids: [u32; 2]| {
                let ids = ids.map(PartId);
                [self.scene().chords(ids), self.scene().deflections(ids)]
            };
            report = report.with_volume_limits(|ids| self.pairs.volume_at_most(ids), apart);
            report.settings.volume = options.volumes;
        }
        if let Some(of_parts) = of_parts {
            report = report.with_self_contacts(of_parts);
        }
        notes.extend(report.self_contacts.iter().flatten().map(SelfContactsRow::in_words));
        let report = options.groups.group(report, self)?;
        let claimed = Claimed { job: self, digests: &digests, standing: *request, motion: None };
        let certificate = claimed.of_file(&kinds)?;
        Ok(Finished { report, certificate, notes, repairs, strategy, counters, cross_check, seconds })
    }

    /// Returns the report of a result with rules, zones and waivers, and notes on those that decide nothing.
    fn check_report(
        &self,
        request: &CheckRequest,
        result: CheckResult,
        digests: &Digests,
    ) -> Result<(CheckReport, Vec<String>), JobError> {
        let mut notes = self.pairs.notes(&result.ledger);
        let rules = self.pairs.rows(&result.ledger.by_entry, [request.clearance, request.tolerance]);
        let report = CheckReport::with_digests(self.scene(), result, digests);
        let report = report.with_rules(rules, |ids| self.pairs.rule_of(ids));
        let report = report.with_exclusions(|| self.pairs.exclusions(self.scene()));
        let mut report = report.with_zones(|part| self.pairs.is_zone(part));
        report.settings.joints.clone_from(&self.at_joints);
        notes.extend(self.waive(request, &mut report)?);
        Ok((report, notes))
    }

    /// Returns the geometry of the contacts of a result.
    fn contact_geometries(
        &self,
        request: &CheckRequest,
        result: &CheckResult,
        observer: &dyn Observer,
    ) -> Result<Vec<Option<ContactGeometry>>, JobError> {
        let found = self.assembly().contact_geometries(request, &result.pairs, SOLVER_POINTS, observer);
        found.map_err(|error| self.refused(error, self.scene()))
    }

    /// Returns the volumes that the pairs of a result share, for all of them or for those whose rules limit
    /// it, if there are any.
    fn overlap_volumes(
        &self,
        request: &CheckRequest,
        of_all: bool,
        result: &CheckResult,
        observer: &dyn Observer,
    ) -> Result<Option<Vec<SharedVolume>>, JobError> {
        if !of_all && !self.pairs.limit_volumes() {
            return Ok(None);
        }
        let is_asked =
            |pair: &&PairRecord| of_all || self.pairs.volume_at_most(pair.ids.map(|id| id.0)).is_some();
        let asked: Vec<PairRecord> = result.pairs.iter().filter(is_asked).cloned().collect();
        let found = self.assembly().overlap_volumes(request, &asked, observer);
        let mut found = found.map_err(|error| self.refused(error, self.scene()))?.into_iter();
        let volume = |pair| if is_asked(&pair) { found.next().flatten() } else { None };
        Ok(Some(result.pairs.iter().map(volume).collect()))
    }

    /// Returns the contacts of each part with itself.
    fn self_contacts(
        &self,
        request: &CheckRequest,
        observer: &dyn Observer,
    ) -> Result<Vec<Vec<[u32; 2]>>, JobError> {
        let found = self.assembly().self_contacts(request, observer);
        found.map_err(|error| self.refused(error, self.scene()))
    }

    /// Returns the ways out of the pairs of a result.
    fn ways_out(
        &self,
        request: &CheckRequest,
        result: &CheckResult,
        observer: &dyn Observer,
    ) -> Result<Vec<Option<Separation>>, JobError> {
        let found = self.assembly().ways_out(request, &result.pairs, observer);
        found.map_err(|error| self.refused(error, self.scene()))
    }

    /// Compares the request's tree with other kinds, if there are any, for every candidate pair, and with the
    /// records.
    fn cross_check(
        &self,
        decided: (&CheckRequest, &[PairRecord]),
        kinds: &[TreeKind],
        observer: &dyn Observer,
    ) -> Result<Option<CrossCheckRecord>, JobError> {
        if kinds.is_empty() {
            return Ok(None);
        }
        let checked = self.assembly().cross_check(decided, kinds, observer);
        let checked = checked.map_err(|error| self.refused(error, self.scene()))?;
        let record = CrossCheckRecord::new(&checked);
        match checked.disagreement {
            None => Ok(Some(record)),
            Some(found) => {
                Err(JobError::Disagreement(Box::new(Disagreed::new(self.files(), self.scene(), found))))
            }
        }
    }
}

/// Returns the kinds to compare, in the order of all kinds: the request's own and the user's.
/// None if none are requested.
fn compared(own: TreeKind, asked: &[TreeKind]) -> Vec<TreeKind> {
    if asked.is_empty() {
        return Vec::new();
    }
    let is_compared = |kind: &TreeKind| *kind == own || asked.contains(kind);
    closefit_methods::ALL.iter().copied().filter(is_compared).collect()
}
