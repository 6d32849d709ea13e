//! Many bodies that move: the library's interface for a simulation.
//!
//! A [`World`] finds the near pairs of each frame and asks them. What it learns of a pair it keeps until they
//! are no longer near, so that the next frame asks less. Answers never depend on what was asked before, nor on
//! the number of threads.
//!
//! ```
//! use closefit::{DVec3, Mesh, Pose, Tree, World};
//!
//! let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
//! let tree = Tree::build(&Mesh::new(&corners, &[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])?);
//!
//! let mut world = World::default();
//! let floor = world.add_fixed(&tree, &Pose::IDENTITY)?;
//! let falling = world.add(&tree, &Pose::translation([0.0, 0.0, 4.0]))?;
//! for frame in 1..=12 {
//!     world.move_to(falling, &Pose::translation([0.0, 0.0, 4.0 - 0.25 * f64::from(frame)]))?;
//!     let hit = frame == 12;
//!     assert_eq!(world.intersecting(), if hit { vec![[floor, falling]] } else { vec![] });
//!     assert_eq!(world.within(1.0).len(), usize::from(frame >= 8));
//! }
//! assert_eq!(world.contacts()[0].bodies, [floor, falling]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use rayon::prelude::*;

use crate::bounds::aabb::Aabb;
use crate::broad::grid::Grid;
use crate::collide::{Distance, PairMemory, Placed, PoseError, Tree};
use crate::ids::{BodyId, to_u32};
use crate::math::pose::Pose;

/// Bodies, each a [`Tree`] at a pose, moved and asked in each frame.
///
/// Questions run on the threads of rayon's current pool, and look at pairs of bodies whose boxes are near; a
/// pair of two fixed bodies is never looked at. Pairs come sorted, the body added first in front.
///
/// Methods that take a [`BodyId`] panic if the body was removed, or is another world's.
#[derive(Default)]
pub struct World {
    /// By id; `None` where a body was removed.
    bodies: Vec<Option<Body>>,
    /// Pairs whose boxes meet.
    meeting: NearPairs,
    /// Pairs whose boxes are within the last limit.
    within: NearPairs,
}

struct Body {
    tree: Tree,
    pose: Pose,
    bounds: Aabb,
    fixed: bool,
}

/// The triangles of two bodies in contact.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyContacts {
    /// Which two.
    pub bodies: [BodyId; 2],
    /// What [`contacts`](crate::contacts) says of them.
    pub triangles: Vec<[u32; 2]>,
}

/// The distance of two bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyDistance {
    /// Which two.
    pub bodies: [BodyId; 2],
    /// What [`distance`](crate::distance()) says of them.
    pub distance: Distance,
}

impl World {
    /// Adds a body; its id is its own for ever.
    ///
    /// # Errors
    /// [`PoseError`] if the tree cannot stand there.
    pub fn add(&mut self, tree: &Tree, pose: &Pose) -> Result<BodyId, PoseError> {
        self.insert(tree, pose, false)
    }

    /// Adds a body of the surroundings: it meets what moves, and not others that are fixed. It may be moved
    /// nevertheless.
    ///
    /// # Errors
    /// [`PoseError`] if the tree cannot stand there.
    pub fn add_fixed(&mut self, tree: &Tree, pose: &Pose) -> Result<BodyId, PoseError> {
        self.insert(tree, pose, true)
    }

    fn insert(&mut self, tree: &Tree, pose: &Pose, fixed: bool) -> Result<BodyId, PoseError> {
        let bounds = tree.at(pose)?.bounds();
        let id = BodyId(to_u32(self.bodies.len()));
        self.bodies.push(Some(Body { tree: tree.clone(), pose: *pose, bounds, fixed }));
        self.changed();
        Ok(id)
    }

    /// Moves a body.
    ///
    /// # Errors
    /// [`PoseError`] if its tree cannot stand there; the body then stays where it was.
    pub fn move_to(&mut self, id: BodyId, pose: &Pose) -> Result<(), PoseError> {
        let body = self.bodies[id.index()].as_mut().expect(REMOVED);
        body.bounds = body.tree.at(pose)?.bounds();
        body.pose = *pose;
        self.changed();
        Ok(())
    }

    /// Takes a body out; its id is not given again.
    pub fn remove(&mut self, id: BodyId) {
        self.bodies[id.index()].take().expect(REMOVED);
        self.changed();
    }

