//! Many moving bodies: the library's interface for a simulation.
//!
//! A [`World`] finds the candidate pairs of each frame and queries them. It keeps what it learns about a pair
//! until the two are no longer near, so that the next frame takes less work. Answers never depend on earlier
//! queries, nor on the number of threads.
//!
//! A frame costs nothing for a fixed body that has no moving one near it: fixed bodies are kept in a
//! recursive grid (Sanna and Milani 2004), in which each moving body is looked up. MovingMesh bodies find
//! each other in a uniform grid. Many fixed bodies that are added, moved or removed at once make the next
//! question rebuild the recursive grid; a few cost a few microseconds each, on average, however many
//! others there are.
//!
//! ```
//! use closefit::{DVec3, Mesh, Pose, CollisionMesh, World};
//!
//! let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
//! let tree = CollisionMesh::build(&Mesh::new(&corners, &[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])?);
//!
//! let mut world = World::default();
//! let floor = world.add_fixed(&tree, &Pose::IDENTITY)?;
//! let falling = world.add(&tree, &Pose::translation([0.0, 0.0, 4.0]))?;
//! for frame in 1..=12 {
//!     world.set_pose(falling, &Pose::translation([0.0, 0.0, 4.0 - 0.25 * f64::from(frame)]))?;
//!     let hit = frame == 12;
//!     assert_eq!(world.intersecting(), if hit { vec![[floor, falling]] } else { vec![] });
//!     assert_eq!(world.pairs_within(1.0).len(), usize::from(frame >= 8));
//! }
//! assert_eq!(world.contacts()[0].bodies, [floor, falling]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod advance;
mod filter;
mod near_pairs;
#[cfg(test)]
mod tests;

use std::sync::Arc;

pub use advance::{AdvanceError, AdvanceRequest, ContactChange, ContactEvent, Step};
pub use filter::BodyGroups;

use crate::broad::frames::BroadWork;
use crate::broad::method::BroadPhase;
use crate::broad::recursive_grid::{GridRule, RecursiveGrid, Visits};
use crate::bvh::kind::types::{Kind, Obb, Refit};
use crate::bvh::sphere_levels::{SphereCounts, SphereCountsError, SphereLevels};
use crate::collide::Distance;
use crate::collision_mesh::{CollisionMesh, PoseError, RefitError};
use crate::narrow::{SLACK, Work};
use crate::pair_memory::PairWork;
use crate::posed_mesh::{BodyBounds, PosedMesh};
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::hull::filter::HullFilter;
use closefit_geometry::ids::{BodyId, to_u32};
use closefit_geometry::math::pose::Pose;
use filter::ExcludedPairs;
use near_pairs::NearPairs;

/// Bodies, each a [`CollisionMesh`] at a pose, that are moved and queried frame by frame.
///
/// Queries run on the threads of the current [pool](crate::Pool) and test pairs of bodies with boxes near
/// each other; a pair of two fixed bodies is never tested. Pairs are returned sorted, with the body added
/// first in front.
///
/// By default every body meets every other. [`set_groups`](World::set_groups) says who meets whom, and
/// [`exclude`](World::exclude) keeps a single pair apart, such as two links of a robot that touch at their
/// joint. Both may change at any time, for fixed bodies too, and cost a candidate pair a few nanoseconds,
/// before its trees are looked at.
///
/// All meshes have trees of one [kind](crate::kind); no answer depends on it.
///
/// Methods that take a [`BodyId`] refuse one of a body that was removed, or was never added. Ids of two
/// worlds look alike: do not mix them up.
pub struct World<K: Kind = Obb> {
    bodies: Bodies<K>,
    /// Pairs whose boxes meet.
    meeting: NearPairs<K>,
    /// Pairs whose boxes are within the last limit.
    within: NearPairs<K>,
    /// Pairs whose boxes come near each other in a step.
    stepping: NearPairs<K>,
    /// The work of searches over steps.
    steps: Work,
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
    /// The number of bodies that are not in all groups, or do not meet all.
    grouped: usize,
    /// The excluded pairs.
    excluded: ExcludedPairs,
    /// Number of boxes found for bodies that were added or moved, and of those that were new.
    placed: u64,
    updates: u64,
}

struct WorldBody<K: Kind> {
    tree: CollisionMesh<K>,
    pose: Pose,
    bounds: Aabb,
    spheres: Option<Arc<SphereLevels>>,
    fixed: bool,
    groups: BodyGroups,
}

