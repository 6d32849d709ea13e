//! Files that show findings in their scene.

use std::path::{PathBuf, absolute};

use anyhow::anyhow;

use crate::errors::of_flag;
use crate::files::read_review;
use closefit_bcf::{Archive, Options, archive};
use closefit_html::{Html, Page, Row, html};
use closefit_job::pair_named;
use closefit_picture::Picture;
use closefit_report::Certificate;
use closefit_report::diff::Review;
use closefit_report::document::Report;
use closefit_report::files::FileElsewhere;
use closefit_views::{HeatMap, Shown, Views};
use serde::Serialize;

/// The size of pictures in pixels, width and height.
const SIZE: [u32; 2] = [800, 600];

/// The files that show findings.
#[derive(Clone, Debug, Default)]
pub struct SceneExports {
    pub picture: Option<PathBuf>,
    /// The finding to draw instead of the whole scene: its key, or its parts as A,B.
    pub picture_of: Option<String>,
    pub glb: Option<PathBuf>,
    /// The statuses and comments that people have given.
    pub review: Option<PathBuf>,
    /// The page, and the size in bytes above which it leaves something out.
    pub html: Option<(PathBuf, usize)>,
    /// The BCF issues. The review is not yet among their options.
    pub bcf: Option<(PathBuf, Options)>,
}

/// The things that files show in addition to the report.
pub struct ExportContext<'t> {
    pub certificate: Option<&'t Certificate>,
    pub review: &'t Review,
    pub heat_map: Option<&'t HeatMap<'t>>,
    /// The scene files.
    pub inputs: &'t [PathBuf],
}

/// Files that are ready to be written, each with its path, and notes on what is in them.
#[derive(Default)]
pub struct SceneFiles {
    pub files: Vec<FileElsewhere>,
    pub notes: Vec<String>,
}

impl SceneExports {
    /// True if there is no file to write.
    pub fn is_empty(&self) -> bool {
        self.picture.is_none() && self.glb.is_none() && self.html.is_none() && self.bcf.is_none()
    }

    /// Reads the review, which is empty if there is none.
    pub fn review(&self) -> anyhow::Result<Review> {
        read_review(self.review.as_deref())
    }

    /// Makes the files that were requested.
    pub fn files<S: Serialize + Sync, P: Row>(
        &self,
        views: &Views<S, P>,
        context: &ExportContext,
    ) -> anyhow::Result<SceneFiles> {
        let ExportContext { certificate, review, heat_map, inputs } = *context;
        let mut made = SceneFiles { notes: unused(review, views.report()), ..SceneFiles::default() };
        if let Some(path) = &self.picture {
            made.files.push((path.clone(), self.drawn(views)?.png()));
        }
        if let Some(path) = &self.glb {
            let refused = |why| of_flag(anyhow!("{why}"), format!("--glb {}", path.display()));
            made.files.push((path.clone(), views.glb().map_err(refused)?));
        }
        if let Some((path, options)) = &self.bcf {
            let refused = |why| of_flag(anyhow!("{why}"), format!("--bcf {}", path.display()));
            let options = Options { review: review.clone(), ..options.clone() };
            let Archive { bytes, notes } = archive(views, &options).map_err(refused)?;
            made.files.push((path.clone(), bytes));
            made.notes.extend(notes);
        }
        if let Some((path, limit)) = &self.html {
            let folder = folder(inputs);
            let page = Page { certificate, heat_map, folder: folder.as_deref(), ..Page::new(review, *limit) };
            let Html { bytes, notes } = html(views, &page);
            made.files.push((path.clone(), bytes));
            made.notes.extend(notes);
        }
        Ok(made)
    }

    /// Draws the whole scene, or the finding that was requested.
    fn drawn<S, P: Shown>(&self, views: &Views<S, P>) -> anyhow::Result<Picture> {
        let Some(finding) = &self.picture_of else { return Ok(views.whole_picture(SIZE)) };
        let refused = |why: String| of_flag(anyhow!(why), format!("--picture-of '{finding}'"));
        Ok(views.picture(named(views, finding).map_err(refused)?, SIZE))
    }
}

/// Returns the name of the folder that the only file is in.
fn folder(inputs: &[PathBuf]) -> Option<String> {
    let [file] = inputs else { return None };
    let folder = absolute(file).ok()?;
    Some(folder.parent()?.file_name()?.to_string_lossy().into_owned())
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
    if !text.contains(',') && !text.contains(" x ") {
        return Err("no listed pair and no group has this key".to_owned());
    }
    let ids = pair_named(views.scene(), text)?.map(|part| part.0);
    let pair = views.report().pairs.iter().find(|pair| pair.sides().ids == ids);
    pair.ok_or_else(|| "the report does not list this pair".to_owned())
}
