//! Meshes that are ready for questions.

use std::sync::{Arc, Mutex, OnceLock};

use glam::DVec3;

use crate::bvh::held::{Held, Refitted};
use crate::bvh::kind::sealed::Sealed;
use crate::bvh::kind::types::{Kind, Obb, Refit};
use crate::bvh::posed_model;
use crate::bvh::sphere_levels::{SphereCounts, SphereLevels};
use crate::bvh::wide_obb::WideObb;
use crate::posed_mesh::PosedMesh;
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::executor::Executor;
use closefit_geometry::hull::polytope::Polytope;
use closefit_geometry::hull::red_features::RedFeatures;
use closefit_geometry::math::pose::{LARGEST, Pose};
use closefit_geometry::mesh::topology::{Topology, Winding};
use closefit_geometry::mesh::{Mesh, MeshError};
use closefit_geometry::motion::pair::PlacedPart;
use closefit_geometry::pool::on_threads;

pub(crate) type HeldOf<K> = <K as Sealed>::Held;

/// A mesh that is ready for questions: its triangles, and a bounding volume hierarchy over them. Clones share
/// both.
///
/// Topology, which verdicts and motions need, is found when the first question needs it.
///
/// `K` is the [kind](crate::kind) of the hierarchy. The default is the one to use: no answer depends on it.
///
/// ```
/// use closefit::{CheckRequest, CollisionMesh, Pose, Verdict, distance, verdict};
///
/// let corners = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
/// let shape = CollisionMesh::new(&corners, &[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])?;
/// let (a, b) = (shape.at(&Pose::IDENTITY)?, shape.at(&Pose::translation([1.25, 0.0, 0.0]))?);
/// assert_eq!(distance(&a, &b).distance, 0.25);
/// assert_eq!(verdict(&a, &b, &CheckRequest::default()).verdict, Verdict::Clear);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct CollisionMesh<K: Kind = Obb>(Arc<Built<K>>);

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
    /// Spheres at several levels, one entry for each list of numbers of spheres.
    spheres: Mutex<Vec<Arc<SphereLevels>>>,
    /// The topology, with all that verdicts and motions need; found on first use, for default trees only.
    solid: OnceLock<Solid>,
}

/// All that a verdict or a motion needs in addition to the tree.
#[derive(Debug)]
pub(crate) struct Solid {
    pub(crate) mesh: Mesh,
    /// The boxes of the tree, with the topology.
    pub(crate) model: posed_model::Model<WideObb>,
    /// The mesh in a frame of its own.
    pub(crate) placed: PlacedPart,
    pub(crate) bounds: Aabb,
}

impl Solid {
    fn of(mesh: Mesh, boxes: &WideObb, winding: Winding) -> Self {
        let topology = Topology::of(&mesh, winding);
        Self {
            model: posed_model::Model::new(boxes.clone(), Executor::default(), topology),
            placed: PlacedPart::of(Pose::IDENTITY, None, mesh.vertices()),
            bounds: Aabb::of(mesh.vertices().iter().copied()),
            mesh,
        }
    }
}

impl CollisionMesh {
    /// Builds the tree of a triangle soup, on the threads of the current [pool](crate::Pool).
    ///
    /// # Errors
    /// [`MeshError`], as [`Mesh::new`] returns it.
    pub fn new<P: Copy + Into<[f64; 3]>>(vertices: &[P], triangles: &[[u32; 3]]) -> Result<Self, MeshError> {
        Ok(Self::build(&Mesh::new(vertices, triangles)?))
    }

    /// Builds the tree, on the threads of the current [pool](crate::Pool). The mesh is not needed after that.
    ///
    /// Shells with inconsistently oriented triangles are turned to a consistent winding, and straight seams
    /// are closed.
    pub fn build(mesh: &Mesh) -> Self {
        Self::build_as(mesh, Obb)
    }

    /// Builds tree and topology, with the winding repaired or left as it is.
    pub fn build_with(mesh: &Mesh, winding: Winding) -> Self {
        let built = Self::build(mesh);
        built.0.solid.get_or_init(|| Solid::of(mesh.clone(), built.boxes(), winding));
        built
    }

