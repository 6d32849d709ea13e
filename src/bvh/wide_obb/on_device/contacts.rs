//! The search for contacts: batches of pairs, and the CPU's part in settling what the device leaves
//! undecided.

use super::columns::{NO_PAIR, Record};
use super::contact_groups::ContactGroups;
use super::groups::{OCTETS, ONE_TEAM, Teams};
use super::parts::{Batch, Part, batch, depth, depth_of, swapped_lanes};
use super::queue::{Workspace, reserve};
use super::residence::Residence;
use super::{Limits, Placed};
use crate::bvh::wide_obb::search::{self, contacts};
use crate::gpu::{DeviceError, Tally};
use crate::narrow::Work;
use closefit_geometry::parallel;

/// Contacts of several pairs, in order, as places of triangles in the two trees of each.
type Places = Vec<Vec<[u32; 2]>>;

/// Runs of records, each of one pair.
type Runs<'r> = &'r [&'r [Record]];

/// Largest number of records of a pair that one task settles.
const TASK: usize = 1 << 10;

/// Number of a pair's runs that are settled at once, and number of runs per task.
const SEVERAL: usize = 1 << 10;
const FEW: usize = 8;

/// Least number of questions that groups answer on a GPU. With fewer, most groups would idle, and a hard
/// question is faster in rounds.
const GROUPS_FROM: u32 = 256;

/// Largest number of triangles of two trees for which octets search all contacts. A thousand poses of two
/// tori take so many steps that open boxes, by one team of 32 lanes and by octets: 7 580 and 7 003 if the
/// tori have 200 triangles together, 13 043 and 13 048 if they have 400, 21 266 and 22 464 if they have 800.
const FEW_TRIANGLES: usize = 400;

/// Returns the teams that search a pair: octets where one contact is enough or triangles are few, unless the
/// trees are too deep for them. For one contact, octets open fewer boxes: a thousand poses of two tori of
/// 10 000 triangles take 5 985 steps that open boxes instead of 8 775, and 304 that test leaf pairs instead
/// of 769.
fn teams_for(placed: &Placed) -> Teams {
    let triangles: usize = placed.trees.iter().map(|posed| posed.tree.triangles.len()).sum();
    let is_easy = placed.any == 1 || triangles <= FEW_TRIANGLES;
    if is_easy && reserve(depth_of(placed)) <= OCTETS.stack { OCTETS } else { ONE_TEAM }
}

impl Residence {
    /// Searches all placed pairs for contacts. Returns those of each as places in its two trees, in no order:
    /// up to one more than `most`, or one if that is enough. Groups of lanes answer many questions.
    /// Rounds finish the questions that groups leave, and answer few questions.
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
            let are_many = parts.len() >= self.groups_from();
            let left = if are_many {
                self.ask_groups(arenas, parts, depth, &mut rounds, &mut answers)?
            } else {
                parts
            };
            if !left.is_empty() {
                let rounds = Rounds::of(&mut rounds, self, depth)?;
                let batches = left.chunks(rounds.roots).map(|parts| (batch(parts, placed), parts.to_vec()));
                rounds.search(arenas, batches, &mut answers)?;
            }
        }
        let after = self.device.tally();
        let Answers { found, mut work, tally, .. } = answers;
        self.device.add_to_tally(tally);
        work.box_tests += after.box_tests - before.box_tests;
        work.triangle_tests += after.triangle_tests - before.triangle_tests;
        Ok((found, work))
    }

    /// Asks groups about parts of pairs, and rounds about what groups leave. Returns the parts whose trees
    /// are too deep for groups.
    fn ask_groups(
        &self,
        arenas: [&wgpu::Buffer; 2],
        parts: Vec<Part>,
        depth: u32,
        rounds: &mut Option<Rounds>,
        answers: &mut Answers,
    ) -> Result<Vec<Part>, DeviceError> {
        let placed = answers.placed;
        let (of_octets, of_one_team): (Vec<Part>, Vec<Part>) =
            parts.into_iter().partition(|part| teams_for(&placed[part.placed]) == OCTETS);
        let mut too_deep = Vec::new();
        for (teams, parts) in [(OCTETS, of_octets), (ONE_TEAM, of_one_team)] {
            let Some(deepest) = parts.iter().map(|part| depth_of(&placed[part.placed])).max() else {
                continue;
            };
            let Some(groups) = ContactGroups::new(self.device, &self.limits, teams, deepest)? else {
                too_deep.extend(parts);
                continue;
            };
            let launches = groups.launches(arenas)?;
            // The device places some pairs, and the CPU the others.
            let (some, others): (Vec<Part>, Vec<Part>) =
                parts.into_iter().partition(|part| placed[part.placed].unplaced.is_some());
            let most = groups.most_questions();
            for parts in some.chunks(most).chain(others.chunks(most)) {
                let mut settle = |records: &[Record]| answers.take_up(records, parts);
                let left = groups.run(parts, placed, &launches, &mut settle)?;
                if !left.is_empty() {
                    let rounds = Rounds::of(rounds, self, depth)?;
                    rounds.search(arenas, left.batches(parts, placed, rounds.roots), answers)?;
                }
            }
        }
        Ok(too_deep)
    }

    /// Returns the least number of questions that groups answer.
    pub(super) fn groups_from(&self) -> usize {
        let default = if self.device.is_software() { u32::MAX } else { GROUPS_FROM };
        self.limits.groups_from.unwrap_or(default) as usize
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
            let limits = Limits { stack, ..residence.limits };
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
            self.workspace.run(&batch, &submission, self.depth, &mut settle)?;
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
        let (placed, most) = (self.placed, self.most);
        let runs = by_pair(records);
        let of_run = |run: &&[Record]| parts[run[0].pair as usize].placed;
        let of_placed: Vec<(Vec<[u32; 2]>, Runs)> = runs
            .chunk_by(|one, next| of_run(one) == of_run(next))
            .map(|runs| (std::mem::take(&mut self.found[of_run(&runs[0])]), runs))
            .collect();
        let all = parallel::map_owned(of_placed, parallel::SMALL, |_, (contacts, runs)| {
            let wanted = match placed[of_run(&runs[0])].any {
                0 => most.saturating_add(1),
                _ => 1,
            };
            collected(contacts, runs, wanted, parts, placed)
        });
        let mut done = Vec::new();
        for mut one in all {
            self.found[one.placed] = one.contacts;
            done.append(&mut one.done);
            self.work.exact_tests += one.exactly;
            self.tally.meets += one.proven;
            self.tally.unsure += one.unsure;
            self.tally.extra_unsure += one.unsure - one.exactly;
        }
        done
    }
}

