//! The page: one document of text, script, style and data.

use std::collections::BTreeSet;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use closefit_geometry::ids::PartId;
use closefit_geometry::scene::Scene;
use closefit_geometry::text::printable;
use closefit_report::Certificate;
use closefit_report::diff::Review;
use closefit_report::document::Report;
use closefit_views::{HeatMap, Views};
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::body::Body;
use crate::escape;
use crate::geometry::{Drawn, Geometry};
use crate::head::{Head, title};
use crate::packed::{packed, stored};
use crate::pictures::seen;
use crate::places::Places;
use crate::row::Row;

/// The script and the style, as `page/` builds them.
const SCRIPT: &str = include_str!("../assets/report.js");
const STYLE: &str = include_str!("../assets/report.css");
/// The licence of three.js, which the script contains: every copy has to include it.
const LICENCE: &str = include_str!("../assets/LICENSE-three");

/// The things that a page says in addition to its report.
pub struct Page<'p> {
    /// The findings about the claims of the rules, if there are any.
    pub certificate: Option<&'p Certificate>,
    /// The statuses and comments that people have given, with which the page begins.
    pub review: &'p Review,
    /// The distances of a part from others, by which the page can colour it.
    pub heat_map: Option<&'p HeatMap<'p>>,
    /// The folder of the scene's only file: the title where the name of the file says nothing (`scene.json`).
    pub folder: Option<&'p str>,
    /// The size in bytes above which parts without findings are drawn as their boxes, or not at all.
    pub limit: usize,
    /// True if the page carries pictures of its worst findings. Without them, its script draws a picture
    /// when someone looks at it.
    pub has_pictures: bool,
}

impl<'p> Page<'p> {
    /// The limit of size where nobody sets another.
    pub const LIMIT: usize = 40_000_000;

    /// Returns a page with a review, a limit of size and pictures, and nothing else.
    pub fn new(review: &'p Review, limit: usize) -> Self {
        Self { certificate: None, review, heat_map: None, folder: None, limit, has_pictures: true }
    }
}

/// A page, and what it leaves out.
pub struct Html {
    /// The bytes of the file.
    pub bytes: Vec<u8>,
    /// A sentence about each kind of part that is not drawn whole.
    pub notes: Vec<String>,
}

/// Returns the page of a report.
pub fn html<S: Serialize + Sync, P: Row>(views: &Views<S, P>, page: &Page) -> Html {
    let places = Places::of(views.scene());
    let seen = seen(views, &places, page.has_pictures);
    let pictures = escape::json(&seen.pictures);
    let title = title(views.report().parts.iter().map(|part| &*part.model), page.folder);
    let involved = involved(views.report(), page.heat_map);
    let mut made = None;
    for level in [Drawn::Whole, Drawn::Box, Drawn::Nothing] {
        let drawn = |part: PartId| if involved.contains(&part.0) { Drawn::Whole } else { level };
        let mut geometry = Geometry::of(views.scene(), drawn);
        if let Some(heat_map) = page.heat_map {
            geometry.add_numbers(&heat_map.single());
        }
        let notes = left_out(views.report().parts.len() - involved.len(), level);
        let head = escape::json(&Head::new(views.report(), &title, page.certificate, &notes));
        let body =
            packed(escape::json(&Body::new(views, &places, &geometry, (&seen.views, page))).as_bytes());
        let data = [&head, &pictures, &body, &packed(&geometry.bytes)];
        let html = Html { bytes: document(&title, data).into_bytes(), notes };
        let is_small = html.bytes.len() <= page.limit;
        made = Some(html);
        if is_small {
            break;
        }
    }
    made.expect("there is a last level")
}

/// Returns the page of a scene whose check has not ended: the model alone, to be looked at meanwhile. It is
/// made fast rather than small.
pub fn model(scene: &Scene) -> Vec<u8> {
    let geometry = Geometry::of(scene, |_| Drawn::Whole);
    let title = title(scene.parts.iter().map(|part| &*part.model), None);
    let head = escape::json(&Head::of_model(scene, &title));
    let body = escape::json(&Body::of_model(scene, &Places::of(scene), &geometry));
    let data = [&head, &"{}".to_owned(), &stored(body.as_bytes()), &stored(&geometry.bytes)];
    document(&title, data).into_bytes()
}

/// Returns the parts of all pairs that are listed, and the parts of a heat map.
fn involved<S, P: Row>(report: &Report<S, P>, heat_map: Option<&HeatMap>) -> BTreeSet<u32> {
    let listed = report.pairs.iter().flat_map(|pair| pair.sides().ids);
    let coloured = heat_map.into_iter().flat_map(|map| map.other.into_iter().chain([map.part]));
    listed.chain(coloured.map(|part| part.0)).collect()
}

/// Returns a sentence about parts without findings, if they are not drawn whole.
fn left_out(parts: usize, drawn: Drawn) -> Vec<String> {
    let (parts, are) = match parts {
        0 => return Vec::new(),
        1 => ("1 part without findings".to_owned(), "is"),
        parts => (format!("{parts} parts without findings"), "are"),
    };
    match drawn {
        Drawn::Whole => Vec::new(),
        Drawn::Box => vec![format!("To keep the page small, {parts} {are} drawn as boxes.")],
        Drawn::Nothing => vec![format!("To keep the page small, {parts} {are} not drawn.")],
    }
}

/// The types and ids of the elements that hold the data of a page.
const DATA: [(&str, &str); 4] = [
    ("application/json", "head"),
    ("application/json", "pictures"),
    ("text/plain", "body"),
    ("text/plain", "geometry"),
];

/// Returns the document with the texts of [`DATA`].
fn document(title: &str, texts: [&String; 4]) -> String {
    let element = |((kind, id), text)| format!("<script type=\"{kind}\" id=\"{id}\">{text}</script>\n");
    let data: String = DATA.into_iter().zip(texts).map(element).collect();
    let policy = format!(
        "default-src 'none'; script-src '{}'; style-src '{}'; img-src data: blob:; base-uri 'none'; form-action 'none'",
        digest(SCRIPT),
        digest(STYLE)
    );
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <!-- The script of this page contains three.js:\n\n{LICENCE}-->\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n\
         <noscript><p>This report is shown by a script, which this browser does not run.</p></noscript>\n\
         {data}<script>{SCRIPT}</script>\n</body>\n</html>\n",
        title = escape::text(&printable(title)),
    )
}

/// Returns the digest by which a policy names a script or a style.
fn digest(text: &str) -> String {
    format!("sha256-{}", STANDARD.encode(Sha256::digest(text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A text that ends the element that contains it would spoil every page.
    #[test]
    fn script_and_style_end_no_element() {
        let lower = SCRIPT.to_lowercase();
        assert!(!lower.contains("</script") && !lower.contains("<!--"));
        assert!(!STYLE.to_lowercase().contains("</style"));
        assert!(!LICENCE.contains("--"));
    }

    #[test]
    fn the_digest_is_that_of_a_policy() {
        // The example of the standard of content security policies.
        let expected = "sha256-qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng=";
        assert_eq!(digest("alert('Hello, world.');"), expected);
    }
}
