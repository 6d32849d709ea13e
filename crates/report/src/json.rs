//! JSON of the reports: one line per part or pair, and numbers in the shortest text that reads back.

use std::cell::Cell;
use std::io::{self, BufWriter, Write};

use serde::Serialize;
use serde::ser::{Error, SerializeSeq};
use serde_json::ser::{Formatter, Serializer};

use crate::in_order::in_order;

/// Returns the shortest decimal text that reads back to the same f64: `5`, `0.1`, `1e-6`; `null` if it is not
/// finite.
pub fn number(x: f64) -> String {
    with_number(x, |text| String::from_utf8_lossy(text).into_owned())
}

/// Calls a function with the text of a number, as [`number`] returns it.
pub(super) fn with_number<R>(x: f64, then: impl FnOnce(&[u8]) -> R) -> R {
    if !x.is_finite() {
        return then(b"null");
    }
    let mut buffer = zmij::Buffer::new();
    let text = buffer.format_finite(x).as_bytes();
    let text = text.strip_suffix(b".0").unwrap_or(text);
    // An exponent has at most three digits.
    let sign = text.len().saturating_sub(4);
    let Some(plus) = text[sign..].iter().position(|&byte| byte == b'+') else { return then(text) };
    let (before, after) = (&text[..sign + plus], &text[sign + plus + 1..]);
    then(&[before, after].concat())
}

/// Returns the JSON of a document, with a line per top-level key and per element of a top-level list.
///
/// # Panics
/// Never panics: the documents' keys are strings, and a `Vec` accepts every byte.
pub fn document<T: Serialize>(value: &T) -> Vec<u8> {
    let mut out = Vec::new();
    write(&mut out, value).expect("a Vec accepts every byte");
    out
}

/// Bytes that [`write`] collects before it writes them.
const BUFFER: usize = 1 << 16;

/// Writes the JSON of a document, as [`document`] returns it, in large pieces.
///
/// # Errors
/// Whatever the writer returns.
pub fn write<T: Serialize>(writer: &mut (impl Write + ?Sized), value: &T) -> io::Result<()> {
    // A buffer whose type is known here takes each of the many small pieces without a call.
    let mut buffer = BufWriter::with_capacity(BUFFER, writer);
    TAKES_TEXT.set(true);
    let written = value.serialize(&mut Serializer::with_formatter(&mut buffer, Lines::default()));
    TAKES_TEXT.set(false);
    written?;
    buffer.write_all(b"\n")?;
    buffer.flush()
}

thread_local! {
    /// True while this thread writes a document, outside of its lists.
    static TAKES_TEXT: Cell<bool> = const { Cell::new(false) };
}

/// Serialises a list of a document, its elements on all threads: most of a report are its pairs.
pub(crate) fn in_parallel<T: Serialize + Sync, S: serde::Serializer>(
    list: &[T],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    // Meanwhile this thread may be given other work, with another serialiser.
    if !TAKES_TEXT.replace(false) {
        return serializer.collect_seq(list);
    }
    let mut written = serializer.serialize_seq(Some(list.len()))?;
    let taken = in_order(list, elements, |text| {
        let text = text.map_err(S::Error::custom)?;
        written.serialize_element(&Text(text))
    });
    TAKES_TEXT.set(true);
    taken?;
    written.end()
}

/// The most room that is taken in advance for texts after the first, in bytes.
pub(super) const AHEAD: usize = 1 << 16;

/// Returns the JSON of some elements of a list of a document, as [`write`] writes them.
fn elements<T: Serialize>(few: &[T]) -> serde_json::Result<Vec<u8>> {
    let mut text = Vec::new();
    for (at, element) in few.iter().enumerate() {
        if at > 0 {
            text.extend_from_slice(b",\n");
            text.extend_from_slice(ELEMENT.as_bytes());
        }
        element.serialize(&mut Serializer::with_formatter(&mut text, Lines { depth: 2, broken: false }))?;
        if at == 0 {
            // Most others are about as long.
            text.reserve((text.len() * few.len()).min(AHEAD));
        }
    }
    Ok(text)
}

/// JSON that [`Lines`] writes as it is.
struct Text(Vec<u8>);

impl Serialize for Text {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}

/// Returns the JSON of a value on one line, without spaces, and the end of the line.
///
/// # Panics
/// Panics if a key is not a string.
pub fn line<T: Serialize>(value: &T) -> String {
    let mut line = Vec::with_capacity(LINE);
    let written = value.serialize(&mut Serializer::with_formatter(&mut line, OneLine));
    written.expect("keys are strings, and a Vec accepts every byte");
    line.push(b'\n');
    String::from_utf8(line).expect("JSON is UTF-8")
}

/// Room for a short line.
const LINE: usize = 256;

