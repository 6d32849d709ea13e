//! Many moving bodies: the library's interface for a simulation.
//!
//! A [`World`] finds the candidate pairs of each frame and queries them. It keeps what it learns about a pair until
//! the two are no longer near, so that the next frame takes less work. Answers never depend on earlier queries, nor
//! on the number of threads.
//!
//! A frame costs nothing for a fixed body that has no moving one near it: fixed bodies are kept in a recursive grid
//! (Sanna and Milani 2004), in which each moving body is looked up. Moving bodies find each other in a uniform grid. Many
//! fixed bodies that are added, moved or removed at once make the next question build the recursive grid anew; a few
//! cost a few microseconds each, on average, however many others there are.
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

use std::sync::Arc;

use rayon::prelude::*;

use crate::bounds::aabb::Aabb;
use crate::broad::frames::Frames;
use crate::broad::grid::Grid;
use crate::broad::method::BroadPhase;
use crate::broad::recursive_grid::{RecursiveGrid, Visits};
use crate::collide::{BodyBounds, Distance, PairMemory, Placed, PoseError, Tree};
use crate::hierarchy::kind::types::{Kind, Obb};
use crate::hierarchy::sphere_levels::{SphereCounts, SphereCountsError, SphereLevels};
use crate::hull::filter::HullFilter;
use crate::ids::{BodyId, PartId, to_u32};
use crate::math::pose::Pose;
use crate::narrow::SLACK;

/// Bodies, each a [`Tree`] at a pose, that are moved and queried frame by frame.
///
/// Queries run on the threads of rayon's current pool and test pairs of bodies with boxes near each other; a pair of
/// two fixed bodies is never tested. Pairs are returned sorted, with the body added first in front.
///
/// All trees are of one [kind](crate::kind), that of the trees that are added; no answer depends on it.
///
/// Methods that take a [`BodyId`] panic if the body was removed, or belongs to another world.
pub struct World<K: Kind = Obb> {
    bodies: Bodies<K>,
    /// Pairs whose boxes meet.
    meeting: NearPairs<K>,
    /// Pairs whose boxes are within the last limit.
    within: NearPairs<K>,
}

#[derive(Default)]
struct Bodies<K: Kind> {
    /// The bodies by id; `None` after removal.
    all: Vec<Option<WorldBody<K>>>,
    /// The ids of those that are not fixed, sorted.
    moving: Vec<BodyId>,
    /// The boxes of those that are fixed.
    fixed: RecursiveGrid,
    /// The kind of all boxes.
    bounds: BodyBounds,
    /// The numbers of spheres around bodies that are not fixed, if they have some.
    sphere_counts: Option<SphereCounts>,
}

struct WorldBody<K: Kind> {
    tree: Tree<K>,
    pose: Pose,
    bounds: Aabb,
    spheres: Option<Arc<SphereLevels>>,
    fixed: bool,
}

/// Two bodies in contact, with their triangles.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyContacts {
    /// The two bodies.
    pub bodies: [BodyId; 2],
    /// The pairs of triangles in contact, as from [`contacts`](crate::contacts).
    pub triangles: Vec<[u32; 2]>,
}

/// Two bodies with their distance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyDistance {
    /// The two bodies.
    pub bodies: [BodyId; 2],
    /// The distance, as from [`distance`](crate::distance()).
    pub distance: Distance,
}

impl<K: Kind> Default for World<K> {
    /// Creates an empty world with the broad phase that is best where some bodies are fixed.
    fn default() -> Self {
        Self::with_broad_phase(BroadPhase::RecursiveGrid)
    }
}

impl<K: Kind> World<K> {
    /// Creates an empty world that finds candidate pairs by this broad phase. No answer depends on it. All but
    /// [`BroadPhase::RecursiveGrid`] look at every fixed body in every frame.
    pub fn with_broad_phase(method: BroadPhase) -> Self {
        let [meeting, within] = [(); 2].map(|()| NearPairs::new(method));
        Self { bodies: Bodies::default(), meeting, within }
    }

