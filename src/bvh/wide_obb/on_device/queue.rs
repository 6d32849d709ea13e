//! The queue of a batch: a stack of items that the device opens in rounds, which it plans itself.

use bytemuck::{Zeroable, bytes_of, cast_slice};

use super::Limits;
use super::columns::{BoxItem, Counts, LeafItem, Pair, Queue, Record, SEGMENTS, Settings};
use super::kernels::ContactKernels;
use super::parts::Batch;
use super::results;
use crate::gpu::{Device, DeviceError, Launch, Lent, Tally, Use};
use closefit_geometry::ids::to_u32;

/// Rounds per submission.
const ROUNDS: usize = 12;

/// Records read back together with the counts; more records take another submission.
pub(super) const READ_ALONG: usize = 1 << 14;

/// Largest number of pairs in a batch, if the device can bind a buffer for so many.
const PAIRS: usize = 1 << 14;

/// Takes the records of a submission, in runs of one pair, and returns the pairs that need no more work.
pub(super) type Settle<'f> = &'f mut dyn FnMut(&[Record]) -> Vec<u32>;

/// The device buffers of a batch.
#[derive(Debug)]
pub(super) struct Workspace {
    device: Device,
    room: Settings,
    /// The device sorts more records than this.
    sort_from: usize,
    most_pairs: usize,
    settings: Lent,
    pairs: Lent,
    stack: Lent,
    leaves: Lent,
    records: Lent,
    queue: Lent,
    done: Lent,
}

impl Workspace {
    pub fn new(device: Device, limits: &Limits) -> Result<Self, DeviceError> {
        let bytes = |count: u32, each: usize| u64::from(count) * each as u64;
        let most = |each: usize| to_u32((device.largest_binding() / each as u64).min(1 << 30) as usize);
        let room = Settings {
            stack: limits.stack.min(most(size_of::<BoxItem>())),
            leaves: limits.leaves.clamp(8, most(size_of::<LeafItem>())),
            records: limits.leaves.clamp(8, most(size_of::<Record>())),
            round: limits.round.max(1),
            ..Settings::zeroed()
        };
        let most_pairs = PAIRS.min(most(size_of::<Pair>()) as usize);
        Ok(Self {
            device,
            room,
            sort_from: limits.sort_from as usize,
            most_pairs,
            settings: device.lend(Use::Settings, size_of::<Settings>() as u64)?,
            pairs: device.lend(Use::Storage, (most_pairs * size_of::<Pair>()) as u64)?,
            stack: device.lend(Use::Storage, bytes(room.stack, size_of::<BoxItem>()))?,
            leaves: device.lend(Use::Storage, bytes(room.leaves, size_of::<LeafItem>()))?,
            records: device.lend(Use::Storage, bytes(room.records, size_of::<Record>()))?,
            queue: device.lend(Use::Storage, size_of::<Queue>() as u64)?,
            done: device.lend(Use::Storage, (4 * most_pairs) as u64)?,
        })
    }

    /// Returns the number of pairs whose searches can begin at their roots at once, for pairs of trees of
    /// this total depth. Returns `None` if the trees are too deep.
    pub fn roots(&self, depth: u32) -> Option<usize> {
        let room = self.room.stack.checked_sub(reserve(depth)).filter(|_| (depth as usize) < SEGMENTS)?;
        (room > 0).then_some(self.most_pairs.min(room.min(self.room.leaves) as usize))
    }

