//! Flags that choose the pairs to decide.

use std::path::PathBuf;

use clap::Args;

use closefit_project::SetText;

/// Arguments that choose the pairs to decide.
#[derive(Debug, Args)]
#[command(next_help_heading = "Pairs")]
pub struct PairFlags {
    /// Scene files of the other side: check only pairs of a part of SCENE and a part of these files
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with = "sets")]
    pub against: Vec<PathBuf>,
    /// Check only the parts of a set, such as type=IfcPipe*,model=A; given twice, only pairs with a part of
    /// each set
    #[arg(long = "set", value_name = "SET")]
    pub sets: Vec<SetText>,
    /// Rules: which groups of parts to check against which, how near they may come, what is excluded
    #[arg(long, value_name = "FILE")]
    pub rules: Option<PathBuf>,
    /// Exclude the pairs of links that an SRDF disables
    #[arg(long, value_name = "FILE")]
    pub srdf: Option<PathBuf>,
}