/// The reason why a world refuses a request about a body.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum WorldError {
    /// The body was removed, or never added.
    #[error("there is no body {index} in the world")]
    NoSuchBody {
        /// The [index](BodyId::index) of its id.
        index: usize,
    },
    /// The pose is inadmissible for the body's tree.
    #[error(transparent)]
    Pose(#[from] PoseError),
    /// The vertices do not fit the body's mesh.
    #[error(transparent)]
    Refit(#[from] RefitError),
}

/// The work of a world so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct WorldWork {
    /// Number of bodies that were added or moved.
    pub placed: u64,
    /// Number of bodies whose box changed by more than rounding. A [cube](BodyBounds::Cube) around
    /// a body that turns about its middle remains the same.
    pub updates: u64,
    /// The search for candidate pairs, in its own units.
    pub broad: BroadWork,
    /// Number of candidate pairs, once for each question.
    pub asked: u64,
    /// The work on these pairs.
    pub pairs: PairWork,
    /// The work of searches over [steps](World::advance), without that on contact before and after.
    pub steps: Work,
}

impl WorldWork {
    /// Returns the tests of boxes and triangles, for all questions and steps.
    pub fn tests(&self) -> Work {
        let mut tests = self.pairs.tests;
        tests += self.steps;
        tests
    }
}

/// Two bodies in contact, with their triangles.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyContacts {
    /// The two bodies.
    pub bodies: [BodyId; 2],
    /// The pairs of triangles in contact, as from [`contact_triangles`](crate::contact_triangles).
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

impl<K: Kind> std::fmt::Debug for World<K> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Bodies { moving, fixed, .. } = &self.bodies;
        f.debug_struct("World").field("moving", moving).field("fixed", &fixed.len()).finish_non_exhaustive()
    }
}

impl<K: Kind> Default for World<K> {
    /// Creates an empty world with the broad phase that is best where some bodies are fixed.
    fn default() -> Self {
        Self::with_broad_phase(BroadPhase::RecursiveGrid)
    }
}

impl<K: Kind> World<K> {
    /// Creates an empty world that finds candidate pairs by this broad phase. No answer depends on it. All
    /// but [`BroadPhase::RecursiveGrid`] look at every fixed body in every frame.
    pub fn with_broad_phase(method: BroadPhase) -> Self {
        let [meeting, within, stepping] = [(); 3].map(|()| NearPairs::new(method));
        Self { bodies: Bodies::default(), meeting, within, stepping, steps: Work::NONE }
    }

    /// Returns the world with a filter by convex hulls: see
    /// [`PairMemory::with_hulls`](crate::PairMemory::with_hulls). No answer depends on it.
    pub fn with_hulls(mut self, filter: HullFilter) -> Self {
        self.meeting.set_hulls(filter);
        self.within.set_hulls(filter);
        self.stepping.set_hulls(filter);
        self
    }

    /// Returns the world with boxes of this kind around bodies. No answer depends on it.
    pub fn with_bounds(mut self, bounds: BodyBounds) -> Self {
        let Bodies { all, fixed, .. } = &mut self.bodies;
        for (id, body) in (0..).zip(all).filter_map(|(id, body)| Some((id, body.as_mut()?))) {
            let around = body.posed().bounds_of(bounds);
            body.bounds = around;
            if body.fixed {
                fixed.set(id, Some(body.bounds));
            }
        }
        self.bodies.bounds = bounds;
        self.changed();
        self
    }

    /// Returns the world with the grid of fixed bodies cut by this rule (Sanna and Milani 2004). No answer
    /// depends on it. Only [`BroadPhase::RecursiveGrid`], the default, uses the grid.
    ///
    /// ```
    /// use closefit::{GridRule, World};
    ///
    /// let world: World = World::default().with_grid_rule(GridRule::new(2, 8)?);
    /// assert_eq!(GridRule::default(), GridRule::new(8, 4)?);
    /// # Ok::<(), closefit::GridRuleError>(())
    /// ```
    pub fn with_grid_rule(mut self, rule: GridRule) -> Self {
        self.bodies.fixed.set_rule(rule);
        self.changed();
        self
    }

    /// Returns the world with spheres around moving bodies, as many as `counts` says for each level of detail
    /// (Sanna and Milani 2004): 1 and then more, such as `[1, 8, 64]`. Each level splits the spheres of the
    /// one before. No answer depends on it.
    ///
    /// Where the boxes of a moving body and of a fixed one meet, the two are a candidate pair only if the
    /// fixed one's box is also within reach of a sphere at every level. That spares queries where a body is
    /// long, bent or hollow and fixed bodies near it are small. The spheres of a tree are found when it is
    /// first added; that takes longer the more of them there are. Another [broad
    /// phase](Self::with_broad_phase) than the default does not use them.
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
    pub fn add(&mut self, tree: &CollisionMesh<K>, pose: &Pose) -> Result<BodyId, PoseError> {
        self.insert(tree, pose, false)
    }

