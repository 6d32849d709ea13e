//! Any broad phase, used in the same way: frame by frame, for all near pairs or a part of them.

use std::ops::{AddAssign, Range};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::counts::Counts;
use super::fixed::Fixed;
use super::grid::Grid;
use super::method::BroadPhase;
#[cfg(feature = "gpu")]
use super::on_device;
use super::recursive_grid::{RecursiveGrid, Shape, Visits};
use super::sorted_lists::{ListWork, SortedLists, TooManyPairs};
use super::{Pairs, apart, pair, sweep_and_prune};
use crate::gpu::Device;
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::ids::{PartId, to_u32};
use closefit_geometry::parallel;

/// Frames that follow each other. [`BroadPhase::Lists`] keeps its lists from one to the next, and grids
/// keep the grid of fixed boxes.
pub struct Frames {
    method: BroadPhase,
    reach: f64,
    most: usize,
    device: Option<Device>,
    fixed: Fixed,
    lists: Option<SortedLists>,
    grid: Option<RecursiveGrid>,
}

/// The boxes of one frame, ready for any number of queries for near pairs.
pub struct Frame<'a> {
    boxes: &'a [Aabb],
    fixed: &'a Fixed,
    reach: f64,
    ready: Ready<'a>,
    box_tests: AtomicU64,
    visits: Mutex<Visits>,
}

