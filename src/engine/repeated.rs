//! A check of one scene at many poses of its parts. Trees are built and pairs are chosen once; pairs of parts
//! that never move are decided once.
//!
//! The answers at each row of poses are the answers of [`check()`](super::check()) for the scene with its
//! parts there: what decides a pair is the same, and pairs are left out only because boxes around both
//! prove them clear. If a part is open and might enclose the other one if it were whole, a proof that it
//! does not is needed as well.

use std::fmt;

use glam::DVec3;

use super::kept_models::KeptModels;
use super::models::Models;
use super::pair_request::{PairRequest, is_candidate, largest_reach, request_of};
use super::posed::exact_box;
use super::rows_on_device::{NearRow, RowsOnDevice};
use super::{CheckError, Observer, PosedBoxes, take_scene};
use crate::broad::{apart, sweep_and_prune};
use crate::bvh::own_boxes::{PosedBalls, PosedOwnBoxes};
use crate::bvh::pairs_on_device::Touching;
use crate::bvh::posed_model::{PosedBounds, PosedModel};
use crate::bvh::static_pair::StaticPair;
use crate::bvh::trees::{Bodies, MovedBodies, PlacedModel};
use crate::bvh::{largest_coordinate, world_box};
use crate::narrow::Work;
use crate::query::pair::{Known, decide_without_places};
use crate::query::stage_work::StageWork;
use crate::query::{CheckRequest, Containment, Depth, DepthDetail, PairRecord, Verdict};
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::bounds::obb::Obb;
use closefit_geometry::ids::{PartId, to_u32};
use closefit_geometry::lanes::{FourPoses, ROWS, Simd, in_lanes};
use closefit_geometry::math::pose::Pose;
use closefit_geometry::memory::MemoryAccount;
use closefit_geometry::parallel;
use closefit_geometry::scene::Scene;

/// A scene that is ready to be checked at many poses of its parts.
pub struct PreparedScene<'a> {
    pub(super) scene: &'a Scene,
    pub(super) request: CheckRequest,
    models: Models,
    extents: Vec<Extent>,
    /// The exact boxes of the parts where they stand in the scene.
    boxes: Vec<Aabb>,
    /// True for a part that may have another pose than in the scene.
    pub(super) moves: Vec<bool>,
    /// The pairs in the scope of the check with a part that moves, in order.
    pairs: Vec<AskedPair>,
    /// The pairs of parts that stand whose boxes are near, in order.
    standing: Vec<[PartId; 2]>,
}

/// A pair in the scope of the check, and the distance of boxes beyond which it is clear.
struct AskedPair {
    ids: [PartId; 2],
    reach: f64,
}

/// Bytes of such a pair in a list that grows.
const PAIR_BYTES: usize = 2 * size_of::<AskedPair>();

/// The findings of a check about a pair, without its places.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PosedPair {
    /// The two parts, the lower id first.
    pub ids: [PartId; 2],
    /// The verdict.
    pub verdict: Verdict,
    /// The smallest distance of the surfaces; 0 in contact.
    pub distance: f64,
    /// Containment without contact.
    pub contained: Containment,
    /// The depth of the overlap, as far as it is known and requested.
    pub depth: Option<Depth>,
    /// The reason why the depth is unknown, or only partly known.
    pub depth_unknown: Option<String>,
}

impl From<PairRecord> for PosedPair {
    fn from(record: PairRecord) -> Self {
        let PairRecord { ids, verdict, distance, contained, depth, depth_unknown, .. } = record;
        Self { ids, verdict, distance, contained, depth, depth_unknown }
    }
}

impl fmt::Debug for PreparedScene<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PreparedScene").field("request", &self.request).finish_non_exhaustive()
    }
}