    /// Adds a fixed body. It is tested against bodies that are not fixed, and never against other fixed ones.
    /// It may still be moved.
    ///
    /// # Errors
    /// [`PoseError`] if the pose is inadmissible for the tree.
    pub fn add_fixed(&mut self, tree: &CollisionMesh<K>, pose: &Pose) -> Result<BodyId, PoseError> {
        self.insert(tree, pose, true)
    }

    fn insert(&mut self, tree: &CollisionMesh<K>, pose: &Pose, fixed: bool) -> Result<BodyId, PoseError> {
        let bounds = tree.at(pose)?.bounds_of(self.bodies.bounds);
        let counts = self.bodies.sphere_counts.as_ref().filter(|_| !fixed);
        let spheres = counts.map(|counts| tree.sphere_levels(counts));
        (self.bodies.placed, self.bodies.updates) = (self.bodies.placed + 1, self.bodies.updates + 1);
        let id = BodyId(to_u32(self.bodies.all.len()));
        let (tree, pose, groups) = (tree.clone(), *pose, BodyGroups::ALL);
        self.bodies.all.push(Some(WorldBody { tree, pose, bounds, spheres, fixed, groups }));
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
    /// [`WorldError`] if there is no such body, or if the pose is inadmissible for its tree; the body then
    /// stays where it was.
    pub fn set_pose(&mut self, id: BodyId, pose: &Pose) -> Result<(), WorldError> {
        let kind = self.bodies.bounds;
        let body = self.bodies.get_mut(id)?;
        let bounds = body.tree.at(pose)?.bounds_of(kind);
        let is_new = differ(&body.bounds, &bounds);
        body.pose = *pose;
        self.bodies.set_bounds(id, bounds);
        self.bodies.placed += 1;
        self.bodies.updates += u64::from(is_new);
        self.changed();
        Ok(())
    }

    /// Removes a body, with its excluded pairs. Its id is never reused.
    ///
    /// # Errors
    /// [`WorldError`] if there is no such body.
    pub fn remove(&mut self, id: BodyId) -> Result<(), WorldError> {
        self.set_groups(id, BodyGroups::ALL)?;
        self.bodies.excluded.forget(id);
        self.bodies.all[id.index()] = None;
        if let Ok(place) = self.bodies.moving.binary_search(&id) {
            self.bodies.moving.remove(place);
        } else {
            self.bodies.fixed.set(id.0, None);
        }
        self.changed();
        Ok(())
    }

    /// Puts a body into groups, and chooses the groups that it meets. Pairs that do not meet are never
    /// tested, and not returned.
    ///
    /// # Errors
    /// [`WorldError`] if there is no such body.
    pub fn set_groups(&mut self, id: BodyId, groups: BodyGroups) -> Result<(), WorldError> {
        let before = std::mem::replace(&mut self.bodies.get_mut(id)?.groups, groups);
        self.bodies.grouped -= usize::from(before != BodyGroups::ALL);
        self.bodies.grouped += usize::from(groups != BodyGroups::ALL);
        self.changed();
        Ok(())
    }

    /// Returns the groups of a body.
    ///
    /// # Errors
    /// [`WorldError`] if there is no such body.
    pub fn groups(&self, id: BodyId) -> Result<BodyGroups, WorldError> {
        Ok(self.bodies.get(id)?.groups)
    }

    /// Excludes a pair, in whatever groups its bodies are: it is never tested, and not returned.
    ///
    /// # Errors
    /// [`WorldError`] if there is no such body.
    pub fn exclude(&mut self, a: BodyId, b: BodyId) -> Result<(), WorldError> {
        self.check([a, b])?;
        self.bodies.excluded.insert(a, b);
        self.changed();
        Ok(())
    }

    /// Undoes [`exclude`](Self::exclude).
    ///
    /// # Errors
    /// [`WorldError`] if there is no such body.
    pub fn include(&mut self, a: BodyId, b: BodyId) -> Result<(), WorldError> {
        self.check([a, b])?;
        self.bodies.excluded.remove(a, b);
        self.changed();
        Ok(())
    }

    /// Returns the id of a body by its [index](BodyId::index), the number of bodies that were added before
    /// it; `None` if it was removed, or not added yet.
    pub fn body(&self, index: usize) -> Option<BodyId> {
        let id = BodyId(u32::try_from(index).ok()?);
        self.bodies.get(id).is_ok().then_some(id)
    }

    /// Returns the pose of a body.
    ///
    /// # Errors
    /// [`WorldError`] if there is no such body.
    pub fn pose(&self, id: BodyId) -> Result<&Pose, WorldError> {
        Ok(&self.bodies.get(id)?.pose)
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
    ///
    /// # Errors
    /// [`WorldError`] if there is no such body.
    pub fn posed(&self, id: BodyId) -> Result<PosedMesh<'_, K>, WorldError> {
        Ok(self.bodies.get(id)?.posed())
    }

    /// Returns a world of the same bodies, numbered without gaps where bodies were removed, with the same
    /// filters and settings. It has learned nothing yet.
    pub(crate) fn copy(&self) -> Self {
        let Bodies { all, fixed, bounds, sphere_counts, excluded, .. } = &self.bodies;
        let mut copy = Self::with_broad_phase(self.meeting.method).with_bounds(*bounds);
        copy = copy.with_hulls(self.meeting.hulls).with_grid_rule(fixed.rule());
        copy.bodies.sphere_counts.clone_from(sphere_counts);
        let mut new = vec![None; all.len()];
        for (known, WorldBody { tree, pose, fixed, groups, .. }) in self.bodies.present() {
            let id = copy.insert(tree, pose, *fixed).expect("it is at this pose");
            copy.set_groups(id, *groups).expect("it was just added");
            new[known.index()] = Some(id);
        }
        for (a, b) in excluded.pairs() {
            if let (Some(a), Some(b)) = (new[a.index()], new[b.index()]) {
                copy.bodies.excluded.insert(a, b);
            }
        }
        copy
    }

    /// Returns the meshes of all bodies, in the order of their ids.
    pub(crate) fn meshes(&self) -> impl Iterator<Item = &CollisionMesh<K>> {
        self.bodies.present().map(|(_, body)| &body.tree)
    }

    /// Returns the pairs of bodies that may meet, sorted; none of two fixed ones.
    pub(crate) fn pairs_that_may_meet(&self) -> impl Iterator<Item = [BodyId; 2]> {
        let Self { bodies, .. } = self;
        bodies.present().flat_map(move |(a, one)| {
            let others = bodies.present().filter(move |(b, other)| a < *b && !(one.fixed && other.fixed));
            others.map(move |(b, _)| [a, b]).filter(|&[a, b]| bodies.may_meet(a, b))
        })
    }

    /// Returns the candidate pairs, sorted: those whose boxes meet, of bodies that may meet. Without spheres,
    /// they include all pairs in contact, and all pairs in which one solid contains the other.
    pub fn candidate_pairs(&mut self) -> Vec<[BodyId; 2]> {
        self.meeting.of(&mut self.bodies, 0.0)
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
            Some(memory.contact_triangles(a, b)).filter(|triangles| !triangles.is_empty())
        });
        found.into_iter().map(|(bodies, triangles)| BodyContacts { bodies, triangles }).collect()
    }

    /// Returns the pairs with a distance of at most `limit`, sorted, including those in contact; none for a
    /// negative limit.
    pub fn pairs_within(&mut self, limit: f64) -> Vec<BodyDistance> {
        if limit.is_nan() || limit < 0.0 {
            return Vec::new();
        }
        let found =
            self.within.ask(&mut self.bodies, limit, |memory, a, b| memory.distance_up_to(a, b, limit));
        found.into_iter().map(|(bodies, distance)| BodyDistance { bodies, distance }).collect()
    }

    /// Returns the work so far. Looks at every pair and every cell.
    pub fn work(&self) -> WorldWork {
        let Bodies { placed, updates, ref fixed, .. } = self.bodies;
        let Self { meeting, within, stepping, steps, .. } = self;
        let (mut broad, mut pairs, mut asked) = (meeting.broad, meeting.work(), meeting.asked);
        for others in [within, stepping] {
            broad += others.broad;
            pairs += others.work();
            asked += others.asked;
        }
        if broad.method == BroadPhase::RecursiveGrid {
            broad.shape = fixed.shape();
        }
        WorldWork { placed, updates, broad, asked, pairs, steps: *steps }
    }

    /// Returns an error unless these bodies are in the world.
    fn check(&self, bodies: [BodyId; 2]) -> Result<(), WorldError> {
        bodies.iter().try_for_each(|&id| self.bodies.get(id).map(|_| ()))
    }

    fn changed(&mut self) {
        self.meeting.current = false;
        self.within.current = false;
        self.stepping.current = false;
    }
}

