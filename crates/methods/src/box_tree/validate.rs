//! Checks everything that searches assume of the trees.

use std::collections::BTreeSet;

use super::cuts::{Content, CutTree, Extents, Place};
use super::{CutTrees, EDGES, TRIANGLES};
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::mesh::Mesh;

impl CutTrees {
    /// Checks that every triangle has its edges, and that each tree is valid over the edges or the triangles.
    ///
    /// # Errors
    /// The first fault found.
    pub fn validate(&self, mesh: &Mesh) -> Result<(), String> {
        for (&[a, b, c], triangle) in mesh.triangles().iter().zip(0u32..) {
            for (p, q) in [(a, b), (b, c), (c, a)].into_iter().filter(|(p, q)| p != q || (a == b && b == c)) {
                let edge = self.edges.ends.binary_search(&[p.min(q), p.max(q)]);
                let edge = edge.map_err(|_| format!("triangle {triangle} lacks an edge"))?;
                if !self.edges.triangles(edge as u32).contains(&triangle) {
                    return Err(format!("an edge of triangle {triangle} does not know it"));
                }
            }
        }
        let corner = |v: u32| {
            let v = mesh.vertices()[v as usize];
            self.frame.enter(self.linear.map_or(v, |linear| linear * v))
        };
        let of_edges = self.edges.ends.iter().map(|ends| Aabb::of(ends.map(corner))).collect::<Vec<_>>();
        let of_triangles = mesh.triangles().iter().map(|t| Aabb::of(t.map(corner))).collect::<Vec<_>>();
        self.trees[EDGES].validate(&of_edges).map_err(|fault| format!("edges: {fault}"))?;
        self.trees[TRIANGLES].validate(&of_triangles).map_err(|fault| format!("triangles: {fault}"))
    }
}

/// True if the closed interval from `lo` to `hi` contains another.
fn holds(extents: &Extents, bounds: &Aabb, axis: usize, more: f64) -> bool {
    f64::from(extents.lo[axis]) - more <= bounds.lo[axis]
        && bounds.hi[axis] <= f64::from(extents.hi[axis]) + more
}

impl CutTree {
    /// Checks that every item is in a leaf; that a child without an item has a cut, thick as it is, beyond
    /// which nothing of the item lies; that no item reaches beyond a box by more than the node says; and that
    /// children come after their parents and boxes lie within the root.
    ///
    /// # Errors
    /// The first fault found.
    pub(super) fn validate(&self, bounds: &[Aabb]) -> Result<(), String> {
        let mut stack: Vec<(Place, BTreeSet<u32>)> = vec![(self.whole(), (0..bounds.len() as u32).collect())];
        let mut visited = 0;
        while let Some((place, items)) = stack.pop() {
            visited += 1;
            let (node, extents) = place;
            let overhang =
                f64::from(self.nodes.get(node as usize).ok_or(format!("node {node} is missing"))?.overhang);
            let reaches = |item: &u32| !(0..3).all(|k| holds(&extents, &bounds[*item as usize], k, overhang));
            if let Some(item) = items.iter().find(|item| reaches(item)) {
                return Err(format!("item {item} reaches too far beyond node {node}"));
            }
            if self.is_leaf(node) {
                let own: BTreeSet<u32> = self.leaf(node).iter().copied().collect();
                if own != items {
                    return Err(format!("leaf {node} has not the items that cuts leave"));
                }
                continue;
            }
            let (axis, at) = match self.content(node) {
                Content::Cut { axis, at, .. } | Content::Chipped { axis, at, .. } => (usize::from(axis), at),
                Content::Leaf { .. } => unreachable!("not a leaf"),
            };
            if !(extents.lo[axis]..=extents.hi[axis]).contains(&at) {
                return Err(format!("node {node} is cut outside"));
            }
            let (count, children) = self.open(place);
            let mut seen = BTreeSet::new();
            for &(child, part) in &children[..count] {
                if child <= node {
                    return Err(format!("node {node} comes after its child"));
                }
                let below = self.below(child);
                let outside = |item: &&u32| {
                    let (lo, hi) = (bounds[**item as usize].lo[axis], bounds[**item as usize].hi[axis]);
                    let thickness = f64::from(self.thickness);
                    let misses = if part.hi[axis] == at && part.lo[axis] == extents.lo[axis] {
                        lo >= f64::from(at) - thickness
                    } else {
                        hi <= f64::from(at) + thickness
                    };
                    !below.contains(item) && !misses
                };
                if let Some(item) = items.iter().find(outside) {
                    return Err(format!("item {item} is missing in node {child}"));
                }
                seen.extend(below.iter().copied());
                stack.push(((child, part), below));
            }
            if seen != items {
                return Err(format!("items are lost below node {node}"));
            }
        }
        if visited == self.nodes.len() { Ok(()) } else { Err("some nodes hang loose".to_owned()) }
    }
}
