//! PLY, text and binary of either byte order: `vertex` positions, `face` polygons, and `tristrips`.
//!
//! Counts in the header only limit loops; nothing is allocated before its bytes have been read.

use glam::DVec3;

use super::error::{Fault, clip};
use super::faces::Faces;
use super::surface::Surface;
use super::text::{Lines, decoded, lines, number, on_line};
use super::without_surface;
use closefit_geometry::memory::MemoryAccount;

#[derive(Clone, Copy, PartialEq)]
enum Encoding {
    Text,
    LittleEndian,
    BigEndian,
}

#[derive(Clone, Copy)]
enum Scalar {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

struct Property {
    name: String,
    /// Type of the list's count; `None` for a single value.
    list: Option<Scalar>,
    kind: Scalar,
}

struct Element {
    name: String,
    count: u64,
    properties: Vec<Property>,
}

struct Header<'a> {
    encoding: Encoding,
    elements: Vec<Element>,
    /// Bytes after the header.
    body: &'a [u8],
    /// Number of the last line of the header.
    line: usize,
}

/// Reads a PLY file. Adds notes about edges, which have no surface, and about polygons.
pub(super) fn parse(bytes: &[u8], notes: &mut Vec<String>, memory: &MemoryAccount) -> Result<Surface, Fault> {
    let header = header(bytes)?;
    let text =
        if header.encoding == Encoding::Text { String::from_utf8_lossy(header.body) } else { "".into() };
    let mut body = match header.encoding {
        Encoding::Text => Payload::Text(Box::new(TextPayload {
            lines: lines(&text),
            line: header.line,
            tokens: "".split_ascii_whitespace(),
        })),
        Encoding::LittleEndian => Payload::Binary { bytes: header.body, big_endian: false },
        Encoding::BigEndian => Payload::Binary { bytes: header.body, big_endian: true },
    };
    let (mut vertices, mut faces, mut corners) = (Vec::new(), Faces::default(), Vec::new());
    for element in &header.elements {
        let wanted = wanted_properties(element)?;
        for i in 0..element.count {
            let in_element = |why: String| Fault::at(format!("{} {i}", clip(&element.name)), why);
            body.begin().map_err(in_element)?;
            let mut point = [0.0; 3];
            for (property, slot) in element.properties.iter().zip(&wanted) {
                corners.clear();
                let values = match property.list {
                    None => 1,
                    Some(count) => body.count(count).map_err(in_element)?,
                };
                for _ in 0..values {
                    if matches!(slot, Slot::Ignored) {
                        body.skip(property.kind).map_err(in_element)?;
                        continue;
                    }
                    let value = body.value(property.kind).map_err(in_element)?;
                    match slot {
                        Slot::Coordinate(k) if value.is_finite() => point[*k] = value,
                        Slot::Coordinate(_) => {
                            return Err(in_element(format!("the coordinate {value} is not a finite number")));
                        }
                        Slot::Corners | Slot::Ignored => corners.push(value),
                    }
                }
                if matches!(slot, Slot::Corners) {
                    match element.name.as_str() {
                        "tristrips" => strips(&corners, &mut faces).map_err(in_element)?,
                        _ => polygon(&corners, &mut faces).map_err(in_element)?,
                    }
                }
            }
            body.end().map_err(in_element)?;
            if element.name == "vertex" {
                vertices.push(DVec3::from(point));
            }
        }
        if element.name == "edge" && element.count > 0 {
            notes.push(format!("edges left out (no surface): {}", element.count));
        }
    }
    body.finish()?;
    if faces.is_empty() && !vertices.is_empty() {
        let edges = header.elements.iter().any(|element| element.name == "edge" && element.count > 0);
        return Err(without_surface(!edges, edges));
    }
    let triangles = faces.into_triangles(&vertices, notes, memory)?;
    Ok(Surface::whole(vertices, triangles))
}

/// The use of a property.
enum Slot {
    Coordinate(usize),
    Corners,
    Ignored,
}

