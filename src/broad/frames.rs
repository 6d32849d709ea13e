//! Any broad phase, asked in the same way: frame by frame, for all near pairs or a part of them.

use std::ops::{AddAssign, Range};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use rayon::prelude::*;

use super::counts::Counts;
use super::grid::Grid;
use super::method::BroadPhase;
#[cfg(feature = "gpu")]
use super::on_device;
use super::recursive_grid::{RecursiveGrid, Shape, Visits};
use super::sorted_lists::{ListWork, SortedLists, TooManyPairs};
use super::{Pairs, apart, sweep_and_prune};
use crate::gpu::Device;
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::ids::{PartId, to_u32};

/// Frames that follow each other. Only [`BroadPhase::Lists`] keeps anything from one to the next.
pub struct Frames {
    method: BroadPhase,
    reach: f64,
    most: usize,
    device: Option<Device>,
    lists: Option<SortedLists>,
}

/// The boxes of one frame, ready to be asked for near pairs as often as need be.
pub struct Frame<'a> {
    boxes: &'a [Aabb],
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
    /// The lists, and their work until this frame.
    Lists(&'a SortedLists, ListWork),
    Brute,
}

/// The work of a broad phase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BroadWork {
    /// The broad phase that did it.
    pub method: BroadPhase,
    /// Number of frames.
    pub frames: u64,
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
        self.box_tests += other.box_tests;
        self.exchanges = [0, 1, 2].map(|axis| self.exchanges[axis] + other.exchanges[axis]);
        self.visits += other.visits;
        self.shape = other.shape;
    }
}

impl Frames {
    /// No frames yet. Boxes are near if they are not apart by more than `reach` (0 or more).
    pub fn new(method: BroadPhase, reach: f64) -> Self {
        Self { method, reach, most: usize::MAX, device: None, lists: None }
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
            BroadPhase::SweepAndPrune => self.sweep(boxes),
            BroadPhase::Grid => {
                let mut grid = Grid::default();
                grid.place(boxes.len(), &|i| boxes[i], reach);
                Ready::Grid(grid)
            }
            BroadPhase::RecursiveGrid => Ready::RecursiveGrid(Box::new(RecursiveGrid::of(boxes))),
            BroadPhase::Lists => {
                let before = self.next_lists(boxes)?;
                Ready::Lists(self.lists.as_ref().expect("made"), before)
            }
            BroadPhase::Brute => Ready::Brute,
        };
        Ok(Frame { boxes, reach, ready, box_tests: AtomicU64::new(0), visits: Mutex::default() })
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

    /// Brings the lists up to date. Returns their work before that.
    fn next_lists(&mut self, boxes: &[Aabb]) -> Result<ListWork, TooManyPairs> {
        match &mut self.lists {
            Some(lists) if lists.moving() == boxes.len() => {
                let before = lists.work();
                lists.update(boxes)?;
                Ok(before)
            }
            _ => {
                self.lists = Some(SortedLists::new(boxes, 0, self.reach, self.most)?);
                Ok(ListWork::default())
            }
        }
    }
}

impl Frame<'_> {
    /// Returns the near pairs that pass `keep` and whose lower id is in `lower`, sorted.
    pub fn near_pairs(&self, lower: Range<u32>, keep: impl Fn((PartId, PartId)) -> bool + Sync) -> Pairs {
        match &self.ready {
            Ready::Sweep(frame) => frame.near_pairs(lower, keep),
            #[cfg(feature = "gpu")]
            Ready::Device(frame) => frame.near_pairs(lower, keep),
            Ready::Grid(grid) => {
                let in_range = |near: (PartId, PartId)| lower.contains(&near.0.0) && keep(near);
                let (pairs, tested) = grid.near_pairs(&|i| self.boxes[i], self.reach, in_range);
                self.box_tests.fetch_add(tested, Relaxed);
                pairs
            }
            _ => {
                let pairs = lower.into_par_iter().map_init(Vec::new, |found, id| {
                    self.partners(id, found);
                    let pairs = found.iter().map(|&other| (PartId(id), PartId(other)));
                    pairs.filter(|&near| keep(near)).collect::<Pairs>()
                });
                pairs.flatten_iter().collect()
            }
        }
    }

    /// Adds the near pairs that pass `keep` to the counts.
    pub fn count(&self, counts: &Counts, keep: impl Fn((PartId, PartId)) -> bool + Sync) {
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
                let (_, tested) = grid.near_pairs(&|i| self.boxes[i], self.reach, count);
                self.box_tests.fetch_add(tested, Relaxed);
            }
            _ => (0..to_u32(self.boxes.len())).into_par_iter().for_each_init(Vec::new, |found, id| {
                self.partners(id, found);
                let pairs = found.iter().map(|&other| (PartId(id), PartId(other)));
                pairs.filter(|&near| keep(near)).for_each(|near| counts.add(near));
            }),
        }
    }

    /// Returns the work on this frame so far.
    pub fn work(&self) -> BroadWork {
        let visits = *self.visits.lock().expect("no panic");
        let work =
            BroadWork { frames: 1, box_tests: self.box_tests.load(Relaxed), visits, ..BroadWork::default() };
        match &self.ready {
            Ready::Sweep(frame) => BroadWork { box_tests: frame.box_tests(), ..work },
            #[cfg(feature = "gpu")]
            Ready::Device(frame) => BroadWork { box_tests: frame.box_tests(), ..work },
            Ready::Grid(_) => BroadWork { method: BroadPhase::Grid, ..work },
            Ready::RecursiveGrid(grid) => {
                BroadWork { method: BroadPhase::RecursiveGrid, shape: grid.shape(), ..work }
            }
            Ready::Lists(lists, before) => {
                let ListWork { exchanges, box_tests } = lists.work();
                BroadWork {
                    method: BroadPhase::Lists,
                    box_tests: box_tests - before.box_tests,
                    exchanges: [0, 1, 2].map(|axis| exchanges[axis] - before.exchanges[axis]),
                    ..work
                }
            }
            Ready::Brute => BroadWork { method: BroadPhase::Brute, ..work },
        }
    }

    /// Finds the higher ids that are near a part, sorted.
    fn partners(&self, id: u32, found: &mut Vec<u32>) {
        let b = &self.boxes[id as usize];
        match &self.ready {
            Ready::Sweep(_) | Ready::Grid(_) => unreachable!("they find pairs, not partners"),
            #[cfg(feature = "gpu")]
            Ready::Device(_) => unreachable!("it finds pairs, not partners"),
            Ready::RecursiveGrid(grid) => {
                let visits = grid.near(b, self.reach, found);
                found.retain(|&other| other > id);
                self.box_tests.fetch_add(visits.box_tests, Relaxed);
                *self.visits.lock().expect("no panic") += visits;
            }
            Ready::Lists(lists, _) => {
                found.clear();
                let of_part = lists.near().partition_point(|near| near.0.0 < id);
                let pairs = lists.near()[of_part..].iter().take_while(|near| near.0.0 == id);
                found.extend(pairs.map(|near| near.1.0));
            }
            Ready::Brute => {
                found.clear();
                let others = (id + 1..).zip(&self.boxes[id as usize + 1..]);
                found
                    .extend(others.filter(|(_, other)| !apart(b, other, self.reach)).map(|(other, _)| other));
                self.box_tests.fetch_add((self.boxes.len() - 1 - id as usize) as u64, Relaxed);
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
