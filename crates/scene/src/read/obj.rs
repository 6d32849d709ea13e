//! Wavefront OBJ: polygons are cut into triangles, faces keep the file's order. Its objects, or its groups if
//! it has none, divide the surface.

use std::borrow::Cow;
use std::collections::HashMap;

use glam::DVec3;

use super::error::{Fault, clip};
use super::faces::Faces;
use super::surface::Surface;
use super::text::{decoded, lines, on_line, point};
use super::without_surface;
use closefit_geometry::memory::MemoryAccount;

/// Statements that cannot change the surface of polygons.
const WITHOUT_SURFACE: [&str; 34] = [
    "vt",
    "vn",
    "vp",
    "s",
    "mg",
    "mtllib",
    "usemtl",
    "maplib",
    "usemap",
    "shadow_obj",
    "trace_obj",
    "bevel",
    "c_interp",
    "d_interp",
    "lod",
    "deg",
    "bmat",
    "step",
    "cstype",
    "parm",
    "trim",
    "hole",
    "scrv",
    "sp",
    "end",
    "con",
    "ctech",
    "stech",
    "cdp",
    "cdc",
    "res",
    "bzp",
    "bsp",
    "vw",
];

/// Largest number of unknown keywords that get a note of their own.
const MOST_NAMED: usize = 10;

/// Returns all vertices of a file that [`parse`] has read, whether or not a face uses them.
pub(super) fn vertices(bytes: &[u8]) -> Result<Vec<DVec3>, Fault> {
    let text = decoded(bytes)?;
    let mut all = Vec::new();
    for (line, text) in (1..).zip(lines(&text)) {
        let mut tokens = text.split_whitespace();
        if tokens.next() == Some("v") {
            all.push(point(&mut tokens).map_err(|why| on_line(line, why))?);
        }
    }
    Ok(all)
}

/// Reads an OBJ file. Adds notes about points and lines, which have no surface, about unknown statements, and
/// about polygons.
pub(super) fn parse(bytes: &[u8], notes: &mut Vec<String>, memory: &MemoryAccount) -> Result<Surface, Fault> {
    let text = decoded(bytes)?;
    let (mut vertices, mut faces, mut polygon) = (Vec::<DVec3>::new(), Faces::default(), Vec::new());
    let ([mut points, mut wires], mut highest, mut unknown) = ([0_usize; 2], None, Unknown::default());
    // The objects and the groups: the name of each, and its first triangle.
    let mut divisions: [Vec<(String, usize)>; 2] = Default::default();
    for (line, content) in logical_lines(&text) {
        let content = content.split('#').next().unwrap_or_default();
        let mut tokens = content.split_ascii_whitespace();
        let Some(keyword) = tokens.next() else { continue };
        match keyword {
            "v" => vertices.push(point(&mut tokens).map_err(|why| on_line(line, why))?),
            "f" | "fo" => {
                polygon.clear();
                for corner in tokens {
                    polygon.push(vertex_index(corner, vertices.len()).map_err(|why| on_line(line, why))?);
                }
                if polygon.len() < 3 {
                    return Err(on_line(line, format!("a face of {} corners", polygon.len())));
                }
                highest = highest.max(polygon.iter().max().map(|&vertex| (vertex, line)));
                faces.push_polygon(&polygon);
            }
            "o" | "g" => {
                let name: Vec<&str> = tokens.collect();
                divisions[usize::from(keyword == "g")].push((name.join(" "), faces.count()));
            }
            "p" => points += 1,
            "l" | "curv" | "curv2" => wires += 1,
            "surf" => return Err(on_line(line, "'surf': free-form surfaces are not supported")),
            _ if WITHOUT_SURFACE.contains(&keyword) => {}
            _ => unknown.count(keyword, line),
        }
    }
    if let (true, Some((keyword, line))) = (faces.is_empty(), unknown.first()) {
        return Err(on_line(line, format!("unknown statement '{}'", clip(keyword))));
    }
    if let Some((vertex, line)) = highest.filter(|&(vertex, _)| vertex as usize >= vertices.len()) {
        let (index, count) = (u64::from(vertex) + 1, vertices.len());
        return Err(on_line(line, format!("the vertex index {index}, but there are {count} vertices")));
    }
    if faces.is_empty() && points + wires + vertices.len() > 0 {
        return Err(without_surface(points > 0, wires > 0));
    }
    if points + wires > 0 {
        notes.push(format!("points and lines left out (no surface): {}", points + wires));
    }
    unknown.note(notes);
    let triangles = faces.into_triangles(&vertices, notes, memory)?;
    let [objects, groups] = divisions;
    let are_groups = objects.is_empty();
    Ok(Surface { vertices, triangles, objects: if are_groups { groups } else { objects }, are_groups })
}

