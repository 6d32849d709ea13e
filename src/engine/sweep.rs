//! Sweeps all pairs of parts over a motion.

use std::cmp::Reverse;
use std::ops::Range;
use std::sync::Mutex;

use glam::DMat3;

use super::candidates::Candidates;
use super::clock::Clock;
use super::device::{settled, workload};
use super::driver::Driver;
use super::hulls::Hulls;
use super::journal::{NoJournal, PairJournal};
use super::ledger::{Counters, Ledger};
use super::models::Models;
use super::pair_request::{is_candidate, largest_reach, request_of};
use super::posed::admissible;
use super::{CheckError, MOST_CELLS, Observer, PosedBoxes, Unobserved, most_kept, take_scene, too_many_kept};
use crate::broad::Pairs;
use crate::broad::counts::Counts;
use crate::broad::frames::{BroadWork, Frame, Frames};
use crate::bvh::moving::MovingShapes;
use crate::bvh::strategy::Unavailable;
use crate::bvh::trees::StretchesOfAll;
use crate::continuous::known_apart::KnownApart;
use crate::gpu::Asked;
use crate::narrow::{Work, thread_clock};
use crate::query::Verdict;
use crate::query::intervals::{MOST_INTERVALS, TooManyIntervals, intervals};
use crate::query::moving_pair::{MovingPairRecord, SweepRequest, decide, finer};
use crate::query::pair_sweep::PairSweep;
use crate::query::stretches::{AskedPair, known_apart};
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::ids::PartId;
use closefit_geometry::math::pose::Pose;
use closefit_geometry::memory::MemoryAccount;
use closefit_geometry::mesh::topology::Repairs;
use closefit_geometry::motion::FrameId;
use closefit_geometry::motion::cells::Stretch;
use closefit_geometry::motion::pair::{PairMotion, PlacedPart};
use closefit_geometry::motion::swept::SweptPart;
use closefit_geometry::parallel;
use closefit_geometry::scene::pair_rules::{AtRest, PairCounts};
use closefit_geometry::scene::{Part, Scene};

/// The reason that the ledger gives for excluding pairs at rest relative to each other.
pub const NO_RELATIVE_MOTION: &str = "no relative motion";

/// Number of equal stretches of time into which the broad phase cuts a sweep. Candidate pairs are those whose
/// swept boxes are near each other in one of them.
const STRETCHES: u32 = 64;

/// Number of spans that a device gets together: many, but few enough to keep memory bounded.
const SPANS_TOGETHER: usize = 4096;

/// Approximate number of distances in a trace.
const SAMPLES: f64 = 1000.0;

/// The outcome of a sweep.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SweepResult {
    /// The settings used: all defaults resolved, and the device, if one was opened.
    pub request: SweepRequest,
    /// The count of all pairs by outcome.
    pub ledger: Ledger,
    /// Every pair that is not clear, sorted by ids.
    pub pairs: Vec<MovingPairRecord>,
    /// The repairs to each mesh of the scene.
    pub repairs: Vec<Repairs>,
    /// Work done.
    pub counters: Counters,
}

/// The reason why a sweep has no result.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SweepError {
    /// An error that a check has too.
    #[error(transparent)]
    Check(#[from] CheckError),
    /// The kind of tree does not have the requested test of moving boxes.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
    /// The end is not after the start although a part moves, or a time is not finite.
    #[error("the sweep from {from} to {to} has no duration: the end must be after the start")]
    NoTime {
        /// The start.
        from: f64,
        /// The end.
        to: f64,
    },
    /// Time in f64 cannot be divided this finely.
    #[error("a precision of {} is too fine for f64 here: the smallest possible is {smallest:e}", plain(*.asked))]
    Precision {
        /// The requested precision.
        asked: f64,
        /// The smallest precision possible for all pairs, to three digits.
        smallest: f64,
    },
    /// The motion of a pair has more cells than it may.
    #[error("'{}' and '{}' move so far that a precision of {precision:e} cuts their motion into {cells:e} cells, more than {most:e}, which might take long", .names[0], .names[1])]
    TooManyCells {
        /// The names of the two parts.
        names: [String; 2],
        /// The precision.
        precision: f64,
        /// The number of cells, to three digits.
        cells: f64,
        /// The largest number, to three digits.
        most: f64,
    },
    /// A pair comes near more often than can be listed.
    #[error("'{}' and '{}' come near each other in more than {MOST_INTERVALS} intervals: a larger precision joins them", .names[0], .names[1])]
    TooManyIntervals {
        /// The names of the two parts.
        names: [String; 2],
    },
}

