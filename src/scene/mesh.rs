//! A triangle mesh in its own frame, welded by exact position.

use std::collections::HashMap;

use glam::DVec3;

/// Vertices in f64 (one per distinct position that a triangle uses) and triangles in the file's order.
///
/// Degenerate and duplicate triangles are kept: triangle indices are the file's face indices.
#[derive(Clone, Debug, PartialEq)]
pub struct Mesh {
    vertices: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
}

/// Why a mesh was refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MeshError {
    /// A triangle names a vertex that is not there.
    #[error("triangle {triangle} uses vertex {vertex}, but there are {count} vertices")]
    IndexOutOfRange {
        /// Triangle, from 0.
        triangle: usize,
        /// The index given.
        vertex: u32,
        /// How many vertices there are.
        count: usize,
    },
    /// A NaN or an infinity.
    #[error("vertex {vertex} has the coordinate {value}, which is not a finite number")]
    NotFinite {
        /// Vertex, from 0 in the file's order.
        vertex: usize,
        /// The coordinate given.
        value: f64,
    },
    /// More than `u32` can count.
    #[error("{count} {what} are more than the limit of {limit}", limit = MOST)]
    TooMany {
        /// Vertices or triangles.
        what: &'static str,
        /// How many.
        count: usize,
    },
    /// No triangle at all.
    #[error("it has no triangles")]
    Empty,
}

/// Most vertices, and most triangles: indices and a bit or two beside them fit in 32 bits.
pub const MOST: usize = (1 << 30) - 2;

impl Mesh {
    /// Checks and welds. `vertices` may repeat positions (STL does); -0 and 0 are one position.
    ///
    /// # Errors
    /// [`MeshError`], naming the first culprit.
    pub fn new(vertices: &[DVec3], triangles: &[[u32; 3]]) -> Result<Self, MeshError> {
        for (what, count) in [("vertices", vertices.len()), ("triangles", triangles.len())] {
            if count > MOST {
                return Err(MeshError::TooMany { what, count });
            }
        }
        if triangles.is_empty() {
            return Err(MeshError::Empty);
        }
        for (vertex, position) in vertices.iter().enumerate() {
            if let Some(value) = position.to_array().into_iter().find(|x| !x.is_finite()) {
                return Err(MeshError::NotFinite { vertex, value });
            }
        }
        let mut welded = Vec::new();
        let mut seen: HashMap<[u64; 3], u32> = HashMap::with_capacity(vertices.len() / 2);
        let mut renumbered = Vec::with_capacity(triangles.len());
        // A position is looked up once for each vertex, not for each corner.
        const NEW: u32 = u32::MAX;
        let mut numbers = vec![NEW; vertices.len()];
        for (triangle, corners) in triangles.iter().enumerate() {
            let mut out = [0; 3];
            for (slot, &vertex) in out.iter_mut().zip(corners) {
                let count = vertices.len();
                let outside = MeshError::IndexOutOfRange { triangle, vertex, count };
                let number = numbers.get_mut(vertex as usize).ok_or(outside)?;
                if *number == NEW {
                    let position = vertices[vertex as usize] + DVec3::ZERO; // -0 becomes 0
                    *number = *seen.entry(position.to_array().map(f64::to_bits)).or_insert_with(|| {
                        welded.push(position);
                        crate::ids::to_u32(welded.len() - 1)
                    });
                }
                *slot = *number;
            }
            renumbered.push(out);
        }
        welded.shrink_to_fit();
        Ok(Self { vertices: welded, triangles: renumbered })
    }

    /// Distinct positions, in the order of their first appearance.
    pub fn vertices(&self) -> &[DVec3] {
        &self.vertices
    }

    /// Corner indices into [`Mesh::vertices`], in the file's order.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// The same triangles between moved vertices, of which some may now coincide.
    pub(crate) fn moved(&self, to: impl Fn(DVec3) -> DVec3) -> Self {
        Self { vertices: self.vertices.iter().map(|&v| to(v)).collect(), triangles: self.triangles.clone() }
    }

    /// Memory of vertices and triangles.
    pub fn bytes(&self) -> usize {
        size_of_val(self.vertices.as_slice()) + size_of_val(self.triangles.as_slice())
    }

    /// The three corners of a triangle, unposed.
    pub fn corners(&self, triangle: u32) -> [DVec3; 3] {
        self.triangles[triangle as usize].map(|v| self.vertices[v as usize])
    }
}
