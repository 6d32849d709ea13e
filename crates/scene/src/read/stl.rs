//! STL, binary and text. A file is binary if its size matches its triangle count, whatever word it begins
//! with; otherwise it must be text. Normals and attribute bytes do not affect the surface and are not read.

use glam::DVec3;

use super::error::{Fault, clip};
use super::surface::Surface;
use super::text::{decoded, lines, on_line, point};

const HEADER: usize = 84;
const FACET: usize = 50;

/// Reads an STL file. The solids of a text file are its objects.
pub(super) fn parse(bytes: &[u8]) -> Result<Surface, Fault> {
    let mut objects = Vec::new();
    let corners = match bytes.get(80..HEADER) {
        Some(count) if binary_size(count) == Some(bytes.len()) => binary(&bytes[HEADER..])?,
        count => {
            let text = decoded(bytes)?;
            if !text.trim_start().get(..5).is_some_and(|word| word.eq_ignore_ascii_case("solid")) {
                return Err(neither(count, bytes.len()));
            }
            ascii(&text, &mut objects)?
        }
    };
    let triangles: Vec<[u32; 3]> = corners
        .chunks_exact(3)
        .enumerate()
        .map(|(i, _)| std::array::from_fn(|k| u32::try_from(3 * i + k).unwrap_or(u32::MAX)))
        .collect();
    Ok(Surface { vertices: corners, triangles, objects, are_groups: false })
}

fn triangle_count(four: &[u8]) -> u32 {
    u32::from_le_bytes([four[0], four[1], four[2], four[3]])
}

fn binary_size(count: &[u8]) -> Option<usize> {
    usize::try_from(triangle_count(count)).ok()?.checked_mul(FACET)?.checked_add(HEADER)
}

fn neither(count: Option<&[u8]>, size: usize) -> Fault {
    let why = match count {
        None => format!("{size} bytes that neither begin with 'solid' nor fill the header of {HEADER}"),
        Some(count) => {
            let triangles = triangle_count(count);
            let needed = HEADER as u64 + FACET as u64 * u64::from(triangles);
            format!("it says {triangles} triangles, which take {needed} bytes, but the file has {size}")
        }
    };
    Fault::at("binary STL", why)
}

fn binary(facets: &[u8]) -> Result<Vec<DVec3>, Fault> {
    let mut corners = Vec::with_capacity(facets.len() / FACET * 3);
    for (triangle, facet) in facets.chunks_exact(FACET).enumerate() {
        for vertex in facet[12..48].chunks_exact(12) {
            let coordinate = |k: usize| {
                let b = &vertex[4 * k..];
                f64::from(f32::from_le_bytes([b[0], b[1], b[2], b[3]]))
            };
            let vertex = DVec3::new(coordinate(0), coordinate(1), coordinate(2));
            if let Some(value) = vertex.to_array().into_iter().find(|x| !x.is_finite()) {
                let why = format!("the coordinate {value} is not a finite number");
                return Err(Fault::at(format!("triangle {triangle}"), why));
            }
            corners.push(vertex);
        }
    }
    Ok(corners)
}

/// State of the text parser between two lines.
#[derive(Clone, Copy)]
enum Within {
    File,
    Solid,
    Facet,
    Loop(usize),
    Looped,
}

/// Returns the corners of all triangles. Adds the solids.
fn ascii(text: &str, solids: &mut Vec<(String, usize)>) -> Result<Vec<DVec3>, Fault> {
    let mut corners = Vec::new();
    let mut within = Within::File;
    for (line, content) in lines(text).enumerate() {
        let line = line + 1;
        let mut tokens = content.split_ascii_whitespace();
        let Some(word) = tokens.next() else { continue };
        within = match (within, word.to_ascii_lowercase().as_str()) {
            (Within::File, "solid") => {
                let name: Vec<&str> = tokens.collect();
                solids.push((name.join(" "), corners.len() / 3));
                Within::Solid
            }
            (Within::Solid, "facet") => Within::Facet,
            (Within::Facet, "outer") => Within::Loop(0),
            (Within::Loop(n @ 0..3), "vertex") => {
                corners.push(point(&mut tokens).map_err(|why| on_line(line, why))?);
                if let Some(extra) = tokens.next() {
                    return Err(on_line(line, format!("'{}' after three coordinates", clip(extra))));
                }
                Within::Loop(n + 1)
            }
            (Within::Loop(3), "endloop") => Within::Looped,
            (Within::Loop(n), "endloop") => {
                return Err(on_line(line, format!("a facet of {n} vertices instead of 3")));
            }
            (Within::Looped, "endfacet") => Within::Solid,
            (Within::Solid, "endsolid") => Within::File,
            (_, _) => {
                return Err(on_line(line, format!("'{}' where {} should be", clip(word), within.expects())));
            }
        };
    }
    match within {
        Within::File => Ok(corners),
        _ => Err(Fault::at(
            "end of file",
            format!("{} should follow: the file is cut short", within.expects()),
        )),
    }
}

impl Within {
    fn expects(self) -> &'static str {
        match self {
            Self::File => "'solid'",
            Self::Solid => "'facet' or 'endsolid'",
            Self::Facet => "'outer loop'",
            Self::Loop(0..3) => "'vertex'",
            Self::Loop(_) => "'endloop'",
            Self::Looped => "'endfacet'",
        }
    }
}
