//! Zachmann's BoxTree (1997): two trees of cuts for each mesh, of its edges and of its triangles, and his
//! simple algorithm, which is the same with no cuts.
//!
//! Two triangles are in contact if and only if an edge of one meets the other: where they cross, the common
//! segment ends on an edge; where they lie in one plane, their edges cross, or one lies in the other with its
//! edges; a degenerate triangle is an edge of itself. And the distance of two that are apart is the distance
//! of an edge of one and the other. Therefore the edges of each mesh are searched against the triangles of
//! the other.
//!
//! Boxes contain only the parts of edges and triangles between the cuts around them. Whether boxes meet is a
//! matter of their edges (`lines`) or, where both trees' boxes stand parallel, of six comparisons; how far
//! they are apart at least is a matter of `axes`.

mod axes;
mod build;
mod cuts;
mod edges;
#[cfg(any(test, feature = "testing"))]
mod faults;
mod frames;
mod leaves;
mod lines;
mod near;
mod nearest;
mod posed;
mod rule;
mod search;
mod shape;
mod step;
mod stretch;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod validate;

use std::fmt::Debug;
use std::marker::PhantomData;

use glam::{DMat3, DVec3};

use crate::with_mesh::WithMesh;
use closefit::Work;
use closefit::internals::bvh::Hierarchy;
use closefit::internals::bvh::largest_coordinate;
use closefit::internals::bvh::moving::MovingTrees;
use closefit::internals::bvh::placement::is_similarity;
use closefit::internals::bvh::wide_topology::NormalFrame;
use closefit::internals::narrow::Nearest;
use closefit::method::Boxes;
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::executor::Executor;
use closefit_geometry::math::pose::Pose;
use closefit_geometry::mesh::Mesh;
use closefit_geometry::parallel;
use cuts::{CutTree, Extents};
use edges::Edges;
pub use leaves::{LeafWork, PosedEdge, PosedTriangle};
pub use nearest::NearestRun;
pub use posed::PosedBoxTree;
pub use rule::{BoxRule, Levels, Prechecks, depth_of_paper};
pub use search::{ContactRun, Contacts, touching_by};
pub use shape::Shape;
pub use step::step_operations;
pub use stretch::StretchSearch;

/// The trees of one mesh in its own frame.
#[derive(Clone, Debug, PartialEq)]
pub struct CutTrees {
    edges: Edges,
    /// Over the edges, and over the triangles.
    trees: [CutTree; 2],
    /// Normal coordinates are coordinates of this frame.
    frame: NormalFrame,
    /// Largest magnitude of a vertex coordinate.
    largest_coordinate: f64,
    /// The linear part of poses with shear or uneven scale, if parts have such poses. The boxes then bound
    /// the vertices after that map, and the trees serve no other linear part.
    linear: Option<DMat3>,
    prechecks: Prechecks,
}

/// The index of the tree of edges in [`CutTrees`].
const EDGES: usize = 0;
/// The index of the tree of triangles.
const TRIANGLES: usize = 1;

impl CutTrees {
    /// Builds the trees, for poses with a linear part of their own if there is one.
    fn build(mesh: &Mesh, linear: Option<DMat3>, rule: &BoxRule) -> Self {
        let shaped = |v: DVec3| linear.map_or(v, |linear| linear * v);
        let frame = NormalFrame::of(Aabb::of(mesh.vertices().iter().map(|&v| shaped(v))));
        let edges = Edges::of(mesh);
        let normal: Vec<DVec3> = mesh.vertices().iter().map(|&v| frame.enter(shaped(v))).collect();
        let around = |corners: &[u32]| {
            let Aabb { lo, hi } = Aabb::of(corners.iter().map(|&v| normal[v as usize]));
            let lower = |x: f64| (x as f32).next_down();
            let upper = |x: f64| (x as f32).next_up();
            Extents { lo: lo.to_array().map(lower), hi: hi.to_array().map(upper) }
        };
        let of_edges: Vec<Extents> = edges.ends.iter().map(|ends| around(ends)).collect();
        let of_triangles: Vec<Extents> = mesh.triangles().iter().map(|corners| around(corners)).collect();
        let (of_edges, of_triangles) =
            parallel::both(|| CutTree::build(&of_edges, rule), || CutTree::build(&of_triangles, rule));
        let largest_coordinate = largest_coordinate(mesh.vertices());
        let prechecks = rule.prechecks;
        Self { edges, trees: [of_edges, of_triangles], frame, largest_coordinate, linear, prechecks }
    }

    /// Counts the nodes of the trees, over the edges and over the triangles.
    fn shapes(&self, triangles: usize) -> [Shape; 2] {
        [self.trees[EDGES].shape(self.edges.ends.len()), self.trees[TRIANGLES].shape(triangles)]
    }
}

