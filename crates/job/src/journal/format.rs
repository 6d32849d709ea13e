//! The bytes of a rows file: a mark, and blocks with checksums. The first block is the header, the others
//! have records, of pairs as they were decided or of rows, or say what the run is [at](Attempt).
//!
//! Numbers are the numbers of the run, bit by bit, so that what is read back gives the very report. The
//! checksum of a block covers the checksum of the block before it, so a block belongs to one place of one
//! file. A block that is not whole, or not in its place, ends the file: what comes after it is decided again.

use std::io::{self, Read, Write};
use std::path::Path;

use closefit::PartId;
use closefit_geometry::text::printable;
use serde::{Deserialize, Serialize};

use super::attempt::Attempt;
use super::shard::{Items, Shard};
use crate::error::JobError;

/// The first bytes of every rows file, with the version of its format.
const MARK: [u8; 16] = *b"closefit rows 2\n";

/// Bytes before the contents of a block: their number, the number of records, and a checksum of all three and
/// of the checksum before.
const HEAD: usize = 8 + 8 + CHECKSUM;
const CHECKSUM: usize = 16;

/// The run that a rows file belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// Everything on which an answer depends, in words, each with its name.
    pub settings: Vec<(String, String)>,
    /// The things that the run decides, and the number of all.
    pub items: Items,
    pub count: u64,
    /// The share of them that the file is about, unless that is all.
    pub shard: Option<Shard>,
}

impl Header {
    /// Writes the beginning of a file, and returns the place after it.
    ///
    /// # Errors
    /// Errors of the writer.
    pub fn write(&self, to: &mut impl Write) -> io::Result<Place> {
        to.write_all(&MARK)?;
        Place::AFTER_MARK.write(to, 0, &encoded(self))
    }

    /// Refuses a file that belongs to another run, by its header.
    ///
    /// # Errors
    /// [`JobError::File`].
    pub fn refuse_other(&self, file: &Path, found: &Self) -> Result<(), JobError> {
        match self.difference(found) {
            None => Ok(()),
            Some(difference) => Err(JobError::File {
                file: file.display().to_string(),
                why: format!("it is of another run: {difference}"),
            }),
        }
    }

    /// Returns the first setting in which the run of a file differs from this one, in words.
    pub fn difference(&self, found: &Self) -> Option<String> {
        let count = |header: &Self| (header.items.to_string(), header.count.to_string());
        let shard = |header: &Self| {
            let said = header.shard.map_or_else(|| "all".to_owned(), |shard| shard.to_string());
            ("shard".to_owned(), said)
        };
        let all = |header: &Self| [&header.settings[..], &[count(header), shard(header)]].concat();
        let (own, other) = (all(self), all(found));
        let differing = own.iter().find_map(|(name, now)| {
            let before = other.iter().find(|(known, _)| known == name).map_or("none", |(_, value)| value);
            (before != now).then(|| format!("{name} was {}, is {now}", printable(before)))
        });
        differing.or_else(|| (own != other).then(|| "it has other settings".to_owned()))
    }
}

/// Returns the bytes of a value.
///
/// # Panics
/// Never panics: records have no maps, and a `Vec` accepts every byte.
pub fn encoded(value: &impl Serialize) -> Vec<u8> {
    postcard::to_allocvec(value).expect("a Vec accepts every byte")
}

/// The place between two blocks of a file. By default the beginning of the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The number of bytes before it.
    pub at: u64,
    /// The checksum of the block before it; zeros if there is none.
    before: [u8; CHECKSUM],
}

impl Place {
    const AFTER_MARK: Self = Self { at: MARK.len() as u64, before: [0; CHECKSUM] };

    /// Writes a block at this place, and returns the place after it.
    ///
    /// # Errors
    /// Errors of the writer.
    pub fn write(self, to: &mut impl Write, records: u64, contents: &[u8]) -> io::Result<Self> {
        let head = self.head_of(records, contents);
        to.write_all(&head)?;
        to.write_all(contents)?;
        Ok(self.after(&head, contents))
    }

