//! The files that a run writes, none of which its scene may read.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use anyhow::anyhow;

use crate::errors::of_flag;
use closefit_scene::read::{Disk, Files, Found};

/// The files that a check, a sweep or a batch writes to its directory.
pub const OF_RUNS: [&str; 11] = [
    "certificate.json",
    "diff.json",
    "disagreement/scene.json",
    "intervals.csv",
    "issues.csv",
    "pairs.csv",
    "plan.json",
    "report.json",
    "rows.jsonl",
    "run.json",
    "trace.csv",
];

/// A file that a run writes.
#[derive(Clone, Debug)]
pub struct WrittenFile {
    /// The flag that names it, with its value.
    pub flag: String,
    /// Its path, from the root and without links.
    pub path: PathBuf,
}

impl WrittenFile {
    /// Returns the files that the check of a row may write to its directory.
    pub fn of_row(out: &Path) -> impl Iterator<Item = Self> {
        let file =
            |path: PathBuf| Some(Self { flag: format!("out {}", path.display()), path: file_at(&path)? });
        OF_RUNS.iter().filter_map(move |name| file(out.join(name)))
    }
}

/// Returns where a path leads, if a file is there or could be: without links, and from the root.
pub fn file_at(path: &Path) -> Option<PathBuf> {
    if let Ok(file) = path.canonicalize() {
        return file.is_file().then_some(file);
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    Some(folder.canonicalize().unwrap_or_else(|_| folder.to_owned()).join(path.file_name()?))
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

    /// Notes that the run reads a file.
    pub fn reads(&self, path: &Path) {
        if !self.written.is_empty()
            && let Ok(path) = path.canonicalize()
            && let Some(file) = self.written.iter().find(|file| file.path == path)
        {
            let _ = self.read.set(file);
        }
    }

    /// Refuses a run that has read a file that it writes.
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
        self.reads(path);
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
