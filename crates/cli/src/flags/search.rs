//! Flags about how an answer is found.

use clap::Args;

use super::help::METHODS;
use super::values::{backend, threads, tree};
use crate::settings::search::Backend;
use closefit::TreeKind;

/// Arguments about how the answer is found.
#[derive(Debug, Args)]
#[command(next_help_heading = METHODS)]
pub struct SearchFlags {
    /// Hardware to use: auto, scalar or simd (vector instructions)
    #[arg(long, value_name = "BACKEND", default_value = "auto", value_parser = backend)]
    pub backend: Backend,
    /// Kind of tree, as of check
    #[arg(long, value_name = "TREE", default_value = "auto", value_parser = tree)]
    pub tree: TreeKind,
    /// Number of threads, 1 to 1024 [default: one per core]
    #[arg(long, value_name = "N", value_parser = threads, allow_hyphen_values = true)]
    pub threads: Option<u16>,
}
