//! Sorts pages of boxes on the device and sweeps them, in submissions of several rounds each.

use std::mem::{offset_of, size_of};
use std::ops::Range;

use bytemuck::{Zeroable, bytes_of, cast_slice, pod_read_unaligned};

use super::Limits;
use super::columns::{CHUNK, Ends, Sweep, SweepSettings};
use super::kernels::SweepKernels;
use super::pages::Pages;
use crate::broad::columns::InflatedBox;
use crate::gpu::sort::{Sort, TILE, scan};
use crate::gpu::{Device, DeviceError, Launch, Lent, Pending, Tally, Use};
use closefit_geometry::ids::to_u32;

/// Rounds per submission.
const ROUNDS: usize = 16;

/// Largest number of chunks in a round: four million tests, so that no dispatch takes long.
const ROUND: u32 = 1 << 17;

/// Pairs read back together with the state; more take another submission.
const READ_ALONG: u64 = 1 << 14;

/// Bytes of a pair of ids.
const PAIR: u64 = 8;

/// Returns the number of boxes in a page.
pub(super) fn most_in_page(device: Device, limits: &Limits) -> usize {
    let bound = device.largest_binding() / size_of::<Ends>() as u64;
    bound.min(limits.page.into()).max(1) as usize
}

/// The device buffers of a frame.
#[derive(Debug)]
pub(super) struct Search {
    device: Device,
    kernels: &'static SweepKernels,
    /// Capacity of the buffer of pairs.
    most_pairs: u32,
    settings: Lent,
    sweep: Lent,
    pairs: Lent,
    /// Two sorted pages, and their numbers.
    slots: [Option<(usize, Lent)>; 2],
}

impl Search {
    pub fn new(device: Device, limits: &Limits) -> Result<Self, DeviceError> {
        let most = (device.largest_binding() / PAIR).min(1 << 30) as u32;
        let most_pairs = limits.pairs.clamp(CHUNK, most.max(CHUNK));
        Ok(Self {
            device,
            kernels: SweepKernels::of(&device)?,
            most_pairs,
            settings: device.lend(Use::Settings, size_of::<SweepSettings>() as u64)?,
            sweep: device.lend(Use::Storage, size_of::<Sweep>() as u64)?,
            pairs: device.lend(Use::Storage, u64::from(most_pairs) * PAIR)?,
            slots: [None, None],
        })
    }

