//! A list of scenes to check: a line of JSON for each, read one at a time, so that memory does not grow with
//! their number.

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::ops::Range;
use std::path::{Component, Path, PathBuf};

use serde::Deserialize;
use serde_json::value::{RawValue, to_raw_value};

use crate::error::JobError;
use crate::journal::{RowAnswer, RowJournal, of_list};

/// The most bytes of a line.
const LONGEST: u64 = 1 << 20;

/// A list of scenes.
pub struct SceneList {
    path: PathBuf,
    lines: BufReader<File>,
    /// The number of rows so far.
    rows: u64,
    /// The directories that rows write to, with the first of these rows.
    outputs: HashMap<PathBuf, u64>,
}

/// A row of a list.
#[derive(Debug)]
pub struct ListedScene {
    /// The number of rows before it.
    pub row: u64,
    /// The id as it is written, a text or a number, if it has one.
    pub id: Option<Box<RawValue>>,
    /// The files, or the reason in one line why the row cannot be checked.
    pub files: Result<ListedFiles, String>,
}

/// The files of a row, relative to where the list is.
#[derive(Debug, PartialEq)]
pub struct ListedFiles {
    /// The files of the scene, at least one.
    pub scene: Vec<PathBuf>,
    /// The rules file.
    pub rules: Option<PathBuf>,
    /// The directory for the files of the check.
    pub out: Option<PathBuf>,
}

/// A row as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object")]
struct Written {
    id: Option<Box<RawValue>>,
    scene: Vec<PathBuf>,
    rules: Option<PathBuf>,
    out: Option<PathBuf>,
}

impl SceneList {
    /// Opens a list.
    ///
    /// # Errors
    /// [`JobError::File`] if it cannot be read.
    pub fn open(path: &Path) -> Result<Self, JobError> {
        let file = File::open(path).map_err(|error| refused(path, &error))?;
        Ok(Self { path: path.to_owned(), lines: BufReader::new(file), rows: 0, outputs: HashMap::new() })
    }

    /// Begins to keep the answers of the rows. Passes those that are known to `take`, unless the run is a
    /// shard, and returns the rows that are left to be checked, in order.
    ///
    /// # Errors
    /// [`JobError::File`] if the list or the journal cannot be read, or if that is of another run.
    pub fn begin(
        &self,
        journal: &RowJournal,
        take: &mut dyn FnMut(RowAnswer) -> Result<(), JobError>,
    ) -> Result<Vec<Range<u64>>, JobError> {
        let unread = |error: io::Error| refused(&self.path, &error);
        let again = || File::open(&self.path);
        let mut hasher = blake3::Hasher::new();
        let count = match again().and_then(|file| file.metadata()).map_err(unread)?.is_file() {
            false => None,
            true => {
                hasher.update_reader(again().map_err(unread)?).map_err(unread)?;
                Some(Self::open(&self.path)?.count()?)
            }
        };
        journal.begin(of_list(hasher.finalize()), count, take)
    }

    /// Returns the number of rows that follow.
    fn count(mut self) -> Result<u64, JobError> {
        let mut count = 0;
        while self.next_line()?.is_some() {
            count += 1;
        }
        Ok(count)
    }

    /// Returns the next row, or none at the end. Blank lines are none.
    ///
    /// # Errors
    /// [`JobError::File`] if the file can no longer be read.
    pub fn next_row(&mut self) -> Result<Option<ListedScene>, JobError> {
        let row = match self.next_line()? {
            None => return Ok(None),
            Some(None) => {
                let files = Err(format!("the line has more than {LONGEST} bytes"));
                ListedScene { row: self.rows, id: None, files }
            }
            Some(Some(line)) => self.row(line.trim_ascii_end()),
        };
        self.rows += 1;
        Ok(Some(self.with_own_output(row)))
    }

    /// Refuses a row that would overwrite the files of another one, even if that has written none: whether it
    /// has may be known on another machine only.
    fn with_own_output(&mut self, mut row: ListedScene) -> ListedScene {
        if let Ok(ListedFiles { out: Some(out), .. }) = &row.files {
            // Where there is no working directory, no file can be written either.
            let whole = std::path::absolute(out).unwrap_or_else(|_| out.clone());
            let first = *self.outputs.entry(shortest(&whole)).or_insert(row.row);
            if first != row.row {
                row.files = Err(format!("out: row {first} has the same"));
            }
        }
        row
    }

