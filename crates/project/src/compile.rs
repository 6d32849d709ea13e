//! The rules of a project for one scene.

use crate::claims::CompiledClaim;
use crate::fault::{Fault, RulesError, quoted};
use crate::glob::Patterns;
use crate::groups::{Group, Groups};
use crate::parts::{Parts, SceneFile, groups_of};
use crate::rules::{Exclude, Fail, GivenLength, GivenVolume, Rule, RulesFile, Same, Severity};
use crate::selector::Selector;
use crate::sides::Sides;
use crate::waive::Waivers;
use closefit_geometry::scene::pair_rules::{Decision, Entry, Lengths, NO_RULE};
use closefit_geometry::scene::{PairRules, Scene};

/// The reason for pairs that a matrix leaves out.
const OFF: &str = "off in the matrix";

/// The reason for pairs of zones, which may overlap.
const ZONES: &str = "two zones";

/// The reason for pairs of a zone and a part of the same parent: a door is in its own swing.
const OWN_ZONE: &str = "a part in its own zone";

/// Rules and sides, made for one scene.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The rules as the engine takes them.
    pub pair_rules: PairRules,
    /// The rules of the file, in order.
    pub rules: Vec<CompiledRule>,
    /// The exclusions of the file, in order.
    pub excludes: Vec<CompiledExclude>,
    /// True for each part that is declared a surface.
    pub surfaces: Vec<bool>,
    /// True for each part that is a zone.
    pub zones: Vec<bool>,
    /// The waivers of the file.
    pub waivers: Waivers,
    /// The claims of the file, in order.
    pub claims: Vec<CompiledClaim>,
    /// Notes on what has no part in the scene.
    pub notes: Vec<String>,
}

/// A rule for one scene.
#[derive(Clone, Debug, PartialEq)]
pub struct CompiledRule {
    /// The id.
    pub id: String,
    /// The index of its entry in the pair rules.
    pub entry: usize,
    /// The numbers of parts of both sides.
    pub parts: [u64; 2],
    /// Its own lengths, in the scene's unit.
    pub lengths: Lengths,
    /// The volume up to which overlaps of its pairs are accepted, if it says one.
    pub volume_at_most: Option<f64>,
    /// The mildest verdict with which its pairs fail, if it says one.
    pub fail: Option<Fail>,
    /// Its severity, if it says one.
    pub severity: Option<Severity>,
}

/// An exclusion for one scene.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompiledExclude {
    /// The reason.
    pub reason: String,
    /// The index of its entry in the pair rules.
    pub entry: usize,
}

/// Makes the rules of a scene: what the sides leave out comes first, then the exclusions of the file and its
/// rules. If the file has a rule, pairs that none is about are excluded.
///
/// # Errors
/// [`RulesError`] if a length has no value in the scene's unit, or if a claim is about no pair.
///
/// # Panics
/// Panics if `files` are not the files of all parts.
pub fn compile(
    scene: &Scene,
    files: &[SceneFile],
    sides: Option<&Sides>,
    rules: Option<&RulesFile>,
) -> Result<Compiled, RulesError> {
    assert!(files.last().map_or(0, |file| file.end) == scene.parts.len(), "every part is of a file");
    let (no_models, no_groups) = (Vec::new(), Groups::default());
    let models = rules.map_or(&no_models, |rules| &rules.models);
    let groups = rules.map_or(&no_groups, |rules| &rules.groups);
    let parts = Parts::new(scene, files, models);
    let mut compiler = Compiler::new(scene, &parts, groups);
    compiler.notes.splice(0..0, unused_models(models, files));
    if let Some(sides) = sides {
        compiler.add_sides(sides);
    }
    let zones = compiler.declared(groups, |group| group.is_zone);
    let (mut excludes, mut compiled) = (compiler.add_own_zones(&zones), Vec::new());
    for exclude in rules.map_or(&[][..], |rules| &rules.excludes) {
        excludes.push(compiler.add_exclude(exclude));
    }
    for rule in rules.map_or(&[][..], |rules| &rules.rules) {
        if rule.is_off {
            let entry = compiler.add(&rule.sides, None, Decision::Excluded(OFF.into()));
            excludes.push(CompiledExclude { reason: OFF.to_owned(), entry });
        } else {
            let limits = limits(rule, scene).map_err(|fault| {
                let file = rules.expect("the rule is of a file");
                file.refused(fault.of(&format!("rule {}", quoted(&rule.id))))
            })?;
            compiled.push(compiler.add_rule(rule, limits));
        }
    }
    let has_rules = rules.is_some_and(|rules| !rules.rules.is_empty());
    let otherwise = match has_rules {
        true => Decision::Excluded(NO_RULE.into()),
        false => Decision::Asked(Lengths::default()),
    };
    let (waivers, claims) = match rules {
        Some(file) => compiler.asked_later(file).map_err(|fault| file.refused(fault))?,
        None => Default::default(),
    };
    compiler.add_zones(&zones);
    let finished = compiler.finish(groups, otherwise, compiled, excludes);
    Ok(Compiled { zones, waivers, claims, ..finished })
}

