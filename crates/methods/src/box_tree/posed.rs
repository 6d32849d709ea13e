//! The trees of a mesh at a pose, and the trees of two meshes in one frame.

use std::ops::Deref;

use glam::DVec3;

use super::cuts::{CutTree, Place};
use super::frames::Frames;
use super::{CutTrees, EDGES, TRIANGLES};
use crate::leaf_pairs::{PosedTriangles, TrianglePairs};
use closefit::internals::bvh::placement::Placement;
use closefit_geometry::executor::Executor;
use closefit_geometry::math::Triangle;
use closefit_geometry::math::pose::Pose;
use closefit_geometry::mesh::Mesh;

/// The trees of a mesh at a pose.
#[derive(Clone, Copy, Debug)]
pub struct PosedBoxTree<'a> {
    pub(super) of: &'a CutTrees,
    pub(super) mesh: &'a Mesh,
    pub(super) executor: Executor,
    placement: Placement,
}

impl Deref for PosedBoxTree<'_> {
    type Target = Placement;

    fn deref(&self) -> &Placement {
        &self.placement
    }
}

impl<'a> PosedBoxTree<'a> {
    /// Poses trees.
    pub(super) fn new(of: &'a CutTrees, mesh: &'a Mesh, pose: &Pose, executor: Executor) -> Self {
        let placement = Placement::new(&of.frame, of.linear.as_ref(), of.largest_coordinate, pose);
        Self { of, mesh, executor, placement }
    }

    fn vertex(&self, v: u32) -> DVec3 {
        self.pose.apply(self.mesh.vertices()[v as usize])
    }

    /// Returns the posed corners of a triangle.
    pub fn triangle(&self, triangle: u32) -> Triangle {
        self.mesh.triangles()[triangle as usize].map(|v| self.vertex(v))
    }

    /// Returns the posed ends of an edge.
    pub(super) fn edge(&self, edge: u32) -> [DVec3; 2] {
        self.of.edges.ends[edge as usize].map(|v| self.vertex(v))
    }
}

/// One of the two searches of a pair: the edges of one part against the triangles of the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pass {
    /// The edges of the first part, the triangles of the second.
    EdgesFirst,
    /// The triangles of the first part, the edges of the second.
    TrianglesFirst,
}

impl Pass {
    /// Both.
    pub const ALL: [Self; 2] = [Self::EdgesFirst, Self::TrianglesFirst];

    /// Returns the side whose edges are searched.
    pub fn side_of_edges(self) -> usize {
        match self {
            Self::EdgesFirst => 0,
            Self::TrianglesFirst => 1,
        }
    }

    /// Returns a triangle that has an edge and one of the other part, in the order of the parts.
    pub fn in_order(self, of_edge: u32, other: u32) -> [u32; 2] {
        match self {
            Self::EdgesFirst => [of_edge, other],
            Self::TrianglesFirst => [other, of_edge],
        }
    }
}

/// A node of each tree of a pass, with their boxes.
pub(super) type Places = [Place; 2];

/// Two posed meshes with their trees.
#[derive(Clone, Copy, Debug)]
pub(super) struct PosedPair<'a> {
    pub(super) sides: [PosedBoxTree<'a>; 2],
    /// The maps between them; `None` where f32 cannot tell, and all boxes meet.
    pub(super) frames: Option<Frames>,
}

impl<'a> PosedPair<'a> {
    pub(super) fn new(a: &PosedBoxTree<'a>, b: &PosedBoxTree<'a>) -> Self {
        // The thickness of the cuts is a share of the root's diagonal. Edges and triangles share a root.
        let thickness = |posed: &PosedBoxTree| {
            let [edges, triangles] = posed.of.trees.each_ref().map(|tree| tree.thickness);
            edges.max(triangles)
        };
        Self { sides: [*a, *b], frames: Frames::new(a, b, [thickness(a), thickness(b)]) }
    }

    /// Returns the trees of a pass.
    pub(super) fn trees(&self, pass: Pass) -> [&'a CutTree; 2] {
        let kind = |side: usize| if side == pass.side_of_edges() { EDGES } else { TRIANGLES };
        [0, 1].map(|side| &self.sides[side].of.trees[kind(side)])
    }

    /// Returns the triangles of both meshes; a triangle's place is its index in the mesh.
    pub(super) fn triangle_pairs(&self) -> TrianglePairs<'_> {
        let sides = self.sides.each_ref().map(|posed| PosedTriangles {
            pose: &posed.placement.pose,
            corners: posed.mesh.triangles(),
            vertices: posed.mesh.vertices(),
        });
        // Pairs come one by one, and one pair in lanes takes longer than its reading copy.
        TrianglePairs { sides, executor: Executor::Scalar }
    }

    /// Returns the pairs of children of two nodes, of both where both have some, and their number.
    #[inline(always)]
    pub(super) fn open(&self, pass: Pass, [a, b]: Places) -> ([Places; 4], usize) {
        let [of_a, of_b] = self.trees(pass);
        let ((count_a, in_a), (count_b, in_b)) = (of_a.open(a), of_b.open(b));
        let mut pairs = [[a, b]; 4];
        for i in 0..count_a {
            for j in 0..count_b {
                pairs[i * count_b + j] = [in_a[i], in_b[j]];
            }
        }
        (pairs, count_a * count_b)
    }
}
