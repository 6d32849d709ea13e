//! Tables of rows: CSV with a header, read a few rows at a time, so that memory does not grow with their
//! number.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use crate::error::JobError;
use csv::{ByteRecord, Reader, ReaderBuilder, Trim};

/// The most bytes of a number of 64 bits that is written in full and no longer than needed.
const NUMBER: usize = 24;

/// The most bytes for which there is room before a row is read.
const LONGEST: usize = 1 << 12;

/// A table whose header has been read. Spaces around the cells of its rows are left in place.
pub(super) struct Table {
    path: PathBuf,
    reader: Reader<File>,
    /// The next row, if it has been read ahead.
    next: Option<ByteRecord>,
    /// True if there is no row.
    is_empty: bool,
    /// The names of the columns.
    pub columns: Vec<String>,
}

impl Table {
    /// Opens a file and reads its header.
    ///
    /// # Errors
    /// [`JobError::File`].
    pub fn open(path: &Path) -> Result<Self, JobError> {
        let refused = |why: String| JobError::File { file: path.display().to_string(), why };
        let open = File::open(path).map_err(|error| refused(format!("cannot be read: {error}")))?;
        let mut reader = ReaderBuilder::new().flexible(true).trim(Trim::Headers).from_reader(open);
        let header = reader.byte_headers().map_err(|error| refused(format!("cannot be read: {error}")))?;
        let columns: Vec<String> =
            header.iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect();
        if columns.is_empty() {
            return Err(refused("the file is empty".to_owned()));
        }
        let mut table = Self { path: path.to_owned(), reader, next: None, is_empty: false, columns };
        let mut first = ByteRecord::new();
        table.is_empty = !table.next_row(&mut first)?;
        table.next = Some(first).filter(|_| !table.is_empty);
        Ok(table)
    }

    /// True if the file has a header and nothing else.
    pub fn is_empty(&self) -> bool {
        self.is_empty
    }

    /// Returns the file's name.
    pub fn name(&self) -> String {
        self.path.display().to_string()
    }

    /// Returns an error about the header.
    pub fn refused_header(&self, why: &str) -> JobError {
        self.unfit(format!("the header: {why}"))
    }

    /// Returns an error about the file.
    pub fn unfit(&self, why: String) -> JobError {
        JobError::File { file: self.path.display().to_string(), why }
    }

    fn unread(&self, error: &dyn std::fmt::Display) -> JobError {
        self.unfit(format!("cannot be read: {error}"))
    }

    /// Returns the number of rows of the whole file, and its hash. `None` if it can be read only once, as a
    /// pipe.
    ///
    /// # Errors
    /// [`JobError::File`] if it cannot be read.
    pub fn counted(&self) -> Result<Option<(u64, blake3::Hash)>, JobError> {
        let again = || File::open(&self.path);
        let unread = |error: io::Error| self.unread(&error);
        if !again().and_then(|file| file.metadata()).map_err(unread)?.is_file() {
            return Ok(None);
        }
        let mut hasher = blake3::Hasher::new();
        hasher.update_reader(again().map_err(unread)?).map_err(unread)?;
        let mut whole = Self::open(&self.path)?;
        let mut count = 0;
        let mut row = ByteRecord::new();
        while whole.next_row(&mut row)? {
            count += 1;
        }
        Ok(Some((count, hasher.finalize())))
    }

    /// Passes over the next rows.
    ///
    /// # Errors
    /// [`JobError::File`] if the file can no longer be read.
    pub fn skip(&mut self, rows: u64) -> Result<(), JobError> {
        let mut row = ByteRecord::new();
        for _ in 0..rows {
            if !self.next_row(&mut row)? {
                break;
            }
        }
        Ok(())
    }

    /// Appends the next rows, up to a number of them.
    ///
    /// # Errors
    /// [`JobError::File`] if the file can no longer be read.
    pub fn read(&mut self, rows: &mut Vec<ByteRecord>, most: usize) -> Result<(), JobError> {
        let fields = self.columns.len();
        let mut longest = NUMBER * fields;
        while rows.len() < most {
            let mut row = ByteRecord::with_capacity(longest.min(LONGEST), fields + 1);
            if !self.next_row(&mut row)? {
                break;
            }
            longest = longest.max(row.as_slice().len());
            rows.push(row);
        }
        Ok(())
    }

    /// Reads the next row. Returns false at the end.
    fn next_row(&mut self, row: &mut ByteRecord) -> Result<bool, JobError> {
        if let Some(next) = self.next.take() {
            *row = next;
            return Ok(true);
        }
        let read = self.reader.read_byte_record(row);
        read.map_err(|error| self.unread(&error))
    }
}
