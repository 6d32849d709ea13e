//! Temporary files that become files which several users read.

use std::io;
use std::path::Path;

use tempfile::NamedTempFile;

/// Creates a temporary file in a directory, with the permissions of any other new file instead of private
/// ones, but never such that anyone may write to it.
pub fn shared(dir: &Path) -> io::Result<NamedTempFile> {
    #[cfg(unix)]
    {
        use std::fs::Permissions;
        use std::os::unix::fs::PermissionsExt;
        tempfile::Builder::new().permissions(Permissions::from_mode(0o664)).tempfile_in(dir)
    }
    #[cfg(not(unix))]
    NamedTempFile::new_in(dir)
}
