//! Runs that can be stopped and resumed, or shared by machines.

use std::env;
use std::ffi::OsString;
use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;

use anyhow::{Context, anyhow};

use crate::progress::Progress;
use crate::terminal;
use closefit_job::{Budget, Journal, JournalOptions, Plan, Shard, Start};

/// The way in which a run is kept, shared and watched.
#[derive(Clone, Debug, Default)]
pub struct LongRun {
    /// The treatment of an earlier run in the same directory.
    pub start: Start,
    /// The share of the pairs or rows that the run decides.
    pub shard: Option<ShardArg>,
    /// The limit of the run.
    pub budget: Option<Budget>,
    /// True to say progress in lines of JSON.
    pub says_json: bool,
    /// The arguments of the program, without its name.
    pub arguments: Vec<OsString>,
    /// The journal of all shards, of a run that puts them together.
    pub merged: Option<Arc<Journal>>,
}

impl LongRun {
    /// Opens the journal of a run that writes to a directory, and lets signals stop it. `None` if it writes
    /// to none.
    pub fn open(&self, dir: Option<&Path>) -> anyhow::Result<Option<Arc<Journal>>> {
        let Some(dir) = dir else { return Ok(None) };
        let journal = match &self.merged {
            Some(merged) => Arc::clone(merged),
            None => Arc::new(Journal::open(dir, self.options(dir)?)?),
        };
        terminal::keep(&journal);
        Ok(Some(journal))
    }

    fn options(&self, dir: &Path) -> anyhow::Result<JournalOptions> {
        let shard = self.shard.map(|asked| anyhow::Ok((shard(asked, dir)?, self.planned()?))).transpose()?;
        Ok(JournalOptions { start: self.start, budget: self.budget, shard })
    }

    /// Returns the arguments with which shards are merged.
    fn planned(&self) -> anyhow::Result<Vec<String>> {
        let texts = self.arguments.iter().map(|argument| argument.to_str().map(str::to_owned));
        let texts: Option<Vec<String>> = texts.collect();
        Ok(without(texts.context("--shard: an argument is not UTF-8, as plan.json has to be")?))
    }

    /// Returns the progress of a run, shown as the user wants it.
    pub fn progress(&self, is_quiet: bool) -> Progress {
        if self.says_json { Progress::in_json() } else { Progress::new(is_quiet) }
    }
}

/// A shard, or how its number is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShardArg {
    /// This one.
    One(Shard),
    /// The one that the scheduler says, of so many or as many as the plan says.
    Auto(Option<u32>),
}

impl FromStr for ShardArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.strip_prefix("auto") {
            None => text.parse().map(Self::One),
            Some("") => Ok(Self::Auto(None)),
            Some(of) => {
                let of = of.strip_prefix('/').and_then(|of| of.parse().ok());
                let of = of.ok_or_else(|| format!("'{text}': a shard is I/N, auto or auto/N"))?;
                Shard::new(1, of).map(|_| Self::Auto(Some(of)))
            }
        }
    }
}

/// Variables of schedulers with the number of a task, and the number of the first task there.
const SCHEDULERS: [(&str, u32); 3] =
    [("SLURM_ARRAY_TASK_ID", 1), ("PBS_ARRAY_INDEX", 1), ("JOB_COMPLETION_INDEX", 0)];

/// Arguments that a plan leaves out, and whether they have a value: those about one shard, and those that a
/// merge has of its own.
const OF_ONE_RUN: [(&str, bool); 10] = [
    ("--shard", true),
    ("--out", true),
    ("--resume", false),
    ("--restart", false),
    ("--budget", true),
    ("--progress", true),
    ("--threads", true),
    ("--fail-on", true),
    ("--quiet", false),
    ("--json", false),
];

/// Drops the arguments of one run.
fn without(arguments: Vec<String>) -> Vec<String> {
    let mut kept = Vec::new();
    let mut arguments = arguments.into_iter();
    while let Some(argument) = arguments.next() {
        let name = argument.split('=').next().unwrap_or_default();
        match OF_ONE_RUN.iter().find(|(own, _)| *own == name) {
            None => kept.push(argument),
            Some((_, true)) if !argument.contains('=') => drop(arguments.next()),
            Some(_) => {}
        }
    }
    kept
}

/// Returns the shard of `--shard`; the plan in the directory says how many there are, if the flag does not.
fn shard(asked: ShardArg, dir: &Path) -> anyhow::Result<Shard> {
    let of = match asked {
        ShardArg::One(shard) => return Ok(shard),
        ShardArg::Auto(of) => of,
    };
    let of = match of {
        Some(of) => of,
        None => {
            let plan = Plan::read(dir)?;
            let why =
                || anyhow!("--shard auto: {} has no plan.json that says how many: auto/N", dir.display());
            plan.ok_or_else(why)?.shards
        }
    };
    let said = SCHEDULERS.iter().find_map(|&(name, first)| Some((name, first, env::var(name).ok()?)));
    let (name, first, text) = said.ok_or_else(|| {
        let names = SCHEDULERS.map(|(name, _)| name).join(", ");
        anyhow!("--shard auto: cannot determine the number of the shard: none of {names} is set")
    })?;
    let number = text.parse::<u32>().ok().and_then(|number| number.checked_add(1 - first));
    let number = number.with_context(|| format!("--shard auto: {name} is '{text}', which is no number"))?;
    Shard::new(number, of).map_err(|why| anyhow!("--shard auto: {name} is {text}: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_has_the_arguments_of_the_whole_run() {
        let all =
            "check a.glb --shard 3/7 --rules r.toml --out=x --resume --threads 2 --html page.html --quiet";
        let all = all.split(' ').map(str::to_owned).collect();
        assert_eq!(without(all).join(" "), "check a.glb --rules r.toml --html page.html");
    }

    #[test]
    fn a_shard_is_given_or_found() {
        let shard = |number, of| Shard::new(number, of).unwrap();
        assert_eq!("3/7".parse(), Ok(ShardArg::One(shard(3, 7))));
        assert_eq!("auto".parse(), Ok(ShardArg::Auto(None)));
        assert_eq!("auto/64".parse(), Ok(ShardArg::Auto(Some(64))));
        for wrong in ["auto/", "auto/0", "auto64", "8/7", "7"] {
            wrong.parse::<ShardArg>().unwrap_err();
        }
    }
}
