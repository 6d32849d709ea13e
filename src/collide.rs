//! Queries on two meshes: the library's interface for a pair.
//!
//! A mesh needs only one [`Tree`], however many bodies share it. A [`Placed`] is a tree at a pose; it costs
//! next to nothing, so every frame can make its own. Answers are exact, and equal those of `closefit check`.
//!
//! ```
//! use closefit::{DVec3, Mesh, Pose, Tree};
//!
//! // A tetrahedron, twice.
//! let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
//! let mesh = Mesh::new(&corners, &[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])?;
//! let tree = Tree::build(&mesh);
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
//! assert!(closefit::contacts(&a, &b).contains(&[3, 0]));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Memory
//!
//! Each thread keeps and reuses the buffers of a search: once a thread is warm, a query of default trees
//! allocates nothing but the list that [`contacts()`] returns. Trees of other [kinds](crate::kind) have no
//! such buffers.

use std::ops::AddAssign;
use std::sync::{Arc, Mutex, OnceLock};

use glam::DVec3;

use crate::hierarchy::held::{Held, Refitted};
use crate::hierarchy::kind::sealed::Sealed;
use crate::hierarchy::kind::types::{Kind, Obb, Refit};
use crate::hierarchy::mesh_hull::{HullMemory, PosedHull, red_pairs};
use crate::hierarchy::obb8::Obb8;
use crate::hierarchy::obb8::held::WithoutMesh;
use crate::hierarchy::obb8::search::coherence::Coherence;
use crate::hierarchy::sphere_levels::{SphereCounts, SphereLevels};
use crate::model::Solid;
use crate::narrow::{SLACK, Work};
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::exact::contact::triangles_meet;
use closefit_geometry::exact::distance::{enclose, witness};
use closefit_geometry::executor::Executor;
use closefit_geometry::hull::closest_features::HullWork;
use closefit_geometry::hull::filter::HullFilter;
use closefit_geometry::hull::polytope::Polytope;
use closefit_geometry::hull::red_features::RedFeatures;
use closefit_geometry::math::pose::Pose;
use closefit_geometry::mesh::Mesh;
use closefit_geometry::pool::on_threads;

type HeldOf<K> = <K as Sealed>::Held;
type MemoryOf<K> = <HeldOf<K> as Held>::Memory;
type PosedOf<'a, K> = <HeldOf<K> as Held>::Posed<'a>;

/// A bounding volume hierarchy over a mesh's triangles, with the triangles. Clones share it.
///
/// `K` is the [kind](crate::kind). The default is the one to use: no answer depends on the kind.
#[derive(Clone, Debug)]
pub struct Tree<K: Kind = Obb>(Arc<Built<K>>);

#[derive(Debug)]
struct Built<K: Kind> {
    tree: HeldOf<K>,
    /// The convex hull in the tree's normal coordinates, if it has one; built on first use.
    hull: OnceLock<Option<Polytope>>,
    /// The red features of the hull; found on first use.
    red: OnceLock<Option<RedFeatures>>,
    /// The radius of a sphere around the normal origin that contains the mesh, in normal units; found on
    /// first use.
    radius: OnceLock<f64>,
    /// Spheres at several levels, one entry for all numbers of spheres that were asked for.
    spheres: Mutex<Vec<Arc<SphereLevels>>>,
    /// All that a model of a default tree has beside it; found on first use.
    solid: OnceLock<Solid>,
}

impl Tree {
    /// Builds the tree, on the threads of the current [pool](crate::Pool). The mesh is not needed after that.
    pub fn build(mesh: &Mesh) -> Self {
        Self::build_as(mesh, Obb)
    }

    pub(crate) fn boxes(&self) -> &Obb8 {
        self.0.tree.boxes()
    }

    /// Returns what the model of the tree has beside it, which `find` finds on first use.
    pub(crate) fn solid_or(&self, find: impl FnOnce(&WithoutMesh) -> Solid) -> &Solid {
        self.0.solid.get_or_init(|| find(&self.0.tree))
    }
}

