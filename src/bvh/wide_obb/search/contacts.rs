//! Searches for the pairs of triangles in contact.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use super::{Leaf, Opened, PosedPair, Slots, Step, leaf_of, place, used};
use crate::bvh::wide_obb::kernels::Kernels;
use crate::bvh::wide_obb::posed::PosedWideObb;
use crate::narrow::Work;
use crate::narrow::posed_leaf::Side;
use crate::narrow::triangle_triangle::Contacts;
use closefit_geometry::exact::contact::triangles_meet;
use closefit_geometry::executor::execute;
use closefit_geometry::lanes::LANES;
use closefit_geometry::parallel;

/// Buffers reused between queries: nothing is allocated once they have grown.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    stack: Vec<Slots>,
}

/// Contacts for which there is room at first: more than two cubes have.
const FEW: usize = 24;

/// Contacts from which on threads share their sorting: fewer are sorted before other threads have begun.
const MANY: usize = 1 << 15;

/// The root boxes of both trees.
pub(super) const WHOLE: Slots = [0, 0];

/// Number of box tests for which, where one contact is enough, boxes with near centres are opened first. That
/// finds most contacts sooner and costs longer searches nothing.
const NEAR_FIRST: u64 = 1024;

/// Number of box tests in one share of a large pair: worth a thread's while, and few enough for all threads
/// to end together.
const SHARE: u64 = 1 << 14;

/// True when some triangles are in contact.
pub fn touches(a: &PosedWideObb, b: &PosedWideObb, scratch: &mut Scratch, work: &mut Work) -> bool {
    first(&PosedPair::new(a, b), scratch, work).is_some()
}

/// Returns some pair of leaves with triangles in contact.
pub(super) fn first(pair: &PosedPair, scratch: &mut Scratch, work: &mut Work) -> Option<[Leaf; 2]> {
    found_within(pair, u64::MAX, scratch, work).map(|(leaves, _)| leaves)
}

/// Returns the places of triangles in contact, if some are found within `limit` box tests.
pub(super) fn first_within(
    pair: &PosedPair,
    limit: u64,
    scratch: &mut Scratch,
    work: &mut Work,
) -> Option<[u32; 2]> {
    found_within(pair, limit, scratch, work).map(|(_, places)| places)
}

fn found_within(
    pair: &PosedPair,
    limit: u64,
    scratch: &mut Scratch,
    work: &mut Work,
) -> Option<([Leaf; 2], [u32; 2])> {
    work.begin(pair.frames.as_ref());
    scratch.stack.clear();
    scratch.stack.push(WHOLE);
    let found = execute!(pair.executor, kernels => search(kernels, pair, &mut scratch.stack, limit, NEAR_FIRST, work, |_| (), |leaves, places| {
        ControlFlow::Break((leaves, places))
    }));
    found.break_value()
}

/// Returns all pairs of triangles in contact, sorted.
pub fn contacts(a: &PosedWideObb, b: &PosedWideObb, scratch: &mut Scratch, work: &mut Work) -> Vec<[u32; 2]> {
    let pair = PosedPair::new(a, b);
    work.begin(pair.frames.as_ref());
    scratch.stack.clear();
    scratch.stack.push(WHOLE);
    let mut found = Vec::new();
    collect(&pair, &mut scratch.stack, u64::MAX, work, &mut found);
    found.sort_unstable_by_key(key);
    found
}

/// Two triangles in contact.
#[derive(Clone, Copy, Debug)]
pub struct Contact {
    /// The triangles, by their indices in the meshes.
    pub triangles: [u32; 2],
    /// Their places in the trees.
    pub places: [u32; 2],
}

/// Sets `found` to all [`contacts`], with their places. Nothing is allocated once list and buffers have
/// grown.
pub fn contacts_into(
    a: &PosedWideObb,
    b: &PosedWideObb,
    scratch: &mut Scratch,
    work: &mut Work,
    found: &mut Vec<Contact>,
) {
    let pair = PosedPair::new(a, b);
    work.begin(pair.frames.as_ref());
    scratch.stack.clear();
    scratch.stack.push(WHOLE);
    found.clear();
    let all: ControlFlow<()> = execute!(pair.executor, kernels => search(kernels, &pair, &mut scratch.stack, u64::MAX, 0, work, |_| (), |_, places| {
        found.push(Contact { triangles: pair.triangles(places), places });
        ControlFlow::Continue(())
    }));
    assert!(all.is_continue());
    found.sort_unstable_by_key(|contact| key(&contact.triangles));
}

