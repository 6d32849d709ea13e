//! The files that a run writes, none of which its scene may read.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use anyhow::anyhow;

use crate::errors::of_flag;
use closefit_scene::read::{Disk, Files, Found};

/// A file that a run writes.
#[derive(Clone, Debug)]
pub struct WrittenFile {
    /// The flag that names it, with its value.
    pub flag: String,
    /// Its path, from the root and without links.
    pub path: PathBuf,
}

/// The files of the system, which notices that a scene reads a file that the run writes.
pub struct Watched<'a> {
    written: &'a [WrittenFile],
    read: OnceLock<&'a WrittenFile>,
}

impl<'a> Watched<'a> {
    pub fn of(written: &'a [WrittenFile]) -> Self {
        Self { written, read: OnceLock::new() }
    }

    /// Refuses a run whose scene has read a file that the run writes.
    pub fn refuse(&self) -> anyhow::Result<()> {
        match self.read.get() {
            None => Ok(()),
            Some(file) => Err(of_flag(anyhow!("the run reads this file: choose another"), &file.flag)),
        }
    }
}

impl Files for Watched<'_> {
    fn look(&self, path: &Path) -> io::Result<Found> {
        Disk.look(path)
    }

    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        if !self.written.is_empty()
            && let Ok(path) = path.canonicalize()
            && let Some(file) = self.written.iter().find(|file| file.path == path)
        {
            let _ = self.read.set(file);
        }
        Disk.read(path)
    }

    fn canonical(&self, path: &Path) -> io::Result<PathBuf> {
        Disk.canonical(path)
    }

    fn are_on_disk(&self) -> bool {
        true
    }

    fn is_link(&self, path: &Path) -> bool {
        Disk.is_link(path)
    }
}
