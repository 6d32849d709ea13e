//! The records of pairs that were decided before, by the ids of their parts.

use std::ops::Range;

use closefit::{KnownPair, MovingPairRecord, PairRecord, PartId, Verdict};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::format::Entry;

/// A record that a rows file keeps.
pub trait JournalRecord: Serialize + DeserializeOwned {
    /// Returns the two parts.
    fn ids(&self) -> [PartId; 2];
    /// Returns the verdict.
    fn verdict(&self) -> Verdict;
}

impl JournalRecord for PairRecord {
    fn ids(&self) -> [PartId; 2] {
        self.ids
    }

    fn verdict(&self) -> Verdict {
        self.verdict
    }
}

impl JournalRecord for MovingPairRecord {
    fn ids(&self) -> [PartId; 2] {
        self.ids
    }

    fn verdict(&self) -> Verdict {
        self.verdict
    }
}

/// Records as bytes, each once, sorted by ids. They take less memory than the records.
#[derive(Debug, Default)]
pub struct Known {
    /// The entries of each file.
    files: Vec<Vec<u8>>,
    /// The ids of each pair, and the file and the place of its record there.
    places: Vec<([PartId; 2], usize, Range<usize>)>,
}

impl Known {
    /// Finds the entries of some files. A pair may be there twice with equal ones.
    ///
    /// # Errors
    /// A reason in words.
    pub fn read(files: Vec<Vec<u8>>) -> Result<Self, String> {
        let mut places = Vec::new();
        for (file, bytes) in files.iter().enumerate() {
            let mut rest = &bytes[..];
            while !rest.is_empty() {
                let (entry, after) = Entry::first_of(rest).ok_or("a record cannot be read")?;
                let end = bytes.len() - after.len();
                places.push((entry.ids, file, end - entry.record.len()..end));
                rest = after;
            }
        }
        places.sort_by_key(|(ids, ..)| *ids);
        let mut all_equal = Ok(());
        places.dedup_by(|(ids, file, place), (other, first_file, first)| {
            let is_same = ids == other;
            if is_same && files[*file][place.clone()] != files[*first_file][first.clone()] {
                let [a, b] = ids.map(|id| id.0);
                all_equal = Err(format!("the pair {a}, {b} is there twice, with different rows"));
            }
            is_same
        });
        all_equal.map(|()| Self { files, places })
    }

    /// Returns the number of pairs.
    pub fn len(&self) -> u64 {
        self.places.len() as u64
    }

    /// True if a pair is known.
    pub fn has(&self, pair: [PartId; 2]) -> bool {
        self.place(pair).is_ok()
    }

    /// Returns the number of known pairs before one, in the order of ids.
    pub fn before(&self, pair: [PartId; 2]) -> u64 {
        self.place(pair).unwrap_or_else(|place| place) as u64
    }

    /// Returns what is known of a pair, or `None` if it is not known.
    ///
    /// # Errors
    /// A reason in words for a record that cannot be read, or is of another pair.
    pub fn get<R: JournalRecord>(&self, pair: [PartId; 2]) -> Result<Option<KnownPair<R>>, &'static str> {
        let Ok(place) = self.place(pair) else { return Ok(None) };
        let (_, file, place) = &self.places[place];
        match &self.files[*file][place.clone()] {
            [] => Ok(Some(KnownPair::Clear)),
            record => match postcard::from_bytes::<R>(record) {
                Ok(record) if record.ids() == pair => Ok(Some(KnownPair::Listed(record))),
                _ => Err("a record cannot be read"),
            },
        }
    }

    fn place(&self, pair: [PartId; 2]) -> Result<usize, usize> {
        self.places.binary_search_by_key(&pair, |(ids, ..)| *ids)
    }
}