/// Returns a note for each name of a model that no file has.
fn unused_models(models: &[(String, Patterns)], files: &[SceneFile]) -> Vec<String> {
    let is_unused = |(_, patterns): &&(String, Patterns)| !files.iter().any(|f| patterns.matches(&f.name));
    let note = |(name, patterns): &(String, Patterns)| {
        format!("no file of the scene is the model {}: {}", quoted(name), quoted(&patterns.texts.join(", ")))
    };
    models.iter().filter(is_unused).map(note).collect()
}

/// Returns the lengths of a rule, and its largest volume.
fn limits(rule: &Rule, scene: &Scene) -> Result<(Lengths, Option<f64>), Fault> {
    let length =
        |given: &Option<GivenLength>| given.as_ref().map(|given| given.in_unit(scene.unit)).transpose();
    let lengths = Lengths { clearance: length(&rule.clearance)?, tolerance: length(&rule.tolerance)? };
    let volume = |given: &GivenVolume| given.in_unit(scene.unit);
    Ok((lengths, rule.volume_at_most.as_ref().map(volume).transpose()?))
}

/// Sets, partitions and entries in the making. The first sets are the sets of the groups.
struct Compiler<'a> {
    scene: &'a Scene,
    parts: &'a Parts<'a>,
    groups: usize,
    sets: Vec<Vec<bool>>,
    partitions: Vec<(Same, Vec<u32>)>,
    entries: Vec<Entry>,
    notes: Vec<String>,
}

impl<'a> Compiler<'a> {
    fn new(scene: &'a Scene, parts: &'a Parts<'a>, groups: &Groups) -> Self {
        let mut sets = vec![Vec::new(); groups.all.len()];
        for &group in &groups.order {
            sets[group] = parts.selected(&groups.all[group].selector, &sets);
        }
        let notes = groups.all.iter().zip(&sets).filter(|(_, set)| !set.contains(&true));
        let notes =
            notes.map(|(group, _)| format!("group {} matches no part of the scene", quoted(&group.name)));
        let notes = notes.collect();
        Self { scene, parts, groups: sets.len(), sets, partitions: Vec::new(), entries: Vec::new(), notes }
    }

    /// Adds an entry and returns its index.
    fn add(&mut self, sides: &[Selector; 2], same: Option<Same>, decision: Decision) -> usize {
        let sides = sides.each_ref().map(|selector| self.set(selector));
        let same = same.map(|same| self.partition(same));
        self.entries.push(Entry { sides, same, decision });
        self.entries.len() - 1
    }

    fn set(&mut self, selector: &Selector) -> usize {
        if let Selector::Group(group) = selector {
            return *group;
        }
        self.push(self.parts.selected(selector, &self.sets[..self.groups]))
    }

    /// Adds a set, unless there is the same, and returns its index.
    fn push(&mut self, set: Vec<bool>) -> usize {
        let known = self.sets[self.groups..].iter().position(|known| *known == set);
        if known.is_none() {
            self.sets.push(set);
        }
        known.map_or(self.sets.len() - 1, |known| self.groups + known)
    }

    fn partition(&mut self, same: Same) -> usize {
        let known = self.partitions.iter().position(|(known, _)| *known == same);
        if known.is_none() {
            self.partitions.push((same, groups_of(self.scene, self.parts.files(), same)));
        }
        known.unwrap_or(self.partitions.len() - 1)
    }

    fn add_sides(&mut self, sides: &Sides) {
        let (unasked, notes) = sides.unasked(self.parts, self.scene.parts.len());
        self.notes.extend(notes);
        for (sets, reason) in unasked {
            let sides = sets.map(|set| self.push(set));
            self.entries.push(Entry { sides, same: None, decision: Decision::Excluded(reason.into()) });
        }
    }

