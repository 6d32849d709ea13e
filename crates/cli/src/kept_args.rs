//! The arguments of runs that can be stopped and resumed, or shared by machines.

use std::env;
use std::ffi::OsString;
use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;

use anyhow::{Context, anyhow};
use clap::{Args, ValueEnum};

use super::args::RunArgs;
use super::progress::Progress;
use super::{Outcome, terminal};
use closefit_job::{Budget, Plan, RowsFile, RowsOptions, Shard, Start};

/// Arguments of runs that can be stopped and resumed, or shared by machines.
#[derive(Debug, Args)]
#[command(next_help_heading = "Long runs")]
pub struct KeptArgs {
    /// Go on with the stopped run in --out: what it has decided is not decided again
    #[arg(long, requires = "out")]
    pub resume: bool,
    /// Drop what the stopped run in --out has decided
    #[arg(long, requires = "out", conflicts_with = "resume")]
    pub restart: bool,
    /// Decide only one of N shares of the pairs or rows, which 'closefit merge' then puts together: I/N, or
    /// auto or auto/N for the number that a scheduler gives
    #[arg(long, value_name = "I/N", requires = "out")]
    pub shard: Option<ShardArg>,
    /// Say progress in lines of JSON on stderr, for other programs
    #[arg(long, value_name = "FORMAT", conflicts_with = "quiet")]
    pub progress: Option<ProgressFormat>,
    /// The arguments of the program, without its name.
    #[arg(skip)]
    pub arguments: Vec<OsString>,
    /// The rows that shards have decided, of a run that puts them together.
    #[arg(skip)]
    pub merged: Option<Arc<RowsFile>>,
}

/// The limit of a run that decides pairs.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Long runs")]
pub struct BudgetArgs {
    /// Begin no pair after a time such as 90s, 30m or 2h, or after so many, such as 500pairs: the others stay
    /// undecided, and --resume goes on with them
    #[arg(long, value_name = "BUDGET", requires = "out")]
    pub budget: Option<Budget>,
}

/// The format of progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ProgressFormat {
    Json,
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

impl KeptArgs {
    /// Opens the rows of a run that writes to a directory, and lets signals stop it. `None` if it writes to
    /// none.
    pub fn open(
        &self,
        dir: Option<&Path>,
        BudgetArgs { budget }: BudgetArgs,
    ) -> anyhow::Result<Option<Arc<RowsFile>>> {
        let Some(dir) = dir else { return Ok(None) };
        let rows = match &self.merged {
            Some(merged) => Arc::clone(merged),
            None => Arc::new(RowsFile::open(dir, RowsOptions { budget, ..self.options(dir)? })?),
        };
        terminal::keep(&rows);
        Ok(Some(rows))
    }

    fn options(&self, dir: &Path) -> anyhow::Result<RowsOptions> {
        let start = match (self.resume, self.restart) {
            (true, _) => Start::Resume,
            (false, true) => Start::Restart,
            (false, false) => Start::New,
        };
        let shard = self.shard.map(|asked| anyhow::Ok((shard(asked, dir)?, self.planned()?))).transpose()?;
        Ok(RowsOptions { start, budget: None, shard })
    }

    /// Returns the arguments with which shards are merged.
    fn planned(&self) -> anyhow::Result<Vec<String>> {
        let texts = self.arguments.iter().map(|argument| argument.to_str().map(str::to_owned));
        let texts: Option<Vec<String>> = texts.collect();
        Ok(without(texts.context("--shard: an argument is not UTF-8, as plan.json has to be")?))
    }

    /// Returns the progress of a run, shown as the arguments say.
    pub fn progress(&self, is_quiet: bool) -> Progress {
        match self.progress {
            Some(ProgressFormat::Json) => Progress::in_json(),
            None => Progress::new(is_quiet),
        }
    }

    /// Returns the directory that a run claims for itself: none if it shares it with other shards.
    pub fn claimed<'a>(&self, run: &'a RunArgs) -> Option<&'a Path> {
        run.out.as_deref().filter(|_| self.shard.is_none())
    }
}

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

/// Returns the shard that is asked for in a directory.
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
        anyhow!("--shard auto: no scheduler says the number of the task: none of {names} is set")
    })?;
    let number = text.parse::<u32>().ok().and_then(|number| number.checked_add(1 - first));
    let number = number.with_context(|| format!("--shard auto: {name} is '{text}', which is no number"))?;
    Shard::new(number, of).map_err(|why| anyhow!("--shard auto: {name} is {text}: {why}"))
}

/// Ends the run of a shard: everything else is done when all are merged.
pub fn finish_shard(rows: &RowsFile, is_quiet: bool) -> anyhow::Result<Outcome> {
    rows.finish()?;
    let [decided, all] = rows.progress();
    if !is_quiet {
        let shard = rows.shard().map_or_else(String::new, |shard| shard.to_string());
        terminal::say(&format!("shard {shard}: {decided} of {all} {} are decided", rows.items()));
        let crashed = rows.left_in_words().filter(|_| decided == all);
        terminal::print_notes(crashed.iter());
    }
    Ok(if decided < all { Outcome::Fail } else { Outcome::Pass })
}

/// Ends the rows of a run whose output is written. Returns the note on pairs that were left undecided.
pub fn finish(rows: Option<&Arc<RowsFile>>) -> anyhow::Result<Option<String>> {
    let Some(rows) = rows else { return Ok(None) };
    rows.finish()?;
    Ok(rows.left_in_words())
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
