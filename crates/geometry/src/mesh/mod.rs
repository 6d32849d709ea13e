//! Triangle meshes in their own frame, welded by exact position.

pub mod health;
pub mod polygon;
pub mod topology;

use std::hash::BuildHasher;

use glam::DVec3;
use hashbrown::hash_table::Entry;
use hashbrown::{DefaultHashBuilder, HashTable};

use crate::bounds::aabb::Aabb;
use crate::lanes::{Select, Simd, SimdBase, f64x4, in_lanes};
use crate::math::pose::{Pose, flush_tiny};

/// Vertices in f64 (one per distinct position that a triangle uses) and triangles in the file's order.
///
/// Degenerate and duplicate triangles are kept, so triangle indices are the face indices of the file.
#[derive(Clone, Debug, PartialEq)]
pub struct Mesh {
    vertices: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
}

/// The reason why a mesh was refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MeshError {
    /// A triangle refers to a vertex that does not exist.
    #[error("triangle {triangle} uses vertex {vertex}, but there are {count} vertices")]
    IndexOutOfRange {
        /// Index of the triangle, from 0.
        triangle: usize,
        /// The vertex index given.
        vertex: u32,
        /// Number of vertices.
        count: usize,
    },
    /// A coordinate is NaN or infinite.
    #[error("vertex {vertex} has the coordinate {value}, which is not a finite number")]
    NotFinite {
        /// Index of the vertex, from 0 in the file's order.
        vertex: usize,
        /// The coordinate given.
        value: f64,
    },
    /// There are more than 2^30 - 2 vertices or triangles.
    #[error("{count} {what} are more than the limit of {limit}", limit = MOST)]
    TooMany {
        /// "vertices" or "triangles".
        what: &'static str,
        /// Their number.
        count: usize,
    },
    /// There are no triangles.
    #[error("it has no triangles")]
    Empty,
    /// The numbers of a flat list do not come in threes.
    #[error("{count} {what} are not three for each {of}")]
    Ragged {
        /// "coordinates" or "corners".
        what: &'static str,
        /// "vertex" or "triangle".
        of: &'static str,
        /// Their number.
        count: usize,
    },
}

/// Largest number of vertices, and of triangles: indices and a bit or two in addition to them fit in 32 bits.
pub const MOST: usize = (1 << 30) - 2;

impl Mesh {
    /// Checks and welds a mesh. `vertices` may repeat positions (STL does); -0 and 0 are one position. A
    /// position is an array of its coordinates, or anything that can become one, such as a [`DVec3`].
    ///
    /// # Errors
    /// [`MeshError`], naming the first offending element.
    pub fn new<P: Copy + Into<[f64; 3]>>(vertices: &[P], triangles: &[[u32; 3]]) -> Result<Self, MeshError> {
        for (what, count) in [("vertices", vertices.len()), ("triangles", triangles.len())] {
            if count > MOST {
                return Err(MeshError::TooMany { what, count });
            }
        }
        if triangles.is_empty() {
            return Err(MeshError::Empty);
        }
        for (vertex, &position) in vertices.iter().enumerate() {
            if let Some(value) = position.into().into_iter().find(|x| !x.is_finite()) {
                return Err(MeshError::NotFinite { vertex, value });
            }
        }
        let mut welded = Welded::with_capacity(vertices.len().min(triangles.len()));
        // Looks up a position once per vertex rather than once per corner.
        const NEW: u32 = u32::MAX;
        let mut numbers = vec![NEW; vertices.len()];
        let mut renumbered = Vec::with_capacity(triangles.len());
        for (triangle, corners) in triangles.iter().enumerate() {
            let mut out = *corners;
            for corner in &mut out {
                let vertex = *corner;
                let Some(number) = numbers.get_mut(vertex as usize) else {
                    return Err(MeshError::IndexOutOfRange { triangle, vertex, count: vertices.len() });
                };
                if *number == NEW {
                    let position = DVec3::from_array(vertices[vertex as usize].into());
                    *number = welded.number(position + DVec3::ZERO); // -0 becomes 0
                }
                *corner = *number;
            }
            renumbered.push(out);
        }
        let mut welded = welded.positions;
        welded.shrink_to_fit();
        Ok(Self { vertices: welded, triangles: renumbered })
    }