/// Returns the number of pairs of triangles in contact. Adds the number of boxes tested to `boxes`: `work`
/// also counts the lanes of blocks that have no box.
pub fn count(a: &PosedWideObb, b: &PosedWideObb, work: &mut Work, boxes: &mut u64) -> u64 {
    let pair = PosedPair::new(a, b);
    work.begin(pair.frames.as_ref());
    let (mut stack, mut found) = (vec![WHOLE], 0);
    let blocks = pair.blocks();
    let mut tell = |Opened { side, block }: Opened| {
        *boxes += u64::from(used(&blocks[side][block as usize]).count_ones());
    };
    let all: ControlFlow<()> = execute!(pair.executor, kernels => search(kernels, &pair, &mut stack, u64::MAX, 0, work, &mut tell, |_, _| {
        found += 1;
        ControlFlow::Continue(())
    }));
    assert!(all.is_continue());
    found
}

/// Returns a number that sorts as the pair does; one number is compared in less time than two.
fn key(&[a, b]: &[u32; 2]) -> u64 {
    u64::from(a) << 32 | u64::from(b)
}

/// Returns the [`contacts`] of a possibly large pair, which the threads of the current pool share. If there
/// are more than `most`, returns some of them, more than `most`.
pub fn contacts_in_parallel(
    a: &PosedWideObb,
    b: &PosedWideObb,
    most: usize,
    scratch: &mut Scratch,
    work: &mut Work,
) -> Vec<[u32; 2]> {
    let pair = PosedPair::new(a, b);
    work.begin(pair.frames.as_ref());
    scratch.stack.clear();
    scratch.stack.push(WHOLE);
    let room = Room { most, taken: AtomicUsize::new(0) };
    let mut found = shared(&pair, &mut scratch.stack, &room, work);
    if found.len() < MANY {
        found.sort_unstable_by_key(key);
    } else {
        parallel::sort_unstable_by_key(&mut found, key);
    }
    found
}

/// The number of contacts that tasks may find together, and have found.
struct Room {
    most: usize,
    taken: AtomicUsize,
}

impl Room {
    /// Adds to the number. False once it is too large.
    fn take(&self, more: usize) -> bool {
        self.taken.fetch_add(more, Relaxed) + more <= self.most
    }
}

/// Returns the contacts among the pairs of boxes on a stack, or some of them if there is no room for all. The
/// pairs that remain after one share are dealt to two tasks alternately, because the largest lie lowest.
fn shared(pair: &PosedPair, stack: &mut Vec<Slots>, room: &Room, work: &mut Work) -> Vec<[u32; 2]> {
    let mut found = Vec::new();
    loop {
        let before = found.len();
        collect(pair, stack, SHARE, work, &mut found);
        if !room.take(found.len() - before) || stack.is_empty() {
            return found;
        }
        if stack.len() > 1 {
            break;
        }
    }
    let deal = |from| stack.iter().skip(from).step_by(2).copied().collect::<Vec<_>>();
    let (mut even, mut odd) = (deal(0), deal(1));
    let mut done = Work::default();
    let (left, right) =
        parallel::both(|| shared(pair, &mut even, room, work), || shared(pair, &mut odd, room, &mut done));
    *work += done;
    found.extend(left);
    found.extend(right);
    found
}

fn collect(pair: &PosedPair, stack: &mut Vec<Slots>, limit: u64, work: &mut Work, found: &mut Vec<[u32; 2]>) {
    let all: ControlFlow<()> = execute!(pair.executor, kernels => search(kernels, pair, stack, limit, 0, work, |_| (), |_, places| {
        if found.is_empty() {
            found.reserve(FEW);
        }
        found.push(pair.triangles(places));
        ControlFlow::Continue(())
    }));
    assert!(all.is_continue());
}

/// Pushes the contents of the box to open that meet the other box; on request, with the one whose centre is
/// nearest on top.
#[inline(always)]
fn open(
    kernels: impl Kernels,
    pair: &PosedPair,
    opened: Opened,
    slots: Slots,
    near_first: bool,
    work: &mut Work,
    onto: &mut Vec<Slots>,
) {
    work.box_tests += LANES as u64;
    let facing = pair.facing(opened, slots);
    let mut meeting = facing.meeting(kernels);
    let from = onto.len();
    while meeting != 0 {
        let lane = meeting.trailing_zeros();
        pair.fetch(opened, lane);
        onto.push(opened.to(lane, slots));
        meeting &= meeting - 1;
    }
    if near_first && onto.len() > from + 1 {
        let squared = facing.between_centers(kernels);
        let last = onto.len() - 1;
        let mut nearest = last;
        for i in from..last {
            if squared[place(onto[i][opened.side]).1] < squared[place(onto[nearest][opened.side]).1] {
                nearest = i;
            }
        }
        onto.swap(nearest, last);
    }
}

