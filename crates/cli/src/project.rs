//! The sides and rules that the arguments name.

use std::path::Path;

use anyhow::anyhow;

use super::args::PairArgs;
use closefit_job::{Job, Project, ReadScene, read_rules};
use closefit_project::{RulesFile, Sides};

/// Returns the text of a rules file, if there is one.
pub(super) fn rules_text(path: Option<&Path>) -> anyhow::Result<String> {
    let rules = path.map(read_rules).transpose()?;
    Ok(rules.map_or_else(String::new, |rules| rules.text().to_owned()))
}

/// The rules of a run, before its scene is read.
pub(super) struct ProjectAsked<'a> {
    args: &'a PairArgs,
    rules: Option<RulesFile>,
}

impl<'a> ProjectAsked<'a> {
    /// Reads the rules file, if there is one.
    pub fn of(args: &'a PairArgs) -> anyhow::Result<Self> {
        Ok(Self { args, rules: args.rules.as_deref().map(read_rules).transpose()? })
    }

    /// Applies rules and sides to a scene.
    pub fn of_scene(self, scene: ReadScene) -> anyhow::Result<Job> {
        let sides = self.sides(&scene)?;
        Ok(Job::new(scene, Project { sides, rules: self.rules })?)
    }

    /// Returns the sides that the user chooses.
    fn sides(&self, scene: &ReadScene) -> anyhow::Result<Option<Sides>> {
        let PairArgs { against, sets, .. } = self.args;
        match &sets[..] {
            [] if against.is_empty() => Ok(None),
            [] => Ok(Some(scene.against(scene.files.len() - against.len()))),
            [set] => Ok(Some(Sides::Within(set.clone()))),
            [a, b] => Ok(Some(Sides::Between([a.clone(), b.clone()]))),
            more => Err(anyhow!("--set is given {} times: two sets are the two sides", more.len())),
        }
    }
}