    /// Checks and welds a mesh given as plain numbers: x, y and z of each vertex, and the three corners of
    /// each triangle, as indices of vertices.
    ///
    /// ```
    /// use closefit_geometry::mesh::{Mesh, MeshError};
    ///
    /// let coordinates = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
    /// let mesh = Mesh::from_flat(&coordinates, &[0, 1, 2])?;
    /// assert_eq!((mesh.vertices().len(), mesh.triangles()), (3, &[[0, 1, 2]][..]));
    ///
    /// let refused = Mesh::from_flat(&coordinates[..8], &[0, 1, 2]).expect_err("a vertex lacks its z");
    /// assert_eq!(refused.to_string(), "8 coordinates are not three for each vertex");
    /// # Ok::<(), MeshError>(())
    /// ```
    ///
    /// # Errors
    /// [`MeshError`], naming the first offending element.
    pub fn from_flat(coordinates: &[f64], corners: &[u32]) -> Result<Self, MeshError> {
        let vertices = in_threes(coordinates, "coordinates", "vertex")?;
        Self::new(vertices, in_threes(corners, "corners", "triangle")?)
    }

    /// Returns the mesh with its vertices moved. Vertices that then share a position are not welded.
    pub fn with_vertices(&self, vertices: Vec<DVec3>) -> Self {
        assert_eq!(vertices.len(), self.vertices.len());
        Self { vertices, triangles: self.triangles.clone() }
    }

    /// Returns the distinct positions, in the order of their first appearance.
    pub fn vertices(&self) -> &[DVec3] {
        &self.vertices
    }

    /// Returns corner indices into [`Mesh::vertices`], in the file's order.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Returns the same triangles with moved vertices, some of which may now coincide.
    pub fn moved(&self, to: impl Fn(DVec3) -> DVec3) -> Self {
        self.reshaped(self.vertices.iter().map(|&v| to(v)).collect())
    }

    /// Returns the same triangles with other vertices, given in the order of these. Some of them may
    /// coincide.
    pub fn reshaped(&self, vertices: Vec<DVec3>) -> Self {
        Self { vertices, triangles: self.triangles.clone() }
    }

    /// Returns the exact box of the posed vertices, ignoring coordinates that are NaN.
    pub fn posed_bounds(&self, pose: &Pose) -> Aabb {
        in_lanes!(simd => posed_bounds(simd, &self.vertices, pose))
    }

    /// Returns the memory of vertices and triangles in bytes.
    pub fn bytes(&self) -> usize {
        size_of_val(self.vertices.as_slice()) + size_of_val(self.triangles.as_slice())
    }

    /// Returns the three corners of a triangle, unposed.
    #[inline]
    pub fn corners(&self, triangle: u32) -> [DVec3; 3] {
        let [a, b, c] = self.triangles[triangle as usize];
        [self.vertices[a as usize], self.vertices[b as usize], self.vertices[c as usize]]
    }
}

/// Returns the items of a list three by three.
fn in_threes<'a, T>(items: &'a [T], what: &'static str, of: &'static str) -> Result<&'a [[T; 3]], MeshError> {
    match items.as_chunks() {
        (threes, []) => Ok(threes),
        _ => Err(MeshError::Ragged { what, of, count: items.len() }),
    }
}

/// Distinct positions and their indices. The randomly hashed order of the table decides nothing.
struct Welded {
    positions: Vec<DVec3>,
    places: HashTable<u32>,
    hasher: DefaultHashBuilder,
}

