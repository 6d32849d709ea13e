//! The bytes of a rows file: a mark, and blocks with checksums. The first block is the header, the others
//! have the records of pairs as they were decided.
//!
//! Numbers are those of the run, bit by bit, so that what is read back gives the very report. A block that is
//! not whole ends the file: what comes after it is decided again.

use closefit::PartId;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::shard::Shard;

/// The first bytes of every rows file, with the version of its format.
const MARK: [u8; 16] = *b"closefit rows 1\n";

/// Bytes before the contents of a block: their number, the number of records, and the checksum of all three.
const HEAD: usize = 8 + 8 + CHECKSUM;
const CHECKSUM: usize = 16;

/// The run that a rows file belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// Everything on which an answer depends, in words, each with its name.
    pub settings: Vec<(String, String)>,
    /// The number of near pairs of the whole run.
    pub near: u64,
    /// The share of them that the file is about, unless that is all.
    pub shard: Option<Shard>,
}

impl Header {
    /// Returns the bytes with which a file begins.
    pub fn to_bytes(&self) -> Vec<u8> {
        let contents = encoded(self);
        [&MARK[..], &head_of(0, &contents), &contents].concat()
    }

    /// Returns the first setting in which the run of a file differs from this one, in words.
    pub fn difference(&self, found: &Self) -> Option<String> {
        let near = |header: &Self| ("near pairs".to_owned(), header.near.to_string());
        let shard = |header: &Self| {
            let said = header.shard.map_or_else(|| "all".to_owned(), |shard| shard.to_string());
            ("shard".to_owned(), said)
        };
        let all = |header: &Self| [&header.settings[..], &[near(header), shard(header)]].concat();
        let (own, other) = (all(self), all(found));
        let differing = own.iter().find_map(|(name, now)| {
            let before = other.iter().find(|(known, _)| known == name).map_or("none", |(_, value)| value);
            (before != now).then(|| format!("{name} was {before}, is {now}"))
        });
        differing.or_else(|| (own != other).then(|| "it has other settings".to_owned()))
    }
}

/// The record of a pair in a rows file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Entry<R> {
    /// It is clear, and so nothing else is kept of it.
    Clear([PartId; 2]),
    /// It is listed.
    Listed(R),
}

/// Returns the bytes of a value.
///
/// # Panics
/// Never panics: records have no maps, and a `Vec` accepts every byte.
pub fn encoded(value: &impl Serialize) -> Vec<u8> {
    postcard::to_allocvec(value).expect("a Vec accepts every byte")
}

/// Returns the bytes that go before the contents of a block.
pub fn head_of(records: u64, contents: &[u8]) -> [u8; HEAD] {
    let mut head = [0; HEAD];
    head[..8].copy_from_slice(&(contents.len() as u64).to_le_bytes());
    head[8..16].copy_from_slice(&records.to_le_bytes());
    let hash = blake3::Hasher::new().update(&head[..16]).update(contents).finalize();
    head[16..].copy_from_slice(&hash.as_bytes()[..CHECKSUM]);
    head
}

/// Returns the number of records of the block at the start of some bytes, its contents, and the bytes after
/// it. `None` if it is not whole, or damaged.
fn first_block(bytes: &[u8]) -> Option<(u64, &[u8], &[u8])> {
    let (head, rest) = bytes.split_first_chunk::<HEAD>()?;
    let ([length, records], _) = head.as_chunks::<8>().0.split_first_chunk::<2>()?;
    let (contents, rest) = rest.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)?;
    let records = u64::from_le_bytes(*records);
    (head_of(records, contents) == *head).then_some((records, contents, rest))
}

/// The contents of a rows file, as far as they are whole.
#[derive(Clone, Debug)]
pub struct Contents {
    /// The run that it belongs to.
    pub header: Header,
    /// The number of records.
    pub records: u64,
    /// The number of bytes that are whole.
    pub whole: usize,
    /// The records, one after the other.
    pub entries: Vec<u8>,
}