impl<K: Refit> Tree<K> {
    /// Fits the boxes anew to a mesh that has changed its shape: the same triangles with moved vertices.
    /// `vertices` gives the new position of each of [`Mesh::vertices`], in that order, as [`Mesh::new`] takes
    /// them. Answers are those of a tree built for that mesh. They take longer the more the mesh is deformed,
    /// because the triangles that share a box remain the same.
    ///
    /// The default tree can be refitted, and so can k-DOPs and octrees: see [`Refit`].
    ///
    /// A [`Placed`] borrows the tree, so none can be held meanwhile. Clones keep the old shape, and so do the
    /// bodies of a [`World`](crate::World), which hold clones. A [`PairMemory`] may be used on.
    ///
    /// ```
    /// use closefit::{DVec3, Mesh, Pose, Tree};
    ///
    /// let mesh = Mesh::new(&[DVec3::ZERO, DVec3::X, DVec3::Y], &[[0, 1, 2]])?;
    /// let floor = Tree::build(&mesh);
    /// let mut sheet = Tree::build(&mesh);
    /// let above = Pose::translation([0.0, 0.0, 1.0]);
    /// for frame in 0..=4 {
    ///     // One corner bends down until it touches the floor.
    ///     let bent = mesh.vertices().iter().map(|v| *v - DVec3::Z * v.x * 0.25 * f64::from(frame));
    ///     sheet.refit(&bent.collect::<Vec<_>>())?;
    ///     let touching = closefit::intersects(&floor.at(&Pose::IDENTITY)?, &sheet.at(&above)?);
    ///     assert_eq!(touching, frame == 4);
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`RefitError`] for another number of vertices, or a coordinate that is not finite. The tree then stays
    /// as it was.
    pub fn refit<P: Copy + Into<[f64; 3]>>(&mut self, vertices: &[P]) -> Result<(), RefitError> {
        let (given, expected) = (vertices.len(), self.0.tree.vertices().len());
        if given != expected {
            return Err(RefitError::Count { given, expected });
        }
        let vertices: Vec<DVec3> = vertices.iter().map(|&v| DVec3::from_array(v.into())).collect();
        for (vertex, position) in vertices.iter().enumerate() {
            if let Some(value) = position.to_array().into_iter().find(|x| !x.is_finite()) {
                return Err(RefitError::NotFinite { vertex, value });
            }
        }
        match Arc::get_mut(&mut self.0) {
            Some(built) => {
                on_threads(|| built.tree.refit(&vertices));
                (built.hull, built.red, built.radius, built.spheres, built.solid) = Default::default();
            }
            // Clones keep the old shape.
            None => *self = Self::new(on_threads(|| self.0.tree.refitted(&vertices))),
        }
        Ok(())
    }
}

impl<K: Kind> Tree<K> {
    /// Builds a tree of the given kind, on the threads of the current [pool](crate::Pool).
    ///
    /// ```
    /// use closefit::{DVec3, Mesh, Pose, Tree, World};
    /// use closefit_methods::kind;
    ///
    /// let mesh = Mesh::new(&[DVec3::ZERO, DVec3::X, DVec3::Y], &[[0, 1, 2]])?;
    /// let tree = Tree::build_as(&mesh, kind::Octree);
    /// let mut world = World::default();
    /// let low = world.add_fixed(&tree, &Pose::IDENTITY)?;
    /// let high = world.add(&tree, &Pose::translation([0.0, 0.0, 1.0]))?;
    /// assert_eq!(world.within(1.0)[0].bodies, [low, high]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// Trees of two kinds do not meet:
    ///
    /// ```compile_fail,E0308
    /// use closefit::{DVec3, Mesh, Pose, Tree};
    /// use closefit_methods::kind;
    ///
    /// let mesh = Mesh::new(&[DVec3::ZERO, DVec3::X, DVec3::Y], &[[0, 1, 2]]).unwrap();
    /// let (a, b) = (Tree::build(&mesh), Tree::build_as(&mesh, kind::Octree));
    /// closefit::intersects(&a.at(&Pose::IDENTITY).unwrap(), &b.at(&Pose::IDENTITY).unwrap());
    /// ```
    pub fn build_as(mesh: &Mesh, _kind: K) -> Self {
        Self::new(on_threads(|| HeldOf::<K>::build(mesh)))
    }

    fn new(tree: HeldOf<K>) -> Self {
        let (hull, red, radius, spheres, solid) = Default::default();
        Self(Arc::new(Built { tree, hull, red, radius, spheres, solid }))
    }

