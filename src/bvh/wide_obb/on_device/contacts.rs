//! The search for contacts: batches of pairs, and the CPU's part in settling what the device leaves
//! undecided.

use super::columns::Record;
use super::parts::{Part, batch, depth, swapped_lanes};
use super::queue::Workspace;
use super::residence::Residence;
use super::{Limits, Placed};
use crate::bvh::wide_obb::search::{self, contacts};
use crate::gpu::{DeviceError, Tally};
use crate::narrow::Work;
use closefit_geometry::parallel;

/// Contacts of several pairs, in order, as places of triangles in the two trees of each.
type Places = Vec<Vec<[u32; 2]>>;

/// Largest number of records of a pair that one task settles.
const TASK: usize = 1 << 10;

impl Residence {
    /// Searches all placed pairs for contacts. Returns those of each as places in its two trees, in no order:
    /// up to one more than `most`, or one if that is enough.
    pub(super) fn find_contacts(
        &self,
        placed: &[Placed],
        most: usize,
    ) -> Result<(Places, Work), DeviceError> {
        let (mut found, mut work) = (vec![Vec::new(); placed.len()], Work::default());
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
                let mut settle_all = |records: &[Record]| {
                    let of_one_pair = records.chunk_by(|one, next| one.pair == next.pair);
                    let tasks: Vec<&[Record]> = of_one_pair.flat_map(|of_one| of_one.chunks(TASK)).collect();
                    let settled = parallel::map_items(&tasks, 1, |records| settle(records, parts, placed));
                    let wanted = |p: &Placed| if p.pair.any == 0 { most.saturating_add(1) } else { 1 };
                    self.take_up(settled, |index| wanted(&placed[index]), &mut found, &mut work)
                };
                workspace.run(&batch, &submission, depth, Some(&mut settle_all))?;
            }
        }
        let after = self.device.tally();
        work.box_tests += after.box_tests - before.box_tests;
        work.triangle_tests += after.triangle_tests - before.triangle_tests;
        Ok((found, work))
    }

    /// Collects settled records, which are in the order of the placed pairs: as many contacts of each as are
    /// `wanted`. Returns the pairs in the batch that need no more work.
    fn take_up(
        &self,
        settled: Vec<Settled>,
        wanted: impl Fn(usize) -> usize + Sync,
        found: &mut [Vec<[u32; 2]>],
        work: &mut Work,
    ) -> Vec<u32> {
        let mut tally = Tally::default();
        let mut by_placed: Vec<(Vec<[u32; 2]>, Vec<Settled>)> = Vec::new();
        let mut places: Vec<usize> = Vec::new();
        for one in settled {
            work.exact_tests += one.exactly;
            tally.meets += one.proven;
            tally.unsure += one.unsure;
            tally.extra_unsure += one.unsure - one.exactly;
            if places.last() != Some(&one.placed) {
                places.push(one.placed);
                by_placed.push((std::mem::take(&mut found[one.placed]), Vec::new()));
            }
            by_placed.last_mut().expect("there is one now").1.push(one);
        }
        self.device.add_to_tally(tally);
        let collected = parallel::map_owned(by_placed, parallel::SMALL, |at, (mut contacts, settled)| {
            let wanted = wanted(places[at]);
            let mut done = Vec::new();
            for mut one in settled {
                contacts.append(&mut one.contacts);
                contacts.truncate(wanted);
                if contacts.len() == wanted {
                    done.push(one.pair);
                }
            }
            (contacts, done)
        });
        let mut done = Vec::new();
        for (placed, (contacts, mut pairs)) in places.into_iter().zip(collected) {
            found[placed] = contacts;
            done.append(&mut pairs);
        }
        done
    }
}

/// Settled records of one pair.
#[derive(Default)]
struct Settled {
    pair: u32,
    /// Index of the placed pair.
    placed: usize,
    /// Places of triangles in the trees.
    contacts: Vec<[u32; 2]>,
    proven: u64,
    unsure: u64,
    exactly: u64,
}

/// Decides the undecided triangle pairs of records of one pair with the CPU's kernels.
fn settle(records: &[Record], parts: &[Part], placed: &[Placed]) -> Settled {
    let number = records[0].pair;
    let part = &parts[number as usize];
    let p = &placed[part.placed];
    let mut settled = Settled { pair: number, placed: part.placed, ..Settled::default() };
    let mut work = Work::default();
    for record in records {
        let (leaves, is_swapped) = part.in_order(p, record.leaves());
        let lanes = |mask: u32| if is_swapped { swapped_lanes(mask) } else { mask };
        let (proven, unsure) = (lanes(record.meets()), lanes(record.unsure()));
        let mut meets = proven;
        if unsure != 0 {
            let pair = search::PosedPair::new(p.trees[0], p.trees[1]);
            meets |= contacts::meeting_among(&pair, leaves, unsure, &mut work);
        }
        let lanes = (0..4).filter(|lane| meets >> lane & 1 == 1);
        settled.contacts.extend(lanes.map(|lane| [leaves[0].first + lane / 2, leaves[1].first + lane % 2]));
        settled.proven += u64::from(proven.count_ones());
        settled.unsure += u64::from(unsure.count_ones());
    }
    Settled { exactly: work.exact_tests, ..settled }
}