impl<'a> PreparedScene<'a> {
    /// Builds the trees of all parts that are in a pair in the scope of the check. `moves` says of each
    /// part if its pose may be another one than the scene's.
    ///
    /// # Errors
    /// [`CheckError`].
    pub fn new(
        scene: &'a Scene,
        moves: &[bool],
        request: &CheckRequest,
        observer: &dyn Observer,
    ) -> Result<Self, CheckError> {
        Self::with_models(scene, moves, request, observer, &KeptModels::default())
    }

    /// Does the same, but takes models from those that are kept if they are the same, and keeps them.
    ///
    /// # Errors
    /// [`CheckError`].
    pub fn with_models(
        scene: &'a Scene,
        moves: &[bool],
        request: &CheckRequest,
        observer: &dyn Observer,
        kept: &KeptModels,
    ) -> Result<Self, CheckError> {
        let memory = &MemoryAccount::new(request.memory);
        take_scene(memory, scene)?;
        let boxes = PosedBoxes::new(scene, None)?.boxes;
        let pairs = moving_pairs(scene, moves, request, memory)?;
        let standing = standing_pairs(scene, moves, request, &boxes);
        let mut is_in_pair = vec![false; scene.parts.len()];
        for part in pairs.iter().flat_map(|pair| pair.ids).chain(standing.iter().flatten().copied()) {
            is_in_pair[part.index()] = true;
        }
        let linear = |part: PartId| scene.parts[part.index()].pose.linear();
        let how = (request.strategy, request.winding);
        let models = Models::kept_or_built(scene, &is_in_pair, linear, how, (memory, observer), kept)?;
        memory.take(scene.parts.len(), models.trees.body_bytes(), || "the parts' bodies".to_owned())?;
        let extents = parallel::map_items(&scene.parts, parallel::SMALL, |part| {
            Extent::of(scene.meshes[part.mesh.index()].vertices())
        });
        let (moves, request) = (moves.to_vec(), *request);
        Ok(Self { scene, request, models, extents, boxes, moves, pairs, standing })
    }

    /// Returns the number of pairs that are checked at each row of poses.
    pub fn asked(&self) -> usize {
        self.pairs.len() + self.standing.len()
    }

    /// Returns the pairs in the scope of the check with a part that moves, in order.
    pub(super) fn moving_pairs(&self) -> impl Iterator<Item = [PartId; 2]> + '_ {
        self.pairs.iter().map(|pair| pair.ids)
    }

    /// Places the parts where they stand in the scene, and decides the pairs that never move.
    pub fn checks(&self) -> PreparedCheck<'_> {
        let mut placed = self.placed();
        let decide = |&ids: &[PartId; 2]| {
            let request = request_of(self.scene, &self.request, ids);
            placed.bodies.ask(ids.map(PartId::index), |pair| decide(ids, pair, &request, None))
        };
        let standing: Vec<PosedPair> = parallel::map_items(&self.standing, 1, decide);
        placed.standing = standing.into_iter().filter(|pair| pair.verdict != Verdict::Clear).collect();
        placed
    }

    /// Places the parts where they stand in the scene, for queries about the pairs with a part that moves.
    pub(super) fn placed(&self) -> PreparedCheck<'_> {
        let scene = self.scene;
        let placed = |(part, &bounds): (u32, &Aabb)| {
            let (model, part) = (self.models.place(PartId(part))?, &scene.parts[part as usize]);
            let (mesh, bounds) = (&*scene.meshes[part.mesh.index()], PosedBounds::Exact(bounds));
            Some(PlacedModel { model, mesh, pose: part.pose, bounds, is_surface: part.is_surface })
        };
        let placed: Vec<_> = (0..).zip(&self.boxes).map(placed).collect();
        let bodies = self.models.trees.bodies(&placed);
        let still = parallel::map(placed.len(), 1, |part| {
            let body = placed[part].map(|_| bodies.body(part))?;
            let poses = FourPoses::splat(&body.pose);
            Some(in_lanes!(simd => body.balls_at(simd, &poses)))
        });
        let is_moving = |&part: &usize| self.moves[part] && still[part].is_some();
        let moving = (0..still.len()).filter(is_moving).collect();
        PreparedCheck { prepared: self, bodies, still, moving, standing: Vec::new() }
    }
}

