//! Edge uses and corner sets: a mesh's triangles, sorted so that neighbours stand side by side.
//!
//! Sorting keeps the order of every answer fixed and is kinder to memory than a hash map.

use std::ops::Range;

use crate::ids::to_u32;
use crate::mesh::Mesh;

/// One face's use of an edge. Sorts by edge, then face.
///
/// Faces are the mesh's triangles and, numbered after them, the polygons that close its seams.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::mesh) struct EdgeUse {
    /// The lower vertex first.
    pub edge: [u32; 2],
    pub face: u32,
    /// The face runs from the lower vertex to the higher.
    pub forward: bool,
}

impl EdgeUse {
    pub fn new(face: u32, from: u32, to: u32) -> Self {
        Self { edge: [from.min(to), from.max(to)], face, forward: from < to }
    }

    fn same_edge(&self, other: &Self) -> bool {
        self.edge == other.edge
    }
}

/// All uses of all edges, sorted.
pub(in crate::mesh) struct Edges {
    uses: Vec<EdgeUse>,
    /// Where the uses of each edge begin and end that is not [`is_regular`].
    irregular: Vec<Range<usize>>,
}

/// True for an edge where two faces meet, one running along it each way.
fn is_regular(uses: &[EdgeUse]) -> bool {
    matches!(uses, [f, g] if f.face != g.face && f.forward != g.forward)
}

impl Edges {
    /// The edges of a mesh's triangles. A repeated corner gives no edge from a vertex to itself: that is a point,
    /// and components do not connect across points; its two other sides are one edge, used both ways.
    pub fn of(mesh: &Mesh) -> Self {
        let mut uses = Vec::with_capacity(3 * mesh.triangles().len());
        for (triangle, &[a, b, c]) in mesh.triangles().iter().enumerate() {
            let sides = [(a, b), (b, c), (c, a)].into_iter().filter(|(from, to)| from != to);
            uses.extend(sides.map(|(from, to)| EdgeUse::new(to_u32(triangle), from, to)));
        }
        Self::sorted(uses)
    }

    /// The same and the uses of further faces.
    pub fn with(mut self, more: impl Iterator<Item = EdgeUse>) -> Self {
        self.uses.extend(more);
        Self::sorted(self.uses)
    }

    fn sorted(mut uses: Vec<EdgeUse>) -> Self {
        uses.sort_unstable();
        let mut irregular = Vec::new();
        let mut start = 0;
        for one in uses.chunk_by(EdgeUse::same_edge) {
            if !is_regular(one) {
                irregular.push(start..start + one.len());
            }
            start += one.len();
        }
        Self { uses, irregular }
    }

    /// The uses of each edge.
    pub fn all(&self) -> impl Iterator<Item = &[EdgeUse]> {
        self.uses.chunk_by(EdgeUse::same_edge)
    }

    /// The uses of each edge but those where two faces meet, one running along it each way.
    pub fn irregular(&self) -> impl Iterator<Item = &[EdgeUse]> {
        self.irregular.iter().map(|range| &self.uses[range.clone()])
    }
}

/// The uses of one edge by faces that do not use it both ways, as triangles do that repeat a corner.
pub(in crate::mesh) fn proper(uses: &[EdgeUse]) -> impl Iterator<Item = &EdgeUse> {
    let by_face = uses.chunk_by(|f, g| f.face == g.face);
    by_face.filter(|same| same.len() == 1).map(|same| &same[0])
}

/// A triangle by its corners in ascending order. Sorts by corners, then triangle.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::mesh) struct CornerSet {
    pub corners: [u32; 3],
    pub triangle: u32,
    /// The triangle runs through its corners in ascending order, up to rotation.
    pub even: bool,
}

impl CornerSet {
    pub fn new(triangle: u32, [a, b, c]: [u32; 3]) -> Self {
        let mut corners = [a, b, c];
        corners.sort_unstable();
        let falls = u8::from(a > b) + u8::from(b > c) + u8::from(c > a);
        Self { corners, triangle, even: falls == 1 }
    }

    pub fn same_corners(&self, other: &Self) -> bool {
        self.corners == other.corners
    }

    pub fn repeats_a_corner(&self) -> bool {
        repeats_a_corner(self.corners)
    }
}

/// The corner sets of triangles, sorted.
pub(in crate::mesh) fn corner_sets(mesh: &Mesh, triangles: impl Iterator<Item = u32>) -> Vec<CornerSet> {
    let mut sets: Vec<_> = triangles.map(|t| CornerSet::new(t, mesh.triangles()[t as usize])).collect();
    sets.sort_unstable();
    sets
}

/// True for a triangle that is a segment or a point by its corners.
pub(in crate::mesh) fn repeats_a_corner([a, b, c]: [u32; 3]) -> bool {
    a == b || b == c || c == a
}