impl Contents {
    /// Reads the bytes of a file. `None` if it was torn before its header was complete, so that it has
    /// nothing.
    ///
    /// # Errors
    /// A reason in words for bytes that are no rows file, or one whose header is damaged.
    pub fn read(bytes: &[u8]) -> Result<Option<Self>, &'static str> {
        let Some(mut rest) = bytes.strip_prefix(&MARK) else {
            return if MARK.starts_with(bytes) {
                Ok(None)
            } else {
                Err("it is no rows file of this version")
            };
        };
        let Some((_, header, after)) = first_block(rest) else {
            return if is_torn(rest) { Ok(None) } else { Err("it is damaged at its beginning") };
        };
        let header = postcard::from_bytes(header).map_err(|_| "it is damaged at its beginning")?;
        let (mut records, mut entries) = (0, Vec::new());
        rest = after;
        while let Some((count, contents, after)) = first_block(rest) {
            records += count;
            entries.extend_from_slice(contents);
            rest = after;
        }
        Ok(Some(Self { header, records, whole: bytes.len() - rest.len(), entries }))
    }
}

/// True if a block ends before it is complete.
fn is_torn(bytes: &[u8]) -> bool {
    let Some(length) = bytes.first_chunk::<8>() else { return true };
    (bytes.len() as u64) < u64::from_le_bytes(*length).saturating_add(HEAD as u64)
}

/// Returns the first record of some bytes, and the bytes after it; `None` if it cannot be read.
pub fn first_entry<R: DeserializeOwned>(bytes: &[u8]) -> Option<(Entry<R>, &[u8])> {
    postcard::take_from_bytes(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header() -> Header {
        let settings = [("scene", "12ab"), ("tolerance", "2 mm")];
        let settings = settings.map(|(name, value)| (name.to_owned(), value.to_owned()));
        Header { settings: settings.to_vec(), near: 7, shard: None }
    }

    fn entries(count: u32) -> Vec<Entry<u32>> {
        (0..count).map(|i| Entry::Clear([PartId(i), PartId(1000 * i)])).chain([Entry::Listed(9)]).collect()
    }

    /// A file of three blocks, and the numbers of bytes after its header and each block.
    fn file() -> (Vec<u8>, Vec<usize>) {
        let mut bytes = header().to_bytes();
        let mut ends = vec![bytes.len()];
        for count in [3, 0, 5] {
            let contents: Vec<u8> = entries(count).iter().flat_map(encoded).collect();
            bytes.extend_from_slice(&head_of(u64::from(count) + 1, &contents));
            bytes.extend_from_slice(&contents);
            ends.push(bytes.len());
        }
        (bytes, ends)
    }

    #[test]
    fn what_is_written_is_read() {
        let (bytes, _) = file();
        let found = Contents::read(&bytes).unwrap().unwrap();
        assert_eq!((found.header, found.records, found.whole), (header(), 11, bytes.len()));
        let mut rest = &found.entries[..];
        let mut read = Vec::new();
        while let Some((entry, after)) = first_entry::<u32>(rest) {
            read.push(entry);
            rest = after;
        }
        assert_eq!(read, [entries(3), entries(0), entries(5)].concat());
        assert!(rest.is_empty());
    }

    #[test]
    fn a_file_is_read_up_to_its_first_damage() {
        let (bytes, ends) = file();
        for cut in 0..bytes.len() {
            let found = Contents::read(&bytes[..cut]).unwrap();
            let whole = ends.iter().copied().rfind(|&end| end <= cut);
            assert_eq!(found.map(|found| found.whole), whole, "cut at {cut}");
        }
        for at in 0..bytes.len() {
            for bit in [1, 128] {
                let mut damaged = bytes.clone();
                damaged[at] ^= bit;
                match Contents::read(&damaged) {
                    Err(_) | Ok(None) => assert!(at < ends[0], "byte {at}"),
                    Ok(Some(found)) => {
                        let whole = ends.iter().copied().rfind(|&end| end <= at);
                        assert_eq!(Some(found.whole), whole, "byte {at}");
                        assert!(bytes.starts_with(&damaged[..found.whole]));
                    }
                }
            }
        }
    }

    #[test]
    fn the_first_setting_that_differs_is_named() {
        let own = header();
        assert_eq!(own.difference(&own), None);
        let of = |change: fn(&mut Header)| {
            let mut other = header();
            change(&mut other);
            own.difference(&other).unwrap()
        };
        assert_eq!(of(|other| other.settings[1].1 = "5 mm".to_owned()), "tolerance was 5 mm, is 2 mm");
        assert_eq!(of(|other| other.settings[0].0 = "x".to_owned()), "scene was none, is 12ab");
        assert_eq!(of(|other| other.near = 8), "near pairs was 8, is 7");
        assert_eq!(of(|other| other.settings.push(Default::default())), "it has other settings");
    }
}