    /// Returns the tree at a pose.
    ///
    /// Rotations, translations, mirrors and uniform scales are equally fast, also where they are products of
    /// f32 matrices, off by up to 2^-17. With shears and non-uniform scales answers are just as exact, but no
    /// boxes are compared: bake such a map into the mesh.
    ///
    /// # Errors
    /// [`PoseError`] for a pose that is not finite, or may take a vertex beyond 2^200.
    pub fn at(&self, pose: &Pose) -> Result<Placed<'_, K>, PoseError> {
        self.check(pose)?;
        Ok(self.placed(pose))
    }

    /// Returns an error unless the pose is admissible.
    pub(crate) fn check(&self, pose: &Pose) -> Result<(), PoseError> {
        PoseError::check(pose, self.0.tree.largest_coordinate())
    }

    /// Returns the tree at an admissible pose.
    pub(crate) fn placed(&self, pose: &Pose) -> Placed<'_, K> {
        Placed { tree: self, posed: self.0.tree.at(pose) }
    }

    /// Returns the number of triangles.
    pub fn triangles(&self) -> usize {
        self.0.tree.triangles()
    }

    /// Returns the memory of boxes and triangles, in bytes, and of the convex hull and of spheres if these
    /// have been built; without what a [`Model`](crate::Model) has beside the tree.
    pub fn bytes(&self) -> usize {
        let Built { tree, hull, red, spheres, .. } = &*self.0;
        let of_hull = hull.get().and_then(Option::as_ref).map_or(0, Polytope::bytes);
        let of_red = red.get().and_then(Option::as_ref).map_or(0, RedFeatures::bytes);
        let of_spheres: usize = spheres.lock().expect(NO_PANIC).iter().map(|levels| levels.bytes()).sum();
        tree.bytes() + of_hull + of_red + of_spheres
    }

    /// Returns the spheres of a number for each level, found on first use.
    #[doc(hidden)]
    pub fn sphere_levels(&self, counts: &SphereCounts) -> Arc<SphereLevels> {
        let Built { tree, spheres, .. } = &*self.0;
        let known = |all: &[Arc<SphereLevels>]| all.iter().find(|levels| levels.counts() == counts).cloned();
        let found = known(&spheres.lock().expect(NO_PANIC));
        found.unwrap_or_else(|| {
            // Not under the lock: a thread that waits for others may turn to a task that asks for the same.
            let found = on_threads(|| SphereLevels::of(tree.vertices(), tree.corners(), counts));
            let new = Arc::new(found);
            let mut all = spheres.lock().expect(NO_PANIC);
            known(&all).unwrap_or_else(|| {
                all.push(new.clone());
                new
            })
        })
    }

    /// Returns the convex hull; `None` beyond the range of [`Polytope::of`].
    fn hull(&self) -> Option<&Polytope> {
        self.0.hull.get_or_init(|| Polytope::of(self.normal_mesh()?.vertices())).as_ref()
    }

    /// Returns the features of the hull that the mesh has too, with the places of triangles there.
    fn red(&self) -> Option<&RedFeatures> {
        let red = &self.0.red;
        let known = red.get().unwrap_or_else(|| {
            // Not while others wait for it: they may be the threads that this takes.
            let found = on_threads(|| RedFeatures::of(self.normal_mesh()?));
            red.get_or_init(|| found)
        });
        known.as_ref()
    }

    /// Returns the mesh in normal coordinates, with its triangles in the order of their places.
    fn normal_mesh(&self) -> Option<Mesh> {
        Mesh::new(&self.normal_vertices().collect::<Vec<_>>(), self.0.tree.corners()).ok()
    }

    /// Returns the radius of a sphere around the normal origin that contains the mesh, in normal units.
    fn radius(&self) -> f64 {
        // Rounded up by far more than the frame and a length are off.
        let farthest = || self.normal_vertices().map(DVec3::length).fold(0.0, f64::max) * (1.0 + 1e-12);
        *self.0.radius.get_or_init(farthest)
    }

    fn normal_vertices(&self) -> impl Iterator<Item = DVec3> + '_ {
        let frame = self.0.tree.frame();
        self.0.tree.vertices().iter().map(move |&v| frame.enter(v))
    }

    fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// The reason why vertices do not fit a tree.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum RefitError {
    /// The number of vertices is not that of the tree's mesh.
    #[error("{given} vertices for a mesh that has {expected}")]
    Count {
        /// The number given.
        given: usize,
        /// The number of the mesh's vertices.
        expected: usize,
    },
    /// A coordinate is NaN or infinite.
    #[error("vertex {vertex} has the coordinate {value}, which is not a finite number")]
    NotFinite {
        /// Index of the vertex in the mesh.
        vertex: usize,
        /// The coordinate given.
        value: f64,
    },
}

