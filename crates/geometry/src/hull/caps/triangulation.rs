//! The constrained Delaunay triangulation of a hull face, and the regions of it that no triangle of the mesh
//! covers.
//!
//! Its time is quadratic in the number of constraints at one vertex: 2 s for a star of 4 000 separate blades.

use spade::handles::FixedDirectedEdgeHandle;
use spade::{ConstrainedDelaunayTriangulation, Point2, Triangulation as _};

use super::on_face::values_of;
use crate::ids::to_u32;
use crate::math::disjoint_sets::DisjointSets;
use crate::math::predicates::orient2d;

/// An edge of the mesh on the face.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    /// The ends, the lower first.
    pub ends: [u32; 2],
    /// The number of triangles of the mesh left of it, less those right of it.
    pub left: i32,
}

/// The triangulation of a face with the mesh edges on it.
pub(super) struct Triangulation<'a> {
    /// The vertices of the mesh on the face, in the triangulation's order.
    vertices: &'a [u32],
    triangles: ConstrainedDelaunayTriangulation<Point2<f64>>,
    /// The pieces into which vertices divide the mesh edges, by the places of their ends, in both directions;
    /// sorted.
    pieces: Vec<([usize; 2], FixedDirectedEdgeHandle)>,
}

impl<'a> Triangulation<'a> {
    /// Triangulates the vertices of a face, which are sorted. Returns `None` if edges cross each other, or if
    /// a coordinate is beyond the range of the library's predicates: not 0, and less than 2^-142 in
    /// magnitude.
    pub fn of(vertices: &'a [u32], place: impl Fn(u32) -> [f64; 2], edges: &[Edge]) -> Option<Self> {
        let points = vertices.iter().map(|&v| Point2::from(place(v))).collect();
        let number = |v: u32| vertices.binary_search(&v).expect("both ends of an edge lie on the face");
        let constraints = edges.iter().map(|edge| edge.ends.map(number)).collect();
        let mut do_cross = false;
        let crossing = |_| do_cross = true;
        let triangles =
            ConstrainedDelaunayTriangulation::<Point2<f64>>::try_bulk_load_cdt(points, constraints, crossing);
        let triangles = triangles.ok().filter(|_| !do_cross)?;
        let constraints = triangles.directed_edges().filter(|edge| edge.is_constraint_edge());
        let mut pieces: Vec<_> =
            constraints.map(|edge| ([edge.from(), edge.to()].map(|v| v.fix().index()), edge.fix())).collect();
        pieces.sort_unstable_by_key(|(ends, _)| *ends);
        Some(Self { vertices, triangles, pieces })
    }

