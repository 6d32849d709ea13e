//! The readers on files made here, without the rest of the engine.

#![allow(clippy::disallowed_methods)]

#[cfg(feature = "collada")]
mod collada;
#[cfg(feature = "draco")]
mod draco;
mod in_memory;
mod meshopt;
mod missing;
#[cfg(feature = "mjcf")]
mod mjcf;
mod off;
mod packages;
mod polygons;
mod primitives;
#[cfg(feature = "sdf")]
mod sdf;
mod texts;
#[cfg(feature = "threemf")]
mod threemf;
mod urdf;

use proptest::sample::Index;

/// Returns a text with another byte at one place, and without some bytes at another.
#[cfg(any(feature = "collada", feature = "mjcf", feature = "sdf", feature = "threemf"))]
fn damaged(text: &str, (at, byte): (usize, u8), (from, cut): (usize, usize)) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    bytes[at] = byte;
    bytes.drain(from..(from + cut).min(text.len()));
    bytes
}

/// Returns a stream with other bytes at some places.
fn with_bytes(stream: &[u8], changes: &[(Index, u8)]) -> Vec<u8> {
    let mut bytes = stream.to_vec();
    for (at, byte) in changes {
        bytes[at.index(stream.len())] = *byte;
    }
    bytes
}

/// An STL file of one triangle.
const STL: &str = "solid a
facet normal 0 0 1
outer loop
vertex 0 0 0
vertex 1 0 0
vertex 0 1 0
endloop
endfacet
endsolid a
";
