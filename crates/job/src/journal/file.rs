//! Writes a rows file while its pairs are decided.
//!
//! Records wait in memory until there is a batch of them, and are synced after each [`INTERVAL`], so a kill
//! loses the work of a few seconds. A run that ends before needs no file.

use closefit_geometry::clock::Instant;
use std::fs::{self, File, TryLockError};
use std::io::{self, BufReader, ErrorKind, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::attempt::Attempt;
use super::format::{Contents, Header, Place, Unread, encoded};
use crate::error::JobError;

/// The time between two syncs, and the time before a file is made at all.
const INTERVAL: Duration = Duration::from_secs(5);

/// Bytes of records that are written together.
const BATCH: usize = 1 << 16;

/// Bytes of records for which a file is made sooner, so that few wait.
const MOST: usize = 1 << 21;

/// A rows file that is written, or will be once there is a reason to.
#[derive(Debug)]
pub struct Writer {
    path: PathBuf,
    /// The file, locked, once there is one.
    file: Option<File>,
    /// The header with which it begins, once it is known.
    header: Option<Header>,
    /// The place after all blocks that are whole; the beginning of the file if it has no header yet.
    whole: Place,
    /// Records that are not in the file yet, and their number.
    waiting: Vec<u8>,
    records: u64,
    /// The block with the pairs in progress, if the file does not have it yet.
    note: Vec<u8>,
    /// The time of the last sync, or of the start.
    synced: Instant,
}

impl Writer {
    /// A writer of a file that does not exist yet.
    pub fn new(path: &Path, started: Instant) -> Self {
        Self {
            path: path.to_owned(),
            file: None,
            header: None,
            whole: Place::default(),
            waiting: Vec::new(),
            records: 0,
            note: Vec::new(),
            synced: started,
        }
    }

    /// Opens a journal to resume, if there is one; `discard` ignores its contents.
    ///
    /// # Errors
    /// [`JobError::File`] if another run has it, or if it cannot be read.
    pub fn open(path: &Path, started: Instant, discard: bool) -> Result<(Self, Option<Contents>), JobError> {
        let mut new = Self::new(path, started);
        let file = match File::options().read(true).write(true).open(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok((new, None)),
            opened => opened.map_err(|error| new.refused("opened", error))?,
        };
        new.lock(&file)?;
        let found = if discard { Ok(None) } else { Contents::read(BufReader::new(&file)) };
        let found = found.map_err(|unread| match unread {
            Unread::Io(error) => new.refused("read", error),
            why => new.unfit(format!("{why}: --restart")),
        })?;
        new.file = Some(file);
        Ok((new, found))
    }

    /// Keeps other runs from the file until this one ends.
    fn lock(&self, file: &File) -> Result<(), JobError> {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => Err(self.in_use()),
            // A system that cannot lock files cannot run two at once by mistake only.
            Ok(()) | Err(TryLockError::Error(_)) => Ok(()),
        }
    }

    fn in_use(&self) -> JobError {
        self.unfit("another run is writing there: wait for it".to_owned())
    }

    fn refused(&self, done: &str, error: io::Error) -> JobError {
        self.unfit(format!("cannot be {done}: {error}"))
    }

    fn unfit(&self, why: String) -> JobError {
        JobError::File { file: self.path.display().to_string(), why }
    }

    /// Begins with a header, at a place of the file up to which it is whole.
    pub fn begin(&mut self, header: &Header, whole: Place) {
        (self.header, self.whole) = (Some(header.clone()), whole);
    }

    /// Takes a record. Returns the file if it is to be synced, which takes a while.
    ///
    /// # Errors
    /// [`JobError::File`] if it cannot be written.
    pub fn keep(&mut self, record: &[u8]) -> Result<Option<File>, JobError> {
        self.waiting.extend_from_slice(record);
        self.records += 1;
        let is_due = self.synced.elapsed() >= INTERVAL;
        if is_due || self.waiting.len() >= if self.has_header() { BATCH } else { MOST } {
            self.write()?;
        }
        if !is_due {
            return Ok(None);
        }
        self.synced = Instant::now();
        Ok(self.file.as_ref().and_then(|file| file.try_clone().ok()))
    }

    /// Records the pairs in progress, so a crash can be blamed on them. A run that ends before there is a
    /// file leaves nothing.
    ///
    /// # Errors
    /// [`JobError::File`] if it cannot be written.
    pub fn note(&mut self, attempt: &Attempt) -> Result<(), JobError> {
        self.note = encoded(attempt);
        if self.has_header() { self.write() } else { Ok(()) }
    }

    fn has_header(&self) -> bool {
        self.whole != Place::default()
    }

    /// Writes what waits, and makes the file if there is none. After a failure the file is as before.
    ///
    /// # Errors
    /// [`JobError::File`].
    pub fn write(&mut self) -> Result<(), JobError> {
        if self.file.is_none() {
            self.create()?;
        }
        let Some(mut file) = self.file.as_ref() else { return Ok(()) };
        let mut append = || {
            let mut place = self.whole;
            file.set_len(place.at)?;
            file.seek(SeekFrom::Start(place.at))?;
            if let Some(header) = self.header.as_ref().filter(|_| !self.has_header()) {
                place = header.write(&mut file)?;
            }
            if self.records > 0 {
                place = place.write(&mut file, self.records, &self.waiting)?;
            }
            if !self.note.is_empty() {
                place = place.write(&mut file, 0, &self.note)?;
            }
            Ok(place)
        };
        match append() {
            Ok(end) => {
                self.whole = end;
                self.waiting.clear();
                self.waiting.shrink_to(BATCH);
                self.note.clear();
                self.records = 0;
                Ok(())
            }
            Err(error) => {
                // What is left of the block is cut when it is read.
                let _ = file.set_len(self.whole.at);
                Err(self.refused("written", error))
            }
        }
    }

    /// Makes the file, and its directory.
    fn create(&mut self) -> Result<(), JobError> {
        let dir = self.path.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(dir).map_err(|error| self.refused("written", error))?;
        let made = File::options().read(true).write(true).create_new(true).open(&self.path);
        let file = made.map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists => self.in_use(),
            _ => self.refused("written", error),
        })?;
        self.lock(&file)?;
        self.file = Some(file);
        Ok(())
    }

    /// Writes what waits, and puts all on the disk.
    ///
    /// # Errors
    /// [`JobError::File`].
    pub fn sync(&mut self) -> Result<(), JobError> {
        self.write()?;
        let synced = self.file.as_ref().map_or(Ok(()), File::sync_data);
        synced.map_err(|error| self.refused("written", error))
    }

    /// Removes the file.
    ///
    /// # Errors
    /// [`JobError::File`].
    pub fn remove(&mut self) -> Result<(), JobError> {
        // It is locked until it is gone.
        let Some(_file) = self.file.take() else { return Ok(()) };
        fs::remove_file(&self.path).map_err(|error| self.refused("removed", error))
    }
}