impl PreparedScene<'_> {
    /// Returns a box around a part at a pose.
    fn around(&self, part: usize, pose: &Pose) -> Result<Aabb, CheckError> {
        let of = &self.scene.parts[part];
        let exact = || exact_box(part, of, self.scene.meshes[of.mesh.index()].vertices(), pose);
        self.extents[part].around(pose).map_or_else(exact, Ok)
    }
}

/// Returns the pairs in the scope of the check with a part that moves, in order.
fn moving_pairs(
    scene: &Scene,
    moves: &[bool],
    request: &CheckRequest,
    memory: &MemoryAccount,
) -> Result<Vec<AskedPair>, CheckError> {
    let mut pairs = Vec::new();
    let all = (0..scene.parts.len()).flat_map(|a| (a + 1..scene.parts.len()).map(move |b| [a, b]));
    for [a, b] in all.filter(|&[a, b]| moves[a] || moves[b]) {
        let ids = [a, b].map(|part| PartId(to_u32(part)));
        if scene.asked(ids[0], ids[1]).is_ok() {
            memory.take(1, PAIR_BYTES, || format!("more than {} pairs of parts that move", pairs.len()))?;
            pairs.push(AskedPair { ids, reach: request_of(scene, request, ids).box_reach() });
        }
    }
    Ok(pairs)
}

/// Returns the pairs of parts that stand whose boxes are near, in order.
fn standing_pairs(scene: &Scene, moves: &[bool], request: &CheckRequest, boxes: &[Aabb]) -> Vec<[PartId; 2]> {
    let near = sweep_and_prune::near_pairs(boxes, largest_reach(scene, request));
    let is_asked = |&(a, b): &(PartId, PartId)| {
        !moves[a.index()] && !moves[b.index()] && is_candidate(scene, request, boxes, (a, b))
    };
    near.into_iter().filter(is_asked).map(|(a, b)| [a, b]).collect()
}

/// A check that can be repeated at other poses, by any thread.
pub struct PreparedCheck<'p> {
    pub(super) prepared: &'p PreparedScene<'p>,
    pub(super) bodies: Box<dyn Bodies + 'p>,
    /// Balls around the parts as placed in the scene; `None` for parts that are in no pair.
    still: Vec<Option<PosedBalls>>,
    /// The parts in pairs that move, in order.
    moving: Vec<usize>,
    /// The listed pairs of parts that never move, in order.
    standing: Vec<PosedPair>,
}

impl fmt::Debug for PreparedCheck<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PreparedCheck").field("scene", self.prepared).finish_non_exhaustive()
    }
}

/// Bounds of all parts in four rows of poses, what these prove, and space for the bounds of a single row.
#[derive(Debug, Default)]
pub struct RowScratch {
    /// Balls around all parts; `None` for parts that are in no pair.
    balls: Vec<Option<PosedBalls>>,
    /// The reason why a row cannot be checked.
    refused: [Option<CheckError>; ROWS],
    /// The places of the pairs of each row that balls do not prove clear, in order.
    near: [Vec<usize>; ROWS],
    of_row: RowBounds,
}

impl RowScratch {
    /// Returns the places of the pairs that are near in a row, and its poses without any boxes; no poses if
    /// there is no such pair.
    fn begin(&mut self, row: usize, poses: &[FourPoses]) -> Result<(&[usize], &mut RowBounds), CheckError> {
        let Self { refused, near, of_row, .. } = self;
        if let Some(error) = refused[row].take() {
            return Err(error);
        }
        of_row.poses.clear();
        of_row.turned.clear();
        if !near[row].is_empty() {
            of_row.poses.extend(poses.iter().map(|poses| poses.get(row)));
            of_row.turned.resize(poses.len(), None);
        }
        Ok((&near[row], of_row))
    }
}

