//! The choice of pairs to decide: sides and rules.

use std::path::{Path, PathBuf};

use anyhow::anyhow;

use closefit_job::{Job, Project, ReadScene, read_rules};
use closefit_project::{RulesFile, SetText, Sides};

/// The choice of pairs.
#[derive(Clone, Debug, Default)]
pub struct PairChoice {
    /// The number of scene files, the last ones, that are the other side.
    pub against: usize,
    /// The sets of parts; only pairs between two sets are decided.
    pub sets: Vec<SetText>,
    /// The rules file.
    pub rules: Option<PathBuf>,
    /// The SRDF whose disabled pairs are excluded.
    pub srdf: Option<PathBuf>,
}

impl PairChoice {
    /// Reads the rules file, if there is one.
    pub fn read_rules(&self) -> anyhow::Result<Option<RulesFile>> {
        Ok(self.rules.as_deref().map(read_rules).transpose()?)
    }

    /// Applies rules and sides to a scene.
    pub fn applied(&self, rules: Option<RulesFile>, scene: ReadScene) -> anyhow::Result<Job> {
        let sides = self.sides(&scene)?;
        Ok(Job::new(scene, Project { sides, rules })?)
    }

    /// Returns the sides that the user chooses.
    fn sides(&self, scene: &ReadScene) -> anyhow::Result<Option<Sides>> {
        match &self.sets[..] {
            [] if self.against == 0 => Ok(None),
            [] => Ok(Some(scene.against(scene.files.len() - self.against))),
            [set] => Ok(Some(Sides::Within(set.clone()))),
            [a, b] => Ok(Some(Sides::Between([a.clone(), b.clone()]))),
            more => Err(anyhow!("--set is given {} times: two sets are the two sides", more.len())),
        }
    }
}

/// Returns the text of a rules file, which is empty if there is none.
pub fn rules_text(path: Option<&Path>) -> anyhow::Result<String> {
    let rules = path.map(read_rules).transpose()?;
    Ok(rules.map_or_else(String::new, |rules| rules.text().to_owned()))
}