/// A rule of cuts that makes a kind of tree.
pub trait Cuts: Clone + Debug + PartialEq + Send + Sync + 'static {
    /// Name of the kind as typed and printed.
    const NAME: &'static str;
    /// See [`Hierarchy::IS_QUADRATIC`].
    const IS_QUADRATIC: bool;

    /// The rule.
    const RULE: BoxRule;
}

/// The cuts of the paper's BoxTree.
#[derive(Clone, Debug, PartialEq)]
pub struct Balanced;

impl Cuts for Balanced {
    const NAME: &'static str = "box";
    const IS_QUADRATIC: bool = false;
    const RULE: BoxRule = BoxRule::DEFAULT;
}

/// No cuts: the paper's simple algorithm, each edge of one mesh against each triangle of the other, behind
/// tests of boxes.
#[derive(Clone, Debug, PartialEq)]
pub struct Uncut;

impl Cuts for Uncut {
    const NAME: &'static str = "simple";
    const IS_QUADRATIC: bool = true;
    const RULE: BoxRule = BoxRule::SIMPLE;
}

/// The trees of a mesh, cut in some way. Nothing but building depends on the way.
#[derive(Clone, Debug, PartialEq)]
pub struct BoxTree<C: Cuts = Balanced>(CutTrees, PhantomData<C>);

impl BoxTree {
    /// Builds the trees by a rule, for poses without shear and uneven scale.
    pub fn build_as(mesh: &Mesh, rule: &BoxRule) -> Self {
        Self::build_by(mesh, None, rule)
    }

    /// Builds the trees by a rule, for poses with a linear part if there is one.
    pub(crate) fn build_by(mesh: &Mesh, linear: Option<DMat3>, rule: &BoxRule) -> Self {
        Self(CutTrees::build(mesh, linear, rule), PhantomData)
    }

    /// Counts the nodes of the trees, over the edges and over the triangles of the mesh.
    pub fn shapes(&self, mesh: &Mesh) -> [Shape; 2] {
        self.0.shapes(mesh.triangles().len())
    }
}

impl<C: Cuts> Hierarchy for BoxTree<C> {
    const NAME: &'static str = C::NAME;
    const IS_QUADRATIC: bool = C::IS_QUADRATIC;
    const EXECUTORS: &'static [Executor] = &[Executor::Simd, Executor::Scalar];
    const ON_DEVICE: bool = false;
    const MOVING_BOXES: &'static [Boxes] = &[Boxes::Swept];

    type Posed<'a> = PosedBoxTree<'a>;
    type Held = WithMesh<Self>;
    type Kept = ();
    type Residence = ();
    type Front = stretch::Item;
    type StretchSearch<'a> = StretchSearch<'a>;

    fn build(mesh: &Mesh) -> Self {
        Self(CutTrees::build(mesh, None, &C::RULE), PhantomData)
    }

    fn is_built_for(linear: &DMat3) -> bool {
        !is_similarity(linear)
    }

    fn build_for(mesh: &Mesh, linear: DMat3) -> Self {
        Self(CutTrees::build(mesh, Some(linear), &C::RULE), PhantomData)
    }

    fn bytes(&self) -> usize {
        self.0.edges.bytes() + self.0.trees.iter().map(CutTree::bytes).sum::<usize>()
    }

    fn largest_coordinate(&self) -> f64 {
        self.0.largest_coordinate
    }

    fn place<'a>(&'a self, mesh: &'a Mesh, pose: &Pose, executor: Executor) -> PosedBoxTree<'a> {
        PosedBoxTree::new(&self.0, mesh, pose, executor)
    }

    fn contacts(a: &PosedBoxTree, b: &PosedBoxTree, most: usize, work: &mut Work) -> Vec<[u32; 2]> {
        search::contacts(a, b, most, work)
    }

    fn touches(a: &PosedBoxTree, b: &PosedBoxTree, work: &mut Work) -> bool {
        search::touching(a, b, work).is_some()
    }

    fn nearest(a: &PosedBoxTree, b: &PosedBoxTree, bound: f64, work: &mut Work) -> Option<Nearest> {
        nearest::nearest(a, b, bound, work)
    }

    fn within(a: &PosedBoxTree, b: &PosedBoxTree, bound: f64, work: &mut Work) -> Option<[u32; 2]> {
        search::touching(a, b, work)
            .or_else(|| nearest::nearest(a, b, bound, work).map(|nearest| nearest.triangles))
    }

    #[cfg(any(test, feature = "testing"))]
    fn inject(&mut self, fault: closefit::internals::bvh::faults::Fault, at: u64) -> bool {
        self.0.inject(fault, closefit::internals::bvh::faults::Place(at))
    }

    fn stretch(trees: MovingTrees<'_, Self>) -> StretchSearch<'_> {
        let MovingTrees { trees: [a, b], meshes, seen_from, method, executor, .. } = trees;
        StretchSearch { trees: [&a.0, &b.0], meshes, seen_from, method, executor }
    }
}
