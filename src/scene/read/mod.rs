//! Readers: files to a [`crate::scene::Scene`].

use std::path::PathBuf;

use super::Scene;
use crate::units::Unit;

/// What a user adds to what the files say.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ReadOptions {
    /// The unit of files that carry none.
    pub unit: Option<Unit>,
}

/// Why a scene was refused.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The file cannot be read.
    #[error("{0}: cannot be read")]
    Unreadable(String),
}

/// Reads files into one scene.
///
/// # Errors
/// [`ReadError`].
pub fn read(paths: &[PathBuf], _options: &ReadOptions) -> Result<Scene, ReadError> {
    let file = paths.first().map(|p| p.display().to_string()).unwrap_or_default();
    Err(ReadError::Unreadable(file))
}