    /// Returns the next line that is not blank, without contents if it is too long.
    fn next_line(&mut self) -> Result<Option<Option<Vec<u8>>>, JobError> {
        loop {
            match next_line(&mut self.lines).map_err(|error| refused(&self.path, &error))? {
                Line::End => return Ok(None),
                Line::Long => return Ok(Some(None)),
                Line::Whole(line) if line.trim_ascii().is_empty() => {}
                Line::Whole(line) => return Ok(Some(Some(line))),
            }
        }
    }

    fn row(&self, line: &[u8]) -> ListedScene {
        let row = self.rows;
        // Some editors begin a text with a mark.
        let unmarked = line.strip_prefix("\u{feff}".as_bytes()).filter(|_| row == 0);
        let line = unmarked.unwrap_or(line);
        let Written { id, scene, rules, out } = match serde_json::from_slice(line) {
            Ok(written) => written,
            Err(error) => return ListedScene { row, id: id_of(line), files: Err(in_column(&error)) },
        };
        match id.map(|id| id_as_written(&id)).transpose() {
            Err(why) => ListedScene { row, id: None, files: Err(why) },
            Ok(id) if scene.is_empty() => {
                ListedScene { row, id, files: Err("scene: it names no file".to_owned()) }
            }
            Ok(id) => {
                let folder = self.path.parent().unwrap_or(Path::new(""));
                let beside = |path: PathBuf| folder.join(path);
                let scene = scene.into_iter().map(beside).collect();
                let files = ListedFiles { scene, rules: rules.map(beside), out: out.map(beside) };
                ListedScene { row, id, files: Ok(files) }
            }
        }
    }
}

/// A line of a list.
enum Line {
    Whole(Vec<u8>),
    /// Longer than any row, and passed over.
    Long,
    End,
}

fn next_line(lines: &mut impl BufRead) -> io::Result<Line> {
    let mut line = Vec::new();
    lines.by_ref().take(LONGEST + 1).read_until(b'\n', &mut line)?;
    if line.is_empty() {
        return Ok(Line::End);
    }
    if line.len() as u64 <= LONGEST || line.ends_with(b"\n") {
        return Ok(Line::Whole(line));
    }
    lines.skip_until(b'\n')?;
    Ok(Line::Long)
}

/// Returns an id for the answer: a text, or a number with all of its digits, which may be more than a number
/// of any type has.
fn id_as_written(id: &RawValue) -> Result<Box<RawValue>, String> {
    match id.get().as_bytes() {
        [b'"', ..] => {
            let text: Result<String, _> = serde_json::from_str(id.get());
            text.and_then(|text| to_raw_value(&text)).map_err(|_| format!("id: {id} is not a text"))
        }
        [b'-' | b'0'..=b'9', ..] => Ok(id.to_owned()),
        _ => Err(format!("id: {id} is neither a text nor a number")),
    }
}

/// Returns the id of a row that has something else wrong.
fn id_of(line: &[u8]) -> Option<Box<RawValue>> {
    let row: BTreeMap<String, Box<RawValue>> = serde_json::from_slice(line).ok()?;
    id_as_written(row.get("id")?).ok()
}

/// Returns an error about a line with its column alone: it is always line 1 of its own.
fn in_column(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.split(" at line ").next().map_or_else(String::new, |why| format!("column {}: {why}", error.column()))
}

fn refused(path: &Path, error: &io::Error) -> JobError {
    JobError::File { file: path.display().to_string(), why: format!("cannot be read: {error}") }
}

/// Returns a path without what leads nowhere: `.`, and a folder before `..`, whether or not it is a link.
fn shortest(path: &Path) -> PathBuf {
    let mut shortest = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir
                if matches!(shortest.components().next_back(), Some(Component::Normal(_))) =>
            {
                shortest.pop();
            }
            _ => shortest.push(component),
        }
    }
    shortest
}
