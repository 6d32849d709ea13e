//! Files that show findings in their scene.

use std::path::PathBuf;

use anyhow::anyhow;
use clap::Args;

use super::bcf_args::BcfArgs;
use super::diff::read_review;
use super::help::OUTPUT;
use super::html_args::HtmlArgs;
use closefit_bcf::{Archive, archive};
use closefit_html::{Html, Page, Row, html};
use closefit_job::{files_line, pair_named};
use closefit_picture::Picture;
use closefit_report::Certificate;
use closefit_report::diff::Review;
use closefit_report::document::Report;
use closefit_views::{HeatMap, Shown, Views};
use serde::Serialize;

/// The size of pictures in pixels, width and height.
const SIZE: [u32; 2] = [800, 600];

/// Arguments of every command that has findings and their scene.
#[derive(Debug, Args)]
#[command(next_help_heading = OUTPUT)]
pub struct SceneExportArgs {
    /// Draw the whole scene with a dot per finding, or the finding of --picture-of, as PNG
    #[arg(long, value_name = "FILE")]
    picture: Option<PathBuf>,
    /// Finding to draw: the key of a pair or of a group, of which the worst pair is drawn, or its parts as
    /// A,B
    #[arg(long, value_name = "FINDING", requires = "picture")]
    picture_of: Option<String>,
    /// Write the parts of all findings in two colours as binary glTF, with a mark per finding
    #[arg(long, value_name = "FILE")]
    glb: Option<PathBuf>,
    /// Statuses and comments that people have given findings, for BCF, the page and issues.csv: a review.json
    #[arg(long, value_name = "FILE")]
    review: Option<PathBuf>,
    #[command(flatten)]
    html: HtmlArgs,
    #[command(flatten)]
    bcf: BcfArgs,
}

/// The things that files say beside the report.
pub struct Told<'t> {
    pub certificate: Option<&'t Certificate>,
    pub review: &'t Review,
    pub heat_map: Option<&'t HeatMap<'t>>,
}

/// Files that are ready to be written, each with its path, and notes on what is in them.
#[derive(Default)]
pub struct SceneFiles {
    pub files: Vec<(PathBuf, Vec<u8>)>,
    pub notes: Vec<String>,
}

impl SceneExportArgs {
    /// True if no file is asked for.
    pub fn is_empty(&self) -> bool {
        self.picture.is_none() && self.glb.is_none() && self.html.html.is_none() && self.bcf.bcf.is_none()
    }

    /// Reads the review, which is empty if there is none.
    pub fn review(&self) -> anyhow::Result<Review> {
        Ok(self.review.as_deref().map(read_review).transpose()?.unwrap_or_default())
    }

    /// Makes the files that were asked for. Errors name the scene's files.
    pub fn files<S: Serialize + Sync, P: Row>(
        &self,
        views: &Views<S, P>,
        told: &Told,
        scenes: &[PathBuf],
    ) -> anyhow::Result<SceneFiles> {
        let mut made = SceneFiles { notes: unused(told.review, views.report()), ..SceneFiles::default() };
        if let Some(path) = &self.picture {
            made.files.push((path.clone(), self.drawn(views, scenes)?.png()));
        }
        if let Some(path) = &self.glb {
            let refused = |why| anyhow!("{}: --glb {}: {why}", files_line(scenes), path.display());
            made.files.push((path.clone(), views.glb().map_err(refused)?));
        }
        if let Some(path) = &self.bcf.bcf {
            let refused = |why| anyhow!("{}: --bcf {}: {why}", files_line(scenes), path.display());
            let Archive { bytes, notes } = archive(views, &self.bcf.options(told.review)).map_err(refused)?;
            made.files.push((path.clone(), bytes));
            made.notes.extend(notes);
        }
        if let Some(path) = &self.html.html {
            let Told { certificate, review, heat_map } = *told;
            let page = Page { certificate, review, heat_map, limit: self.html.limit() };
            let Html { bytes, notes } = html(views, &page);
            made.files.push((path.clone(), bytes));
            made.notes.extend(notes);
        }
        Ok(made)
    }

    /// Draws the whole scene, or the finding that was asked for.
    fn drawn<S, P: Shown>(&self, views: &Views<S, P>, scenes: &[PathBuf]) -> anyhow::Result<Picture> {
        let Some(finding) = &self.picture_of else { return Ok(views.whole_picture(SIZE)) };
        let refused = |why| anyhow!("{}: --picture-of '{finding}': {why}", files_line(scenes));
        Ok(views.picture(named(views, finding).map_err(refused)?, SIZE))
    }
}

/// Returns a note if a review is about findings that are not there.
fn unused<S, P: Shown>(review: &Review, report: &Report<S, P>) -> Vec<String> {
    match review.unused(&[report]) {
        0 => Vec::new(),
        1 => vec!["1 status of the review belongs to no pair and no group".to_owned()],
        count => vec![format!("{count} statuses of the review belong to no pair and no group")],
    }
}

/// Returns the pair that the user means by a key, or by its two parts.
fn named<'r, S, P: Shown>(views: &Views<'r, S, P>, text: &str) -> Result<&'r P, String> {
    if let Some(pair) = views.with_key(text) {
        return Ok(pair);
    }
    if !text.contains(',') {
        return Err("no listed pair and no group has this key".to_owned());
    }
    let ids = pair_named(views.scene(), text)?.map(|part| part.0);
    let pair = views.report().pairs.iter().find(|pair| pair.sides().ids == ids);
    pair.ok_or_else(|| "the report does not list this pair".to_owned())
}