/// The bounds of parts in one row.
#[derive(Debug, Default)]
struct RowBounds {
    poses: Vec<Pose>,
    /// Boxes that turn with the parts that move, made when first needed.
    turned: Vec<Option<Box<PosedOwnBoxes>>>,
}

impl PreparedCheck<'_> {
    /// Finds bounds of the parts at these poses, one for each part of the scene, in the first `rows` of four
    /// rows. Then each of these can be asked for.
    ///
    /// # Panics
    /// Panics for more than four rows.
    pub fn place(&self, poses: &[FourPoses], rows: usize, scratch: &mut RowScratch) {
        assert!(rows <= ROWS, "{rows} rows");
        in_lanes!(simd => self.place_in_lanes(simd, poses, (1 << rows) - 1, scratch));
    }

    /// Returns the pairs that are not clear in a row that has been placed at these poses, in order of their
    /// ids. If `ends_at_clash`, none comes after the first that clashes or meets.
    ///
    /// # Errors
    /// [`CheckError::OutOfRange`] for a part that cannot be posed.
    pub fn at(
        &self,
        (row, poses): (usize, &[FourPoses]),
        ends_at_clash: bool,
        scratch: &mut RowScratch,
    ) -> Result<Vec<PosedPair>, CheckError> {
        let (places, RowBounds { poses, turned }) = scratch.begin(row, poses)?;
        let near = places.iter().map(|&place| &self.prepared.pairs[place]);
        let near = near.filter(|pair| !self.is_clear(pair, poses, turned));
        Ok(self.listed(near.map(|pair| (pair.ids, None)), poses, ends_at_clash))
    }

    /// Returns a row that has been placed at these poses, with the pairs that bounds do not prove clear, for
    /// a device.
    ///
    /// # Errors
    /// [`CheckError::OutOfRange`] for a part that cannot be posed.
    pub fn near(
        &self,
        (row, poses): (usize, &[FourPoses]),
        scratch: &mut RowScratch,
    ) -> Result<NearRow, CheckError> {
        let (places, RowBounds { poses, turned }) = scratch.begin(row, poses)?;
        let near = places.iter().map(|&place| &self.prepared.pairs[place]);
        let near = near.filter(|pair| !self.is_clear(pair, poses, turned));
        let pairs: Vec<_> = near.map(|pair| (pair.ids, None)).collect();
        let poses = if pairs.is_empty() { Vec::new() } else { poses.clone() };
        Ok(NearRow { poses, pairs })
    }

    /// Returns what [`PreparedCheck::at`] does, of a row that a device has searched, or not.
    pub fn decide(&self, row: NearRow, ends_at_clash: bool) -> Vec<PosedPair> {
        self.listed(row.pairs.into_iter(), &row.poses, ends_at_clash)
    }

    /// Returns the search of rows on a device, if the strategy has one.
    pub fn on_device(&self) -> Option<RowsOnDevice<'_>> {
        let device = self.prepared.request.strategy.device()?;
        Some(RowsOnDevice::new(self, self.bodies.all_pairs(Some(device))))
    }

    /// Decides pairs that bounds do not prove clear, each with what a device has found of its contacts, and
    /// returns the listed ones, merged with the standing ones.
    fn listed(
        &self,
        near: impl Iterator<Item = ([PartId; 2], Option<Touching>)>,
        poses: &[Pose],
        ends_at_clash: bool,
    ) -> Vec<PosedPair> {
        let PreparedScene { scene, request, .. } = self.prepared;
        let mut standing = self.standing.iter().peekable();
        let mut listed: Vec<PosedPair> = Vec::new();
        let to = |part: usize| self.moved(part, poses);
        let mut bodies: Option<Box<dyn MovedBodies>> = None;
        for (ids, touching) in near {
            while let Some(pair) = standing.next_if(|pair| pair.ids < ids) {
                listed.push(pair.clone());
            }
            if ends_at_clash && listed.last().is_some_and(clashes) {
                break;
            }
            let bodies = bodies.get_or_insert_with(|| self.bodies.moved(&self.moving, &to));
            let pair_request = request_of(scene, request, ids);
            let found = bodies.ask(ids.map(PartId::index), |pair| decide(ids, pair, &pair_request, touching));
            if found.verdict != Verdict::Clear {
                listed.push(found);
            }
        }
        listed.extend(standing.cloned());
        if ends_at_clash && let Some(first) = listed.iter().position(clashes) {
            listed.truncate(first + 1);
        }
        listed
    }

    /// Returns what two parts answer at poses of their own. One or both may move.
    ///
    /// # Errors
    /// [`CheckError::OutOfRange`] for a part that cannot be posed.
    pub(super) fn ask_at<R>(
        &self,
        ids: [PartId; 2],
        poses: [Pose; 2],
        ask: impl FnOnce(&dyn StaticPair) -> R,
    ) -> Result<R, CheckError> {
        let ids = ids.map(PartId::index);
        let [a, b] = [0, 1].map(|side| self.prepared.around(ids[side], &poses[side]));
        let around = [a?, b?];
        let to = |part: usize| {
            let side = usize::from(part != ids[0]);
            (poses[side], PosedBounds::Around(around[side]))
        };
        let places = [ids[0].min(ids[1]), ids[0].max(ids[1])];
        Ok(self.bodies.moved(&places, &to).ask(ids, ask))
    }

    /// Finds balls around the parts, and the pairs that these do not prove clear, in the rows of a mask.
    #[inline(always)]
    fn place_in_lanes<S: Simd>(
        &self,
        simd: S,
        poses: &[FourPoses],
        rows: u32,
        RowScratch { balls, refused, near, .. }: &mut RowScratch,
    ) {
        balls.resize_with(poses.len(), || None);
        *refused = Default::default();
        near.iter_mut().for_each(Vec::clear);
        for (part, at) in poses.iter().enumerate() {
            if !self.prepared.moves[part] {
                balls[part] = self.still[part];
                continue;
            }
            let mut in_range = 0;
            if let Some(still) = &self.still[part] {
                let balls = balls[part].get_or_insert(*still);
                *balls = self.bodies.body(part).balls_at(simd, at);
                in_range = balls.in_range();
            }
            if rows & !in_range != 0 {
                self.refuse_out_of_range((part, at), rows & !in_range, refused);
            }
        }
        for (place, pair) in self.prepared.pairs.iter().enumerate() {
            let (a, b) = (pair.ids[0].index(), pair.ids[1].index());
            let (Some(of_a), Some(of_b)) = (&balls[a], &balls[b]) else { unreachable!("it is in a pair") };
            let mut open = rows & !of_a.whole.farther(simd, &of_b.whole, pair.reach);
            if open != 0 {
                let (body, other) = (self.bodies.body(a), self.bodies.body(b));
                let [of_a, of_b] = [(&poses[a], of_a), (&poses[b], of_b)];
                open &= !body.beyond_balls(simd, of_a, (other, of_b), (pair.reach, open));
            }
            while open != 0 {
                near[open.trailing_zeros() as usize].push(place);
                open &= open - 1;
            }
        }
    }

    /// Refuses the rows of a mask in which a part is out of range, unless an earlier part is.
    #[inline(never)]
    fn refuse_out_of_range(
        &self,
        (part, poses): (usize, &FourPoses),
        rows: u32,
        refused: &mut [Option<CheckError>; ROWS],
    ) {
        for (lane, refused) in refused.iter_mut().enumerate() {
            let pose = poses.get(lane);
            let is_asked = rows & 1 << lane != 0 && refused.is_none();
            if is_asked && !pose.keeps_in_range(self.prepared.extents[part].largest) {
                *refused = self.prepared.around(part, &pose).err();
            }
        }
    }

    /// Returns the pose of a part that moves, with a box around it. The parts must have been placed.
    fn moved(&self, part: usize, poses: &[Pose]) -> (Pose, PosedBounds) {
        let around = self.prepared.around(part, &poses[part]).expect("placed poses are in range");
        (poses[part], PosedBounds::Around(around))
    }

    /// True only if boxes of two parts, whose balls are near, prove that the pair is clear. Beyond the ball
    /// of a part is nothing that an open component of it might hold; beyond its box there may be.
    fn is_clear(&self, pair: &AskedPair, poses: &[Pose], turned: &mut [Option<Box<PosedOwnBoxes>>]) -> bool {
        let [a, b] = pair.ids.map(PartId::index);
        let PreparedScene { moves, .. } = self.prepared;
        for part in [a, b].into_iter().filter(|&part| moves[part]) {
            turned[part]
                .get_or_insert_with(|| Box::new(self.bodies.body(part).own_boxes().posed(&poses[part])));
        }
        let turned = |part: usize| match &turned[part] {
            Some(turned) => turned,
            None => self.bodies.body(part).posed_own_boxes(),
        };
        let may_hold = |outer: usize, inner: usize| {
            let [shells, other] = [outer, inner].map(|part| self.bodies.body(part));
            shells.may_hold_at(turned(outer), other, &poses[inner], &turned(inner).whole, |_| false)
        };
        turned(a).whole.is_farther(&turned(b).whole, pair.reach)
            && (!(may_hold(a, b) || may_hold(b, a)) || self.is_apart(pair, poses))
    }

    /// True if boxes along the axes of the world prove that a pair is clear.
    fn is_apart(&self, pair: &AskedPair, poses: &[Pose]) -> bool {
        let PreparedScene { boxes, moves, .. } = self.prepared;
        let around = |part: usize| match moves[part] {
            true => self.prepared.around(part, &poses[part]).ok(),
            false => Some(boxes[part]),
        };
        let [a, b] = pair.ids.map(|part| around(part.index()));
        a.zip(b).is_some_and(|(a, b)| apart(&a, &b, pair.reach))
    }
}

