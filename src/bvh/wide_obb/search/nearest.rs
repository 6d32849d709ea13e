//! Searches for the closest pair of triangles, nearest boxes first.

use std::cell::Cell;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::plateau::Plateau;
use super::{Leaf, PosedPair, Slots, Step, contacts, leaf_of};
use crate::bvh::placement::squared_limit;
use crate::bvh::wide_obb::WideObb;
use crate::bvh::wide_obb::kernels::Kernels;
use crate::bvh::wide_obb::posed::PosedWideObb;
use crate::narrow::along_axes;
use crate::narrow::kernels::LaneDistances;
use crate::narrow::posed_leaf::Side;
use crate::narrow::supported::{self, FewVertices};
use crate::narrow::{Closest, Nearest, SLACK, Work};
use closefit_geometry::exact::contact::triangles_meet;
use closefit_geometry::exact::distance;
use closefit_geometry::executor::execute;
use closefit_geometry::lanes::LANES;

/// Buffers reused between queries: nothing is allocated once they have grown.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    queue: BinaryHeap<Near>,
    stack: Vec<Near>,
    /// Buffers of the search for contacts.
    pub contacts: contacts::Scratch,
    candidates: Vec<Candidate>,
    plateau: Option<Box<Plateau>>,
}

impl Scratch {
    /// Starts a search for candidates with the root boxes.
    #[inline(always)]
    fn begin(&mut self) {
        let Self { queue, stack, candidates, plateau, .. } = self;
        queue.clear();
        stack.clear();
        candidates.clear();
        *plateau = None;
        queue.push(Near::new(0.0, 0, [0, 0]));
    }
}

/// Lends the thread's scratch space. While a query waits for other threads, this one may take up another
/// query, which then starts with an empty scratch space.
pub fn with_scratch<T>(query: impl FnOnce(&mut Scratch) -> T) -> T {
    thread_local! {
        static SCRATCH: Cell<Scratch> = Cell::default();
    }
    let mut scratch = SCRATCH.take();
    let answer = query(&mut scratch);
    SCRATCH.set(scratch);
    answer
}

/// Two boxes that are to be opened.
#[derive(Clone, Copy, Debug)]
struct Near {
    /// The high half is the complement of the bits of a lower bound of the squared distance, in normal units
    /// of the first tree. The bound is 0 or more, so its bits are in the order of the numbers. The low half
    /// is a running number. So the nearest is greatest, and the latest among equals; where all boxes meet,
    /// the search goes for the leaves.
    key: u64,
    slots: Slots,
}

impl Near {
    #[inline(always)]
    fn new(squared: f32, number: u32, slots: Slots) -> Self {
        Self { key: u64::from(!squared.to_bits()) << 32 | u64::from(number), slots }
    }

    #[inline(always)]
    fn squared(&self) -> f32 {
        f32::from_bits(!((self.key >> 32) as u32))
    }
}

impl Ord for Near {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key.cmp(&other.key)
    }
}

