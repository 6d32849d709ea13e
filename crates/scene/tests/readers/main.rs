//! The readers on files made here, without the rest of the engine.

#![allow(clippy::disallowed_methods)]

#[cfg(feature = "collada")]
mod collada;
mod in_memory;
mod missing;
#[cfg(feature = "mjcf")]
mod mjcf;
mod packages;
mod polygons;
mod primitives;
#[cfg(feature = "sdf")]
mod sdf;
mod texts;

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