impl<K: Refit> World<K> {
    /// Fits a body's tree to a mesh that has changed its shape: see [`CollisionMesh::refit`]. Other bodies
    /// with the same mesh keep theirs.
    ///
    /// ```
    /// use closefit::{CollisionMesh, DVec3, Pose, World};
    ///
    /// let sheet = [DVec3::ZERO, DVec3::X, DVec3::Y];
    /// let mesh = CollisionMesh::new(&sheet, &[[0, 1, 2]])?;
    /// let mut world = World::default();
    /// let floor = world.add_fixed(&mesh, &Pose::IDENTITY)?;
    /// let bent = world.add(&mesh, &Pose::translation([0.0, 0.0, 1.0]))?;
    /// assert!(world.intersecting().is_empty());
    /// world.refit(bent, &sheet.map(|corner| corner - DVec3::Z * corner.x))?;
    /// assert_eq!(world.intersecting(), [[floor, bent]]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`WorldError`] if there is no such body, if the vertices do not fit its mesh, or if its pose takes one
    /// of them beyond 2^200; the body then keeps its shape.
    pub fn refit<P: Copy + Into<[f64; 3]>>(&mut self, id: BodyId, vertices: &[P]) -> Result<(), WorldError> {
        let (kind, counts) = (self.bodies.bounds, self.bodies.sphere_counts.clone());
        let body = self.bodies.get_mut(id)?;
        let mut tree = body.tree.clone();
        tree.refit(vertices)?;
        let bounds = tree.at(&body.pose)?.bounds_of(kind);
        body.spheres = counts.filter(|_| !body.fixed).map(|counts| tree.sphere_levels(&counts));
        body.tree = tree;
        self.bodies.set_bounds(id, bounds);
        self.changed();
        Ok(())
    }
}