impl PartialOrd for Near {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Near {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

impl Eq for Near {}

/// Two triangles that may be the closest, by their places in the trees.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    pub at_least: f64,
    pub at_most: f64,
    pub places: [u32; 2],
}

/// The pair of triangles that a search asks for.
#[derive(Clone, Copy, Debug)]
enum Goal {
    /// The first of the closest.
    Closest,
    /// Any whose distance is at most the bound.
    Within,
    /// Any whose distance is certainly at most this; otherwise, a lower bound of all distances.
    Bound(f64),
}

/// Largest number of box pairs that wait in order of distance. Pairs that do not fit are searched depth
/// first: a longer queue costs more time than it saves.
const LONGEST_QUEUE: usize = 512;

/// Number of box tests spent on looking for a contact first. Testing all separating axes finds it, or proves
/// its absence, sooner than distances do.
const CONTACT_FIRST: u64 = 2048;

/// Number of candidates up to which each one's distance is computed, which costs less than to prove first
/// that it is no smaller than the smallest so far and to fail for some.
const FEW: usize = 16;

/// Number of candidates from which on those that are not proven farther than others are decided at once.
const MANY: usize = 1024;

/// Number of tests for each triangle of two trees from which on a search looks for a direction along which
/// many pairs are as far apart as the last.
const TESTS_A_TRIANGLE: u64 = 8;

/// Returns the closest pair of triangles, if its distance is at most `bound`. In contact, the distance is 0
/// and the pair is any that touches.
pub fn nearest(
    a: &PosedWideObb,
    b: &PosedWideObb,
    bound: f64,
    scratch: &mut Scratch,
    work: &mut Work,
) -> Option<Nearest> {
    search(&PosedPair::new(a, b), bound, None, scratch, work).map(|(nearest, _)| nearest)
}

/// Returns [`nearest`] of trees that are known to have no contact, without looking for one.
pub fn nearest_apart(
    a: &PosedWideObb,
    b: &PosedWideObb,
    bound: f64,
    scratch: &mut Scratch,
    work: &mut Work,
) -> Option<Nearest> {
    closest(&PosedPair::new(a, b), bound, None, scratch, work).map(|(nearest, _)| nearest)
}

/// Returns [`nearest`] of trees of few vertices that are apart, as [`along_axes::nearest`] or
/// [`supported::nearest`] does, or `None`.
pub fn by_vertices(
    a: &PosedWideObb,
    b: &PosedWideObb,
    bound: f64,
    work: &mut Work,
) -> Option<Option<Nearest>> {
    let few = [few_vertices(a)?, few_vertices(b)?];
    along_axes::nearest(&few, bound, work).or_else(|| supported::nearest(few, bound, work))
}

fn few_vertices<'a>(of: &PosedWideObb<'a>) -> Option<FewVertices<'a>> {
    let WideObb { vertices, corners, triangles, .. } = of.tree;
    let pose = of.pose;
    (vertices.len() <= supported::MOST_VERTICES).then_some(FewVertices { vertices, corners, triangles, pose })
}

/// Returns [`nearest`] and the places of its triangles in the trees. A given pair of triangles bounds the
/// search from the start.
pub(super) fn search(
    pair: &PosedPair,
    bound: f64,
    seed: Option<[u32; 2]>,
    scratch: &mut Scratch,
    work: &mut Work,
) -> Option<(Nearest, [u32; 2])> {
    match contacts::first_within(pair, CONTACT_FIRST, &mut scratch.contacts, work) {
        Some(places) => Some(in_contact(pair, places)),
        None => closest(pair, bound, seed, scratch, work),
    }
}

fn in_contact(pair: &PosedPair, places: [u32; 2]) -> (Nearest, [u32; 2]) {
    (Nearest { distance: 0.0, triangles: pair.triangles(places) }, places)
}

/// Does [`search`] by distances alone.
fn closest(
    pair: &PosedPair,
    bound: f64,
    seed: Option<[u32; 2]>,
    scratch: &mut Scratch,
    work: &mut Work,
) -> Option<(Nearest, [u32; 2])> {
    let seeded = first_bound(pair, seed, bound, work);
    match candidates(pair, seeded, Goal::Closest, scratch, work) {
        Some(places) => Some(in_contact(pair, places)),
        None => closest_candidate(pair, seeded, scratch, work),
    }
}

/// Returns an upper bound of the smallest distance, at most `bound`: the distance of the seed, or of other
/// triangles near each other.
fn first_bound(pair: &PosedPair, seed: Option<[u32; 2]>, bound: f64, work: &mut Work) -> f64 {
    let [a, b] = seed.unwrap_or_else(|| execute!(pair.executor, kernels => dive(kernels, pair, work)));
    distance::enclose(&pair.a.triangle(a), &pair.b.triangle(b)).at_most.min(bound)
}

/// Returns two triangles no farther apart than `bound`, if there are any: not always the closest.
pub fn within(
    a: &PosedWideObb,
    b: &PosedWideObb,
    bound: f64,
    scratch: &mut Scratch,
    work: &mut Work,
) -> Option<[u32; 2]> {
    let pair = &PosedPair::new(a, b);
    candidates(pair, bound, Goal::Within, scratch, work)
        .map(|places| pair.triangles(places))
        .or_else(|| closest_candidate(pair, bound, scratch, work).map(|(nearest, _)| nearest.triangles))
}

