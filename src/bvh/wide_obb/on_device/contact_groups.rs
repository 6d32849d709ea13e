//! Searches for contacts by groups of lanes, which answer a question each, or four: the kernels `ask_group`
//! and `ask_octets`.

use std::hash::Hash;

use bytemuck::{Zeroable, bytes_of, cast_slice};
use hashbrown::HashMap;

use super::columns::{Counts, Record};
use super::frames::{Frame, PlacedPiece, Unplaced};
use super::groups::{GroupBuffers, Left, ONE_TEAM, RUN, Teams, work_of};
use super::kernels::{ContactKernels, GroupKernels};
use super::parts::Part;
use super::queue::{READ_ALONG, Settle, reserve};
use super::{Limits, Placed, placing};
use crate::bvh::wide_obb::posed::PosedWideObb;
use crate::gpu::{Device, DeviceError, Launch, Lent, Tally};
use closefit_geometry::ids::to_u32;

/// Words of an item and of a leaf pair.
const WORDS: usize = 2;

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

/// The device buffers of a batch.
#[derive(Debug)]
pub(super) struct ContactGroups {
    of_all: GroupBuffers,
    /// The input with which the device places pairs: frames, pieces of trees, and pairs.
    frames: Lent,
    pieces: Lent,
    unplaced: Lent,
    records: Lent,
    done: Lent,
}

impl ContactGroups {
    /// Makes room for pairs of trees of this total depth. Returns `None` if the trees are too deep.
    pub fn new(
        device: Device,
        limits: &Limits,
        teams: Teams,
        depth: u32,
    ) -> Result<Option<Self>, DeviceError> {
        let of_all = GroupBuffers::new(device, limits, teams, WORDS, reserve(depth))?;
        let Some(of_all) = of_all else { return Ok(None) };
        Ok(Some(Self {
            frames: of_all.each(2 * size_of::<Frame>())?,
            pieces: of_all.each(2 * size_of::<PlacedPiece>())?,
            unplaced: of_all.each(size_of::<Unplaced>())?,
            records: of_all.records(size_of::<Record>())?,
            done: of_all.each(4)?,
            of_all,
        }))
    }

    /// Returns the largest number of questions in a batch.
    pub fn most_questions(&self) -> usize {
        self.of_all.most_questions
    }

    /// Returns the launches of a submission.
    pub fn launches(&self, [home, guest]: [&wgpu::Buffer; 2]) -> Result<[Launch<'static>; 2], DeviceError> {
        let Self { records, done, .. } = self;
        let GroupBuffers { device, teams, settings, pairs, roots, queue, left, count, .. } = &self.of_all;
        let of_groups: [&wgpu::Buffer; 9] = [settings, home, guest, pairs, roots, records, queue, done, left];
        let of_records: [&wgpu::Buffer; 6] = [home, guest, pairs, records, queue, done];
        let kernels = GroupKernels::of(device)?;
        let kernel = if *teams == ONE_TEAM { &kernels.ask_group } else { &kernels.ask_octets };
        Ok([
            kernel.launch(device, &of_groups, *count),
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
        let Self { records, done, .. } = self;
        let GroupBuffers { device, teams, room, queue, .. } = &self.of_all;
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
            if last >= teams.number {
                settle(&found);
                return self.of_all.read_left(asked);
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
        let GroupBuffers { device, settings, pairs, .. } = &self.of_all;
        self.of_all.begin(parts, placed);
        device.write(&self.done, 0, cast_slice(&vec![0u32; parts.len()]));
        if placed[parts[0].placed].unplaced.is_none() {
            device.write_each(pairs, parts.len(), |i| parts[i].pair(&placed[parts[i].placed]));
            return Ok(None);
        }
        self.send_unplaced(parts, placed);
        let Self { frames, pieces, unplaced, .. } = self;
        let buffers: [&wgpu::Buffer; 5] = [settings, frames, pieces, unplaced, pairs];
        let workgroups = to_u32(parts.len().div_ceil(PLACED_TOGETHER));
        Ok(Some(GroupKernels::of(device)?.place_pairs.launch(device, &buffers, workgroups)))
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
        let (frames, pieces, device) = (frames.items, pieces.items, self.of_all.device);
        device.write_each(&self.frames, frames.len(), |i| Frame::of(frames[i]));
        device.write_each(&self.pieces, pieces.len(), |i| {
            let (tree, piece) = pieces[i];
            let [blocks, corners, vertices] = piece.at;
            PlacedPiece { blocks, corners, vertices, ..placing::piece_of(tree) }
        });
        device.write_each(&self.unplaced, parts.len(), |i| {
            let unplaced = placed[parts[i].placed].unplaced.as_deref();
            let [frames, pieces] = numbers[i];
            Unplaced { frames, pieces, ..*unplaced.expect("the device places it") }
        });
    }
}
