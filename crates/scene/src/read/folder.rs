//! The folder of a scene file. Files that the scene refers to are read from there, and from elsewhere only if
//! the user allows it, so that a scene from strangers cannot expose other files in a report.

use std::ffi::OsStr;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::error::Fault;
use super::files::{Files, Found};
use super::load;
use closefit_geometry::memory::MemoryAccount;

/// The folder of the files that a scene file refers to.
pub(super) struct Folder<'a> {
    path: &'a Path,
    files: &'a dyn Files,
    /// The folder of the scene file's target, if the file is a symbolic link.
    of_target: Option<PathBuf>,
    allow_outside: bool,
    memory: &'a MemoryAccount,
}

impl<'a> Folder<'a> {
    /// Returns the folder of a scene file.
    pub fn of(file: &'a Path, files: &'a dyn Files, allow_outside: bool, memory: &'a MemoryAccount) -> Self {
        let path = file.parent().filter(|path| !path.as_os_str().is_empty());
        let target = if files.is_link(file) { files.canonical(file).ok() } else { None };
        let of_target = target.and_then(|target| target.parent().map(Path::to_owned));
        Self { path: path.unwrap_or(Path::new(".")), files, of_target, allow_outside, memory }
    }

    /// Returns the files among which the folder is.
    pub fn files(&self) -> &'a dyn Files {
        self.files
    }

    /// True if files may be outside the folder.
    pub fn allows_outside(&self) -> bool {
        self.allow_outside
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

    /// Reads a file in the folder or below it; if there is none and the scene file is a link, one beside its
    /// target. Its bytes are taken from memory.
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
            return load(self.files, &path, self.memory);
        }
        let path = self.files.canonical(&path)?;
        let is_below = path.starts_with(self.files.canonical(root)?);
        if is_below { load(self.files, &path, self.memory) } else { Err(Fault::Outside) }
    }

    /// True if a name relative to the folder stays in `root` by its steps alone, whether there is such a file
    /// or not.
    pub fn stays_in(&self, root: &Path, name: &str) -> bool {
        let (Ok(folder), Ok(root)) = (self.files.canonical(self.path), self.files.canonical(root)) else {
            return false;
        };
        let Ok(below) = folder.strip_prefix(&root) else { return false };
        !leads_out(&below.join(name).to_string_lossy())
    }

    /// Returns the ROS package that contains the scene: the nearest folder with a `package.xml`. A folder
    /// without one counts if it has the package's name and contains the scene directly or one level below. If
    /// there is none, returns the scene's own folder.
    pub fn package(&self, name: &str) -> Package {
        let own = Package { root: self.path.to_owned(), up: 0, is_named: false };
        let Ok(folder) = self.files.canonical(self.path) else { return own };
        let is_called = |path: &Path| path.file_name() == Some(OsStr::new(name));
        let is_file = |path: &Path| matches!(self.files.look(path), Ok(Found::File(_)));
        let is_package =
            |(up, path): &(usize, &Path)| is_file(&path.join("package.xml")) || *up < 2 && is_called(path);
        let Some((up, path)) = folder.ancestors().enumerate().find(is_package) else { return own };
        let names = |xml: String| xml.contains(&format!("<name>{name}</name>"));
        let xml = || String::from_utf8(self.files.read(&path.join("package.xml")).ok()?).ok();
        let is_named = is_called(path) || xml().is_some_and(names);
        Package { root: path.to_owned(), up, is_named }
    }
}

/// The folder of a ROS package.
pub(super) struct Package {
    pub root: PathBuf,
    /// Its distance upwards from the scene's folder.
    pub up: usize,
    /// True if it is certain to be the package that was asked for.
    pub is_named: bool,
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