/// The reason why a pose is inadmissible for a tree.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum PoseError {
    /// The pose has an entry that is NaN or infinite.
    #[error("the pose has the entry {value}, which is not a finite number")]
    NotFinite {
        /// The entry.
        value: f64,
    },
    /// The pose may take a vertex beyond 2^200, judging by the mesh's largest coordinate.
    #[error("the pose may take a vertex beyond 2^200")]
    OutOfRange,
}

impl PoseError {
    /// Returns an error unless the pose is finite and takes no vertex beyond 2^200. `largest` is the largest
    /// magnitude of a vertex coordinate.
    #[doc(hidden)]
    pub fn check(pose: &Pose, largest: f64) -> Result<(), Self> {
        if let Some(&value) = pose.rows.iter().flatten().find(|x| !x.is_finite()) {
            return Err(Self::NotFinite { value });
        }
        if pose.keeps_in_range(largest) { Ok(()) } else { Err(Self::OutOfRange) }
    }
}

/// A [`Tree`] at a pose, made by [`Tree::at`].
#[derive(Clone, Copy, Debug)]
pub struct Placed<'a, K: Kind = Obb> {
    tree: &'a Tree<K>,
    pub(crate) posed: PosedOf<'a, K>,
}

impl<'a, K: Kind> Placed<'a, K> {
    pub(crate) fn tree(&self) -> &'a Tree<K> {
        self.tree
    }

    fn hull(&self) -> Option<PosedHull<'a>> {
        Some(PosedHull { polytope: self.tree.hull()?, placement: *self.posed })
    }

    /// True when spheres around the trees prove that they are farther apart than `limit`: the cheapest test,
    /// and the last one for most pairs of a robot.
    fn is_farther(&self, other: &Placed<'_, K>, limit: f64) -> bool {
        self.posed.is_farther(self.tree.radius(), (&other.posed, other.tree.radius()), limit)
    }

    /// Returns the pose: world from mesh.
    pub fn pose(&self) -> &Pose {
        &self.posed.pose
    }

    /// Returns a box around all posed vertices: not the tightest, but found without visiting them.
    pub fn bounds(&self) -> Aabb {
        HeldOf::<K>::bounds(&self.posed)
    }

    /// Returns a box of a kind around all posed vertices.
    pub fn bounds_of(&self, kind: BodyBounds) -> Aabb {
        let around = match kind {
            BodyBounds::Oriented => None,
            BodyBounds::Cube => Some(self.posed.cube(self.tree.radius())),
            BodyBounds::Tight => self.hull().map(|hull| hull.bounds(Executor::default())),
        };
        let margin = self.tree.0.tree.margin_in_world(self.pose());
        let around = around.map(|Aabb { lo, hi }| Aabb { lo: lo - margin, hi: hi + margin });
        // An overflow bounds nothing.
        around.filter(|b| b.lo.is_finite() && b.hi.is_finite()).unwrap_or_else(|| self.bounds())
    }
}

/// A kind of world-aligned box around a body (Lin et al. 1997, section 3). No answer depends on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum BodyBounds {
    /// Around the root of the body's tree, an oriented box unless the tree is of [another kind](crate::kind):
    /// nearly tight, and found in constant time.
    #[default]
    Oriented,
    /// A cube around a sphere that contains the body: the paper's fixed-size box. It keeps its size however
    /// the body turns, and its place if the body turns about its middle.
    Cube,
    /// The smallest, around the extreme vertices of the convex hull: the paper's dynamically-sized box. All
    /// vertices of the hull are looked at, eight at a time, in every frame in which the body moves.
    Tight,
}

impl BodyBounds {
    /// All kinds, the default first.
    pub const ALL: [Self; 3] = [Self::Oriented, Self::Cube, Self::Tight];
}

/// The distance of two surfaces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Distance {
    /// The smallest distance of any two points, correctly rounded: 0 in contact, and only there.
    pub distance: f64,
    /// The closest triangles; `None` in contact, for which [`contacts()`] gives the triangles.
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
pub fn intersects<K: Kind>(a: &Placed<'_, K>, b: &Placed<'_, K>) -> bool {
    !a.is_farther(b, 0.0) && HeldOf::<K>::touches(&a.posed, &b.posed, &mut Work::default())
}

/// Returns all pairs of triangles (of a, of b, by their indices in the meshes) that share a point, sorted.
/// Exact.
///
/// Large searches are shared by the threads of the current [pool](crate::Pool).
pub fn contacts<K: Kind>(a: &Placed<'_, K>, b: &Placed<'_, K>) -> Vec<[u32; 2]> {
    if a.is_farther(b, 0.0) {
        return Vec::new();
    }
    HeldOf::<K>::contacts(&a.posed, &b.posed, &mut Work::default())
}

