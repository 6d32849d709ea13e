//! Edge uses and corner sets: the triangles of a mesh, sorted so that neighbours are adjacent.
//!
//! Sorting fixes the order of every answer and uses memory better than a hash map.

use std::ops::Range;

use crate::ids::to_u32;
use crate::mesh::Mesh;

/// The use of an edge by one face. Sorts by edge, then by face.
///
/// Faces are the triangles of the mesh and, numbered after them, the polygons that close its seams.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct EdgeUse {
    /// End points of the edge, the lower vertex first.
    pub edge: [u32; 2],
    /// The face, a number of the caller's.
    pub face: u32,
    /// True when the face runs from the lower vertex to the higher.
    pub forward: bool,
}

impl EdgeUse {
    /// The edge of a face from one vertex to another.
    pub fn new(face: u32, from: u32, to: u32) -> Self {
        Self { edge: [from.min(to), from.max(to)], face, forward: from < to }
    }

    fn same_edge(&self, other: &Self) -> bool {
        self.edge == other.edge
    }
}

/// All uses of all edges, sorted.
pub struct Edges {
    uses: Vec<EdgeUse>,
    /// Ranges of the uses of each edge that is not [`is_regular`].
    irregular: Vec<Range<usize>>,
}

/// True for an edge where two faces meet that run along it in opposite directions.
fn is_regular(uses: &[EdgeUse]) -> bool {
    matches!(uses, [f, g] if f.face != g.face && f.forward != g.forward)
}

impl Edges {
    /// Collects the edges of a mesh's triangles. A repeated corner gives no edge from a vertex to itself:
    /// that is a point, and components do not connect across points. The two other sides of such a triangle
    /// are one edge, used in both directions.
    pub fn of(mesh: &Mesh) -> Self {
        Self::among(mesh, 0..to_u32(mesh.triangles().len()))
    }

    /// Collects the edges of some of a mesh's triangles.
    pub fn among(mesh: &Mesh, triangles: impl Iterator<Item = u32>) -> Self {
        let mut uses = Vec::with_capacity(3 * triangles.size_hint().0);
        for triangle in triangles {
            let [a, b, c] = mesh.triangles()[triangle as usize];
            let sides = [(a, b), (b, c), (c, a)].into_iter().filter(|(from, to)| from != to);
            uses.extend(sides.map(|(from, to)| EdgeUse::new(triangle, from, to)));
        }
        Self::sorted(uses)
    }

    /// Adds the uses of further faces.
    pub fn with(mut self, more: impl Iterator<Item = EdgeUse>) -> Self {
        self.uses.extend(more);
        Self::sorted(self.uses)
    }

    fn sorted(uses: Vec<EdgeUse>) -> Self {
        let (uses, _) = dealt(&uses, |one| one.edge[0] as usize);
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

    /// Returns the uses of each edge.
    pub fn all(&self) -> impl Iterator<Item = &[EdgeUse]> {
        self.uses.chunk_by(EdgeUse::same_edge)
    }

    /// Returns the uses of an edge, given by its ends in ascending order.
    pub fn uses_of(&self, edge: [u32; 2]) -> &[EdgeUse] {
        let first = self.uses.partition_point(|one| one.edge < edge);
        let count = self.uses[first..].partition_point(|one| one.edge == edge);
        &self.uses[first..first + count]
    }

    /// Returns the uses of each edge, except edges where two faces meet that run along it in opposite
    /// directions.
    pub fn irregular(&self) -> impl Iterator<Item = &[EdgeUse]> {
        self.irregular.iter().map(|range| &self.uses[range.clone()])
    }
}

/// Returns items in order, and the end of those with each key: dealt to their keys, by which they are ordered
/// first, and sorted among the few with one key.
pub(super) fn dealt<T: Copy + Ord>(items: &[T], key: impl Fn(&T) -> usize) -> (Vec<T>, Vec<usize>) {
    let keys = items.iter().map(&key).max().map_or(0, |last| last + 1);
    // For each key, the next free place; after all are dealt, that is where the next key begins.
    let mut places = vec![0; keys];
    items.iter().for_each(|item| places[key(item)] += 1);
    let mut before = 0;
    for place in &mut places {
        before += std::mem::replace(place, before);
    }
    let mut sorted = items.to_vec();
    for item in items {
        let place = &mut places[key(item)];
        sorted[*place] = *item;
        *place += 1;
    }
    let mut start = 0;
    for &end in &places {
        sorted[start..end].sort_unstable();
        start = end;
    }
    (sorted, places)
}

/// Returns the uses of one edge by faces that use it once. Triangles that repeat a corner use it in both
/// directions.
pub fn proper(uses: &[EdgeUse]) -> impl Iterator<Item = &EdgeUse> {
    let by_face = uses.chunk_by(|f, g| f.face == g.face);
    by_face.filter(|same| same.len() == 1).map(|same| &same[0])
}

/// A triangle as its corners in ascending order. Sorts by corners, then by triangle.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::mesh) struct CornerSet {
    pub corners: [u32; 3],
    pub triangle: u32,
    /// True when the triangle runs through its corners in ascending order, up to rotation.
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

/// Returns the corner sets of triangles, sorted.
pub(in crate::mesh) fn corner_sets(mesh: &Mesh, triangles: impl Iterator<Item = u32>) -> Vec<CornerSet> {
    let sets: Vec<_> = triangles.map(|t| CornerSet::new(t, mesh.triangles()[t as usize])).collect();
    dealt(&sets, |set| set.corners[0] as usize).0
}

/// True for a triangle that repeats a corner index, and so is a segment or a point.
pub fn repeats_a_corner([a, b, c]: [u32; 3]) -> bool {
    a == b || b == c || c == a
}