impl Welded {
    fn with_capacity(capacity: usize) -> Self {
        let places = HashTable::with_capacity(capacity);
        Self { positions: Vec::with_capacity(capacity), places, hasher: DefaultHashBuilder::default() }
    }

    /// Returns the index of a position, adding it if it is new. The position must not contain -0.
    #[inline]
    fn number(&mut self, position: DVec3) -> u32 {
        let Self { positions, places, hasher } = self;
        let hash = |p: DVec3| hasher.hash_one((p.x.to_bits(), p.y.to_bits(), p.z.to_bits()));
        let same = |&place: &u32| positions[place as usize] == position;
        match places.entry(hash(position), same, |&place| hash(positions[place as usize])) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(vacant) => {
                let place = crate::ids::to_u32(positions.len());
                vacant.insert(place);
                positions.push(position);
                place
            }
        }
    }
}

/// Returns the exact box of some vertices at a pose, as [`Pose::apply`] places each, with coordinates in
/// lanes. Coordinates below 2^-200 become 0 at the end, which keeps their order.
#[inline(always)]
fn posed_bounds<S: Simd>(simd: S, vertices: &[DVec3], pose: &Pose) -> Aabb {
    let [p, q, r] = &pose.rows;
    // The last lane repeats the third coordinate.
    let column = |j: usize| f64x4::load_array(simd, [p[j], q[j], r[j], r[j]]);
    let [x, y, z, shift] = [column(0), column(1), column(2), column(3)];
    let (mut lo, mut hi) = (f64x4::splat(simd, f64::INFINITY), f64x4::splat(simd, f64::NEG_INFINITY));
    for v in vertices {
        let posed = ((x * v.x + y * v.y) + z * v.z) + shift;
        // NaN is neither less nor greater.
        lo = posed.simd_lt(lo).select(posed, lo);
        hi = posed.simd_gt(hi).select(posed, hi);
    }
    let [lo, hi] = [lo, hi].map(|p| flush_tiny(DVec3::new(p[0], p[1], p[2])));
    Aabb { lo, hi }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::testing::Stream;

    /// Against each vertex posed for itself: near and far, at coordinates that vanish or that are no number.
    #[test]
    fn a_posed_box_is_the_box_of_all_posed_vertices() {
        let mut stream = Stream(5);
        for case in 0..2_000 {
            let unit = stream.pick(&[1.0, 1e-60, 1e-61, 1e300]);
            let count = 3 + case % 7;
            let vertices: Vec<DVec3> = (0..count).map(|_| stream.point() * unit).collect();
            let triangles: Vec<[u32; 3]> = (2..count as u32).map(|last| [0, last - 1, last]).collect();
            let Ok(mesh) = Mesh::new(&vertices, &triangles) else { continue };
            let shift = stream.point() * stream.pick(&[0.0, 1.0, 1e9]);
            let [x, y, z] = stream.point().to_array();
            let scale = [stream.pick(&[1.0, -1.0, 1e10]), 1.0, stream.pick(&[1.0, 0.0])];
            let Some(pose) = Pose::from_trs([x, y, z, 1.0], scale, shift.to_array()) else { continue };
            let ends = |p: DVec3, end: DVec3, pick: fn(f64, f64) -> f64| {
                DVec3::new(pick(end.x, p.x), pick(end.y, p.y), pick(end.z, p.z))
            };
            let posed = || mesh.vertices().iter().map(|&v| pose.apply(v));
            let lo = posed().fold(DVec3::INFINITY, |lo, p| ends(p, lo, f64::min));
            let hi = posed().fold(DVec3::NEG_INFINITY, |hi, p| ends(p, hi, f64::max));
            let found = mesh.posed_bounds(&pose);
            let bits = |p: DVec3| p.to_array().map(f64::to_bits);
            assert_eq!([bits(found.lo), bits(found.hi)], [bits(lo), bits(hi)], "case {case}: {found:?}");
        }
    }
}
