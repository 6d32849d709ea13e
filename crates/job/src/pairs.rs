//! The choice of the pairs that are checked, and of their lengths: the two sides of a job, and its rules
//! file.

use crate::job::Project;
use closefit::{Ledger, PartId};
use closefit_geometry::scene::Scene;
use closefit_project::{
    Compiled, CompiledClaim, CompiledRule, Fail, RulesError, RulesFile, SceneFile, Sides, Waivers, compile,
    exclusions,
};
use closefit_report::document::{ExcludeRow, RuleRow, RulesRow};

/// The claims of a rules file, for the scene.
pub(crate) struct Claims<'a> {
    /// All of them, in order.
    pub all: &'a [CompiledClaim],
    /// The text of the file.
    pub rules: &'a [u8],
}

/// The rules file of a job, and what it and the sides mean for the scene.
#[derive(Clone, Debug)]
pub(crate) struct Pairs {
    sides: Option<Sides>,
    rules: Option<RulesFile>,
    compiled: Option<Compiled>,
}

impl Pairs {
    /// Gives the scene the rules of a project, if it has any.
    pub fn applied(project: Project, scene: &mut Scene, files: &[SceneFile]) -> Result<Self, RulesError> {
        let Project { sides, rules } = project;
        if sides.is_none() && rules.is_none() {
            return Ok(Self { sides, rules, compiled: None });
        }
        let compiled = compile(scene, files, sides.as_ref(), rules.as_ref())?;
        for (part, &is_surface) in scene.parts.iter_mut().zip(&compiled.surfaces) {
            part.is_surface |= is_surface;
        }
        scene.rules = Some(compiled.pair_rules.clone());
        Ok(Self { sides, rules, compiled: Some(compiled) })
    }

    /// Returns what decides which pairs of the scene are excluded.
    pub fn exclusions(&self, scene: &Scene) -> String {
        exclusions(scene, self.sides.as_ref(), self.rules.as_ref())
    }

    /// Returns the reason why no pair may be checked: a side or group without parts.
    pub fn why_empty(&self) -> Option<String> {
        let notes = self.compiled.as_ref().map(|compiled| compiled.notes.join("; "));
        notes.filter(|notes| !notes.is_empty())
    }

    /// Returns notes on sides, groups and rules that decide nothing.
    pub fn notes(&self, ledger: &Ledger) -> Vec<String> {
        let Some(compiled) = &self.compiled else { return Vec::new() };
        compiled.notes.iter().cloned().chain(compiled.idle(&ledger.by_entry)).collect()
    }

    /// Returns the rows of the rules file for a report, of what each entry decided and the lengths of pairs
    /// to which their rules give none: clearance and tolerance.
    pub fn rows(&self, by_entry: &[u64], lengths: [f64; 2]) -> Option<RulesRow> {
        let (file, compiled) = self.rules.as_ref().zip(self.compiled.as_ref())?;
        let row = |rule: &CompiledRule| RuleRow {
            id: rule.id[..].into(),
            parts_a: rule.parts[0],
            parts_b: rule.parts[1],
            clearance: rule.lengths.clearance.unwrap_or(lengths[0]),
            tolerance: rule.lengths.tolerance.unwrap_or(lengths[1]),
            volume_at_most: rule.volume_at_most,
            severity: rule.severity.map(|severity| severity.word().into()),
            pairs: by_entry[rule.entry],
            by_verdict: Default::default(),
        };
        let rules = compiled.rules.iter().map(row).collect();
        let mut excludes: Vec<ExcludeRow> = Vec::new();
        for exclude in &compiled.excludes {
            let pairs = by_entry[exclude.entry];
            match excludes.iter_mut().find(|row| row.reason == exclude.reason) {
                Some(row) => row.pairs += pairs,
                None => excludes.push(ExcludeRow { reason: exclude.reason.clone(), pairs }),
            }
        }
        Some(RulesRow::new(file.text().as_bytes(), rules, excludes))
    }

    /// Returns the waivers, if there are any.
    pub fn waivers(&self) -> Option<&Waivers> {
        let waivers = &self.compiled.as_ref()?.waivers;
        (!waivers.all.is_empty()).then_some(waivers)
    }

    /// True if the rules file has claims, and neither rules nor exclusions nor waivers.
    pub fn are_only_claims(&self) -> bool {
        self.compiled.as_ref().is_some_and(|compiled| {
            let asks_pairs = !compiled.rules.is_empty() || !compiled.excludes.is_empty();
            !asks_pairs && compiled.waivers.all.is_empty() && !compiled.claims.is_empty()
        })
    }

    /// Returns the claims, if there are any.
    pub fn claims(&self) -> Option<Claims<'_>> {
        let (file, compiled) = self.rules.as_ref().zip(self.compiled.as_ref())?;
        let rules = file.text().as_bytes();
        (!compiled.claims.is_empty()).then_some(Claims { all: &compiled.claims, rules })
    }

    /// Returns the index of the rule that decides a pair, if one does.
    pub fn rule_of(&self, ids: [u32; 2]) -> Option<usize> {
        let compiled = self.compiled.as_ref()?;
        let entry = compiled.pair_rules.entry_of(PartId(ids[0]), PartId(ids[1]))?;
        compiled.rules.binary_search_by_key(&entry, |rule| rule.entry).ok()
    }

    /// True if a rule has a largest volume.
    pub fn limit_volumes(&self) -> bool {
        let mut rules = self.compiled.iter().flat_map(|compiled| &compiled.rules);
        rules.any(|rule| rule.volume_at_most.is_some())
    }

    /// Returns the volume up to which the overlap of a pair is accepted, if its rule says one.
    pub fn volume_at_most(&self, ids: [u32; 2]) -> Option<f64> {
        let index = self.rule_of(ids)?;
        self.compiled.as_ref()?.rules[index].volume_at_most
    }

    /// True if a part is a zone.
    pub fn is_zone(&self, part: u32) -> bool {
        self.compiled.as_ref().is_some_and(|compiled| compiled.zones.get(part as usize) == Some(&true))
    }

    /// Returns the mildest verdict with which a pair fails, if its rule says one.
    pub fn fail_of(&self, ids: [u32; 2]) -> Option<Fail> {
        let index = self.rule_of(ids)?;
        self.compiled.as_ref()?.rules[index].fail
    }
}