    /// Returns the bytes that go before the contents of a block at this place.
    fn head_of(self, records: u64, contents: &[u8]) -> [u8; HEAD] {
        let mut head = [0; HEAD];
        head[..8].copy_from_slice(&(contents.len() as u64).to_le_bytes());
        head[8..16].copy_from_slice(&records.to_le_bytes());
        let hash = blake3::Hasher::new().update(&self.before).update(&head[..16]).update(contents).finalize();
        head[16..].copy_from_slice(&hash.as_bytes()[..CHECKSUM]);
        head
    }

    fn after(self, head: &[u8; HEAD], contents: &[u8]) -> Self {
        let mut before = [0; CHECKSUM];
        before.copy_from_slice(&head[16..]);
        Self { at: self.at + (HEAD + contents.len()) as u64, before }
    }
}

/// A block that is whole.
pub struct Block {
    /// The number of its records. A block without records has the pairs in progress.
    pub records: u64,
    pub contents: Vec<u8>,
}

/// The end of the blocks of a file.
enum End {
    /// The file ends here, or within a block.
    Torn,
    /// The next block is not as it was written, or not where.
    Damaged,
}

/// The blocks of a rows file, read one by one.
pub struct Blocks<R> {
    from: R,
    /// The place of the next block in the file: the bytes before it are whole.
    pub place: Place,
}

impl<R: Read> Blocks<R> {
    /// The blocks from a place on.
    pub fn new(from: R, place: Place) -> Self {
        Self { from, place }
    }

    /// Returns the next block; `None` if it is not whole, or there is none.
    pub fn next_block(&mut self) -> io::Result<Option<Block>> {
        Ok(self.next_or_end()?.ok())
    }

    fn next_or_end(&mut self) -> io::Result<Result<Block, End>> {
        let head = self.bytes(HEAD as u64)?;
        let Some((&head, _)) = head.split_first_chunk::<HEAD>() else { return Ok(Err(End::Torn)) };
        let [length, records] =
            [0, 8].map(|at| u64::from_le_bytes(head[at..at + 8].try_into().expect("eight bytes")));
        let contents = self.bytes(length)?;
        if (contents.len() as u64) < length {
            return Ok(Err(End::Torn));
        }
        if self.place.head_of(records, &contents) != head {
            return Ok(Err(End::Damaged));
        }
        self.place = self.place.after(&head, &contents);
        Ok(Ok(Block { records, contents }))
    }

    /// Returns the next bytes: so many, or as many as there are.
    fn bytes(&mut self, count: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.from.by_ref().take(count).read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}

/// The contents of a rows file, as far as they are whole.
#[derive(Clone, Debug)]
pub struct Contents {
    /// The run that it belongs to.
    pub header: Header,
    /// The place of the first block after the header.
    pub start: Place,
    /// The number of records.
    pub records: u64,
    /// The place after the last block that is whole.
    pub whole: Place,
    /// The records of pairs, one after the other. Records of rows, which may be many, stay in the file.
    pub entries: Vec<u8>,
    /// The pairs that the run was at.
    pub attempt: Attempt,
}

/// The reason why a file is not read.
#[derive(Debug, thiserror::Error)]
pub enum Unread {
    #[error("cannot be read: {0}")]
    Io(#[from] io::Error),
    #[error("it is no rows file of this version")]
    Foreign,
    #[error("it is damaged at its beginning")]
    Damaged,
}

impl Contents {
    /// Reads a file. `None` if it was torn before its header was complete, so that it has nothing.
    ///
    /// # Errors
    /// [`Unread`], also if it is no rows file, or if its header is damaged.
    pub fn read(from: impl Read) -> Result<Option<Self>, Unread> {
        let mut blocks = Blocks::new(from, Place::default());
        let mark = blocks.bytes(MARK.len() as u64)?;
        if mark != MARK {
            return if MARK.starts_with(&mark) { Ok(None) } else { Err(Unread::Foreign) };
        }
        blocks.place = Place::AFTER_MARK;
        let header: Header = match blocks.next_or_end()? {
            Ok(block) => postcard::from_bytes(&block.contents).map_err(|_| Unread::Damaged)?,
            Err(End::Torn) => return Ok(None),
            Err(End::Damaged) => return Err(Unread::Damaged),
        };
        let (start, mut records, mut entries, mut attempt) =
            (blocks.place, 0, Vec::new(), Attempt::default());
        while let Some(block) = blocks.next_block()? {
            match block.records {
                0 => attempt = Attempt::read(&block.contents),
                _ if header.items == Items::NearPairs => entries.extend_from_slice(&block.contents),
                _ => {}
            }
            records = u64::saturating_add(records, block.records);
        }
        Ok(Some(Self { header, start, records, whole: blocks.place, entries, attempt }))
    }