    /// Returns the mesh.
    pub fn mesh(&self) -> &Mesh {
        &self.solid().mesh
    }

    /// True when every component of the mesh is closed, so that all of it bounds a solid.
    pub fn is_closed(&self) -> bool {
        self.solid().model.topology.components.iter().all(|component| component.closed)
    }

    pub(crate) fn boxes(&self) -> &WideObb {
        self.0.tree.boxes()
    }

    pub(crate) fn solid(&self) -> &Solid {
        let Built { tree, solid, .. } = &*self.0;
        solid.get().unwrap_or_else(|| {
            // Not while others wait for it: they may be the threads that this takes.
            let found = on_threads(|| Solid::of(tree.mesh(), tree.boxes(), Winding::Repaired));
            solid.get_or_init(|| found)
        })
    }
}

impl<K: Refit> CollisionMesh<K> {
    /// Fits the boxes to a mesh that has changed its shape: the same triangles with moved vertices.
    /// `vertices` gives the new position of each of [`Mesh::vertices`], in that order, as [`Mesh::new`] takes
    /// them. Answers are the same as from a tree built for that mesh. They take longer the more the mesh is
    /// deformed, because the triangles that share a box remain the same.
    ///
    /// The default tree can be refitted, and so can k-DOPs and octrees: see [`Refit`].
    ///
    /// A [`PosedMesh`] borrows the mesh, so none can be held meanwhile. Clones keep the old shape, and so do
    /// the bodies of a [`World`](crate::World), which hold clones. A [`PairMemory`](crate::PairMemory) may be
    /// used on.
    ///
    /// ```
    /// use closefit::{DVec3, Mesh, Pose, CollisionMesh};
    ///
    /// let mesh = Mesh::new(&[DVec3::ZERO, DVec3::X, DVec3::Y], &[[0, 1, 2]])?;
    /// let floor = CollisionMesh::build(&mesh);
    /// let mut sheet = CollisionMesh::build(&mesh);
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
    /// [`RefitError`] for another number of vertices, or a coordinate that is not finite. The mesh then stays
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
            None => *self = Self::of(on_threads(|| self.0.tree.refitted(&vertices))),
        }
        Ok(())
    }
}

impl<K: Kind> CollisionMesh<K> {
    /// Builds a mesh with a tree of the given kind, on the threads of the current [pool](crate::Pool).
    ///
    /// ```
    /// use closefit::{DVec3, Mesh, Pose, CollisionMesh, World};
    /// use closefit_methods::kind;
    ///
    /// let mesh = Mesh::new(&[DVec3::ZERO, DVec3::X, DVec3::Y], &[[0, 1, 2]])?;
    /// let shape = CollisionMesh::build_as(&mesh, kind::Octree);
    /// let mut world = World::default();
    /// let low = world.add_fixed(&shape, &Pose::IDENTITY)?;
    /// let high = world.add(&shape, &Pose::translation([0.0, 0.0, 1.0]))?;
    /// assert_eq!(world.pairs_within(1.0)[0].bodies, [low, high]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// Trees of two kinds do not meet:
    ///
    /// ```compile_fail,E0308
    /// use closefit::{DVec3, Mesh, Pose, CollisionMesh};
    /// use closefit_methods::kind;
    ///
    /// let mesh = Mesh::new(&[DVec3::ZERO, DVec3::X, DVec3::Y], &[[0, 1, 2]]).unwrap();
    /// let (a, b) = (CollisionMesh::build(&mesh), CollisionMesh::build_as(&mesh, kind::Octree));
    /// closefit::intersects(&a.at(&Pose::IDENTITY).unwrap(), &b.at(&Pose::IDENTITY).unwrap());
    /// ```
    pub fn build_as(mesh: &Mesh, _kind: K) -> Self {
        Self::of(on_threads(|| HeldOf::<K>::build(mesh)))
    }

    fn of(tree: HeldOf<K>) -> Self {
        let (hull, red, radius, spheres, solid) = Default::default();
        Self(Arc::new(Built { tree, hull, red, radius, spheres, solid }))
    }