/// A formatter without spaces.
struct OneLine;

impl Formatter for OneLine {
    fn write_f64<W: ?Sized + Write>(&mut self, writer: &mut W, value: f64) -> io::Result<()> {
        with_number(value, |text| writer.write_all(text))
    }
}

/// The indent of the elements of a top-level list.
const ELEMENT: &str = "    ";

/// A formatter that breaks lines near the root only; everything deeper stays on its element's line.
#[derive(Default)]
struct Lines {
    depth: usize,
    /// True when the list at depth 2 has an element, so that its end gets a line of its own.
    broken: bool,
}

impl Lines {
    fn separate<W: ?Sized + Write>(writer: &mut W, first: bool, line: Option<&str>) -> io::Result<()> {
        match (first, line) {
            (true, None) => Ok(()),
            (false, None) => writer.write_all(b", "),
            (first, Some(indent)) => {
                writer.write_all(if first { b"\n" } else { b",\n" })?;
                writer.write_all(indent.as_bytes())
            }
        }
    }
}

impl Formatter for Lines {
    fn write_f64<W: ?Sized + Write>(&mut self, writer: &mut W, value: f64) -> io::Result<()> {
        with_number(value, |text| writer.write_all(text))
    }

    fn write_byte_array<W: ?Sized + Write>(&mut self, writer: &mut W, text: &[u8]) -> io::Result<()> {
        writer.write_all(text)
    }

    fn begin_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.depth += 1;
        writer.write_all(b"{")
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        Self::separate(writer, first, (self.depth == 1).then_some("  "))
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b": ")
    }

    fn end_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.depth -= 1;
        writer.write_all(if self.depth == 0 { b"\n}" } else { b"}" })
    }

    fn begin_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.depth += 1;
        writer.write_all(b"[")
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.broken |= self.depth == 2;
        Self::separate(writer, first, (self.depth == 2).then_some(ELEMENT))
    }

    fn end_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.depth -= 1;
        if self.depth == 1 && std::mem::take(&mut self.broken) {
            writer.write_all(b"\n  ")?;
        }
        writer.write_all(b"]")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use closefit_geometry::pool::Pool;
    use proptest::prelude::*;

    #[test]
    fn numbers_are_short() {
        for (x, text) in [
            (0.0, "0"),
            (5.0, "5"),
            (-3.0, "-3"),
            (0.001, "0.001"),
            (0.1 + 0.2, "0.30000000000000004"),
            (9007199254740993.0, "9007199254740992"),
            (1e50, "1e50"),
            (-2.5e-9, "-2.5e-9"),
        ] {
            assert_eq!(number(x), text);
        }
    }

    proptest! {
        #[test]
        fn numbers_read_back(bits: u64) {
            let x = f64::from_bits(bits);
            prop_assume!(x.is_finite());
            let text = number(x);
            prop_assert_eq!(text.parse::<f64>().unwrap().to_bits(), bits);
            prop_assert_eq!(serde_json::from_str::<f64>(&text).unwrap().to_bits(), bits);
        }
    }

    #[test]
    fn whole_numbers_read_back() {
        for x in [1.0, 1e15, 1e16, 1e17, 123_456_789_012_345_680.0, 1e22, -1e18, f64::MAX, f64::MIN_POSITIVE]
        {
            assert_eq!(serde_json::from_str::<f64>(&number(x)).unwrap(), x);
        }
    }

    #[test]
    fn elements_are_the_same_on_all_threads() {
        #[derive(Serialize)]
        struct Parallel {
            #[serde(serialize_with = "in_parallel")]
            list: Vec<serde_json::Value>,
        }
        let element = |i: u32| serde_json::json!({"a": [i, {"b": [[], [0.5, "\"\n"]]}], "c": null});
        for count in [0, 1, 200, 9_000] {
            let list: Vec<_> = (0..count).map(element).collect();
            let plain = serde_json::json!({"list": list});
            let parallel = Parallel { list };
            assert_eq!(serde_json::to_value(&parallel).unwrap(), plain);
            assert!(document(&parallel) == document(&plain));
            for threads in [1, 3] {
                let written = Pool::of(threads).install(|| document(&parallel)).expect("threads");
                assert!(written == document(&plain), "{count} elements, {threads} threads");
            }
        }
    }

    #[test]
    fn a_line_per_element() {
        let value = serde_json::json!({"a": [], "b": [{"x": [1, [2.0]]}, {"y": {}}], "c": {"d": [3, 4]}});
        let expected = "{\n  \"a\": [],\n  \"b\": [\n    {\"x\": [1, [2]]},\n    {\"y\": {}}\n  ],\n  \
                        \"c\": {\"d\": [3, 4]}\n}\n";
        assert_eq!(String::from_utf8(document(&value)).unwrap(), expected);
    }
}
