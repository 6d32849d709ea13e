//! Flags about files for other programs.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;
use clap::builder::{PathBufValueParser, TypedValueParser};

use super::bcf::BcfFlags;
use super::help::OUTPUT;
use super::values::{png, size};

/// Arguments of every command whose result other programs show.
#[derive(Debug, Args)]
#[command(next_help_heading = OUTPUT)]
pub struct ExportFlags {
    /// Write what fails as JUnit XML, for build servers
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// Write the counts and the worst findings as Markdown, for a comment on a change
    #[arg(long, value_name = "FILE")]
    pub markdown: Option<PathBuf>,
}

/// Arguments of every command that has findings and their scene.
#[derive(Debug, Args)]
#[command(next_help_heading = OUTPUT)]
pub struct SceneExportFlags {
    /// Draw the whole scene with a dot per finding, or the finding of --picture-of, as PNG
    #[arg(long, value_name = "FILE", value_parser = PathBufValueParser::new().try_map(png))]
    pub picture: Option<PathBuf>,
    /// Finding to draw: the key of a pair, the key of a group (its worst pair is drawn), or two parts as A,B
    #[arg(long, value_name = "FINDING", requires = "picture")]
    pub picture_of: Option<String>,
    /// Write the parts of all findings in two colours as binary glTF, with a mark per finding
    #[arg(long, value_name = "FILE")]
    pub glb: Option<PathBuf>,
    /// Statuses and comments from people, for BCF, the page and issues.csv: a review.json
    #[arg(long, value_name = "FILE")]
    pub review: Option<PathBuf>,
    #[command(flatten)]
    pub html: HtmlFlags,
    #[command(flatten)]
    pub bcf: BcfFlags,
}

/// Arguments of a heat map.
#[derive(Debug, Args)]
#[command(next_help_heading = OUTPUT)]
pub struct HeatMapFlags {
    /// Colour part A by its distance from B, or from all parts, as binary glTF: closer than the clearance,
    /// up to twice as far, and beyond. The vertices also have the numbers
    #[arg(long, value_names = ["A[,B]", "FILE"], num_args = 2)]
    pub heatmap: Option<Vec<OsString>>,
}

/// Arguments about the page.
#[derive(Debug, Args)]
#[command(next_help_heading = OUTPUT)]
pub struct HtmlFlags {
    /// Write the findings and the model in 3D as one page, which opens in any browser, also offline
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Size above which the page draws parts without findings as boxes, or leaves them out [default: 40MB]
    #[arg(long, value_name = "SIZE", value_parser = size, requires = "html")]
    pub html_limit: Option<u64>,
}
