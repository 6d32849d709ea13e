//! Searches for distances by groups of lanes, each for one pair of trees.

use bytemuck::{Zeroable, bytes_of, cast_slice, pod_collect_to_vec};

use super::columns::{Counts, Pair};
use super::groups::{GroupBuffers, Left, ONE_TEAM, RUN, work_of};
use super::kernels::ask_nearest;
use super::near_columns::NearRecord;
use super::parts::Part;
use super::queue::reserve;
use super::{Limits, Placed};
use crate::gpu::{Device, DeviceError, Lent, Tally};
use closefit_geometry::ids::to_u32;

/// Words of an item and of a leaf pair.
const WORDS: usize = 3;

/// Largest number of steps of a group in a launch. llvmpipe ends all loops of a thread after 65 535
/// iterations, silently. A step has at most 96: 32 to drop items, and 32 to sort those of a step. One that
/// tests leaf pairs has up to 150 (32 to drop items, 38 for the corners, 6 for the triangles and 15 for each
/// of four pairs of them, 6 for the lanes), and counts as 2. So a launch has at most (640 + 1) 96 = 61 536.
const STEPS: u32 = 640;

/// Records read back together with the counts; more records take another submission.
const READ_ALONG: usize = 1 << 12;

/// Number of launches that groups have after all questions have been taken. Rounds go on with what they have
/// not answered by then: a group is slow where one pair takes much work.
const LAST_LAUNCHES: u32 = 12;

/// The device buffers of a batch.
#[derive(Debug)]
pub(super) struct NearGroups {
    of_all: GroupBuffers,
    records: Lent,
    limits: Lent,
}

impl NearGroups {
    /// Makes room for pairs of trees of this total depth. Returns `None` if the trees are too deep.
    pub fn new(device: Device, limits: &Limits, depth: u32) -> Result<Option<Self>, DeviceError> {
        let limits = Limits { steps: limits.steps.min(STEPS), ..*limits };
        let of_all = GroupBuffers::new(device, &limits, ONE_TEAM, WORDS, reserve(depth))?;
        let Some(of_all) = of_all else { return Ok(None) };
        let records = of_all.records(size_of::<NearRecord>())?;
        Ok(Some(Self { limits: of_all.each(4)?, records, of_all }))
    }

    /// Returns the largest number of questions in a batch.
    pub fn most_questions(&self) -> usize {
        self.of_all.most_questions
    }

    /// Searches the parts of a batch, of which `pairs` are the pairs. `limits` holds an upper bound of the
    /// distance of each query and receives the final one. `take_up` receives the records of each launch, with
    /// the limits, while the device runs the next. Returns what groups have left.
    pub fn run(
        &self,
        (parts, placed, pairs): (&[Part], &[Placed], &[Pair]),
        limits: &mut [f32],
        [home, guest]: [&wgpu::Buffer; 2],
        mut take_up: impl FnMut(&[NearRecord], &[f32]),
    ) -> Result<Left, DeviceError> {
        let GroupBuffers { device, settings, pairs: of_parts, roots, queue, left, .. } = &self.of_all;
        let (records, limits_now) = (&*self.records, &*self.limits);
        self.of_all.begin(parts, placed);
        device.write(of_parts, 0, cast_slice(pairs));
        device.write(limits_now, 0, cast_slice(limits));
        let buffers: [&wgpu::Buffer; 9] =
            [settings, home, guest, of_parts, roots, records, queue, limits_now, left];
        let launch = [ask_nearest(device)?.launch(device, &buffers, self.of_all.count)];
        let asked = to_u32(parts.len());
        let along = records.size().min((READ_ALONG * size_of::<NearRecord>()) as u64);
        let sizes = [size_of::<Counts>(), 4 * limits.len()];
        let read = [(&**queue, sizes[0] as u64), (limits_now, sizes[1] as u64), (records, along)];
        let mut pending = device.submit(&launch, &read)?;
        let (mut before, mut batches, mut last) = (Counts::zeroed(), 1, 0);
        loop {
            let bytes = device.wait(pending)?;
            let (counts, rest) = bytes.split_at(sizes[0]);
            let counts: Counts = bytemuck::pod_read_unaligned(counts);
            let (searched, first) = rest.split_at(sizes[1]);
            for (limit, bits) in limits.iter_mut().zip(pod_collect_to_vec::<u8, u32>(searched)) {
                *limit = f32::from_bits(bits);
            }
            let work = work_of(&counts, &before);
            let distances = std::mem::take(&mut batches);
            device.add_to_tally(Tally {
                batches: distances,
                distances: distances * u64::from(asked),
                launches: 1,
                distance_triangle_tests: work.triangle_tests,
                ..work
            });
            let found = device.values::<NearRecord>(records, counts.records as usize, first)?;
            // Some group may have found no room for its records.
            let is_full = counts.records + RUN > self.of_all.room.records;
            let done = |of: &Counts| [of.next.min(asked), of.box_steps, of.leaf_steps, of.finished];
            if counts.finished > asked || (counts.finished < asked && done(&counts) == done(&before)) {
                return Err(DeviceError::Failed("its counts make no sense".to_owned()));
            }
            if counts.next >= asked && !is_full {
                last += 1;
            }
            if counts.finished == asked || last > LAST_LAUNCHES {
                take_up(&found, limits);
                return self.of_all.read_left(asked);
            }
            before = counts;
            device.write(queue, std::mem::offset_of!(Counts, records) as u64, bytes_of(&0u32));
            pending = device.submit(&launch, &read)?;
            take_up(&found, limits);
        }
    }
}
