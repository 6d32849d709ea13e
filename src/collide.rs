//! Queries on two meshes: the library's interface for a pair.
//!
//! A mesh needs only one [`CollisionMesh`], however many bodies share it. A [`PosedMesh`] is a tree at a
//! pose; it costs next to nothing, so every frame can make its own. Answers are exact, and equal to
//! what `closefit check` reports.
//!
//! ```
//! use closefit::{DVec3, Mesh, Pose, CollisionMesh};
//!
//! // A tetrahedron, twice.
//! let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
//! let mesh = Mesh::new(&corners, &[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])?;
//! let tree = CollisionMesh::build(&mesh);
//!
//! let a = tree.at(&Pose::IDENTITY)?;
//! let b = tree.at(&Pose::translation([1.25, 0.0, 0.0]))?;
//! assert!(!closefit::intersects(&a, &b));
//! let found = closefit::distance(&a, &b);
//! assert_eq!(found.distance, 0.25);
//! assert_eq!(found.closest.expect("no contact").points[0], DVec3::X);
//!
//! let b = tree.at(&Pose::translation([1.0, 0.0, 0.0]))?;
//! assert!(closefit::intersects(&a, &b), "touching is contact");
//! assert!(closefit::contact_triangles(&a, &b).contains(&[3, 0]));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Memory
//!
//! Each thread keeps and reuses the buffers of a search: once a thread is warm, a query of default trees
//! allocates nothing but the list that [`contact_triangles()`] returns. Trees of other [kinds](crate::kind)
//! have no such buffers.

use glam::DVec3;

use crate::bvh::held::Held;
use crate::bvh::kind::types::Kind;
use crate::collision_mesh::HeldOf;
use crate::narrow::{SLACK, Work, witness};
use crate::pair_memory::MemoryOf;
use crate::posed_mesh::PosedMesh;

/// The distance of two surfaces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Distance {
    /// The smallest distance of any two points, correctly rounded: 0 in contact, and only there.
    pub distance: f64,
    /// The closest triangles; `None` in contact, for which [`contact_triangles()`] gives the triangles.
    pub closest: Option<Closest>,
}

/// The closest triangles of two meshes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Closest {
    /// Triangle of a and triangle of b, by their indices in the meshes: in a tie, the first by the positions
    /// of their corners.
    pub triangles: [u32; 2],
    /// A point on each, in world coordinates, at that distance up to the rounding of their coordinates.
    pub points: [DVec3; 2],
}

/// True when some triangle of a shares a point with some triangle of b. Exact.
///
/// One solid inside another, without contact of their surfaces, does not count.
pub fn intersects<K: Kind>(a: &PosedMesh<'_, K>, b: &PosedMesh<'_, K>) -> bool {
    !a.is_farther(b, 0.0) && HeldOf::<K>::touches(&a.posed, &b.posed, &mut Work::default())
}

/// Returns all pairs of triangles (of a, of b, by their indices in the meshes) that share a point, sorted.
/// Exact.
///
/// Large searches are shared by the threads of the current [pool](crate::Pool).
pub fn contact_triangles<K: Kind>(a: &PosedMesh<'_, K>, b: &PosedMesh<'_, K>) -> Vec<[u32; 2]> {
    if a.is_farther(b, 0.0) {
        return Vec::new();
    }
    HeldOf::<K>::contacts(&a.posed, &b.posed, &mut Work::default())
}

/// Returns the distance of the surfaces, and the closest triangles.
pub fn distance<K: Kind>(a: &PosedMesh<'_, K>, b: &PosedMesh<'_, K>) -> Distance {
    let (memory, work) = (&mut MemoryOf::<K>::default(), &mut Work::default());
    nearest_within(a, b, f64::INFINITY, memory, work).expect(NO_LIMIT)
}

/// Returns the [distance](fn@distance) if it is at most `limit`; cheaper where it is not.
pub fn distance_up_to<K: Kind>(a: &PosedMesh<'_, K>, b: &PosedMesh<'_, K>, limit: f64) -> Option<Distance> {
    if limit.is_nan() || limit < 0.0 || a.is_farther(b, limit * SLACK) {
        return None;
    }
    nearest_within(a, b, limit, &mut MemoryOf::<K>::default(), &mut Work::default())
}

/// True when [`distance()`] is at most `limit`; cheaper than the distance.
pub fn intersects_within<K: Kind>(a: &PosedMesh<'_, K>, b: &PosedMesh<'_, K>, limit: f64) -> bool {
    let search = || HeldOf::<K>::within(&a.posed, &b.posed, limit, &mut Work::default());
    limit >= 0.0 && !a.is_farther(b, limit) && search()
}

pub(crate) const NO_LIMIT: &str = "no distance exceeds infinity";

/// Returns the distance if it is at most `limit`, which is 0 or more.
pub(crate) fn nearest_within<K: Kind>(
    a: &PosedMesh<'_, K>,
    b: &PosedMesh<'_, K>,
    limit: f64,
    memory: &mut MemoryOf<K>,
    work: &mut Work,
) -> Option<Distance> {
    let nearest = HeldOf::<K>::nearest_again(memory, &a.posed, &b.posed, limit, work)?;
    let is_apart = nearest.distance > 0.0;
    let found = is_apart.then(|| HeldOf::<K>::found(memory, &a.posed, &b.posed)).flatten();
    let closest = found.map(|[of_a, of_b]| Closest {
        triangles: nearest.triangles,
        points: work.ask(|| witness(&of_a, &of_b)),
    });
    Some(Distance { distance: nearest.distance, closest })
}