    /// Returns the number of pairs or rows about which nothing is left to do.
    pub fn done(&self) -> u64 {
        self.records.saturating_add(self.attempt.crashed.len() as u64)
    }
}

/// The entry of a pair in a rows file. Its record stays bytes until it is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry<'a> {
    pub ids: [PartId; 2],
    /// The record, or nothing if the pair is clear.
    pub record: &'a [u8],
}

impl<'a> Entry<'a> {
    /// Returns its bytes.
    pub fn to_bytes(self) -> Vec<u8> {
        let mut bytes = encoded(&(self.ids, self.record.len() as u64));
        bytes.extend_from_slice(self.record);
        bytes
    }

    /// Passes on the bytes of the entry of a pair with this record, or with none. Every pair has one, so
    /// short records are written without the heap.
    pub fn with_bytes<T>(
        ids: [PartId; 2],
        record: Option<&impl Serialize>,
        pass: impl FnOnce(&[u8]) -> T,
    ) -> T {
        // The most bytes that ids and a length take.
        const HEAD: usize = 5 + 5 + 10;
        let (mut bytes, mut head) = ([0; 1024], [0; HEAD]);
        let written =
            record.map(|record| postcard::to_slice(record, &mut bytes[HEAD..]).map(|used| used.len()));
        let Ok(length) = written.unwrap_or(Ok(0)) else {
            return pass(&Entry { ids, record: &record.map(encoded).unwrap_or_default() }.to_bytes());
        };
        let head = postcard::to_slice(&(ids, length as u64), &mut head).expect("it has room for them");
        let start = HEAD - head.len();
        bytes[start..HEAD].copy_from_slice(head);
        pass(&bytes[start..HEAD + length])
    }