/// Returns the distance of the surfaces, and the closest triangles.
pub fn distance<K: Kind>(a: &Placed<'_, K>, b: &Placed<'_, K>) -> Distance {
    let (memory, work) = (&mut MemoryOf::<K>::default(), &mut Work::default());
    nearest_within(a, b, f64::INFINITY, memory, work).expect(NO_LIMIT)
}

/// True when [`distance()`] is at most `limit`; cheaper than the distance.
pub fn within<K: Kind>(a: &Placed<'_, K>, b: &Placed<'_, K>, limit: f64) -> bool {
    let search = || HeldOf::<K>::within(&a.posed, &b.posed, limit, &mut Work::default());
    limit >= 0.0 && !a.is_farther(b, limit) && search()
}

/// Memory from one pair's queries to the next: the same answers, sooner if the bodies move little in between.
///
/// ```
/// use closefit::{DVec3, Mesh, PairMemory, Pose, Tree};
///
/// let tree = Tree::build(&Mesh::new(&[DVec3::ZERO, DVec3::X, DVec3::Y], &[[0, 1, 2]])?);
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
    trees: Option<[Tree<K>; 2]>,
    known: MemoryOf<K>,
    filter: HullFilter,
    known_of_hulls: HullMemory,
    /// The answer of the last question about contact.
    contact: LastContact,
    work: PairWork,
}

/// The work of all questions about a pair so far.
///
/// Trees that are eight boxes wide count all eight of a test, so compare work with that of the same kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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
    /// use closefit::{DVec3, Mesh, PairMemory, Pose, Tree};
    ///
    /// let tree = Tree::build(&Mesh::new(&[DVec3::ZERO, DVec3::X, DVec3::Y], &[[0, 1, 2]])?);
    /// let (still, moved) = (tree.at(&Pose::IDENTITY)?, tree.at(&Pose::translation([0.5, 0.0, 0.0]))?);
    /// let mut memory = PairMemory::with_tables();
    /// assert_eq!(memory.contacts(&still, &moved), [[0, 0]]);
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
    /// use closefit::{DVec3, Mesh, PairMemory, Pose, Tree};
    ///
    /// let tree = Tree::build(&Mesh::new(&[DVec3::ZERO, DVec3::X, DVec3::Y], &[[0, 1, 2]])?);
    /// let (still, moved) = (tree.at(&Pose::IDENTITY)?, tree.at(&Pose::translation([0.5, 0.0, 0.0]))?);
    /// let mut memory = PairMemory::default();
    /// assert!(memory.intersects(&still, &moved));
    /// assert!(memory.work().tests.triangle_tests > 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn work(&self) -> PairWork {
        self.work
    }

    /// Returns the same as [`intersects`](fn@intersects).
    pub fn intersects(&mut self, a: &Placed<'_, K>, b: &Placed<'_, K>) -> bool {
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
        } else if let Some(pair) = self.red_pairs([a.tree, b.tree]).find(|&pair| meet(a, b, pair)) {
            LastContact::Red(pair)
        } else if HeldOf::<K>::touches_again(&mut self.known, &a.posed, &b.posed, &mut self.work.tests) {
            LastContact::Searched
        } else {
            LastContact::None
        };
        self.contact != LastContact::None
    }

    /// Returns the same as [`contacts()`](fn@contacts).
    pub fn contacts(&mut self, a: &Placed<'_, K>, b: &Placed<'_, K>) -> Vec<[u32; 2]> {
        self.keep(a, b);
        if self.are_farther(a, b, 0.0) {
            return Vec::new();
        }
        HeldOf::<K>::contacts_again(&mut self.known, &a.posed, &b.posed, &mut self.work.tests)
    }

    /// Returns the same as [`distance()`].
    pub fn distance(&mut self, a: &Placed<'_, K>, b: &Placed<'_, K>) -> Distance {
        self.keep(a, b);
        self.nearest_within(a, b, f64::INFINITY).expect(NO_LIMIT)
    }

    /// Returns the same as [`distance()`] if that is at most `limit`.
    pub fn distance_within(&mut self, a: &Placed<'_, K>, b: &Placed<'_, K>, limit: f64) -> Option<Distance> {
        self.keep(a, b);
        if limit.is_nan() || limit < 0.0 || self.are_farther(a, b, limit * SLACK) {
            return None;
        }
        self.nearest_within(a, b, limit)
    }

    /// True when [`PairMemory::distance`] is at most `limit`; cheaper than the distance.
    pub fn within(&mut self, a: &Placed<'_, K>, b: &Placed<'_, K>, limit: f64) -> bool {
        self.keep(a, b);
        if self.are_farther(a, b, limit * SLACK) {
            return false;
        }
        self.red_pairs([a.tree, b.tree]).any(|pair| at_most(a, b, pair) <= limit)
            || limit >= 0.0 && HeldOf::<K>::within(&a.posed, &b.posed, limit, &mut self.work.tests)
    }

    /// Searches for the closest triangles. The search is bounded by those that it found last or, the first
    /// time, by those at the closest features of the hulls.
    fn nearest_within(&mut self, a: &Placed<'_, K>, b: &Placed<'_, K>, limit: f64) -> Option<Distance> {
        let is_first = HeldOf::<K>::found(&self.known, &a.posed, &b.posed).is_none();
        let mut bound = limit;
        if is_first && !self.are_farther(a, b, limit) {
            bound = self.red_pairs([a.tree, b.tree]).map(|pair| at_most(a, b, pair)).fold(limit, f64::min);
        }
        nearest_within(a, b, bound, &mut self.known, &mut self.work.tests)
    }

    /// Keeps the memory if it is of these two trees, and forgets everything if it was of others.
    fn keep(&mut self, a: &Placed<'_, K>, b: &Placed<'_, K>) {
        if !self.trees.as_ref().is_some_and(|[of_a, of_b]| of_a.is(a.tree) && of_b.is(b.tree)) {
            self.trees = Some([a.tree.clone(), b.tree.clone()]);
            (self.known_of_hulls, self.contact) = Default::default();
            HeldOf::<K>::forget(&mut self.known);
        }
    }

    /// Returns pairs of triangles at the features where the last walk over the hulls ended, by their places,
    /// if both are red.
    fn red_pairs<'a>(&mut self, [a, b]: [&'a Tree<K>; 2]) -> impl Iterator<Item = [u32; 2]> + use<'a, K> {
        let features = self.known_of_hulls.features();
        let known = features.and_then(|at| Some((at, [(a.hull()?, a.red()?), (b.hull()?, b.red()?)])));
        let pairs = known.map(|(at, hulls)| red_pairs(hulls, at, &mut self.work.hulls));
        pairs.into_iter().flatten()
    }

    /// True only if the hulls prove that the distance exceeds `reach`.
    fn are_farther(&mut self, a: &Placed<'_, K>, b: &Placed<'_, K>, reach: f64) -> bool {
        if self.filter == HullFilter::Off {
            return false;
        }
        let (Some(hull_a), Some(hull_b)) = (a.hull(), b.hull()) else { return false };
        let (executor, work) = (Executor::default(), &mut self.work.hulls);
        self.known_of_hulls.are_farther([&hull_a, &hull_b], reach, executor, work)
    }
}