/// Returns the times of the first and the last keyframe; `None` if no part moves.
pub fn time_range(scene: &Scene) -> Option<[f64; 2]> {
    let moves = |part: &Part| part.frame.is_some_and(|frame| scene.frames.mover(frame).is_some());
    scene.frames.time_range().filter(|_| scene.parts.iter().any(moves))
}

/// Returns the diagonal of the box of all parts at a time.
///
/// # Errors
/// [`CheckError::OutOfRange`] if a part cannot be posed.
pub fn diagonal_at(scene: &Scene, time: f64) -> Result<f64, CheckError> {
    Ok(PosedBoxes::new(scene, Some(time))?.diagonal())
}

/// Decides every pair of a scene over a motion. The result does not depend on the number of threads.
///
/// # Errors
/// [`SweepError`].
pub fn sweep(
    scene: &Scene,
    request: &SweepRequest,
    observer: &dyn Observer,
) -> Result<SweepResult, SweepError> {
    check_times(scene, request)?;
    sweep_posed(scene, &PosedBoxes::new(scene, Some(request.from))?, request, observer, &NoJournal)
}

/// Decides every pair of a scene whose parts have been posed at the start, but those that a journal knows or
/// leaves to others.
///
/// # Errors
/// [`SweepError`].
pub fn sweep_posed(
    scene: &Scene,
    starts: &PosedBoxes,
    request: &SweepRequest,
    observer: &dyn Observer,
    journal: &dyn PairJournal<MovingPairRecord>,
) -> Result<SweepResult, SweepError> {
    request.strategy.check_moving(&request.method)?;
    let memory = MemoryAccount::new(request.memory);
    take_scene(&memory, scene).map_err(CheckError::from)?;
    let parts = || format!("the motions of {} parts", scene.parts.len());
    let part = size_of::<MovingPart>() + size_of::<SweptPart>();
    memory.take(scene.parts.len(), part, parts).map_err(CheckError::from)?;
    Sweep { scene, starts, request, memory: &memory, observer, journal }.run()
}

/// A sweep of a scene.
#[derive(Clone, Copy)]
struct Sweep<'a> {
    scene: &'a Scene,
    starts: &'a PosedBoxes,
    request: &'a SweepRequest,
    memory: &'a MemoryAccount,
    observer: &'a dyn Observer,
    journal: &'a dyn PairJournal<MovingPairRecord>,
}

impl Sweep<'_> {
    fn run(self) -> Result<SweepResult, SweepError> {
        let Self { scene, request, memory, observer, journal, .. } = self;
        let mut clock = Clock::start();
        let moving = MovingParts::of(scene, self.starts);
        let mut candidates = moving.candidates(request, memory, observer)?;
        journal.begin(candidates.total);
        let broad_s = clock.lap();

        // The whole run decides, whatever its share here.
        let work = workload(Asked::Sweep, scene, candidates.total, &candidates.is_in_pair);
        let strategy = settled(request.strategy, &work, observer);
        let request = &SweepRequest { strategy, ..*request };
        let only_settled = candidates.restrict(journal)?;
        let models = moving.models(&candidates.is_in_pair, request, memory, observer)?;
        let hulls = moving.hulls(&candidates.is_in_pair, request, memory)?;
        let build_s = clock.lap();
        let hull_bytes = hulls.bytes() as u64;
        let mut counters =
            Counters { broad_s, hull_bytes, ..Counters::of(scene, strategy.tree(), &models, build_s) };

        let (ledger, pairs) =
            Sweep { request, ..self }.decide(&moving, (&models, &hulls), &candidates, &mut counters)?;
        counters.broad = moving.broad_work();
        counters.work.broad.box_tests = counters.broad.box_tests;
        let repairs = models.repairs(scene, &only_settled, request.winding);
        drop((models, hulls, candidates));
        drop(moving);
        counters.decide_s = clock.lap();
        Ok(SweepResult { request: *request, ledger, pairs, repairs, counters })
    }
}

