//! Trees as library users hold them: with what queries need of the mesh, and with a memory from one query of
//! a pair to the next.

use std::fmt::Debug;
use std::ops::Deref;

use glam::DVec3;

use super::placement::Placement;
use super::wide_topology::NormalFrame;
use super::world_box;
use crate::narrow::{Nearest, Work};
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::math::Triangle;
use closefit_geometry::math::pose::Pose;
use closefit_geometry::mesh::Mesh;

/// A tree that needs no mesh in addition. Queries add to their `work`.
pub trait Held: Debug + Send + Sync + Sized + 'static {
    /// The tree at a pose.
    type Posed<'a>: Copy + Debug + Deref<Target = Placement> + Send + Sync
    where
        Self: 'a;
    /// Knowledge from earlier queries about two trees: always the same two, in the same order. No answer
    /// depends on it.
    type Memory: Clone + Debug + Default + Send + Sync;

    /// Builds the tree, and keeps what it needs of the mesh.
    fn build(mesh: &Mesh) -> Self;

    /// Returns the number of triangles.
    fn triangles(&self) -> usize;

    /// Returns the mesh's vertices, in some order.
    fn vertices(&self) -> &[DVec3];

    /// Returns the corners of each triangle, as places in [`Held::vertices`]. The triangles are in some
    /// order.
    fn corners(&self) -> &[[u32; 3]];

    /// Returns the posed corners of a triangle, by its place in [`Held::corners`].
    fn triangle(posed: &Self::Posed<'_>, place: u32) -> Triangle;

    /// Returns the frame that a posed tree places.
    fn frame(&self) -> NormalFrame;

    /// Returns the largest magnitude of a vertex coordinate.
    fn largest_coordinate(&self) -> f64;

    /// Returns the memory in bytes.
    fn bytes(&self) -> usize;

    /// Poses the tree.
    fn at(&self, pose: &Pose) -> Self::Posed<'_>;

    /// Returns a bound of the rounding error, per coordinate, of a box computed in the world.
    fn margin_in_world(&self, pose: &Pose) -> f64 {
        world_box::margin(pose, self.largest_coordinate())
    }

    /// Returns a world-aligned box around all posed vertices, derived from the volume of the whole mesh.
    fn bounds(posed: &Self::Posed<'_>) -> Aabb;

    /// Returns all pairs of triangles in contact, sorted.
    fn contacts(a: &Self::Posed<'_>, b: &Self::Posed<'_>, work: &mut Work) -> Vec<[u32; 2]>;

    /// True when there are contacts; stops at the first.
    fn touches(a: &Self::Posed<'_>, b: &Self::Posed<'_>, work: &mut Work) -> bool;

    /// True when some triangles are no farther apart than `bound`, which is 0 or more.
    fn within(a: &Self::Posed<'_>, b: &Self::Posed<'_>, bound: f64, work: &mut Work) -> bool;

    /// Clears what queries have learned; keeps the settings.
    fn forget(memory: &mut Self::Memory) {
        *memory = Self::Memory::default();
    }

    /// True when triangles that were in contact at an earlier query still are.
    fn still_touches(
        memory: &mut Self::Memory,
        a: &Self::Posed<'_>,
        b: &Self::Posed<'_>,
        work: &mut Work,
    ) -> bool;

    /// Returns [`Held::touches`] by means of a memory.
    fn touches_again(
        memory: &mut Self::Memory,
        a: &Self::Posed<'_>,
        b: &Self::Posed<'_>,
        work: &mut Work,
    ) -> bool;

    /// Returns [`Held::contacts`] by means of a memory.
    fn contacts_again(
        memory: &mut Self::Memory,
        a: &Self::Posed<'_>,
        b: &Self::Posed<'_>,
        work: &mut Work,
    ) -> Vec<[u32; 2]>;

    /// Returns the closest pair of triangles by means of a memory, if its distance is at most `bound`, which
    /// is 0 or more. In contact, the pair is any that touches.
    fn nearest_again(
        memory: &mut Self::Memory,
        a: &Self::Posed<'_>,
        b: &Self::Posed<'_>,
        bound: f64,
        work: &mut Work,
    ) -> Option<Nearest>;

    /// Returns the posed corners of the triangles that [`Held::nearest_again`] has just found.
    fn found(memory: &Self::Memory, a: &Self::Posed<'_>, b: &Self::Posed<'_>) -> Option<[Triangle; 2]>;
}

/// A held tree that can be refitted.
pub trait Refitted: Held {
    /// Returns the tree refitted to moved vertices, as many as there are, in the order of the mesh. -0
    /// becomes 0, as in a mesh.
    fn refitted(&self, vertices: &[DVec3]) -> Self;

    /// Does [`Refitted::refitted`] in place.
    fn refit(&mut self, vertices: &[DVec3]) {
        *self = self.refitted(vertices);
    }
}
