//! OFF, text: vertices and polygons, whatever else their lines have (colours, normals, texture coordinates).
//!
//! Counts in the header only limit loops.

use std::str::SplitAsciiWhitespace;

use glam::DVec3;

use super::error::{Fault, clip};
use super::faces::Faces;
use super::surface::Surface;
use super::text::{decoded, lines, on_line, point};
use super::without_surface;
use closefit_geometry::memory::MemoryAccount;

/// Reads an OFF file. Adds notes about faces of fewer than three corners, and about polygons.
pub(super) fn parse(bytes: &[u8], notes: &mut Vec<String>, memory: &MemoryAccount) -> Result<Surface, Fault> {
    let text = decoded(bytes)?;
    let mut rows = Rows((1..).zip(lines(&text)).filter_map(|(line, text)| {
        let content = text.split('#').next().unwrap_or_default().trim();
        (!content.is_empty()).then_some((line, content))
    }));
    let (line, first) = rows.next("'OFF'")?;
    let counts = after_keyword(first).map_err(|why| on_line(line, why))?;
    let (line, counts) = if counts.is_empty() { rows.next("the counts")? } else { (line, counts) };
    let mut counts = counts.split_ascii_whitespace();
    let mut count_of = |what: &str| {
        let token = counts.next().ok_or_else(|| on_line(line, format!("the number of {what} is missing")))?;
        count(token).map_err(|why| on_line(line, why))
    };
    let counts = [count_of("vertices")?, count_of("faces")?];
    // The format has three numbers for a vertex wherever lines end. Most files have a line for each, some of
    // them with colours that their keyword does not say.
    let body = Body::read(rows.clone(), counts, true).or_else(|fault| match first.starts_with("OFF") {
        true => Body::read(rows, counts, false).map_err(|_| fault),
        false => Err(fault),
    })?;
    let Body { vertices, faces, bare } = body;
    if faces.is_empty() && !vertices.is_empty() {
        return Err(without_surface(bare == 0, bare > 0));
    }
    if bare > 0 {
        notes.push(format!("faces of fewer than three corners left out (no surface): {bare}"));
    }
    let triangles = faces.into_triangles(&vertices, notes, memory)?;
    Ok(Surface::whole(vertices, triangles))
}

/// Lines with something on them, by their number.
#[derive(Clone)]
struct Rows<I>(I);

impl<'a, I: Iterator<Item = (usize, &'a str)>> Rows<I> {
    fn next(&mut self, expected: &str) -> Result<(usize, &'a str), Fault> {
        self.0.next().ok_or_else(|| {
            Fault::at("end of file", format!("{expected} should follow: the file is cut short"))
        })
    }

    /// Takes a vertex: the rest of its line is skipped, or has the next one.
    fn vertex(&mut self, expected: &str, row: &mut Row<'a>, has_line: bool) -> Result<DVec3, Fault> {
        if has_line {
            *row = Row::of(self.next(expected)?);
            return point(&mut row.tokens).map_err(|why| on_line(row.line, why));
        }
        let mut tokens = [""; 3];
        for token in &mut tokens {
            *token = loop {
                match row.tokens.next() {
                    Some(token) => break token,
                    None => *row = Row::of(self.next(expected)?),
                }
            };
        }
        point(&mut tokens.into_iter()).map_err(|why| on_line(row.line, why))
    }
}

/// The rest of a line.
struct Row<'a> {
    line: usize,
    tokens: SplitAsciiWhitespace<'a>,
}

impl<'a> Row<'a> {
    fn of((line, text): (usize, &'a str)) -> Self {
        Self { line, tokens: text.split_ascii_whitespace() }
    }
}

/// The vertices and faces of a file.
#[derive(Default)]
struct Body {
    vertices: Vec<DVec3>,
    faces: Faces,
    /// Number of faces of fewer than three corners.
    bare: usize,
}

impl Body {
    /// Reads vertices, each on a line of its own if they `have_lines`, and faces, one on each line.
    fn read<'a>(
        mut rows: Rows<impl Iterator<Item = (usize, &'a str)>>,
        [vertex_count, face_count]: [usize; 2],
        have_lines: bool,
    ) -> Result<Self, Fault> {
        let mut body = Self::default();
        let mut row = Row::of((0, ""));
        for index in 0..vertex_count {
            let expected = format!("vertex {index} of {vertex_count}");
            body.vertices.push(rows.vertex(&expected, &mut row, have_lines)?);
        }
        if let (false, Some(more)) = (have_lines, row.tokens.next()) {
            return Err(on_line(
                row.line,
                format!("'{}' after the last of {vertex_count} vertices", clip(more)),
            ));
        }
        let mut corners = Vec::new();
        for index in 0..face_count {
            let (line, row) = rows.next(&format!("face {index} of {face_count}"))?;
            read_face(row, vertex_count, &mut corners).map_err(|why| on_line(line, why))?;
            match corners.len() {
                0..3 => body.bare += 1,
                _ => body.faces.push_polygon(&corners),
            }
        }
        match rows.next("") {
            Ok((line, more)) => {
                Err(on_line(line, format!("'{}' after the last of {face_count} faces", clip(more))))
            }
            Err(_) => Ok(body),
        }
    }
}

/// Returns what follows the keyword on the first line, which may be the counts; many files have them there,
/// some without a space between.
fn after_keyword(line: &str) -> Result<&str, String> {
    let Some((before, after)) = line.split_once("OFF") else {
        return Err(format!("'{}' where 'OFF' should be", clip(line)));
    };
    let after = after.trim_start();
    match (before, after) {
        (_, "BINARY") => Err("binary OFF is not read: save it as text".to_owned()),
        ("4" | "n" | "4n", _) => Err(format!("'{before}OFF' has points of another dimension than three")),
        ("" | "C" | "N" | "CN" | "ST" | "STC" | "STN" | "STCN", _) => Ok(after),
        _ => Err(format!("'{}' where 'OFF' should be", clip(line))),
    }
}

/// Reads the corners of a face: their number, and so many indices of vertices. A colour may follow.
fn read_face(row: &str, vertex_count: usize, corners: &mut Vec<u32>) -> Result<(), String> {
    let mut tokens = row.split_ascii_whitespace();
    let corner_count = count(tokens.next().unwrap_or_default())?;
    corners.clear();
    for place in 0..corner_count {
        let token = tokens.next().ok_or_else(|| format!("only {place} of {corner_count} corners"))?;
        let vertex = count(token)?;
        if vertex >= vertex_count {
            return Err(format!("the vertex index {vertex}, but there are {vertex_count} vertices"));
        }
        corners.push(u32::try_from(vertex).map_err(|_| format!("more than {} vertices", u32::MAX))?);
    }
    Ok(())
}

fn count(token: &str) -> Result<usize, String> {
    token.parse().map_err(|_| format!("'{}' is not a count", clip(token)))
}