/// Settles runs of records of one placed pair, and adds its contacts, up to as many as are wanted.
fn collected(
    contacts: Vec<[u32; 2]>,
    runs: Runs,
    wanted: usize,
    parts: &[Part],
    placed: &[Placed],
) -> Settled {
    let mut all = Settled { placed: parts[runs[0][0].pair as usize].placed, contacts, ..Settled::default() };
    for runs in runs.chunks(SEVERAL) {
        if runs.len() <= FEW {
            runs.iter().for_each(|run| settle(run, parts, placed, &mut all));
        } else {
            // A pair with many records has several threads.
            let settled = parallel::map_runs(runs.len(), FEW, |numbers| {
                let mut some = Settled::default();
                numbers.for_each(|number| settle(runs[number], parts, placed, &mut some));
                some
            });
            settled.into_iter().for_each(|some| all.add(some));
        }
        if all.contacts.len() >= wanted {
            all.contacts.truncate(wanted);
            all.done.extend(runs.iter().map(|run| run[0].pair));
        }
    }
    all.done.dedup();
    all
}

/// Settled records of one placed pair.
#[derive(Default)]
struct Settled {
    placed: usize,
    /// Places of triangles in the trees.
    contacts: Vec<[u32; 2]>,
    /// The pairs in the batch that need no more work.
    done: Vec<u32>,
    proven: u64,
    unsure: u64,
    exactly: u64,
}

impl Settled {
    fn add(&mut self, mut other: Self) {
        self.contacts.append(&mut other.contacts);
        self.proven += other.proven;
        self.unsure += other.unsure;
        self.exactly += other.exactly;
    }
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

/// Decides the undecided triangle pairs of a run of records of one pair with the CPU's kernels, and adds all
/// that meet.
fn settle(records: &[Record], parts: &[Part], placed: &[Placed], all: &mut Settled) {
    let part = &parts[records[0].pair as usize];
    let p = &placed[part.placed];
    let mut work = Work::default();
    all.contacts.reserve(records.len());
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
        all.contacts.extend(lanes.map(|lane| [leaves[0].first + lane / 2, leaves[1].first + lane % 2]));
        all.proven += u64::from(proven.count_ones());
        all.unsure += u64::from(unsure.count_ones());
    }
    all.exactly += work.exact_tests;
}