impl Sweep<'_> {
    fn decide(
        &self,
        moving: &MovingParts,
        (models, hulls): (&Models, &Hulls),
        candidates: &Candidates,
        counters: &mut Counters,
    ) -> Result<(Ledger, Vec<MovingPairRecord>), SweepError> {
        let Self { scene, request, memory, observer, journal, .. } = *self;
        let overlaps = request.strategy.device().is_some();
        let driver = Driver { scene, memory, observer, journal, overlaps };
        let near_at_start = driver.look_ahead(candidates, |ids, work| {
            let (shapes, motion) = (moving.shapes(ids, models), moving.motion(ids));
            let sweep =
                moving.pair_sweep(ids, &*shapes, &motion, request).expect("the precision was checked");
            sweep.is_near(sweep.from(), &mut work.continuous)
        })?;
        counters.work += near_at_start;
        let counted = moving.counted();
        let mut stretches = models.trees.stretches(request.strategy.device());
        let prepare =
            |near: &[(PartId, PartId)]| Ok(moving.known_apart(&mut *stretches, near, models, request));
        let refused = Mutex::new(None);
        let found = driver.run(candidates, counted, counters, prepare, |ids, (known, work)| {
            let (shapes, motion) = (moving.shapes(ids, models), moving.motion(ids));
            let sweep =
                moving.pair_sweep(ids, &*shapes, &motion, request).expect("the precision was checked");
            let (mut searched, start) = (sweep.searched(), thread_clock::now());
            *searched.work.continuous += work;
            let request = &request_of(scene, request, ids);
            let sweep = sweep.with_hulls(hulls.of_pair(ids));
            let (precision, sweep) = match finer(&sweep, request.tolerance, &mut searched.work.continuous) {
                Some((precision, finer)) => (Some(precision), finer),
                // What is known is about the cells of the request's precision.
                None => (None, sweep.with_known(known)),
            };
            let mut record = MovingPairRecord { precision, ..decide(ids, &sweep, request, &mut searched) };
            if request.intervals && record.verdict != Verdict::Clear {
                match intervals(&sweep, [request.clearance, request.tolerance], &mut searched) {
                    Ok(found) => record.intervals = Some(Box::new(found)),
                    Err(TooManyIntervals) => {
                        refuse(&refused, ids);
                        return None;
                    }
                }
            }
            searched.count_hulls();
            searched.work.add_rest_to_continuous(thread_clock::now() - start);
            Some((record, searched.work))
        });
        match refused.into_inner().expect("no panic") {
            None => Ok(found?),
            Some(ids) => {
                let names = ids.map(|id: PartId| scene.parts[id.index()].name.to_string());
                Err(SweepError::TooManyIntervals { names })
            }
        }
    }
}

/// Keeps the first pair, by its ids, that is refused.
fn refuse(refused: &Mutex<Option<[PartId; 2]>>, ids: [PartId; 2]) {
    let mut first = refused.lock().expect("no panic");
    *first = Some(first.map_or(ids, |first| first.min(ids)));
}

