//! Many copies of one scene: cells of a robot, or environments in which something is trained.
//!
//! ```
//! use closefit::{CollisionMesh, DVec3, Pose, World, Worlds};
//!
//! let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
//! let mesh = CollisionMesh::new(&corners, &[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])?;
//! let mut scene = World::default();
//! scene.add_fixed(&mesh, &Pose::IDENTITY)?;
//! scene.add(&mesh, &Pose::IDENTITY)?;
//!
//! // A thousand worlds of two bodies: in each, the second is a little higher than in the one before.
//! let mut worlds = Worlds::new(&scene, 1000);
//! let lifted = |world: u32| Pose::translation([0.1, 0.1, 0.001 * f64::from(world)]);
//! let poses: Vec<Pose> = (0..1000).flat_map(|world| [Pose::IDENTITY, lifted(world)]).collect();
//! let found = worlds.contacts(&poses)?;
//! assert_eq!(found.offsets.len(), 1001);
//! let of_world = |world: usize| found.offsets[world] as usize..found.offsets[world + 1] as usize;
//! assert_eq!(found.bodies[of_world(700)][0], [0, 1]);
//! assert!(found.depths[of_world(700)][0] < 0.2);
//! assert!(of_world(999).is_empty());
//!
//! let near = worlds.distances(&poses, 0.5)?;
//! assert!(near.distances[near.offsets[999] as usize] > 0.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod contact_points;

use crate::broad::apart;
use crate::bvh::placement::Placement;
use crate::bvh::wide_obb::posed::PosedWideObb;
use crate::bvh::wide_obb::search::contacts::{Contact, contacts_into};
use crate::bvh::wide_obb::search::nearest::with_scratch;
use crate::collide::distance_up_to;
use crate::collision_mesh::{CollisionMesh, PoseError};
use crate::narrow::{SLACK, Work};
use crate::posed_mesh::PosedMesh;
use crate::world::{AdvanceError, AdvanceRequest, Step, World};
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::ids::BodyId;
use closefit_geometry::math::pose::Pose;
use closefit_geometry::parallel;
use contact_points::{Scratch, contact_points};

/// Copies of one scene, each with poses of its own, and questions about all of them.
///
/// Bodies are numbered in the order in which they were added to the scene, without those that were removed.
/// Poses come world by world, in each in the order of its bodies. The scene's groups and excluded pairs hold
/// in every world, and pairs of fixed bodies are never tested.
///
/// The threads of the current [pool](crate::Pool) share the worlds. A world tests the boxes of all pairs, so
/// a scene should have at most some hundreds of bodies. Once the lists have grown, contacts and distances
/// allocate nothing. No answer depends on threads or on earlier questions.
#[derive(Debug)]
pub struct Worlds {
    count: usize,
    scene: World,
    meshes: Vec<CollisionMesh>,
    /// The pairs of bodies that may meet, sorted.
    pairs: Vec<[u32; 2]>,
    batches: Vec<Batch>,
    contacts: WorldsContacts,
    distances: WorldsDistances,
    /// The worlds of steps; made by the first step.
    worlds: Vec<World>,
}

/// Points of contact in many worlds: one entry in each list, but for `offsets`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WorldsContacts {
    /// The row of the first point of each world, and at last the number of all rows.
    pub offsets: Vec<u64>,
    /// The two bodies, sorted within a world.
    pub bodies: Vec<[u32; 2]>,
    /// The place: at most four for each connected part of a contact, far from each other.
    pub points: Vec<[f64; 3]>,
    /// The unit normal from the first body to the second; zero if there is no direction.
    pub normals: Vec<[f64; 3]>,
    /// The length by which the two triangles at the point overlap along the normal: if the second body is
    /// shifted by so much along the normal, these two at most touch. It is not the depth of the pair, which
    /// may be less, as where one large triangle is steep to the normal, or more, in the middle of a patch.
    pub depths: Vec<f64>,
}

