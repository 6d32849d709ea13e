//! Contact search for many pairs of trees at once on a compute device.
//!
//! The device follows the scheme of `search/staged`. The boxes of all pairs lie on one stack that cannot overflow
//! (`queue`, and the kernel `plan`), and `box_box` opens them in rounds. Leaf pairs go to a buffer that
//! `triangle_triangle` empties before it fills. The trees lie in a few large buffers (`arena`). Each pair is placed
//! once, in fixed point (`placing`, `fixed_point`), because only integer arithmetic is exact on every device. Triangle
//! pairs that remain undecided are tested again by `posed_triangles`, at the corners and with the arithmetic of the
//! CPU's kernel. Pairs that the device proves apart or in contact are final; the CPU decides the others. The answers
//! are therefore those of any other search.

pub mod arena;
pub mod columns;
pub mod fixed_point;
pub mod kernels;
mod placing;
mod queue;

use std::collections::BTreeMap;
use std::marker::PhantomData;

use hashbrown::HashMap;
use rayon::prelude::*;

use super::posed::Posed;
use super::search::staged::{Answer, Question};
use super::search::{self, contacts};
use super::{Child, Obb8};
use crate::gpu::{Device, DeviceError, Refused, Tally};
use crate::ids::to_u32;
use crate::narrow::Work;
use arena::{Arenas, Piece};
use columns::{BoxItem, GUEST_BIT, LeafItem, Pair, Record};
use placing::Refusal;
use queue::{Batch, PAIRS, Workspace};

/// Limits on device memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Largest size of one arena of trees, in bytes.
    pub arena: u64,
    /// Capacity of the stack, in items. Raised if the deepest pair of trees needs more.
    pub stack: u32,
    /// Capacity of the buffer of leaf pairs, and of that of records.
    pub leaves: u32,
    /// Largest number of items that one round opens.
    pub round: u32,
}

impl Default for Limits {
    /// Returns limits that take 48 MiB besides the trees: 16 for the stack, 16 for leaf pairs and 16 for records.
    fn default() -> Self {
        Self { arena: u64::MAX, stack: 1 << 20, leaves: 1 << 20, round: 1 << 17 }
    }
}

/// The trees in device memory, and the searches over them.
#[derive(Debug)]
pub struct Residence<'a> {
    device: Device,
    limits: Limits,
    arenas: Arenas,
    /// Pieces of each tree by its address, which is stable because the tree is borrowed. `None` if the device cannot
    /// hold it.
    trees: HashMap<usize, Option<Vec<Piece>>>,
    borrowed: PhantomData<&'a Obb8>,
}

/// A question that the device can answer, with its pair of trees placed.
struct Placed<'a, 'q> {
    /// Index of the question.
    number: usize,
    trees: [&'q Posed<'a>; 2],
    /// Index of the home tree, 0 or 1.
    home: usize,
    pair: Pair,
}

/// Part of a question: one piece of each tree, home first.
#[derive(Clone, Copy)]
struct Part {
    placed: usize,
    pieces: [Piece; 2],
}

impl<'a> Residence<'a> {
    /// Creates a residence without trees.
    pub fn new(device: Device, limits: Limits) -> Self {
        Self {
            device,
            limits,
            arenas: Arenas::new(device, limits.arena),
            trees: HashMap::new(),
            borrowed: PhantomData,
        }
    }

    /// Returns the device.
    pub fn device(&self) -> Device {
        self.device
    }

    /// Returns the number of bytes that the trees take on the device.
    pub fn bytes(&self) -> u64 {
        self.arenas.bytes()
    }