/// Unknown statements: the number of occurrences of each keyword, and its first line.
#[derive(Default)]
struct Unknown(HashMap<String, (usize, usize)>);

impl Unknown {
    fn count(&mut self, keyword: &str, line: usize) {
        match self.0.get_mut(keyword) {
            Some((count, _)) => *count += 1,
            None => drop(self.0.insert(keyword.to_owned(), (1, line))),
        }
    }

    fn first(&self) -> Option<(&str, usize)> {
        self.0.iter().map(|(keyword, &(_, line))| (keyword.as_str(), line)).min_by_key(|&(_, line)| line)
    }

    /// Adds a note for each keyword, in the order of the file.
    fn note(self, notes: &mut Vec<String>) {
        let mut all: Vec<_> = self.0.into_iter().map(|(keyword, (n, line))| (line, keyword, n)).collect();
        all.sort_unstable();
        let (named, others) = all.split_at(all.len().min(MOST_NAMED));
        notes.extend(named.iter().map(|(line, keyword, n)| {
            let statements = if *n == 1 { "statement" } else { "statements" };
            format!("{n} unknown '{}' {statements} left out, first on line {line}", clip(keyword))
        }));
        if !others.is_empty() {
            let count: usize = others.iter().map(|(_, _, n)| n).sum();
            notes.push(format!("statements of {} more unknown keywords left out: {count}", others.len()));
        }
    }
}

/// Returns the vertex of a face's corner `v`, `v/vt`, `v//vn` or `v/vt/vn`, counted from 1, or back from the
/// latest vertex if negative. A vertex may follow its face, so the upper limit is checked at the end.
fn vertex_index(corner: &str, count: usize) -> Result<u32, String> {
    let index = corner.split('/').next().unwrap_or_default();
    let given: i64 = index.parse().map_err(|_| format!("'{}' is not a vertex index", clip(corner)))?;
    let from_zero = match given {
        0 => return Err("the vertex index 0: vertices count from 1".to_owned()),
        1.. => given - 1,
        ..0 => i64::try_from(count).unwrap_or(i64::MAX).saturating_add(given),
    };
    u32::try_from(from_zero).map_err(|_| format!("the vertex index {given} after {count} vertices"))
}

/// Iterates over lines, each with its number from 1. A line that ends in a backslash is joined to the next,
/// except in a comment, which may end with the path of a Windows folder.
fn logical_lines(text: &str) -> impl Iterator<Item = (usize, Cow<'_, str>)> {
    let mut lines = lines(text).enumerate();
    std::iter::from_fn(move || {
        let (first, line) = lines.next()?;
        let mut line = Cow::Borrowed(line);
        let mut commented = line.contains('#');
        while !commented && let Some(head) = line.trim_end().strip_suffix('\\').map(str::len) {
            let tail = lines.next().map_or("", |(_, tail)| tail);
            commented = tail.contains('#');
            let joined = line.to_mut();
            joined.truncate(head);
            joined.push(' ');
            joined.push_str(tail);
        }
        Some((first + 1, line))
    })
}