/// Distances in many worlds: one entry in each list, but for `offsets`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WorldsDistances {
    /// The row of the first pair of each world, and at last the number of all rows.
    pub offsets: Vec<u64>,
    /// The two bodies, sorted within a world.
    pub bodies: Vec<[u32; 2]>,
    /// Their distance, as from [`distance`](crate::distance()): 0 in contact.
    pub distances: Vec<f64>,
    /// The closest triangles; `u32::MAX` in contact.
    pub triangles: Vec<[u32; 2]>,
    /// A point on each; NaN in contact.
    pub points: Vec<[[f64; 3]; 2]>,
}

/// The reason why many worlds have no answer.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum WorldsError {
    /// There are more or fewer poses than bodies in all worlds.
    #[error("{given} poses for {worlds} worlds of {bodies} bodies")]
    Count {
        /// The number of poses.
        given: usize,
        /// The number of worlds.
        worlds: usize,
        /// The number of bodies in each.
        bodies: usize,
    },
    /// A pose is inadmissible for its body's mesh: the first such.
    #[error("world {world}, body {body}: {error}")]
    Pose {
        /// The world.
        world: usize,
        /// The body.
        body: usize,
        /// The reason.
        error: PoseError,
    },
    /// A world refuses its step: the first such. No body has moved in any world.
    #[error("world {world}: {error}")]
    Step {
        /// The world.
        world: usize,
        /// The reason.
        error: AdvanceError,
    },
}

/// The number of worlds that a thread takes at a time.
const RUN: usize = 16;

/// Some worlds, with what is found in them and the buffers for it.
#[derive(Debug, Default)]
struct Batch {
    placed: Vec<(Placement, Aabb)>,
    found: Vec<Contact>,
    scratch: Scratch,
    contacts: WorldsContacts,
    distances: WorldsDistances,
    refused: Option<WorldsError>,
}

impl Worlds {
    /// Makes copies of a scene.
    pub fn new(scene: &World, count: usize) -> Self {
        let scene = scene.copy();
        let meshes: Vec<CollisionMesh> = scene.meshes().cloned().collect();
        let (batches, contacts, distances, worlds) = Default::default();
        let pairs = scene.pairs_that_may_meet().map(|pair| pair.map(|id| id.0)).collect();
        Self { count, scene, meshes, pairs, batches, contacts, distances, worlds }
    }

    /// Returns the number of worlds.
    pub fn len(&self) -> usize {
        self.count
    }

    /// True when there are no worlds.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Returns the number of bodies in each world.
    pub fn bodies(&self) -> usize {
        self.meshes.len()
    }

    /// Returns the points of contact in every world at these poses. The next call uses the lists again,
    /// unless they were taken out.
    ///
    /// # Errors
    /// [`WorldsError`] for another number of poses, or an inadmissible one.
    pub fn contacts(&mut self, poses: &[Pose]) -> Result<&mut WorldsContacts, WorldsError> {
        self.ask(poses, &|meshes, pairs, batch| batch.find_contacts(meshes, pairs))?;
        self.contacts.clear();
        self.contacts.offsets.push(0);
        self.batches.iter().for_each(|batch| self.contacts.append(&batch.contacts));
        Ok(&mut self.contacts)
    }

    /// Returns the pairs whose distance is at most `limit`, in every world at these poses; none for a
    /// negative limit. The next call uses the lists again, unless they were taken out.
    ///
    /// # Errors
    /// [`WorldsError`] for another number of poses, or an inadmissible one.
    pub fn distances(&mut self, poses: &[Pose], limit: f64) -> Result<&mut WorldsDistances, WorldsError> {
        self.ask(poses, &|meshes, pairs, batch| batch.find_distances(meshes, pairs, limit))?;
        self.distances.clear();
        self.distances.offsets.push(0);
        self.batches.iter().for_each(|batch| self.distances.append(&batch.distances));
        Ok(&mut self.distances)
    }

