//! Files that appear whole or not at all, in a directory that one run has for itself.

use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

/// Why files could not be written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The path of the output directory, or of one above it, is a file.
    #[error("{}: it is a file, and the output needs a directory", .0.display())]
    NotADirectory(PathBuf),
    /// Another run has claimed the directory.
    #[error("{}: another run is writing there: wait for it, or use another directory", .0.display())]
    InUse(PathBuf),
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

/// The output directory of one run: no other run can claim it before this is dropped. Directories that were
/// created for it are then removed if they are empty.
#[derive(Debug)]
pub struct Output {
    dir: PathBuf,
    /// What was there before.
    existing: PathBuf,
    /// Holds the lock, where the system can lock a directory. It ends with the process, however that ends.
    _lock: Option<File>,
}

impl Output {
    /// Claims a directory, which is created if it is missing, and finds out whether files can be written there:
    /// better before a long run than after it.
    ///
    /// # Errors
    /// [`WriteError`].
    pub fn claim(dir: &Path) -> Result<Self, WriteError> {
        loop {
            let existing = create(dir)?;
            let lock = lock(dir)?;
            if lock.as_ref().is_some_and(|handle| !is_at(handle, dir)) {
                continue; // A run that came to nothing has removed it in between.
            }
            // From here on, a failure removes what was created.
            let output = Self { dir: dir.to_owned(), existing, _lock: lock };
            tempfile::tempfile_in(dir).map_err(refused(dir))?;
            return Ok(output);
        }
    }

    /// Writes files into it, as [`write()`] does.
    ///
    /// # Errors
    /// [`WriteError`].
    pub fn write(&self, files: &[(String, Vec<u8>)]) -> Result<(), WriteError> {
        write(&self.dir, files)?;
        sync_created(&self.dir, &self.existing);
        Ok(())
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        remove_created(&self.dir, &self.existing);
    }
}

/// Locks the directory itself, so that there is no file to leave behind; `None` where that cannot be done.
fn lock(dir: &Path) -> Result<Option<File>, WriteError> {
    let Ok(handle) = File::open(dir) else { return Ok(None) };
    match handle.try_lock() {
        Ok(()) => Ok(Some(handle)),
        Err(TryLockError::WouldBlock) => Err(WriteError::InUse(dir.to_owned())),
        Err(TryLockError::Error(_)) => Ok(None),
    }
}

/// True while the opened directory is still the one at this path.
#[cfg(unix)]
fn is_at(handle: &File, dir: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let id = |metadata: &fs::Metadata| (metadata.dev(), metadata.ino());
    matches!((handle.metadata(), fs::metadata(dir)), (Ok(a), Ok(b)) if id(&a) == id(&b))
}

#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> bool {
    true
}

/// Creates a directory and those above it that are missing. Returns the nearest that was there before.
fn create(dir: &Path) -> Result<PathBuf, WriteError> {
    let existing = dir.ancestors().find(|p| p.exists()).unwrap_or(Path::new("."));
    if !existing.is_dir() {
        return Err(WriteError::NotADirectory(existing.to_owned()));
    }
    match fs::create_dir_all(dir) {
        Ok(()) => Ok(existing.to_owned()),
        Err(error) => {
            remove_created(dir, existing);
            Err(refused(dir)(error))
        }
    }
}

/// A directory and those above it, up to what was there before.
fn created<'a>(dir: &'a Path, existing: &Path) -> impl Iterator<Item = &'a Path> {
    dir.ancestors().take_while(move |d| *d != existing && !d.as_os_str().is_empty())
}

/// Removes what was created, but for what is not empty.
fn remove_created(dir: &Path, existing: &Path) {
    let gone = |d: &&Path| fs::remove_dir(d).is_ok() || !d.exists();
    created(dir, existing).take_while(gone).for_each(drop);
}

/// Writes all files, or leaves the directory as it was: contents go to temporary files beside their
/// destination first, reach the disk there, and are renamed, over files of an earlier run too, once all of them
/// are complete. Directories that are missing are created, and removed again on failure.
///
/// # Errors
/// [`WriteError`].
pub fn write(dir: &Path, files: &[(String, Vec<u8>)]) -> Result<(), WriteError> {
    let existing = create(dir)?;
    let outcome = write_into(dir, files);
    match outcome {
        Ok(()) => sync_created(dir, &existing),
        Err(_) => remove_created(dir, &existing),
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
        // Past the wrapper, whose errors would name the temporary file.
        let bare = file.as_file_mut();
        bare.write_all(contents).and_then(|()| bare.sync_all()).map_err(refused(&path))?;
        complete.push((file, path));
    }
    for (file, path) in complete {
        file.persist(&path).map_err(|e| refused(&path)(e.error))?;
    }
    Ok(())
}

/// Makes the names of files and of what was created for them last, where the system can sync a directory: they are
/// there either way.
fn sync_created(dir: &Path, existing: &Path) {
    for dir in created(dir, existing).chain([existing]) {
        let _ = File::open(dir).and_then(|dir| dir.sync_all());
    }
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

    #[cfg(unix)]
    #[test]
    fn a_directory_has_one_run_at_a_time() {
        let root = tempfile::tempdir().unwrap();
        let out = root.path().join("a/b");
        let first = Output::claim(&out).unwrap();
        let error = Output::claim(&out).unwrap_err();
        assert!(matches!(&error, WriteError::InUse(dir) if *dir == out), "{error}");
        assert!(error.to_string().starts_with(&format!("{}: another run", out.display())));
        // Nothing but the directory, and not even that once the run is over without a file.
        assert!(entries(&out).is_empty());
        drop(first);
        assert!(entries(root.path()).is_empty());
        let second = Output::claim(&out).unwrap();
        second.write(&[file("x", "1")]).unwrap();
        drop(second);
        assert_eq!(entries(&out), ["x"]);
        drop(Output::claim(&out).unwrap());
    }

    #[test]
    fn a_file_in_the_way_is_named() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("taken");
        fs::write(&path, "mine").unwrap();
        for dir in [path.clone(), path.join("below")] {
            assert!(matches!(Output::claim(&dir), Err(WriteError::NotADirectory(p)) if p == path));
            assert!(matches!(write(&dir, &[file("x", "1")]), Err(WriteError::NotADirectory(p)) if p == path));
        }
        assert_eq!(fs::read_to_string(&path).unwrap(), "mine");
        assert_eq!(entries(root.path()), ["taken"]);
    }
}