/// Returns a proven lower bound of the distance, at most `ahead`. Returns `None` as soon as the distance is
/// certainly at most `too_near`, and where nothing is proven.
pub(super) fn at_least(
    pair: &PosedPair,
    ahead: f64,
    too_near: f64,
    scratch: &mut Scratch,
    work: &mut Work,
) -> Option<f64> {
    match candidates(pair, ahead, Goal::Bound(too_near), scratch, work) {
        Some(_) => None,
        None => {
            let bounds = scratch.candidates.iter().map(|candidate| candidate.at_least);
            Some(bounds.fold(ahead, f64::min)).filter(|bound| *bound > 0.0)
        }
    }
}

/// Finds triangles near each other by always entering the box whose centre is nearest. Pairs farther than the
/// distance of these triangles are never queued.
#[inline(always)]
fn dive(kernels: impl Kernels, pair: &PosedPair, work: &mut Work) -> [u32; 2] {
    let mut slots = [0, 0];
    loop {
        let opened = match pair.step(slots) {
            Step::Triangles([leaf_a, leaf_b]) => return [leaf_a.first, leaf_b.first],
            Step::Open(opened) => opened,
        };
        let squared = pair.facing(opened, slots).between_centers(kernels);
        work.box_tests += LANES as u64;
        let mut nearest = 0;
        for lane in 1..LANES {
            if squared[lane] < squared[nearest] {
                nearest = lane;
            }
        }
        slots = opened.to(nearest as u32, slots);
    }
}

/// The end of a loop over pairs of triangles.
enum End {
    /// All pairs were looked at.
    All,
    /// The places of a pair in contact, or of one that is enough for the goal.
    Enough([u32; 2]),
    /// Many candidates were found, or many triangles tested.
    Many(Reached),
}

/// The state of a loop that is to go on.
#[derive(Clone, Copy, Debug)]
struct Reached {
    /// Upper bound of the smallest distance.
    best: f64,
    /// The number of pairs of boxes that were queued.
    pushed: u32,
    /// The places of two triangles near each other.
    near: [u32; 2],
}

/// Collects every pair of triangles whose distance is not proven to exceed the distance of another pair, or
/// `bound`. A pair in contact, or one that is enough for the goal, ends the search; its places are
/// returned.
fn candidates(
    pair: &PosedPair,
    bound: f64,
    goal: Goal,
    scratch: &mut Scratch,
    work: &mut Work,
) -> Option<[u32; 2]> {
    work.begin(pair.frames.as_ref());
    scratch.begin();
    let start = Reached { best: bound, pushed: 0, near: [0; 2] };
    let mut end =
        execute!(pair.executor, kernels => open::<_, false>(kernels, pair, start, goal, scratch, work));
    if let End::Many(reached) = end {
        scratch.plateau = Some(Plateau::within(bound));
        end =
            execute!(pair.executor, kernels => open::<_, true>(kernels, pair, reached, goal, scratch, work));
    }
    let End::Enough(places) = end else { return None };
    scratch.plateau = None;
    Some(places)
}