enum Ready<'a> {
    Sweep(sweep_and_prune::Frame<'a>),
    #[cfg(feature = "gpu")]
    Device(Box<on_device::Frame<'a>>),
    Grid(Grid),
    RecursiveGrid(Box<RecursiveGrid>),
    /// The grid of moving boxes, and the grid of fixed ones.
    AmongFixed(Moving, &'a RecursiveGrid),
    /// The near pairs, and the work on this frame.
    Lists(Pairs, ListWork),
    Brute,
}

/// The grid of moving boxes that are among fixed ones.
enum Moving {
    /// A uniform one, of the moving boxes in the order of their ids.
    Grid(Grid),
    /// A recursive one, of boxes by their ids.
    RecursiveGrid(Box<RecursiveGrid>),
}

/// The work of a broad phase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BroadWork {
    /// The broad phase that did it.
    pub method: BroadPhase,
    /// Number of frames.
    pub frames: u64,
    /// Number of boxes that keep their places from frame to frame.
    pub fixed: u64,
    /// Number of tests of two boxes; tests in lanes count eight.
    pub box_tests: u64,
    /// Sorted lists: ends that passed each other, along each axis.
    pub exchanges: [u64; 3],
    /// Recursive grid: the work of queries.
    pub visits: Visits,
    /// Recursive grid: its size in the last frame.
    pub shape: Shape,
}

impl AddAssign for BroadWork {
    fn add_assign(&mut self, other: Self) {
        self.method = other.method;
        self.frames += other.frames;
        self.fixed = other.fixed;
        self.box_tests += other.box_tests;
        self.exchanges = [0, 1, 2].map(|axis| self.exchanges[axis] + other.exchanges[axis]);
        self.visits += other.visits;
        self.shape = other.shape;
    }
}

impl Frames {
    /// No frames yet. Boxes are near if they are not apart by more than `reach` (0 or more).
    pub fn new(method: BroadPhase, reach: f64) -> Self {
        Self {
            method,
            reach,
            most: usize::MAX,
            device: None,
            fixed: Fixed::default(),
            lists: None,
            grid: None,
        }
    }

    /// Says which boxes keep their places in all frames. Pairs of two of them are left out: sweep and prune
    /// drops them, and the other methods do not look at them. With grids, what is fixed is in a recursive
    /// one.
    pub fn with_fixed(self, is_fixed: Vec<bool>) -> Self {
        Self { fixed: Fixed::new(is_fixed), ..self }
    }

    /// Sets the largest number of pairs that may be kept. Only [`BroadPhase::Lists`] keeps pairs.
    pub fn keeping(self, most: usize) -> Self {
        Self { most, ..self }
    }

    /// Sets the device, which does the work of [`BroadPhase::SweepAndPrune`] for many boxes.
    pub fn on(self, device: Option<Device>) -> Self {
        Self { device, ..self }
    }

    /// Prepares the boxes of the next frame (positions are part ids; their number may change).
    ///
    /// # Errors
    /// [`TooManyPairs`] if more would have to be kept than allowed.
    pub fn next<'a>(&'a mut self, boxes: &'a [Aabb]) -> Result<Frame<'a>, TooManyPairs> {
        let reach = self.reach;
        let ready = match self.method {
            BroadPhase::Grid | BroadPhase::RecursiveGrid if self.fixed.count > 0 => {
                let moving = if self.method == BroadPhase::Grid {
                    let (ids, mut grid) = (self.fixed.movers(), Grid::default());
                    grid.place(ids.len(), &|i| boxes[ids[i] as usize], reach);
                    Moving::Grid(grid)
                } else {
                    Moving::RecursiveGrid(Box::new(RecursiveGrid::of(&self.fixed.only(false, boxes))))
                };
                let of_fixed = || RecursiveGrid::of(&self.fixed.only(true, boxes));
                Ready::AmongFixed(moving, self.grid.get_or_insert_with(of_fixed))
            }
            BroadPhase::Lists => {
                let (near, work) = self.next_lists(boxes)?;
                Ready::Lists(near, work)
            }
            BroadPhase::SweepAndPrune => self.sweep(boxes),
            BroadPhase::Grid => {
                let mut grid = Grid::default();
                grid.place(boxes.len(), &|i| boxes[i], reach);
                Ready::Grid(grid)
            }
            BroadPhase::RecursiveGrid => Ready::RecursiveGrid(Box::new(RecursiveGrid::of(boxes))),
            BroadPhase::Brute => Ready::Brute,
        };
        let fixed = &self.fixed;
        Ok(Frame { boxes, fixed, reach, ready, box_tests: AtomicU64::new(0), visits: Mutex::default() })
    }

    /// Prepares a sweep on the device if there is one and it has not failed, otherwise on the CPU.
    fn sweep<'a>(&self, boxes: &'a [Aabb]) -> Ready<'a> {
        match self.device {
            #[cfg(feature = "gpu")]
            Some(device)
                if boxes.len() >= device.limits::<on_device::Limits>().from && device.failure().is_none() =>
            {
                Ready::Device(Box::new(on_device::Frame::new(device, device.limits(), boxes, self.reach)))
            }
            _ => Ready::Sweep(sweep_and_prune::Frame::new(boxes, self.reach)),
        }
    }

    /// Brings the lists up to date. Returns the near pairs, and the work on this frame.
    fn next_lists(&mut self, boxes: &[Aabb]) -> Result<(Pairs, ListWork), TooManyPairs> {
        let Self { fixed, reach, most, .. } = self;
        let (ordered, mut before) = (fixed.ordered(boxes), ListWork::default());
        let lists = match self.lists.take() {
            Some(mut lists) if fixed.count + lists.moving() == boxes.len() => {
                before = lists.work();
                lists.update(&ordered[fixed.count..])?;
                lists
            }
            _ => SortedLists::new(&ordered, fixed.count, *reach, *most)?,
        };
        let lists = self.lists.insert(lists);
        let ListWork { exchanges, box_tests } = lists.work();
        let exchanges = [0, 1, 2].map(|axis| exchanges[axis] - before.exchanges[axis]);
        let work = ListWork { exchanges, box_tests: box_tests - before.box_tests };
        Ok((self.fixed.pairs_of(lists.near()), work))
    }
}

