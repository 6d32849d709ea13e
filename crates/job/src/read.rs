//! Scenes and rules from files.

use std::path::{Path, PathBuf};

use crate::error::JobError;
use closefit::{KeptModels, Observer, Stage};
use closefit_geometry::scene::Scene;
use closefit_project::{RulesFile, SceneFile, Sides};
use closefit_scene::read::{Disk, Files, ReadOptions, read_and_tell};

/// A scene with the files that it was read from.
#[derive(Clone, Debug)]
pub struct ReadScene {
    /// The scene.
    pub scene: Scene,
    /// The paths of its files, for messages.
    pub paths: Vec<PathBuf>,
    /// The files of its parts, in order; the last one ends with the last part.
    pub files: Vec<SceneFile>,
    /// The models that checks of rows have built of it.
    pub models: KeptModels,
}

impl ReadScene {
    /// Returns the sides of the first so many files and of the others.
    ///
    /// # Panics
    /// Panics if there are fewer files.
    pub fn against(&self, first: usize) -> Sides {
        Sides::Against(self.files[..first].last().map_or(0, |file| file.end))
    }
}

impl From<Scene> for ReadScene {
    /// A scene that was not read from a file.
    fn from(scene: Scene) -> Self {
        let files = vec![SceneFile { name: String::new(), end: scene.parts.len() }];
        Self { scene, paths: Vec::new(), files, models: KeptModels::default() }
    }
}

/// Reads the files of a scene.
///
/// # Errors
/// [`JobError::Scene`].
pub fn read(
    paths: &[impl AsRef<Path>],
    options: &ReadOptions,
    observer: &dyn Observer,
) -> Result<ReadScene, JobError> {
    read_from(&Disk, paths, options, observer)
}

/// Reads a scene from files that need not be on a disk.
///
/// # Errors
/// [`JobError::Scene`].
pub fn read_from(
    on: &dyn Files,
    paths: &[impl AsRef<Path>],
    options: &ReadOptions,
    observer: &dyn Observer,
) -> Result<ReadScene, JobError> {
    let paths: Vec<PathBuf> = paths.iter().map(|path| path.as_ref().to_owned()).collect();
    observer.begin(Stage::Reading, paths.len() as u64);
    let mut files = Vec::new();
    let scene = read_and_tell(on, &paths, options, &mut |path, end| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        files.push(SceneFile { name, end });
        observer.advance();
    })?;
    Ok(ReadScene { scene, paths, files, models: KeptModels::default() })
}

/// Reads a rules file.
///
/// # Errors
/// [`JobError::File`] if it is no text, [`JobError::Rules`] if it has a fault.
pub fn read_rules(path: &Path) -> Result<RulesFile, JobError> {
    read_rules_from(&Disk, path)
}

/// Reads a rules file that need not be on a disk.
///
/// # Errors
/// [`JobError::File`] if it is no text, [`JobError::Rules`] if it has a fault.
pub fn read_rules_from(on: &dyn Files, path: &Path) -> Result<RulesFile, JobError> {
    Ok(RulesFile::read(path, &text_on(on, path)?)?)
}

/// Reads a file of text.
///
/// # Errors
/// [`JobError::File`] if it cannot be read, or is not UTF-8.
pub fn text_of(path: &Path) -> Result<String, JobError> {
    text_on(&Disk, path)
}

fn text_on(on: &dyn Files, path: &Path) -> Result<String, JobError> {
    let bytes = on.read(path).map_err(|error| format!("cannot be read: {error}"));
    let text = bytes.and_then(|bytes| String::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned()));
    // Some editors begin a text with a mark.
    let text = text.map(|text| text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text));
    text.map_err(|why| JobError::File { file: path.display().to_string(), why })
}
