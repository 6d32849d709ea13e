//! Archives with one IFC file, `.ifczip`.

use std::io::{Cursor, Read};

use zip::result::ZipError;
use zip::{CompressionMethod, ZipArchive};

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
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(|_| damaged())?;
    if archive.has_duplicate_names() {
        return Err(Refused::file("the archive has two files of the same name"));
    }
    let with = |extension: &[u8]| -> Vec<usize> {
        let all = archive.file_names_raw().filter(|name| name.to_ascii_lowercase().ends_with(extension));
        all.filter_map(|name| archive.index_for_name_raw(name)).collect()
    };
    let index = match with(b".ifc")[..] {
        [index] => index,
        [] if with(b".ifcxml").is_empty() => return Err(Refused::file("the archive has no .ifc file")),
        [] => return Err(Refused::file("the archive has only IFC as XML, which is not read")),
        _ => return Err(Refused::file("the archive has more than one .ifc file")),
    };
    let file = archive.by_index(index).map_err(|error| match error {
        ZipError::UnsupportedArchive(ZipError::PASSWORD_REQUIRED) => {
            Refused::file("the archive is encrypted")
        }
        _ => damaged(),
    })?;
    let method = file.compression();
    if ![CompressionMethod::Stored, CompressionMethod::Deflated].contains(&method) {
        return Err(Refused::file(format!("the archive uses the method {method}, which is not read")));
    }
    let size = file.size();
    if size > most || size > MOST_TIMES * bytes.len() as u64 {
        return Err(Refused::file(format!("the archive would unpack to {size} bytes, which is too much")));
    }
    let mut text = Vec::new();
    // One byte more shows that the archive lies about its size.
    file.take(size + 1).read_to_end(&mut text).map_err(|_| damaged())?;
    if text.len() as u64 != size {
        return Err(damaged());
    }
    Ok(text)
}
