//! The octrees of Ponamgi, Manocha and Lin (1995): trees of boxes along the coordinate axes over cells of
//! vertices, each cut into eight or so parts by a [`Recipe`], searched by hierarchical sweep and prune.
//!
//! A triangle belongs to the cell of its lowest vertex ([`Shared`]), so boxes overlap and no triangle is cut;
//! or it belongs to every cell that it meets ([`Trimmed`]), and boxes contain only its pieces there. Pieces
//! serve all questions, because what meets or is nearest is a point of some piece; a search settles each
//! triangle, or pair of triangles, once. They cannot be refitted to moved vertices, so trimmed trees have
//! no refit. The paper builds a tree over each connected part of the surface off the convex hull. A recipe
//! can ask for that, with trees of the parts on the hull as well; by default one tree holds the whole
//! mesh.
//!
//! Boxes are along the mesh's own axes. A search takes place in the first mesh's frame; boxes of the second
//! are updated when they are met, to the box around the turned box. That is never larger than the cube around
//! the sphere around the box; the paper takes the cube around a sphere around the contents. Distances, points
//! and movements are searched as in every tree of [`volumes`](crate::volumes), and eight boxes make a block
//! as there.

mod build;
mod cells;
mod face_lists;
mod faces;
mod kept_lists;
mod recipe;
#[cfg(test)]
mod recipe_tests;
mod sorted_ends;
mod sweep_and_prune;
#[cfg(test)]
mod tests;
mod trim;
#[cfg(test)]
mod validate;

use std::marker::PhantomData;

use glam::DMat3;

use crate::volumes::{self, Contents, Kdop, VolumeTree};
use crate::with_mesh::{Refittable, WithMesh};
pub use cells::{Cells, Median, Uniform};
use closefit::Work;
use closefit::internals::bvh::Hierarchy;
use closefit::internals::bvh::moving::MovingTrees;
use closefit::internals::bvh::placement::is_similarity;
use closefit::internals::bvh::wide_topology::NormalFrame;
use closefit::internals::narrow::Nearest;
use closefit::method::Boxes;
use closefit_geometry::executor::Executor;
use closefit_geometry::math::pose::Pose;
use closefit_geometry::mesh::Mesh;
pub use faces::{Faces, Shared, Trimmed};
pub use kept_lists::{KeptLists, ListCounts};
pub use recipe::{DEEPEST, Recipe, RecipeError};

/// The kind of volume: a box along the coordinate axes.
type BoxKind = Kdop<3>;
/// The boxes of a tree, and what they hold.
type BoxBlocks = VolumeTree<BoxKind>;
/// A tree at a pose.
type PosedOctree<'a> = volumes::PosedVolumes<'a, BoxKind>;

/// The tree of one mesh in its own frame, its cells cut in some way and its triangles sorted into them by
/// some rule. Nothing but building depends on the way.
#[derive(Clone, Debug, PartialEq)]
pub struct Octree<C: Cells, F: Faces = Shared>(BoxBlocks, PhantomData<(C, F)>);

impl<C: Cells> Refittable for Octree<C> {
    /// Refits all boxes. The cells stay as they are.
    fn refit(&mut self, mesh: &Mesh) {
        self.0.refit(mesh);
    }
}

impl<C: Cells, F: Faces> Octree<C, F> {
    /// Builds the tree by a recipe. The same mesh and recipe give the same tree.
    ///
    /// # Errors
    /// The recipe is not [valid](Recipe::validate).
    pub fn build_as(mesh: &Mesh, recipe: &Recipe) -> Result<Self, RecipeError> {
        recipe.validate()?;
        Ok(Self::build_by(mesh, None, recipe))
    }

