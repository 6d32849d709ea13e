//! The claims of a rules file: what was found about them, as a certificate.

mod judge;
mod sides;

use anyhow::anyhow;

use super::args::Input;
use super::cross_check::{Disagreed, in_words};
use super::decide::files_line;
use super::pairs::{Claims, Pairs};
use super::{Outcome, with_file};
use closefit::internals::engine::{CheckError, SweepError};
use closefit::internals::hierarchy::kind::TreeKind;
use closefit::internals::query::moving_pair::SweepRequest;
use closefit::internals::query::{CheckRequest, DepthDetail, Verdict};
use closefit_geometry::mesh::topology::Winding;
use closefit_geometry::scene::Scene;
use closefit_project::{Asks, CompiledClaim, Over};
use closefit_report::certificate::{
    ANSWERS, CertifiedPart, CertifiedSettings, CertifiedSweep, ClaimRow, ClaimedPair, rules_digest,
};
use closefit_report::digest::Digests;
use closefit_report::document::{Command, DepthRow};
use closefit_report::files::{NewFile, ready};
use closefit_report::{Certificate, json, table};
use closefit_scene::keys::PartKeys;
use judge::Judgement;
use sides::{ClaimedSides, Finding};

/// A scene and the settings with which claims are asked.
pub(super) struct Claimed<'a> {
    pub scene: &'a Scene,
    pub input: &'a Input,
    pub digests: &'a Digests,
    /// The request for pairs at rest.
    pub standing: CheckRequest,
    /// The request for moving pairs, if it is a sweep.
    pub motion: Option<SweepRequest>,
}

