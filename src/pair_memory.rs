//! Memory from one question about a pair to the next.

use std::ops::AddAssign;

use crate::bvh::held::Held;
use crate::bvh::kind::types::{Kind, Obb};
use crate::bvh::mesh_hull::{HullMemory, red_pairs};
use crate::bvh::wide_obb::search::coherence::Coherence;
use crate::collide::{Distance, NO_LIMIT, nearest_within};
use crate::collision_mesh::{CollisionMesh, HeldOf};
use crate::narrow::{SLACK, Work};
use crate::posed_mesh::PosedMesh;
use closefit_geometry::exact::contact::triangles_meet;
use closefit_geometry::exact::distance::enclose;
use closefit_geometry::executor::Executor;
use closefit_geometry::hull::closest_features::HullWork;
use closefit_geometry::hull::filter::HullFilter;

pub(crate) type MemoryOf<K> = <HeldOf<K> as Held>::Memory;

/// Memory from one pair's queries to the next: the same answers, sooner if the bodies move little in between.
///
/// ```
/// use closefit::{DVec3, Mesh, PairMemory, Pose, CollisionMesh};
///
/// let tree = CollisionMesh::build(&Mesh::new(&[DVec3::ZERO, DVec3::X, DVec3::Y], &[[0, 1, 2]])?);
/// let ground = tree.at(&Pose::IDENTITY)?;
/// let mut memory = PairMemory::default();
/// for frame in 0..10 {
///     let height = 1.0 - 0.125 * f64::from(frame);
///     let falling = tree.at(&Pose::translation([0.0, 0.0, height]))?;
///     assert_eq!(memory.distance(&ground, &falling).distance, height.abs());
///     assert_eq!(memory.intersects(&ground, &falling), height == 0.0);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct PairMemory<K: Kind = Obb> {
    /// The two trees that it remembers, kept alive so that no other tree takes their address.
    trees: Option<[CollisionMesh<K>; 2]>,
    known: MemoryOf<K>,
    filter: HullFilter,
    known_of_hulls: HullMemory,
    /// The answer of the last question about contact.
    contact: LastContact,
    work: PairWork,
}

/// The work of all questions about a pair so far.
///
/// Trees that are eight boxes wide count all eight of a test, so compare it only with work of the same kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PairWork {
    /// Tests of boxes and triangles.
    pub tests: Work,
    /// Walks over closest features of the hulls, and the triangles that they led to.
    pub hulls: HullWork,
}

impl AddAssign for PairWork {
    fn add_assign(&mut self, other: Self) {
        self.tests += other.tests;
        self.hulls += other.hulls;
    }
}

/// The contact that the last question found.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum LastContact {
    /// There was none.
    #[default]
    None,
    /// Triangles at red features, by their places.
    Red([u32; 2]),
    /// A search, which remembers them.
    Searched,
}

impl PairMemory {
    /// Creates an empty memory that keeps coherence tables (Redon et al. 2002, section 6): the pairs of boxes
    /// and of leaves at which the last search for contacts ended, from which the next one starts. They take
    /// memory in proportion to the boxes that meet, up to 32 MiB. Of what is kept by default, they replace
    /// how far apart the bodies are known to stay. They are here to compare: the paper gained 15 % by them,
    /// and here they take longer.
    ///
    /// ```
    /// use closefit::{DVec3, Mesh, PairMemory, Pose, CollisionMesh};
    ///
    /// let tree = CollisionMesh::build(&Mesh::new(&[DVec3::ZERO, DVec3::X, DVec3::Y], &[[0, 1, 2]])?);
    /// let (still, moved) = (tree.at(&Pose::IDENTITY)?, tree.at(&Pose::translation([0.5, 0.0, 0.0]))?);
    /// let mut memory = PairMemory::with_tables();
    /// assert_eq!(memory.contact_triangles(&still, &moved), [[0, 0]]);
    /// assert!(memory.table_bytes() > 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_tables() -> Self {
        Self { known: Coherence::with_tables(), ..Self::default() }
    }

    /// Returns the memory of coherence tables, in bytes; 0 without.
    pub fn table_bytes(&self) -> usize {
        self.known.table_bytes()
    }
}

