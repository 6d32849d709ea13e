//! The arguments about the table on stdout. Reports and files have all pairs, whatever these say.

use anyhow::anyhow;
use clap::{Args, ValueEnum};

use super::args::Input;
use super::help::OUTPUT;
use super::of_flag;
use closefit::internals::query::Verdict;
use closefit_geometry::scene::Scene;
use closefit_job::parts_named;
use closefit_report::table::{Only, Sort, View};

/// Arguments of every command that prints a table of pairs.
#[derive(Debug, Args)]
pub struct TableArgs {
    /// List pairs with this verdict or a worse one in the table [default: all but contact]
    #[arg(long, value_name = "VERDICT", help_heading = OUTPUT)]
    list: Option<Listed>,
    /// Largest number of rows of the table, or all
    #[arg(long, value_name = "N", default_value = "40", value_parser = rows, allow_hyphen_values = true,
        help_heading = OUTPUT)]
    rows: Rows,
    /// Order of the table [default: the worst first]
    #[arg(long, value_name = "ORDER", help_heading = OUTPUT)]
    sort: Option<Order>,
    /// List only pairs of these parts in the table: those of A, or those of several with each other; names,
    /// keys or ids
    #[arg(long, value_name = "A,B", help_heading = OUTPUT)]
    only: Option<String>,
}

/// A verdict that a table may list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Listed {
    Clash,
    Undecided,
    Contact,
    Clearance,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Order {
    Depth,
    Distance,
    Name,
    Type,
}

/// The largest number of rows, if there is one.
#[derive(Clone, Copy, Debug)]
pub struct Rows(pub Option<usize>);

/// Parses a number of rows, or `all`.
pub fn rows(text: &str) -> Result<Rows, &'static str> {
    match text {
        "all" => Ok(Rows(None)),
        _ => text.parse().map(|rows| Rows(Some(rows))).map_err(|_| "a number of rows is 0 or more, or all"),
    }
}

impl TableArgs {
    /// Returns the view of the pairs that the user asks for.
    ///
    /// # Errors
    /// `--only` names a part that does not exist.
    pub fn view(&self, scene: &Scene, input: &Input) -> anyhow::Result<View> {
        let only = self.only.as_ref().map(|named| {
            let refused = |why| of_flag(anyhow!("{why}"), format!("--only '{named}'"), input);
            let (parts, names) = parts_named(scene, named).map_err(refused)?;
            anyhow::Ok(Only { named: named.clone(), parts, both: names > 1 })
        });
        Ok(View {
            mildest: self.list.map(Verdict::from),
            rows: self.rows.0,
            sort: self.sort.map_or(Sort::Worst, Sort::from),
            only: only.transpose()?,
        })
    }

    /// Refuses an order by depth, which few pairs of a sweep have.
    ///
    /// # Errors
    /// The order is by depth.
    pub fn without_depths(&self, input: &Input) -> anyhow::Result<()> {
        match self.sort {
            Some(Order::Depth) => {
                let why = anyhow!("few pairs of a sweep have a depth: use distance, name or type");
                Err(of_flag(why, "--sort depth", input))
            }
            _ => Ok(()),
        }
    }
}

impl From<Listed> for Verdict {
    fn from(listed: Listed) -> Self {
        match listed {
            // Parts that meet may clash.
            Listed::Clash => Self::Meets,
            Listed::Undecided => Self::Undecided,
            Listed::Contact => Self::Contact,
            Listed::Clearance => Self::Clearance,
        }
    }
}

impl From<Order> for Sort {
    fn from(order: Order) -> Self {
        match order {
            Order::Depth => Self::Depth,
            Order::Distance => Self::Distance,
            Order::Name => Self::Name,
            Order::Type => Self::Type,
        }
    }
}
