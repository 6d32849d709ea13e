//! The folder of a scene file. Files that the scene refers to are read from there, and from elsewhere only if
//! the user allows it, so that a scene from strangers cannot expose other files in a report.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::error::Fault;
use super::files::Files;
use super::{ReadOptions, load};
use closefit_geometry::memory::MemoryAccount;

/// The folder of the files that a scene file refers to.
pub(super) struct Folder<'a> {
    path: &'a Path,
    files: &'a dyn Files,
    /// The folder of the scene file's target, if the file is a symbolic link.
    of_target: Option<PathBuf>,
    options: &'a ReadOptions,
    memory: &'a MemoryAccount,
}

impl<'a> Folder<'a> {
    /// Returns the folder of a scene file.
    pub fn of(
        file: &'a Path,
        files: &'a dyn Files,
        options: &'a ReadOptions,
        memory: &'a MemoryAccount,
    ) -> Self {
        let path = file.parent().filter(|path| !path.as_os_str().is_empty());
        let target = if files.is_link(file) { files.canonical(file).ok() } else { None };
        let of_target = target.and_then(|target| target.parent().map(Path::to_owned));
        Self { path: path.unwrap_or(Path::new(".")), files, of_target, options, memory }
    }

    /// Returns the files among which the folder is.
    pub fn files(&self) -> &'a dyn Files {
        self.files
    }

    /// Returns its path, as the scene's is given.
    pub fn path(&self) -> &'a Path {
        self.path
    }

    /// Returns the options with which the scene is read.
    pub fn options(&self) -> &'a ReadOptions {
        self.options
    }

    /// Returns the path of a file that is named relative to the folder; if there is none and the scene file
    /// is a link, relative to its target's.
    pub fn join(&self, name: &str) -> PathBuf {
        let own = self.path.join(name);
        match &self.of_target {
            Some(folder) if self.files.look(&own).is_err() => folder.join(name),
            _ => own,
        }
    }

    /// True if there is a file of a name that may be read. Whether one is outside is not looked at, unless
    /// files may be.
    #[cfg(feature = "mjcf")]
    pub fn has(&self, name: &str) -> bool {
        (self.options.allow_outside || !leads_out(name)) && self.files.look(&self.join(name)).is_ok()
    }

    /// Reads a file in the folder or below it; if there is none and the scene file is a link, a file next to
    /// its target. Its bytes are taken from memory.
    pub fn read(&self, name: &str) -> Result<Vec<u8>, Fault> {
        let read = match (self.read_below(self.path, name), &self.of_target) {
            (Err(Fault::Io(error)), Some(folder)) if error.kind() == ErrorKind::NotFound => {
                self.read_below(folder, name)
            }
            (read, _) => read,
        };
        match read {
            // Do not reveal whether such a file exists elsewhere.
            Err(Fault::Io(_)) if !self.options.allow_outside && leads_out(name) => Err(Fault::Outside),
            read => read,
        }
    }

    /// Reads a file that is in `root` or below it, unless files may be outside. Links count as their targets.
    pub fn read_below(&self, root: &Path, name: &str) -> Result<Vec<u8>, Fault> {
        let path = root.join(name);
        if self.options.allow_outside {
            return load(self.files, &path, self.memory);
        }
        let path = self.files.canonical(&path)?;
        let is_below = path.starts_with(self.files.canonical(root)?);
        if is_below { load(self.files, &path, self.memory) } else { Err(Fault::Outside) }
    }
}

/// True for a name that begins at a root or climbs out of its start, in Unix or Windows notation.
pub(super) fn leads_out(name: &str) -> bool {
    let drive = matches!(name.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic());
    if drive || name.starts_with(['/', '\\']) {
        return true;
    }
    let mut depth = 0;
    name.split(['/', '\\']).any(|step| {
        depth += match step {
            "" | "." => 0,
            ".." => -1,
            _ => 1,
        };
        depth < 0
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_lead_out() {
        for name in
            ["/a", "../a", "a/../../b", "./../a", r"..\a", r"a\..\..\b", r"\\server\a", r"C:\a", "c:a", ".."]
        {
            assert!(leads_out(name), "{name}");
        }
        for name in ["a", "a/../b", "./a/b", "...", "a..b", "..%2fa", ""] {
            assert!(!leads_out(name), "{name}");
        }
    }
}
