//! The near pairs of bodies, kept from frame to frame with what is known about each.

use super::{Bodies, REMOVED};
use crate::broad::apart;
use crate::broad::frames::{BroadWork, Frames};
use crate::broad::grid::Grid;
use crate::broad::method::BroadPhase;
use crate::bvh::kind::types::Kind;
use crate::pair_memory::{PairMemory, PairWork};
use crate::posed_mesh::PosedMesh;
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::hull::filter::HullFilter;
use closefit_geometry::ids::{BodyId, PartId, to_u32};
use closefit_geometry::parallel;
use closefit_geometry::pool::on_threads;

/// Pairs of bodies that may meet and are no farther apart than `reach`, judging by boxes and spheres.
pub(super) struct NearPairs<K: Kind> {
    pub method: BroadPhase,
    reach: f64,
    /// False when some body has changed since the last update.
    pub current: bool,
    /// The grid of moving bodies.
    grid: Grid,
    /// The frames of another broad phase, with this reach.
    frames: Option<Frames>,
    /// The filter by hulls of the pairs' memories.
    pub hulls: HullFilter,
    pub pairs: Vec<NearPair<K>>,
    /// The work of all searches for near pairs so far.
    pub broad: BroadWork,
    /// Number of questions about pairs.
    pub asked: u64,
    /// The work on pairs that are no longer near.
    work: PairWork,
}

pub(super) struct NearPair<K: Kind> {
    pub bodies: [BodyId; 2],
    pub memory: PairMemory<K>,
}

impl<K: Kind> NearPairs<K> {
    pub fn new(method: BroadPhase) -> Self {
        Self {
            method,
            reach: 0.0,
            current: false,
            grid: Grid::default(),
            frames: None,
            hulls: HullFilter::default(),
            pairs: Vec::new(),
            broad: BroadWork { method, ..BroadWork::default() },
            asked: 0,
            work: PairWork::default(),
        }
    }

    /// Sets the filter by hulls of all memories, and clears them.
    pub fn set_hulls(&mut self, hulls: HullFilter) {
        self.hulls = hulls;
        self.work = self.work();
        self.pairs.iter_mut().for_each(|pair| pair.memory = PairMemory::with_hulls(hulls));
    }

    /// Returns the work on all pairs so far.
    pub fn work(&self) -> PairWork {
        let mut work = self.work;
        self.pairs.iter().for_each(|pair| work += pair.memory.work());
        work
    }

    /// Finds the near pairs of bodies that may meet. Pairs that were near before keep their memory.
    ///
    /// A pair left out is farther apart than the reach d even after rounding: its boxes, widened by at least
    /// 64 EPSILON of their largest coordinate, are more than d apart, and d is at most twice that coordinate.
    /// Spheres are compared with more than d.
    fn update(&mut self, bodies: &mut Bodies<K>, reach: f64) {
        if self.current && self.reach == reach {
            return;
        }
        let mut near = match self.method {
            _ if self.compares_all(bodies) => self.near_among_few(bodies, reach),
            BroadPhase::RecursiveGrid => self.near(bodies, reach),
            _ => self.near_among_all(bodies, reach),
        };
        if bodies.some_never_meet() {
            near.retain(|&[a, b]| bodies.may_meet(a, b));
        }
        let mut before = std::mem::take(&mut self.pairs).into_iter().peekable();
        for bodies in near {
            while let Some(gone) = before.next_if(|pair| pair.bodies < bodies) {
                self.work += gone.memory.work();
            }
            let known = before.next_if(|pair| pair.bodies == bodies);
            let memory = || PairMemory::with_hulls(self.hulls);
            self.pairs.push(known.unwrap_or_else(|| NearPair { bodies, memory: memory() }));
        }
        before.for_each(|gone| self.work += gone.memory.work());
        (self.reach, self.current) = (reach, true);
    }

    /// True when all pairs of bodies are looked at sooner than a grid is made. Other broad phases are never
    /// replaced, since somebody has chosen them.
    fn compares_all(&self, bodies: &Bodies<K>) -> bool {
        self.method == BroadPhase::RecursiveGrid && bodies.are_few()
    }

    /// Returns the near pairs of few bodies, sorted, by looking at all pairs that are not both fixed.
    fn near_among_few(&mut self, bodies: &Bodies<K>, reach: f64) -> Vec<[BodyId; 2]> {
        let (mut near, mut box_tests) = (Vec::new(), 0);
        for (a, one) in bodies.present() {
            let others = bodies.present().skip_while(|(b, _)| *b <= a);
            for (b, other) in others.filter(|(_, other)| !(one.fixed && other.fixed)) {
                box_tests += 1;
                if !apart(&one.bounds, &other.bounds, reach) {
                    near.push([a, b]);
                }
            }
        }
        self.broad += BroadWork { method: self.method, frames: 1, box_tests, ..BroadWork::default() };
        near
    }

