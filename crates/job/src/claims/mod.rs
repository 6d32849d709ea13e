//! The claims of a rules file: what was found about them, as a certificate.

mod again;
mod excluded;
mod judge;
mod sides;
mod surfaces;

use crate::error::{Disagreed, JobError};
use crate::job::Job;
use crate::pairs::Claims;
use closefit::{CheckError, CheckRequest, DepthDetail, SweepError, SweepRequest, TreeKind, Verdict, Winding};
use closefit_project::{Asks, CompiledClaim, Over};
use closefit_report::Certificate;
use closefit_report::certificate::{
    ANSWERS, CertifiedPart, CertifiedSettings, CertifiedSweep, ClaimRow, ClaimedPair, Measure, Outcome,
    rules_digest,
};
use closefit_report::digest::Digests;
use closefit_report::document::{Command, DepthRow};
use closefit_scene::keys::PartKeys;
use judge::Judgement;
use sides::{ClaimedSides, Finding};

/// A job and the settings with which its claims are checked.
pub(crate) struct Claimed<'a> {
    pub job: &'a Job,
    pub digests: &'a Digests,
    /// The request for pairs at rest.
    pub standing: CheckRequest,
    /// The request for moving pairs, if it is a sweep.
    pub motion: Option<SweepRequest>,
}

impl Claimed<'_> {
    /// Returns the certificate of the claims of a rules file, if it has any.
    pub fn of_file(&self, kinds: &[TreeKind]) -> Result<Option<Certificate>, JobError> {
        self.job.pairs.claims().map(|claims| self.certify(&claims, kinds)).transpose()
    }

    /// Returns the certificate of a file's claims: of those about rest or, in a sweep, about motion. Kinds of
    /// trees, if there are any, must agree about the pairs.
    fn certify(&self, claims: &Claims, kinds: &[TreeKind]) -> Result<Certificate, JobError> {
        let scene = self.job.scene();
        let keys = PartKeys::of(scene);
        let over = if self.motion.is_some() { Over::Motion } else { Over::Rest };
        let mut is_meant = vec![false; scene.parts.len()];
        let (mut rows, mut not_asked) = (Vec::new(), Vec::new());
        for claim in claims.all {
            if claim.over != over {
                not_asked.push(claim.id.clone());
                continue;
            }
            let members = claim.sides[0].iter().zip(&claim.sides[1]);
            is_meant.iter_mut().zip(members).for_each(|(meant, (&a, &b))| *meant |= a || b);
            let sides = ClaimedSides::new(scene, &keys, claim.sides.each_ref().map(|side| &side[..]));
            let row = self.row(claim, &sides, &keys)?;
            self.cross_check(&sides, &row, kinds)?;
            rows.push(row);
        }
        let is_sweep = self.motion.is_some();
        Ok(Certificate {
            closefit_certificate: Certificate::FORMAT,
            answers: ANSWERS,
            command: if is_sweep { Command::Sweep } else { Command::Check },
            unit: scene.unit,
            settings: self.settings(),
            rules: rules_digest(claims.rules),
            claims: rows,
            not_asked,
            parts: CertifiedPart::some(scene, self.digests, &keys, &is_meant),
            cross_check: kinds.iter().map(|kind| kind.name().to_owned()).collect(),
        })
    }

    fn settings(&self) -> CertifiedSettings {
        let sweep = |request: SweepRequest| CertifiedSweep {
            precision: request.precision,
            from: request.from,
            to: request.to,
        };
        CertifiedSettings {
            tolerance: self.standing.tolerance,
            at: self.job.scene().time.filter(|_| self.motion.is_none()),
            joints: self.job.at_joints.clone().filter(|_| self.motion.is_none()),
            sweep: self.motion.map(sweep),
            joint: self.job.joint.clone().filter(|_| self.motion.is_some()),
            as_is: self.standing.winding == Winding::AsFound,
        }
    }

    fn row(
        &self,
        claim: &CompiledClaim,
        sides: &ClaimedSides,
        keys: &PartKeys,
    ) -> Result<ClaimRow, JobError> {
        let tolerance = claim.tolerance.unwrap_or(self.standing.tolerance);
        let standing = &self.standing.depth(DepthDetail::Full).tolerance(tolerance);
        let refused = |error| self.refused(error, sides);
        let mut judged = match (claim.asks, self.motion.map(|motion| motion.tolerance(tolerance))) {
            (Asks::Clearance(least), None) => {
                judge::clearance(&sides.nearest(standing, least).map_err(refused)?, least)
            }
            (Asks::Clearance(least), Some(motion)) => {
                let found = sides.in_motion(standing, &motion, least);
                judge::clearance(&found.map_err(|error| self.refused_sweep(error, sides))?, least)
            }
            (Asks::Contact, _) => {
                // True surfaces that are so near to each other have meshes within that and both chords.
                let found = sides.at_rest(standing, tolerance).map_err(refused)?;
                self.contact((claim, tolerance), &found, keys)?
            }
            (Asks::Volume(most), _) => {
                let found = sides.volumes(standing).map_err(refused)?;
                judge::volume(&found, most, |finding| sides.names(finding.ids))
            }
        };
        let excluded = excluded::rows(self.job.scene(), claim, keys);
        if sides.pairs() == excluded.iter().map(|row| row.pairs).sum::<u64>() {
            judged.outcome = Outcome::Undecided;
            judged.why = excluded::why(&excluded);
        }
        Ok(ClaimRow { excluded, ..written(claim, judged, keys) })
    }

    /// Judges the claim that each part of the first side touches one of the second.
    fn contact(
        &self,
        (claim, tolerance): (&CompiledClaim, f64),
        found: &[Finding],
        keys: &PartKeys,
    ) -> Result<Judgement, JobError> {
        let [side_a, side_b] = &claim.sides;
        let touches = |finding: &Finding| {
            let [x, y] = finding.ids;
            let is_pair = |&(p, q): &(u32, u32)| side_a[p as usize] && side_b[q as usize];
            [(x, y), (y, x)].iter().filter(|pair| is_pair(pair)).map(|&(p, _)| p).collect()
        };
        let claimed: Vec<u32> = (0..).zip(side_a).filter(|(_, is_in)| **is_in).map(|(id, _)| id).collect();
        judge::contact(found, &claimed, tolerance, touches, |alone| self.alone(alone, side_b, keys))
    }

    /// Judges the claim that some parts, which touch nothing of a side, do so. One that the scene excludes
    /// from parts of that side may touch these.
    fn alone(&self, alone: &[u32], side: &[bool], keys: &PartKeys) -> Result<Judgement, JobError> {
        let scene = self.job.scene();
        let partners = |part: &u32| excluded::partners(scene, *part, side);
        let floating: Vec<u32> = alone.iter().copied().filter(|part| partners(part) == 0).collect();
        let told = if floating.is_empty() { alone } else { &floating };
        let first = *told.iter().min_by_key(|id| &keys.of_part[**id as usize]).expect("some part is alone");
        let others = if told.len() == 1 { String::new() } else { format!(" and {} more", told.len() - 1) };
        let name = &scene.parts[first as usize].name;
        if floating.is_empty() {
            let pairs = partners(&first);
            let are = if pairs == 1 { "is" } else { "are" };
            let why = format!(
                "'{name}'{others} touches nothing that is asked, but {pairs} of its pairs {are} excluded"
            );
            return Ok(Judgement::alone(Outcome::Undecided, why, None));
        }
        let only: Vec<bool> = (0..side.len()).map(|part| part == first as usize).collect();
        let sides = ClaimedSides::new(scene, keys, [&only, side]);
        let near = sides.nearest(&self.standing, 0.0).map_err(|error| self.refused(error, &sides))?;
        let order = |p: &Finding, q: &Finding| {
            p.distance[1].total_cmp(&q.distance[1]).then_with(|| p.key.cmp(&q.key))
        };
        let why = format!("'{name}'{others} touches nothing there");
        Ok(Judgement::alone(Outcome::Violated, why, near.into_iter().min_by(order)))
    }

    /// Compares kinds of trees, if there are any, about the pairs of a claim.
    fn cross_check(&self, sides: &ClaimedSides, row: &ClaimRow, kinds: &[TreeKind]) -> Result<(), JobError> {
        if kinds.is_empty() {
            return Ok(());
        }
        let farthest = if row.measure == Measure::Volume { 0.0 } else { row.found.at_most };
        let limit = farthest.max(row.clearance.unwrap_or(0.0));
        let checked = sides.cross_check(&self.standing, limit, kinds);
        let checked = checked.map_err(|error| self.refused(error, sides))?;
        let Some(found) = checked.disagreement else { return Ok(()) };
        Err(JobError::Disagreement(Box::new(Disagreed::new(self.job.files(), sides.scene(), found))))
    }

    fn refused(&self, error: CheckError, sides: &ClaimedSides) -> JobError {
        self.job.refused(error, sides.scene())
    }

    fn refused_sweep(&self, error: SweepError, sides: &ClaimedSides) -> JobError {
        self.job.refused_sweep(error, sides.scene())
    }
}

