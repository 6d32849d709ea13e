//! Rules files: what they mean for a scene, and what is refused.

mod meaning;
mod mutations;
mod refusals;
mod schema;

use std::path::Path;

use closefit_project::{RulesError, RulesFile};

/// A file with every key.
const ALL: &str = include_str!("../files/all.toml");

/// The example of the manual.
const DUPLEX: &str = include_str!("../../../../examples/duplex.toml");

fn read(text: &str) -> Result<RulesFile, RulesError> {
    RulesFile::read(Path::new("r.toml"), text)
}

/// Reads rules, which begin with the version.
fn rules(text: &str) -> Result<RulesFile, RulesError> {
    read(&format!("closefit-rules = 1\n{text}"))
}
