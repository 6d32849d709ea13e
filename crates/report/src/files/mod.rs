//! Output files that appear completely or not at all, in a directory reserved for one run.

mod temporary;
mod writing;

use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use writing::Pieces;
pub use writing::Writing;

use closefit_geometry::parallel;

/// The reason why files could not be written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The path of the output directory, or of one above it, is a file.
    #[error("{}: it is a file, and the output needs a directory", .0.display())]
    NotADirectory(PathBuf),
    /// Another run has claimed the directory.
    #[error("{}: another run is writing there: wait for it, or use another directory", .0.display())]
    InUse(PathBuf),
    /// The operating system refused.
    #[error("{}: cannot be written: {source}", path.display())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// [`Writing::stop`] came before the first file.
    #[error("stopped before any file was complete")]
    Stopped,
}

fn refused(path: &Path) -> impl FnOnce(io::Error) -> WriteError {
    let path = path.to_owned();
    |source| WriteError::Io { path, source }
}

/// The function that writes the contents of a file, in large pieces.
type Contents<'a> = Box<dyn FnOnce(&mut dyn Write) -> io::Result<()> + Send + 'a>;

/// A file: its name in the directory, and its contents.
pub type NewFile<'a> = (String, Contents<'a>);

/// A file that is not in the directory: its path, and its contents.
pub type FileElsewhere = (PathBuf, Vec<u8>);

/// A file whose contents are ready.
pub fn ready<'a>(name: impl Into<String>, contents: Vec<u8>) -> NewFile<'a> {
    (name.into(), Box::new(move |writer| writer.write_all(&contents)))
}

/// The output directory of one run: no other run can claim it before this is dropped. Directories created for
/// it are removed on drop if they are empty.
#[derive(Debug)]
pub struct Output {
    dir: PathBuf,
    /// The nearest directory that existed before.
    existing: PathBuf,
    /// The lock, if the system can lock a directory. It ends with the process, however that ends.
    _lock: Option<File>,
}

impl Output {
    /// Claims a directory, creates it if it is missing, and tests that files can be written there, so that a
    /// long run does not fail at its end. Temporary files of a run that was killed are removed.
    ///
    /// # Errors
    /// [`WriteError`].
    pub fn claim(dir: &Path) -> Result<Self, WriteError> {
        loop {
            let existing = create(dir)?;
            let lock = lock(dir)?;
            if lock.as_ref().is_some_and(|handle| !temporary::is_at(handle, dir)) {
                continue; // A run that came to nothing has removed it in between.
            }
            // From here on, a failure removes what was created.
            let output = Self { dir: dir.to_owned(), existing, _lock: lock };
            temporary::remove_left_behind(dir);
            tempfile::tempfile_in(dir).map_err(refused(dir))?;
            return Ok(output);
        }
    }

    /// Writes files into the directory, as [`write()`] does.
    ///
    /// # Errors
    /// [`WriteError`].
    pub fn write(&self, files: Vec<NewFile>, writing: &Writing) -> Result<(), WriteError> {
        self.write_with(files, Vec::new(), writing)
    }

    /// Writes files into the directory and others elsewhere: all of them appear, or none.
    ///
    /// # Errors
    /// [`WriteError`].
    pub fn write_with(
        &self,
        files: Vec<NewFile>,
        elsewhere: Vec<FileElsewhere>,
        writing: &Writing,
    ) -> Result<(), WriteError> {
        create(&self.dir)?;
        let mut whole = Whole::of(&self.dir, self.existing.clone(), files);
        whole.add(elsewhere)?;
        whole.write(writing)
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        remove_created(&self.dir, &self.existing);
    }
}

/// Locks the directory itself, so that no lock file is left behind. `None` if that is not possible.
fn lock(dir: &Path) -> Result<Option<File>, WriteError> {
    let Ok(handle) = File::open(dir) else { return Ok(None) };
    match handle.try_lock() {
        Ok(()) => Ok(Some(handle)),
        Err(TryLockError::WouldBlock) => Err(WriteError::InUse(dir.to_owned())),
        Err(TryLockError::Error(_)) => Ok(None),
    }
}

/// Creates a directory and its missing parents. Returns the nearest one that existed before.
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

/// Returns a directory and its parents, up to the one that existed before.
fn created<'a>(dir: &'a Path, existing: &Path) -> impl Iterator<Item = &'a Path> {
    dir.ancestors().take_while(move |d| *d != existing && !d.as_os_str().is_empty())
}

/// Removes the created directories that are empty.
fn remove_created(dir: &Path, existing: &Path) {
    let gone = |d: &&Path| fs::remove_dir(d).is_ok() || !d.exists();
    created(dir, existing).take_while(gone).for_each(drop);
}

/// Writes all files, or leaves their directory as it was. Contents first go to temporary files next to their
/// destination and are synced to disk: the last file after the others, since it may record how long they
/// took, and the others in parallel. Once all are complete they are renamed, replacing files of an earlier
/// run. Until then `writing` can stop it. Missing directories are created, and removed again on failure.
///
/// # Errors
/// [`WriteError`].
pub fn write(dir: &Path, files: Vec<NewFile>, writing: &Writing) -> Result<(), WriteError> {
    Whole::of(dir, create(dir)?, files).write(writing)
}