    /// Returns the world with a filter by convex hulls: see [`PairMemory::with_hulls`]. No answer depends on it.
    pub fn with_hulls(mut self, filter: HullFilter) -> Self {
        for near in [&mut self.meeting, &mut self.within] {
            near.filter = filter;
            near.pairs.iter_mut().for_each(|pair| pair.memory = PairMemory::with_hulls(filter));
        }
        self
    }

    /// Returns the world with boxes of this kind around bodies. No answer depends on it.
    pub fn with_bounds(mut self, bounds: BodyBounds) -> Self {
        let Bodies { all, fixed, .. } = &mut self.bodies;
        for (id, body) in (0..).zip(all).filter_map(|(id, body)| Some((id, body.as_mut()?))) {
            body.bounds = body.placed().bounds_of(bounds);
            if body.fixed {
                fixed.set(id, Some(body.bounds));
            }
        }
        self.bodies.bounds = bounds;
        self.changed();
        self
    }

    /// Returns the world with spheres around moving bodies, as many as `counts` says for each level of detail (Sanna and Milani
    /// 2004): 1 and then more, such as `[1, 8, 64]`. Each level splits the spheres of the one before. No answer depends on it.
    ///
    /// Where the box of a moving body meets that of a fixed one, the two are a candidate pair only if the fixed one's box is
    /// also within reach of a sphere at every level. That spares queries where a body is long, bent or hollow and fixed bodies
    /// near it are small. The spheres of a tree are found when it is first added; that takes longer the more of them there are.
    /// Another [broad phase](Self::with_broad_phase) than the default does not use them.
    ///
    /// ```
    /// use closefit::World;
    ///
    /// let world: World = World::default().with_sphere_levels(&[1, 8, 64])?;
    /// let refused = World::<closefit::kind::Obb>::default().with_sphere_levels(&[1, 8, 8]);
    /// assert!(refused.is_err_and(|error| error.to_string().ends_with("found [1, 8, 8]")));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`SphereCountsError`] unless the numbers rise from 1, in at most 16 levels.
    pub fn with_sphere_levels(mut self, counts: &[usize]) -> Result<Self, SphereCountsError> {
        let counts = SphereCounts::new(counts)?;
        for body in self.bodies.all.iter_mut().flatten().filter(|body| !body.fixed) {
            body.spheres = Some(body.tree.sphere_levels(&counts));
        }
        self.bodies.sphere_counts = Some(counts);
        self.changed();
        Ok(self)
    }

    /// Adds a body. Its id is never reused.
    ///
    /// # Errors
    /// [`PoseError`] if the pose is inadmissible for the tree.
    pub fn add(&mut self, tree: &Tree<K>, pose: &Pose) -> Result<BodyId, PoseError> {
        self.insert(tree, pose, false)
    }

    /// Adds a fixed body. It is tested against bodies that are not fixed, and never against other fixed ones. It may
    /// still be moved.
    ///
    /// # Errors
    /// [`PoseError`] if the pose is inadmissible for the tree.
    pub fn add_fixed(&mut self, tree: &Tree<K>, pose: &Pose) -> Result<BodyId, PoseError> {
        self.insert(tree, pose, true)
    }

    fn insert(&mut self, tree: &Tree<K>, pose: &Pose, fixed: bool) -> Result<BodyId, PoseError> {
        let bounds = tree.at(pose)?.bounds_of(self.bodies.bounds);
        let counts = self.bodies.sphere_counts.as_ref().filter(|_| !fixed);
        let spheres = counts.map(|counts| tree.sphere_levels(counts));
        let id = BodyId(to_u32(self.bodies.all.len()));
        self.bodies.all.push(Some(WorldBody { tree: tree.clone(), pose: *pose, bounds, spheres, fixed }));
        if fixed {
            self.bodies.fixed.set(id.0, Some(bounds));
        } else {
            self.bodies.moving.push(id);
        }
        self.changed();
        Ok(id)
    }

    /// Moves a body.
    ///
    /// # Errors
    /// [`PoseError`] if the pose is inadmissible for the tree; the body then stays where it was.
    pub fn move_to(&mut self, id: BodyId, pose: &Pose) -> Result<(), PoseError> {
        let body = self.bodies.all[id.index()].as_mut().expect(REMOVED);
        body.bounds = body.tree.at(pose)?.bounds_of(self.bodies.bounds);
        body.pose = *pose;
        if body.fixed {
            self.bodies.fixed.set(id.0, Some(body.bounds));
        }
        self.changed();
        Ok(())
    }

