//! Loops and segments of loops on each face of the hull, and the nesting of loops.

use super::Features;
use super::loops::Loop;
use crate::ids::to_u32;
use crate::math::predicates::{Sign, orient2d, projection_of};

/// The part of a loop that lies on one face of the hull.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The face.
    pub face: u32,
    /// The loop.
    pub of: u32,
    /// The first edge, in the order of the loop.
    pub first: u32,
    /// The number of edges.
    pub edges: u32,
    /// The number of closed loops on the face around it, if it is a whole closed loop; `None` for a segment.
    pub depth: Option<u32>,
}

/// Returns the pieces of loops on each face, sorted by face, loop and first edge.
pub fn pieces(features: &Features, loops: &[Loop]) -> Vec<Piece> {
    let mut on_faces: Vec<[u32; 3]> = Vec::new();
    for (of, one) in (0..).zip(loops) {
        for (place, edge) in (0..).zip(one.edges()) {
            on_faces.extend(features.on_hull.shared_faces(edge).map(|face| [face, of, place]));
        }
    }
    on_faces.sort_unstable();
    let mut pieces = Vec::new();
    for group in on_faces.chunk_by(|a, b| a[..2] == b[..2]) {
        let [face, of, _] = group[0];
        let one = &loops[of as usize];
        let total = to_u32(one.edges().count());
        let start = pieces.len();
        for run in group.chunk_by(|a, b| a[2] + 1 == b[2]) {
            pieces.push(Piece { face, of, first: run[0][2], edges: to_u32(run.len()), depth: None });
        }
        let [head, .., last] = &mut pieces[start..] else { continue };
        // A segment may run past the end of the list of edges.
        if one.is_closed && head.first == 0 && last.first + last.edges == total {
            (head.first, head.edges) = (last.first, head.edges + last.edges);
            pieces.pop();
        }
    }
    for on_face in pieces.chunk_by_mut(|a, b| a.face == b.face) {
        nest(features, loops, on_face);
    }
    pieces
}

/// The edges of a closed loop in the projection of a face.
struct Outline {
    edges: Vec<[[f64; 2]; 2]>,
    lo: [f64; 2],
    hi: [f64; 2],
}

impl Outline {
    fn may_contain(&self, other: &Self) -> bool {
        (0..2).all(|k| self.lo[k] <= other.lo[k] && other.hi[k] <= self.hi[k])
    }

    /// True if a loop that does not cross this one lies in it. Exact.
    fn contains(&self, other: &Self) -> bool {
        other.edges.iter().find_map(|&edge| self.is_inside(edge)).unwrap_or(false)
    }

    /// True if an edge starts inside: if a ray just next to it, from just after its start, crosses an odd
    /// number of edges. `None` if the edge starts along the outline.
    fn is_inside(&self, [p, q]: [[f64; 2]; 2]) -> Option<bool> {
        let mut is_inside = false;
        for &[a, b] in &self.edges {
            let (side_a, side_b) = (orient2d(p, q, a), orient2d(p, q, b));
            if side_a.is_eq() && side_b.is_eq() && is_ahead(p, q, [a, b]) {
                return None;
            }
            // Points on the line count as left of it.
            if side_a.is_ge() != side_b.is_ge() {
                let ahead = if side_a.is_ge() { Sign::Less } else { Sign::Greater };
                is_inside ^= orient2d(a, b, p) == ahead;
            }
        }
        Some(is_inside)
    }
}

/// True if a segment on the line from `p` to `q` holds the points just after `p`.
fn is_ahead(p: [f64; 2], q: [f64; 2], [a, b]: [[f64; 2]; 2]) -> bool {
    // Along a line, lexicographic order is the order on the line.
    let (low, high) = if a < b { (a, b) } else { (b, a) };
    if p < q { low <= p && p < high } else { low < p && p <= high }
}

/// Finds the depths of the loops on one face that lie in it whole.
fn nest<'a>(features: &Features, loops: &[Loop], pieces: &'a mut [Piece]) {
    let vertices = features.mesh.vertices();
    let at = |v: u32| vertices[v as usize];
    let [a, b, c, ..] = *features.on_hull.faces.get(pieces[0].face) else { return };
    let Some(projection) = projection_of(at(a), at(b), at(c)) else { return };
    let is_whole = |piece: &Piece| {
        let one = &loops[piece.of as usize];
        one.is_closed && piece.edges as usize == one.vertices.len()
    };
    let whole = pieces.iter_mut().filter(|piece| is_whole(piece));
    let outlined = |piece: &'a mut Piece| {
        let outline = outline(&loops[piece.of as usize], |v| projection.of(at(v)));
        (piece, outline)
    };
    let mut whole: Vec<(&mut Piece, Outline)> = whole.map(outlined).collect();
    whole.sort_by(|(_, a), (_, b)| a.lo[0].total_cmp(&b.lo[0]));
    // The outlines that begin no farther right than this one and reach as far.
    let mut around: Vec<usize> = Vec::new();
    let mut begun = 0;
    for one in 0..whole.len() {
        let left = whole[one].1.lo[0];
        let new = begun..begun + whole[begun..].iter().take_while(|(_, other)| other.lo[0] <= left).count();
        begun = new.end;
        around.extend(new);
        around.retain(|&other| whole[other].1.hi[0] >= left);
        let outline = &whole[one].1;
        let contains = |&&other: &&usize| {
            let other = &whole[other].1;
            !std::ptr::eq(other, outline) && other.may_contain(outline) && other.contains(outline)
        };
        let depth = around.iter().filter(contains).count();
        whole[one].0.depth = Some(to_u32(depth));
    }
}

/// Returns the outline of a loop in a projection.
fn outline(one: &Loop, project: impl Fn(u32) -> [f64; 2]) -> Outline {
    let edges: Vec<_> = one.edges().map(|edge| edge.map(&project)).collect();
    let (mut lo, mut hi) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
    for [p, _] in &edges {
        for k in 0..2 {
            (lo[k], hi[k]) = (lo[k].min(p[k]), hi[k].max(p[k]));
        }
    }
    Outline { edges, lo, hi }
}
