//! Searches by groups of lanes, which answer a question each, or four: the kernels `ask_group` and
//! `ask_octets`, and what stretches of time (`stretch_groups`) share with them.

use std::hash::Hash;

use bytemuck::{Zeroable, bytes_of, cast_slice};
use hashbrown::HashMap;

use super::columns::{BoxItem, Counts, GroupSettings, LeafItem, NO_PAIR, Pair, Queue, Record, Root};
use super::frames::{Frame, PlacedPiece, Unplaced};
use super::kernels::{ContactKernels, GroupKernels};
use super::parts::{Batch, Beginning, Part, pairs_of};
use super::queue::{READ_ALONG, Settle, reserve};
use super::{Limits, Placed, placing};
use crate::bvh::wide_obb::posed::PosedWideObb;
use crate::gpu::{Device, DeviceError, Launch, Lent, Tally, Use};
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
/// Four teams of eight lanes. Two trees of a total depth of 19 blocks fit; trees of 1M triangles are nine deep.
pub const OCTETS: Teams = Teams { number: 4, stack: 160, leaves: 16 };

impl Teams {
    /// Returns the words behind the front for what a team leaves, whose items have so many words.
    pub const fn body(self, words: usize) -> usize {
        words * (self.stack + self.leaves) as usize
    }

    /// Returns the bytes for what a group leaves, whose items have so many words.
    pub(super) const fn left(self, words: usize) -> usize {
        4 * (HEAD + self.body(words)) * self.number as usize
    }
}

/// Words of an item and of a leaf pair of a search for contacts.
const WORDS: usize = 2;

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

/// Returns the room of a team that keeps so many items free for a depth-first search; `None` if they are too
/// many.
pub(super) fn room(limits: &Limits, teams: Teams, reserve: u32) -> Option<GroupSettings> {
    (reserve <= teams.stack).then(|| GroupSettings {
        steps: limits.steps.clamp(1, STEPS),
        stack: limits.stack.clamp(reserve, teams.stack),
        leaves: limits.leaves.clamp(8, teams.leaves),
        reserve,
        ..GroupSettings::zeroed()
    })
}

/// Returns the number of groups whose items have so many words.
pub(super) fn count(device: Device, limits: &Limits, teams: Teams, words: usize) -> u32 {
    let most = most(device, teams.left(words));
    (2 * device.workgroups()).min(limits.groups).clamp(1, most)
}

/// Returns the largest number of questions in a batch.
pub(super) fn most_questions(device: Device) -> usize {
    QUESTIONS.min(most(device, size_of::<Pair>()) as usize)
}

/// Returns how many values of a size a kernel can bind.
fn most(device: Device, each: usize) -> u32 {
    to_u32((device.largest_binding() / each as u64).min(1 << 30) as usize)
}

/// Returns what `count` groups, whose items have so many words, have left of their questions.
pub(super) fn left_by_groups(
    device: Device,
    buffer: &wgpu::Buffer,
    count: u32,
    teams: Teams,
    words: usize,
    asked: u32,
) -> Result<Left, DeviceError> {
    let Teams { number, stack, leaves: room } = teams;
    let bytes = teams.left(words) * count as usize;
    let (count, columns) = ((count * number) as usize, teams.body(words));
    let read = device.wait(device.submit(&[], &[(buffer, bytes as u64)])?)?;
    let (heads, bodies) = cast_slice::<u8, u32>(&read).split_at(HEAD * count);
    let mut left = Left::default();
    for (head, body) in heads.chunks_exact(HEAD).zip(bodies.chunks_exact(columns)) {
        let [pair, boxes, leaves] = [0, 1, 2].map(|i| head[i]);
        if pair == NO_PAIR {
            continue;
        }
        if pair >= asked || boxes > stack || leaves > room {
            return Err(DeviceError::Failed("what it left makes no sense".to_owned()));
        }
        let (items, leaf_words) = body.split_at(words * stack as usize);
        let [blocks, others] = [0, stack as usize].map(|at| &items[at..]);
        left.items.extend((0..boxes as usize).map(|i| BoxItem { pair, block: blocks[i], other: others[i] }));
        left.leaves.extend((0..leaves as usize).map(|i| {
            let words = [leaf_words[i], leaf_words[room as usize + i]];
            let two = words[0] >> 30 & 1 | (words[1] >> 30 & 1) << 1;
            LeafItem { pair, first: words.map(|word| word & ((1 << 30) - 1)), two }
        }));
    }
    Ok(left)
}

