//! The folder of a scene file. Files that the scene refers to are read from there, and from elsewhere only if
//! the user allows it, so that a scene from strangers cannot expose other files in a report.

use std::ffi::OsStr;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::error::Fault;
use super::load;
use crate::memory::MemoryAccount;

/// The folder of the files that a scene file refers to.
pub(super) struct Folder<'a> {
    path: &'a Path,
    /// The folder of the scene file's target, if the file is a symbolic link.
    of_target: Option<PathBuf>,
    allow_outside: bool,
    memory: &'a MemoryAccount,
}

impl<'a> Folder<'a> {
    /// Returns the folder of a scene file.
    pub fn of(file: &'a Path, allow_outside: bool, memory: &'a MemoryAccount) -> Self {
        let path = file.parent().filter(|path| !path.as_os_str().is_empty());
        let target = if file.is_symlink() { fs::canonicalize(file).ok() } else { None };
        let of_target = target.and_then(|target| target.parent().map(Path::to_owned));
        Self { path: path.unwrap_or(Path::new(".")), of_target, allow_outside, memory }
    }

    /// Reads a file in the folder or below it; if there is none and the scene file is a link, one beside its target.
    /// Its bytes are taken from memory.
    pub fn read(&self, name: &str) -> Result<Vec<u8>, Fault> {
        let beside_target = |folder: &PathBuf| self.read_from(folder, folder, name);
        let read = match (self.read_in(self.path, name), &self.of_target) {
            (Err(Fault::Io(error)), Some(folder)) if error.kind() == ErrorKind::NotFound => {
                beside_target(folder)
            }
            (read, _) => read,
        };
        match read {
            // Do not reveal whether such a file exists elsewhere.
            Err(Fault::Io(_)) if !self.allow_outside && leads_out(name) => Err(Fault::Outside),
            read => read,
        }
    }

    /// Reads a file, named relative to the folder, that is in `root` or below it. Links count as their
    /// targets.
    pub fn read_in(&self, root: &Path, name: &str) -> Result<Vec<u8>, Fault> {
        self.read_from(self.path, root, name)
    }

    fn read_from(&self, folder: &Path, root: &Path, name: &str) -> Result<Vec<u8>, Fault> {
        let path = folder.join(name);
        if self.allow_outside {
            return load(&path, self.memory);
        }
        let path = fs::canonicalize(path)?;
        if path.starts_with(fs::canonicalize(root)?) { load(&path, self.memory) } else { Err(Fault::Outside) }
    }

    /// Returns the folder of the ROS package that contains the scene, and its distance upwards: the nearest
    /// folder with a `package.xml`. A folder without one counts if it has the package's name and contains the
    /// scene directly or one level below. If there is none, returns the scene's own folder.
    pub fn package(&self, name: &str) -> (PathBuf, usize) {
        let own = (self.path.to_owned(), 0);
        let Ok(folder) = fs::canonicalize(self.path) else { return own };
        let is_package = |(up, path): &(usize, &Path)| {
            path.join("package.xml").is_file() || *up < 2 && path.file_name() == Some(OsStr::new(name))
        };
        let found = folder.ancestors().enumerate().find(is_package);
        found.map_or(own, |(up, path)| (path.to_owned(), up))
    }
}

/// True for a name that begins at a root or climbs out of its start, in Unix or Windows notation.
fn leads_out(name: &str) -> bool {
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
