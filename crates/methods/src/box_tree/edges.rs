//! The distinct edges of a mesh, and the triangles that have them.

use closefit_geometry::ids::to_u32;
use closefit_geometry::mesh::Mesh;

/// The distinct edges of a mesh. A triangle whose corners are one point has that point as its edge.
#[derive(Clone, Debug, PartialEq)]
pub struct Edges {
    /// The ends, as vertices of the mesh, the lower first; sorted.
    pub ends: Vec<[u32; 2]>,
    /// The index of an edge's first triangle in `triangles`, by edge; then their number.
    first: Vec<u32>,
    /// The triangles of the edges, in their order.
    triangles: Vec<u32>,
}

impl Edges {
    /// Collects the edges of a mesh.
    pub fn of(mesh: &Mesh) -> Self {
        let mut uses: Vec<([u32; 2], u32)> = Vec::with_capacity(3 * mesh.triangles().len());
        for (&[a, b, c], triangle) in mesh.triangles().iter().zip(0u32..) {
            let is_point = a == b && b == c;
            let sides = [(a, b), (b, c), (c, a)].into_iter().filter(|(p, q)| p != q || is_point);
            uses.extend(sides.map(|(p, q)| ([p.min(q), p.max(q)], triangle)));
        }
        uses.sort_unstable();
        uses.dedup();
        let (mut ends, mut first) = (Vec::new(), Vec::new());
        for (edge, at) in uses
            .chunk_by(|x, y| x.0 == y.0)
            .map(<[_]>::len)
            .scan(0, |at, len| Some((uses[*at].0, std::mem::replace(at, *at + len))))
        {
            ends.push(edge);
            first.push(to_u32(at));
        }
        first.push(to_u32(uses.len()));
        Self { ends, first, triangles: uses.into_iter().map(|(_, triangle)| triangle).collect() }
    }

    /// Returns the triangles that have an edge.
    pub fn triangles(&self, edge: u32) -> &[u32] {
        let edge = edge as usize;
        &self.triangles[self.first[edge] as usize..self.first[edge + 1] as usize]
    }

    /// Returns the memory in bytes.
    pub fn bytes(&self) -> usize {
        size_of_val(self.ends.as_slice())
            + size_of_val(self.first.as_slice())
            + size_of_val(self.triangles.as_slice())
    }
}
