//! The bytes behind a document: the GLB's own chunk, `data:` URIs and files next to it, and what is unpacked
//! from them.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::HashMap;
use std::sync::Arc;

use super::super::Source;
use super::super::error::{Fault, clip};
use super::document::{Buffer, BufferView, Document, MeshoptView};
use super::meshopt::Layout;

/// The buffers in the document's order. Buffers with the same URI share their bytes.
pub(super) struct Buffers<'a> {
    list: Vec<Arc<Cow<'a, [u8]>>>,
    /// The bytes of each view that is unpacked, or the reason why it cannot be, once it is used.
    unpacked: Vec<OnceCell<Result<Vec<u8>, String>>>,
    /// Total number of bytes, with shared ones counted once.
    pub total: usize,
    /// Number of bytes that all views unpack to.
    pub unpacked_total: usize,
}

impl Buffers<'_> {
    /// Returns the bytes of a view, by its index.
    pub fn of_view(&self, index: usize, view: &BufferView) -> Result<&[u8], String> {
        let Some(packed) = &view.extensions.meshopt else {
            return self.range(view.buffer, view.byte_offset, view.byte_length);
        };
        let unpacked = self.unpacked[index].get_or_init(|| self.unpack(view, packed));
        unpacked.as_deref().map_err(String::clone)
    }

    fn range(&self, buffer: usize, from: u64, length: u64) -> Result<&[u8], String> {
        let have = self.list.len();
        let bytes = self.list.get(buffer).ok_or_else(|| format!("buffer {buffer}, but there are {have}"))?;
        let start = usize::try_from(from).ok();
        let end = start.and_then(|from| from.checked_add(usize::try_from(length).ok()?));
        start
            .zip(end)
            .and_then(|(start, end)| bytes.get(start..end))
            .ok_or_else(|| format!("{length} bytes from {from} on, but the buffer has {}", bytes.len()))
    }

    fn unpack(&self, view: &BufferView, packed: &MeshoptView) -> Result<Vec<u8>, String> {
        let MeshoptView { count, byte_stride, .. } = *packed;
        let filter = packed.filter.as_deref().unwrap_or("NONE");
        let layout = Layout::new(&packed.mode, filter, count, byte_stride)?;
        if count.checked_mul(byte_stride) != Some(view.byte_length) {
            let length = view.byte_length;
            return Err(format!(
                "{count} meshopt elements of {byte_stride} bytes, but its byteLength is {length}"
            ));
        }
        layout.unpack(self.range(packed.buffer, packed.byte_offset, packed.byte_length)?)
    }
}

/// Returns, for each buffer, true if it only holds what a file shows to readers that cannot unpack it. Such a
/// buffer may be missing.
fn placeholders(document: &Document) -> Vec<bool> {
    let is_fallback = |buffer: &Buffer| buffer.extensions.meshopt.as_ref().is_some_and(|of| of.fallback);
    let mut packed: Vec<bool> = document.buffers.iter().map(is_fallback).collect();
    let mut needed = vec![false; document.buffers.len()];
    for view in &document.buffer_views {
        let (list, source) = match &view.extensions.meshopt {
            Some(from) => (&mut packed, Some(from.buffer)),
            None => (&mut needed, None),
        };
        if let Some(mark) = list.get_mut(view.buffer) {
            *mark = true;
        }
        if let Some(mark) = source.and_then(|source| needed.get_mut(source)) {
            *mark = true;
        }
    }
    packed.into_iter().zip(needed).map(|(packed, needed)| packed && !needed).collect()
}