/// Returns the distance between two parts over time, as rows of time and distance in order of time. The times
/// are the start, the end, all keyframes of both parts, and the middles of about a thousand cells, evenly
/// spaced.
///
/// # Errors
/// [`SweepError`].
pub fn distances_over_time(
    scene: &Scene,
    pair: [PartId; 2],
    request: &SweepRequest,
) -> Result<Vec<[f64; 2]>, SweepError> {
    let [a, b] = pair.map(|id| scene.parts[id.index()].clone());
    let [mesh_a, mesh_b] = [&a, &b].map(|part| scene.meshes[part.mesh.index()].clone());
    let of = |part: Part, mesh: u32| Part { mesh: closefit_geometry::ids::MeshId(mesh), ..part };
    let two = Scene {
        meshes: vec![mesh_a, mesh_b],
        parts: vec![of(a, 0), of(b, 1)],
        frames: scene.frames.clone(),
        ..Scene::default()
    };
    let ids = [PartId(0), PartId(1)];
    check_times(&two, request)?;
    let moving = MovingParts::of(&two, &PosedBoxes::new(&two, Some(request.from))?);
    match moving.unfit(&[(ids[0], ids[1])], request) {
        Some(Unfit::TooLong { .. }) if request.most_cells.is_none() => {}
        Some(unfit) => return Err(moving.refused(request, unfit)),
        None => {}
    }
    let memory = MemoryAccount::new(request.memory);
    let models = moving.models(&[true, true], request, &memory, &Unobserved)?;
    let (shapes, motion) = (moving.shapes(ids, &models), moving.motion(ids));
    let sweep = moving.pair_sweep(ids, &*shapes, &motion, request).expect("the precision was checked");
    let mut times = vec![sweep.to()];
    for span in 0..sweep.spans() {
        let cells = sweep.cells(span);
        let wanted = SAMPLES * ((cells.to - cells.from) / (request.to - request.from));
        let level = (0..cells.level).find(|&level| (1u64 << level) as f64 >= wanted).unwrap_or(cells.level);
        times.push(cells.from);
        times.extend((0..1u64 << level).map(|index| {
            let rest = cells.level - level;
            cells.middle(Stretch { level: cells.level, index: (index << rest) + ((1 << rest) >> 1) })
        }));
    }
    times.sort_unstable_by(f64::total_cmp);
    times.dedup();
    Ok(parallel::map_items(&times, 1, |&time| [time, sweep.distance(time, &mut Work::default())]))
}

/// Refuses a sweep without time to move in.
///
/// # Errors
/// [`SweepError::NoTime`].
pub fn check_times(scene: &Scene, request: &SweepRequest) -> Result<(), SweepError> {
    let &SweepRequest { from, to, .. } = request;
    let in_order = if time_range(scene).is_some() { from < to } else { from <= to };
    if in_order && from.is_finite() && to.is_finite() { Ok(()) } else { Err(SweepError::NoTime { from, to }) }
}

/// All parts of a scene as they move.
struct MovingParts<'a> {
    scene: &'a Scene,
    parts: Vec<MovingPart<'a>>,
    /// The work of finding candidate pairs, so far.
    broad: Mutex<BroadWork>,
}

/// A part as it moves.
struct MovingPart<'a> {
    placed: PlacedPart,
    /// The last moving frame above the part. Parts that share it are at rest relative to each other.
    moved_by: Option<FrameId>,
    boxes: Boxes<'a>,
}

/// The reason why a precision does not fit a pair.
#[derive(Clone, Copy)]
enum Unfit {
    /// Time in f64 cannot be divided so finely.
    TooFine { smallest: f64 },
    /// The motion of a pair has more cells than it may.
    TooLong { cells: u64, ids: [PartId; 2] },
}

impl Unfit {
    /// Returns the worse of two: the coarsest precision needed, or else the most cells, of several the first
    /// pair's.
    fn worse(self, other: Self) -> Self {
        let is_worse = match (self, other) {
            (Self::TooFine { smallest }, Self::TooFine { smallest: others }) => others > smallest,
            (Self::TooLong { .. }, Self::TooFine { .. }) => true,
            (Self::TooFine { .. }, Self::TooLong { .. }) => false,
            (Self::TooLong { cells, ids }, Self::TooLong { cells: others, ids: other_ids }) => {
                (Reverse(others), other_ids) < (Reverse(cells), ids)
            }
        };
        if is_worse { other } else { self }
    }
}

enum Boxes<'a> {
    Still(Aabb),
    Moving(Box<SweptPart<'a>>),
}

