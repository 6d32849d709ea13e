//! `closefit reproduce`: the experiments of the papers, run again.

#[cfg(feature = "reproduce")]
mod tables;

use std::path::PathBuf;

use crate::outcome::Outcome;

/// Experiments to run again.
#[derive(Clone, Debug)]
#[cfg_attr(not(feature = "reproduce"), expect(dead_code, reason = "this build has no experiments"))]
pub struct ReproducePlan {
    /// The names of tables; none for all.
    pub tables: Vec<String>,
    /// True to list the tables instead.
    pub list: bool,
    pub quick: bool,
    pub threads: Option<u16>,
    pub json: bool,
    pub out: Option<PathBuf>,
    /// The directory for the motions.
    pub poses: Option<PathBuf>,
    pub quiet: bool,
}

/// Runs the experiments.
#[cfg(feature = "reproduce")]
pub fn run(plan: &ReproducePlan) -> anyhow::Result<Outcome> {
    tables::run(plan)
}

/// Refuses the command: this program was built without the experiments.
#[cfg(not(feature = "reproduce"))]
pub fn run(_: &ReproducePlan) -> anyhow::Result<Outcome> {
    anyhow::bail!(
        "this program was built without the papers' experiments: build it with them by 'cargo install --locked --path crates/cli --features reproduce'"
    )
}
