//! Flags about groups.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::help::OUTPUT;

/// Arguments about groups.
#[derive(Debug, Args)]
#[command(next_help_heading = OUTPUT)]
pub struct GroupFlags {
    /// Group pairs by the part that most of them share (host), by types, or not at all
    #[arg(long, value_name = "MODE", value_enum, default_value = "host")]
    pub group: Mode,
    /// Your own groups, which take precedence: a JSON object of names, each with a list of pair keys
    #[arg(long, value_name = "FILE")]
    pub groups: Option<PathBuf>,
    /// Cut groups by host that are longer than this [default: 5 m, or a tenth of the scene's diagonal if that
    /// is less]
    #[arg(long, value_name = "LEN", allow_hyphen_values = true)]
    pub group_extent: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Mode {
    Host,
    Type,
    None,
}