    /// Calls `each` with pairs of ids that overlap, the lower one in `lower`, and the number of tests, for
    /// one submission after the other.
    pub fn run(
        &mut self,
        pages: &Pages,
        outers: &[InflatedBox],
        lower: Range<u32>,
        mut each: impl FnMut(&[[u32; 2]], u64),
    ) -> Result<(), DeviceError> {
        for page in 0..pages.count() {
            for later in page..pages.count() {
                if later > page && !pages.goes_on(page, later) {
                    break;
                }
                let slot = self.load(pages, outers, page, later)?;
                let other = self.load(pages, outers, later, page)?;
                // So few boxes sweep at once that the number of their chunks fits a word.
                let most = u32::MAX / to_u32(pages.longest_sweep(later)).div_ceil(CHUNK).max(1);
                let mut meets = false;
                for first in (0..to_u32(pages.len(page))).step_by(most as usize) {
                    let settings = SweepSettings {
                        first,
                        rows: most.min(to_u32(pages.len(page)) - first),
                        others: to_u32(pages.len(later)),
                        own: u32::from(page == later),
                        lower_begin: lower.start,
                        lower_end: lower.end,
                        pairs: self.most_pairs,
                        round: ROUND,
                    };
                    meets |= self.sweep(settings, [slot, other], &mut each)?;
                }
                if !meets && later > page {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Returns the slot of a page. If the page is not there yet, sends and sorts it, in place of any page but
    /// `kept`.
    fn load(
        &mut self,
        pages: &Pages,
        outers: &[InflatedBox],
        page: usize,
        kept: usize,
    ) -> Result<usize, DeviceError> {
        let holds =
            |slot: &Option<(usize, Lent)>, page: usize| slot.as_ref().is_some_and(|(n, _)| *n == page);
        if let Some(slot) = self.slots.iter().position(|slot| holds(slot, page)) {
            return Ok(slot);
        }
        let slot = self.slots.iter().position(|slot| !holds(slot, kept)).expect("one of two");
        self.slots[slot] = None;
        let device = self.device;
        let (ends, keys, last) = pages.columns(page, outers);
        let bytes = size_of_val(&ends[..]) as u64;
        let [unsorted, sorted] = [device.lend(Use::Storage, bytes)?, device.lend(Use::Storage, bytes)?];
        let records = device.lend(Use::Storage, size_of_val(&keys[..]) as u64)?;
        let settings = device.lend(Use::Settings, size_of::<SweepSettings>() as u64)?;
        let rows = to_u32(ends.len());
        device.write(&unsorted, 0, cast_slice(&ends));
        device.write(&records, 0, cast_slice(&keys));
        device.write(&settings, 0, bytes_of(&SweepSettings { rows, ..SweepSettings::zeroed() }));
        let sort = Sort::new(device, &records, keys.len(), [last, u32::MAX, 0])?;
        let of_order: [&wgpu::Buffer; 4] = [&settings, sort.sorted(&records), &unsorted, &sorted];
        let mut launches = sort.launches().to_vec();
        launches.push(self.kernels.order_boxes.launch(&device, &of_order, self.groups(rows)));
        device.wait(self.submit(&launches, &[(&self.sweep, 4)])?)?;
        self.slots[slot] = Some((page, sorted));
        Ok(slot)
    }

    fn submit(&self, launches: &[Launch], read: &[(&wgpu::Buffer, u64)]) -> Result<Pending, DeviceError> {
        self.device.add_to_tally(Tally { launches: launches.len() as u64, ..Tally::default() });
        self.device.submit(launches, read)
    }

    /// Returns the number of workgroups of 64 for so many threads, at most as many as keep the device busy.
    fn groups(&self, threads: u32) -> u32 {
        threads.div_ceil(64).clamp(1, self.device.workgroups())
    }

    /// Sweeps some boxes of a page over the boxes of another page, or of their own. Returns true if there was
    /// anything to test.
    fn sweep(
        &self,
        settings: SweepSettings,
        [slot, other]: [usize; 2],
        mut each: impl FnMut(&[[u32; 2]], u64),
    ) -> Result<bool, DeviceError> {
        let Self { device, kernels, sweep, pairs, .. } = self;
        let [boxes, others] = [slot, other]
            .map(|slot| -> &wgpu::Buffer { &self.slots[slot].as_ref().expect("it was loaded").1 });
        let tiles = settings.rows as usize / TILE + 1;
        let starts = device.lend(Use::Storage, (4 * TILE * tiles) as u64)?;
        device.write(&self.settings, 0, bytes_of(&settings));
        device.write(sweep, 0, bytes_of(&Sweep::zeroed()));
        let of_lengths: [&wgpu::Buffer; 4] = [&self.settings, boxes, others, &starts];
        let (sum, _settings) = scan(*device, &starts, tiles)?;
        let mut first =
            vec![kernels.sweep_lengths.launch(device, &of_lengths, self.groups(to_u32(TILE * tiles))), sum];
        let of_plan: [&wgpu::Buffer; 3] = [&self.settings, &starts, sweep];
        let of_tests: [&wgpu::Buffer; 6] = [&self.settings, boxes, others, &starts, sweep, pairs];
        let of_round = [
            kernels.plan_sweep.launch(device, &of_plan, 1),
            kernels.sweep_and_prune.launch(device, &of_tests, device.workgroups()),
        ];
        let rounds: Vec<Launch> = (0..ROUNDS).flat_map(|_| of_round.clone()).collect();
        first.extend_from_slice(&rounds);

        let along = READ_ALONG.min(self.most_pairs.into()) * PAIR;
        let read: [(&wgpu::Buffer, u64); 2] = [(sweep, size_of::<Sweep>() as u64), (pairs, along)];
        let (mut pending, mut before) = (self.submit(&first, &read)?, Sweep::zeroed());
        loop {
            let bytes = device.wait(pending)?;
            let (state, first) = bytes.split_at(size_of::<Sweep>());
            let state: Sweep = pod_read_unaligned(state);
            let count = state.found.min(self.most_pairs) as usize;
            let found = device.values::<[u32; 2]>(pairs, count, first)?;
            let tests = state.tests.wrapping_sub(before.tests).into();
            let end = |sweep: &Sweep| u64::from(sweep.begin) + u64::from(sweep.slice);
            let chunks = u64::from(state.chunks);
            if end(&state) == chunks {
                each(&found, tests);
                return Ok(state.chunks > 0);
            }
            if end(&state) > chunks || end(&state) <= end(&before) {
                return Err(DeviceError::Failed("its counts make no sense".to_owned()));
            }
            before = state;
            device.write(sweep, offset_of!(Sweep, found) as u64, bytes_of(&0u32));
            pending = self.submit(&rounds, &read)?;
            each(&found, tests);
        }
    }
}
