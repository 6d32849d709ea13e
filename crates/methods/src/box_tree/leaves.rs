//! The paper's elementary operation on two leaves, its simple algorithm: the edges of one against the
//! triangles of the other, behind two tests of boxes.

use std::ops::ControlFlow;

use glam::DVec3;

use super::posed::{Pass, PosedPair};
use closefit::internals::narrow::{SLACK, Work};
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::math::Triangle;

/// A posed edge.
#[derive(Clone, Copy, Debug)]
pub struct PosedEdge {
    pub edge: u32,
    pub ends: [DVec3; 2],
    bounds: Aabb,
}

/// A posed triangle.
#[derive(Clone, Copy, Debug)]
pub struct PosedTriangle {
    pub triangle: u32,
    pub corners: Triangle,
    bounds: Aabb,
}

/// Buffers that are reused from leaf to leaf.
#[derive(Clone, Debug, Default)]
pub struct Leaves {
    edges: Vec<PosedEdge>,
    triangles: Vec<PosedTriangle>,
}

/// True only if two boxes are certainly farther apart than `reach`.
fn beyond(a: &Aabb, b: &Aabb, reach: f64) -> bool {
    let gap = (b.lo - a.hi).max(a.lo - b.hi).max(DVec3::ZERO);
    // Rounding is relative, and far less than the slack allows for.
    gap.length_squared() > (reach * SLACK).powi(2) * SLACK
}

impl Leaves {
    /// Calls `visit` with every edge and triangle of two leaves whose world boxes are not proven farther
    /// apart than `reach`, until it breaks off. It returns the new reach, which must not grow.
    pub fn visit<B>(
        &mut self,
        pair: &PosedPair,
        pass: Pass,
        nodes: [u32; 2],
        reach: f64,
        work: &mut Work,
        mut visit: impl FnMut(&PosedEdge, &PosedTriangle, &mut Work) -> ControlFlow<B, f64>,
    ) -> ControlFlow<B> {
        let side = pass.side_of_edges();
        let (of_edges, of_triangles) = (&pair.sides[side], &pair.sides[1 - side]);
        let trees = pair.trees(pass);
        let leaf = |side: usize| trees[side].leaf(nodes[side]);
        let mut around_edges = Aabb::EMPTY;
        self.edges.clear();
        for &edge in leaf(side) {
            let ends = of_edges.edge(edge);
            let bounds = Aabb::of(ends);
            around_edges = around_edges.union(bounds);
            self.edges.push(PosedEdge { edge, ends, bounds });
        }
        // The paper's first test: only the triangles in the box of the edges.
        let mut around_triangles = Aabb::EMPTY;
        self.triangles.clear();
        for &triangle in leaf(1 - side) {
            let corners = of_triangles.triangle(triangle);
            let bounds = Aabb::of(corners);
            if !beyond(&around_edges, &bounds, reach) {
                around_triangles = around_triangles.union(bounds);
                self.triangles.push(PosedTriangle { triangle, corners, bounds });
            }
        }
        work.box_tests += leaf(1 - side).len() as u64;
        let mut reach = reach;
        for edge in &self.edges {
            // Its second: only the edges in the box of the triangles.
            work.box_tests += 1;
            if beyond(&edge.bounds, &around_triangles, reach) {
                continue;
            }
            work.box_tests += self.triangles.len() as u64;
            for triangle in &self.triangles {
                if !beyond(&edge.bounds, &triangle.bounds, reach) {
                    reach = visit(edge, triangle, work)?;
                }
            }
        }
        ControlFlow::Continue(())
    }
}
