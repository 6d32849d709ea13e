//! Archives with a building, `.ifczip`.

use std::io::Write;

use flate2::{Compression, Crc, write::DeflateEncoder};

use super::models::house;
use super::refused::refusal;
use closefit_testing::command::run_in;
use closefit_testing::fixtures::Folder;

/// A file in an archive: what it is called, what it holds, and what the archive says about it.
struct File<'a> {
    name: &'a str,
    text: &'a [u8],
    flags: u16,
    /// A size other than the true one.
    size: Option<u32>,
}

fn file<'a>(name: &'a str, text: &'a [u8]) -> File<'a> {
    File { name, text, flags: 0, size: None }
}

/// Returns an archive, packed by a method: 0 or 8.
fn archive(files: &[File], method: u16) -> Vec<u8> {
    let (mut bytes, mut directory) = (Vec::new(), Vec::new());
    for &File { name, text, flags, size } in files {
        let packed = if method == 8 {
            let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
            encoder.write_all(text).unwrap();
            encoder.finish().unwrap()
        } else {
            text.to_vec()
        };
        let mut crc = Crc::new();
        crc.update(text);
        let mut about = Vec::new();
        for short in [20, flags, method, 0, 0] {
            about.extend_from_slice(&u16::to_le_bytes(short));
        }
        let size = size.unwrap_or(text.len() as u32);
        for long in [crc.sum(), packed.len() as u32, size] {
            about.extend_from_slice(&long.to_le_bytes());
        }
        about.extend_from_slice(&(name.len() as u16).to_le_bytes());
        about.extend_from_slice(&[0, 0]);
        let at = bytes.len() as u32;
        bytes.extend_from_slice(b"PK\x03\x04");
        bytes.extend_from_slice(&about);
        bytes.extend_from_slice(name.as_bytes());
        bytes.extend_from_slice(&packed);
        directory.extend_from_slice(b"PK\x01\x02\x14\0");
        directory.extend_from_slice(&about);
        directory.extend_from_slice(&[0; 10]);
        directory.extend_from_slice(&at.to_le_bytes());
        directory.extend_from_slice(name.as_bytes());
    }
    let at = bytes.len() as u32;
    let count = (files.len() as u16).to_le_bytes();
    bytes.extend_from_slice(&directory);
    bytes.extend_from_slice(b"PK\x05\x06\0\0\0\0");
    bytes.extend_from_slice(&[count, count].concat());
    bytes.extend_from_slice(&(directory.len() as u32).to_le_bytes());
    bytes.extend_from_slice(&at.to_le_bytes());
    bytes.extend_from_slice(&[0, 0]);
    bytes
}

/// An archive, stored or packed, is read as the file in it.
#[test]
fn archives_are_read() {
    let house = house();
    let folder = Folder::new();
    folder.put("house.ifc", &house);
    let inspected = |name: &str| {
        let (status, out, err) = run_in(&folder.path(""), &["inspect", name, "--json", "--quiet"]);
        assert_eq!(status, 0, "{err}");
        out.replace("house.ifczip", "house.ifc")
    };
    for method in [0, 8] {
        let files = [file("readme.txt", b"hello"), file("model/House.IFC", house.as_bytes())];
        folder.put("house.ifczip", archive(&files, method));
        assert_eq!(inspected("house.ifczip"), inspected("house.ifc"));
    }
}

#[test]
fn archives_that_are_damaged_or_bombs_are_refused() {
    let house = house();
    let text = house.as_bytes();
    let zeros = vec![b' '; 20_000_000];
    let whole = archive(&[file("a.ifc", text)], 8);
    let mut flipped = whole.clone();
    flipped[200] ^= 0x10;
    let locked = File { flags: 1, ..file("a.ifc", text) };
    let lies = |size| archive(&[File { size: Some(size), ..file("a.ifc", text) }], 8);
    for (bytes, expected) in [
        (archive(&[file("a.txt", text)], 8), "the archive has no .ifc file"),
        (archive(&[file("a.ifcXML", text)], 8), "the archive has only IFC as XML, which is not read"),
        (archive(&[file("a.ifc", text), file("b.ifc", text)], 8), "the archive has more than one .ifc file"),
        (archive(&[locked], 8), "the archive is encrypted"),
        (archive(&[file("a.ifc", text)], 12), "the archive uses the method Bzip2, which is not read"),
        (
            archive(&[file("a.ifc", &zeros)], 8),
            "the archive would unpack to 20000000 bytes, which is too much",
        ),
        (
            archive(&[file("a.ifc", text), file("a.ifc", text)], 8),
            "the archive has two files of the same name",
        ),
        (lies(u32::MAX - 1), "the archive would unpack to 4294967294 bytes, which is too much"),
        (lies(10), "the archive is damaged"),
        (lies(text.len() as u32 + 1), "the archive is damaged"),
        (flipped, "the archive is damaged"),
        (whole[..whole.len() - 30].to_vec(), "the archive is damaged"),
    ] {
        let line = refusal("a.ifczip", bytes, &[]);
        assert_eq!(line, format!("error: a.ifczip: {expected}\n"));
    }
    for tenth in 1..10 {
        refusal("a.ifczip", &whole[..whole.len() * tenth / 10], &[]);
    }
}
