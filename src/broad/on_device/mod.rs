//! Sweep and prune of one frame on a compute device, along the axis and in the strips that the CPU would
//! choose.
//!
//! The device compares integers only: `keys` maps the ends of boxes to integers in the same order, so boxes
//! that are near overlap in integers too. `pages` cuts the boxes into pages, each sorted on the device by
//! [`gpu::sort`](crate::gpu::sort). `sweep_lengths` finds how many boxes enter before each box leaves.
//! `sweep_and_prune` then tests these, 32 to a thread, in rounds that `plan_sweep` makes so small that their
//! pairs always have room (`search`). The CPU applies the exact predicate to these pairs while the device
//! tests the next.

pub mod columns;
pub mod kernels;
mod keys;
mod pages;
mod search;

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, OnceLock, PoisonError};

use super::columns::InflatedBox;
use super::counts::Counts;
use super::sweep_and_prune::{self, Plan};
use super::{Pairs, apart, pair};
use crate::gpu::{Device, DeviceError, Tally};
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::ids::PartId;
use closefit_geometry::parallel;
use keys::Order;
use pages::Pages;
use search::Search;

/// Limits on device memory, and on what is worth sending.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Smallest number of boxes for which the device is used.
    pub from: usize,
    /// Number of boxes in a page.
    pub page: u32,
    /// Number of pairs that wait to be read.
    pub pairs: u32,
}

impl Default for Limits {
    /// Returns limits that take 132 MiB, whatever the number of boxes: 16 for a page that is sent and 18 for
    /// its sort, 32 for two sorted pages, 2 for sums, and 64 for pairs that are found and read. One core
    /// sweeps fewer than 2^14 boxes in less than ten milliseconds, of which a device could save a few.
    fn default() -> Self {
        Self { from: 1 << 14, page: 1 << 19, pairs: 1 << 22 }
    }
}

/// The boxes of one frame. If the device fails, the CPU answers.
pub struct Frame<'a> {
    device: Device,
    boxes: &'a [Aabb],
    reach: f64,
    outers: Vec<InflatedBox>,
    pages: Pages,
    search: Mutex<Option<Search>>,
    limits: Limits,
    box_tests: AtomicU64,
    on_the_cpu: OnceLock<sweep_and_prune::Frame<'a>>,
}

impl<'a> Frame<'a> {
    /// Cuts the boxes, whose positions are part ids, into pages.
    pub fn new(device: Device, limits: Limits, boxes: &'a [Aabb], reach: f64) -> Self {
        let order = Order::of(boxes);
        let outers = parallel::gather(boxes.len(), parallel::TINY, |run, outers| {
            outers.extend(boxes[run].iter().map(|b| order.outer(b, reach)));
        });
        let most = search::most_in_page(device, &limits);
        let pages = Pages::new(&Plan::of(&outers), &outers, most);
        Self {
            device,
            boxes,
            reach,
            outers,
            pages,
            search: Mutex::default(),
            limits,
            box_tests: AtomicU64::new(0),
            on_the_cpu: OnceLock::new(),
        }
    }

    /// Returns the near pairs that pass `keep` and whose lower id is in `lower`, sorted.
    pub fn near_pairs(&self, lower: Range<u32>, keep: impl Fn((PartId, PartId)) -> bool + Sync) -> Pairs {
        let mut pairs = Pairs::new();
        let found = self.for_each(lower.clone(), |found| {
            pairs.extend(parallel::gather(found.len(), parallel::TINY, |run, pairs| {
                let near = found[run].iter().filter_map(|&ids| self.near(ids));
                pairs.extend(near.filter(|&near| keep(near)));
            }));
        });
        if found.is_err() {
            return self.on_the_cpu().near_pairs(lower, keep);
        }
        parallel::sort_unstable_by_key(&mut pairs, |&near| near);
        pairs
    }

    /// Adds the near pairs that pass `keep` to the counts.
    pub fn count(&self, counts: &Counts, keep: impl Fn((PartId, PartId)) -> bool + Sync) {
        // Counted apart from the others, which a failure must not leave half done.
        let own = Counts::new(self.boxes.len());
        let found = self.for_each(0..u32::MAX, |found| {
            parallel::for_each_run(found.len(), parallel::TINY, &|run| {
                let near = found[run].iter().filter_map(|&ids| self.near(ids));
                near.filter(|&near| keep(near)).for_each(|near| own.add(near));
            });
        });
        match found {
            Ok(()) => counts.add_all(own),
            Err(_) => self.on_the_cpu().count(counts, keep),
        }
    }

    /// Returns the number of tests of two boxes so far.
    pub fn box_tests(&self) -> u64 {
        self.box_tests.load(Relaxed) + self.on_the_cpu.get().map_or(0, sweep_and_prune::Frame::box_tests)
    }

    /// Returns two boxes as a pair if they are near.
    fn near(&self, [i, j]: [u32; 2]) -> Option<(PartId, PartId)> {
        let [i, j] = [i as usize, j as usize];
        (!apart(&self.boxes[i], &self.boxes[j], self.reach)).then(|| pair(i, j))
    }

    fn on_the_cpu(&self) -> &sweep_and_prune::Frame<'a> {
        self.on_the_cpu.get_or_init(|| sweep_and_prune::Frame::new(self.boxes, self.reach))
    }

    /// Calls `each` with all pairs that overlap on the device and whose lower id is in `lower`, some at a
    /// time.
    fn for_each(&self, lower: Range<u32>, mut each: impl FnMut(&[[u32; 2]])) -> Result<(), DeviceError> {
        let mut search = self.search.lock().unwrap_or_else(PoisonError::into_inner);
        let search = match &mut *search {
            Some(search) => search,
            empty => empty.insert(Search::new(self.device, &self.limits)?),
        };
        let (mut broad_tests, mut broad_pairs) = (0, 0);
        let found = search.run(&self.pages, &self.outers, lower, |pairs, tests| {
            broad_tests += tests;
            broad_pairs += pairs.len() as u64;
            each(pairs);
        });
        self.box_tests.fetch_add(broad_tests, Relaxed);
        let broad_boxes = self.boxes.len() as u64;
        self.device.add_to_tally(Tally { broad_boxes, broad_tests, broad_pairs, ..Tally::default() });
        found
    }
}
