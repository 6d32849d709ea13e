//! Edge uses and corner sets: the triangles of a mesh, sorted so that neighbours are adjacent.
//!
//! Sorting fixes the order of every answer and uses memory better than a hash map.

use std::cmp::Ordering;
use std::ops::Range;

use crate::ids::to_u32;
use crate::mesh::Mesh;

/// The use of an edge by one face. Sorts by edge, then by face.
///
/// Faces are the triangles of the mesh and, numbered after them, the polygons that close its seams.
#[derive(Clone, Copy, PartialEq, Eq)]
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
    #[inline]
    pub fn new(face: u32, from: u32, to: u32) -> Self {
        Self { edge: [from.min(to), from.max(to)], face, forward: from < to }
    }

    fn same_edge(&self, other: &Self) -> bool {
        self.edge == other.edge
    }

    /// Returns two numbers: uses are in the order of the first, and of the second where those are equal.
    #[inline]
    fn key(&self) -> (u64, u64) {
        let [low, high] = self.edge.map(u64::from);
        (low << 32 | high, u64::from(self.face) << 1 | u64::from(self.forward))
    }
}

impl Ord for EdgeUse {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}

impl PartialOrd for EdgeUse {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
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
    pub fn among(mesh: &Mesh, triangles: impl Iterator<Item = u32> + Clone) -> Self {
        // Dealt to their lower ends, without a list of them in the order of the triangles.
        let mut places = vec![0; mesh.vertices().len()];
        let mut count = |from: u32, to: u32| places[from.min(to) as usize] += usize::from(from != to);
        for triangle in triangles.clone() {
            let [a, b, c] = mesh.triangles()[triangle as usize];
            count(a, b);
            count(b, c);
            count(c, a);
        }
        let total = begin_of_each(&mut places);
        let mut uses = vec![EdgeUse { edge: [0; 2], face: 0, forward: false }; total];
        let mut put = |triangle: u32, from: u32, to: u32| {
            if from != to {
                let place = &mut places[from.min(to) as usize];
                uses[*place] = EdgeUse::new(triangle, from, to);
                *place += 1;
            }
        };
        for triangle in triangles {
            let [a, b, c] = mesh.triangles()[triangle as usize];
            put(triangle, a, b);
            put(triangle, b, c);
            put(triangle, c, a);
        }
        sort_each(&mut uses, &places);
        Self::of_sorted(uses)
    }

    /// Adds the uses of further faces.
    pub fn with(mut self, more: impl Iterator<Item = EdgeUse>) -> Self {
        self.uses.extend(more);
        // Few are added, and this sort makes use of what is sorted already.
        self.uses.sort();
        Self::of_sorted(self.uses)
    }

    fn of_sorted(uses: Vec<EdgeUse>) -> Self {
        let mut irregular = Vec::new();
        let mut start = 0;
        while let Some(first) = uses.get(start) {
            let others = uses[start + 1..].iter().take_while(|other| other.same_edge(first));
            let end = start + 1 + others.count();
            if !is_regular(&uses[start..end]) {
                irregular.push(start..end);
            }
            start = end;
        }
        Self { uses, irregular }
    }

    /// Returns the uses of each edge.
    pub fn all(&self) -> impl Iterator<Item = &[EdgeUse]> {
        self.uses.chunk_by(EdgeUse::same_edge)
    }

    /// Returns the faces of all uses that follow each other and are of one edge.
    pub fn neighbours(&self) -> impl Iterator<Item = [u32; 2]> {
        let pairs = self.uses.iter().zip(self.uses.iter().skip(1));
        pairs.filter(|(one, other)| one.same_edge(other)).map(|(one, other)| [one.face, other.face])
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
    begin_of_each(&mut places);
    let mut sorted = items.to_vec();
    for item in items {
        let place = &mut places[key(item)];
        sorted[*place] = *item;
        *place += 1;
    }
    sort_each(&mut sorted, &places);
    (sorted, places)
}

/// Turns the numbers of items with each key into the places where they begin. Returns the number of all.
fn begin_of_each(places: &mut [usize]) -> usize {
    let mut before = 0;
    for place in places {
        before += std::mem::replace(place, before);
    }
    before
}

/// Longest part that is sorted by insertion.
const FEW: usize = 20;

/// Sorts each part of a list, given by the ends of all parts.
fn sort_each<T: Copy + Ord>(items: &mut [T], ends: &[usize]) {
    let mut start = 0;
    for &end in ends {
        let part = &mut items[start..end];
        start = end;
        if part.len() > FEW {
            part.sort_unstable();
            continue;
        }
        for sorted in 1..part.len() {
            let item = part[sorted];
            let mut place = sorted;
            while place > 0 && part[place - 1] > item {
                part[place] = part[place - 1];
                place -= 1;
            }
            part[place] = item;
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::testing::Stream;
    use glam::DVec3;

    /// Edges of random triangles, some of which repeat a corner or another triangle, and of a fan around the
    /// lowest vertex, against a list of all sides that is sorted as a whole.
    #[test]
    fn uses_are_sorted() {
        let mut stream = Stream(3);
        for case in 0..2_000 {
            let count = 3 + stream.below(if case % 10 == 0 { 60 } else { 6 });
            let points: Vec<DVec3> = (0..count).map(|i| DVec3::splat(i as f64)).collect();
            let mut corner = || stream.below(count) as u32;
            let fan = (1..count as u32 - 1).map(|i| [0, i + 1, i]);
            let triangles: Vec<[u32; 3]> =
                fan.chain((0..count).map(|_| [corner(), corner(), corner()])).collect();
            let mesh = Mesh::new(&points, &triangles).expect("valid");
            let sides = (0..).zip(mesh.triangles()).flat_map(|(t, &[a, b, c])| {
                [[a, b], [b, c], [c, a]].map(|[from, to]| (from.min(to), from.max(to), t, from < to))
            });
            let mut expected: Vec<_> = sides.filter(|(low, high, ..)| low != high).collect();
            expected.sort_unstable();
            let edges = Edges::of(&mesh);
            let plain = |one: &EdgeUse| (one.edge[0], one.edge[1], one.face, one.forward);
            assert!(edges.all().flatten().map(plain).eq(expected.iter().copied()));
            let by_edge = || expected.chunk_by(|x, y| (x.0, x.1) == (y.0, y.1));
            let is_irregular = |uses: &&[(u32, u32, u32, bool)]| {
                uses.len() != 2 || uses[0].2 == uses[1].2 || uses[0].3 == uses[1].3
            };
            let irregular = by_edge().filter(is_irregular).map(<[_]>::to_vec);
            assert!(edges.irregular().map(|uses| uses.iter().map(plain).collect::<Vec<_>>()).eq(irregular));
            let neighbours = by_edge().flat_map(|uses| uses.windows(2)).map(|pair| [pair[0].2, pair[1].2]);
            assert!(edges.neighbours().eq(neighbours));
            // With more faces, as with all at once.
            let more = [EdgeUse::new(9_999, 1, 0), EdgeUse::new(9_998, 1, 2)];
            expected.extend(more.iter().map(plain));
            expected.sort_unstable();
            let with_more = edges.with(more.into_iter());
            assert!(with_more.all().flatten().map(plain).eq(expected.iter().copied()));
        }
    }
}
