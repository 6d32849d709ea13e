//! Helpers of the text formats: lines of tokens, and decimal numbers read as the nearest f64.

use std::borrow::Cow;

use super::error::{Fault, clip};

/// The mark that some programs write before a text.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// Returns the text of a file: in UTF-8, or in ISO-8859-1 if an XML file declares that. Bytes that are not
/// UTF-8, as in comments in another encoding, are replaced.
///
/// # Errors
/// If the text is in UTF-16, by its mark or by a first character of two bytes, or if it is not ASCII and an
/// XML file declares another encoding.
pub(super) fn decoded(bytes: &[u8]) -> Result<Cow<'_, str>, Fault> {
    if let [0xff, 0xfe, ..] | [0xfe, 0xff, ..] | [1..=0x7f, 0, ..] | [0, 1..=0x7f, ..] = bytes {
        return Err(Fault::Scene("the text is in UTF-16: save it as UTF-8".to_owned()));
    }
    if let Some(encoding) = declared_encoding(bytes)
        && !bytes.is_ascii()
    {
        // Its bytes are the first characters of Unicode.
        if encoding.eq_ignore_ascii_case("ISO-8859-1") {
            return Ok(bytes.iter().map(|&byte| char::from(byte)).collect());
        }
        if !encoding.eq_ignore_ascii_case("UTF-8") && !encoding.eq_ignore_ascii_case("UTF8") {
            let encoding = clip(encoding);
            return Err(Fault::Scene(format!("the text is in '{encoding}': save it as UTF-8")));
        }
    }
    Ok(match String::from_utf8_lossy(bytes) {
        Cow::Borrowed(text) => Cow::Borrowed(text.trim_start_matches(BYTE_ORDER_MARK)),
        Cow::Owned(text) => Cow::Owned(text.trim_start_matches(BYTE_ORDER_MARK).to_owned()),
    })
}

/// Returns the encoding that the declaration of an XML file names.
fn declared_encoding(bytes: &[u8]) -> Option<&str> {
    let rest = bytes.strip_prefix(BYTE_ORDER_MARK.encode_utf8(&mut [0; 4]).as_bytes()).unwrap_or(bytes);
    let rest = rest.strip_prefix(b"<?xml")?;
    let end = rest.windows(2).position(|two| two == b"?>")?;
    let declaration = str::from_utf8(&rest[..end]).ok()?;
    let (_, value) = declaration.split_once("encoding")?;
    let value = value.trim_start().strip_prefix('=')?.trim_start();
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    value[1..].split_once(quote).map(|(encoding, _)| encoding)
}

/// Iterates over lines, which end in a line feed, in a carriage return, or in carriage returns and a line
/// feed.
pub(super) fn lines(text: &str) -> Lines<'_> {
    text.split_terminator('\n').flat_map(|line| line.trim_end_matches('\r').split('\r'))
}

/// The lines of a text.
pub(super) type Lines<'a> = std::iter::FlatMap<
    std::str::SplitTerminator<'a, char>,
    std::str::Split<'a, char>,
    fn(&'a str) -> std::str::Split<'a, char>,
>;

/// Parses a finite number, rounded once from its decimal text.
pub(super) fn number(token: &str) -> Result<f64, String> {
    match token.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(value),
        Ok(_) => Err(format!("'{}' is not a finite number", clip(token))),
        Err(_) => Err(format!("'{}' is not a number", clip(token))),
    }
}

/// Parses the next three tokens as a point.
pub(super) fn point<'a>(tokens: &mut impl Iterator<Item = &'a str>) -> Result<glam::DVec3, String> {
    let mut coordinates = [0.0; 3];
    for (i, coordinate) in coordinates.iter_mut().enumerate() {
        *coordinate = number(tokens.next().ok_or(format!("only {i} of 3 coordinates"))?)?;
    }
    Ok(coordinates.into())
}

/// Creates a fault on a line, counted from 1.
pub(super) fn on_line(line: usize, why: impl Into<String>) -> Fault {
    Fault::at(format!("line {line}"), why)
}