    /// Returns the mesh at a pose, without visiting its vertices.
    ///
    /// Rotations, translations, mirrors and uniform scales are equally fast, also where they are products of
    /// f32 matrices, off by up to 2^-17. With shears and non-uniform scales answers are just as exact, but no
    /// boxes are compared: bake such a map into the mesh.
    ///
    /// # Errors
    /// [`PoseError`] for a pose that is not finite, or takes a vertex beyond 2^200.
    pub fn at(&self, pose: &Pose) -> Result<PosedMesh<'_, K>, PoseError> {
        self.check(pose)?;
        Ok(self.posed(pose))
    }

    /// Returns an error unless the pose is admissible.
    pub(crate) fn check(&self, pose: &Pose) -> Result<(), PoseError> {
        match PoseError::check(pose, self.0.tree.largest_coordinate()) {
            Err(PoseError::OutOfRange) if self.keeps_in_range(pose) => Ok(()),
            checked => checked,
        }
    }

    /// True if the pose, which is finite, takes no vertex beyond 2^200.
    fn keeps_in_range(&self, pose: &Pose) -> bool {
        let is_in_range = |&vertex: &DVec3| pose.apply(vertex).abs().cmple(DVec3::splat(LARGEST)).all();
        self.0.tree.vertices().iter().all(is_in_range)
    }

    /// Returns the mesh at an admissible pose.
    pub(crate) fn posed(&self, pose: &Pose) -> PosedMesh<'_, K> {
        PosedMesh::new(self, self.0.tree.at(pose))
    }

    /// Returns a bound of the rounding error, per coordinate, of a box computed in the world.
    pub(crate) fn margin_in_world(&self, pose: &Pose) -> f64 {
        self.0.tree.margin_in_world(pose)
    }

    /// Returns the number of triangles.
    pub fn triangles(&self) -> usize {
        self.0.tree.triangles()
    }

    /// Returns the memory of boxes and triangles, in bytes, and of the convex hull and of spheres if these
    /// have been built; without the mesh's topology.
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
    pub(crate) fn hull(&self) -> Option<&Polytope> {
        self.0.hull.get_or_init(|| Polytope::of(self.normal_mesh()?.vertices())).as_ref()
    }

    /// Returns the features of the hull that the mesh has too, with the places of triangles there.
    pub(crate) fn red(&self) -> Option<&RedFeatures> {
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
    pub(crate) fn radius(&self) -> f64 {
        // Rounded up by far more than the frame and a length are off.
        let farthest = || self.normal_vertices().map(DVec3::length).fold(0.0, f64::max) * (1.0 + 1e-12);
        *self.0.radius.get_or_init(farthest)
    }

    fn normal_vertices(&self) -> impl Iterator<Item = DVec3> + '_ {
        let frame = self.0.tree.frame();
        self.0.tree.vertices().iter().map(move |&v| frame.enter(v))
    }

    /// True if both are clones of one mesh.
    pub(crate) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// The reason why vertices do not fit a mesh.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RefitError {
    /// There are more or fewer vertices than the mesh has.
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

/// The reason why a pose is inadmissible for a mesh.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PoseError {
    /// The pose has an entry that is NaN or infinite.
    #[error("the pose has the entry {value}, which is not a finite number")]
    NotFinite {
        /// The entry.
        value: f64,
    },
    /// The pose takes a vertex beyond 2^200.
    #[error("the pose takes a vertex beyond 2^200")]
    OutOfRange,
}

impl PoseError {
    /// Returns an error unless the pose is finite, and no vertex can be taken beyond 2^200 if `largest` is
    /// the largest magnitude of a coordinate.
    #[doc(hidden)]
    pub fn check(pose: &Pose, largest: f64) -> Result<(), Self> {
        if let Some(&value) = pose.rows.iter().flatten().find(|x| !x.is_finite()) {
            return Err(Self::NotFinite { value });
        }
        if pose.keeps_in_range(largest) { Ok(()) } else { Err(Self::OutOfRange) }
    }
}

const NO_PANIC: &str = "nothing panics under the lock";