/// Returns the row of a claim.
fn written(claim: &CompiledClaim, judged: Judgement, keys: &PartKeys) -> ClaimRow {
    let [side_a, side_b] = &claim.sides;
    let count = |side: &[bool]| side.iter().filter(|is_in| **is_in).count() as u64;
    let is_in_order = |[x, y]: [u32; 2]| side_a[x as usize] && side_b[y as usize];
    let key = |id: u32| keys.of_part[id as usize].to_string();
    let pair = |finding: &Finding| {
        let [x, y] = finding.ids;
        let (a, b) = if is_in_order([x, y]) { (x, y) } else { (y, x) };
        ClaimedPair { key: finding.key.clone(), a: key(a), b: key(b) }
    };
    let first = judged.deciding.first();
    let mut points = first.map_or_else(Vec::new, |finding| finding.points.clone());
    if first.is_some_and(|finding| !is_in_order(finding.ids)) {
        points.reverse();
    }
    let surfaces = match (claim.asks, claim.deflection) {
        (Asks::Clearance(least), Some(deflection)) => Some(surfaces::outcome(&judged, least, deflection)),
        _ => None,
    };
    ClaimRow {
        id: claim.id.clone(),
        clearance: if let Asks::Clearance(least) = claim.asks { Some(least) } else { None },
        verdict: (claim.asks == Asks::Contact).then_some(Verdict::Contact),
        volume_at_most: if let Asks::Volume(most) = claim.asks { Some(most) } else { None },
        tolerance: claim.tolerance,
        parts_a: count(side_a),
        parts_b: count(side_b),
        excluded: Vec::new(),
        outcome: judged.outcome,
        why: judged.why,
        measure: judged.measure,
        found: DepthRow { at_least: judged.found[0], at_most: judged.found[1] },
        surfaces,
        time: first.and_then(|finding| finding.time),
        pairs: judged.deciding.iter().map(pair).collect(),
        points,
    }
}
