//! The plan of a run in shards: what every one of them has to agree about, and how the run is repeated when
//! they are merged. Whichever shard comes first writes it.

use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::Path;

use closefit_geometry::text::printable;
use serde::{Deserialize, Serialize};

use super::format::Header;
use super::shard::{Items, Shard};
use crate::error::JobError;
use crate::temporary;

/// The name of the file.
const FILE: &str = "plan.json";

/// The version of its format.
const VERSION: u32 = 1;

/// The plan of a run in shards.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub struct Plan {
    closefit_plan: u32,
    /// The arguments of the run, without those about shards.
    pub arguments: Vec<String>,
    /// Hash of the settings.
    run: String,
    /// Everything on which an answer depends: names and values.
    settings: Vec<(String, String)>,
    /// The things that shards share.
    pub items: Items,
    /// The number of them.
    count: u64,
    /// The number of shards.
    pub shards: u32,
    /// The number of chunks that they share.
    chunks: u64,
}

impl Plan {
    /// The plan of a run.
    pub(super) fn of(header: &Header, shard: Shard, arguments: Vec<String>) -> Self {
        let &Header { ref settings, items, count, .. } = header;
        Self {
            closefit_plan: VERSION,
            arguments,
            run: run_key(settings),
            settings: settings.clone(),
            items,
            count,
            shards: shard.of(),
            chunks: shard.chunks(count),
        }
    }

    /// Returns the header of a rows file of one of its shards.
    pub(super) fn header(&self, shard: Option<Shard>) -> Header {
        Header { settings: self.settings.clone(), items: self.items, count: self.count, shard }
    }

    /// Returns the number of its items.
    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// Writes the plan into a directory, if it has none, or else compares the two.
    ///
    /// # Errors
    /// [`JobError::File`] if that is the plan of another run, or has another number of shards.
    pub(super) fn join(&self, dir: &Path) -> Result<(), JobError> {
        let refused = |why: String| JobError::File { file: dir.join(FILE).display().to_string(), why };
        if let Some(found) = Self::read(dir)? {
            return self.compare(&found).map_err(refused);
        }
        // The errors of the wrapper would name the temporary file.
        let mut file = temporary::shared(dir).map_err(|error| refused(unwritten(&error.kind().into())))?;
        let mut text = serde_json::to_vec_pretty(self).expect("keys are strings");
        text.push(b'\n');
        let written = file.as_file_mut().write_all(&text).and_then(|()| file.as_file().sync_all());
        written.map_err(|error| refused(unwritten(&error)))?;
        match file.persist_noclobber(dir.join(FILE)) {
            Ok(_) => Ok(()),
            Err(error) if error.error.kind() == ErrorKind::AlreadyExists => match Self::read(dir)? {
                Some(found) => self.compare(&found).map_err(refused),
                None => Err(refused(unwritten(&error.error))),
            },
            Err(error) => Err(refused(unwritten(&error.error))),
        }
    }

    /// Refuses the plan of another run, or with another number of shards.
    fn compare(&self, found: &Self) -> Result<(), String> {
        self.same_run(found)?;
        match (found.shards, self.shards) {
            (of, own) if of == own => Ok(()),
            (of, own) => Err(format!("it is of {of} shards, not {own}: use another directory")),
        }
    }

    fn same_run(&self, found: &Self) -> Result<(), String> {
        match self.header(None).difference(&found.header(None)) {
            Some(difference) => Err(format!("it is of another run: {difference}")),
            None => Ok(()),
        }
    }

    /// Refuses a directory with the plan of another run.
    ///
    /// # Errors
    /// [`JobError::File`].
    pub(super) fn refuse_other_run(&self, found: &Self, dir: &Path) -> Result<(), JobError> {
        let file = || dir.join(FILE).display().to_string();
        self.same_run(found).map_err(|why| JobError::File { file: file(), why })
    }

    /// Reads the plan of a directory; `None` if it has none.
    ///
    /// # Errors
    /// [`JobError::File`] if it cannot be read.
    pub fn read(dir: &Path) -> Result<Option<Self>, JobError> {
        let path = dir.join(FILE);
        let refused = |why: String| JobError::File { file: path.display().to_string(), why };
        let text = match fs::read(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            read => read.map_err(|error| refused(format!("cannot be read: {error}")))?,
        };
        let plan: Self =
            serde_json::from_slice(&text).map_err(|error| refused(printable(&error.to_string())))?;
        if plan.closefit_plan != VERSION {
            return Err(refused(format!("closefit_plan is {}, and not {VERSION}", plan.closefit_plan)));
        }
        let is_whole = Shard::new(1, plan.shards).is_ok_and(|shard| shard.chunks(plan.count) == plan.chunks);
        if !is_whole || run_key(&plan.settings) != plan.run {
            return Err(refused("it has been changed: run, shards or chunks do not fit".to_owned()));
        }
        Ok(Some(plan))
    }
}

fn unwritten(error: &io::Error) -> String {
    format!("cannot be written: {error}")
}

/// Returns the key of a run: the hash of its settings.
fn run_key(settings: &[(String, String)]) -> String {
    let mut hasher = blake3::Hasher::new();
    for text in settings.iter().flat_map(|(name, value)| [name, value]) {
        hasher.update(&(text.len() as u64).to_le_bytes()).update(text.as_bytes());
    }
    hasher.finalize().to_hex().to_string()
}
