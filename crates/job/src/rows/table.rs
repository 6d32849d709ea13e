//! Tables of rows: CSV with a header, read a few rows at a time, so that memory does not grow with their
//! number.

use std::fs::File;
use std::path::Path;

use crate::error::JobError;
use csv::{ByteRecord, Reader, ReaderBuilder, Trim};

/// A table whose header has been read.
pub(super) struct Table {
    file: String,
    reader: Reader<File>,
    /// The names of the columns.
    pub columns: Vec<String>,
}

impl Table {
    /// Opens a file and reads its header.
    ///
    /// # Errors
    /// [`JobError::File`].
    pub fn open(path: &Path) -> Result<Self, JobError> {
        let file = path.display().to_string();
        let refused = |why: String| JobError::File { file: file.clone(), why };
        let open = File::open(path).map_err(|error| refused(format!("cannot be read: {error}")))?;
        let mut reader = ReaderBuilder::new().flexible(true).trim(Trim::All).from_reader(open);
        let header = reader.byte_headers().map_err(|error| refused(format!("cannot be read: {error}")))?;
        let columns: Vec<String> =
            header.iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect();
        if columns.is_empty() {
            return Err(refused("the file is empty".to_owned()));
        }
        Ok(Self { file, reader, columns })
    }

    /// Returns an error about a row of the file, in which the header is the first.
    pub fn refused(&self, row: usize, why: &str) -> JobError {
        JobError::File { file: self.file.clone(), why: format!("row {row}: {why}") }
    }

    /// Appends the next rows, up to a number of them.
    ///
    /// # Errors
    /// [`JobError::File`] if the file can no longer be read.
    pub fn read(&mut self, rows: &mut Vec<ByteRecord>, most: usize) -> Result<(), JobError> {
        while rows.len() < most {
            let mut row = ByteRecord::new();
            match self.reader.read_byte_record(&mut row) {
                Ok(true) => rows.push(row),
                Ok(false) => break,
                Err(error) => {
                    let why = format!("cannot be read: {error}");
                    return Err(JobError::File { file: self.file.clone(), why });
                }
            }
        }
        Ok(())
    }
}