    /// Removes a body. Its id is never reused.
    pub fn remove(&mut self, id: BodyId) {
        let body = self.bodies.all[id.index()].take().expect(REMOVED);
        if body.fixed {
            self.bodies.fixed.set(id.0, None);
        } else {
            let place = self.bodies.moving.binary_search(&id).expect("it moves");
            self.bodies.moving.remove(place);
        }
        self.changed();
    }

    /// Returns the pose of a body.
    pub fn pose(&self, id: BodyId) -> &Pose {
        &self.body(id).pose
    }

    /// Returns the number of bodies.
    pub fn len(&self) -> usize {
        self.bodies.moving.len() + self.bodies.fixed.len()
    }

    /// True when there are no bodies.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns a body at its pose, for queries on a single pair.
    pub fn placed(&self, id: BodyId) -> Placed<'_, K> {
        self.body(id).placed()
    }

    /// Returns the pairs in contact, sorted.
    pub fn intersecting(&mut self) -> Vec<[BodyId; 2]> {
        let found =
            self.meeting.ask(&mut self.bodies, 0.0, |memory, a, b| memory.intersects(a, b).then_some(()));
        found.into_iter().map(|(bodies, ())| bodies).collect()
    }

    /// Returns the pairs in contact with their triangles, sorted.
    pub fn contacts(&mut self) -> Vec<BodyContacts> {
        let found = self.meeting.ask(&mut self.bodies, 0.0, |memory, a, b| {
            Some(memory.contacts(a, b)).filter(|triangles| !triangles.is_empty())
        });
        found.into_iter().map(|(bodies, triangles)| BodyContacts { bodies, triangles }).collect()
    }

    /// Returns the pairs with a distance of at most `limit`, sorted, including those in contact; none for a negative
    /// limit.
    pub fn within(&mut self, limit: f64) -> Vec<BodyDistance> {
        if limit.is_nan() || limit < 0.0 {
            return Vec::new();
        }
        let found =
            self.within.ask(&mut self.bodies, limit, |memory, a, b| memory.distance_within(a, b, limit));
        found.into_iter().map(|(bodies, distance)| BodyDistance { bodies, distance }).collect()
    }

    fn body(&self, id: BodyId) -> &WorldBody<K> {
        self.bodies.body(id)
    }

    fn changed(&mut self) {
        self.meeting.current = false;
        self.within.current = false;
    }
}

const REMOVED: &str = "the body is in the world";

impl<K: Kind> Bodies<K> {
    fn body(&self, id: BodyId) -> &WorldBody<K> {
        self.all[id.index()].as_ref().expect(REMOVED)
    }
}

impl<K: Kind> WorldBody<K> {
    fn placed(&self) -> Placed<'_, K> {
        self.tree.at(&self.pose).expect("checked when it was moved there")
    }

    /// Finds the fixed bodies that may be within `reach`.
    fn near(&self, fixed: &RecursiveGrid, reach: f64, found: &mut Vec<u32>) -> Visits {
        match &self.spheres {
            None => fixed.near(&self.bounds, reach, found),
            // A distance above the reach may be rounded to it.
            Some(levels) => fixed.near_spheres(&self.bounds, &levels.at(&self.pose), reach * SLACK, found),
        }
    }
}

/// Pairs of bodies no farther apart than `reach`, judging by boxes and spheres.
struct NearPairs<K: Kind> {
    method: BroadPhase,
    reach: f64,
    /// False when some body has changed since the last update.
    current: bool,
    /// The grid of moving bodies.
    grid: Grid,
    /// The frames of another broad phase, with this reach.
    frames: Option<Frames>,
    /// The filter of the pairs' memories.
    filter: HullFilter,
    pairs: Vec<NearPair<K>>,
}

struct NearPair<K: Kind> {
    bodies: [BodyId; 2],
    memory: PairMemory<K>,
}