    /// Moves all bodies from the poses of the last step, at first the scene's, to these, as
    /// [`World::advance`] does in each world. Returns what happened in each. A budget holds for each world.
    ///
    /// # Errors
    /// [`WorldsError`]; all bodies of all worlds then stay where they were.
    pub fn advance(&mut self, poses: &[Pose], request: &AdvanceRequest) -> Result<Vec<Step>, WorldsError> {
        self.check(poses)?;
        let Self { count, scene, meshes, worlds, .. } = self;
        if worlds.is_empty() {
            *worlds = (0..*count).map(|_| scene.copy()).collect();
        }
        let bodies = meshes.len();
        let advance = |world: usize, one: &mut World| {
            let next = poses[world * bodies..][..bodies].iter().copied();
            let next: Vec<(BodyId, Pose)> = (0..).map(BodyId).zip(next).collect();
            let before: Vec<Pose> = next.iter().filter_map(|(id, _)| one.pose(*id).ok().copied()).collect();
            let step = one.advance(&next, request).map_err(|error| WorldsError::Step { world, error })?;
            Ok((before, step))
        };
        let found = parallel::map_owned(worlds.iter_mut().collect(), 1, advance);
        if let Some(error) = found.iter().find_map(|found| found.as_ref().err().cloned()) {
            for (world, moved) in worlds.iter_mut().zip(found) {
                let before = moved.map(|(before, _)| before).unwrap_or_default();
                for (id, pose) in (0..).map(BodyId).zip(&before) {
                    world.set_pose(id, pose).expect("the body was there");
                }
            }
            return Err(error);
        }
        Ok(found.into_iter().flatten().map(|(_, step)| step).collect())
    }

    /// Answers a question in every world.
    fn ask(&mut self, poses: &[Pose], question: Question) -> Result<(), WorldsError> {
        self.check(poses)?;
        let Self { count, meshes, pairs, batches, .. } = self;
        batches.resize_with(count.div_ceil(RUN), Batch::default);
        let bodies = meshes.len();
        parallel::for_each_part(batches, 1, &|first, part| {
            for (number, batch) in (first..).zip(part) {
                batch.contacts.clear();
                batch.distances.clear();
                for world in number * RUN..(*count).min((number + 1) * RUN) {
                    match batch.place(meshes, &poses[world * bodies..][..bodies]) {
                        Ok(()) => question(meshes, pairs, batch),
                        Err((body, error)) => {
                            batch.refused = Some(WorldsError::Pose { world, body, error });
                            break;
                        }
                    }
                }
            }
        });
        // Taken from every batch, so that none remains for the next call.
        let refused = batches.iter_mut().map(|batch| batch.refused.take());
        refused.fold(None, Option::or).map_or(Ok(()), Err)
    }

    fn check(&self, poses: &[Pose]) -> Result<(), WorldsError> {
        let (given, worlds, bodies) = (poses.len(), self.count, self.meshes.len());
        let is_each = worlds.checked_mul(bodies) == Some(given);
        if is_each { Ok(()) } else { Err(WorldsError::Count { given, worlds, bodies }) }
    }
}

/// A question about the bodies that a batch has placed.
type Question<'a> = &'a (dyn Fn(&[CollisionMesh], &[[u32; 2]], &mut Batch) + Sync);

impl Batch {
    /// Places the bodies of a world. Returns the first whose pose is inadmissible.
    fn place(&mut self, meshes: &[CollisionMesh], poses: &[Pose]) -> Result<(), (usize, PoseError)> {
        self.placed.clear();
        for (body, (mesh, pose)) in meshes.iter().zip(poses).enumerate() {
            let posed = mesh.at(pose).map_err(|error| (body, error))?;
            self.placed.push((*posed.posed, posed.bounds()));
        }
        Ok(())
    }

