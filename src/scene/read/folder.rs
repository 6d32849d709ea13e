//! The folder of a scene file. What the scene names is read from there: from elsewhere only if the user allows it,
//! so that a scene from strangers cannot show them other files in a report.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use super::error::Fault;
use super::load;

/// Where the files lie that a scene file names.
pub(super) struct Folder<'a> {
    path: &'a Path,
    allow_outside: bool,
}

impl<'a> Folder<'a> {
    /// The folder of a scene file.
    pub fn of(file: &'a Path, allow_outside: bool) -> Self {
        let path = file.parent().filter(|path| !path.as_os_str().is_empty());
        Self { path: path.unwrap_or(Path::new(".")), allow_outside }
    }

    /// Reads a file that lies in the folder or below.
    pub fn read(&self, name: &str) -> Result<Vec<u8>, Fault> {
        match self.read_in(self.path, name) {
            // Whether there is such a file elsewhere is nobody's business.
            Err(Fault::Io(_)) if !self.allow_outside && leads_out(name) => Err(Fault::Outside),
            read => read,
        }
    }

    /// Reads a file, named from the folder on, that lies in `root` or below. Links count as what they lead to.
    pub fn read_in(&self, root: &Path, name: &str) -> Result<Vec<u8>, Fault> {
        let path = self.path.join(name);
        if self.allow_outside {
            return load(&path);
        }
        let path = fs::canonicalize(path)?;
        if path.starts_with(fs::canonicalize(root)?) { load(&path) } else { Err(Fault::Outside) }
    }

    /// The folder of the ROS package that the scene belongs to, and how many levels up it is: the nearest that
    /// has a `package.xml`. One without counts if the scene is in it or one level below, and names it; otherwise
    /// the folder itself is all there is.
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

/// True for a name that begins at a root or climbs out of where it begins, in the manner of Unix or Windows.
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
