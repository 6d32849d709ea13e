//! The pairs of a claim that its scene excludes: they touch by design, so a claim says nothing of them.

use std::collections::{BTreeMap, BTreeSet};

use closefit_geometry::ids::PartId;
use closefit_geometry::scene::Scene;
use closefit_project::CompiledClaim;
use closefit_report::certificate::{ExcludedRow, rules_digest};
use closefit_scene::keys::PartKeys;

/// Returns the number of excluded pairs of a claim by reason, with digests of the keys of their parts, which
/// do not depend on the order of the parts.
pub(super) fn rows(scene: &Scene, claim: &CompiledClaim, keys: &PartKeys) -> Vec<ExcludedRow> {
    let sides = claim.sides.each_ref().map(|side| &side[..]);
    let mut by_reason: BTreeMap<&str, (u64, BTreeSet<String>)> = BTreeMap::new();
    for (parts, pairs, reason) in scene.excluded.between(sides) {
        let is_meant = |part: &usize| sides.iter().any(|side| side[*part]);
        let named = parts.map(|parts| {
            let mut named: Vec<&str> = parts.filter(is_meant).map(|part| &*keys.of_part[part]).collect();
            named.sort_unstable();
            // No key has a line break.
            named.join("\n")
        });
        let [p, q] = &named;
        let row = by_reason.entry(reason).or_default();
        row.0 += pairs;
        row.1.insert(format!("{}\n\n{}\n\n", p.min(q), p.max(q)));
    }
    let row = |(reason, (pairs, named)): (&str, (u64, BTreeSet<String>))| {
        let digest = rules_digest(named.into_iter().collect::<String>().as_bytes());
        ExcludedRow { reason: reason.to_owned(), pairs, digest }
    };
    by_reason.into_iter().map(row).collect()
}

/// Returns the reason why nothing is found about a claim without a checked pair.
pub(super) fn why(rows: &[ExcludedRow]) -> Option<String> {
    let reasons: Vec<String> = rows.iter().map(|row| format!("{} as '{}'", row.pairs, row.reason)).collect();
    (!reasons.is_empty()).then(|| format!("every pair is excluded: {}", reasons.join(", ")))
}

/// Returns the number of parts of a side with which the scene excludes a part.
pub(super) fn partners(scene: &Scene, part: u32, side: &[bool]) -> usize {
    let is_excluded = |&other: &u32| scene.excluded.reason(PartId(part), PartId(other)).is_some();
    (0..).zip(side).filter(|(_, is_in)| **is_in).map(|(other, _)| other).filter(is_excluded).count()
}
