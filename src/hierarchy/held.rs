//! Trees as library users hold them: with what queries need of the mesh, and with a memory from one query of
//! a pair to the next.

use std::fmt::Debug;
use std::ops::Deref;

use glam::DVec3;

use super::placement::Placement;
use super::wide_topology::NormalFrame;
use super::{Hierarchy, world_box};
use crate::narrow::{Nearest, Work};
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::exact::contact::triangles_meet;
use closefit_geometry::exact::distance::enclose;
use closefit_geometry::math::Triangle;
use closefit_geometry::math::pose::Pose;
use closefit_geometry::mesh::Mesh;

/// A tree that needs no mesh beside it.
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
    fn contacts(a: &Self::Posed<'_>, b: &Self::Posed<'_>) -> Vec<[u32; 2]>;

    /// True when there are contacts; stops at the first.
    fn touches(a: &Self::Posed<'_>, b: &Self::Posed<'_>) -> bool;

    /// True when some triangles are no farther apart than `bound`, which is 0 or more.
    fn within(a: &Self::Posed<'_>, b: &Self::Posed<'_>, bound: f64) -> bool;

    /// Clears what queries have learned; keeps the settings.
    fn forget(memory: &mut Self::Memory) {
        *memory = Self::Memory::default();
    }

    /// True when triangles that were in contact at an earlier query still are.
    fn still_touches(memory: &mut Self::Memory, a: &Self::Posed<'_>, b: &Self::Posed<'_>) -> bool;

    /// Returns [`Held::touches`] by means of a memory.
    fn touches_again(memory: &mut Self::Memory, a: &Self::Posed<'_>, b: &Self::Posed<'_>) -> bool;

    /// Returns [`Held::contacts`] by means of a memory.
    fn contacts_again(memory: &mut Self::Memory, a: &Self::Posed<'_>, b: &Self::Posed<'_>) -> Vec<[u32; 2]>;

    /// Returns the closest pair of triangles by means of a memory, if its distance is at most `bound`, which
    /// is 0 or more. In contact, the pair is any that touches.
    fn nearest_again(
        memory: &mut Self::Memory,
        a: &Self::Posed<'_>,
        b: &Self::Posed<'_>,
        bound: f64,
    ) -> Option<Nearest>;

    /// Returns the posed corners of the triangles that [`Held::nearest_again`] has just found.
    fn found(memory: &Self::Memory, a: &Self::Posed<'_>, b: &Self::Posed<'_>) -> Option<[Triangle; 2]>;
}

/// A held tree that can be fitted anew.
pub trait Refitted: Held {
    /// Returns the tree fitted anew to moved vertices, as many as there are, in the order of the mesh. -0
    /// becomes 0, as in a mesh.
    fn refitted(&self, vertices: &[DVec3]) -> Self;

    /// Does [`Refitted::refitted`] in place.
    fn refit(&mut self, vertices: &[DVec3]) {
        *self = self.refitted(vertices);
    }
}

/// A tree that can be fitted anew.
pub trait Refittable: Hierarchy {
    /// Fits all volumes anew to a mesh with the same triangles and moved vertices. Which triangles share a
    /// volume stays as it is.
    fn refit(&mut self, mesh: &Mesh);
}

/// A tree of any kind, with its mesh.
#[derive(Clone, Debug)]
pub struct WithMesh<T> {
    tree: T,
    mesh: Mesh,
    frame: NormalFrame,
}

/// A tree at a pose, with its mesh.
#[derive(Clone, Copy, Debug)]
pub struct PosedWithMesh<'a, P> {
    tree: P,
    mesh: &'a Mesh,
    placement: Placement,
}

impl<P> Deref for PosedWithMesh<'_, P> {
    type Target = Placement;

    fn deref(&self) -> &Placement {
        &self.placement
    }
}

impl<P> PosedWithMesh<'_, P> {
    fn triangle(&self, triangle: u32) -> Triangle {
        self.mesh.corners(triangle).map(|v| self.placement.pose.apply(v))
    }
}

/// Knowledge from earlier queries about two trees of a kind.
#[derive(Clone, Debug)]
pub struct PairKnown<T: Hierarchy> {
    /// The triangles that were in contact, or closest, when the pair was last asked about.
    last: Option<[u32; 2]>,
    kept: T::Kept,
}

impl<T: Hierarchy> Default for PairKnown<T> {
    fn default() -> Self {
        Self { last: None, kept: T::Kept::default() }
    }
}

impl<T: Hierarchy> PairKnown<T> {
    fn corners<P, Q>(&self, a: &PosedWithMesh<P>, b: &PosedWithMesh<Q>) -> Option<[Triangle; 2]> {
        self.last.map(|[of_a, of_b]| [a.triangle(of_a), b.triangle(of_b)])
    }

