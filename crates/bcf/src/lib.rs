//! Findings as issues in the BIM Collaboration Format (BCF), which viewers of buildings read.
//!
//! [`archive()`] makes the file: a topic per issue, with a title, the numbers, the parts in two colours, a
//! camera and a snapshot, both from the view that pictures have. Names, ids and file order are pure functions
//! of report, scene and options, so the same run and date give the same bytes, and a later export of the same
//! project updates its topics.
//!
//! Version 2.1 is what most programs read; version 3.0 is the latest. The schemas come from
//! [buildingSMART](https://github.com/buildingSMART/BCF-XML).

mod archive;
mod guid;
mod markup;
mod options;
mod project;
mod titles;
mod topic;
mod visualization;
mod world;
mod xml;

pub use archive::{Archive, archive};
pub use options::{NoUnit, Options, Per, Version};
