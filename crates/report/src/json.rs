//! JSON of the reports: one line per part or pair, and numbers in the shortest text that reads back.

use std::io::{self, BufWriter, Write};

use serde::Serialize;
use serde::ser::{Error, SerializeSeq};
use serde_json::ser::{CompactFormatter, Formatter, Serializer};
use serde_json::value::RawValue;

use crate::in_order::in_order;

/// Returns the shortest decimal text that reads back to the same f64: `5`, `0.1`, `1e-6`; `null` if it is not
/// finite.
pub fn number(x: f64) -> String {
    String::from_utf8_lossy(NumberText::of(x).as_bytes()).into_owned()
}

/// The shortest text of a number, in place.
pub(super) struct NumberText {
    bytes: [u8; Self::LONGEST],
    len: usize,
}

impl NumberText {
    /// Room for any number.
    const LONGEST: usize = 32;

    /// The text of an f64, as [`number`] returns it.
    pub fn of(x: f64) -> Self {
        let mut text = if x.is_finite() {
            Self::written(|room| CompactFormatter.write_f64(room, x))
        } else {
            Self::written(|room| CompactFormatter.write_null(room))
        };
        if text.as_bytes().ends_with(b".0") {
            text.len -= 2;
        }
        // An exponent has at most three digits.
        let exponent = text.len.saturating_sub(4);
        if let Some(plus) = text.as_bytes()[exponent..].iter().position(|&byte| byte == b'+') {
            text.bytes.copy_within(exponent + plus + 1..text.len, exponent + plus);
            text.len -= 1;
        }
        text
    }

    /// The text of a count.
    pub fn of_count(count: u64) -> Self {
        Self::written(|room| CompactFormatter.write_u64(room, count))
    }

    fn written(write: impl FnOnce(&mut &mut [u8]) -> io::Result<()>) -> Self {
        let mut bytes = [0; Self::LONGEST];
        let mut room = &mut bytes[..];
        write(&mut room).expect("there is room for any number");
        let len = Self::LONGEST - room.len();
        Self { bytes, len }
    }

    /// Returns the text, in ASCII.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
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
    value.serialize(&mut Serializer::with_formatter(&mut buffer, Lines::default()))?;
    buffer.write_all(b"\n")?;
    buffer.flush()
}

/// Serialises a list of a document, its elements on all threads: most of a report are its pairs.
pub(crate) fn in_parallel<T: Serialize + Sync, S: serde::Serializer>(
    list: &[T],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut written = serializer.serialize_seq(Some(list.len()))?;
    let texts = |few: &[T]| few.iter().map(element).collect::<Result<Vec<_>, _>>();
    in_order(list, texts, |few| {
        let few = few.map_err(S::Error::custom)?;
        few.iter().try_for_each(|text| written.serialize_element(text))
    })?;
    written.end()
}

/// Returns the JSON of an element of a list of a document, as [`write`] writes it.
fn element<T: Serialize>(value: &T) -> serde_json::Result<Box<RawValue>> {
    let mut text = Vec::new();
    value.serialize(&mut Serializer::with_formatter(&mut text, Lines { depth: 2, broken: false }))?;
    RawValue::from_string(String::from_utf8(text).expect("JSON is UTF-8"))
}

/// Returns the JSON of a value on one line, without spaces, and the end of the line.
///
/// # Panics
/// Panics if a key is not a string.
pub fn line<T: Serialize>(value: &T) -> String {
    let mut line = Vec::new();
    let written = value.serialize(&mut Serializer::with_formatter(&mut line, OneLine));
    written.expect("keys are strings, and a Vec accepts every byte");
    line.push(b'\n');
    String::from_utf8(line).expect("JSON is UTF-8")
}

/// A formatter without spaces.
struct OneLine;

impl Formatter for OneLine {
    fn write_f64<W: ?Sized + Write>(&mut self, writer: &mut W, value: f64) -> io::Result<()> {
        writer.write_all(NumberText::of(value).as_bytes())
    }
}

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
        writer.write_all(NumberText::of(value).as_bytes())
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
        Self::separate(writer, first, (self.depth == 2).then_some("    "))
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
        for count in [0, 1, 200] {
            let list: Vec<_> = (0..count).map(element).collect();
            let plain = serde_json::json!({"list": list});
            let parallel = Parallel { list };
            assert_eq!(serde_json::to_value(&parallel).unwrap(), plain);
            assert!(document(&parallel) == document(&plain));
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
