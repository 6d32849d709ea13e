//! JSON of the reports: one line per part or pair, and numbers in the shortest text that reads back.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter, Serializer};

/// Returns the shortest decimal text that reads back to the same f64: `5`, `0.1`, `1e-6`; `null` if it is not finite.
pub fn number(x: f64) -> String {
    if !x.is_finite() {
        return "null".to_owned();
    }
    let mut text = Vec::new();
    write_number(&mut text, x).expect("a Vec accepts every byte");
    String::from_utf8(text).expect("digits are ASCII")
}

/// Writes the shortest text of a finite number. 32 bytes are room for any.
fn write_number<W: ?Sized + Write>(writer: &mut W, x: f64) -> io::Result<()> {
    let mut text = [0; 32];
    let mut rest = &mut text[..];
    CompactFormatter.write_f64(&mut rest, x)?;
    let unused = rest.len();
    let text = &text[..text.len() - unused];
    let text = text.strip_suffix(b".0").unwrap_or(text);
    match text.iter().position(|&byte| byte == b'+') {
        None => writer.write_all(text),
        Some(plus) => {
            writer.write_all(&text[..plus])?;
            writer.write_all(&text[plus + 1..])
        }
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

/// Writes the JSON of a document, as [`document`] returns it, in many small pieces.
///
/// # Errors
/// Those of the writer.
pub fn write<T: Serialize>(writer: &mut (impl Write + ?Sized), value: &T) -> io::Result<()> {
    let mut serializer = Serializer::with_formatter(&mut *writer, Lines::default());
    value.serialize(&mut serializer)?;
    writer.write_all(b"\n")
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
        write_number(writer, value)
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
    fn a_line_per_element() {
        let value = serde_json::json!({"a": [], "b": [{"x": [1, [2.0]]}, {"y": {}}], "c": {"d": [3, 4]}});
        let expected = "{\n  \"a\": [],\n  \"b\": [\n    {\"x\": [1, [2]]},\n    {\"y\": {}}\n  ],\n  \
                        \"c\": {\"d\": [3, 4]}\n}\n";
        assert_eq!(String::from_utf8(document(&value)).unwrap(), expected);
    }
}
