//! The queue of a batch of distances: the nearest items of each query are opened in rounds, which the device
//! plans itself.

use bytemuck::{Zeroable, bytes_of, cast_slice, pod_collect_to_vec};

use super::Limits;
use super::columns::{LeafItem, Pair};
use super::kernels::NearKernels;
use super::near_columns::{BINS, NearItem, NearRecord, NearSettings, Progress, Search};
use super::parts::Batch;
use super::queue::{repeated, reserve};
use super::results;
use crate::gpu::{Device, DeviceError, Lent, Tally, Use};
use closefit_geometry::ids::to_u32;

/// Rounds per submission.
const ROUNDS: usize = 8;

/// Records read back together with the counts; more records take another submission.
const READ_ALONG: usize = 1 << 12;

/// Largest number of pairs in a batch, and so of queries: their bins take 1 MiB.
const PAIRS: usize = 1000;

// Items and records have half a word for the pair.
const _: () = assert!(PAIRS <= 1 << 16);

/// Largest total depth of two trees: one bin per level ranks the deepest items.
pub(super) const DEEPEST: u32 = BINS as u32 - 1;

/// The device buffers of a batch.
#[derive(Debug)]
pub(super) struct NearWorkspace {
    device: Device,
    kernels: &'static NearKernels,
    room: NearSettings,
    /// The device sorts more records than this.
    sort_from: usize,
    settings: Lent,
    pairs: Lent,
    items: Lent,
    leaves: Lent,
    records: Lent,
    progress: Lent,
    searches: Lent,
    histogram: Lent,
}

impl NearWorkspace {
    /// Makes room for pairs of trees of this total depth, at most [`DEEPEST`].
    pub fn new(device: Device, limits: &Limits, depth: u32) -> Result<Self, DeviceError> {
        let bytes = |count: u32, each: usize| u64::from(count) * each as u64;
        let most = |each: usize| to_u32((device.largest_binding() / each as u64).min(1 << 30) as usize);
        let items = most(size_of::<NearItem>());
        let round = limits.round.clamp(1, items / 8);
        let leaves = limits.leaves.clamp(8, most(size_of::<NearRecord>()));
        let capacity = (limits.stack / 2).max(2 * reserve(depth) + 64).min((items - round) / 2);
        let reserve = reserve(depth);
        let room =
            NearSettings { capacity, reserve, leaves, records: leaves, round, ..NearSettings::zeroed() };
        Ok(Self {
            device,
            kernels: NearKernels::of(&device)?,
            room,
            sort_from: limits.sort_from as usize,
            settings: device.lend(Use::Settings, size_of::<NearSettings>() as u64)?,
            pairs: device.lend(Use::Storage, (PAIRS * size_of::<Pair>()) as u64)?,
            items: device.lend(Use::Storage, bytes(2 * capacity + round, size_of::<NearItem>()))?,
            leaves: device.lend(Use::Storage, bytes(leaves, size_of::<LeafItem>()))?,
            records: device.lend(Use::Storage, bytes(leaves, size_of::<NearRecord>()))?,
            progress: device.lend(Use::Storage, size_of::<Progress>() as u64)?,
            searches: device.lend(Use::Storage, ((PAIRS + 1) * size_of::<Search>()) as u64)?,
            histogram: device.lend(Use::Storage, (4 * BINS * (PAIRS + 1)) as u64)?,
        })
    }

    /// Returns the number of pairs that can begin at once.
    pub fn roots(&self) -> usize {
        (self.room.capacity - self.room.reserve).min(self.room.leaves).min(PAIRS as u32) as usize
    }