impl<K: Kind> PairMemory<K> {
    /// Creates an empty memory. Its queries ask first if the convex hulls of the meshes are far enough apart;
    /// each walk over closest features starts where the last one ended. That is fast for convex meshes, or
    /// nearly convex ones, that come close to each other and move little between queries. Where hulls overlap
    /// and the meshes do not touch, it takes longer, by a fraction of a microsecond for hulls of a thousand
    /// faces.
    ///
    /// If the meshes have the closest features too, the triangles there are settled before anything is
    /// searched (Lin et al. 1997, section 4.1.4).
    pub fn with_hulls(filter: HullFilter) -> Self {
        Self { filter, ..Self::default() }
    }

    /// Returns the work of all questions so far, whichever trees they were about.
    ///
    /// ```
    /// use closefit::{DVec3, Mesh, PairMemory, Pose, CollisionMesh};
    ///
    /// let tree = CollisionMesh::build(&Mesh::new(&[DVec3::ZERO, DVec3::X, DVec3::Y], &[[0, 1, 2]])?);
    /// let (still, moved) = (tree.at(&Pose::IDENTITY)?, tree.at(&Pose::translation([0.5, 0.0, 0.0]))?);
    /// let mut memory = PairMemory::default();
    /// assert!(memory.intersects(&still, &moved));
    /// assert!(memory.work().tests.triangle_tests > 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn work(&self) -> PairWork {
        self.work
    }

    /// Returns the same as [`intersects`](fn@crate::intersects).
    pub fn intersects(&mut self, a: &PosedMesh<'_, K>, b: &PosedMesh<'_, K>) -> bool {
        self.keep(a, b);
        let still_touches = match self.contact {
            LastContact::None => false,
            LastContact::Red(pair) => meet(a, b, pair),
            LastContact::Searched => {
                HeldOf::<K>::still_touches(&mut self.known, &a.posed, &b.posed, &mut self.work.tests)
            }
        };
        if still_touches {
            return true;
        }
        self.contact = if self.are_farther(a, b, 0.0) {
            LastContact::None
        } else if let Some(pair) = self.red_pairs([a.mesh(), b.mesh()]).find(|&pair| meet(a, b, pair)) {
            LastContact::Red(pair)
        } else if HeldOf::<K>::touches_again(&mut self.known, &a.posed, &b.posed, &mut self.work.tests) {
            LastContact::Searched
        } else {
            LastContact::None
        };
        self.contact != LastContact::None
    }

    /// Returns the same as [`contact_triangles`](fn@crate::contact_triangles).
    pub fn contact_triangles(&mut self, a: &PosedMesh<'_, K>, b: &PosedMesh<'_, K>) -> Vec<[u32; 2]> {
        self.keep(a, b);
        if self.are_farther(a, b, 0.0) {
            return Vec::new();
        }
        HeldOf::<K>::contacts_again(&mut self.known, &a.posed, &b.posed, &mut self.work.tests)
    }

    /// Returns the same as [`distance`](fn@crate::distance).
    pub fn distance(&mut self, a: &PosedMesh<'_, K>, b: &PosedMesh<'_, K>) -> Distance {
        self.keep(a, b);
        self.nearest_within(a, b, f64::INFINITY).expect(NO_LIMIT)
    }

    /// Returns the same as [`distance`](fn@crate::distance) if that is at most `limit`.
    pub fn distance_up_to(
        &mut self,
        a: &PosedMesh<'_, K>,
        b: &PosedMesh<'_, K>,
        limit: f64,
    ) -> Option<Distance> {
        self.keep(a, b);
        if limit.is_nan() || limit < 0.0 || self.are_farther(a, b, limit * SLACK) {
            return None;
        }
        self.nearest_within(a, b, limit)
    }

    /// True when [`PairMemory::distance`] is at most `limit`; cheaper than the distance.
    pub fn intersects_within(&mut self, a: &PosedMesh<'_, K>, b: &PosedMesh<'_, K>, limit: f64) -> bool {
        self.keep(a, b);
        if self.are_farther(a, b, limit * SLACK) {
            return false;
        }
        self.red_pairs([a.mesh(), b.mesh()]).any(|pair| at_most(a, b, pair) <= limit)
            || limit >= 0.0 && HeldOf::<K>::within(&a.posed, &b.posed, limit, &mut self.work.tests)
    }

    /// Searches for the closest triangles. The search is bounded by those that it found last or, the first
    /// time, by those at the closest features of the hulls.
    fn nearest_within(&mut self, a: &PosedMesh<'_, K>, b: &PosedMesh<'_, K>, limit: f64) -> Option<Distance> {
        let is_first = HeldOf::<K>::found(&self.known, &a.posed, &b.posed).is_none();
        let mut bound = limit;
        if is_first && !self.are_farther(a, b, limit) {
            bound =
                self.red_pairs([a.mesh(), b.mesh()]).map(|pair| at_most(a, b, pair)).fold(limit, f64::min);
        }
        nearest_within(a, b, bound, &mut self.known, &mut self.work.tests)
    }

    /// Keeps the memory if it is of these two trees, and forgets everything if it was of others.
    fn keep(&mut self, a: &PosedMesh<'_, K>, b: &PosedMesh<'_, K>) {
        if !self.trees.as_ref().is_some_and(|[of_a, of_b]| of_a.is(a.mesh()) && of_b.is(b.mesh())) {
            self.trees = Some([a.mesh().clone(), b.mesh().clone()]);
            (self.known_of_hulls, self.contact) = Default::default();
            HeldOf::<K>::forget(&mut self.known);
        }
    }

    /// Returns pairs of triangles at the features where the last walk over the hulls ended, by their places,
    /// if both are red.
    fn red_pairs<'a>(
        &mut self,
        [a, b]: [&'a CollisionMesh<K>; 2],
    ) -> impl Iterator<Item = [u32; 2]> + use<'a, K> {
        let features = self.known_of_hulls.features();
        let known = features.and_then(|at| Some((at, [(a.hull()?, a.red()?), (b.hull()?, b.red()?)])));
        let pairs = known.map(|(at, hulls)| red_pairs(hulls, at, &mut self.work.hulls));
        pairs.into_iter().flatten()
    }

    /// True only if the hulls prove that the distance exceeds `reach`.
    fn are_farther(&mut self, a: &PosedMesh<'_, K>, b: &PosedMesh<'_, K>, reach: f64) -> bool {
        if self.filter == HullFilter::Off {
            return false;
        }
        let (Some(hull_a), Some(hull_b)) = (a.hull(), b.hull()) else { return false };
        let (executor, work) = (Executor::default(), &mut self.work.hulls);
        self.known_of_hulls.are_farther([&hull_a, &hull_b], reach, executor, work)
    }
}

/// True when two triangles, given by their places, meet.
fn meet<K: Kind>(a: &PosedMesh<'_, K>, b: &PosedMesh<'_, K>, [t, u]: [u32; 2]) -> bool {
    triangles_meet(&HeldOf::<K>::triangle(&a.posed, t), &HeldOf::<K>::triangle(&b.posed, u))
}

/// Returns an upper bound of the distance of two triangles, given by their places.
fn at_most<K: Kind>(a: &PosedMesh<'_, K>, b: &PosedMesh<'_, K>, [t, u]: [u32; 2]) -> f64 {
    enclose(&HeldOf::<K>::triangle(&a.posed, t), &HeldOf::<K>::triangle(&b.posed, u)).at_most
}