    /// Builds the tree by a valid recipe, for poses with a linear part if there is one.
    pub(crate) fn build_by(mesh: &Mesh, linear: Option<DMat3>, recipe: &Recipe) -> Self {
        let partition = Self::partition(recipe);
        let blocks = match linear {
            None => BoxBlocks::of(mesh, partition),
            Some(linear) => BoxBlocks::of_mapped(mesh, linear, partition),
        };
        Self(blocks, PhantomData)
    }

    /// Returns the number of pieces in all leaves: the number of triangles, unless they are trimmed.
    pub fn pieces(&self) -> usize {
        self.0.places()
    }

    fn partition(recipe: &Recipe) -> impl Fn(&Mesh, &NormalFrame) -> Contents {
        |mesh, frame| build::partition::<C, F>(mesh, frame, recipe)
    }
}

impl<C: Cells, F: Faces> Hierarchy for Octree<C, F> {
    const NAME: &'static str = C::NAME;
    const EXECUTORS: &'static [Executor] = BoxBlocks::EXECUTORS;
    const ON_DEVICE: bool = false;
    const MOVING_BOXES: &'static [Boxes] = BoxBlocks::MOVING_BOXES;

    type Posed<'a> = PosedOctree<'a>;
    type Held = WithMesh<Self>;
    type Kept = KeptLists;
    type Residence = ();
    type Front = <BoxBlocks as Hierarchy>::Front;
    type StretchSearch<'a> = <BoxBlocks as Hierarchy>::StretchSearch<'a>;

    fn build(mesh: &Mesh) -> Self {
        Self(BoxBlocks::of(mesh, Self::partition(&Recipe::default())), PhantomData)
    }

    fn is_built_for(linear: &DMat3) -> bool {
        !is_similarity(linear)
    }

    fn build_for(mesh: &Mesh, linear: DMat3) -> Self {
        Self(BoxBlocks::of_mapped(mesh, linear, Self::partition(&Recipe::default())), PhantomData)
    }

    fn bytes(&self) -> usize {
        self.0.bytes()
    }

    fn largest_coordinate(&self) -> f64 {
        self.0.largest_coordinate()
    }

    fn place<'a>(&'a self, mesh: &'a Mesh, pose: &Pose, executor: Executor) -> PosedOctree<'a> {
        self.0.place(mesh, pose, executor)
    }

    fn contacts(a: &PosedOctree, b: &PosedOctree, most: usize, work: &mut Work) -> Vec<[u32; 2]> {
        sweep_and_prune::contacts(a, b, most, None, work)
    }

    fn contacts_again(
        kept: &mut KeptLists,
        a: &PosedOctree,
        b: &PosedOctree,
        most: usize,
        work: &mut Work,
    ) -> Vec<[u32; 2]> {
        sweep_and_prune::contacts(a, b, most, Some(kept), work)
    }

    fn touches(a: &PosedOctree, b: &PosedOctree, work: &mut Work) -> bool {
        sweep_and_prune::touching(a, b, work).is_some()
    }

    fn nearest(a: &PosedOctree, b: &PosedOctree, bound: f64, work: &mut Work) -> Option<Nearest> {
        BoxBlocks::nearest(a, b, bound, work)
    }

    fn within(a: &PosedOctree, b: &PosedOctree, bound: f64, work: &mut Work) -> Option<[u32; 2]> {
        sweep_and_prune::touching(a, b, work)
            .or_else(|| BoxBlocks::nearest(a, b, bound, work).map(|nearest| nearest.triangles))
    }

    #[cfg(any(test, feature = "testing"))]
    fn inject(&mut self, fault: closefit::internals::bvh::faults::Fault, at: u64) -> bool {
        self.0.inject(fault, closefit::internals::bvh::faults::Place(at))
    }

    fn stretch(trees: MovingTrees<'_, Self>) -> Self::StretchSearch<'_> {
        let MovingTrees { trees: [a, b], meshes, seen_from, motion, method, executor } = trees;
        BoxBlocks::stretch(MovingTrees { trees: [&a.0, &b.0], meshes, seen_from, motion, method, executor })
    }
}