    /// Where a body stands.
    pub fn pose(&self, id: BodyId) -> &Pose {
        &self.body(id).pose
    }

    /// How many bodies there are.
    pub fn len(&self) -> usize {
        self.bodies.iter().flatten().count()
    }

    /// True when there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A body at its pose, for questions of one's own about a pair.
    pub fn placed(&self, id: BodyId) -> Placed<'_> {
        self.body(id).placed()
    }

    /// The pairs in contact.
    pub fn intersecting(&mut self) -> Vec<[BodyId; 2]> {
        let found = self.meeting.ask(&self.bodies, 0.0, |memory, a, b| memory.intersects(a, b).then_some(()));
        found.into_iter().map(|(bodies, ())| bodies).collect()
    }

    /// The pairs in contact, with their triangles.
    pub fn contacts(&mut self) -> Vec<BodyContacts> {
        let found = self.meeting.ask(&self.bodies, 0.0, |memory, a, b| {
            Some(memory.contacts(a, b)).filter(|triangles| !triangles.is_empty())
        });
        found.into_iter().map(|(bodies, triangles)| BodyContacts { bodies, triangles }).collect()
    }

    /// The pairs whose distance is at most `limit` (none for one below 0), those in contact among them.
    pub fn within(&mut self, limit: f64) -> Vec<BodyDistance> {
        if limit.is_nan() || limit < 0.0 {
            return Vec::new();
        }
        let found = self.within.ask(&self.bodies, limit, |memory, a, b| memory.distance_within(a, b, limit));
        found.into_iter().map(|(bodies, distance)| BodyDistance { bodies, distance }).collect()
    }

    fn body(&self, id: BodyId) -> &Body {
        self.bodies[id.index()].as_ref().expect(REMOVED)
    }

    fn changed(&mut self) {
        self.meeting.current = false;
        self.within.current = false;
    }
}

const REMOVED: &str = "the body is in the world";

impl Body {
    fn placed(&self) -> Placed<'_> {
        self.tree.at(&self.pose).expect("checked when it was moved there")
    }
}

/// Pairs whose boxes are not apart by more than `reach`.
#[derive(Default)]
struct NearPairs {
    reach: f64,
    /// False when some body has changed since.
    current: bool,
    grid: Grid,
    pairs: Vec<NearPair>,
}

struct NearPair {
    bodies: [BodyId; 2],
    memory: PairMemory,
}

impl NearPairs {
    /// Finds the near pairs; those that were near before keep their memory.
    ///
    /// A pair that is left out is farther apart than the reach d even after rounding: its boxes, widened by
    /// 64 EPSILON of their largest coordinate at least, are more than d apart, and d is at most twice that.
    fn update(&mut self, bodies: &[Option<Body>], reach: f64) {
        if self.current && self.reach == reach {
            return;
        }
        let there = bodies.iter().enumerate();
        let there: Vec<_> =
            there.filter_map(|(i, body)| body.as_ref().map(|body| (BodyId(to_u32(i)), body))).collect();
        let near = self.grid.pairs(there.len(), |i| there[i].1.bounds, reach);
        let mut before = std::mem::take(&mut self.pairs).into_iter().peekable();
        for (a, b) in near {
            let [(id_a, a), (id_b, b)] = [there[a.index()], there[b.index()]];
            if a.fixed && b.fixed {
                continue;
            }
            let bodies = [id_a, id_b];
            while before.next_if(|pair| pair.bodies < bodies).is_some() {}
            let known = before.next_if(|pair| pair.bodies == bodies);
            self.pairs.push(known.unwrap_or_else(|| NearPair { bodies, memory: PairMemory::default() }));
        }
        (self.reach, self.current) = (reach, true);
    }

    /// Asks every near pair, each a task of its own; what is found, in their order.
    fn ask<T: Send>(
        &mut self,
        bodies: &[Option<Body>],
        reach: f64,
        question: impl Fn(&mut PairMemory, &Placed, &Placed) -> Option<T> + Sync,
    ) -> Vec<([BodyId; 2], T)> {
        self.update(bodies, reach);
        let placed = |id: BodyId| bodies[id.index()].as_ref().expect("near pairs are up to date").placed();
        let ask = |pair: &mut NearPair| {
            let [a, b] = pair.bodies.map(placed);
            question(&mut pair.memory, &a, &b).map(|found| (pair.bodies, found))
        };
        self.pairs.par_iter_mut().filter_map(ask).collect()
    }
}
