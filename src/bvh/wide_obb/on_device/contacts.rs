//! The search for contacts: batches of pairs, and the CPU's part in settling what the device leaves
//! undecided.

use super::columns::{NO_PAIR, Record};
use super::groups::{Groups, Questions};
use super::parts::{Batch, Part, batch, depth, swapped_lanes};
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
    /// up to one more than `most`, or one if that is enough. Groups of lanes answer many questions, and what
    /// they leave goes on in rounds, as few questions do.
    pub(super) fn find_contacts(
        &self,
        placed: &[Placed],
        most: usize,
    ) -> Result<(Places, Work), DeviceError> {
        let mut answers = Answers::new(placed, most);
        if placed.is_empty() {
            return Ok((answers.found, answers.work));
        }
        let depth = depth(placed);
        let before = self.device.tally();
        let mut rounds = None;
        for ([home, guest], parts) in self.parts(placed) {
            let arenas = [self.arenas.buffer(home), self.arenas.buffer(guest)];
            let are_many = parts.len() >= self.limits.groups_from as usize;
            let groups = if are_many { Groups::new(self.device, &self.limits, depth)? } else { None };
            match groups {
                Some(groups) => {
                    let launches = groups.launches(arenas)?;
                    for parts in parts.chunks(groups.most_questions()) {
                        let mut settle = |records: &[Record]| answers.take_up(records, parts);
                        let left = groups.run(&Questions::of(parts, placed), &launches, &mut settle)?;
                        if !left.is_empty() {
                            let rounds = Rounds::of(&mut rounds, self, depth)?;
                            rounds.search(arenas, left.batches(parts, placed, rounds.roots), &mut answers)?;
                        }
                    }
                }
                None => {
                    let rounds = Rounds::of(&mut rounds, self, depth)?;
                    let batches =
                        parts.chunks(rounds.roots).map(|parts| (batch(parts, placed), parts.to_vec()));
                    rounds.search(arenas, batches, &mut answers)?;
                }
            }
        }
        let after = self.device.tally();
        let Answers { found, mut work, tally, .. } = answers;
        self.device.add_to_tally(tally);
        work.box_tests += after.box_tests - before.box_tests;
        work.triangle_tests += after.triangle_tests - before.triangle_tests;
        Ok((found, work))
    }
}

/// The search in rounds.
struct Rounds {
    workspace: Workspace,
    depth: u32,
    /// Number of pairs, or of items, with which searches can begin at once.
    roots: usize,
}

impl Rounds {
    /// Returns the rounds, with room for pairs of trees of this total depth: made at the first call.
    fn of<'a>(
        made: &'a mut Option<Self>,
        residence: &Residence,
        depth: u32,
    ) -> Result<&'a Self, DeviceError> {
        if made.is_none() {
            let stack = residence.limits.stack.max(64 + 8 * depth);
            let limits = Limits { stack, fronts: 0, ..residence.limits };
            let workspace = Workspace::new(residence.device, &limits)?;
            let roots = workspace.roots(depth).ok_or(DeviceError::OutOfMemory)?;
            *made = Some(Self { workspace, depth, roots });
        }
        Ok(made.as_ref().expect("it was made"))
    }

    /// Searches batches of parts.
    fn search(
        &self,
        arenas: [&wgpu::Buffer; 2],
        batches: impl IntoIterator<Item = (Batch, Vec<Part>)>,
        answers: &mut Answers,
    ) -> Result<(), DeviceError> {
        let submission = self.workspace.contact_launches(arenas)?;
        for (batch, parts) in batches {
            let mut settle = |records: &[Record]| answers.take_up(records, &parts);
            self.workspace.run(&batch, &submission, self.depth, Some(&mut settle))?;
        }
        Ok(())
    }
}

/// The contacts found so far.
struct Answers<'p, 'a, 'q> {
    placed: &'p [Placed<'a, 'q>],
    most: usize,
    found: Places,
    work: Work,
    tally: Tally,
}

impl<'p, 'a, 'q> Answers<'p, 'a, 'q> {
    fn new(placed: &'p [Placed<'a, 'q>], most: usize) -> Self {
        let found = vec![Vec::new(); placed.len()];
        Self { placed, most, found, work: Work::default(), tally: Tally::default() }
    }

    /// Takes up the records of a submission, as many contacts of each placed pair as are wanted. Returns the
    /// pairs in the batch that need no more work.
    fn take_up(&mut self, records: &[Record], parts: &[Part]) -> Vec<u32> {
        let placed = self.placed;
        let settled =
            parallel::map_items(&by_pair(records), parallel::SMALL, |run| settle(run, parts, placed));
        let mut of_pairs: Vec<(Vec<[u32; 2]>, Vec<Settled>)> = Vec::new();
        for one in settled {
            self.work.exact_tests += one.exactly;
            self.tally.meets += one.proven;
            self.tally.unsure += one.unsure;
            self.tally.extra_unsure += one.unsure - one.exactly;
            match of_pairs.last_mut().filter(|(_, last)| last[0].placed == one.placed) {
                Some((_, last)) => last.push(one),
                None => of_pairs.push((std::mem::take(&mut self.found[one.placed]), vec![one])),
            }
        }
        let collected = parallel::map_owned(of_pairs, parallel::SMALL, |_, (contacts, settled)| {
            let wanted = match placed[settled[0].placed].pair.any {
                0 => self.most.saturating_add(1),
                _ => 1,
            };
            collected(contacts, settled, wanted)
        });
        let mut done = Vec::new();
        for (placed, contacts, mut pairs) in collected {
            self.found[placed] = contacts;
            done.append(&mut pairs);
        }
        done
    }
}

/// Adds settled records of a placed pair to its contacts, up to as many as are wanted. Returns the pair, its
/// contacts, and the pairs in the batch that need no more work.
fn collected(
    mut contacts: Vec<[u32; 2]>,
    settled: Vec<Settled>,
    wanted: usize,
) -> (usize, Vec<[u32; 2]>, Vec<u32>) {
    let (placed, mut done) = (settled[0].placed, Vec::new());
    for mut one in settled {
        contacts.append(&mut one.contacts);
        contacts.truncate(wanted);
        if contacts.len() == wanted {
            done.push(one.pair);
        }
    }
    (placed, contacts, done)
}

/// Returns the runs of records of one pair, sorted by pair.
fn by_pair(records: &[Record]) -> Vec<&[Record]> {
    let mut runs = parallel::gather(records.len().div_ceil(TASK), 1, |numbers, runs: &mut Vec<&[Record]>| {
        for number in numbers {
            let some = &records[number * TASK..records.len().min((number + 1) * TASK)];
            runs.extend(
                some.chunk_by(|one, next| one.pair == next.pair).filter(|run| run[0].pair != NO_PAIR),
            );
        }
    });
    parallel::sort_unstable_by_key(&mut runs, |run| run[0].pair);
    runs
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