    /// Returns, for each part, whether a group of a kind has it.
    fn declared(&self, groups: &Groups, is_of_kind: impl Fn(&Group) -> bool) -> Vec<bool> {
        let mut declared = vec![false; self.scene.parts.len()];
        for (_, set) in groups.all.iter().zip(&self.sets).filter(|(group, _)| is_of_kind(group)) {
            declared.iter_mut().zip(set).for_each(|(is_declared, is_in)| *is_declared |= is_in);
        }
        declared
    }

    /// Excludes zones from each other and from the parts that they belong to, the parts of the same parent.
    fn add_own_zones(&mut self, zones: &[bool]) -> Vec<CompiledExclude> {
        if !zones.contains(&true) {
            return Vec::new();
        }
        let [zones, all] = [zones.to_vec(), vec![true; zones.len()]].map(|set| self.push(set));
        let parent = self.partition(Same::Parent);
        [([zones; 2], None, ZONES), ([zones, all], Some(parent), OWN_ZONE)]
            .into_iter()
            .map(|(sides, same, reason)| {
                self.entries.push(Entry { sides, same, decision: Decision::Excluded(reason.into()) });
                CompiledExclude { reason: reason.to_owned(), entry: self.entries.len() - 1 }
            })
            .collect()
    }

    /// Asks zones against every part that no rule names: they are to be free of any.
    fn add_zones(&mut self, zones: &[bool]) {
        if zones.contains(&true) {
            let sides = [zones.to_vec(), vec![true; zones.len()]].map(|set| self.push(set));
            self.entries.push(Entry { sides, same: None, decision: Decision::Asked(Lengths::default()) });
        }
    }

    fn add_exclude(&mut self, exclude: &Exclude) -> CompiledExclude {
        let Exclude { sides, same, reason } = exclude;
        let entry = self.add(sides, *same, Decision::Excluded(reason.clone().into()));
        CompiledExclude { reason: reason.clone(), entry }
    }

    fn add_rule(&mut self, rule: &Rule, (lengths, volume_at_most): (Lengths, Option<f64>)) -> CompiledRule {
        let entry = self.add(&rule.sides, None, Decision::Asked(lengths));
        let count = |set: usize| self.sets[set].iter().filter(|is_in| **is_in).count() as u64;
        let parts = self.entries[entry].sides.map(count);
        let &Rule { fail, severity, .. } = rule;
        CompiledRule { id: rule.id.clone(), entry, parts, lengths, volume_at_most, fail, severity }
    }

    /// Makes the waivers and claims of a file, which decide nothing about the checks of pairs.
    fn asked_later(&self, file: &RulesFile) -> Result<(Waivers, Vec<CompiledClaim>), Fault> {
        let unit = self.scene.unit;
        let select = |selector: &Selector| self.parts.selected(selector, &self.sets[..self.groups]);
        let claims = file.claims.iter().map(|claim| claim.compiled(unit, select));
        Ok((Waivers::new(&file.waivers, unit, select)?, claims.collect::<Result<_, _>>()?))
    }

    fn finish(
        self,
        groups: &Groups,
        otherwise: Decision,
        rules: Vec<CompiledRule>,
        excludes: Vec<CompiledExclude>,
    ) -> Compiled {
        let count = self.scene.parts.len();
        let surfaces = self.declared(groups, |group| group.is_surface);
        let partitions = self.partitions.into_iter().map(|(_, groups)| groups).collect();
        let pair_rules = PairRules::new(count, &self.sets, partitions, self.entries, otherwise);
        let (zones, waivers, claims) = Default::default();
        Compiled { pair_rules, rules, excludes, surfaces, zones, waivers, claims, notes: self.notes }
    }
}

impl Compiled {
    /// Returns a note for each rule and exclusion that decides no pair, of the numbers of pairs that each
    /// entry decides.
    pub fn idle(&self, by_entry: &[u64]) -> Vec<String> {
        let is_idle = |entry: usize| by_entry.get(entry) == Some(&0);
        let excludes = self.excludes.iter().filter(|exclude| {
            is_idle(exclude.entry) && ![OFF, ZONES, OWN_ZONE].contains(&&exclude.reason[..])
        });
        let excludes =
            excludes.map(|exclude| format!("exclude {} is about no pair", quoted(&exclude.reason)));
        let rules = self.rules.iter().filter(|rule| is_idle(rule.entry)).map(|rule| {
            let [a, b] = rule.parts;
            // One part on either side may be the same part, which has no pair with itself.
            let why = if a.min(b) == 0 || a.max(b) == 1 { "" } else { ": what is before it has all of them" };
            format!("rule {} decides no pair of {a} x {b} parts{why}", quoted(&rule.id))
        });
        excludes.chain(rules).collect()
    }
}