/// True for a pair at which a search for a clash may end.
fn clashes(pair: &PosedPair) -> bool {
    pair.verdict <= Verdict::Meets
}

/// Decides a pair as a check does, from what a device has found of its contacts, if it has searched.
fn decide(
    ids: [PartId; 2],
    pair: &dyn StaticPair,
    request: &CheckRequest,
    touching: Option<Touching>,
) -> PosedPair {
    let contacts = match touching {
        Some(Touching::Nowhere) => Vec::new(),
        Some(Touching::At(contacts)) => contacts,
        found @ (None | Some(Touching::Somewhere)) => {
            if !one_contact_says_all(pair.bodies(), request) {
                pair.contacts(&mut Work::default())
            } else if found.is_some() || pair.touches(&mut Work::default()) {
                let (contained, depth, depth_unknown) = (Containment::None, None, None);
                let verdict = Verdict::Meets;
                return PosedPair { ids, verdict, distance: 0.0, contained, depth, depth_unknown };
            } else {
                Vec::new()
            }
        }
    };
    decide_without_places(ids, pair, Known::of(contacts), request, &mut StageWork::default()).into()
}

/// True if the request needs no depth and the two parts cannot cross.
pub(super) fn one_contact_says_all([a, b]: [&PosedModel; 2], request: &CheckRequest) -> bool {
    request.depth == DepthDetail::None && !(a.has_open() && b.has_open())
}

/// The box of a mesh in its own frame.
struct Extent {
    own: Obb,
    largest: f64,
}

impl Extent {
    fn of(vertices: &[DVec3]) -> Self {
        let own = Obb::around(vertices.iter().copied(), Obb::COORDINATE_AXES);
        Self { own, largest: largest_coordinate(vertices) }
    }

    /// Returns a box around the posed vertices; `None` if some of them may be beyond 2^200.
    fn around(&self, pose: &Pose) -> Option<Aabb> {
        let is_admissible = pose.keeps_in_range(self.largest);
        is_admissible.then(|| world_box::around(&self.own, pose, world_box::margin(pose, self.largest)))
    }
}