    /// Returns the pieces of a mesh edge, in order.
    fn along(&self, ends: [u32; 2]) -> impl Iterator<Item = FixedDirectedEdgeHandle> + '_ {
        let [mut from, to] = ends.map(|v| self.vertices.binary_search(&v).expect("on the face"));
        std::iter::from_fn(move || {
            let (next, piece) = (from != to).then(|| self.piece(from, to))?;
            from = next;
            Some(piece)
        })
    }

    /// Returns the piece that leaves a vertex towards another one, and its end.
    fn piece(&self, from: usize, to: usize) -> (usize, FixedDirectedEdgeHandle) {
        if let Ok(direct) = self.pieces.binary_search_by_key(&[from, to], |(ends, _)| *ends) {
            return (to, self.pieces[direct].1);
        }
        let place = |v: usize| {
            let at = self.triangles.vertex(spade::handles::FixedVertexHandle::from_index(v)).position();
            [at.x, at.y]
        };
        let (p, q) = (place(from), place(to));
        let first = self.pieces.partition_point(|(ends, _)| ends[0] < from);
        let leaving = self.pieces[first..].iter().take_while(|(ends, _)| ends[0] == from);
        let is_between = |x: [f64; 2]| orient2d(p, q, x).is_eq() && (p < x) == (x < q);
        let ([_, end], piece) = leaving
            .copied()
            .find(|(ends, _)| is_between(place(ends[1])))
            .expect("an edge is covered by pieces");
        (end, piece)
    }

    /// Returns the regions that no triangle of the mesh covers and that no mesh edge divides: the concavity
    /// subsets of each, ascending, and its triangles, counterclockwise. `beside` returns the subsets next to
    /// a mesh edge, and `around` those around a vertex that no edge on the face has.
    pub fn regions(
        &self,
        edges: &[Edge],
        beside: impl Fn([u32; 2]) -> Vec<u32>,
        around: impl Fn(u32) -> Vec<u32>,
    ) -> Vec<(Vec<u32>, Vec<[u32; 3]>)> {
        let covers = self.covers(edges);
        let region_of = self.connected(&covers);
        let mut subsets: Vec<(u32, u32)> = Vec::new();
        let region = |edge: FixedDirectedEdgeHandle| {
            let face = self.triangles.directed_edge(edge).face().as_inner()?.fix().index();
            (covers[face] == 0).then_some(region_of[face])
        };
        for edge in edges {
            let beside = beside(edge.ends);
            for piece in self.along(edge.ends) {
                let regions = [piece, piece.rev()].into_iter().filter_map(region);
                subsets.extend(regions.flat_map(|region| beside.iter().map(move |&subset| (region, subset))));
            }
        }
        for vertex in self.triangles.vertices() {
            if !vertex.out_edges().any(|edge| edge.is_constraint_edge()) {
                let around = around(self.vertices[vertex.fix().index()]);
                let regions = vertex.out_edges().filter_map(|edge| region(edge.fix()));
                subsets.extend(regions.flat_map(|region| around.iter().map(move |&subset| (region, subset))));
            }
        }
        subsets.sort_unstable();
        subsets.dedup();
        self.listed(&covers, &region_of, &subsets)
    }

    /// Returns how many triangles of the mesh cover each face of the triangulation. Outside of all, none do,
    /// and the number changes where a mesh edge is crossed.
    fn covers(&self, edges: &[Edge]) -> Vec<i32> {
        let mut left = vec![0; self.triangles.num_directed_edges()];
        for edge in edges.iter().filter(|edge| edge.left != 0) {
            for piece in self.along(edge.ends) {
                left[piece.index()] += edge.left;
                left[piece.rev().index()] -= edge.left;
            }
        }
        let outside = self.triangles.outer_face().fix().index();
        let mut covers = vec![None; self.triangles.num_all_faces()];
        covers[outside] = Some(0);
        let mut reached: Vec<_> =
            self.triangles.directed_edges().filter(|edge| edge.is_outer_edge()).collect();
        while let Some(edge) = reached.pop() {
            let (from, to) = (edge.face().fix().index(), edge.rev().face());
            if covers[to.fix().index()].is_none() {
                covers[to.fix().index()] = covers[from].map(|cover| cover + left[edge.rev().fix().index()]);
                reached.extend(to.as_inner().into_iter().flat_map(|face| face.adjacent_edges()));
            }
        }
        covers.into_iter().map(Option::unwrap_or_default).collect()
    }

    /// Groups the uncovered faces across what is not an edge of the mesh. Returns the lowest face of each
    /// one's group.
    fn connected(&self, covers: &[i32]) -> Vec<u32> {
        let mut sets = DisjointSets::new(covers.len());
        for edge in self.triangles.undirected_edges().filter(|edge| !edge.is_constraint_edge()) {
            let sides = [edge.as_directed(), edge.as_directed().rev()].map(|side| side.face());
            if sides.iter().all(|side| !side.is_outer() && covers[side.fix().index()] == 0) {
                let [a, b] = sides.map(|side| to_u32(side.fix().index()));
                sets.join(a, b);
            }
        }
        (0..to_u32(covers.len())).map(|face| sets.find(face)).collect()
    }

    /// Lists the triangles of each region together with its subsets.
    fn listed(
        &self,
        covers: &[i32],
        region_of: &[u32],
        subsets: &[(u32, u32)],
    ) -> Vec<(Vec<u32>, Vec<[u32; 3]>)> {
        let uncovered = self.triangles.inner_faces().filter(|face| covers[face.fix().index()] == 0);
        let mut triangles: Vec<_> = uncovered
            .map(|face| {
                let corners = face.vertices().map(|v| self.vertices[v.fix().index()]);
                (region_of[face.fix().index()], corners)
            })
            .collect();
        triangles.sort_unstable();
        let regions = triangles.chunk_by(|a, b| a.0 == b.0);
        regions
            .map(|region| {
                let subsets = values_of(subsets, region[0].0).collect();
                (subsets, region.iter().map(|&(_, corners)| corners).collect())
            })
            .collect()
    }
}
