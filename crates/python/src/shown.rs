//! Pictures and pages of reports, as the program makes them.

use closefit::scene::Scene;
use closefit_html::{Page, html};
use closefit_report::diff::Review;
use closefit_report::document::Report;
use closefit_report::{Certificate, Document};
use closefit_views::{Shown, Views};

use crate::error::Refusal;

/// The largest width and height of a picture in pixels.
const LARGEST: u32 = 8192;

/// Returns a PNG file of the finding with a key, the key of a pair or a group, or else of the whole scene.
pub fn picture(
    document: &Document,
    scene: &Scene,
    key: Option<&str>,
    size: [u32; 2],
) -> Result<Vec<u8>, Refusal> {
    if let Some(side) = size.into_iter().find(|side| !(16..=LARGEST).contains(side)) {
        return Err(Refusal::of("size", format!("{side} is not from 16 to {LARGEST}")));
    }
    match document {
        Document::Check(report) => drawn(report, scene, key, size),
        Document::Sweep(report) => drawn(report, scene, key, size),
        _ => Ok(Vec::new()),
    }
}

fn drawn<S, P: Shown>(
    report: &Report<S, P>,
    scene: &Scene,
    key: Option<&str>,
    size: [u32; 2],
) -> Result<Vec<u8>, Refusal> {
    let views = Views::of(scene, report);
    let Some(key) = key else { return Ok(views.whole_picture(size).png()) };
    let missing = || Refusal::of("key", format!("no listed pair and no group has the key '{key}'"));
    Ok(views.picture(views.with_key(key).ok_or_else(missing)?, size).png())
}

/// Returns the page.
pub fn page(document: &Document, scene: &Scene, certificate: Option<&Certificate>, limit: usize) -> Vec<u8> {
    let review = Review::default();
    let page = Page { certificate, ..Page::new(&review, limit) };
    match document {
        Document::Check(report) => html(&Views::of(scene, report), &page).bytes,
        Document::Sweep(report) => html(&Views::of(scene, report), &page).bytes,
        _ => Vec::new(),
    }
}
