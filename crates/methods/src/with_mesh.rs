//! Trees of any kind as library users hold them: with their mesh, and with a memory from one query of a pair
//! to the next.

use std::fmt::Debug;
use std::ops::Deref;

use glam::DVec3;

use closefit::Work;
use closefit::internals::bvh::Hierarchy;
use closefit::internals::bvh::held::{Held, Refitted};
use closefit::internals::bvh::placement::Placement;
use closefit::internals::bvh::posed_model::Standing;
use closefit::internals::bvh::wide_topology::NormalFrame;
use closefit::internals::narrow::Nearest;
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::exact::contact::triangles_meet;
use closefit_geometry::exact::distance::enclose;
use closefit_geometry::math::Triangle;
use closefit_geometry::math::pose::Pose;
use closefit_geometry::mesh::Mesh;

/// A tree that can be refitted.
pub trait Refittable: Hierarchy {
    /// Refits all volumes to a mesh with the same triangles and moved vertices. Which triangles share a
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
    /// The triangles that were in contact, or closest, when the pair was last checked.
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
    fn contacts(
        &mut self,
        a: &T::Posed<'_>,
        b: &T::Posed<'_>,
        most: usize,
        work: &mut Work,
    ) -> Vec<[u32; 2]> {
        let contacts = T::contacts_again(&mut self.kept, a, b, most, work);
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
        posed.tree.walk(&mut enter, &mut |_| {}, &mut Work::default());
        around
    }

    fn contacts(a: &Self::Posed<'_>, b: &Self::Posed<'_>, work: &mut Work) -> Vec<[u32; 2]> {
        T::contacts(&a.tree, &b.tree, usize::MAX, work)
    }

    fn touches(a: &Self::Posed<'_>, b: &Self::Posed<'_>, work: &mut Work) -> bool {
        T::touches(&a.tree, &b.tree, work)
    }

    fn within(a: &Self::Posed<'_>, b: &Self::Posed<'_>, bound: f64, work: &mut Work) -> bool {
        T::within(&a.tree, &b.tree, bound, work).is_some()
    }

    fn still_touches(
        memory: &mut PairKnown<T>,
        a: &Self::Posed<'_>,
        b: &Self::Posed<'_>,
        work: &mut Work,
    ) -> bool {
        memory.corners(a, b).is_some_and(|[t, s]| {
            *work += Work::exact(1);
            triangles_meet(&t, &s)
        })
    }

    fn touches_again(
        memory: &mut PairKnown<T>,
        a: &Self::Posed<'_>,
        b: &Self::Posed<'_>,
        work: &mut Work,
    ) -> bool {
        // One contact is more than none.
        Self::still_touches(memory, a, b, work) || !memory.contacts(&a.tree, &b.tree, 0, work).is_empty()
    }

    fn contacts_again(
        memory: &mut PairKnown<T>,
        a: &Self::Posed<'_>,
        b: &Self::Posed<'_>,
        work: &mut Work,
    ) -> Vec<[u32; 2]> {
        memory.contacts(&a.tree, &b.tree, usize::MAX, work)
    }

    fn nearest_again(
        memory: &mut PairKnown<T>,
        a: &Self::Posed<'_>,
        b: &Self::Posed<'_>,
        bound: f64,
        work: &mut Work,
    ) -> Option<Nearest> {
        if Self::touches_again(memory, a, b, work) {
            return memory.last.map(|triangles| Nearest { distance: 0.0, triangles });
        }
        let last = memory.corners(a, b).map(|[t, s]| enclose(&t, &s).at_most);
        let bound = last.map_or(bound, |at_most| at_most.min(bound));
        let nearest = T::nearest(&a.tree, &b.tree, bound, work)?;
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
