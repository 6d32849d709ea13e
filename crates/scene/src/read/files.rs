//! The files that readers read: the files of the system, or files in memory. What a scene may refer to is
//! decided above, by the same rules for both.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use super::error::{Fault, ReadError, clip};

/// Files and folders by their paths.
pub trait Files {
    /// Returns what is at a path.
    ///
    /// # Errors
    /// If there is nothing, or it may not be looked at.
    fn look(&self, path: &Path) -> io::Result<Found>;

    /// Reads a whole file.
    ///
    /// # Errors
    /// If there is none, or it cannot be read.
    fn read(&self, path: &Path) -> io::Result<Vec<u8>>;

    /// Returns the one path of what is at a path, without links and without steps such as `..`.
    ///
    /// # Errors
    /// If there is nothing.
    fn canonical(&self, path: &Path) -> io::Result<PathBuf>;

    /// True for the files of the system, which other programs can read, too.
    fn are_on_disk(&self) -> bool {
        false
    }

    /// True for a symbolic link.
    fn is_link(&self, _path: &Path) -> bool {
        false
    }
}

/// The kind of thing at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// A file with so many bytes.
    File(u64),
    /// A folder.
    Folder,
    /// A device or a pipe.
    Other,
}

/// The files of the system.
#[derive(Clone, Copy, Debug, Default)]
pub struct Disk;

impl Files for Disk {
    fn look(&self, path: &Path) -> io::Result<Found> {
        let kind = fs::metadata(path)?;
        Ok(match (kind.is_dir(), kind.is_file()) {
            (true, _) => Found::Folder,
            (_, true) => Found::File(kind.len()),
            _ => Found::Other,
        })
    }

    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        fs::read(path)
    }

    fn canonical(&self, path: &Path) -> io::Result<PathBuf> {
        fs::canonicalize(path)
    }

    fn are_on_disk(&self) -> bool {
        true
    }

    fn is_link(&self, path: &Path) -> bool {
        path.is_symlink()
    }
}

/// Files in memory, such as the files of an archive, in folders as their paths say. Steps such as `..` are
/// taken by the letter: on a disk, `a/../b` needs a folder `a`.
///
/// ```
/// use closefit_scene::read::{InMemory, ReadOptions, read_from};
///
/// let mut files = InMemory::default();
/// files.insert("scene/meshes/a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3")?;
/// files.insert("scene/all.json", r#"{ "unit": "mm", "parts": [{ "name": "a", "mesh": "meshes/a.obj" }]
/// }"#)?; let scene = read_from(&files, &["scene/all.json"], &ReadOptions::default())?;
/// assert_eq!(&*scene.parts[0].name, "a");
/// # Ok::<(), closefit_scene::read::ReadError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct InMemory {
    /// The bytes of each file, by its path without steps such as `..`.
    files: BTreeMap<PathBuf, Vec<u8>>,
}

impl InMemory {
    /// Adds a file.
    ///
    /// # Errors
    /// [`ReadError`] for a path that climbs out of its start, as a crafted archive may have it, or that is
    /// the path of another file.
    pub fn insert(&mut self, path: impl AsRef<Path>, bytes: impl Into<Vec<u8>>) -> Result<(), ReadError> {
        let shown = path.as_ref().display().to_string();
        let refuse = |why: &str| Err(ReadError { file: clip(&shown), fault: Fault::Scene(why.to_owned()) });
        let Some(path) = lexical(path.as_ref()) else {
            return refuse("its path leads out of the files in memory");
        };
        match self.files.entry(path) {
            Entry::Occupied(_) => refuse("there are two files of this path"),
            Entry::Vacant(vacant) => {
                vacant.insert(bytes.into());
                Ok(())
            }
        }
    }

    fn find(&self, path: &Path) -> io::Result<(PathBuf, Found)> {
        // As Linux says it: a web page has no words for the number.
        let missing = || io::Error::new(io::ErrorKind::NotFound, "No such file or directory (os error 2)");
        let path = lexical(path).ok_or_else(missing)?;
        if let Some(bytes) = self.files.get(&path) {
            return Ok((path, Found::File(bytes.len() as u64)));
        }
        // Of all paths below a folder, the first follows its own.
        let next = self.files.range(path.clone()..).next();
        let is_folder = next.is_some_and(|(below, _)| below.starts_with(&path));
        if is_folder { Ok((path, Found::Folder)) } else { Err(missing()) }
    }
}

impl Files for InMemory {
    fn look(&self, path: &Path) -> io::Result<Found> {
        Ok(self.find(path)?.1)
    }

    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let (path, _) = self.find(path)?;
        self.files.get(&path).cloned().ok_or_else(|| io::ErrorKind::IsADirectory.into())
    }

    fn canonical(&self, path: &Path) -> io::Result<PathBuf> {
        Ok(self.find(path)?.0)
    }
}

/// Returns a path without the steps `.` and `..`; `None` if it climbs out of its start.
fn lexical(path: &Path) -> Option<PathBuf> {
    let mut resolved = PathBuf::new();
    for step in path.components() {
        match step {
            Component::CurDir => {}
            Component::ParentDir => {
                resolved.file_name()?;
                resolved.pop();
            }
            step => resolved.push(step),
        }
    }
    Some(resolved)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_in_memory_have_folders() {
        let mut files = InMemory::default();
        for path in ["a/b.stl", "./a/c/../d.stl", "a-b/e.stl", "/root/f.stl"] {
            files.insert(path, path).expect("a new path");
        }
        let look = |path: &str| files.look(Path::new(path)).ok();
        for folder in ["", ".", "a", "a/", "a/x/..", "a-b", "/root", "/"] {
            assert_eq!(look(folder), Some(Found::Folder), "{folder:?}");
        }
        assert_eq!([look("a/d.stl"), look("a/../a/b.stl")], [Some(Found::File(14)), Some(Found::File(7))]);
        for none in ["b.stl", "a/c", "..", "a/../../a/b.stl", "root", "a/b.stl/x", "a/b"] {
            assert_eq!(look(none), None, "{none:?}");
        }
        assert_eq!(files.canonical(Path::new("./a/x/../d.stl")).expect("there"), Path::new("a/d.stl"));
        assert_eq!(files.read(Path::new("a")).expect_err("a folder").kind(), io::ErrorKind::IsADirectory);
    }

    #[test]
    fn files_that_climb_out_or_come_twice_are_refused() {
        let mut files = InMemory::default();
        files.insert("a/b.stl", "").expect("a new path");
        let refused = |path: &str| files.clone().insert(path, "").expect_err("refused").to_string();
        assert_eq!(refused("../b.stl"), "../b.stl: its path leads out of the files in memory");
        assert_eq!(refused("a/../../b"), "a/../../b: its path leads out of the files in memory");
        assert_eq!(refused("a/./b.stl"), "a/./b.stl: there are two files of this path");
    }
}