const NO_PANIC: &str = "nothing panics under the lock";

/// True when two triangles, given by their places, meet.
fn meet<K: Kind>(a: &Placed<'_, K>, b: &Placed<'_, K>, [t, u]: [u32; 2]) -> bool {
    triangles_meet(&HeldOf::<K>::triangle(&a.posed, t), &HeldOf::<K>::triangle(&b.posed, u))
}

/// Returns an upper bound of the distance of two triangles, given by their places.
fn at_most<K: Kind>(a: &Placed<'_, K>, b: &Placed<'_, K>, [t, u]: [u32; 2]) -> f64 {
    enclose(&HeldOf::<K>::triangle(&a.posed, t), &HeldOf::<K>::triangle(&b.posed, u)).at_most
}

const NO_LIMIT: &str = "no distance exceeds infinity";

fn nearest_within<K: Kind>(
    a: &Placed<'_, K>,
    b: &Placed<'_, K>,
    limit: f64,
    memory: &mut MemoryOf<K>,
    work: &mut Work,
) -> Option<Distance> {
    let nearest = HeldOf::<K>::nearest_again(memory, &a.posed, &b.posed, limit, work)?;
    let is_apart = nearest.distance > 0.0;
    let found = is_apart.then(|| HeldOf::<K>::found(memory, &a.posed, &b.posed)).flatten();
    let closest =
        found.map(|[of_a, of_b]| Closest { triangles: nearest.triangles, points: witness(&of_a, &of_b) });
    Some(Distance { distance: nearest.distance, closest })
}
