//! Searches over stretches of time by groups of lanes, which halve time by themselves.

use bytemuck::{Zeroable, cast_slice, pod_collect_to_vec};

use super::columns::{Counts, UNFINISHED};
use super::groups::{GroupBuffers, ONE_TEAM, work_of};
use super::kernels::moving_boxes;
use super::motions::Motion;
use super::parts::Part;
use super::queue::reserve;
use super::{Limits, Placed};
use crate::bvh::moving::LEVELS;
use crate::continuous::method::Boxes;
use crate::gpu::{Device, DeviceError, Launch, Lent, Tally};
use closefit_geometry::ids::to_u32;

/// Words of an item and of a leaf pair.
const WORDS: usize = 3;

/// Number of steps that groups have after all questions have been taken, but for the rest of a launch. What
/// they have not answered by then stays open, and the CPU searches it.
const STEPS: u32 = 1 << 13;

/// The device buffers of a batch.
#[derive(Debug)]
pub(super) struct StretchGroups {
    of_all: GroupBuffers,
    motions: Lent,
    answers: Lent,
}

impl StretchGroups {
    /// Makes room for pairs of trees of this total depth. Returns `None` if the trees are too deep.
    pub fn new(device: Device, limits: &Limits, depth: u32) -> Result<Option<Self>, DeviceError> {
        // A depth-first search halves time once for each level on its way.
        let of_all = GroupBuffers::new(device, limits, ONE_TEAM, WORDS, reserve(depth) + LEVELS)?;
        let Some(of_all) = of_all else { return Ok(None) };
        Ok(Some(Self { motions: of_all.each(size_of::<Motion>())?, answers: of_all.each(4)?, of_all }))
    }

    /// Returns the largest number of questions in a batch.
    pub fn most_questions(&self) -> usize {
        self.of_all.most_questions
    }

    /// Returns the launch of a submission, by a test of boxes.
    pub fn launch(
        &self,
        [home, guest]: [&wgpu::Buffer; 2],
        boxes: Boxes,
    ) -> Result<Launch<'static>, DeviceError> {
        let Self { motions, answers, .. } = self;
        let GroupBuffers { device, settings, pairs, roots, queue, left, count, .. } = &self.of_all;
        let buffers: [&wgpu::Buffer; 9] =
            [settings, home, guest, pairs, motions, roots, queue, answers, left];
        Ok(moving_boxes(device, boxes)?.launch(device, &buffers, *count))
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
        let GroupBuffers { device, queue, .. } = &self.of_all;
        let answers = &self.answers;
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
                steps += self.of_all.room.steps;
            }
            if counts.finished == asked || steps > STEPS {
                return Ok(pod_collect_to_vec(words));
            }
            before = counts;
        }
    }

    /// Sends the questions and the initial counts to the device.
    fn begin(&self, parts: &[Part], placed: &[Placed], motions: &[Motion]) {
        let GroupBuffers { device, pairs, .. } = &self.of_all;
        self.of_all.begin(parts, placed);
        let count = parts.len();
        device.write_each(pairs, count, |i| parts[i].pair(&placed[parts[i].placed]));
        device.write_each(&self.motions, count, |i| motions[parts[i].placed]);
        device.write(&self.answers, 0, cast_slice(&vec![UNFINISHED; count]));
    }
}