/// Returns the room for records: whole runs.
pub(super) fn records(device: Device, limits: &Limits) -> u32 {
    limits.leaves.clamp(RUN, most(device, size_of::<Record>())) / RUN * RUN
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

/// Threads of a workgroup that places pairs.
const PLACED_TOGETHER: usize = 64;

/// Items numbered in the order in which they are first met.
struct Numbered<K, T> {
    numbers: HashMap<K, u32>,
    items: Vec<T>,
}

impl<K, T> Default for Numbered<K, T> {
    fn default() -> Self {
        Self { numbers: HashMap::new(), items: Vec::new() }
    }
}

impl<K: Eq + Hash, T> Numbered<K, T> {
    fn number(&mut self, key: K, item: T) -> u32 {
        *self.numbers.entry(key).or_insert_with(|| {
            self.items.push(item);
            to_u32(self.items.len() - 1)
        })
    }
}

/// Returns what tells posed trees apart: the address of the tree and the bits of its pose.
fn posed_tree(posed: &PosedWideObb) -> (usize, [[u64; 4]; 3]) {
    (posed.tree.blocks.as_ptr().addr(), posed.pose.rows.map(|row| row.map(f64::to_bits)))
}

/// Returns the beginning of a search for a group.
pub(super) fn root(beginning: Beginning) -> Root {
    match beginning {
        Beginning::Boxes(item) => Root { words: [item.block, item.other], are_leaves: 0 },
        Beginning::Leaves(item) => {
            Root { words: [0, 1].map(|side| item.first[side] | (item.two >> side & 1) << 30), are_leaves: 1 }
        }
    }
}

/// The device buffers of a batch that groups answer.
#[derive(Debug)]
pub(super) struct Groups {
    device: Device,
    teams: Teams,
    room: GroupSettings,
    most_questions: usize,
    /// Number of groups.
    count: u32,
    settings: Lent,
    pairs: Lent,
    /// The input with which the device places pairs: frames, pieces of trees, and pairs.
    frames: Lent,
    pieces: Lent,
    unplaced: Lent,
    roots: Lent,
    records: Lent,
    queue: Lent,
    done: Lent,
    left: Lent,
}

impl Groups {
    /// Makes room for pairs of trees of this total depth. Returns `None` if the trees are too deep.
    pub fn new(
        device: Device,
        limits: &Limits,
        teams: Teams,
        depth: u32,
    ) -> Result<Option<Self>, DeviceError> {
        let Some(room) = room(limits, teams, reserve(depth)) else { return Ok(None) };
        let room = GroupSettings { records: records(device, limits), ..room };
        let most_questions = most_questions(device);
        let count = count(device, limits, teams, WORDS);
        Ok(Some(Self {
            device,
            teams,
            room,
            most_questions,
            count,
            settings: device.lend(Use::Settings, size_of::<GroupSettings>() as u64)?,
            pairs: device.lend(Use::Storage, (most_questions * size_of::<Pair>()) as u64)?,
            frames: device.lend(Use::Storage, (2 * most_questions * size_of::<Frame>()) as u64)?,
            pieces: device.lend(Use::Storage, (2 * most_questions * size_of::<PlacedPiece>()) as u64)?,
            unplaced: device.lend(Use::Storage, (most_questions * size_of::<Unplaced>()) as u64)?,
            roots: device.lend(Use::Storage, (most_questions * size_of::<Root>()) as u64)?,
            records: device.lend(Use::Storage, room.records as u64 * size_of::<Record>() as u64)?,
            queue: device.lend(Use::Storage, size_of::<Queue>() as u64)?,
            done: device.lend(Use::Storage, 4 * most_questions as u64)?,
            left: device.lend(Use::Storage, teams.left(WORDS) as u64 * u64::from(count))?,
        }))
    }

    /// Returns the largest number of questions in a batch.
    pub fn most_questions(&self) -> usize {
        self.most_questions
    }

    /// Returns the launches of a submission.
    pub fn launches(&self, [home, guest]: [&wgpu::Buffer; 2]) -> Result<[Launch<'static>; 2], DeviceError> {
        let Self { device, settings, pairs, roots, records, queue, done, left, .. } = self;
        let of_groups: [&wgpu::Buffer; 9] = [settings, home, guest, pairs, roots, records, queue, done, left];
        let of_records: [&wgpu::Buffer; 6] = [home, guest, pairs, records, queue, done];
        let kernels = GroupKernels::of(device)?;
        let kernel = if self.teams.number == 1 { &kernels.ask_group } else { &kernels.ask_octets };
        Ok([
            kernel.launch(device, &of_groups, self.count),
            ContactKernels::of(device)?.posed_triangles.launch(device, &of_records, device.workgroups()),
        ])
    }

    /// Asks the questions of a batch. `settle` receives the records of each submission, in runs of one pair,
    /// while the device runs the next, and returns the pairs that need no more work. Once groups have taken
    /// all questions, they get as many launches as they have teams, since a team does a part of a group's
    /// work in a step. Returns what they have left then.
    pub fn run(
        &self,
        parts: &[Part],
        placed: &[Placed],
        launches: &[Launch],
        settle: Settle,
    ) -> Result<Left, DeviceError> {
        let Self { device, records, queue, done, room, .. } = self;
        let asked = to_u32(parts.len());
        let first = self.begin(parts, placed)?;
        let first: Vec<Launch> = first.into_iter().chain(launches.iter().cloned()).collect();
        let along = records.size().min((READ_ALONG * size_of::<Record>()) as u64);
        let read = [(&**queue, size_of::<Counts>() as u64), (&**records, along)];
        let mut pending = device.submit(&first, &read)?;
        device.add_to_tally(Tally { launches: (first.len() - launches.len()) as u64, ..Tally::default() });
        let (mut before, mut batches, mut last) = (Counts::zeroed(), 1, 0);
        loop {
            let bytes = device.wait(pending)?;
            let (counts, along) = bytes.split_at(size_of::<Counts>());
            let counts: Counts = bytemuck::pod_read_unaligned(counts);
            let begun = std::mem::take(&mut batches);
            device.add_to_tally(Tally {
                batches: begun,
                pairs: begun * u64::from(asked),
                launches: launches.len() as u64,
                ..work_of(&counts, &before)
            });
            let found = device.values::<Record>(records, counts.records as usize, along)?;
            // Some group may have found no room for its records.
            let is_full = counts.records + RUN > room.records;
            if counts.next >= asked && !is_full {
                last += 1;
            }
            let work = |of: &Counts| [of.next.min(asked), of.box_steps, of.triangle_tests, of.finished];
            let is_stuck = work(&counts) == work(&before);
            if counts.finished == asked {
                settle(&found);
                return Ok(Left::default());
            }
            if counts.finished > asked || is_stuck {
                return Err(DeviceError::Failed("its counts make no sense".to_owned()));
            }
            if last >= self.teams.number {
                settle(&found);
                return left_by_groups(*device, &self.left, self.count, self.teams, WORDS, asked);
            }
            before = counts;
            device.write(queue, std::mem::offset_of!(Counts, records) as u64, bytes_of(&0u32));
            pending = device.submit(launches, &read)?;
            // Where one contact is enough, the device itself marks the pair as done.
            let is_wanted = |pair: &u32| placed[parts[*pair as usize].placed].any == 0;
            for pair in settle(&found).into_iter().filter(is_wanted) {
                device.write(done, 4 * u64::from(pair), bytes_of(&1u32));
            }
        }
    }

    /// Sends the questions and the initial counts to the device. Returns the launch that places the pairs,
    /// unless the CPU has placed them.
    fn begin(&self, parts: &[Part], placed: &[Placed]) -> Result<Option<Launch<'static>>, DeviceError> {
        let device = self.device;
        let settings = GroupSettings { questions: to_u32(parts.len()), ..self.room };
        device.write(&self.settings, 0, bytes_of(&settings));
        let is_placed = placed[parts[0].placed].unplaced.is_none();
        if is_placed {
            device.write_each(&self.pairs, parts.len(), |i| parts[i].pair(&placed[parts[i].placed]));
        } else {
            self.send_unplaced(parts, placed);
        }
        device.write_each(&self.roots, parts.len(), |i| {
            root(parts[i].beginning(&placed[parts[i].placed], to_u32(i)))
        });
        device.write(&self.done, 0, cast_slice(&vec![0u32; parts.len()]));
        device.write(
            &self.left,
            0,
            cast_slice(&vec![[NO_PAIR, 0, 0]; (self.count * self.teams.number) as usize]),
        );
        device.write(&self.queue, 0, bytes_of(&Queue::zeroed()));
        if is_placed {
            return Ok(None);
        }
        let Self { settings, frames, pieces, unplaced, pairs, .. } = self;
        let buffers: [&wgpu::Buffer; 5] = [settings, frames, pieces, unplaced, pairs];
        let workgroups = to_u32(parts.len().div_ceil(PLACED_TOGETHER));
        Ok(Some(GroupKernels::of(&device)?.place_pairs.launch(&device, &buffers, workgroups)))
    }

    /// Sends pairs that the device places: each posed tree and each piece of a tree once.
    fn send_unplaced(&self, parts: &[Part], placed: &[Placed]) {
        let (mut frames, mut pieces) = (Numbered::default(), Numbered::default());
        let numbers: Vec<[[u32; 2]; 2]> = (parts.iter())
            .map(|part| {
                let trees = placed[part.placed].home_first();
                let of_frames = trees.map(|tree| frames.number(posed_tree(tree), tree));
                let of_pieces = [0, 1].map(|side| {
                    let piece = &part.pieces[side];
                    pieces.number((piece.arena, piece.at[0]), (trees[side].tree, piece))
                });
                [of_frames, of_pieces]
            })
            .collect();
        let (frames, pieces) = (frames.items, pieces.items);
        self.device.write_each(&self.frames, frames.len(), |i| Frame::of(frames[i]));
        self.device.write_each(&self.pieces, pieces.len(), |i| {
            let (tree, piece) = pieces[i];
            let [blocks, corners, vertices] = piece.at;
            PlacedPiece { blocks, corners, vertices, ..placing::piece_of(tree) }
        });
        self.device.write_each(&self.unplaced, parts.len(), |i| {
            let unplaced = placed[parts[i].placed].unplaced.as_deref();
            let [frames, pieces] = numbers[i];
            Unplaced { frames, pieces, ..*unplaced.expect("the device places it") }
        });
    }
}
