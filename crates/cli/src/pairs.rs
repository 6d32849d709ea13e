//! The choice of the pairs that are asked, and of their lengths: the two sides of a run, and its rules file.

use std::fs;
use std::path::Path;

use anyhow::{Context, anyhow};

use super::args::{FailOn, PairArgs};
use closefit::internals::engine::Ledger;
use closefit_geometry::ids::PartId;
use closefit_geometry::scene::Scene;
use closefit_project::{
    Compiled, CompiledClaim, CompiledRule, Fail, RulesFile, SceneFile, Sides, Waivers, compile,
};
use closefit_report::document::{ExcludeRow, RuleRow, RulesRow};

/// The claims of a rules file, for the scene.
pub(super) struct Claims<'a> {
    /// All of them, in order.
    pub all: &'a [CompiledClaim],
    /// The text of the file.
    pub rules: &'a [u8],
}

/// The rules file of a run, and what it and the sides mean for the scene.
pub(super) struct Pairs {
    file: Option<(Vec<u8>, RulesFile)>,
    compiled: Option<Compiled>,
}

impl Pairs {
    /// Reads the rules file, if there is one.
    pub fn read(args: &PairArgs) -> anyhow::Result<Self> {
        let file = args.rules.as_deref().map(read_rules).transpose()?;
        Ok(Self { file, compiled: None })
    }

    /// Gives the scene its rules, if the user has any.
    pub fn apply(&mut self, args: &PairArgs, scene: &mut Scene, files: &[SceneFile]) -> anyhow::Result<()> {
        let sides = sides(args, files)?;
        if sides.is_none() && self.file.is_none() {
            return Ok(());
        }
        let rules = self.file.as_ref().map(|(_, rules)| rules);
        let compiled = compile(scene, files, sides.as_ref(), rules)?;
        for (part, &is_surface) in scene.parts.iter_mut().zip(&compiled.surfaces) {
            part.is_surface |= is_surface;
        }
        scene.rules = Some(compiled.pair_rules.clone());
        self.compiled = Some(compiled);
        Ok(())
    }

    /// Returns the reason why no pair may be asked: a side or group without parts.
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
        let ((bytes, _), compiled) = self.file.as_ref().zip(self.compiled.as_ref())?;
        let row = |rule: &CompiledRule| RuleRow {
            id: rule.id[..].into(),
            parts_a: rule.parts[0],
            parts_b: rule.parts[1],
            clearance: rule.lengths.clearance.unwrap_or(lengths[0]),
            tolerance: rule.lengths.tolerance.unwrap_or(lengths[1]),
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
        Some(RulesRow::new(bytes, rules, excludes))
    }

    /// Returns the waivers, if there are any.
    pub fn waivers(&self) -> Option<&Waivers> {
        let waivers = &self.compiled.as_ref()?.waivers;
        (!waivers.all.is_empty()).then_some(waivers)
    }

    /// Returns the claims, if there are any.
    pub fn claims(&self) -> Option<Claims<'_>> {
        let ((rules, _), compiled) = self.file.as_ref().zip(self.compiled.as_ref())?;
        (!compiled.claims.is_empty()).then_some(Claims { all: &compiled.claims, rules })
    }

    /// Returns the index of the rule that decides a pair, if one does.
    pub fn rule_of(&self, ids: [u32; 2]) -> Option<usize> {
        let compiled = self.compiled.as_ref()?;
        let entry = compiled.pair_rules.entry_of(PartId(ids[0]), PartId(ids[1]))?;
        compiled.rules.binary_search_by_key(&entry, |rule| rule.entry).ok()
    }

    /// True if a part is a zone.
    pub fn is_zone(&self, part: u32) -> bool {
        self.compiled.as_ref().is_some_and(|compiled| compiled.zones.get(part as usize) == Some(&true))
    }

    /// Returns the mildest verdict with which a pair fails: that of its rule, or else of the command.
    pub fn fail_on(&self, ids: [u32; 2], otherwise: FailOn) -> FailOn {
        let rule = self.rule_of(ids).zip(self.compiled.as_ref());
        match rule.and_then(|(index, compiled)| compiled.rules[index].fail) {
            None => otherwise,
            Some(Fail::Clash) => FailOn::Clash,
            Some(Fail::Undecided) => FailOn::Undecided,
            Some(Fail::Contact) => FailOn::Contact,
            Some(Fail::Clearance) => FailOn::Clearance,
            Some(Fail::Never) => FailOn::Never,
        }
    }
}

fn read_rules(path: &Path) -> anyhow::Result<(Vec<u8>, RulesFile)> {
    let text = text_of(path)?;
    let rules = RulesFile::read(path, &text)?;
    Ok((text.into_bytes(), rules))
}

/// Returns the text of a rules file.
pub(super) fn text_of(path: &Path) -> anyhow::Result<String> {
    let bytes = fs::read(path).map_err(|error| anyhow!("cannot be read: {error}"));
    let text = bytes.and_then(|bytes| String::from_utf8(bytes).map_err(|_| anyhow!("it is not UTF-8")));
    text.context(path.display().to_string())
}

/// Returns the sides that the user chooses.
fn sides(args: &PairArgs, files: &[SceneFile]) -> anyhow::Result<Option<Sides>> {
    let first = files.len() - args.against.len();
    match &args.sets[..] {
        [] if args.against.is_empty() => Ok(None),
        [] => Ok(Some(Sides::Against(files[..first].last().map_or(0, |file| file.end)))),
        [set] => Ok(Some(Sides::Within(set.clone()))),
        [a, b] => Ok(Some(Sides::Between([a.clone(), b.clone()]))),
        more => Err(anyhow!("--set is given {} times: two sets are the two sides", more.len())),
    }
}
