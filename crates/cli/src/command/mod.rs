//! The commands: parses arguments, resolves flags, and runs the command. All other files see resolved
//! settings alone.

mod alone;
mod cli;
mod groups;
mod merge;
mod overwriting;
mod pages;
mod shared;
mod short;
#[cfg(test)]
mod tests;

pub use cli::{Cli, check_environment, summary, usage_in_one_line};

use crate::outcome::Outcome;
use crate::terminal;
use cli::Command;
use shared::SharedPlan;

/// Runs the command of a command line.
pub fn run(cli: Cli) -> anyhow::Result<Outcome> {
    let Cli { command, color, arguments } = cli;
    terminal::choose_colours(color.into());
    match command {
        Command::Check(flags) => SharedPlan::check(flags, arguments)?.run(),
        Command::Batch(flags) => SharedPlan::batch(flags, arguments)?.run(),
        Command::Sweep(flags) => SharedPlan::sweep(flags, arguments)?.run(),
        Command::Merge(flags) => merge::run(&flags),
        Command::Slack(flags) => alone::slack(flags),
        Command::JointBox(flags) => alone::joint_box(flags),
        Command::Audit(flags) => alone::audit(flags),
        Command::Bench(flags) => alone::bench(flags),
        Command::Inspect(flags) => alone::inspect(flags),
        Command::Waive(flags) => alone::waive(flags),
        Command::Verify(flags) => alone::verify(flags),
        #[cfg(feature = "gpu")]
        Command::Devices(flags) => crate::devices::run(flags.threads, flags.json),
        Command::Generate(flags) => alone::generate(flags),
        Command::Diff(flags) => alone::diff(flags),
        Command::Report(flags) => alone::report(flags),
        Command::Reproduce(flags) => alone::reproduce(flags),
        Command::Completions(flags) => pages::completions(&flags),
        Command::Man(flags) => pages::man(&flags),
        Command::Licenses => pages::licenses(),
    }
}
