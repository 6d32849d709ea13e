//! The page of a report: one HTML file that opens by a double click, without a network, and keeps nothing.
//!
//! It holds the rows of the report, the geometry of its scene, the views of its findings and pictures of the
//! worst, and a script that shows them: a list of issues, the model in 3D with sections, and what people say
//! about each finding. The script is made from `page/` and checked in as `assets/report.js`.
//!
//! The same report and scene give the same bytes. No name from a file becomes markup or script: names are
//! data, and the page's policy lets nothing run but the two texts whose digests it states.

#![cfg_attr(test, allow(clippy::disallowed_methods))]

mod body;
mod document;
mod edges;
mod escape;
mod frames;
mod geometry;
mod head;
mod packed;
mod parts;
mod pictures;
mod places;
mod row;
mod seen;

pub use document::{Html, Page, html, model};
pub use row::Row;
