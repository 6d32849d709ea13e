//! Flags about the table on stdout. Reports and files have all pairs, whatever these say.

use clap::{Args, ValueEnum};

use super::help::OUTPUT;
use super::values::{Rows, rows};

/// Arguments of every command that prints a table of pairs.
#[derive(Debug, Args)]
pub struct TableFlags {
    /// List pairs with this verdict or a worse one in the table, or all pairs that are not clear [default:
    /// all but contact]
    #[arg(long, value_name = "VERDICT", help_heading = OUTPUT)]
    pub list: Option<Listed>,
    /// Largest number of rows of the table, or all
    #[arg(long, value_name = "N", default_value = "40", value_parser = rows, allow_hyphen_values = true,
        help_heading = OUTPUT)]
    pub rows: Rows,
    /// Order of the table [default: the worst first]
    #[arg(long, value_name = "ORDER", help_heading = OUTPUT)]
    pub sort: Option<Order>,
    /// List only pairs of part A, or, if you name several parts, only pairs among them; give names, keys or
    /// ids, or the key of a pair or a group
    #[arg(long, value_name = "A,B", help_heading = OUTPUT)]
    pub only: Option<String>,
}

/// The mildest verdict that a table lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Listed {
    Clash,
    Undecided,
    Contact,
    Clearance,
    All,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Order {
    Depth,
    Distance,
    Name,
    Type,
}