    /// Returns the launches of a submission of a search for contacts.
    pub fn contact_launches(
        &self,
        [home, guest]: [&wgpu::Buffer; 2],
    ) -> Result<Vec<Launch<'static>>, DeviceError> {
        let Self { device, settings, pairs, stack, leaves, records, queue, done, .. } = self;
        let kernels = ContactKernels::of(device)?;
        let wide = device.workgroups();
        let of_triangles: [&wgpu::Buffer; 7] = [home, guest, pairs, leaves, records, queue, done];
        let of_boxes: [&wgpu::Buffer; 8] = [settings, home, guest, pairs, stack, leaves, queue, done];
        let of_round = [
            kernels.plan.launch(device, &[settings, queue], 1),
            kernels.triangle_triangle.launch(device, &of_triangles, wide),
            kernels.box_box.launch(device, &of_boxes, wide),
        ];
        let mut launches = repeated(&of_round, ROUNDS);
        launches.push(kernels.posed_triangles.launch(
            device,
            &[home, guest, pairs, records, queue, done],
            wide,
        ));
        Ok(launches)
    }

    /// Runs a batch to its end. `settle` receives the records of each submission while the device runs the
    /// next, and returns the pairs that need no more work.
    pub fn run(
        &self,
        batch: &Batch,
        submission: &[Launch],
        depth: u32,
        settle: Settle,
    ) -> Result<(), DeviceError> {
        let Self { device, records, queue, done, .. } = self;
        self.begin(batch, depth);
        let along = records.size().min((READ_ALONG * size_of::<Record>()) as u64);
        let read = [(&**queue, size_of::<Counts>() as u64), (&**records, along)];
        let mut pending = device.submit(submission, &read)?;
        let (mut before, mut batches) = (Counts::zeroed(), 1);
        loop {
            let bytes = device.wait(pending)?;
            let (counts, along) = bytes.split_at(size_of::<Counts>());
            let counts: Counts = bytemuck::pod_read_unaligned(counts);
            let count = counts.records as usize;
            let found = results::records(*device, records, count, along, self.sort_from, batch.largest)?;
            let is_done =
                counts.segments == 0 && counts.fresh == 0 && counts.leaves == 0 && counts.drain == 0;
            self.tally(&counts, &before, submission, std::mem::take(&mut batches), batch);
            let is_stuck = counts.rounds == before.rounds;
            before = counts;
            if is_done && counts.slice == 0 {
                settle(&found);
                return Ok(());
            }
            if is_stuck {
                return Err(DeviceError::Failed("its counts make no sense".to_owned()));
            }
            device.write(queue, std::mem::offset_of!(Counts, records) as u64, bytes_of(&0u32));
            pending = device.submit(submission, &read)?;
            for pair in settle(&found) {
                device.write(done, 4 * u64::from(pair), bytes_of(&1u32));
            }
        }
    }

    /// Sends the pairs, the roots and the initial counts to the device.
    fn begin(&self, batch: &Batch, depth: u32) {
        let settings = Settings { reserve: reserve(depth), ..self.room };
        self.device.write(&self.settings, 0, bytes_of(&settings));
        self.device.write(&self.pairs, 0, cast_slice(&batch.pairs));
        self.device.write(&self.done, 0, cast_slice(&vec![0u32; batch.pairs.len()]));
        self.device.write(&self.stack, 0, cast_slice(&batch.items));
        self.device.write(&self.leaves, 0, cast_slice(&batch.leaves));
        let mut queue = Queue::zeroed();
        let items = to_u32(batch.items.len());
        queue.counts.leaves = to_u32(batch.leaves.len());
        queue.counts.segments = u32::from(items > 0);
        queue.ends[0] = items;
        self.device.write(&self.queue, 0, bytes_of(&queue));
    }

    fn tally(&self, counts: &Counts, before: &Counts, submission: &[Launch], batches: u64, batch: &Batch) {
        let since = |now: u32, then: u32| u64::from(now.wrapping_sub(then));
        self.device.add_to_tally(Tally {
            batches,
            pairs: batches * batch.pairs.len() as u64,
            launches: submission.len() as u64,
            rounds: since(counts.rounds, before.rounds),
            items: since(counts.items, before.items),
            box_tests: since(counts.box_tests, before.box_tests),
            triangle_tests: since(counts.triangle_tests, before.triangle_tests),
            posed_tests: since(counts.posed_tests, before.posed_tests),
            ..Tally::default()
        });
    }
}

/// Returns the launches of so many rounds.
pub(super) fn repeated(of_round: &[Launch<'static>], rounds: usize) -> Vec<Launch<'static>> {
    (0..rounds).flat_map(|_| of_round.to_vec()).collect()
}

/// Returns the stack items that a depth-first search from the deepest pair needs: eight for each block on its
/// path.
pub(super) fn reserve(depth: u32) -> u32 {
    8 * depth + 8
}