fn wanted_properties(element: &Element) -> Result<Vec<Slot>, Fault> {
    let missing = |what: &str| Fault::at("header", format!("element {} has no {what}", clip(&element.name)));
    if element.properties.is_empty() {
        return Err(missing("properties"));
    }
    let slots: Vec<Slot> = element
        .properties
        .iter()
        .map(|property| match (element.name.as_str(), property.name.as_str(), property.list) {
            ("vertex", "x", None) => Slot::Coordinate(0),
            ("vertex", "y", None) => Slot::Coordinate(1),
            ("vertex", "z", None) => Slot::Coordinate(2),
            ("face" | "tristrips", "vertex_indices" | "vertex_index", Some(_)) => Slot::Corners,
            _ => Slot::Ignored,
        })
        .collect();
    let found = slots.iter().filter(|slot| !matches!(slot, Slot::Ignored)).count();
    match element.name.as_str() {
        "vertex" if found != 3 => Err(missing("single x, y and z")),
        "face" | "tristrips" if found != 1 => Err(missing("single list vertex_indices")),
        _ => Ok(slots),
    }
}

/// Returns the value as a count or index, if it is one.
fn whole(value: f64) -> Option<u32> {
    let whole = (0.0..=f64::from(u32::MAX)).contains(&value) && value.fract() == 0.0;
    whole.then_some(value as u32)
}

fn index(value: f64) -> Result<u32, String> {
    whole(value).ok_or_else(|| format!("the vertex index {value}"))
}

fn polygon(corners: &[f64], faces: &mut Faces) -> Result<(), String> {
    if corners.len() < 3 {
        return Err(format!("a face of {} corners", corners.len()));
    }
    let corners = corners.iter().map(|&c| index(c)).collect::<Result<Vec<_>, _>>()?;
    faces.push_polygon(&corners);
    Ok(())
}

/// Adds the triangles of strips separated by -1. Every other triangle of a strip is reversed.
fn strips(corners: &[f64], faces: &mut Faces) -> Result<(), String> {
    for strip in corners.split(|&c| c == -1.0).filter(|strip| !strip.is_empty()) {
        if strip.len() < 3 {
            return Err(format!("a strip of {} corners", strip.len()));
        }
        for (i, three) in strip.windows(3).enumerate() {
            let [a, b, c] = [index(three[0])?, index(three[1])?, index(three[2])?];
            faces.push(if i % 2 == 0 { [a, b, c] } else { [a, c, b] });
        }
    }
    Ok(())
}

/// The values of the file, one element after another.
enum Payload<'a> {
    Text(Box<TextPayload<'a>>),
    Binary { bytes: &'a [u8], big_endian: bool },
}

struct TextPayload<'a> {
    lines: Lines<'a>,
    line: usize,
    tokens: std::str::SplitAsciiWhitespace<'a>,
}

impl<'a> TextPayload<'a> {
    fn next(&mut self) -> Result<&'a str, String> {
        self.tokens.next().ok_or_else(|| format!("line {} ends too soon", self.line))
    }
}

impl Payload<'_> {
    /// Begins an element. In text, an element is a line.
    fn begin(&mut self) -> Result<(), String> {
        let Self::Text(text) = self else { return Ok(()) };
        loop {
            let line = text.lines.next().ok_or("the file ends before it")?;
            text.line += 1;
            if !line.trim().is_empty() {
                text.tokens = line.split_ascii_whitespace();
                return Ok(());
            }
        }
    }

    fn value(&mut self, kind: Scalar) -> Result<f64, String> {
        match self {
            Self::Text(text) => {
                let token = text.next()?;
                number(token).map_err(|why| format!("line {}: {why}", text.line))
            }
            Self::Binary { bytes, big_endian } => {
                let (value, rest) = bytes.split_at_checked(kind.size()).ok_or("the file ends within it")?;
                *bytes = rest;
                let mut eight = [0; 8];
                eight[..value.len()].copy_from_slice(value);
                if *big_endian {
                    eight[..value.len()].reverse();
                }
                Ok(kind.widen(eight))
            }
        }
    }

    fn count(&mut self, kind: Scalar) -> Result<u32, String> {
        let value = self.value(kind)?;
        whole(value).ok_or_else(|| format!("a list of {value} values"))
    }

    /// Skips a value that is not used and may be anything.
    fn skip(&mut self, kind: Scalar) -> Result<(), String> {
        match self {
            Self::Text(text) => text.next().map(|_| ()),
            Self::Binary { .. } => self.value(kind).map(|_| ()),
        }
    }

    fn end(&mut self) -> Result<(), String> {
        match self {
            Self::Text(text) => match text.tokens.next() {
                None => Ok(()),
                Some(extra) => Err(format!("line {}: '{}' is one value too many", text.line, clip(extra))),
            },
            Self::Binary { .. } => Ok(()),
        }
    }

    fn finish(mut self) -> Result<(), Fault> {
        match &mut self {
            Self::Binary { bytes: [], .. } => Ok(()),
            Self::Binary { bytes, .. } => {
                Err(Fault::at("end of file", format!("{} bytes after the last element", bytes.len())))
            }
            Self::Text(text) => match text.lines.find(|line| !line.trim().is_empty()) {
                None => Ok(()),
                Some(extra) => {
                    Err(Fault::at("end of file", format!("'{}' after the last element", clip(extra.trim()))))
                }
            },
        }
    }
}