impl<K: Kind> NearPairs<K> {
    fn new(method: BroadPhase) -> Self {
        Self {
            method,
            reach: 0.0,
            current: false,
            grid: Grid::default(),
            frames: None,
            filter: HullFilter::default(),
            pairs: Vec::new(),
        }
    }

    /// Finds the near pairs. Pairs that were near before keep their memory.
    ///
    /// A pair left out is farther apart than the reach d even after rounding: its boxes, widened by at least
    /// 64 EPSILON of their largest coordinate, are more than d apart, and d is at most twice that coordinate. Spheres are
    /// compared with more than d.
    fn update(&mut self, bodies: &mut Bodies<K>, reach: f64) {
        if self.current && self.reach == reach {
            return;
        }
        let near = match self.method {
            BroadPhase::RecursiveGrid => self.near(bodies, reach),
            _ => self.near_among_all(bodies, reach),
        };
        let mut before = std::mem::take(&mut self.pairs).into_iter().peekable();
        for bodies in near {
            while before.next_if(|pair| pair.bodies < bodies).is_some() {}
            let known = before.next_if(|pair| pair.bodies == bodies);
            let memory = || PairMemory::with_hulls(self.filter);
            self.pairs.push(known.unwrap_or_else(|| NearPair { bodies, memory: memory() }));
        }
        (self.reach, self.current) = (reach, true);
    }

    /// Returns the near pairs, sorted, without looking at fixed bodies that have no moving one near them.
    fn near(&mut self, bodies: &mut Bodies<K>, reach: f64) -> Vec<[BodyId; 2]> {
        let Bodies { all, moving, fixed, .. } = bodies;
        let body = |i: usize| all[moving[i].index()].as_ref().expect(REMOVED);
        let among = self.grid.pairs(moving.len(), |i| body(i).bounds, reach);
        let mut near: Vec<[BodyId; 2]> =
            among.into_iter().map(|(a, b)| [moving[a.index()], moving[b.index()]]).collect();
        let with_fixed = fixed.ask_each(moving.len(), |fixed, i, found| body(i).near(fixed, reach, found));
        near.extend(with_fixed.into_iter().map(|(i, id)| {
            let (a, b) = (moving[i], BodyId(id));
            [a.min(b), a.max(b)]
        }));
        near.sort_unstable();
        near
    }

    /// Returns the near pairs, sorted, by a broad phase that looks at all bodies.
    fn near_among_all(&mut self, bodies: &Bodies<K>, reach: f64) -> Vec<[BodyId; 2]> {
        let there = bodies.all.iter().enumerate();
        let there: Vec<_> =
            there.filter_map(|(i, body)| body.as_ref().map(|body| (BodyId(to_u32(i)), body))).collect();
        let boxes: Vec<Aabb> = there.iter().map(|(_, body)| body.bounds).collect();
        if self.reach != reach {
            self.frames = None;
        }
        let frames = self.frames.get_or_insert_with(|| Frames::new(self.method, reach));
        let frame = frames.next(&boxes).expect("the number of pairs is not limited");
        let moves = |(a, b): (PartId, PartId)| !(there[a.index()].1.fixed && there[b.index()].1.fixed);
        let near = frame.near_pairs(0..to_u32(boxes.len()), moves);
        near.into_iter().map(|(a, b)| [there[a.index()].0, there[b.index()].0]).collect()
    }

    /// Queries every near pair in a task of its own. Returns the results in the order of the pairs.
    fn ask<T: Send>(
        &mut self,
        bodies: &mut Bodies<K>,
        reach: f64,
        question: impl Fn(&mut PairMemory<K>, &Placed<'_, K>, &Placed<'_, K>) -> Option<T> + Sync,
    ) -> Vec<([BodyId; 2], T)> {
        self.update(bodies, reach);
        let bodies = &*bodies;
        let ask = |pair: &mut NearPair<K>| {
            let [a, b] = pair.bodies.map(|id| bodies.body(id).placed());
            question(&mut pair.memory, &a, &b).map(|found| (pair.bodies, found))
        };
        self.pairs.par_iter_mut().filter_map(ask).collect()
    }
}

#[cfg(test)]
mod tests;
