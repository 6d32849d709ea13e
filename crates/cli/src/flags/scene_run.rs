//! Flags of every command that decides the pairs of one scene.

use std::path::PathBuf;

use clap::Args;

use super::long_run::{BudgetFlags, LongRunFlags};
use super::pairs::PairFlags;
use super::run::RunFlags;
use super::scene::InputFlags;
use super::table::TableFlags;

/// Arguments of a check and of a sweep that come first in the help.
#[derive(Debug, Args)]
pub struct SceneRunFlags {
    #[command(flatten)]
    pub pairs: PairFlags,
    #[command(flatten)]
    pub input: InputFlags,
    #[command(flatten)]
    pub table: TableFlags,
}

/// Arguments of a check and of a sweep that come last in the help.
#[derive(Debug, Args)]
pub struct LastFlags {
    #[command(flatten)]
    pub long_run: LongRunFlags,
    #[command(flatten)]
    pub budget: BudgetFlags,
    #[command(flatten)]
    pub run: RunFlags,
}

impl SceneRunFlags {
    /// Returns all scene files: those to check, and then those to check them against.
    pub fn scenes(&self) -> Vec<PathBuf> {
        [&self.input.scenes[..], &self.pairs.against].concat()
    }
}