    fn find_contacts(&mut self, meshes: &[CollisionMesh], pairs: &[[u32; 2]]) {
        let Self { placed, found, scratch, contacts, .. } = self;
        for_near(meshes, placed, pairs, 0.0, |bodies, [a, b]| {
            if a.is_farther(&b, 0.0) {
                return;
            }
            with_scratch(|buffers| {
                contacts_into(&a.posed, &b.posed, &mut buffers.contacts, &mut Work::default(), found);
            });
            contact_points([&a.posed, &b.posed], found, scratch, |found| {
                contacts.bodies.push(bodies);
                contacts.points.push(found.point.to_array());
                contacts.normals.push(found.normal.to_array());
                contacts.depths.push(found.depth);
            });
        });
        contacts.offsets.push(contacts.bodies.len() as u64);
    }

    fn find_distances(&mut self, meshes: &[CollisionMesh], pairs: &[[u32; 2]], limit: f64) {
        let Self { placed, distances, .. } = self;
        // A distance above the limit may be rounded to it.
        for_near(meshes, placed, pairs, limit * SLACK, |bodies, [a, b]| {
            let Some(found) = distance_up_to(&a, &b, limit) else { return };
            let closest = found.closest;
            distances.bodies.push(bodies);
            distances.distances.push(found.distance);
            distances.triangles.push(closest.map_or([u32::MAX; 2], |closest| closest.triangles));
            let points = closest.map(|closest| closest.points.map(|point| point.to_array()));
            distances.points.push(points.unwrap_or([[f64::NAN; 3]; 2]));
        });
        distances.offsets.push(distances.bodies.len() as u64);
    }
}

/// Calls `each` with the pairs of bodies whose boxes are not farther apart than `reach`.
fn for_near(
    meshes: &[CollisionMesh],
    placed: &[(Placement, Aabb)],
    pairs: &[[u32; 2]],
    reach: f64,
    mut each: impl FnMut([u32; 2], [PosedMesh; 2]),
) {
    for &bodies in pairs {
        let [(a, around_a), (b, around_b)] = bodies.map(|body| &placed[body as usize]);
        if !apart(around_a, around_b, reach) {
            let [mesh_a, mesh_b] = bodies.map(|body| &meshes[body as usize]);
            each(bodies, [posed(mesh_a, a), posed(mesh_b, b)]);
        }
    }
}

fn posed<'a>(mesh: &'a CollisionMesh, placement: &Placement) -> PosedMesh<'a> {
    PosedMesh::new(mesh, PosedWideObb::placed(mesh.boxes(), *placement))
}

impl WorldsContacts {
    fn clear(&mut self) {
        let Self { offsets, bodies, points, normals, depths } = self;
        offsets.clear();
        bodies.clear();
        points.clear();
        normals.clear();
        depths.clear();
    }

    /// Adds the worlds of a batch, whose offsets are those after each world.
    fn append(&mut self, batch: &Self) {
        let before = self.bodies.len() as u64;
        self.offsets.extend(batch.offsets.iter().map(|offset| before + offset));
        self.bodies.extend_from_slice(&batch.bodies);
        self.points.extend_from_slice(&batch.points);
        self.normals.extend_from_slice(&batch.normals);
        self.depths.extend_from_slice(&batch.depths);
    }
}

impl WorldsDistances {
    fn clear(&mut self) {
        let Self { offsets, bodies, distances, triangles, points } = self;
        offsets.clear();
        bodies.clear();
        distances.clear();
        triangles.clear();
        points.clear();
    }

    /// Adds the worlds of a batch, whose offsets are those after each world.
    fn append(&mut self, batch: &Self) {
        let before = self.bodies.len() as u64;
        self.offsets.extend(batch.offsets.iter().map(|offset| before + offset));
        self.bodies.extend_from_slice(&batch.bodies);
        self.distances.extend_from_slice(&batch.distances);
        self.triangles.extend_from_slice(&batch.triangles);
        self.points.extend_from_slice(&batch.points);
    }
}
