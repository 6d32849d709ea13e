//! Temporary files next to the files they become, and the removal of temporary files that a killed run has
//! left behind.
//!
//! A run locks each of its temporary files. The lock ends with the process, however that ends, so a temporary
//! file that nobody has locked belongs to nobody.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::Path;

use tempfile::NamedTempFile;

/// The start of the name of a temporary file. As many letters and digits follow as [`RANDOM`] says.
const PREFIX: &str = ".closefit-";
const RANDOM: usize = 6;

/// Creates a locked temporary file with the permissions of any other new file, instead of the private ones
/// that temporary files usually get.
pub(super) fn create(dir: &Path) -> io::Result<NamedTempFile> {
    let mut code = None;
    let create = |path: &Path| {
        let opened = File::options().write(true).create_new(true).open(path);
        let file = opened.inspect_err(|error| code = error.raw_os_error())?;
        // Another run may have locked it before, to remove it. Then another name is tried.
        let is_taken = matches!(file.try_lock(), Err(TryLockError::WouldBlock)) || !is_at(&file, path);
        if is_taken { Err(io::ErrorKind::AlreadyExists.into()) } else { Ok(file) }
    };
    let made = tempfile::Builder::new().prefix(PREFIX).rand_bytes(RANDOM).make_in(dir, create);
    // The error names the temporary file, which means nothing to the user; the system's own does not.
    made.map_err(|error| code.map_or_else(|| error.kind().into(), io::Error::from_raw_os_error))
}

/// Removes the temporary files that no run writes any more. Failure is ignored, since they do no harm.
pub(super) fn remove_left_behind(dir: &Path) {
    let Ok(entries) = fs::read_dir(dir) else { return };
    for entry in entries.flatten() {
        let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
        if is_file && entry.file_name().to_str().is_some_and(is_name) {
            remove_if_unlocked(&entry.path());
        }
    }
}

fn remove_if_unlocked(path: &Path) {
    if let Ok(file) = File::options().write(true).open(path)
        && file.try_lock().is_ok()
    {
        let _ = fs::remove_file(path);
    }
}

fn is_name(name: &str) -> bool {
    let random = name.strip_prefix(PREFIX).unwrap_or_default();
    random.len() == RANDOM && random.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// True while the opened file or directory is still the one at this path.
#[cfg(unix)]
pub(super) fn is_at(handle: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let id = |metadata: &fs::Metadata| (metadata.dev(), metadata.ino());
    matches!((handle.metadata(), fs::metadata(path)), (Ok(a), Ok(b)) if id(&a) == id(&b))
}

#[cfg(not(unix))]
pub(super) fn is_at(_: &File, _: &Path) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_nobody_writes_is_removed() {
        let root = tempfile::tempdir().unwrap();
        let at = |name: &str| root.path().join(name);
        let written = create(root.path()).unwrap();
        let (_, left) = create(root.path()).unwrap().keep().unwrap(); // its lock has ended
        let others = [
            ".closefit-notes",
            ".closefit-abcde/",
            ".closefit-abcdefg",
            ".closefit-abc.ef",
            "closefit-abcdef",
        ];
        for name in others {
            match name.strip_suffix('/') {
                Some(name) => fs::create_dir(at(name)).unwrap(),
                None => fs::write(at(name), "mine").unwrap(),
            }
        }
        fs::create_dir(at(".closefit-dirdir")).unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink(at(".closefit-notes"), at(".closefit-abclnk")).unwrap();
        let before = fs::read_dir(root.path()).unwrap().count();
        remove_left_behind(root.path());
        assert!(!left.exists() && written.path().exists());
        assert_eq!(fs::read_dir(root.path()).unwrap().count(), before - 1);
    }

    #[cfg(unix)]
    #[test]
    fn errors_are_those_of_the_system() {
        let root = tempfile::tempdir().unwrap();
        let error = create(&root.path().join("n".repeat(300))).unwrap_err();
        assert!(error.raw_os_error().is_some(), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn permissions_are_those_of_any_new_file() {
        use std::os::unix::fs::PermissionsExt;
        let root = tempfile::tempdir().unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode();
        fs::write(root.path().join("other"), "").unwrap();
        let file = create(root.path()).unwrap();
        assert_eq!(mode(file.path()), mode(&root.path().join("other")));
    }
}