/// Writes files that are each in a directory of its own, as [`write()`] does.
///
/// # Errors
/// [`WriteError`].
pub fn write_elsewhere(files: Vec<FileElsewhere>, writing: &Writing) -> Result<(), WriteError> {
    let mut whole = Whole::default();
    whole.add(files)?;
    whole.write(writing)
}

/// Files that appear together.
#[derive(Default)]
struct Whole<'a> {
    /// Their directories, each with the nearest that existed before.
    dirs: Vec<(PathBuf, PathBuf)>,
    /// The files. The last is written after the others.
    files: Vec<(PathBuf, Contents<'a>)>,
}

impl<'a> Whole<'a> {
    /// Takes files in a directory that has been created, below one that existed before.
    fn of(dir: &Path, existing: PathBuf, files: Vec<NewFile<'a>>) -> Self {
        let files = files.into_iter().map(|(name, contents)| (dir.join(name), contents)).collect();
        Self { dirs: vec![(dir.to_owned(), existing)], files }
    }

    /// Adds files in front of the others, and creates their directories.
    fn add(&mut self, elsewhere: Vec<FileElsewhere>) -> Result<(), WriteError> {
        for (path, _) in &elsewhere {
            let dir = directory_of(path);
            if self.dirs.iter().all(|(known, _)| known != dir) {
                let created = create(dir).inspect_err(|_| self.remove_created())?;
                self.dirs.push((dir.to_owned(), created));
            }
        }
        let ready = |(path, contents): FileElsewhere| -> (PathBuf, Contents<'a>) {
            (path, Box::new(move |writer| writer.write_all(&contents)))
        };
        self.files.splice(0..0, elsewhere.into_iter().map(ready));
        Ok(())
    }

    /// Removes the created directories that are empty, the last first.
    fn remove_created(&self) {
        self.dirs.iter().rev().for_each(|(dir, existing)| remove_created(dir, existing));
    }

    /// Writes all files, or none.
    fn write(mut self, writing: &Writing) -> Result<(), WriteError> {
        let outcome = write_all(std::mem::take(&mut self.files), writing);
        match outcome {
            Ok(()) => self.dirs.iter().for_each(|(dir, existing)| sync_created(dir, existing)),
            Err(_) => self.remove_created(),
        }
        outcome.map_err(|error| if writing.is_stopped() { WriteError::Stopped } else { error })
    }
}

fn write_all(mut files: Vec<(PathBuf, Contents)>, writing: &Writing) -> Result<(), WriteError> {
    let last = files.pop();
    let others = parallel::map_owned(files, 1, |_, file| write_temporary(file, writing));
    let mut complete = others.into_iter().collect::<Result<Vec<_>, _>>()?;
    complete.extend(last.map(|file| write_temporary(file, writing)).transpose()?);
    if !writing.appear() {
        return Err(WriteError::Stopped);
    }
    for (file, path) in complete {
        file.persist(&path).map_err(|e| refused(&path)(e.error))?;
    }
    Ok(())
}