/// Calls `tell` with each box that is opened, and `visit` with the leaves and places of triangles in
/// contact, among the pairs of boxes on the stack, until it breaks off. After `limit` box tests the search
/// stops and leaves the rest on the stack. For the first `near_first` box tests, boxes with near centres
/// come first.
#[inline(always)]
#[expect(clippy::too_many_arguments, reason = "a loop with two callers and one counter")]
fn search<K: Kernels, B>(
    kernels: K,
    pair: &PosedPair,
    stack: &mut Vec<Slots>,
    limit: u64,
    near_first: u64,
    work: &mut Work,
    mut tell: impl FnMut(Opened),
    mut visit: impl FnMut([Leaf; 2], [u32; 2]) -> ControlFlow<B>,
) -> ControlFlow<B> {
    let mut leaf_pairs = LeafPairs::new(kernels, pair);
    let near_first = work.box_tests + near_first;
    let limit = work.box_tests.saturating_add(limit);
    while work.box_tests < limit
        && let Some(slots) = stack.pop()
    {
        match pair.step(slots) {
            Step::Triangles(leaves) => leaf_pairs.visit(leaves, work, &mut visit)?,
            Step::Open(opened) => {
                tell(opened);
                open(kernels, pair, opened, slots, work.box_tests < near_first, work, stack);
            }
        }
    }
    ControlFlow::Continue(())
}

/// Tests pairs of leaves, which come in runs that share their leaf of the first tree.
pub(super) struct LeafPairs<'a, K: Kernels> {
    kernels: K,
    pair: &'a PosedPair<'a>,
    columns: [K::Columns; 2],
    /// The first triangle of the latest leaf of the first tree, and the leaf.
    posed: (u32, K::Leaf),
}

impl<'a, K: Kernels> LeafPairs<'a, K> {
    #[inline(always)]
    pub(super) fn new(kernels: K, pair: &'a PosedPair<'a>) -> Self {
        let columns = [kernels.columns(&pair.a.pose), kernels.columns(&pair.b.pose)];
        Self { kernels, pair, columns, posed: (u32::MAX, kernels.no_leaf()) }
    }

    /// Calls `visit` for each pair of triangles in contact, with the leaves and the places of the two
    /// triangles, until it breaks off.
    #[inline(always)]
    pub(super) fn visit<B>(
        &mut self,
        [leaf_a, leaf_b]: [Leaf; 2],
        work: &mut Work,
        visit: &mut impl FnMut([Leaf; 2], [u32; 2]) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let Self { kernels, pair, columns: [columns_a, columns_b], posed } = self;
        if posed.0 != leaf_a.first {
            *posed = (leaf_a.first, leaf_of(*kernels, columns_a, pair.a, leaf_a, Side::A));
        }
        let posed_b = leaf_of(*kernels, columns_b, pair.b, leaf_b, Side::B);
        work.triangle_tests += u64::from(leaf_a.count * leaf_b.count);
        let found = kernels.contacts(&posed.1, &posed_b);
        let mut left = meeting_lanes(pair, [leaf_a, leaf_b], found, work);
        while left != 0 {
            let lane = left.trailing_zeros();
            visit([leaf_a, leaf_b], [leaf_a.first + lane / 2, leaf_b.first + lane % 2])?;
            left &= left - 1;
        }
        ControlFlow::Continue(())
    }
}

/// Returns the lanes whose triangles meet, after exact tests of the unsure ones.
#[inline(always)]
fn meeting_lanes(pair: &PosedPair, [a, b]: [Leaf; 2], found: Contacts, work: &mut Work) -> u32 {
    let (mut meets, mut unsure) = (found.meets, found.unsure);
    while unsure != 0 {
        let lane = unsure.trailing_zeros();
        work.exact_tests += 1;
        let [ta, tb] = [pair.a.triangle(a.first + lane / 2), pair.b.triangle(b.first + lane % 2)];
        meets |= u32::from(triangles_meet(&ta, &tb)) << lane;
        unsure &= unsure - 1;
    }
    meets
}

/// True when triangles of two leaves are in contact.
pub(super) fn leaves_touch(pair: &PosedPair, leaves: [Leaf; 2], work: &mut Work) -> bool {
    work.triangle_tests += u64::from(leaves[0].count * leaves[1].count);
    let found = execute!(pair.executor, kernels => contacts_of_leaves(kernels, pair, leaves));
    meeting_lanes(pair, leaves, found, work) != 0
}