impl<'a> MovingParts<'a> {
    /// The parts of a scene, whose boxes at the start are known.
    fn of(scene: &'a Scene, starts: &PosedBoxes) -> Self {
        let moved_by = |part: &Part| part.frame.and_then(|frame| scene.frames.mover(frame));
        let moved_by: Vec<Option<FrameId>> = scene.parts.iter().map(moved_by).collect();
        // Instances share the extents of their mesh.
        let unplaced: Vec<(PlacedPart, Aabb)> = parallel::map_items(&scene.meshes, 1, |mesh| {
            let vertices = mesh.vertices();
            (PlacedPart::of(Pose::IDENTITY, None, vertices), Aabb::of(vertices.iter().copied()))
        });
        let parts = (scene.parts.iter().zip(&starts.boxes).zip(moved_by))
            .map(|((part, &bounds), moved_by)| {
                let &(placed, around) = &unplaced[part.mesh.index()];
                let placed = PlacedPart { pose: part.pose, frame: part.frame, ..placed };
                let boxes = match moved_by {
                    None => Boxes::Still(bounds),
                    Some(_) => Boxes::Moving(Box::new(SweptPart::new(&scene.frames, placed, &around))),
                };
                MovingPart { placed, moved_by, boxes }
            })
            .collect();
        Self { scene, parts, broad: Mutex::default() }
    }

