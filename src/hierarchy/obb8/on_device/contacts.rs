//! The search for contacts: batches of pairs, and the CPU's part in settling what the device leaves
//! undecided.

use rayon::prelude::*;

use super::columns::Record;
use super::parts::{Part, batch, depth, swapped_lanes};
use super::queue::Workspace;
use super::residence::Residence;
use super::{Limits, Placed};
use crate::gpu::{DeviceError, Tally};
use crate::hierarchy::obb8::search::{self, contacts};
use crate::narrow::Work;
use closefit_geometry::ids::to_u32;

impl Residence {
    /// Searches all placed pairs for contacts. Returns them as `[index in placed, place in a, place in b]`,
    /// in no order: up to one more than `most` for each pair, or one if that is enough.
    pub(super) fn find_contacts(
        &self,
        placed: &[Placed],
        most: usize,
    ) -> Result<(Vec<[u32; 3]>, Work), DeviceError> {
        let (mut found, mut work) = (Vec::new(), Work::default());
        let wanted = |p: &Placed| if p.pair.any == 0 { most.saturating_add(1) } else { 1 };
        let mut wanted: Vec<usize> = placed.iter().map(wanted).collect();
        if placed.is_empty() {
            return Ok((found, work));
        }
        let depth = depth(placed);
        let stack = self.limits.stack.max(64 + 8 * depth);
        let workspace = Workspace::new(self.device, &Limits { stack, fronts: 0, ..self.limits })?;
        let before = self.device.tally();
        for ([home, guest], parts) in self.parts(placed) {
            let submission =
                workspace.contact_launches([self.arenas.buffer(home), self.arenas.buffer(guest)])?;
            let roots = workspace.roots(depth).ok_or(DeviceError::OutOfMemory)?;
            for parts in parts.chunks(roots) {
                let batch = batch(parts, placed);
                let mut settle_all = |records: Vec<Record>| {
                    let settled: Vec<Settled> =
                        records.par_iter().map(|record| settle(record, parts, placed)).collect();
                    self.take_up(&settled, &mut wanted, &mut found, &mut work)
                };
                workspace.run(&batch, &submission, depth, Some(&mut settle_all))?;
            }
        }
        let after = self.device.tally();
        work.box_tests += after.box_tests - before.box_tests;
        work.triangle_tests += after.triangle_tests - before.triangle_tests;
        Ok((found, work))
    }

    /// Collects settled records, as many contacts of each placed pair as are still wanted. Returns the pairs
    /// in the batch that need no more work.
    fn take_up(
        &self,
        settled: &[Settled],
        wanted: &mut [usize],
        found: &mut Vec<[u32; 3]>,
        work: &mut Work,
    ) -> Vec<u32> {
        let (mut done, mut tally) = (Vec::new(), Tally::default());
        for one in settled {
            let wanted = &mut wanted[one.placed as usize];
            let contacts = one.contacts.iter().flatten().map(|&[a, b]| [one.placed, a, b]);
            let from = found.len();
            found.extend(contacts.take(*wanted));
            *wanted -= found.len() - from;
            if *wanted == 0 {
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

/// A settled record: up to four contacts, as places of triangles in the trees.
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
    let (leaves, is_swapped) = part.in_order(p, record.leaves());
    let lanes = |mask: u32| if is_swapped { swapped_lanes(mask) } else { mask };
    let (proven, unsure) = (lanes(record.meets()), lanes(record.unsure()));
    let mut work = Work::default();
    let mut meets = proven;
    if unsure != 0 {
        let pair = search::PosedPair::new(p.trees[0], p.trees[1]);
        meets |= contacts::meeting_among(&pair, leaves, unsure, &mut work);
    }
    let places = |lane: u32| [leaves[0].first + lane / 2, leaves[1].first + lane % 2];
    Settled {
        pair: record.pair,
        placed: to_u32(part.placed),
        contacts: [0, 1, 2, 3].map(|lane| (meets >> lane & 1 == 1).then(|| places(lane))),
        proven: proven.count_ones(),
        unsure: unsure.count_ones(),
        exactly: work.exact_tests,
    }
}