/// Returns the given lanes whose triangles are in contact.
#[cfg(feature = "gpu")]
pub(in super::super) fn meeting_among(
    pair: &PosedPair,
    leaves: [Leaf; 2],
    lanes: u32,
    work: &mut Work,
) -> u32 {
    let found = execute!(pair.executor, kernels => contacts_of_leaves(kernels, pair, leaves));
    let among =
        Contacts { meets: found.meets & lanes, apart: found.apart & lanes, unsure: found.unsure & lanes };
    meeting_lanes(pair, leaves, among, work)
}

#[inline(always)]
fn contacts_of_leaves(kernels: impl Kernels, pair: &PosedPair, leaves: [Leaf; 2]) -> Contacts {
    let posed_a = leaf_of(kernels, &kernels.columns(&pair.a.pose), pair.a, leaves[0], Side::A);
    let posed_b = leaf_of(kernels, &kernels.columns(&pair.b.pose), pair.b, leaves[1], Side::B);
    kernels.contacts(&posed_a, &posed_b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bvh::wide_obb::WideObb;
    use closefit_generate::{Request, generate};
    use closefit_geometry::math::pose::Pose;
    use closefit_geometry::mesh::Mesh;
    use closefit_geometry::pool::Pool;

    /// Lanes with a box are counted one by one: all of a full block, and two of a mesh of two leaves.
    #[test]
    fn boxes_are_counted_without_empty_lanes() {
        let torus = Request { name: "tori".to_owned(), size: Some(4_000), seed: 0, soup: false };
        let torus = generate(&torus).unwrap().meshes[0].clone();
        let corner = |x: f64| [[x, 0.0, 0.0], [x + 1.0, 0.0, 0.0], [x, 1.0, 0.0]];
        let corners: Vec<[f64; 3]> = (0..4).flat_map(|i| corner(f64::from(i) * 10.0)).collect();
        let four = Mesh::new(&corners, &[[0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 10, 11]]).unwrap();
        let counts = |mesh: &Mesh, x: f64| {
            let tree = WideObb::build(mesh);
            let [a, b] = [0.0, x].map(|x| PosedWideObb::new(&tree, &Pose::translation([x, 0.0, 0.0])));
            let (mut work, mut boxes, mut other) = (Work::default(), 0, Work::default());
            let found = count(&a, &b, &mut work, &mut boxes);
            assert_eq!(found, contacts(&a, &b, &mut Scratch::default(), &mut other).len() as u64);
            assert_eq!(work, other);
            let lanes = tree.blocks.iter().map(|block| u64::from(used(block).count_ones()));
            (boxes, work.box_tests, lanes.sum::<u64>() as f64 / (tree.blocks.len() * LANES) as f64)
        };
        let (boxes, lanes, share) = counts(&torus, 1e-3);
        assert!(
            boxes < lanes && (boxes as f64 / lanes as f64 - share).abs() < 0.15,
            "{boxes} {lanes} {share}"
        );
        let (boxes, lanes, _) = counts(&four, 1e-3);
        assert_eq!(4 * boxes, lanes, "two boxes in a block of eight");
    }

    /// A torus nearly coincident with itself gives many shares.
    #[test]
    fn threads_find_what_one_finds() {
        let request = Request { name: "tori".to_owned(), size: Some(4_000), seed: 0, soup: false };
        let tree = WideObb::build(&generate(&request).unwrap().meshes[0]);
        let [a, b] = [0.0, 1e-3].map(|x| PosedWideObb::new(&tree, &Pose::translation([x, 0.0, 0.0])));
        let mut alone = Work::default();
        let expected = contacts(&a, &b, &mut Scratch::default(), &mut alone);
        assert!(alone.box_tests > 2 * SHARE && !expected.is_empty(), "{alone:?} {}", expected.len());
        for threads in [1, 2, 5] {
            let mut work = Work::default();
            let find = || contacts_in_parallel(&a, &b, usize::MAX, &mut Scratch::default(), &mut work);
            let found = Pool::of(threads).install(find).expect("threads");
            assert_eq!(found, expected);
            assert_eq!(work, alone);
            for most in [0, 1, expected.len() / 2, expected.len() - 1] {
                let some = contacts_in_parallel(&a, &b, most, &mut Scratch::default(), &mut work);
                assert!(some.len() > most && some.iter().all(|pair| expected.binary_search(pair).is_ok()));
            }
        }
    }
}