/// Opens the boxes that wait. Until there are many candidates, the loop has no code for a plateau.
#[inline(always)]
fn open<K: Kernels, const ON_PLATEAU: bool>(
    kernels: K,
    pair: &PosedPair,
    reached: Reached,
    goal: Goal,
    scratch: &mut Scratch,
    work: &mut Work,
) -> End {
    let (a, b) = (pair.a, pair.b);
    let Scratch { queue, stack, candidates, plateau, .. } = scratch;
    let mut waiting = Waiting { held: None, queue, stack, pushed: reached.pushed };
    let mut found = Found::new(candidates, a.scale, reached.best, goal);
    let [columns_a, columns_b] = [kernels.columns(&a.pose), kernels.columns(&b.pose)];
    // Leaf pairs come in runs that share their leaf of a.
    let mut posed = (u32::MAX, kernels.no_leaf());
    if ON_PLATEAU && let Some(places) = found.settle(pair, plateau, Some(reached.near), work) {
        return End::Enough(places);
    }
    let triangles = (a.corners.len() + b.corners.len()) as u64;
    let mut most = work.triangle_tests + most_tests(goal, triangles);
    while let Some(Near { slots, .. }) = waiting.next(found.farthest) {
        if ON_PLATEAU && plateau.as_ref().is_some_and(|plateau| plateau.excludes(slots)) {
            continue;
        }
        match pair.step(slots) {
            Step::Triangles([leaf_a, leaf_b]) => {
                work.triangle_tests += u64::from(leaf_a.count * leaf_b.count);
                if posed.0 != leaf_a.first {
                    posed = (leaf_a.first, leaf_of(kernels, &columns_a, a, leaf_a, Side::A));
                }
                let posed_b = leaf_of(kernels, &columns_b, b, leaf_b, Side::B);
                let left = !kernels.beyond(&posed.1, &posed_b, found.best * SLACK) & 0xf;
                let mut is_many = false;
                if left != 0 {
                    let bounds = kernels.bounds(&posed.1, &posed_b);
                    match found.add(pair, [leaf_a, leaf_b], left, &bounds) {
                        Added::Some => {}
                        Added::Enough(places) => return End::Enough(places),
                        Added::Many => is_many = true,
                    }
                }
                let is_long = work.triangle_tests > most;
                if !is_many && !is_long {
                    continue;
                }
                let near = [leaf_a.first, leaf_b.first];
                if !ON_PLATEAU {
                    let pushed = waiting.pushed;
                    waiting.queue.extend(waiting.held);
                    return End::Many(Reached { best: found.best, pushed, near });
                }
                if let Some(places) = found.settle(pair, plateau, is_long.then_some(near), work) {
                    return End::Enough(places);
                }
                most = if is_long { 2 * work.triangle_tests } else { most };
            }
            Step::Open(opened) => {
                let (mut near, bounds) = pair.near(kernels, opened, slots, found.farthest);
                work.box_tests += LANES as u64;
                let from = waiting.stack.len();
                while near != 0 {
                    let lane = near.trailing_zeros();
                    near &= near - 1;
                    pair.fetch(opened, lane);
                    waiting.push(bounds[lane as usize], opened.to(lane, slots), from);
                }
            }
        }
    }
    prune(found.candidates, found.best);
    End::All
}

/// Returns the closest of the triangles in the given lanes of leaf pairs, and their places, if their distance
/// is at most `bound`. The trees must not be in contact.
#[cfg(feature = "gpu")]
pub(in super::super) fn closest_among(
    pair: &PosedPair,
    bound: f64,
    leaves: impl Iterator<Item = ([Leaf; 2], u32)>,
    work: &mut Work,
) -> Option<(Nearest, [u32; 2])> {
    let mut scratch = Scratch::default();
    execute!(pair.executor, kernels => candidates_among(kernels, pair, bound, leaves, &mut scratch, work));
    closest_candidate(pair, bound, &mut scratch, work)
}

/// Collects the pairs among these triangles whose distance is not proven to exceed the distance of another
/// pair, or `bound`.
#[cfg(feature = "gpu")]
#[inline(always)]
fn candidates_among(
    kernels: impl Kernels,
    pair: &PosedPair,
    bound: f64,
    leaves: impl Iterator<Item = ([Leaf; 2], u32)>,
    scratch: &mut Scratch,
    work: &mut Work,
) {
    let (a, b) = (pair.a, pair.b);
    scratch.begin();
    let Scratch { candidates, plateau, .. } = scratch;
    let mut found = Found::new(candidates, a.scale, bound, Goal::Closest);
    let [columns_a, columns_b] = [kernels.columns(&a.pose), kernels.columns(&b.pose)];
    for (leaves @ [leaf_a, leaf_b], lanes) in leaves {
        let posed_a = leaf_of(kernels, &columns_a, a, leaf_a, Side::A);
        let posed_b = leaf_of(kernels, &columns_b, b, leaf_b, Side::B);
        let left = !kernels.beyond(&posed_a, &posed_b, found.best * SLACK) & lanes;
        if left != 0 {
            let bounds = kernels.bounds(&posed_a, &posed_b);
            let added = found.add(pair, leaves, left, &bounds);
            debug_assert!(!matches!(added, Added::Enough(_)), "the trees are apart");
            if let Added::Many = added {
                plateau.get_or_insert_with(|| Plateau::within(bound));
                found.settle(pair, plateau, None, work);
            }
        }
    }
    prune(found.candidates, found.best);
}