impl Claimed<'_> {
    /// Returns the certificate of the claims of a rules file, if it has any.
    pub fn of_file(
        &self,
        pairs: &Pairs,
        kinds: &[TreeKind],
    ) -> anyhow::Result<Result<Option<Certificate>, Disagreed>> {
        let Some(claims) = pairs.claims() else { return Ok(Ok(None)) };
        Ok(self.certify(&claims, kinds)?.map(Some))
    }

    /// Returns the certificate of a file's claims: of those about rest or, in a sweep, about motion. Kinds of
    /// trees, if there are any, must agree about the pairs.
    pub fn certify(
        &self,
        claims: &Claims,
        kinds: &[TreeKind],
    ) -> anyhow::Result<Result<Certificate, Disagreed>> {
        let keys = PartKeys::of(self.scene);
        let over = if self.motion.is_some() { Over::Motion } else { Over::Rest };
        let mut is_meant = vec![false; self.scene.parts.len()];
        let (mut rows, mut not_asked) = (Vec::new(), Vec::new());
        for claim in claims.all {
            if claim.over != over {
                not_asked.push(claim.id.clone());
                continue;
            }
            let members = claim.sides[0].iter().zip(&claim.sides[1]);
            is_meant.iter_mut().zip(members).for_each(|(meant, (&a, &b))| *meant |= a || b);
            let sides = ClaimedSides::new(self.scene, &keys, claim.sides.each_ref().map(|side| &side[..]));
            let row = self.row(claim, &sides, &keys)?;
            if let Some(disagreed) = self.disagreement(&sides, &row, kinds)? {
                return Ok(Err(disagreed));
            }
            rows.push(row);
        }
        let is_sweep = self.motion.is_some();
        Ok(Ok(Certificate {
            closefit_certificate: Certificate::FORMAT,
            answers: ANSWERS,
            command: if is_sweep { Command::Sweep } else { Command::Check },
            unit: self.scene.unit,
            settings: self.settings(),
            rules: rules_digest(claims.rules),
            claims: rows,
            not_asked,
            parts: CertifiedPart::some(self.scene, self.digests, &keys, &is_meant),
            cross_check: kinds.iter().map(|kind| kind.name().to_owned()).collect(),
        }))
    }

    fn settings(&self) -> CertifiedSettings {
        let sweep = |request: SweepRequest| CertifiedSweep {
            precision: request.precision,
            from: request.from,
            to: request.to,
        };
        CertifiedSettings {
            tolerance: self.standing.tolerance,
            at: self.scene.time.filter(|_| self.motion.is_none()),
            sweep: self.motion.map(sweep),
            as_is: self.standing.winding == Winding::AsFound,
        }
    }

    fn row(&self, claim: &CompiledClaim, sides: &ClaimedSides, keys: &PartKeys) -> anyhow::Result<ClaimRow> {
        let standing = &self.standing.depth(DepthDetail::Full);
        let refused = |error| self.refused(error, sides);
        let judged = match (claim.asks, &self.motion) {
            (Asks::Clearance(least), None) => {
                judge::clearance(&sides.nearest(standing, least).map_err(refused)?, least)
            }
            (Asks::Clearance(least), Some(motion)) => {
                let found = sides.in_motion(standing, motion, least);
                judge::clearance(&found.map_err(|error| self.refused_sweep(error, sides))?, least)
            }
            (Asks::Contact, _) => {
                let found = sides.at_rest(standing, 0.0).map_err(refused)?;
                self.contact(claim, &found, keys)?
            }
        };
        Ok(written(claim, judged, keys))
    }

    /// Judges the claim that each part of the first side touches one of the second.
    fn contact(
        &self,
        claim: &CompiledClaim,
        found: &[Finding],
        keys: &PartKeys,
    ) -> anyhow::Result<Judgement> {
        let [side_a, side_b] = &claim.sides;
        let touches = |finding: &Finding| {
            let [x, y] = finding.ids;
            let is_pair = |&(p, q): &(u32, u32)| side_a[p as usize] && side_b[q as usize];
            [(x, y), (y, x)].iter().filter(|pair| is_pair(pair)).map(|&(p, _)| p).collect()
        };
        let claimed: Vec<u32> = (0..).zip(side_a).filter(|(_, is_in)| **is_in).map(|(id, _)| id).collect();
        judge::contact(found, &claimed, touches, |alone| {
            let key = |id: &&u32| &keys.of_part[**id as usize];
            let first = *alone.iter().min_by_key(key).expect("some part is alone");
            let only: Vec<bool> = (0..side_a.len()).map(|part| part == first as usize).collect();
            let sides = ClaimedSides::new(self.scene, keys, [&only, side_b]);
            let near = sides.nearest(&self.standing, 0.0).map_err(|error| self.refused(error, &sides))?;
            let nearest = near
                .into_iter()
                .min_by(|p, q| p.distance[1].total_cmp(&q.distance[1]).then_with(|| p.key.cmp(&q.key)));
            let others =
                if alone.len() == 1 { String::new() } else { format!(" and {} more", alone.len() - 1) };
            let name = &self.scene.parts[first as usize].name;
            Ok((format!("'{name}'{others} touches nothing there"), nearest))
        })
    }

    fn disagreement(
        &self,
        sides: &ClaimedSides,
        row: &ClaimRow,
        kinds: &[TreeKind],
    ) -> anyhow::Result<Option<Disagreed>> {
        if kinds.is_empty() {
            return Ok(None);
        }
        let limit = row.found.at_most.max(row.clearance.unwrap_or(0.0));
        let checked = sides.cross_check(&self.standing, limit, kinds);
        let checked = checked.map_err(|error| self.refused(error, sides))?;
        Ok(checked.disagreement.map(|found| {
            let (files, words) = (files_line(&self.input.scenes), in_words(sides.scene(), &found));
            Disagreed(format!("disagreement: {files}: {words}"))
        }))
    }

    fn refused(&self, error: CheckError, sides: &ClaimedSides) -> anyhow::Error {
        with_file(error, sides.scene(), self.input)
    }

    fn refused_sweep(&self, error: SweepError, sides: &ClaimedSides) -> anyhow::Error {
        match error {
            SweepError::Check(error) => self.refused(error, sides),
            error => anyhow!(error).context(files_line(&self.input.scenes)),
        }
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
    ClaimRow {
        id: claim.id.clone(),
        clearance: if let Asks::Clearance(least) = claim.asks { Some(least) } else { None },
        verdict: (claim.asks == Asks::Contact).then_some(Verdict::Contact),
        parts_a: count(side_a),
        parts_b: count(side_b),
        outcome: judged.outcome,
        why: judged.why,
        measure: judged.measure,
        found: DepthRow { at_least: judged.found[0], at_most: judged.found[1] },
        time: first.and_then(|finding| finding.time),
        pairs: judged.deciding.iter().map(pair).collect(),
        points,
    }
}

/// Returns the file of a certificate, if some claim was asked.
pub(super) fn file(certificate: Option<&Certificate>) -> Option<NewFile<'static>> {
    let asked = certificate.filter(|certificate| !certificate.claims.is_empty())?;
    Some(ready("certificate.json", json::document(asked)))
}

/// Returns notes that stand for the lines about claims where no table is shown.
pub(super) fn notes(certificate: Option<&Certificate>) -> Vec<String> {
    let lines = certificate.map_or_else(String::new, table::claims);
    lines.lines().map(|line| format!("claim {line}")).collect()
}

/// Returns the outcome of a run, which fails if a claim does not hold.
pub(super) fn outcome(of_pairs: Outcome, certificate: Option<&Certificate>) -> Outcome {
    if certificate.is_none_or(Certificate::holds) { of_pairs } else { Outcome::Fail }
}
