//! Settings that all commands share which decide the pairs of scenes.

use std::path::{Path, PathBuf};

use super::fail_on::FailOn;
use super::input::Input;
use super::long_run::LongRun;
use super::pairs::PairChoice;
use super::search::Search;
use crate::progress::Progress;

/// The settings of a run that decides pairs.
#[derive(Clone, Debug)]
pub struct PairRun {
    pub input: Input,
    pub pairs: PairChoice,
    /// The directory of the report.
    pub out: Option<PathBuf>,
    pub fail_on: FailOn,
    /// True to accept a scene without a pair to decide.
    pub allow_empty: bool,
    /// The number of threads; `None` for one per core.
    pub threads: Option<u16>,
    pub search: Search,
    pub long_run: LongRun,
}

impl PairRun {
    /// Returns the directory that the run claims for itself: none if it shares it with other shards.
    pub fn claimed(&self) -> Option<&Path> {
        self.out.as_deref().filter(|_| self.long_run.shard.is_none())
    }

    /// Returns the progress of the run.
    pub fn progress(&self) -> Progress {
        self.long_run.progress(self.input.quiet)
    }
}
