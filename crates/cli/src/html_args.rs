//! Arguments about the page.

use std::path::PathBuf;

use clap::Args;

use super::args::size;
use super::help::OUTPUT;

/// Arguments about the page.
#[derive(Debug, Args)]
#[command(next_help_heading = OUTPUT)]
pub struct HtmlArgs {
    /// Write the findings as one page with the model in 3D, which opens in a browser without a network
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Size of the page above which parts without findings are drawn as boxes, or not at all
    #[arg(long, value_name = "SIZE", default_value = "40MB", value_parser = size, requires = "html")]
    html_limit: u64,
}

impl HtmlArgs {
    /// Returns the size above which the page leaves something out, in bytes.
    pub fn limit(&self) -> usize {
        usize::try_from(self.html_limit).unwrap_or(usize::MAX)
    }
}
