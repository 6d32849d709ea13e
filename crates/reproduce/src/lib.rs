//! Experiments of five papers on collision detection, run again: the papers' numbers next to the numbers of
//! closefit, and a verdict on each claim.
//!
//! A [`Table`] is a pure function of its name and of the [`Effort`], apart from what is under
//! [`this_machine`](Table::this_machine): counts are equal on every processor and for every number of
//! threads. Motions come from exact answers, so every method runs at the same poses.

#![cfg_attr(test, allow(clippy::disallowed_methods))]

mod fit;
mod kinds;
mod lin;
mod machine;
mod meshes;
mod methods;
mod motion;
mod moving_scenes;
pub mod papers;
mod passage;
mod picture;
mod ponamgi;
mod redon;
mod reference;
mod sanna;
mod simulate;
mod table;
mod text;
mod verdict;
mod zachmann;

use std::time::Instant;

use serde::Serialize;

pub use motion::Motion;
pub use moving_scenes::{MOVING_SCENES, MovingScene, moving_scene};
pub use picture::Picture;
pub use table::{Author, Machine, Row, Seconds, Setting, Table, Value, json};
pub use verdict::{Claim, Reading, Rule, Timed, TimedClaim, Verdict};

/// The amount of work of an experiment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Effort {
    /// Small scenes and few frames, to see that everything works: a few seconds.
    Quick,
    /// Sizes of the paper: minutes.
    Full,
}

/// Follows an experiment. Many threads may report steps at once.
pub trait Observer: Sync {
    /// An experiment of a number of steps begins.
    fn begin(&self, table: &str, steps: u64);
    /// A step is done.
    fn advance(&self);
}

/// An experiment that can be run.
#[derive(Clone, Copy)]
pub struct Experiment {
    /// The name of its table.
    pub name: &'static str,
    /// A line that describes it.
    pub about: &'static str,
    steps: fn(Effort) -> u64,
    run: fn(&Run) -> Table,
}

/// The effort of an experiment, and who follows it.
struct Run<'a> {
    effort: Effort,
    /// True to keep the motions with the table.
    keeps_motions: bool,
    observer: &'a dyn Observer,
}

impl Run<'_> {
    /// Returns the one for a quick run or the one for a full run.
    fn either<T>(&self, quick: T, full: T) -> T {
        either(self.effort, quick, full)
    }
}

/// Returns the one for a quick run or the one for a full run.
fn either<T>(effort: Effort, quick: T, full: T) -> T {
    match effort {
        Effort::Quick => quick,
        Effort::Full => full,
    }
}

/// The experiments, in the order of their papers.
pub static EXPERIMENTS: &[Experiment] = &[
    lin::impulses::EXPERIMENT,
    lin::torpedo::EXPERIMENT,
    lin::crowds::EXPERIMENT,
    lin::polytopes::EXPERIMENT,
    lin::box_test::EXPERIMENT,
    ponamgi::chain::EXPERIMENT,
    ponamgi::threads::EXPERIMENT,
    zachmann::build::EXPERIMENT,
    zachmann::depth::EXPERIMENT,
    zachmann::empty::EXPERIMENT,
    zachmann::simple::EXPERIMENT,
    redon::optimisations::EXPERIMENT,
    redon::applications::EXPERIMENT,
    sanna::cdfast::EXPERIMENT,
    sanna::kdops::EXPERIMENT,
    methods::EXPERIMENT,
];

/// The name of a table is unknown.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown table '{name}': {}", match nearest {
    Some(nearest) => format!("did you mean '{nearest}'? See reproduce --list"),
    None => "see reproduce --list".to_owned(),
})]
pub struct UnknownTable {
    name: String,
    nearest: Option<&'static str>,
}

/// Returns the experiment with a name.
///
/// # Errors
/// [`UnknownTable`], which knows the nearest name, if one is near.
pub fn find(name: &str) -> Result<&'static Experiment, UnknownTable> {
    let found = EXPERIMENTS.iter().find(|experiment| experiment.name == name);
    found.ok_or_else(|| UnknownTable { name: name.to_owned(), nearest: nearest(name) })
}

/// Number of letters from which on a name may be a part of another one.
const PART: usize = 3;

/// Returns the closest name of a table: by a common beginning, then as a part of the other, then within half
/// of its letters by edit distance.
fn nearest(wrong: &str) -> Option<&'static str> {
    let distance = |name: &&str| strsim::damerau_levenshtein(name, wrong);
    let nearest = |is_near: &dyn Fn(&str) -> bool| {
        EXPERIMENTS.iter().map(|experiment| experiment.name).filter(|name| is_near(name)).min_by_key(distance)
    };
    let letters = wrong.chars().count();
    let begins = |name: &str| name.starts_with(wrong) || wrong.starts_with(name);
    let holds = |name: &str| name.contains(wrong) || wrong.contains(name);
    nearest(&|name| letters >= PART && begins(name))
        .or_else(|| nearest(&|name| letters >= PART && holds(name)))
        .or_else(|| nearest(&|name| 2 * distance(&name) <= letters))
}

impl Experiment {
    /// Runs the experiment on the threads of the current [pool](closefit::Pool).
    pub fn run(&self, effort: Effort, observer: &dyn Observer) -> Table {
        self.run_as(&Run { effort, observer, keeps_motions: false })
    }

    /// Does the same, and keeps the [motions](Table::motions) with the table.
    pub fn run_with_motions(&self, effort: Effort, observer: &dyn Observer) -> Table {
        self.run_as(&Run { effort, observer, keeps_motions: true })
    }

    fn run_as(&self, run: &Run) -> Table {
        run.observer.begin(self.name, (self.steps)(run.effort));
        let start = Instant::now();
        let mut table = (self.run)(run);
        table.this_machine.seconds = start.elapsed().as_secs_f64();
        table
    }
}

#[cfg(test)]
mod tests;
