//! A surface in pieces: a flat tree of oriented bounding boxes, refined as a search requires.

use std::ops::Range;
use std::sync::Arc;

use super::triangle::Facet;
use super::{Implicit, Surface, around};
use closefit_geometry::bounds::obb::Obb;
use closefit_geometry::ids::to_u32;
use closefit_geometry::math::interval::{Interval, IntervalVec3};
use closefit_geometry::mesh::Mesh;
use closefit_methods::internals::binary_obb::BinaryObb;

/// Approximate number of boxes made in advance, unless [`Patches::with_boxes_in_advance`] sets it.
const IN_ADVANCE: usize = 2048;

/// A piece of a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Patch {
    /// Index of the triangle for a mesh, otherwise 0.
    pub index: u32,
    /// Box of parameters: u, v and 0 for a [`Surface`]; x, y, z in its own space for an [`Implicit`] surface.
    /// A triangle a, b, c consists of the points `a + u ((b - a) + v (c - b))`.
    pub parameters: [Interval; 3],
}

/// A surface or a mesh, cut into patches in boxes. Clones share the surface.
#[derive(Clone, Debug)]
pub struct Patches {
    shape: Shape,
    /// Nodes of the tree. The root comes first, if there is one; children come after their parents, siblings
    /// adjacent.
    nodes: Vec<PatchNode>,
    /// A box around the whole surface.
    place: IntervalVec3,
}

/// The surface or mesh that is cut into patches.
#[derive(Clone, Debug)]
enum Shape {
    Parametric(Arc<dyn Surface>),
    Implicit(Arc<dyn Implicit>),
    Mesh(Arc<Mesh>),
}

#[derive(Clone, Debug)]
struct PatchNode {
    obb: Obb,
    /// The patch of this node; `None` for several triangles, each of which is a patch further down.
    patch: Option<Patch>,
    /// Children, if the node has been opened.
    children: Option<Range<u32>>,
}

/// A node of the tree, or a finer patch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    /// A box that contains the points of the piece.
    pub obb: Obb,
    /// The patch, if the piece is a single one.
    pub patch: Option<Patch>,
    node: Option<u32>,
}

impl Patches {
    /// Creates the patches of a parametric surface.
    pub fn of(surface: impl Surface + 'static) -> Self {
        let [u, v] = surface.domain();
        let place = surface.place([u, v]);
        Self::halved(Shape::Parametric(Arc::new(surface)), [u, v, Interval::ZERO], place, IN_ADVANCE)
    }

    /// Creates the patches of an implicit surface. It may have no points, and is then apart from everything.
    pub fn of_implicit(surface: impl Implicit + 'static) -> Self {
        let region = surface.region();
        Self::halved(Shape::Implicit(Arc::new(surface)), region.0, region, IN_ADVANCE)
    }

    /// Sets the approximate number of boxes made in advance, the largest patches first; 2 048 unless set.
    /// Finer boxes are made again in each search that reaches them (Redon et al. 2002, section 5). No answer
    /// depends on it. The triangles of a mesh keep their boxes.
    pub fn with_boxes_in_advance(self, boxes: usize) -> Self {
        match self.nodes.first().and_then(|root| root.patch) {
            Some(Patch { parameters, .. }) if !matches!(self.shape, Shape::Mesh(_)) => {
                Self::halved(self.shape, parameters, self.place, boxes)
            }
            _ => self,
        }
    }

    /// Creates the patches of a mesh's triangles.
    pub fn of_mesh(mesh: &Mesh) -> Self {
        let tree = BinaryObb::build(mesh);
        let shape = Shape::Mesh(Arc::new(mesh.clone()));
        let boxes = tree.nodes.iter().map(|node| PatchNode {
            obb: node.obb,
            patch: None,
            children: Some(node.first..node.first + 2),
        });
        let mut nodes: Vec<PatchNode> = boxes.collect();
        let full = Interval::new(0.0, 1.0);
        for (index, leaf) in tree.nodes.iter().enumerate().filter(|(_, node)| node.is_leaf()) {
            let first = to_u32(nodes.len());
            let triangles = tree.leaf(leaf).iter();
            nodes.extend(
                triangles.filter_map(|&index| {
                    shape.node(Patch { index, parameters: [full, full, Interval::ZERO] })
                }),
            );
            nodes[index].children = Some(first..to_u32(nodes.len()));
        }
        let vertices = mesh.vertices().iter().map(|&v| IntervalVec3::point(v));
        let place = vertices.reduce(IntervalVec3::hull).expect("a mesh has vertices");
        Self { shape, nodes, place }
    }

