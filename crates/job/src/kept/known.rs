//! The records of pairs that were decided before, by the ids of their parts.

use std::ops::Range;

use closefit::{MovingPairRecord, PairRecord, PartId, Settled, Verdict};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::format::{Entry, first_entry};

/// A record that a rows file keeps.
pub trait KeptRecord: Serialize + DeserializeOwned {
    /// Returns the two parts.
    fn ids(&self) -> [PartId; 2];
    /// Returns the verdict.
    fn verdict(&self) -> Verdict;
}

impl KeptRecord for PairRecord {
    fn ids(&self) -> [PartId; 2] {
        self.ids
    }

    fn verdict(&self) -> Verdict {
        self.verdict
    }
}

impl KeptRecord for MovingPairRecord {
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
    bytes: Vec<u8>,
    /// The ids of each pair, and the place of its entry.
    places: Vec<([PartId; 2], Range<usize>)>,
}

impl Known {
    /// Reads records, one after the other. A pair may be there twice with equal ones.
    ///
    /// # Errors
    /// A reason in words.
    pub fn read<R: KeptRecord>(bytes: Vec<u8>) -> Result<Self, String> {
        let (mut places, mut rest) = (Vec::new(), &bytes[..]);
        while !rest.is_empty() {
            let (entry, after) = first_entry::<R>(rest).ok_or("a record cannot be read")?;
            let ids = match &entry {
                Entry::Clear(ids) => *ids,
                Entry::Listed(record) => record.ids(),
            };
            places.push((ids, bytes.len() - rest.len()..bytes.len() - after.len()));
            rest = after;
        }
        places.sort_by_key(|(ids, _)| *ids);
        let mut all_equal = Ok(());
        places.dedup_by(|(ids, place), (other, first)| {
            let is_same = ids == other;
            if is_same && bytes[place.clone()] != bytes[first.clone()] {
                let [a, b] = ids.map(|id| id.0);
                all_equal = Err(format!("the pair {a}, {b} is there twice, with different rows"));
            }
            is_same
        });
        all_equal.map(|()| Self { bytes, places })
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

    /// Returns what is known of a pair.
    pub fn get<R: KeptRecord>(&self, pair: [PartId; 2]) -> Option<Settled<R>> {
        let (_, place) = &self.places[self.place(pair).ok()?];
        let (entry, _) = first_entry(&self.bytes[place.clone()]).expect("it was read before");
        Some(match entry {
            Entry::Clear(_) => Settled::Clear,
            Entry::Listed(record) => Settled::Listed(record),
        })
    }

    fn place(&self, pair: [PartId; 2]) -> Result<usize, usize> {
        self.places.binary_search_by_key(&pair, |(ids, _)| *ids)
    }
}
