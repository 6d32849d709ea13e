//! The paper's elementary operation on two leaves, its simple algorithm: the edges of one against the
//! triangles of the other, behind two tests of boxes.

use std::ops::ControlFlow;

use glam::DVec3;

use super::posed::{Pass, PosedPair};
use closefit::Work;
use closefit::internals::narrow::SLACK;
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::math::Triangle;

/// A posed edge.
#[derive(Clone, Copy, Debug)]
pub struct PosedEdge {
    /// The edge, by its index in the mesh.
    pub edge: u32,
    /// Its ends.
    pub ends: [DVec3; 2],
    bounds: Aabb,
}

/// A posed triangle.
#[derive(Clone, Copy, Debug)]
pub struct PosedTriangle {
    /// The triangle, by its index in the mesh.
    pub triangle: u32,
    /// Its corners.
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
    let reach = reach * SLACK;
    gap.length_squared() > reach * reach * SLACK
}

/// Receives what two leaves cost before their edges and triangles are visited.
pub trait LeafWork {
    /// A number of vertices is posed.
    fn posed(&mut self, vertices: usize);

    /// A box is tested against others.
    fn box_tests<'b>(&mut self, one: &Aabb, others: impl ExactSizeIterator<Item = &'b Aabb>);
}

impl LeafWork for Work {
    fn posed(&mut self, _vertices: usize) {}

    fn box_tests<'b>(&mut self, _one: &Aabb, others: impl ExactSizeIterator<Item = &'b Aabb>) {
        self.box_tests += others.len() as u64;
    }
}

impl Leaves {
    /// Calls `visit` with every edge and triangle of two leaves whose world boxes are not proven farther
    /// apart than `reach`, until it breaks off. It returns the new reach, which must not grow.
    pub fn visit<B, W: LeafWork>(
        &mut self,
        pair: &PosedPair,
        pass: Pass,
        nodes: [u32; 2],
        reach: f64,
        work: &mut W,
        mut visit: impl FnMut(&PosedEdge, &PosedTriangle, &mut W) -> ControlFlow<B, f64>,
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
        self.triangles.clear();
        self.triangles.extend(leaf(1 - side).iter().map(|&triangle| {
            let corners = of_triangles.triangle(triangle);
            PosedTriangle { triangle, corners, bounds: Aabb::of(corners) }
        }));
        work.posed(2 * self.edges.len() + 3 * self.triangles.len());
        let prechecks = of_edges.of.prechecks;
        // The paper's first test: only the triangles in the box of the edges.
        if prechecks.polygons {
            work.box_tests(&around_edges, self.triangles.iter().map(|triangle| &triangle.bounds));
            self.triangles.retain(|triangle| !beyond(&around_edges, &triangle.bounds, reach));
        }
        let around_triangles = self.triangles.iter().fold(Aabb::EMPTY, |all, t| all.union(t.bounds));
        let mut reach = reach;
        for edge in &self.edges {
            // Its second: only the edges in the box of the triangles.
            if prechecks.edges {
                work.box_tests(&edge.bounds, [&around_triangles].into_iter());
                if beyond(&edge.bounds, &around_triangles, reach) {
                    continue;
                }
            }
            work.box_tests(&edge.bounds, self.triangles.iter().map(|triangle| &triangle.bounds));
            for triangle in &self.triangles {
                if !beyond(&edge.bounds, &triangle.bounds, reach) {
                    reach = visit(edge, triangle, work)?;
                }
            }
        }
        ControlFlow::Continue(())
    }
}
