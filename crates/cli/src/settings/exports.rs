//! Files for other programs, in addition to the files of `--out` or instead of them.

use std::path::{Path, PathBuf};

use crate::terminal;
use closefit_report::files::ready;

/// The files that show a result in other programs.
#[derive(Clone, Debug)]
pub struct ExportFiles {
    pub junit: Option<PathBuf>,
    pub markdown: Option<PathBuf>,
}

impl ExportFiles {
    /// Returns the folder for the pictures of the Markdown, next to it: `result-pictures` for `result.md`.
    pub fn pictures(&self) -> Option<PathBuf> {
        let path = self.markdown.as_ref()?;
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        Some(path.with_file_name(format!("{stem}-pictures")))
    }

    /// Writes the files that were requested.
    pub fn write(
        &self,
        junit: impl FnOnce() -> Vec<u8>,
        markdown: impl FnOnce() -> String,
    ) -> anyhow::Result<()> {
        if let Some(path) = &self.junit {
            write(path, junit())?;
        }
        if let Some(path) = &self.markdown {
            write(path, markdown().into_bytes())?;
        }
        Ok(())
    }
}

/// Writes files to where the user wants each.
pub fn write_all(files: Vec<(PathBuf, Vec<u8>)>) -> anyhow::Result<()> {
    files.into_iter().try_for_each(|(path, contents)| write(&path, contents))
}

/// Writes a file, whole or not at all.
fn write(path: &Path, contents: Vec<u8>) -> anyhow::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    terminal::write_files(folder.unwrap_or(Path::new(".")), vec![ready(name, contents)])?;
    Ok(())
}
