//! The buffers that all searches by groups of lanes share: for contacts (`contact_groups`), for distances
//! (`near_groups`) and for stretches of time (`stretch_groups`).

use bytemuck::{Zeroable, bytes_of, cast_slice};

use super::columns::{BoxItem, Counts, GroupSettings, LeafItem, NO_PAIR, Pair, Queue, Record, Root};
use super::parts::{Batch, Beginning, Part, pairs_of};
use super::{Limits, Placed};
use crate::gpu::{Device, DeviceError, Lent, Tally, Use};
use closefit_geometry::ids::to_u32;

/// Largest number of questions in a batch, if the device can bind a buffer for so many.
pub(super) const QUESTIONS: usize = 1 << 15;

/// Records that a group reserves at a time.
pub const RUN: u32 = 64;
/// Words at the front of the buffer for what a team leaves.
pub const HEAD: usize = 3;

/// The teams of a group, which answer a question each. The shaders have the same constants.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Teams {
    /// Number of teams.
    pub number: u32,
    /// Room of a team for items.
    pub stack: u32,
    /// Room of a team for leaf pairs.
    pub leaves: u32,
}

/// One team of 32 lanes.
pub const ONE_TEAM: Teams = Teams { number: 1, stack: 256, leaves: 64 };
/// Four teams of eight lanes. Two trees of a total depth of 19 blocks fit; trees of a million triangles are
/// nine deep.
pub const OCTETS: Teams = Teams { number: 4, stack: 160, leaves: 16 };

impl Teams {
    /// Returns the words behind the front for what a team leaves, whose items have so many words.
    pub const fn body(self, words: usize) -> usize {
        words * (self.stack + self.leaves) as usize
    }

    /// Returns the bytes for what a team leaves, whose items have so many words.
    const fn left(self, words: usize) -> usize {
        4 * (HEAD + self.body(words))
    }
}

/// Largest number of steps of a group in a launch. llvmpipe ends all loops of a thread after 65 535
/// iterations, silently. A step has at most 64, including the loops over corners, products and triangles. One
/// that tests leaf pairs over time has up to 1 184 (38 for the corners, 6, and 285 for each of four pairs of
/// triangles) and counts as 20, so a launch has at most (960 + 19) 64 = 62 656.
const STEPS: u32 = 960;

/// The items and leaf pairs of questions that no group has answered.
#[derive(Debug, Default)]
pub(super) struct Left {
    pub items: Vec<BoxItem>,
    pub leaves: Vec<LeafItem>,
}

impl Left {
    pub fn is_empty(&self) -> bool {
        self.items.is_empty() && self.leaves.is_empty()
    }

    /// Returns batches that continue the search in rounds, each of at most `most` items or leaf pairs, and
    /// their parts.
    pub fn batches(self, parts: &[Part], placed: &[Placed], most: usize) -> Vec<(Batch, Vec<Part>)> {
        let renumbered = |pairs: &mut dyn Iterator<Item = &mut u32>| {
            let mut numbers: Vec<usize> = Vec::new();
            for pair in pairs {
                let number = *pair as usize;
                if numbers.last() != Some(&number) {
                    numbers.push(number);
                }
                *pair = to_u32(numbers.len() - 1);
            }
            numbers.into_iter().map(|number| parts[number]).collect::<Vec<Part>>()
        };
        let (mut items, mut leaves, mut batches) = (self.items, self.leaves, Vec::new());
        for items in items.chunks_mut(most) {
            let parts = renumbered(&mut items.iter_mut().map(|item| &mut item.pair));
            let batch = pairs_of(&parts, placed);
            batches.push((Batch { items: items.to_vec(), ..batch }, parts));
        }
        for leaves in leaves.chunks_mut(most) {
            let parts = renumbered(&mut leaves.iter_mut().map(|item| &mut item.pair));
            let batch = pairs_of(&parts, placed);
            batches.push((Batch { leaves: leaves.to_vec(), ..batch }, parts));
        }
        batches
    }
}

/// The device buffers of every search by groups: questions, counts of work, and what groups leave.
#[derive(Debug)]
pub(super) struct GroupBuffers {
    pub device: Device,
    pub teams: Teams,
    /// Words of an item and of a leaf pair.
    words: usize,
    pub room: GroupSettings,
    /// Largest number of questions in a batch.
    pub most_questions: usize,
    /// Number of groups.
    pub count: u32,
    pub settings: Lent,
    pub pairs: Lent,
    pub roots: Lent,
    pub queue: Lent,
    pub left: Lent,
}

