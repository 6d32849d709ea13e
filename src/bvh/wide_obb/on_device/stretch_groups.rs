//! Searches over stretches of time by groups of lanes, which halve time by themselves.

use bytemuck::{Zeroable, bytes_of, cast_slice, pod_collect_to_vec};

use super::columns::{Counts, GroupSettings, NO_PAIR, Pair, Queue, Root, UNFINISHED};
use super::groups::{self, ONE_TEAM, most_questions, root, work_of};
use super::kernels::moving_boxes;
use super::motions::Motion;
use super::parts::Part;
use super::queue::reserve;
use super::{Limits, Placed};
use crate::bvh::moving::LEVELS;
use crate::continuous::method::Boxes;
use crate::gpu::{Device, DeviceError, Launch, Lent, Tally, Use};
use closefit_geometry::ids::to_u32;

/// Words of an item and of a leaf pair.
const WORDS: usize = 3;

/// Number of steps that groups have after all questions have been taken, but for the rest of a launch. What
/// they have not answered by then stays open, and the CPU searches it.
const STEPS: u32 = 1 << 13;

/// The device buffers of a batch.
#[derive(Debug)]
pub(super) struct StretchGroups {
    device: Device,
    room: GroupSettings,
    most_questions: usize,
    /// Number of groups.
    count: u32,
    settings: Lent,
    pairs: Lent,
    motions: Lent,
    roots: Lent,
    queue: Lent,
    answers: Lent,
    left: Lent,
}

impl StretchGroups {
    /// Makes room for pairs of trees of this total depth. Returns `None` if the trees are too deep.
    pub fn new(device: Device, limits: &Limits, depth: u32) -> Result<Option<Self>, DeviceError> {
        // A depth-first search halves time once for each level on its way.
        let Some(room) = groups::room(limits, ONE_TEAM, reserve(depth) + LEVELS) else { return Ok(None) };
        let (most_questions, count) =
            (most_questions(device), groups::count(device, limits, ONE_TEAM, WORDS));
        let lend = |each: usize| device.lend(Use::Storage, (most_questions * each) as u64);
        Ok(Some(Self {
            device,
            room,
            most_questions,
            count,
            settings: device.lend(Use::Settings, size_of::<GroupSettings>() as u64)?,
            pairs: lend(size_of::<Pair>())?,
            motions: lend(size_of::<Motion>())?,
            roots: lend(size_of::<Root>())?,
            queue: device.lend(Use::Storage, size_of::<Queue>() as u64)?,
            answers: lend(4)?,
            left: device.lend(Use::Storage, ONE_TEAM.left(WORDS) as u64 * u64::from(count))?,
        }))
    }

    /// Returns the largest number of questions in a batch.
    pub fn most_questions(&self) -> usize {
        self.most_questions
    }

    /// Returns the launch of a submission, by a test of boxes.
    pub fn launch(
        &self,
        [home, guest]: [&wgpu::Buffer; 2],
        boxes: Boxes,
    ) -> Result<Launch<'static>, DeviceError> {
        let Self { device, settings, pairs, motions, roots, queue, answers, left, .. } = self;
        let buffers: [&wgpu::Buffer; 9] =
            [settings, home, guest, pairs, motions, roots, queue, answers, left];
        Ok(moving_boxes(device, boxes)?.launch(device, &buffers, self.count))
    }

    /// Asks the questions of a batch. `motions` has the motion of each placed pair. Returns the bits of the
    /// open parts of each question, with [`UNFINISHED`] if groups have given it up.
    pub fn run(
        &self,
        parts: &[Part],
        placed: &[Placed],
        motions: &[Motion],
        launch: &Launch<'static>,
    ) -> Result<Vec<u32>, DeviceError> {
        let Self { device, queue, answers, .. } = self;
        self.begin(parts, placed, motions);
        let asked = to_u32(parts.len());
        let read = [(&**queue, size_of::<Counts>() as u64), (&**answers, 4 * parts.len() as u64)];
        let (mut before, mut batches, mut steps) = (Counts::zeroed(), 1, 0);
        loop {
            let bytes = device.wait(device.submit(std::slice::from_ref(launch), &read)?)?;
            let (counts, words) = bytes.split_at(size_of::<Counts>());
            let counts: Counts = bytemuck::pod_read_unaligned(counts);
            let begun = std::mem::take(&mut batches);
            device.add_to_tally(Tally {
                batches: begun,
                pairs: begun * u64::from(asked),
                launches: 1,
                ..work_of(&counts, &before)
            });
            let work = |of: &Counts| [of.next.min(asked), of.box_steps, of.leaf_steps, of.finished];
            if counts.finished > asked || work(&counts) == work(&before) {
                return Err(DeviceError::Failed("its counts make no sense".to_owned()));
            }
            if counts.next >= asked {
                steps += self.room.steps;
            }
            if counts.finished == asked || steps > STEPS {
                return Ok(pod_collect_to_vec(words));
            }
            before = counts;
        }
    }

    /// Sends the questions and the initial counts to the device.
    fn begin(&self, parts: &[Part], placed: &[Placed], motions: &[Motion]) {
        let device = self.device;
        let settings = GroupSettings { questions: to_u32(parts.len()), ..self.room };
        device.write(&self.settings, 0, bytes_of(&settings));
        let count = parts.len();
        device.write_each(&self.pairs, count, |i| parts[i].pair(&placed[parts[i].placed]));
        device.write_each(&self.motions, count, |i| motions[parts[i].placed]);
        device.write_each(&self.roots, count, |i| {
            root(parts[i].beginning(&placed[parts[i].placed], to_u32(i)))
        });
        device.write(&self.answers, 0, cast_slice(&vec![UNFINISHED; count]));
        device.write(&self.left, 0, cast_slice(&vec![[NO_PAIR, 0, 0]; self.count as usize]));
        device.write(&self.queue, 0, bytes_of(&Queue::zeroed()));
    }
}