    /// Returns the near pairs, sorted, without looking at fixed bodies that have no moving one near them.
    fn near(&mut self, bodies: &mut Bodies<K>, reach: f64) -> Vec<[BodyId; 2]> {
        let Bodies { all, moving, fixed, .. } = bodies;
        let body = |i: usize| all[moving[i].index()].as_ref().expect(REMOVED);
        let (among, tests) = self.grid.pairs(moving.len(), |i| body(i).bounds, reach);
        let mut near: Vec<[BodyId; 2]> =
            among.into_iter().map(|(a, b)| [moving[a.index()], moving[b.index()]]).collect();
        let (with_fixed, visits) =
            fixed.ask_each(moving.len(), |fixed, i, found| body(i).near(fixed, reach, found));
        self.broad += BroadWork {
            method: BroadPhase::RecursiveGrid,
            frames: 1,
            box_tests: tests + visits.box_tests,
            visits,
            ..BroadWork::default()
        };
        near.extend(with_fixed.into_iter().map(|(i, id)| {
            let (a, b) = (moving[i], BodyId(id));
            [a.min(b), a.max(b)]
        }));
        near.sort_unstable();
        near
    }

    /// Returns the near pairs, sorted, by a broad phase that looks at all bodies.
    fn near_among_all(&mut self, bodies: &Bodies<K>, reach: f64) -> Vec<[BodyId; 2]> {
        let there: Vec<_> = bodies.present().collect();
        let boxes: Vec<Aabb> = there.iter().map(|(_, body)| body.bounds).collect();
        if self.reach != reach {
            self.frames = None;
        }
        let frames = self.frames.get_or_insert_with(|| Frames::new(self.method, reach));
        let frame = frames.next(&boxes).expect("the number of pairs is not limited");
        let moves = |(a, b): (PartId, PartId)| !(there[a.index()].1.fixed && there[b.index()].1.fixed);
        let near = frame.near_pairs(0..to_u32(boxes.len()), moves);
        self.broad += frame.work();
        near.into_iter().map(|(a, b)| [there[a.index()].0, there[b.index()].0]).collect()
    }

    /// Returns the near pairs, sorted.
    pub fn of(&mut self, bodies: &mut Bodies<K>, reach: f64) -> Vec<[BodyId; 2]> {
        self.find(bodies, reach);
        self.pairs.iter().map(|pair| pair.bodies).collect()
    }

    /// Finds the near pairs if bodies have changed, on this thread if there are few bodies: to wake others
    /// takes longer.
    pub fn find(&mut self, bodies: &mut Bodies<K>, reach: f64) {
        if self.compares_all(bodies) {
            self.update(bodies, reach);
        } else {
            on_threads(|| self.update(bodies, reach));
        }
    }

    /// Queries every near pair, in a task of its own if there are many. Returns the results in the order of
    /// the pairs.
    pub fn ask<T: Send>(
        &mut self,
        bodies: &mut Bodies<K>,
        reach: f64,
        question: impl Fn(&mut PairMemory<K>, &PosedMesh<'_, K>, &PosedMesh<'_, K>) -> Option<T> + Sync,
    ) -> Vec<([BodyId; 2], T)> {
        self.find(bodies, reach);
        self.asked += self.pairs.len() as u64;
        let bodies = &*bodies;
        let found = ask_each(&mut self.pairs, |pair| {
            let [a, b] = pair.bodies.map(|id| bodies.body(id).posed());
            question(&mut pair.memory, &a, &b).map(|found| (pair.bodies, found))
        });
        found.into_iter().flatten().collect()
    }
}

/// Asks about pairs, each in a task of its own if there are many. Returns the answers in the order of the
/// pairs.
pub(super) fn ask_each<K: Kind, T: Send>(
    pairs: &mut [NearPair<K>],
    ask: impl Fn(&mut NearPair<K>) -> T + Sync,
) -> Vec<T> {
    if pairs.len() <= ON_THIS_THREAD {
        return pairs.iter_mut().map(ask).collect();
    }
    parallel::map_owned(pairs.iter_mut().collect(), 1, |_, pair| ask(pair))
}

/// The most pairs that are queried on the calling thread.
const ON_THIS_THREAD: usize = 2;