    /// Runs a batch to its end. `limits` holds an upper bound of the distance of each query and receives the
    /// final one. `take_up` receives the records of each submission, with the limits, while the device runs
    /// the next.
    pub fn run(
        &self,
        batch: &Batch,
        limits: &mut [f32],
        arenas: [&wgpu::Buffer; 2],
        mut take_up: impl FnMut(&[NearRecord], &[f32]),
    ) -> Result<(), DeviceError> {
        let Self { device, settings, pairs, items, leaves, records, progress, searches, histogram, .. } =
            self;
        self.begin(batch, limits);
        let kernels = self.kernels;
        let [home, guest] = arenas;
        let wide = device.workgroups();
        let by_query = to_u32(limits.len() + 1).min(wide);
        let of_boxes: [&wgpu::Buffer; 8] = [settings, home, guest, pairs, items, leaves, progress, searches];
        let of_triangles: [&wgpu::Buffer; 7] = [home, guest, pairs, leaves, records, progress, searches];
        let of_round = [
            kernels.begin_round.launch(device, &[settings, progress], 1),
            kernels.rank.launch(device, &[settings, items, pairs, searches, histogram, progress], wide),
            kernels.threshold.launch(device, &[settings, searches, histogram, progress], by_query),
            kernels.select_near.launch(device, &[settings, items, pairs, searches, progress], wide),
            kernels.box_distance.launch(device, &of_boxes, wide),
            kernels.triangle_distance.launch(device, &of_triangles, wide),
        ];
        let submission = repeated(&of_round, ROUNDS);
        let along = records.size().min((READ_ALONG * size_of::<NearRecord>()) as u64);
        let sizes = [size_of::<Progress>(), size_of_val(limits) / 4 * size_of::<Search>()];
        let read_back = [(&**progress, sizes[0] as u64), (searches, sizes[1] as u64), (records, along)];
        let launches = submission.len() as u64;
        let mut pending = device.submit(&submission, &read_back)?;
        let (mut before, mut batches) = (Progress::zeroed(), 1);
        loop {
            let read = device.wait(pending)?;
            device.add_to_tally(Tally { launches, ..Tally::default() });
            let (counts, rest) = read.split_at(sizes[0]);
            let counts: Progress = bytemuck::pod_read_unaligned(counts);
            let (searched, first) = rest.split_at(sizes[1]);
            for (limit, search) in limits.iter_mut().zip(pod_collect_to_vec::<u8, Search>(searched)) {
                *limit = f32::from_bits(search.limit);
            }
            let count = counts.records as usize;
            let found = results::records(*device, records, count, first, self.sort_from, batch.largest)?;
            self.tally(&counts, &before, std::mem::take(&mut batches), batch);
            if counts.next == 0 {
                take_up(&found, limits);
                return Ok(());
            }
            if counts.rounds == before.rounds {
                return Err(DeviceError::Failed("its counts make no sense".to_owned()));
            }
            before = counts;
            device.write(progress, std::mem::offset_of!(Progress, records) as u64, bytes_of(&0u32));
            pending = device.submit(&submission, &read_back)?;
            take_up(&found, limits);
        }
    }

    /// Sends the pairs, the roots, the limits and the initial counts to the device.
    fn begin(&self, batch: &Batch, limits: &[f32]) {
        let queries = to_u32(limits.len());
        self.device.write(&self.settings, 0, bytes_of(&NearSettings { queries, ..self.room }));
        self.device.write(&self.pairs, 0, cast_slice(&batch.pairs));
        let root = |item: &super::columns::BoxItem| NearItem {
            pair: item.pair,
            block: item.block,
            other: item.other,
            at_least: 0,
        };
        let items: Vec<NearItem> = batch.items.iter().map(root).collect();
        self.device.write(&self.items, 0, cast_slice(&items));
        self.device.write(&self.leaves, 0, cast_slice(&batch.leaves));
        // The first round compares limits with a larger one, which counts as lowered.
        let search = |limit: &f32| Search { limit: limit.to_bits(), last: u32::MAX, ..Search::zeroed() };
        let mut searches: Vec<Search> = limits.iter().map(search).collect();
        searches.push(Search::zeroed());
        self.device.write(&self.searches, 0, cast_slice(&searches));
        self.device.write(&self.histogram, 0, cast_slice(&vec![0u32; BINS * (limits.len() + 1)]));
        let progress = Progress {
            half: 1,
            next: to_u32(items.len()),
            still_busy: queries,
            leaves: to_u32(batch.leaves.len()),
            ..Progress::zeroed()
        };
        self.device.write(&self.progress, 0, bytes_of(&progress));
    }

    fn tally(&self, counts: &Progress, before: &Progress, batches: u64, batch: &Batch) {
        let since = |now: u32, then: u32| u64::from(now.wrapping_sub(then));
        let rounds = since(counts.rounds, before.rounds);
        let triangle_tests = since(counts.triangle_tests, before.triangle_tests);
        self.device.add_to_tally(Tally {
            batches,
            distances: batches * batch.pairs.len() as u64,
            rounds,
            distance_rounds: rounds,
            items: since(counts.items, before.items),
            box_tests: since(counts.box_tests, before.box_tests),
            triangle_tests,
            distance_triangle_tests: triangle_tests,
            ..Tally::default()
        });
    }
}