/// Reads all buffers.
pub(super) fn load<'a>(
    document: &Document,
    binary: Option<&'a [u8]>,
    source: &Source,
) -> Result<Buffers<'a>, Fault> {
    let mut seen = HashMap::new();
    let lengths = document.buffer_views.iter().filter(|view| view.extensions.meshopt.is_some());
    let unpacked_total = lengths.fold(0, |sum: usize, view| {
        sum.saturating_add(usize::try_from(view.byte_length).unwrap_or(usize::MAX))
    });
    let told = || format!("compressed bufferViews of {unpacked_total} bytes");
    source.memory.take(unpacked_total, 1, told)?;
    let mut buffers = Buffers {
        list: Vec::new(),
        unpacked: vec![OnceCell::new(); document.buffer_views.len()],
        total: binary.map_or(0, <[u8]>::len),
        unpacked_total,
    };
    for (index, (buffer, is_placeholder)) in document.buffers.iter().zip(placeholders(document)).enumerate() {
        let at = || format!("buffer {index}");
        if is_placeholder {
            buffers.list.push(Arc::default());
            continue;
        }
        let bytes = match &buffer.uri {
            None => match binary {
                Some(bytes) if index == 0 => Arc::new(Cow::Borrowed(bytes)),
                _ => return Err(Fault::at(at(), "it has neither a URI nor a binary chunk")),
            },
            Some(uri) => match seen.get(uri) {
                Some(bytes) => Arc::clone(bytes),
                None => {
                    let bytes = fetch(uri, &at(), source)?;
                    buffers.total += bytes.len();
                    let bytes = Arc::new(Cow::Owned(bytes));
                    seen.insert(uri, Arc::clone(&bytes));
                    bytes
                }
            },
        };
        if u64::try_from(bytes.len()).is_ok_and(|have| have < buffer.byte_length) {
            let why = format!("byteLength is {}, but there are {} bytes", buffer.byte_length, bytes.len());
            return Err(Fault::at(at(), why));
        }
        buffers.list.push(bytes);
    }
    Ok(buffers)
}

fn fetch(uri: &str, at: &str, source: &Source) -> Result<Vec<u8>, Fault> {
    if let Some(data) = uri.strip_prefix("data:") {
        let encoded = data
            .split_once(',')
            .and_then(|(kind, encoded)| kind.ends_with(";base64").then_some(encoded))
            .ok_or_else(|| Fault::at(at, format!("the URI '{}' is not base64 data", clip(uri))))?;
        source.memory.take(encoded.len(), 1, || format!("{at}, base64 of {} bytes,", encoded.len()))?;
        return base64(encoded).map_err(|why| Fault::at(at, why));
    }
    // RFC 8089, section 2: an empty host or `localhost` is this machine.
    let local =
        uri.strip_prefix("file://").map_or(uri, |path| path.strip_prefix("localhost").unwrap_or(path));
    if local.contains("://") {
        return Err(Fault::Unsupported(format!("{at}: the address '{}' is", clip(uri))));
    }
    let path = percent_decoded(local);
    let read = source.folder().and_then(|folder| folder.read(&path));
    read.map_err(|fault| match fault {
        Fault::OutOfMemory(_) => fault,
        _ => Fault::at(at, fault.in_file(&path).to_string()),
    })
}

/// Decodes base64 (RFC 4648, section 4); padding may be missing.
fn base64(text: &str) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let (mut bits, mut held) = (0_u32, 0);
    for c in text.trim_end_matches('=').bytes() {
        let six = match c {
            b'A'..=b'Z' => c - b'A',
            b'a'..=b'z' => c - b'a' + 26,
            b'0'..=b'9' => c - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return Err(format!("the byte {c:#04x} is not base64")),
        };
        bits = (bits << 6) | u32::from(six);
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push(((bits >> held) & 0xff) as u8);
        }
    }
    Ok(bytes)
}

/// Decodes percent escapes: `%20` becomes a space. Anything that is not an escape stays.
fn percent_decoded(uri: &str) -> String {
    let mut bytes = Vec::with_capacity(uri.len());
    let mut rest = uri.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        let escaped = (first == b'%')
            .then(|| tail.get(..2))
            .flatten()
            .filter(|hex| hex.iter().all(u8::is_ascii_hexdigit))
            .and_then(|hex| std::str::from_utf8(hex).ok())
            .and_then(|hex| u8::from_str_radix(hex, 16).ok());
        bytes.push(escaped.unwrap_or(first));
        rest = if escaped.is_some() { &tail[2..] } else { tail };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_of_every_length() {
        for (text, bytes) in [
            ("", ""),
            ("Zg==", "f"),
            ("Zm8=", "fo"),
            ("Zm9v", "foo"),
            ("Zm9vYg", "foob"),
            ("Zm9vYmFy", "foobar"),
        ] {
            assert_eq!(base64(text).as_deref(), Ok(bytes.as_bytes()));
        }
        assert_eq!(base64("/+8A"), Ok(vec![0xff, 0xef, 0]));
        assert_eq!(base64("Zm9*"), Err("the byte 0x2a is not base64".into()));
    }

    #[test]
    fn escapes_in_file_names() {
        assert_eq!(percent_decoded("a%20b%c3%bc.bin"), "a bü.bin");
        assert_eq!(percent_decoded("50%.bin%2"), "50%.bin%2");
        assert_eq!(percent_decoded("%+1"), "%+1");
    }
}
