//! Archives with one IFC file, `.ifczip`.

use std::io::Read;

use flate2::{Crc, bufread::DeflateDecoder};

use crate::error::Refused;

/// An archive may unpack to so many times its size. Texts of IFC shrink to a tenth; a bomb, to a thousandth.
const MOST_TIMES: u64 = 200;

/// True for bytes that begin as an archive does.
pub fn is_archive(bytes: &[u8]) -> bool {
    bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"PK\x05\x06")
}

/// Unpacks the IFC file of an archive.
pub fn unpack(bytes: &[u8], most: u64) -> Result<Vec<u8>, Refused> {
    let damaged = || Refused::file("the archive is damaged");
    let entries = entries(bytes).ok_or_else(damaged)?;
    let mut found = entries.iter().filter(|entry| entry.name.to_ascii_lowercase().ends_with(b".ifc"));
    let (entry, other) = (found.next(), found.next());
    let Some(entry) = entry else {
        let is_xml = |entry: &Entry| entry.name.to_ascii_lowercase().ends_with(b".ifcxml");
        let what =
            if entries.iter().any(is_xml) { "only IFC as XML, which is not read" } else { "no .ifc file" };
        return Err(Refused::file(format!("the archive has {what}")));
    };
    if other.is_some() {
        return Err(Refused::file("the archive has more than one .ifc file"));
    }
    if entry.is_locked {
        return Err(Refused::file("the archive is encrypted"));
    }
    let size = u64::from(entry.size);
    if size > most || size > MOST_TIMES * bytes.len() as u64 {
        return Err(Refused::file(format!("the archive would unpack to {size} bytes, which is too much")));
    }
    let packed = entry.data(bytes).ok_or_else(damaged)?;
    let mut text = Vec::new();
    match entry.method {
        0 => text.extend_from_slice(packed),
        8 => {
            // One byte more tells that the archive lies about its size.
            let read = DeflateDecoder::new(packed).take(size + 1).read_to_end(&mut text);
            read.map_err(|_| damaged())?;
        }
        other => return Err(Refused::file(format!("the archive uses method {other}, which is not read"))),
    }
    let mut crc = Crc::new();
    crc.update(&text);
    if text.len() as u64 != size || crc.sum() != entry.crc {
        return Err(damaged());
    }
    Ok(text)
}

/// A file in an archive, by the archive's directory.
struct Entry<'a> {
    name: &'a [u8],
    is_locked: bool,
    method: u16,
    crc: u32,
    packed: u32,
    size: u32,
    at: u32,
}

impl Entry<'_> {
    /// Returns the packed bytes.
    fn data<'b>(&self, bytes: &'b [u8]) -> Option<&'b [u8]> {
        let local = bytes.get(self.at as usize..)?;
        (local.get(..4)? == b"PK\x03\x04").then_some(())?;
        let from = 30 + usize::from(short(local, 26)?) + usize::from(short(local, 28)?);
        local.get(from..)?.get(..self.packed as usize)
    }
}

/// Returns the files of an archive; `None` if it is damaged, or too large for 32 bits.
fn entries(bytes: &[u8]) -> Option<Vec<Entry<'_>>> {
    // Only a comment may follow the end of the directory.
    let first = bytes.len().saturating_sub(22 + usize::from(u16::MAX));
    let end = bytes[first..].windows(4).rposition(|mark| mark == b"PK\x05\x06")? + first;
    let count = short(bytes, end + 10)?;
    let mut at = long(bytes, end + 16)? as usize;
    let mut entries = Vec::new();
    for _ in 0..count {
        let entry = bytes.get(at..)?;
        (entry.get(..4)? == b"PK\x01\x02").then_some(())?;
        let [name, extra, comment] = [28, 30, 32].map(|at| short(entry, at).map(usize::from));
        let (name, extra, comment) = (name?, extra?, comment?);
        entries.push(Entry {
            name: entry.get(46..46 + name)?,
            is_locked: short(entry, 8)? & 1 != 0,
            method: short(entry, 10)?,
            crc: long(entry, 16)?,
            packed: long(entry, 20)?,
            size: long(entry, 24)?,
            at: long(entry, 42)?,
        });
        at += 46 + name + extra + comment;
    }
    Some(entries)
}

fn short(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

fn long(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}
