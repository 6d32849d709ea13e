//! The octrees of Ponamgi, Manocha and Lin (1995): trees of boxes along the coordinate axes over cells of vertices, each
//! cut into eight parts, searched by hierarchical sweep and prune.
//!
//! A triangle belongs to the cell of its lowest vertex, so boxes overlap and no triangle is cut. The paper builds a tree
//! over each connected part of the surface off the convex hull; here one tree holds the whole mesh.
//!
//! Boxes are along the mesh's own axes. A search takes place in the first mesh's frame; boxes of the second are updated
//! when they are met, to the box around the turned box. That is never larger than the cube around the sphere around the
//! box; the paper takes the cube around a sphere around the contents. Distances, points and movements are searched as in
//! every tree of [`volumes`](super::volumes), and eight boxes make a block as there.

mod build;
mod cells;
mod kept_lists;
mod sorted_ends;
mod sweep_and_prune;
#[cfg(test)]
mod tests;

use std::marker::PhantomData;
use std::ops::ControlFlow;

use glam::{DMat3, DVec3};

use super::Hierarchy;
use super::held::{Refittable, WithMesh};
use super::moving::MovingTrees;
use super::placement::is_similarity;
use super::volumes::{self, Kdop, VolumeTree};
use crate::bounds::aabb::Aabb;
use crate::continuous::method::Boxes;
use crate::executor::Executor;
use crate::math::Triangle;
use crate::math::pose::Pose;
use crate::mesh::Mesh;
use crate::narrow::{Nearest, Work};
use cells::Cells;
pub use cells::{Median, Uniform};
use kept_lists::KeptLists;

/// The kind of volume: a box along the coordinate axes.
type BoxKind = Kdop<3>;
/// The boxes of a tree, and what they hold.
type BoxBlocks = VolumeTree<BoxKind>;
/// A tree at a pose.
type Posed<'a> = volumes::Posed<'a, BoxKind>;

/// The tree of one mesh in its own frame, its cells cut in some way. Nothing but building depends on the way.
#[derive(Clone, Debug, PartialEq)]
pub struct Octree<C: Cells>(BoxBlocks, PhantomData<C>);

impl<C: Cells> Refittable for Octree<C> {
    /// Fits all boxes anew. The cells stay as they are.
    fn refit(&mut self, mesh: &Mesh) {
        self.0.refit(mesh);
    }
}

impl<C: Cells> Octree<C> {
    /// Checks everything that searches assume of the tree.
    ///
    /// # Errors
    /// The first fault found.
    pub fn validate(&self, mesh: &Mesh) -> Result<(), String> {
        self.0.validate(mesh)
    }
}

impl<C: Cells> Hierarchy for Octree<C> {
    const NAME: &'static str = C::NAME;
    const EXECUTORS: &'static [Executor] = BoxBlocks::EXECUTORS;
    const ON_DEVICE: bool = false;
    const MOVING_BOXES: &'static [Boxes] = BoxBlocks::MOVING_BOXES;

    type Posed<'a> = Posed<'a>;
    type Held = WithMesh<Self>;
    type Kept = KeptLists;
    type Residence<'a> = ();
    type Front = <BoxBlocks as Hierarchy>::Front;
    type StretchSearch<'a> = <BoxBlocks as Hierarchy>::StretchSearch<'a>;

    fn build(mesh: &Mesh) -> Self {
        Self(BoxBlocks::of(mesh, build::partition::<C>), PhantomData)
    }

    fn is_built_for(linear: &DMat3) -> bool {
        !is_similarity(linear)
    }

    fn build_for(mesh: &Mesh, linear: DMat3) -> Self {
        Self(BoxBlocks::of_shaped(mesh, linear, build::partition::<C>), PhantomData)
    }

    fn bytes(&self) -> usize {
        self.0.bytes()
    }

    fn largest_coordinate(&self) -> f64 {
        self.0.largest_coordinate()
    }

    fn place<'a>(&'a self, mesh: &'a Mesh, pose: &Pose, executor: Executor) -> Posed<'a> {
        self.0.place(mesh, pose, executor)
    }

    fn contacts(a: &Posed, b: &Posed, most: usize, work: &mut Work) -> Vec<[u32; 2]> {
        sweep_and_prune::contacts(a, b, most, None, work)
    }

    fn contacts_again(
        kept: &mut KeptLists,
        a: &Posed,
        b: &Posed,
        most: usize,
        work: &mut Work,
    ) -> Vec<[u32; 2]> {
        sweep_and_prune::contacts(a, b, most, Some(kept), work)
    }

    fn touches(a: &Posed, b: &Posed, work: &mut Work) -> bool {
        sweep_and_prune::touching(a, b, work).is_some()
    }

    fn nearest(a: &Posed, b: &Posed, bound: f64, work: &mut Work) -> Option<Nearest> {
        BoxBlocks::nearest(a, b, bound, work)
    }

    fn within(a: &Posed, b: &Posed, bound: f64, work: &mut Work) -> Option<[u32; 2]> {
        sweep_and_prune::touching(a, b, work)
            .or_else(|| BoxBlocks::nearest(a, b, bound, work).map(|nearest| nearest.triangles))
    }

    fn walk(
        posed: &Posed,
        enter: &mut dyn FnMut(&Aabb) -> bool,
        visit: &mut dyn FnMut(u32),
        work: &mut Work,
    ) {
        BoxBlocks::walk(posed, enter, visit, work);
    }

    fn in_box(
        posed: &Posed,
        bounds: &Aabb,
        visit: &mut dyn FnMut(u32, &Triangle) -> ControlFlow<()>,
        work: &mut Work,
    ) -> ControlFlow<()> {
        BoxBlocks::in_box(posed, bounds, visit, work)
    }

    fn near_point(
        posed: &Posed,
        p: DVec3,
        bound: f64,
        visit: &mut dyn FnMut(u32, &Triangle) -> f64,
        work: &mut Work,
    ) {
        BoxBlocks::near_point(posed, p, bound, visit, work);
    }

    #[cfg(test)]
    fn inject(&mut self, fault: super::faults::Fault, at: u64) -> bool {
        self.0.inject(fault, super::faults::Place(at))
    }

    fn stretch(trees: MovingTrees<'_, Self>) -> Self::StretchSearch<'_> {
        let MovingTrees { trees: [a, b], meshes, seen_from, spin, method, executor } = trees;
        BoxBlocks::stretch(MovingTrees { trees: [&a.0, &b.0], meshes, seen_from, spin, method, executor })
    }
}