    /// Returns the pairs in relative motion whose swept boxes come within their clearance + precision of each
    /// other at some time. For all other pairs `at_least` certainly exceeds the clearance.
    ///
    /// # Errors
    /// [`SweepError::Precision`] if some pair cannot have the precision; [`CheckError::OutOfRange`].
    fn candidates<'b>(
        &'b self,
        request: &'b SweepRequest,
        memory: &'b MemoryAccount,
        observer: &dyn Observer,
    ) -> Result<Candidates<'b>, SweepError> {
        let keep = |boxes: &[Aabb], (a, b)| {
            self.moved_by(a) != self.moved_by(b) && is_candidate(self.scene, request, boxes, (a, b))
        };
        let find = move |lower: Range<u32>, observer: &dyn Observer| {
            let mut near = Pairs::new();
            self.each_frame(request, memory, |frame, boxes| {
                near.extend(frame.near_pairs(lower.clone(), |pair| keep(boxes, pair)));
                near.sort_unstable();
                near.dedup();
                observer.advance();
            })?;
            Ok(near)
        };
        let count = |counts: &Counts| {
            self.each_frame(request, memory, |frame, boxes| frame.count(counts, |pair| keep(boxes, pair)))
        };
        let followed = (observer, u64::from(STRETCHES) + 1);
        let mut candidates = Candidates::new(self.parts.len(), count, find, followed)?;
        let (mut unfit, mut total) = (None, 0);
        candidates.for_each(|pairs| {
            total += pairs.len() as u64;
            unfit = unfit.into_iter().chain(self.unfit(pairs, request)).reduce(Unfit::worse);
            Ok(())
        })?;
        candidates.total = total;
        match unfit {
            None => Ok(candidates),
            Some(unfit @ Unfit::TooLong { .. }) if request.most_cells.is_none() => {
                observer.may_take_long(&self.refused(request, unfit).to_string());
                Ok(candidates)
            }
            Some(unfit) => Err(self.refused(request, unfit)),
        }
    }

    /// Calls `each` with the swept boxes of every stretch of time.
    fn each_frame(
        &self,
        request: &SweepRequest,
        memory: &MemoryAccount,
        mut each: impl FnMut(&Frame, &[Aabb]),
    ) -> Result<(), CheckError> {
        let &SweepRequest { from, to, .. } = request;
        let reach = largest_reach(self.scene, request);
        let time = |step: u32| match step {
            STRETCHES => to,
            _ => from + (to - from) * (f64::from(step) / f64::from(STRETCHES)),
        };
        let is_still = |part: &MovingPart| matches!(part.boxes, Boxes::Still(_));
        let mut frames = Frames::new(request.broad, reach)
            .keeping(most_kept(memory))
            .on(request.strategy.device())
            .with_fixed(self.parts.iter().map(is_still).collect());
        // The last stretch is the end itself, at the pose after any jump.
        let stretches = (0..STRETCHES).map(|step| (time(step), time(step + 1))).chain([(to, to)]);
        for (start, end) in stretches {
            let boxes =
                parallel::map(self.parts.len(), parallel::SMALL, |index| match &self.parts[index].boxes {
                    Boxes::Still(bounds) => Ok(*bounds),
                    Boxes::Moving(part) => {
                        let bounds = part.over(start, end);
                        admissible(index, &self.scene.parts[index], bounds.lo)?;
                        admissible(index, &self.scene.parts[index], bounds.hi)?;
                        Ok(bounds)
                    }
                });
            let boxes = boxes.into_iter().collect::<Result<Vec<Aabb>, CheckError>>()?;
            let frame = frames.next(&boxes).map_err(|_| too_many_kept(memory))?;
            each(&frame, &boxes);
            *self.broad.lock().expect("no panic") += frame.work();
        }
        Ok(())
    }

    /// Returns the work of finding candidate pairs, so far.
    fn broad_work(&self) -> BroadWork {
        *self.broad.lock().expect("no panic")
    }

    fn moved_by(&self, part: PartId) -> Option<FrameId> {
        self.parts[part.index()].moved_by
    }

    /// Counts all pairs. Those without relative motion are excluded unless the scene itself has a reason.
    fn counted(&self) -> PairCounts {
        let group = |part: &MovingPart| part.moved_by.map_or(0, |FrameId(frame)| frame + 1);
        let groups: Vec<u32> = self.parts.iter().map(group).collect();
        self.scene.count_pairs(Some(AtRest { groups: &groups, reason: NO_RELATIVE_MOTION }))
    }

    /// Returns the worst reason why the precision does not fit these pairs, if there is one.
    fn unfit(&self, pairs: &[(PartId, PartId)], request: &SweepRequest) -> Option<Unfit> {
        let unfit = |&(a, b): &(PartId, PartId)| match self
            .motion([a, b])
            .spans([request.from, request.to], request.precision)
        {
            Err(smallest) => Some(Unfit::TooFine { smallest }),
            Ok(spans) => {
                let cells = spans.iter().fold(0, |sum: u64, (_, cells)| sum.saturating_add(cells.count()));
                (cells > request.most_cells.unwrap_or(MOST_CELLS))
                    .then_some(Unfit::TooLong { cells, ids: [a, b] })
            }
        };
        let worse = |a: Option<Unfit>, b: Option<Unfit>| a.into_iter().chain(b).reduce(Unfit::worse);
        parallel::reduce(pairs.len(), parallel::SMALL, |at| unfit(&pairs[at]), worse).flatten()
    }

    fn refused(&self, request: &SweepRequest, unfit: Unfit) -> SweepError {
        let precision = request.precision;
        match unfit {
            Unfit::TooFine { smallest } => {
                SweepError::Precision { asked: precision, smallest: rounded_up(smallest) }
            }
            Unfit::TooLong { cells, ids } => SweepError::TooManyCells {
                names: ids.map(|id| self.scene.parts[id.index()].name.to_string()),
                precision: three_digits(precision),
                cells: three_digits(cells as f64),
                most: three_digits(request.most_cells.unwrap_or(MOST_CELLS) as f64),
            },
        }
    }

    fn motion(&self, ids: [PartId; 2]) -> PairMotion<'a> {
        PairMotion::new(&self.scene.frames, ids.map(|id| self.parts[id.index()].placed))
    }

    /// Builds the models of the parts that are in a pair.
    fn models(
        &self,
        is_in_pair: &[bool],
        request: &SweepRequest,
        memory: &MemoryAccount,
        observer: &dyn Observer,
    ) -> Result<Models, CheckError> {
        let how = (request.strategy, request.winding);
        let constant = |part| self.constant(part, request);
        Ok(Models::of(self.scene, is_in_pair, constant, how, memory, observer)?)
    }

    /// Builds the hulls of the parts that are in a pair, if the request uses them.
    fn hulls(
        &self,
        is_in_pair: &[bool],
        request: &SweepRequest,
        memory: &MemoryAccount,
    ) -> Result<Hulls, CheckError> {
        let constant = |part| self.constant(part, request);
        Ok(Hulls::of(request.hull, self.scene, is_in_pair, constant, memory)?)
    }

    /// Returns as much of the linear part of a part's pose as no motion changes: all of it for a part that
    /// does not move, and else the scale that its last moving joint has, and what is below.
    fn constant(&self, part: PartId, request: &SweepRequest) -> DMat3 {
        let &MovingPart { placed, moved_by, .. } = &self.parts[part.index()];
        let frames = &self.scene.frames;
        match placed.frame.zip(moved_by) {
            Some((frame, mover)) => frames.linear_below(mover, frame, request.from),
            None => placed.pose_at(frames, request.from).linear(),
        }
    }

    /// Returns, for each pair, what a device proves of each span of its motion before any search, and its
    /// work. The work for pairs that the device gets together counts as the work of the first. Without a
    /// device nothing is proven.
    fn known_apart(
        &self,
        device: &mut dyn StretchesOfAll,
        near: &[(PartId, PartId)],
        models: &Models,
        request: &SweepRequest,
    ) -> Vec<(Vec<KnownApart>, Work)> {
        let mut all = vec![(Vec::new(), Work::default()); near.len()];
        if request.strategy.device().is_none() {
            return all;
        }
        let motions = parallel::map_items(near, parallel::SMALL, |&(a, b)| self.motion([a, b]));
        let shapes: Vec<Box<dyn MovingShapes>> =
            near.iter().map(|&(a, b)| self.shapes([a, b], models)).collect();
        let mut begin = 0;
        while begin < near.len() {
            let (mut asked, mut spans) = (Vec::new(), 0);
            for ((&(a, b), shapes), motion) in
                near[begin..].iter().zip(&shapes[begin..]).zip(&motions[begin..])
            {
                let sweep =
                    self.pair_sweep([a, b], &**shapes, motion, request).expect("the precision was checked");
                spans += sweep.spans();
                let clearance = request_of(self.scene, request, [a, b]).clearance;
                asked.push(AskedPair { sweep, models: models.places([a, b]), clearance });
                if spans >= SPANS_TOGETHER {
                    break;
                }
            }
            let (known, work) = known_apart(device, &asked, request.method.boxes);
            all[begin].1 += work;
            for (slot, known) in all[begin..].iter_mut().zip(known) {
                slot.0 = known;
            }
            begin += asked.len();
        }
        all
    }

    /// Returns the shapes of two parts that have models.
    fn shapes<'b>(&'b self, ids: [PartId; 2], models: &'b Models) -> Box<dyn MovingShapes + 'b> {
        let mesh = |id: PartId| &*self.scene.meshes[self.scene.parts[id.index()].mesh.index()];
        models.trees.moving(models.places(ids), ids.map(mesh))
    }

    fn pair_sweep<'b>(
        &self,
        ids: [PartId; 2],
        shapes: &'b dyn MovingShapes,
        motion: &'b PairMotion<'b>,
        request: &SweepRequest,
    ) -> Result<PairSweep<'b>, f64> {
        let sweep = PairSweep::new(shapes, motion, [request.from, request.to], request.precision)?;
        let surfaces = ids.map(|id| self.scene.parts[id.index()].is_surface);
        Ok(sweep.by(request.method).declared(surfaces))
    }
}

/// Returns a number in scientific notation, but 0 as it is.
fn plain(x: f64) -> String {
    if x == 0.0 { "0".to_owned() } else { format!("{x:e}") }
}

/// Rounds up to three digits, which are easy to type.
fn rounded_up(x: f64) -> f64 {
    // Rounding to three digits takes off less than a hundredth.
    three_digits(x * 1.01)
}

fn three_digits(x: f64) -> f64 {
    format!("{x:.2e}").parse().unwrap_or(x)
}
