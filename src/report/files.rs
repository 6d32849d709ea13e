//! Files that appear whole or not at all.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

/// Why files could not be written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The path of the output directory, or of one above it, is a file.
    #[error("{}: it is a file, and the output needs a directory", .0.display())]
    NotADirectory(PathBuf),
    /// The system refused.
    #[error("{}: cannot be written: {source}", path.display())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

fn refused(path: &Path) -> impl FnOnce(io::Error) -> WriteError {
    let path = path.to_owned();
    |source| WriteError::Io { path, source }
}

/// Finds out before a long run whether [`write()`] could write into `dir`; changes nothing.
///
/// # Errors
/// [`WriteError`].
pub fn check_writable(dir: &Path) -> Result<(), WriteError> {
    let existing = nearest_existing(dir);
    if !existing.is_dir() {
        return Err(WriteError::NotADirectory(existing.to_owned()));
    }
    tempfile::tempfile_in(existing).map(drop).map_err(refused(existing))
}

/// Writes all files, or leaves the directory as it was: contents go to temporary files beside their
/// destination first, and are renamed, over files of an earlier run too, once all of them are complete.
/// Directories that are missing are created, and removed again on failure.
///
/// # Errors
/// [`WriteError`].
pub fn write(dir: &Path, files: &[(String, Vec<u8>)]) -> Result<(), WriteError> {
    let existing = nearest_existing(dir);
    if !existing.is_dir() {
        return Err(WriteError::NotADirectory(existing.to_owned()));
    }
    let existing = existing.to_owned();
    let outcome = fs::create_dir_all(dir).map_err(refused(dir)).and_then(|()| write_into(dir, files));
    if outcome.is_err() {
        // What was there before stays: removal ends at a directory that is not empty or not ours.
        let ours = dir.ancestors().take_while(|d| **d != *existing);
        ours.map(fs::remove_dir).take_while(Result::is_ok).for_each(drop);
    }
    outcome
}

fn write_into(dir: &Path, files: &[(String, Vec<u8>)]) -> Result<(), WriteError> {
    let mut complete = Vec::with_capacity(files.len());
    for (name, contents) in files {
        let path = dir.join(name);
        if path.is_dir() {
            return Err(refused(&path)(io::ErrorKind::IsADirectory.into()));
        }
        let mut file = temporary(path.parent().unwrap_or(dir)).map_err(refused(&path))?;
        file.write_all(contents).map_err(refused(&path))?;
        complete.push((file, path));
    }
    for (file, path) in complete {
        file.persist(&path).map_err(|e| refused(&path)(e.error))?;
    }
    Ok(())
}

/// A temporary file that ends with the permissions of any other new file, not with the private ones that
/// temporary files usually get.
fn temporary(dir: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".closefit-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o666)); // less the user's umask
    }
    // The error would name the temporary file, which is nobody's business.
    builder.tempfile_in(dir).map_err(|error| error.kind().into())
}

/// The path itself or the nearest one above it that exists.
fn nearest_existing(path: &Path) -> &Path {
    let found = path.ancestors().find(|p| p.exists());
    found.unwrap_or(Path::new("."))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(dir: &Path) -> Vec<String> {
        let mut names: Vec<_> =
            fs::read_dir(dir).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    fn file(name: &str, text: &str) -> (String, Vec<u8>) {
        (name.to_owned(), text.as_bytes().to_vec())
    }

    #[test]
    fn creates_directories_and_replaces_files() {
        let root = tempfile::tempdir().unwrap();
        let out = root.path().join("a/b");
        write(&out, &[file("x", "1"), file("y", "2")]).unwrap();
        write(&out, &[file("x", "3")]).unwrap();
        assert_eq!(entries(&out), ["x", "y"]);
        assert_eq!(fs::read_to_string(out.join("x")).unwrap(), "3");
    }

    #[test]
    fn a_failure_leaves_nothing() {
        let root = tempfile::tempdir().unwrap();
        let files = [file("x", "1"), file("no/such/dir", "2")];
        write(&root.path().join("a/b"), &files).unwrap_err();
        assert!(entries(root.path()).is_empty());
        // A directory under a file's name stops the run before the first file appears.
        fs::create_dir(root.path().join("y")).unwrap();
        let error = write(root.path(), &[file("x", "1"), file("y", "2")]).unwrap_err();
        assert!(error.to_string().contains("/y: "), "{error}");
        assert_eq!(entries(root.path()), ["y"]);
    }

    #[test]
    fn a_file_in_the_way_is_named() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("taken");
        fs::write(&path, "mine").unwrap();
        for dir in [path.clone(), path.join("below")] {
            assert!(matches!(check_writable(&dir), Err(WriteError::NotADirectory(p)) if p == path));
            assert!(matches!(write(&dir, &[file("x", "1")]), Err(WriteError::NotADirectory(p)) if p == path));
        }
        assert_eq!(fs::read_to_string(&path).unwrap(), "mine");
        assert_eq!(entries(root.path()), ["taken"]);
    }
}
