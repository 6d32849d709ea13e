//! The boundary of the concavities of a mesh: loops of edges between hull features and concavity features.

use super::Features;
use crate::mesh::topology::edges::{EdgeUse, proper, repeats_a_corner};

/// A part of the boundary of one concavity subset.
///
/// Where a loop touches another one or itself, it continues with the next boundary edge around the vertex,
/// through the triangles of the concavity, so loops do not cross.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loop {
    /// The concavity subset.
    pub subset: u32,
    /// The vertices in order, without a repetition of the first at the end.
    pub vertices: Vec<u32>,
    /// False if it ends at the border of an open mesh, or at an edge of more than two triangles.
    pub is_closed: bool,
}

impl Loop {
    /// Returns the ends of each edge, in order.
    pub fn edges(&self) -> impl Iterator<Item = [u32; 2]> + Clone + '_ {
        let next = self.vertices.iter().cycle().skip(1);
        let count = self.vertices.len() - usize::from(!self.is_closed);
        self.vertices.iter().zip(next).map(|(&a, &b)| [a, b]).take(count)
    }
}

/// A boundary edge next to a concavity feature.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Border {
    /// The ends, the lower first.
    edge: [u32; 2],
    triangle: u32,
}

/// Returns the loops, sorted by their subsets.
pub fn loops(features: &Features) -> Vec<Loop> {
    let borders = borders(features);
    let next = |border: &Border, end: usize| {
        let next = next_around(features, *border, border.edge[end])?;
        borders.binary_search(&next).ok()
    };
    // The next border around either end of each.
    let nexts: Vec<_> = borders.iter().map(|border| [0, 1].map(|end| next(border, end))).collect();
    let mut is_done = vec![false; borders.len()];
    let mut loops = Vec::new();
    let open = (0..borders.len()).flat_map(|border| [(border, 0), (border, 1)]);
    let open = open.filter(|&(border, end)| nexts[border][1 - end].is_none());
    for (start, end) in open.chain((0..borders.len()).map(|border| (border, 1))) {
        if !is_done[start] {
            let (vertices, is_closed) = trace(&borders, &nexts, (start, end), &mut is_done);
            let subset = features.subset_of[borders[start].triangle as usize];
            loops.push(Loop { subset, vertices, is_closed });
        }
    }
    loops.sort_by_key(|one| one.subset);
    loops
}

/// Follows borders from the other end of the first, until they end or close. Returns the vertices, and true
/// if they close.
fn trace(
    borders: &[Border],
    nexts: &[[Option<usize>; 2]],
    (start, mut end): (usize, usize),
    is_done: &mut [bool],
) -> (Vec<u32>, bool) {
    let mut vertices = vec![borders[start].edge[1 - end]];
    let mut at = start;
    loop {
        is_done[at] = true;
        let vertex = borders[at].edge[end];
        let next = nexts[at][end];
        if next == Some(start) {
            return (vertices, true);
        }
        vertices.push(vertex);
        let Some(next) = next else { return (vertices, false) };
        end = usize::from(borders[next].edge[0] == vertex);
        at = next;
    }
}

/// Returns the borders, sorted.
fn borders(features: &Features) -> Vec<Border> {
    let mut borders = Vec::new();
    for uses in features.edges.all() {
        if proper(uses).any(|one| features.is_on_hull(one.face)) {
            let concave = features.concave(proper(uses));
            borders.extend(concave.map(|triangle| Border { edge: uses[0].edge, triangle }));
        }
    }
    borders
}

/// Returns the next border around a vertex, through concavity features; `None` if they end before.
fn next_around(
    features: &Features,
    Border { mut edge, mut triangle }: Border,
    vertex: u32,
) -> Option<Border> {
    loop {
        let corners = features.mesh.triangles()[triangle as usize];
        assert!(!repeats_a_corner(corners), "a proper use");
        let third = corners.into_iter().find(|v| !edge.contains(v))?;
        edge = EdgeUse::new(triangle, vertex, third).edge;
        let uses = features.edges.uses_of(edge);
        if proper(uses).any(|one| features.is_on_hull(one.face)) {
            return Some(Border { edge, triangle });
        }
        let this = triangle;
        let mut others = features.concave(proper(uses)).filter(|&other| other != this);
        triangle = others.next()?;
        if others.next().is_some() {
            return None;
        }
    }
}