    /// Returns the first entry of some bytes, and the bytes after it; `None` if it cannot be read.
    pub fn first_of(bytes: &'a [u8]) -> Option<(Self, &'a [u8])> {
        let ((ids, length), rest) = postcard::take_from_bytes::<([PartId; 2], u64)>(bytes).ok()?;
        let (record, rest) = rest.split_at_checked(usize::try_from(length).ok()?)?;
        Some((Self { ids, record }, rest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header() -> Header {
        let settings = [("scene", "12ab"), ("tolerance", "2 mm")];
        let settings = settings.map(|(name, value)| (name.to_owned(), value.to_owned()));
        Header { settings: settings.to_vec(), items: Items::NearPairs, count: 7, shard: None }
    }

    fn entries(count: u32) -> Vec<Entry<'static>> {
        let entry = |i: u32| {
            let record: &[u8] = if i == count { b"record" } else { b"" };
            Entry { ids: [PartId(i), PartId(1000 * i)], record }
        };
        (0..=count).map(entry).collect()
    }

    #[test]
    fn entries_are_written_as_they_are_read() {
        for length in [0, 1, 100, 1_000, 1_001, 1_002, 1_003, 1_004, 1_005, 5_000] {
            let record = vec![7_u8; length];
            for ids in [[PartId(0), PartId(1)], [PartId(200), PartId(u32::MAX)]] {
                let whole = Entry { ids, record: &encoded(&record) }.to_bytes();
                assert!(Entry::with_bytes(ids, Some(&record), |bytes| bytes == whole), "{length}");
            }
        }
        let ids = [PartId(3), PartId(400)];
        let whole = Entry { ids, record: &[] }.to_bytes();
        assert!(Entry::with_bytes(ids, None::<&u8>, |bytes| bytes == whole));
    }

    fn attempt(at: u32) -> Attempt {
        Attempt { from: at.into(), to: 7, failed: 1, crashed: vec![2] }
    }

    /// A file of three blocks and what it was at after each, and the bytes up to the end of every block.
    fn file() -> (Vec<u8>, Vec<usize>) {
        let mut bytes = Vec::new();
        let mut place = header().write(&mut bytes).unwrap();
        let mut ends = vec![bytes.len()];
        for count in [3, 0, 5] {
            let contents: Vec<u8> = entries(count).into_iter().flat_map(Entry::to_bytes).collect();
            for (records, contents) in [(u64::from(count) + 1, contents), (0, encoded(&attempt(count)))] {
                place = place.write(&mut bytes, records, &contents).unwrap();
                assert_eq!(place.at, bytes.len() as u64);
                ends.push(bytes.len());
            }
        }
        (bytes, ends)
    }

    #[test]
    fn what_is_written_is_read() {
        let (bytes, _) = file();
        let found = Contents::read(&bytes[..]).unwrap().unwrap();
        assert_eq!((found.done(), found.attempt), (12, attempt(5)));
        assert_eq!((found.header, found.records, found.whole.at), (header(), 11, bytes.len() as u64));
        let mut rest = &found.entries[..];
        let mut read = Vec::new();
        while let Some((entry, after)) = Entry::first_of(rest) {
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
            assert_eq!(found.map(|found| found.whole.at as usize), whole, "cut at {cut}");
        }
        for at in 0..bytes.len() {
            for bit in [1, 128] {
                let mut damaged = bytes.clone();
                damaged[at] ^= bit;
                match Contents::read(&damaged[..]) {
                    Err(_) | Ok(None) => assert!(at < ends[0], "byte {at}"),
                    Ok(Some(found)) => {
                        let whole = ends.iter().copied().rfind(|&end| end <= at);
                        assert_eq!(Some(found.whole.at as usize), whole, "byte {at}");
                        assert!(bytes.starts_with(&damaged[..found.whole.at as usize]));
                    }
                }
            }
        }
    }

    /// A block that is left out, comes twice, changes places or is from another file ends the file.
    #[test]
    fn a_block_belongs_to_its_place() {
        let (bytes, ends) = file();
        let block = |at: usize| bytes[ends[at]..ends[at + 1]].to_vec();
        let whole = |blocks: &[Vec<u8>]| {
            let file = [&bytes[..ends[0]], &blocks.concat()].concat();
            Contents::read(&file[..]).unwrap().unwrap().whole.at as usize
        };
        let all: Vec<Vec<u8>> = (0..6).map(block).collect();
        assert_eq!(whole(&all), bytes.len());
        for at in 0..6 {
            let mut dropped = all.clone();
            dropped.remove(at);
            let mut doubled = all.clone();
            doubled.insert(at, all[at].clone());
            assert_eq!([whole(&dropped), whole(&doubled)], [ends[at], ends[at + 1]]);
            for other in at + 1..6 {
                let mut swapped = all.clone();
                swapped.swap(at, other);
                assert_eq!(whole(&swapped), ends[at]);
            }
        }
        let mut other = Vec::new();
        Header { count: 8, ..header() }.write(&mut other).unwrap();
        let found = Contents::read(&[&other[..], &bytes[ends[0]..]].concat()[..]).unwrap().unwrap();
        assert_eq!(found.whole.at as usize, other.len());
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
        assert_eq!(of(|other| other.count = 8), "candidate pairs was 8, is 7");
        assert_eq!(of(|other| other.settings.push(Default::default())), "it has other settings");
    }
}
