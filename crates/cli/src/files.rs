//! Files that a run reads whole.

use std::path::Path;

use anyhow::{Context, anyhow};

use closefit_report::diff::Review;

/// The mark of UTF-8.
const MARK: &[u8] = "\u{feff}".as_bytes();

/// Reads a whole file of JSON, without the mark with which some editors begin a text.
pub fn read_file(path: &Path) -> anyhow::Result<Vec<u8>> {
    let read = std::fs::read(path).map_err(|error| anyhow!("cannot be read: {error}"));
    let mut bytes = read.with_context(|| path.display().to_string())?;
    if bytes.starts_with(MARK) {
        bytes.drain(..MARK.len());
    }
    Ok(bytes)
}

/// Reads a review, which is empty if there is no file.
pub fn read_review(path: Option<&Path>) -> anyhow::Result<Review> {
    let Some(path) = path else { return Ok(Review::default()) };
    Review::read(&read_file(path)?).with_context(|| path.display().to_string())
}