/// The most bodies, with those that were removed, whose pairs are all looked at.
const FEW: usize = 16;

/// Share of its coordinates by which a box around a body may change although only the body turns. Margins
/// follow the entries of the pose: 64 EPSILON for posed vertices and 32 for the frame, of up to twice the
/// coordinates. The roundings of the size of the box and of its middle are below 16.
const TURNED: f64 = 256.0 * f64::EPSILON;

/// True if two boxes differ by more than margins and rounding do to the same one.
fn differ(a: &Aabb, b: &Aabb) -> bool {
    let by = (a.lo - b.lo).abs().max((a.hi - b.hi).abs()).max_element();
    let largest = a.lo.abs().max(a.hi.abs()).max_element();
    by > TURNED * largest
}

const REMOVED: &str = "a candidate is in the world";

impl<K: Kind> Bodies<K> {
    fn get(&self, id: BodyId) -> Result<&WorldBody<K>, WorldError> {
        let body = self.all.get(id.index()).and_then(Option::as_ref);
        body.ok_or(WorldError::NoSuchBody { index: id.index() })
    }

    fn get_mut(&mut self, id: BodyId) -> Result<&mut WorldBody<K>, WorldError> {
        let body = self.all.get_mut(id.index()).and_then(Option::as_mut);
        body.ok_or(WorldError::NoSuchBody { index: id.index() })
    }

    /// Sets the box of a body that is there.
    fn set_bounds(&mut self, id: BodyId, bounds: Aabb) {
        let body = self.all[id.index()].as_mut().expect(REMOVED);
        body.bounds = bounds;
        if body.fixed {
            self.fixed.set(id.0, Some(bounds));
        }
    }

    /// Returns the bodies that were not removed, with their ids.
    fn present(&self) -> impl Iterator<Item = (BodyId, &WorldBody<K>)> {
        (0..).map(BodyId).zip(&self.all).filter_map(|(id, body)| Some((id, body.as_ref()?)))
    }

    /// Returns a body that a broad phase has found.
    fn body(&self, id: BodyId) -> &WorldBody<K> {
        self.all[id.index()].as_ref().expect(REMOVED)
    }

    /// True when there are few bodies, and no spheres around them.
    fn are_few(&self) -> bool {
        self.all.len() <= FEW && self.sphere_counts.is_none()
    }

    /// True when groups or excluded pairs keep some bodies from meeting others.
    fn some_never_meet(&self) -> bool {
        self.grouped > 0 || !self.excluded.is_empty()
    }

    /// True when the groups of two bodies meet, and the pair is not excluded.
    fn may_meet(&self, a: BodyId, b: BodyId) -> bool {
        self.body(a).groups.meets(self.body(b).groups) && !self.excluded.contains(a, b)
    }
}

impl<K: Kind> WorldBody<K> {
    fn posed(&self) -> PosedMesh<'_, K> {
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