/// Returns the directory of a file.
fn directory_of(path: &Path) -> &Path {
    path.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Writes the contents of a file to a temporary one next to it. Returns the temporary path and the path it is
/// meant for.
fn write_temporary(
    (path, write): (PathBuf, Contents),
    writing: &Writing,
) -> Result<(NamedTempFile, PathBuf), WriteError> {
    let path = destination(path)?;
    let mut file = temporary::create(directory_of(&path)).map_err(refused(&path))?;
    // Bypasses the wrapper, whose errors would name the temporary file.
    let mut pieces = Pieces::new(file.as_file_mut(), writing);
    write(&mut pieces).and_then(|()| pieces.finish()).map_err(refused(&path))?;
    Ok((file, path))
}

/// Returns the path of the file that a new one replaces: of a link, its target. Devices and pipes are never
/// replaced.
fn destination(path: PathBuf) -> Result<PathBuf, WriteError> {
    let is_link = path.is_symlink();
    match fs::metadata(&path) {
        Ok(found) if found.is_dir() => Err(refused(&path)(io::ErrorKind::IsADirectory.into())),
        Ok(found) if !found.is_file() => Err(refused(&path)(io::Error::other("it is not a regular file"))),
        Ok(_) if is_link => fs::canonicalize(&path).map_err(refused(&path)),
        _ => Ok(path),
    }
}

/// Syncs the directories, so that names of files and of created directories survive a crash, if the system
/// can sync a directory. Failure is ignored, since the files exist either way.
fn sync_created(dir: &Path, existing: &Path) {
    for dir in created(dir, existing).chain([existing]) {
        let _ = File::open(dir).and_then(|dir| dir.sync_all());
    }
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

    fn file(name: &str, text: &str) -> NewFile<'static> {
        ready(name, text.into())
    }

    #[test]
    fn creates_directories_and_replaces_files() {
        let root = tempfile::tempdir().unwrap();
        let out = root.path().join("a/b");
        let writing = Writing::new();
        write(&out, vec![file("x", "1"), file("y", "2")], &writing).unwrap();
        write(&out, vec![file("x", "3")], &writing).unwrap();
        assert_eq!(entries(&out), ["x", "y"]);
        assert_eq!(fs::read_to_string(out.join("x")).unwrap(), "3");
    }

    #[test]
    fn a_failure_leaves_nothing() {
        let root = tempfile::tempdir().unwrap();
        let files = vec![file("x", "1"), file("no/such/dir", "2")];
        write(&root.path().join("a/b"), files, &Writing::new()).unwrap_err();
        assert!(entries(root.path()).is_empty());
        // A directory under a file's name stops the run before the first file appears.
        fs::create_dir(root.path().join("y")).unwrap();
        let files = vec![file("x", "1"), file("y", "2")];
        let error = write(root.path(), files, &Writing::new()).unwrap_err();
        assert!(error.to_string().contains("/y: "), "{error}");
        assert_eq!(entries(root.path()), ["y"]);
    }

    #[test]
    fn files_elsewhere_appear_with_the_others_or_not_at_all() {
        let root = tempfile::tempdir().unwrap();
        let at = |name: &str| root.path().join(name);
        let output = Output::claim(&at("out")).unwrap();
        output.write(vec![file("x", "old")], &Writing::new()).unwrap();
        fs::create_dir(at("taken")).unwrap();
        let elsewhere = |name: &str| vec![(at("new/page"), b"1".to_vec()), (at(name), b"2".to_vec())];
        for name in ["taken", "out/x/page"] {
            let written = output.write_with(vec![file("x", "new")], elsewhere(name), &Writing::new());
            assert!(written.is_err(), "{name}");
            assert!(write_elsewhere(elsewhere(name), &Writing::new()).is_err(), "{name}");
            assert_eq!(entries(root.path()), ["out", "taken"]);
            assert_eq!(fs::read_to_string(at("out/x")).unwrap(), "old");
        }
        output.write_with(vec![file("x", "new")], elsewhere("new/other"), &Writing::new()).unwrap();
        assert_eq!(entries(&at("new")), ["other", "page"]);
        assert_eq!(fs::read_to_string(at("out/x")).unwrap(), "new");
        write_elsewhere(vec![(at("a/b/page"), Vec::new())], &Writing::new()).unwrap();
        assert_eq!(entries(&at("a/b")), ["page"]);
    }

    #[cfg(unix)]
    #[test]
    fn links_stay_and_what_is_no_file_is_refused() {
        let root = tempfile::tempdir().unwrap();
        let at = |name: &str| root.path().join(name);
        fs::write(at("target"), "old").unwrap();
        std::os::unix::fs::symlink(at("target"), at("link")).unwrap();
        let _listens = std::os::unix::net::UnixListener::bind(at("socket")).unwrap();
        write(root.path(), vec![file("link", "new")], &Writing::new()).unwrap();
        assert!(at("link").is_symlink());
        assert_eq!(fs::read_to_string(at("target")).unwrap(), "new");
        let error = write(root.path(), vec![file("socket", "1")], &Writing::new()).unwrap_err().to_string();
        assert!(error.ends_with("socket: cannot be written: it is not a regular file"), "{error}");
        assert!(!at("socket").is_file());
        assert_eq!(entries(root.path()), ["link", "socket", "target"]);
    }

    #[test]
    fn what_is_stopped_while_it_is_written_leaves_nothing() {
        let root = tempfile::tempdir().unwrap();
        let writing = Writing::new();
        // The second file stops the writing once the first is complete, as a signal may.
        let stops = |_: &mut dyn Write| {
            assert_eq!(entries(&root.path().join("a")).len(), 2, "both under temporary names");
            assert!(writing.stop());
            Ok(())
        };
        let files = vec![file("x", "1"), ("y".to_owned(), Box::new(stops) as _)];
        let error = write(&root.path().join("a"), files, &writing).unwrap_err();
        assert!(matches!(error, WriteError::Stopped), "{error}");
        assert!(entries(root.path()).is_empty());
    }

    #[test]
    fn a_run_removes_the_temporary_files_of_one_that_was_killed() {
        let root = tempfile::tempdir().unwrap();
        temporary::create(root.path()).unwrap().keep().unwrap();
        assert_eq!(entries(root.path()).len(), 1);
        drop(Output::claim(root.path()).unwrap());
        assert!(entries(root.path()).is_empty());
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
        // The claim creates nothing but the directory, and removes it at the end of a run that wrote no file.
        assert!(entries(&out).is_empty());
        drop(first);
        assert!(entries(root.path()).is_empty());
        let second = Output::claim(&out).unwrap();
        second.write(vec![file("x", "1")], &Writing::new()).unwrap();
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
            let written = write(&dir, vec![file("x", "1")], &Writing::new());
            assert!(matches!(written, Err(WriteError::NotADirectory(p)) if p == path));
        }
        assert_eq!(fs::read_to_string(&path).unwrap(), "mine");
        assert_eq!(entries(root.path()), ["taken"]);
    }
}