    /// Returns the contacts of each pair, in order. All the work counts as that of the first pair. Returns `None` if
    /// the device fails; the caller then continues on the CPU.
    pub fn contacts_of_all(&mut self, pairs: &[[&Posed<'a>; 2]]) -> Option<Vec<(Vec<[u32; 2]>, Work)>> {
        let questions: Vec<_> = pairs.iter().map(|&[a, b]| (a, b, Question::Contacts)).collect();
        let (answers, mut work) = self.ask(&questions).ok()?;
        let contacts = answers.into_iter().map(|answer| match answer {
            Answer::Contacts(contacts) => (contacts, std::mem::take(&mut work)),
            _ => unreachable!("contacts were asked for"),
        });
        Some(contacts.collect())
    }

    /// Returns the answers to questions about pairs of placed trees, in order, and the work done. The device searches
    /// for contacts; the CPU does everything else.
    ///
    /// # Errors
    /// [`DeviceError`] if the device fails; no question is answered then.
    pub fn ask(
        &mut self,
        questions: &[(&Posed<'a>, &Posed<'a>, Question)],
    ) -> Result<(Vec<Answer>, Work), DeviceError> {
        self.settle_in(questions)?;
        let tried: Vec<Result<Placed<'a, '_>, Option<Refusal>>> = questions
            .par_iter()
            .enumerate()
            .map(|(number, question)| self.placed(number, question))
            .collect();
        let (mut placed, mut left, mut refused) = (Vec::new(), Vec::new(), Refused::default());
        for (i, one) in tried.into_iter().enumerate() {
            match one {
                Ok(one) => placed.push(one),
                Err(reason) => {
                    left.push(i);
                    refused += reason.map(Refusal::counted).unwrap_or_default();
                }
            }
        }
        let own = |&i: &usize| {
            let (a, b, question) = questions[i];
            let mut work = Work::default();
            (question.ask(a, b, &mut work), work)
        };
        let (searched, own): (_, Vec<(Answer, Work)>) =
            rayon::join(|| self.search(&placed), || left.par_iter().map(own).collect());
        let (found, mut work) = searched?;
        self.device.add_to_tally(Tally { refused, ..Tally::default() });

        let mut answers: Vec<Answer> =
            questions.iter().map(|(.., question)| nothing_found(*question)).collect();
        for (i, (answer, done)) in left.into_iter().zip(own) {
            answers[i] = answer;
            work += done;
        }
        for [index, a, b] in found {
            match &mut answers[placed[index as usize].number] {
                Answer::Contacts(contacts) => contacts.push([a, b]),
                touches => *touches = Answer::Touches(true),
            }
        }
        Ok((answers, work))
    }

    /// Sends the trees to the device that it does not hold yet.
    fn settle_in(&mut self, questions: &[(&Posed<'a>, &Posed<'a>, Question)]) -> Result<(), DeviceError> {
        let mut new: Vec<&'a Obb8> = Vec::new();
        for tree in questions.iter().flat_map(|(a, b, _)| [a.tree, b.tree]) {
            if !self.trees.contains_key(&address(tree)) {
                self.trees.insert(address(tree), None);
                new.push(tree);
            }
        }
        for (tree, pieces) in new.iter().zip(self.arenas.reside(&new)?) {
            self.trees.insert(address(tree), pieces);
        }
        Ok(())
    }

    /// Places the trees of a question.
    ///
    /// # Errors
    /// The reason why the CPU has to answer it; `None` for a distance.
    fn placed<'q>(
        &self,
        number: usize,
        &(a, b, question): &(&'q Posed<'a>, &'q Posed<'a>, Question),
    ) -> Result<Placed<'a, 'q>, Option<Refusal>> {
        let resides = |tree: &Obb8| self.trees.get(&address(tree)).is_some_and(Option::is_some);
        let any = match question {
            Question::Contacts => 0,
            Question::Touches => 1,
            Question::Within(_) => return Err(None),
        };
        if !(resides(a.tree) && resides(b.tree)) {
            return Err(Some(Refusal::NotFinite));
        }
        let (home, pair) = placing::place([a, b])?;
        Ok(Placed { number, trees: [a, b], home, pair: Pair { any, ..pair } })
    }

    fn pieces(&self, tree: &Obb8) -> &[Piece] {
        self.trees[&address(tree)].as_deref().expect("it resides")
    }

    /// Searches all placed pairs. Returns the contacts as `[index in placed, triangle of a, triangle of b]`, sorted.
    fn search(&self, placed: &[Placed]) -> Result<(Vec<[u32; 3]>, Work), DeviceError> {
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

fn address(tree: &Obb8) -> usize {
    std::ptr::from_ref(tree).addr()
}

fn nothing_found(question: Question) -> Answer {
    match question {
        Question::Contacts => Answer::Contacts(Vec::new()),
        Question::Touches => Answer::Touches(false),
        Question::Within(_) => Answer::Within(None),
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