/// Pairs of boxes that wait to be opened, the nearest first.
struct Waiting<'a> {
    /// The nearest pair from the last opened box, which is often the next to be opened.
    held: Option<Near>,
    queue: &'a mut BinaryHeap<Near>,
    /// Pairs that did not fit into the queue. They are opened before the others.
    stack: &'a mut Vec<Near>,
    pushed: u32,
}

impl Waiting<'_> {
    /// Takes the pair to be opened next; `None` once all pairs are farther than `farthest`.
    #[inline(always)]
    fn next(&mut self, farthest: f32) -> Option<Near> {
        while let Some(near) = self.stack.pop() {
            if near.squared() > farthest {
                continue;
            }
            return Some(near);
        }
        let nearest = match self.held.take() {
            None => self.queue.pop()?,
            Some(held) => match self.queue.peek_mut() {
                Some(mut top) if *top > held => std::mem::replace(&mut *top, held),
                _ => held,
            },
        };
        // All other pairs in the queue are no nearer.
        if nearest.squared() > farthest { None } else { Some(nearest) }
    }

    /// Adds a pair. On the stack, pairs above `from` are kept with the nearest on top.
    #[inline(always)]
    fn push(&mut self, squared: f32, slots: Slots, from: usize) {
        self.pushed += 1;
        let near = Near::new(squared, self.pushed, slots);
        if self.queue.len() < LONGEST_QUEUE {
            match self.held.replace(near) {
                Some(nearer) if nearer > near => {
                    self.held = Some(nearer);
                    self.queue.push(near);
                }
                Some(farther) => self.queue.push(farther),
                None => {}
            }
        } else {
            let mut at = self.stack.len();
            self.stack.push(near);
            while at > from && self.stack[at - 1] > near {
                self.stack[at] = self.stack[at - 1];
                at -= 1;
            }
            self.stack[at] = near;
        }
    }
}

/// Returns the number of tests of triangles after which a search looks for a plateau.
fn most_tests(goal: Goal, triangles: u64) -> u64 {
    match goal {
        Goal::Bound(_) => u64::MAX / 2,
        _ => MANY as u64 + TESTS_A_TRIANGLE * triangles,
    }
}

/// The outcome of adding candidates.
enum Added {
    /// A few.
    Some,
    /// A pair that ends the search, by its places.
    Enough([u32; 2]),
    /// Many that are not proven farther than others.
    Many,
}

/// The candidates found so far, and the bounds that exclude others.
struct Found<'a> {
    candidates: &'a mut Vec<Candidate>,
    goal: Goal,
    scale: f64,
    /// Upper bound of the smallest distance.
    best: f64,
    /// The same as a squared limit for boxes, in normal units of the first tree.
    farthest: f32,
    /// A distance that ends the search.
    enough: f64,
    prune_at: usize,
}

impl<'a> Found<'a> {
    #[inline(always)]
    fn new(candidates: &'a mut Vec<Candidate>, scale: f64, best: f64, goal: Goal) -> Self {
        let enough = match goal {
            Goal::Closest => -1.0,
            Goal::Within => best,
            Goal::Bound(enough) => enough,
        };
        Self { candidates, goal, scale, best, farthest: squared_limit(best, scale), enough, prune_at: MANY }
    }

    /// Adds the pairs of two leaves in the lanes `left` as far as their bounds allow.
    #[inline(always)]
    fn add(
        &mut self,
        pair: &PosedPair,
        [leaf_a, leaf_b]: [Leaf; 2],
        mut left: u32,
        bounds: &LaneDistances,
    ) -> Added {
        while left != 0 {
            let lane = left.trailing_zeros();
            left &= left - 1;
            let (at_least, at_most) = (bounds.at_least[lane as usize], bounds.at_most[lane as usize]);
            if at_least > self.best * SLACK {
                continue;
            }
            let places @ [ta, tb] = [leaf_a.first + lane / 2, leaf_b.first + lane % 2];
            if at_most <= self.enough
                || (at_least <= 0.0 && triangles_meet(&pair.a.triangle(ta), &pair.b.triangle(tb)))
            {
                return Added::Enough(places);
            }
            if at_most < self.best {
                self.best = at_most;
                self.farthest = squared_limit(at_most, self.scale);
            }
            self.candidates.push(Candidate { at_least, at_most, places });
        }
        if self.candidates.len() <= self.prune_at {
            return Added::Some;
        }
        let is_many = thin_out(self.candidates, self.goal, self.best);
        self.prune_at = MANY.max(2 * self.candidates.len());
        if is_many { Added::Many } else { Added::Some }
    }