impl GroupBuffers {
    /// Makes room for teams whose items have so many words, and which keep so many items free for a
    /// depth-first search. Returns `None` if these are too many.
    pub fn new(
        device: Device,
        limits: &Limits,
        teams: Teams,
        words: usize,
        reserve: u32,
    ) -> Result<Option<Self>, DeviceError> {
        if reserve > teams.stack {
            return Ok(None);
        }
        let room = GroupSettings {
            steps: limits.steps.clamp(1, STEPS),
            stack: limits.stack.clamp(reserve, teams.stack),
            leaves: limits.leaves.clamp(8, teams.leaves),
            reserve,
            // Whole runs.
            records: limits.leaves.clamp(RUN, most(device, size_of::<Record>())) / RUN * RUN,
            ..GroupSettings::zeroed()
        };
        let most_questions = QUESTIONS.min(most(device, size_of::<Pair>()) as usize);
        let left = teams.number as usize * teams.left(words);
        let count = (2 * device.workgroups()).min(limits.groups).clamp(1, most(device, left));
        let lend = |count: usize, each: usize| device.lend(Use::Storage, (count * each) as u64);
        Ok(Some(Self {
            device,
            teams,
            words,
            room,
            most_questions,
            count,
            settings: device.lend(Use::Settings, size_of::<GroupSettings>() as u64)?,
            pairs: lend(most_questions, size_of::<Pair>())?,
            roots: lend(most_questions, size_of::<Root>())?,
            queue: lend(1, size_of::<Queue>())?,
            left: lend(count as usize, left)?,
        }))
    }

    /// Makes room for so many bytes for each question.
    pub fn each(&self, bytes: usize) -> Result<Lent, DeviceError> {
        self.device.lend(Use::Storage, (self.most_questions * bytes) as u64)
    }

    /// Makes room for records of so many bytes.
    pub fn records(&self, bytes: usize) -> Result<Lent, DeviceError> {
        self.device.lend(Use::Storage, u64::from(self.room.records) * bytes as u64)
    }

    /// Returns the number of all teams.
    fn all_teams(&self) -> usize {
        (self.count * self.teams.number) as usize
    }

    /// Sends the settings, the roots and the initial counts of a batch.
    pub fn begin(&self, parts: &[Part], placed: &[Placed]) {
        let device = self.device;
        let settings = GroupSettings { questions: to_u32(parts.len()), ..self.room };
        device.write(&self.settings, 0, bytes_of(&settings));
        device.write_each(&self.roots, parts.len(), |i| {
            root(parts[i].beginning(&placed[parts[i].placed], to_u32(i)))
        });
        device.write(&self.left, 0, cast_slice(&vec![[NO_PAIR, 0, 0]; self.all_teams()]));
        device.write(&self.queue, 0, bytes_of(&Queue::zeroed()));
    }

    /// Returns what groups have left of so many questions.
    pub fn read_left(&self, asked: u32) -> Result<Left, DeviceError> {
        let Self { device, teams: Teams { stack, leaves: room, .. }, words, .. } = *self;
        let bytes = self.teams.left(words) * self.all_teams();
        let read = device.wait(device.submit(&[], &[(&self.left, bytes as u64)])?)?;
        let (heads, bodies) = cast_slice::<u8, u32>(&read).split_at(HEAD * self.all_teams());
        let mut left = Left::default();
        for (head, body) in heads.chunks_exact(HEAD).zip(bodies.chunks_exact(self.teams.body(words))) {
            let [pair, boxes, leaves] = [0, 1, 2].map(|i| head[i]);
            if pair == NO_PAIR {
                continue;
            }
            if pair >= asked || boxes > stack || leaves > room {
                return Err(DeviceError::Failed("what it left makes no sense".to_owned()));
            }
            let (items, leaf_words) = body.split_at(words * stack as usize);
            let [blocks, others] = [0, stack as usize].map(|at| &items[at..]);
            left.items.extend((0..boxes as usize).map(|i| BoxItem {
                pair,
                block: blocks[i],
                other: others[i],
            }));
            left.leaves.extend((0..leaves as usize).map(|i| {
                let words = [leaf_words[i], leaf_words[room as usize + i]];
                let two = words[0] >> 30 & 1 | (words[1] >> 30 & 1) << 1;
                LeafItem { pair, first: words.map(|word| word & ((1 << 30) - 1)), two }
            }));
        }
        Ok(left)
    }
}

/// Returns how many values of a size a kernel can bind.
fn most(device: Device, each: usize) -> u32 {
    to_u32((device.largest_binding() / each as u64).min(1 << 30) as usize)
}

/// Returns the work of a launch, from the counts before and after it.
pub(super) fn work_of(counts: &Counts, before: &Counts) -> Tally {
    let since = |now: u32, then: u32| u64::from(now.wrapping_sub(then));
    Tally {
        answered: since(counts.finished, before.finished),
        box_steps: since(counts.box_steps, before.box_steps),
        leaf_steps: since(counts.leaf_steps, before.leaf_steps),
        items: since(counts.items, before.items),
        box_tests: since(counts.box_tests, before.box_tests),
        triangle_tests: since(counts.triangle_tests, before.triangle_tests),
        posed_tests: since(counts.posed_tests, before.posed_tests),
        ..Tally::default()
    }
}

/// Returns the beginning of a search for a group.
fn root(beginning: Beginning) -> Root {
    match beginning {
        Beginning::Boxes(item) => Root { words: [item.block, item.other], are_leaves: 0 },
        Beginning::Leaves(item) => {
            Root { words: [0, 1].map(|side| item.first[side] | (item.two >> side & 1) << 30), are_leaves: 1 }
        }
    }
}
