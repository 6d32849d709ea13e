//! Flags of the commands that print what shells and manuals need.

use std::path::PathBuf;

use clap::Args;
use clap_complete::Shell;

use super::help::{COMPLETIONS, MAN};

#[derive(Debug, Args)]
#[command(after_help = COMPLETIONS)]
pub struct CompletionsFlags {
    /// The shell
    #[arg(value_name = "SHELL", value_enum)]
    pub shell: Shell,
}

#[derive(Debug, Args)]
#[command(after_help = MAN)]
pub struct ManFlags {
    /// Folder for the pages: closefit.1, closefit-check.1 and so on [default: closefit.1 on stdout]
    #[arg(value_name = "DIR")]
    pub dir: Option<PathBuf>,
}
