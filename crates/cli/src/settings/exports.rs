//! Files for other programs, in addition to the files of `--out` or instead of them.

use std::path::PathBuf;

use closefit_report::files::FileElsewhere;

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

    /// Makes the files that were requested.
    pub fn files(
        &self,
        junit: impl FnOnce() -> Vec<u8>,
        markdown: impl FnOnce() -> String,
    ) -> Vec<FileElsewhere> {
        let junit = self.junit.as_ref().map(|path| (path.clone(), junit()));
        let markdown = self.markdown.as_ref().map(|path| (path.clone(), markdown().into_bytes()));
        junit.into_iter().chain(markdown).collect()
    }
}