    /// Opens nodes in the order in which they were created, which is level by level.
    fn halved(shape: Shape, parameters: [Interval; 3], place: IntervalVec3, boxes: usize) -> Self {
        let mut nodes = Vec::from_iter(shape.node(Patch { index: 0, parameters }));
        let mut next = 0;
        while next < nodes.len() && nodes.len() < boxes {
            if let Some(halves) = nodes[next].patch.and_then(|patch| shape.halves(&patch)) {
                let first = to_u32(nodes.len());
                nodes.extend(halves.into_iter().filter_map(|half| shape.node(half)));
                nodes[next].children = Some(first..to_u32(nodes.len()));
            }
            next += 1;
        }
        Self { shape, nodes, place }
    }

    /// Returns a box around all points, in the surface's own coordinates.
    pub fn place(&self) -> IntervalVec3 {
        self.place
    }

    /// Returns the whole surface as one piece; `None` for a surface without points.
    pub(super) fn whole(&self) -> Option<Piece> {
        (!self.nodes.is_empty()).then(|| self.piece(0))
    }

    fn piece(&self, index: u32) -> Piece {
        let PatchNode { obb, patch, .. } = self.nodes[index as usize];
        Piece { obb, patch, node: Some(index) }
    }

    /// Calls `each` with the parts of a piece that may have points. Returns false if the piece has no parts,
    /// because f64 has no number between the ends of its parameters.
    pub(super) fn open(&self, piece: &Piece, mut each: impl FnMut(Piece)) -> bool {
        if let Some(children) = piece.node.and_then(|node| self.nodes[node as usize].children.clone()) {
            children.for_each(|child| each(self.piece(child)));
            return true;
        }
        let Some(halves) = piece.patch.and_then(|patch| self.shape.halves(&patch)) else { return false };
        for PatchNode { obb, patch, .. } in halves.into_iter().filter_map(|half| self.shape.node(half)) {
            each(Piece { obb, patch, node: None });
        }
        true
    }

    /// Returns a box that is proven to contain a point of the surface, on the patch or near its box.
    pub(super) fn witness(&self, piece: &Piece) -> Option<IntervalVec3> {
        let Patch { index, parameters: [u, v, _] } = piece.patch?;
        let middle = [u, v].map(|range| Interval::point(range.middle()));
        match &self.shape {
            Shape::Parametric(surface) => Some(surface.place(middle)),
            Shape::Mesh(mesh) => Some(Facet::of(mesh.corners(index)).place(middle)),
            Shape::Implicit(surface) => around::zero_near(surface.as_ref(), &piece.obb),
        }
    }
}

impl Shape {
    /// Returns a patch in its box; `None` if it is proven to have no points.
    fn node(&self, patch: Patch) -> Option<PatchNode> {
        let [u, v, w] = patch.parameters;
        let obb = match self {
            Self::Parametric(surface) => around::parametric(surface.as_ref(), [u, v]),
            Self::Mesh(mesh) => around::parametric(&Facet::of(mesh.corners(patch.index)), [u, v]),
            Self::Implicit(surface) => around::implicit(surface.as_ref(), IntervalVec3([u, v, w]))?,
        };
        Some(PatchNode { obb, patch: Some(patch), children: None })
    }

    /// Cuts a patch across its longest side; `None` if f64 has no number in between.
    fn halves(&self, patch: &Patch) -> Option<[Patch; 2]> {
        let [u, v, _] = patch.parameters;
        let across = |surface: &dyn Surface| {
            let [by_u, by_v] = surface.tangents([u, v]).map(|tangent| tangent.length().hi);
            [by_u * u.width(), by_v * v.width(), 0.0]
        };
        let sides = match self {
            Self::Parametric(surface) => across(surface.as_ref()),
            Self::Mesh(mesh) => across(&Facet::of(mesh.corners(patch.index))),
            Self::Implicit(surface) => around::sides(surface.as_ref(), IntervalVec3(patch.parameters)),
        };
        let cut = |axis: usize| {
            let Interval { lo, hi } = patch.parameters[axis];
            let middle = patch.parameters[axis].middle();
            (lo < middle && middle < hi).then(|| {
                [Interval::new(lo, middle), Interval::new(middle, hi)].map(|half| {
                    let mut halved = *patch;
                    halved.parameters[axis] = half;
                    halved
                })
            })
        };
        let mut axes = [0, 1, 2];
        axes.sort_by(|&i, &j| sides[j].total_cmp(&sides[i]));
        axes.into_iter().find_map(cut)
    }
}
