//! A list of scenes to check: a line of JSON for each, read one at a time, so that memory does not grow with
//! their number.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;

use crate::error::JobError;

/// The most bytes of a line.
const LONGEST: u64 = 1 << 20;

/// A list of scenes.
pub struct SceneList {
    path: PathBuf,
    lines: BufReader<File>,
}

/// A row of a list.
#[derive(Debug)]
pub struct ListedScene {
    /// The id, a text or a number, if it has one.
    pub id: Option<Value>,
    /// The files, or the reason in one line why the row cannot be asked.
    pub files: Result<ListedFiles, String>,
}

/// The files of a row, relative to where the list is.
#[derive(Debug, PartialEq)]
pub struct ListedFiles {
    /// The files of the scene, of which there is at least one.
    pub scene: Vec<PathBuf>,
    /// The rules file.
    pub rules: Option<PathBuf>,
    /// The directory for the files of the check.
    pub out: Option<PathBuf>,
}

/// A row as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    id: Option<Value>,
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
        Ok(Self { path: path.to_owned(), lines: BufReader::new(file) })
    }

    /// Returns the next row, or none at the end. Blank lines are none.
    ///
    /// # Errors
    /// [`JobError::File`] if the file can no longer be read.
    pub fn next_row(&mut self) -> Result<Option<ListedScene>, JobError> {
        loop {
            let line = next_line(&mut self.lines).map_err(|error| refused(&self.path, &error))?;
            match line {
                Line::End => return Ok(None),
                Line::Long => {
                    let files = Err(format!("the line has more than {LONGEST} bytes"));
                    return Ok(Some(ListedScene { id: None, files }));
                }
                Line::Whole(line) if line.trim_ascii().is_empty() => {}
                Line::Whole(line) => return Ok(Some(self.row(line.trim_ascii_end()))),
            }
        }
    }

    fn row(&self, line: &[u8]) -> ListedScene {
        match serde_json::from_slice(line) {
            Ok(Written { id: Some(id), .. }) if !is_id(&id) => {
                ListedScene { id: None, files: Err(format!("id: {id} is neither a text nor a number")) }
            }
            Ok(Written { scene, .. }) if scene.is_empty() => {
                ListedScene { id: id_of(line), files: Err("scene: it names no file".to_owned()) }
            }
            Ok(Written { id, scene, rules, out }) => {
                let folder = self.path.parent().unwrap_or(Path::new(""));
                let beside = |path: PathBuf| folder.join(path);
                let scene = scene.into_iter().map(beside).collect();
                let files = ListedFiles { scene, rules: rules.map(beside), out: out.map(beside) };
                ListedScene { id, files: Ok(files) }
            }
            Err(error) => ListedScene { id: id_of(line), files: Err(in_column(&error)) },
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

fn is_id(value: &Value) -> bool {
    value.is_string() || value.is_number()
}

/// Returns the id of a row that has something else wrong.
fn id_of(line: &[u8]) -> Option<Value> {
    let row: Value = serde_json::from_slice(line).ok()?;
    row.get("id").filter(|id| is_id(id)).cloned()
}

/// Returns an error about a line with its column alone: it is always line 1 of its own.
fn in_column(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.split(" at line ").next().map_or_else(String::new, |why| format!("column {}: {why}", error.column()))
}

fn refused(path: &Path, error: &io::Error) -> JobError {
    JobError::File { file: path.display().to_string(), why: format!("cannot be read: {error}") }
}