impl Scalar {
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "char" | "int8" => Self::I8,
            "uchar" | "uint8" => Self::U8,
            "short" | "int16" => Self::I16,
            "ushort" | "uint16" => Self::U16,
            "int" | "int32" => Self::I32,
            "uint" | "uint32" => Self::U32,
            "float" | "float32" => Self::F32,
            "double" | "float64" => Self::F64,
            _ => return None,
        })
    }

    fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::F64 => 8,
        }
    }

    /// Converts a value to f64, which is exact for every type.
    fn widen(self, b: [u8; 8]) -> f64 {
        let four = [b[0], b[1], b[2], b[3]];
        match self {
            Self::I8 => f64::from(i8::from_le_bytes([b[0]])),
            Self::U8 => f64::from(b[0]),
            Self::I16 => f64::from(i16::from_le_bytes([b[0], b[1]])),
            Self::U16 => f64::from(u16::from_le_bytes([b[0], b[1]])),
            Self::I32 => f64::from(i32::from_le_bytes(four)),
            Self::U32 => f64::from(u32::from_le_bytes(four)),
            Self::F32 => f64::from(f32::from_le_bytes(four)),
            Self::F64 => f64::from_le_bytes(b),
        }
    }
}

fn header(bytes: &[u8]) -> Result<Header<'_>, Fault> {
    // The bytes of a body may begin like the end of a line, so the first line decides how lines end.
    let line_end = match bytes {
        [b'p', b'l', b'y', b'\n', ..] | [b'p', b'l', b'y', b'\r', b'\n', ..] => b'\n',
        [b'p', b'l', b'y', b'\r', ..] => b'\r',
        _ => {
            decoded(bytes)?;
            return Err(on_line(1, "the file does not begin with 'ply' on a line of its own"));
        }
    };
    let (mut encoding, mut elements) = (None, Vec::<Element>::new());
    let (mut body, mut line) = (bytes, 0);
    loop {
        let end =
            body.iter().position(|&b| b == line_end).ok_or_else(|| Fault::at("header", "no 'end_header'"))?;
        let text = String::from_utf8_lossy(&body[..end]);
        body = &body[end + 1..];
        line += 1;
        let words: Vec<&str> = text.split_ascii_whitespace().collect();
        let kind = |name: &str| {
            Scalar::named(name).ok_or_else(|| on_line(line, format!("unknown type '{}'", clip(name))))
        };
        match words[..] {
            ["format", name, "1.0"] if encoding.is_none() => {
                encoding = Some(match name {
                    "ascii" => Encoding::Text,
                    "binary_little_endian" => Encoding::LittleEndian,
                    "binary_big_endian" => Encoding::BigEndian,
                    _ => return Err(on_line(line, format!("unknown format '{}'", clip(name)))),
                });
            }
            ["ply"] if line == 1 => {}
            ["comment" | "obj_info", ..] | [] => {}
            ["element", name, count] => {
                let count =
                    count.parse().map_err(|_| on_line(line, format!("'{}' is not a count", clip(count))))?;
                if name == "vertex" && elements.iter().any(|e| e.name == name) {
                    return Err(on_line(line, "a second element 'vertex'"));
                }
                elements.push(Element { name: name.to_owned(), count, properties: Vec::new() });
            }
            ["property", ref rest @ ..] => {
                let element =
                    elements.last_mut().ok_or_else(|| on_line(line, "a property before any element"))?;
                element.properties.push(match *rest {
                    ["list", count, item, name] => {
                        Property { name: name.to_owned(), list: Some(kind(count)?), kind: kind(item)? }
                    }
                    [item, name] => Property { name: name.to_owned(), list: None, kind: kind(item)? },
                    _ => return Err(on_line(line, format!("malformed '{}'", clip(text.trim_end())))),
                });
            }
            ["end_header"] => {
                let encoding = encoding.ok_or_else(|| Fault::at("header", "no 'format ... 1.0'"))?;
                return Ok(Header { encoding, elements, body, line });
            }
            _ => return Err(on_line(line, format!("malformed '{}'", clip(text.trim_end())))),
        }
    }
}