    /// Returns the contacts of two trees; if there are more than `most`, some of them, more than `most`.
    fn contacts(&mut self, a: &T::Posed<'_>, b: &T::Posed<'_>, most: usize) -> Vec<[u32; 2]> {
        let contacts = T::contacts_again(&mut self.kept, a, b, most, &mut Work::default());
        self.last = contacts.first().copied().or(self.last);
        contacts
    }
}

impl<T: Hierarchy> Held for WithMesh<T> {
    type Posed<'a> = PosedWithMesh<'a, T::Posed<'a>>;
    type Memory = PairKnown<T>;

    fn build(mesh: &Mesh) -> Self {
        Self { tree: T::build(mesh), mesh: mesh.clone(), frame: frame_of(mesh) }
    }

    fn triangles(&self) -> usize {
        self.mesh.triangles().len()
    }

    fn vertices(&self) -> &[DVec3] {
        self.mesh.vertices()
    }

    fn corners(&self) -> &[[u32; 3]] {
        self.mesh.triangles()
    }

    fn triangle(posed: &Self::Posed<'_>, place: u32) -> Triangle {
        posed.triangle(place)
    }

    fn frame(&self) -> NormalFrame {
        self.frame
    }

    fn largest_coordinate(&self) -> f64 {
        self.tree.largest_coordinate()
    }

    fn bytes(&self) -> usize {
        self.tree.bytes() + self.mesh.bytes()
    }

    fn at(&self, pose: &Pose) -> Self::Posed<'_> {
        let placement = Placement::new(&self.frame, None, self.tree.largest_coordinate(), pose);
        let tree = self.tree.place(&self.mesh, pose, T::EXECUTORS[0]);
        PosedWithMesh { tree, mesh: &self.mesh, placement }
    }

    fn bounds(posed: &Self::Posed<'_>) -> Aabb {
        let mut around = Aabb::EMPTY;
        // The topmost volumes contain all others.
        let mut enter = |bounds: &Aabb| {
            around = around.union(*bounds);
            false
        };
        T::walk(&posed.tree, &mut enter, &mut |_| {}, &mut Work::default());
        around
    }

    fn contacts(a: &Self::Posed<'_>, b: &Self::Posed<'_>) -> Vec<[u32; 2]> {
        T::contacts(&a.tree, &b.tree, usize::MAX, &mut Work::default())
    }

    fn touches(a: &Self::Posed<'_>, b: &Self::Posed<'_>) -> bool {
        T::touches(&a.tree, &b.tree, &mut Work::default())
    }

    fn within(a: &Self::Posed<'_>, b: &Self::Posed<'_>, bound: f64) -> bool {
        T::within(&a.tree, &b.tree, bound, &mut Work::default()).is_some()
    }

    fn still_touches(memory: &mut PairKnown<T>, a: &Self::Posed<'_>, b: &Self::Posed<'_>) -> bool {
        memory.corners(a, b).is_some_and(|[t, s]| triangles_meet(&t, &s))
    }

    fn touches_again(memory: &mut PairKnown<T>, a: &Self::Posed<'_>, b: &Self::Posed<'_>) -> bool {
        // One contact is more than none.
        Self::still_touches(memory, a, b) || !memory.contacts(&a.tree, &b.tree, 0).is_empty()
    }

    fn contacts_again(memory: &mut PairKnown<T>, a: &Self::Posed<'_>, b: &Self::Posed<'_>) -> Vec<[u32; 2]> {
        memory.contacts(&a.tree, &b.tree, usize::MAX)
    }

    fn nearest_again(
        memory: &mut PairKnown<T>,
        a: &Self::Posed<'_>,
        b: &Self::Posed<'_>,
        bound: f64,
    ) -> Option<Nearest> {
        if Self::touches_again(memory, a, b) {
            return memory.last.map(|triangles| Nearest { distance: 0.0, triangles });
        }
        let last = memory.corners(a, b).map(|[t, s]| enclose(&t, &s).at_most);
        let bound = last.map_or(bound, |at_most| at_most.min(bound));
        let nearest = T::nearest(&a.tree, &b.tree, bound, &mut Work::default())?;
        memory.last = Some(nearest.triangles);
        Some(nearest)
    }

    fn found(memory: &PairKnown<T>, a: &Self::Posed<'_>, b: &Self::Posed<'_>) -> Option<[Triangle; 2]> {
        memory.corners(a, b)
    }
}

impl<T: Refittable> Refitted for WithMesh<T> {
    fn refitted(&self, vertices: &[DVec3]) -> Self {
        let mut copy = self.clone();
        copy.refit(vertices);
        copy
    }

    fn refit(&mut self, vertices: &[DVec3]) {
        self.mesh = self.mesh.reshaped(vertices.iter().map(|&v| v + DVec3::ZERO).collect());
        self.frame = frame_of(&self.mesh);
        self.tree.refit(&self.mesh);
    }
}

/// Returns the frame in which all vertices lie within -1 to 1.
fn frame_of(mesh: &Mesh) -> NormalFrame {
    NormalFrame::of(Aabb::of(mesh.vertices().iter().copied()))
}
