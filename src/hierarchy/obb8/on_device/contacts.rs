//! The search for contacts: batches of pairs, and the CPU's part in settling what the device leaves undecided.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::arena::Piece;
use super::columns::{BoxItem, GUEST_BIT, LeafItem, Pair, Record};
use super::queue::{Batch, PAIRS, Workspace};
use super::residence::Residence;
use super::{Limits, Placed};
use crate::gpu::{DeviceError, Tally};
use crate::hierarchy::obb8::Child;
use crate::hierarchy::obb8::search::{self, contacts};
use crate::ids::to_u32;
use crate::narrow::Work;

/// Part of a pair of trees: one piece of each, home first.
#[derive(Clone, Copy)]
struct Part {
    placed: usize,
    pieces: [Piece; 2],
}

impl Residence<'_> {
    /// Searches all placed pairs. Returns the contacts as `[index in placed, triangle of a, triangle of b]`, sorted.
    pub(super) fn find_contacts(&self, placed: &[Placed]) -> Result<(Vec<[u32; 3]>, Work), DeviceError> {
        let (mut found, mut work) = (Vec::new(), Work::default());
        if placed.is_empty() {
            return Ok((found, work));
        }
        let depth = placed.iter().map(|p| p.trees[0].tree.depth + p.trees[1].tree.depth).max().unwrap_or(0);
        let stack = self.limits.stack.max(64 + 8 * depth);
        let workspace = Workspace::new(self.device, &Limits { stack, ..self.limits })?;
        // A batch binds one arena of home trees and one of guests.
        let mut parts: BTreeMap<[usize; 2], Vec<Part>> = BTreeMap::new();
        for (index, p) in placed.iter().enumerate() {
            for home in self.pieces(p.trees[p.home].tree) {
                for guest in self.pieces(p.trees[1 - p.home].tree) {
                    let part = Part { placed: index, pieces: [*home, *guest] };
                    parts.entry([home.arena, guest.arena]).or_default().push(part);
                }
            }
        }
        let before = self.device.tally();
        for ([home, guest], parts) in parts {
            let buffers = [self.arenas.buffer(home), self.arenas.buffer(guest)];
            let roots = workspace.roots(depth).ok_or(DeviceError::OutOfMemory)?.min(PAIRS);
            for parts in parts.chunks(roots) {
                let batch = batch(parts, placed);
                workspace.run(&batch, buffers, depth, |records| {
                    let settled: Vec<Settled> =
                        records.par_iter().map(|record| settle(record, parts, placed)).collect();
                    self.take_up(&settled, placed, &mut found, &mut work)
                })?;
            }
        }
        let after = self.device.tally();
        work.box_tests += after.box_tests - before.box_tests;
        work.triangle_tests += after.triangle_tests - before.triangle_tests;
        found.par_sort_unstable();
        Ok((found, work))
    }

    /// Collects settled records. Returns the pairs in the batch that need no more work.
    fn take_up(
        &self,
        settled: &[Settled],
        placed: &[Placed],
        found: &mut Vec<[u32; 3]>,
        work: &mut Work,
    ) -> Vec<u32> {
        let (mut done, mut tally) = (Vec::new(), Tally::default());
        for one in settled {
            let contacts = one.contacts.iter().flatten().map(|&[a, b]| [one.placed, a, b]);
            let from = found.len();
            found.extend(contacts);
            if found.len() > from && placed[one.placed as usize].pair.any != 0 {
                done.push(one.pair);
            }
            work.exact_tests += one.exactly;
            tally.meets += u64::from(one.proven);
            tally.unsure += u64::from(one.unsure);
            tally.extra_unsure += u64::from(one.unsure) - one.exactly;
        }
        self.device.add_to_tally(tally);
        done
    }
}

/// Returns the pairs of a batch, and the item or leaf pair with which each search begins.
fn batch(parts: &[Part], placed: &[Placed]) -> Batch {
    let mut batch = Batch::default();
    for (number, part) in (0..).zip(parts) {
        let [home, guest] = part.pieces;
        let of_both = |i: usize| [home.at[i], guest.at[i]];
        let pair = placed[part.placed].pair;
        batch.pairs.push(Pair { blocks: of_both(0), corners: of_both(1), vertices: of_both(2), ..pair });
        let in_home = |block| BoxItem { pair: number, block, other: guest.lane, unused: 0 };
        let in_guest =
            |block| BoxItem { pair: number, block: block | GUEST_BIT, other: home.lane, unused: 0 };
        match (home.root, guest.root) {
            (Child::Leaf { first: a, count: na }, Child::Leaf { first: b, count: nb }) => {
                batch.leaves.push(LeafItem { pair: number, first: [a, b], two: (na - 1) | (nb - 1) << 1 });
            }
            (Child::Block(block), Child::Leaf { .. }) => batch.items.push(in_home(block)),
            (Child::Leaf { .. }, Child::Block(block)) => batch.items.push(in_guest(block)),
            (Child::Block(of_home), Child::Block(of_guest)) => {
                let is_larger = home.volume >= guest.volume * pair.ratio.powi(3);
                batch.items.push(if is_larger { in_home(of_home) } else { in_guest(of_guest) });
            }
            (Child::None, _) | (_, Child::None) => unreachable!("a piece holds something"),
        }
    }
    batch
}

/// A settled record: up to four contacts, as pairs of mesh triangles.
struct Settled {
    pair: u32,
    placed: u32,
    contacts: [Option<[u32; 2]>; 4],
    proven: u32,
    unsure: u32,
    exactly: u64,
}

/// Decides the undecided triangle pairs of a record with the CPU's kernels.
fn settle(record: &Record, parts: &[Part], placed: &[Placed]) -> Settled {
    let part = &parts[record.pair as usize];
    let p = &placed[part.placed];
    let [mut of_home, mut of_guest] = record.leaves();
    of_home.first += part.pieces[0].first;
    of_guest.first += part.pieces[1].first;
    // Lanes are numbered for home and guest; renumber them if the home tree is b.
    let (leaves, swap) = if p.home == 0 { ([of_home, of_guest], false) } else { ([of_guest, of_home], true) };
    let lanes = |mask: u32| if swap { mask & 9 | (mask & 2) << 1 | (mask & 4) >> 1 } else { mask };
    let (proven, unsure) = (lanes(record.meets()), lanes(record.unsure()));
    let mut work = Work::default();
    let mut meets = proven;
    if unsure != 0 {
        let pair = search::PosedPair::new(p.trees[0], p.trees[1]);
        meets |= contacts::meeting_among(&pair, leaves, unsure, &mut work);
    }
    let triangle = |lane: u32| {
        let trees = p.trees.map(|posed| &posed.tree.triangles);
        [trees[0][(leaves[0].first + lane / 2) as usize], trees[1][(leaves[1].first + lane % 2) as usize]]
    };
    Settled {
        pair: record.pair,
        placed: to_u32(part.placed),
        contacts: [0, 1, 2, 3].map(|lane| (meets >> lane & 1 == 1).then(|| triangle(lane))),
        proven: proven.count_ones(),
        unsure: unsure.count_ones(),
        exactly: work.exact_tests,
    }
}
