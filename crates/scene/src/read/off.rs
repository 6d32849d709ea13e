//! OFF, text: vertices and polygons, whatever else its lines have (colours, normals, texture coordinates).
//!
//! Counts in the header only limit loops.

use super::error::{Fault, clip};
use super::faces::Faces;
use super::surface::Surface;
use super::text::{decoded, lines, on_line, point};
use super::without_surface;
use closefit_geometry::memory::MemoryAccount;

/// Reads an OFF file. Adds notes about faces of fewer than three corners, and about polygons.
pub(super) fn parse(bytes: &[u8], notes: &mut Vec<String>, memory: &MemoryAccount) -> Result<Surface, Fault> {
    let text = decoded(bytes)?;
    let mut rows = (1..).zip(lines(&text)).filter_map(|(line, text)| {
        let content = text.split('#').next().unwrap_or_default().trim();
        (!content.is_empty()).then_some((line, content))
    });
    let mut next = |expected: &str| {
        rows.next().ok_or_else(|| {
            Fault::at("end of file", format!("{expected} should follow: the file is cut short"))
        })
    };
    let (line, first) = next("'OFF'")?;
    let counts = after_keyword(first).map_err(|why| on_line(line, why))?;
    let (line, counts) = if counts.is_empty() { next("the counts")? } else { (line, counts) };
    let mut counts = counts.split_ascii_whitespace();
    let mut count_of = |what: &str| {
        let token = counts.next().ok_or_else(|| on_line(line, format!("the number of {what} is missing")))?;
        count(token).map_err(|why| on_line(line, why))
    };
    let (vertex_count, face_count) = (count_of("vertices")?, count_of("faces")?);

    let mut vertices = Vec::new();
    for index in 0..vertex_count {
        let (line, row) = next(&format!("vertex {index} of {vertex_count}"))?;
        vertices.push(point(&mut row.split_ascii_whitespace()).map_err(|why| on_line(line, why))?);
    }
    let (mut faces, mut corners, mut bare) = (Faces::default(), Vec::new(), 0_usize);
    for index in 0..face_count {
        let (line, row) = next(&format!("face {index} of {face_count}"))?;
        read_face(row, vertices.len(), &mut corners).map_err(|why| on_line(line, why))?;
        match corners.len() {
            0..3 => bare += 1,
            _ => faces.push_polygon(&corners),
        }
    }
    if let Ok((line, more)) = next("") {
        let why = format!("'{}' after the last of {face_count} faces", clip(more));
        return Err(on_line(line, why));
    }
    if faces.is_empty() && !vertices.is_empty() {
        return Err(without_surface(bare == 0, bare > 0));
    }
    if bare > 0 {
        notes.push(format!("faces of fewer than three corners left out (no surface): {bare}"));
    }
    let triangles = faces.into_triangles(&vertices, notes, memory)?;
    Ok(Surface::whole(vertices, triangles))
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