impl Frame<'_> {
    /// Returns the near pairs that pass `keep` and whose lower id is in `lower`, sorted.
    pub fn near_pairs(&self, lower: Range<u32>, keep: impl Fn((PartId, PartId)) -> bool + Sync) -> Pairs {
        let keep = |near: (PartId, PartId)| !self.fixed.has_both([near.0.0, near.1.0]) && keep(near);
        match &self.ready {
            Ready::Sweep(frame) => frame.near_pairs(lower, keep),
            #[cfg(feature = "gpu")]
            Ready::Device(frame) => frame.near_pairs(lower, keep),
            Ready::Grid(grid) => {
                let in_range = |near: (PartId, PartId)| lower.contains(&near.0.0) && keep(near);
                let (pairs, tested) = grid.near_pairs(&|i| self.boxes[i], self.reach, &in_range);
                self.box_tests.fetch_add(tested, Relaxed);
                pairs
            }
            Ready::AmongFixed(moving, standing) => {
                let in_range = |near: (PartId, PartId)| lower.contains(&near.0.0) && keep(near);
                let mut pairs = self.among_fixed(moving, standing, in_range);
                pairs.sort_unstable();
                pairs
            }
            _ => parallel::gather(lower.len(), parallel::SMALL, |run, pairs| {
                self.with_partners(run.map(|at| lower.start + to_u32(at)), |near| {
                    pairs.extend(keep(near).then_some(near));
                });
            }),
        }
    }

    /// Adds the near pairs that pass `keep` to the counts.
    pub fn count(&self, counts: &Counts, keep: impl Fn((PartId, PartId)) -> bool + Sync) {
        let keep = |near: (PartId, PartId)| !self.fixed.has_both([near.0.0, near.1.0]) && keep(near);
        match &self.ready {
            Ready::Sweep(frame) => frame.count(counts, keep),
            #[cfg(feature = "gpu")]
            Ready::Device(frame) => frame.count(counts, keep),
            Ready::Grid(grid) => {
                let count = |near| {
                    if keep(near) {
                        counts.add(near);
                    }
                    false
                };
                let (_, tested) = grid.near_pairs(&|i| self.boxes[i], self.reach, &count);
                self.box_tests.fetch_add(tested, Relaxed);
            }
            Ready::AmongFixed(moving, standing) => {
                self.among_fixed(moving, standing, |near| {
                    if keep(near) {
                        counts.add(near);
                    }
                    false
                });
            }
            _ => parallel::for_each_run(self.boxes.len(), parallel::SMALL, &|run| {
                self.with_partners(run.map(to_u32), |near| {
                    if keep(near) {
                        counts.add(near);
                    }
                });
            }),
        }
    }

    /// Returns the work on this frame so far.
    pub fn work(&self) -> BroadWork {
        let visits = *self.visits.lock().expect("no panic");
        let (fixed, box_tests) = (self.fixed.count as u64, self.box_tests.load(Relaxed));
        let work = BroadWork { frames: 1, fixed, box_tests, visits, ..BroadWork::default() };
        match &self.ready {
            Ready::Sweep(frame) => BroadWork { box_tests: frame.box_tests(), ..work },
            #[cfg(feature = "gpu")]
            Ready::Device(frame) => BroadWork { box_tests: frame.box_tests(), ..work },
            Ready::Grid(_) => BroadWork { method: BroadPhase::Grid, ..work },
            Ready::RecursiveGrid(grid) => {
                BroadWork { method: BroadPhase::RecursiveGrid, shape: grid.shape(), ..work }
            }
            Ready::AmongFixed(Moving::Grid(_), _) => BroadWork { method: BroadPhase::Grid, ..work },
            Ready::AmongFixed(Moving::RecursiveGrid(_), standing) => {
                BroadWork { method: BroadPhase::RecursiveGrid, shape: standing.shape(), ..work }
            }
            &Ready::Lists(_, ListWork { exchanges, box_tests }) => {
                BroadWork { method: BroadPhase::Lists, box_tests, exchanges, ..work }
            }
            Ready::Brute => BroadWork { method: BroadPhase::Brute, ..work },
        }
    }

    /// Returns the near pairs in which a box moves, if they pass `keep`, in any order.
    fn among_fixed(
        &self,
        moving: &Moving,
        standing: &RecursiveGrid,
        keep: impl Fn((PartId, PartId)) -> bool + Sync,
    ) -> Pairs {
        let ids = self.fixed.movers();
        let mut pairs: Pairs = parallel::gather(ids.len(), parallel::SMALL, |run, pairs| {
            let mut found = Vec::new();
            for &id in &ids[run] {
                let b = &self.boxes[id as usize];
                let mut visits = standing.near(b, self.reach, &mut found);
                if let Moving::RecursiveGrid(grid) = moving {
                    let mut movers = Vec::new();
                    visits += grid.near(b, self.reach, &mut movers);
                    found.extend(movers.into_iter().filter(|&other| other > id));
                    *self.visits.lock().expect("no panic") += visits;
                }
                self.box_tests.fetch_add(visits.box_tests, Relaxed);
                let near = found.iter().map(|&other| pair(id as usize, other as usize));
                pairs.extend(near.filter(|&near| keep(near)));
            }
        });
        if let Moving::Grid(grid) = moving {
            let named = |(a, b): (PartId, PartId)| (PartId(ids[a.index()]), PartId(ids[b.index()]));
            let of_place = |i: usize| self.boxes[ids[i] as usize];
            let (among, tested) = grid.near_pairs(&of_place, self.reach, &|near| keep(named(near)));
            self.box_tests.fetch_add(tested, Relaxed);
            pairs.extend(among.into_iter().map(named));
        }
        pairs
    }

    /// Calls `near` with each of some parts and its [`partners`](Self::partners).
    fn with_partners(&self, ids: impl Iterator<Item = u32>, mut near: impl FnMut((PartId, PartId))) {
        let mut found = Vec::new();
        for id in ids {
            self.partners(id, &mut found);
            found.iter().for_each(|&other| near((PartId(id), PartId(other))));
        }
    }

    /// Finds the higher ids that are near a part, sorted, without pairs of two fixed parts.
    fn partners(&self, id: u32, found: &mut Vec<u32>) {
        let b = &self.boxes[id as usize];
        match &self.ready {
            Ready::Sweep(_) | Ready::Grid(_) | Ready::AmongFixed(..) => {
                unreachable!("they find pairs, not partners")
            }
            #[cfg(feature = "gpu")]
            Ready::Device(_) => unreachable!("it finds pairs, not partners"),
            Ready::RecursiveGrid(grid) => {
                let visits = grid.near(b, self.reach, found);
                found.retain(|&other| other > id);
                self.box_tests.fetch_add(visits.box_tests, Relaxed);
                *self.visits.lock().expect("no panic") += visits;
            }
            Ready::Lists(near, _) => {
                found.clear();
                let of_part = near.partition_point(|near| near.0.0 < id);
                let pairs = near[of_part..].iter().take_while(|near| near.0.0 == id);
                found.extend(pairs.map(|near| near.1.0));
            }
            Ready::Brute => {
                found.clear();
                let mut tested = 0;
                let others = (id + 1..).zip(&self.boxes[id as usize + 1..]);
                let others = others.filter(|(other, _)| !self.fixed.has_both([id, *other]));
                let is_near = |(_, other): &(u32, &Aabb)| {
                    tested += 1;
                    !apart(b, other, self.reach)
                };
                found.extend(others.filter(is_near).map(|(other, _)| other));
                self.box_tests.fetch_add(tested, Relaxed);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{brute, cases};
    use super::*;
    use closefit_geometry::math::testing::cases;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(cases(50)))]

        #[test]
        fn every_method_finds_what_brute_force_finds(
            frames in cases::frames(prop_oneof![cases::boxes(100).boxed(), cases::sizes(150).boxed()]),
            reach in cases::reaches(),
        ) {
            for &method in BroadPhase::ALL {
                let mut followed = Frames::new(method, reach);
                for boxes in &frames {
                    let near = brute::near_pairs(boxes, reach);
                    let frame = followed.next(boxes).expect("no limit");
                    let count = to_u32(boxes.len());
                    prop_assert_eq!(&frame.near_pairs(0..count, |_| true), &near, "{}", method);
                    let odd = |(a, b): (PartId, PartId)| (a.0 + b.0) % 2 == 1;
                    let half = frame.near_pairs(count / 2..count, odd);
                    let expected = near.iter().copied().filter(|&pair| odd(pair) && pair.0.0 >= count / 2);
                    prop_assert!(half.into_iter().eq(expected), "{}", method);
                    let counts = Counts::new(boxes.len());
                    frame.count(&counts, odd);
                    let counted: u64 = counts.into_parts().0.into_iter().map(u64::from).sum();
                    prop_assert_eq!(counted, near.iter().filter(|&&pair| odd(pair)).count() as u64);
                    prop_assert_eq!((frame.work().method, frame.work().frames), (method, 1));
                }
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(cases(50)))]

        #[test]
        fn every_method_leaves_out_pairs_of_fixed_boxes(
            frames in cases::frames(prop_oneof![cases::boxes(100).boxed(), cases::sizes(150).boxed()]),
            reach in cases::reaches(),
            share in 0..4u64,
        ) {
            let is_fixed: Vec<bool> = (0..frames[0].len() as u64).map(|i| i * 7 % 4 < share).collect();
            let fixed = is_fixed.iter().filter(|fixed| **fixed).count() as u64;
            for &method in BroadPhase::ALL {
                let mut followed = Frames::new(method, reach).with_fixed(is_fixed.clone());
                for frame in &frames {
                    let at = |(i, &b): (usize, &Aabb)| if is_fixed[i] { frames[0][i] } else { b };
                    let boxes: Vec<Aabb> = frame.iter().enumerate().map(at).collect();
                    let mut near = brute::near_pairs(&boxes, reach);
                    near.retain(|(a, b)| !(is_fixed[a.index()] && is_fixed[b.index()]));
                    let frame = followed.next(&boxes).expect("no limit");
                    let count = to_u32(boxes.len());
                    prop_assert_eq!(&frame.near_pairs(0..count, |_| true), &near, "{}", method);
                    let upper = frame.near_pairs(count / 2..count, |_| true);
                    prop_assert!(upper.iter().eq(near.iter().filter(|near| near.0.0 >= count / 2)), "{}", method);
                    let counts = Counts::new(boxes.len());
                    frame.count(&counts, |_| true);
                    let counted: u64 = counts.into_parts().0.into_iter().map(u64::from).sum();
                    prop_assert_eq!((counted, frame.work().fixed), (near.len() as u64, fixed), "{}", method);
                }
            }
        }
    }

    /// Few boxes move among many. Methods that know it look at no pair of two that stand.
    #[test]
    fn what_stands_costs_no_tests() {
        let boxes = cases::even(500);
        let tests = |method: BroadPhase, fixed: usize| {
            let is_fixed = (0..boxes.len()).map(|i| i < fixed).collect();
            let mut frames = Frames::new(method, 0.0).with_fixed(is_fixed);
            let mut work = BroadWork::default();
            for step in 0..4 {
                let by = f64::from(step) * 0.1;
                let moved = |(i, b): (usize, &Aabb)| match i < fixed {
                    true => *b,
                    false => Aabb { lo: b.lo + by, hi: b.hi + by },
                };
                let boxes: Vec<Aabb> = boxes.iter().enumerate().map(moved).collect();
                let frame = frames.next(&boxes).expect("no limit");
                frame.near_pairs(0..500, |_| true);
                work += frame.work();
            }
            work
        };
        // Of all pairs, those in which one of ten moves.
        assert_eq!(tests(BroadPhase::Brute, 490).box_tests, 4 * (10 * 490 + 45));
        for method in [BroadPhase::Lists, BroadPhase::Grid, BroadPhase::RecursiveGrid] {
            let [none, most] = [0, 490].map(|fixed| tests(method, fixed).box_tests);
            assert!(10 * most < none, "{method}: {most} {none}");
            assert_eq!(tests(method, 500).box_tests, 0, "{method}");
        }
    }

    #[test]
    fn each_method_counts_in_its_own_units() {
        let boxes = cases::even(500);
        let shift = |(i, b): (usize, &Aabb)| {
            let by = (i % 3) as f64 * 0.1;
            Aabb { lo: b.lo + by, hi: b.hi + by }
        };
        let moved: Vec<Aabb> = boxes.iter().enumerate().map(shift).collect();
        let work = |method| {
            let (mut frames, mut work) = (Frames::new(method, 0.0), BroadWork::default());
            for boxes in [&boxes, &moved] {
                let frame = frames.next(boxes).expect("no limit");
                frame.near_pairs(0..500, |_| true);
                work += frame.work();
            }
            work
        };
        let all: Vec<BroadWork> = BroadPhase::ALL.iter().map(|&method| work(method)).collect();
        for (i, work) in all.iter().enumerate() {
            assert!(work.frames == 2 && work.box_tests > 0, "{work:?}");
            assert!(all[i + 1..].iter().all(|other| other.box_tests != work.box_tests), "{all:?}");
            assert_eq!(work.exchanges != [0; 3], work.method == BroadPhase::Lists);
            assert_eq!(work.visits != Visits::default(), work.method == BroadPhase::RecursiveGrid);
        }
    }
}