    /// Decides all candidates, and forgets them; also what is as far apart as two triangles, if they are
    /// given. Returns the places of a pair that ends the search.
    #[inline(never)]
    fn settle(
        &mut self,
        pair: &PosedPair,
        plateau: &mut Option<Box<Plateau>>,
        near: Option<[u32; 2]>,
        work: &mut Work,
    ) -> Option<[u32; 2]> {
        let plateau = plateau.as_deref_mut()?;
        if self.candidates.len() <= MANY / 2
            && let Some(near) = near
        {
            plateau.look_near(pair, near, work);
        }
        plateau.settle(pair, MANY / 2, self.candidates, work);
        self.prune_at = MANY;
        let (Nearest { distance, .. }, places) = plateau.closest()?;
        if let Goal::Within = self.goal {
            return Some(places);
        }
        if distance.next_up() < self.best {
            self.best = distance.next_up();
            self.farthest = squared_limit(self.best, self.scale);
        }
        None
    }
}

/// Drops candidates that are proven farther than another pair, whose distance is at most `best`. If the
/// goal is only a lower bound and many are left, drops all but the one with the lowest bound. Returns true
/// if many are left. Not a method of [`Found`], whose bounds can then stay in registers.
#[inline(never)]
fn thin_out(candidates: &mut Vec<Candidate>, goal: Goal, best: f64) -> bool {
    prune(candidates, best);
    if candidates.len() <= MANY / 2 {
        return false;
    }
    if let Goal::Bound(_) = goal {
        let least = candidates.iter().copied().min_by(|x, y| x.at_least.total_cmp(&y.at_least));
        candidates.clear();
        candidates.extend(least);
        return false;
    }
    true
}

/// Drops the candidates that are proven farther than another pair, whose distance is at most `best`.
fn prune(candidates: &mut Vec<Candidate>, best: f64) {
    candidates.retain(|c| c.at_least <= best * SLACK);
}

/// Returns the exactly closest of the candidates.
fn closest_candidate(
    pair: &PosedPair,
    bound: f64,
    scratch: &mut Scratch,
    work: &mut Work,
) -> Option<(Nearest, [u32; 2])> {
    let candidates = &mut scratch.candidates;
    if let Some(mut plateau) = scratch.plateau.take() {
        plateau.settle(pair, usize::MAX, candidates, work);
        return plateau.closest();
    }
    // Among triangles that share the closest corner or edge, those with low indices come first; the others
    // are then easily proven to be no closer.
    candidates.sort_unstable_by_key(|candidate| pair.triangles(candidate.places));
    let is_plateau = candidates.len() > FEW;
    // If many candidates are equally close up to rounding, the one that looks closest rules most of them
    // out without computing their distance.
    let looks_closest =
        (0..candidates.len()).min_by(|&x, &y| candidates[x].at_most.total_cmp(&candidates[y].at_most))?;
    let mut closest = Closest::within(bound);
    let mut winner = None;
    for i in std::iter::once(looks_closest).chain(0..candidates.len()) {
        let Candidate { at_least, places: places @ [ta, tb], .. } = candidates[i];
        if at_least > closest.reach() * SLACK || winner == Some(places) {
            continue;
        }
        let (triangles, corners) = (pair.triangles(places), [pair.a.triangle(ta), pair.b.triangle(tb)]);
        let corners = corners.each_ref();
        if is_plateau
            && let Some(enough) = closest.enough(triangles, corners)
            && distance::is_at_least(corners[0], corners[1], enough)
        {
            continue;
        }
        work.exact_tests += 1;
        let distance = distance::distance_apart(corners[0], corners[1]);
        if closest.offer(Nearest { distance, triangles }, corners) {
            winner = Some(places);
        }
    }
    closest.nearest().zip(winner)
}
