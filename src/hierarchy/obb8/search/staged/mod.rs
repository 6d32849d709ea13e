//! Answers many questions at once, breadth first, as a device does.
//!
//! Pairs of boxes of all questions wait on one stack of constant size. A round opens the newest of them and
//! pushes the surviving pairs back. Leaf pairs wait in a buffer of their own until it could overflow, and are
//! then tested together. On a CPU, the fused search of one question after the other is quicker; this one
//! shows and tests what the stages of a device have to do.
//!
//! **Nothing overflows.** A round that opens k items leaves at most 8k in their place. While that many and a
//! reserve are free, k is as large as fits. With less room, items are opened one by one, newest first: an
//! item whose trees are together d blocks deep below it never needs more than 7d places at a time, and the
//! reserve has that many for the deepest pair.

mod columns;
mod stages;
#[cfg(test)]
mod tests;

use super::nearest::{self, Candidate};
use super::{PosedPair, Step, contacts};
use crate::hierarchy::obb8::posed::PosedObb8;
use crate::hierarchy::placement::squared_limit;
use crate::narrow::kernels::LaneDistances;
use crate::narrow::triangle_triangle::Contacts;
use crate::narrow::{Nearest, SLACK, Work};
use closefit_geometry::ids::to_u32;
use columns::{BoxItem, LeafItem};

/// A question about two trees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Question {
    /// All pairs of triangles in contact.
    Contacts,
    /// The question whether there is any contact.
    Touches,
    /// The closest triangles, if their distance is at most this.
    Within(f64),
}

/// The answer to a [`Question`].
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// All pairs of triangles in contact, sorted.
    Contacts(Vec<[u32; 2]>),
    /// True if there is any contact.
    Touches(bool),
    /// The closest triangles and their places in the trees; in contact, any that touch. `None` beyond the
    /// limit.
    Within(Option<(Nearest, [u32; 2])>),
}

impl Question {
    /// Answers the question by a search of its own.
    pub fn ask(self, a: &PosedObb8, b: &PosedObb8, work: &mut Work) -> Answer {
        match self {
            Self::Contacts => Answer::Contacts(contacts::contacts_in_parallel(
                a,
                b,
                usize::MAX,
                &mut contacts::Scratch::default(),
                work,
            )),
            Self::Touches => {
                Answer::Touches(contacts::touches(a, b, &mut contacts::Scratch::default(), work))
            }
            Self::Within(limit) if limit >= 0.0 => {
                let pair = PosedPair::new(a, b);
                Answer::Within(nearest::search(&pair, limit, None, &mut nearest::Scratch::default(), work))
            }
            Self::Within(_) => Answer::Within(None),
        }
    }
}

/// Limits on the items that wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// Number of box pairs. It is raised to what the deepest pair of trees needs.
    pub boxes: usize,
    /// Number of leaf pairs, at least eight.
    pub leaves: usize,
}

impl Default for Room {
    /// Four MiB for each.
    fn default() -> Self {
        Self { boxes: 1 << 18, leaves: 1 << 18 }
    }
}

/// Number of box pairs that a round opens at first for a question about a distance. The number doubles while
/// rounds test leaves and do not lower the limit: so few pairs are opened in vain, and few rounds are needed.
const FIRST_SHARE: usize = 256;

/// The same number while a search looks for one contact, which the first few pairs often have.
const FIRST_LOOK: usize = 8;

/// Answers questions about pairs of posed trees, in order.
///
/// # Panics
/// For 2^32 questions or more.
pub fn ask(questions: &[(PosedObb8, PosedObb8, Question)], room: Room, work: &mut Work) -> Vec<Answer> {
    let pairs: Vec<PosedPair> = questions.iter().map(|(a, b, _)| PosedPair::new(a, b)).collect();
    pairs.iter().for_each(|pair| work.begin(pair.frames.as_ref()));
    let queries: Vec<Query> = questions.iter().map(|(.., question)| Query::new(*question)).collect();
    let all = (0..to_u32(queries.len())).collect();
    let mut search = StagedSearch::new(&pairs, queries, room);
    search.run(all, work);
    search.measure(work);
    search.queries.into_iter().zip(&pairs).map(|(query, pair)| query.answer(pair, work)).collect()
}

/// The progress of a question.
struct Query {
    question: Question,
    contacts: Vec<[u32; 2]>,
    /// True when nothing more can be found.
    done: bool,
    /// True when a distance is asked for and contact is excluded. Bounds cannot rank the boxes of a pair in
    /// contact: all of them are 0.
    measuring: bool,
    /// Upper bound of the smallest distance.
    best: f64,
    /// True if `best` was lowered since the question's last round, and true if leaves were tested that could
    /// have lowered it.
    lowered: bool,
    tested: bool,
    /// The last round that looked at the question's items, how many of them it may open, and how many it has
    /// taken.
    round: u64,
    share: usize,
    taken: usize,
    candidates: Vec<Candidate>,
    prune_at: usize,
}

impl Query {
    fn new(question: Question) -> Self {
        // No distance is below 0, and none is compared with NaN.
        let nothing_left = matches!(question, Question::Within(limit) if limit.is_nan() || limit < 0.0);
        Self {
            question,
            contacts: Vec::new(),
            done: nothing_left,
            measuring: false,
            best: 0.0,
            lowered: true,
            tested: false,
            round: 0,
            share: 0,
            taken: 0,
            candidates: Vec::new(),
            prune_at: 1024,
        }
    }

    /// True if one more of the question's items may be opened in a round.
    fn may_open(&mut self, round: u64) -> bool {
        if self.round != round {
            self.share = match (self.lowered, self.tested) {
                (true, _) => {
                    if self.measuring {
                        FIRST_SHARE
                    } else {
                        FIRST_LOOK
                    }
                }
                (false, true) => self.share.saturating_mul(2),
                (false, false) => self.share,
            };
            (self.round, self.lowered, self.tested, self.taken) = (round, false, false, 0);
        }
        self.taken += 1;
        self.question == Question::Contacts || self.taken <= self.share
    }

    /// Returns the squared distance above which lower bounds exclude pairs of boxes.
    fn limit(&self, pair: &PosedPair) -> f32 {
        if self.measuring { squared_limit(self.best, pair.a.scale) } else { stages::CONTACTS }
    }

    fn answer(mut self, pair: &PosedPair, work: &mut Work) -> Answer {
        match self.question {
            Question::Contacts => {
                self.contacts.sort_unstable();
                Answer::Contacts(self.contacts)
            }
            Question::Touches => Answer::Touches(self.done),
            Question::Within(_) if self.done => Answer::Within(self.candidates.first().map(|touching| {
                let triangles = pair.triangles(touching.places);
                (Nearest { distance: 0.0, triangles }, touching.places)
            })),
            Question::Within(limit) => {
                self.prune();
                let mut scratch = nearest::Scratch::with(self.candidates);
                Answer::Within(nearest::closest_candidate(pair, self.best.min(limit), &mut scratch, work))
            }
        }
    }

    /// Records the contacts of two leaves.
    fn meets(&mut self, item: &LeafItem, found: Contacts, pair: &PosedPair, work: &mut Work) {
        if self.done {
            return;
        }
        self.tested = true;
        let leaves = item.leaves();
        let mut left = contacts::meeting_lanes(pair, leaves, found, work);
        while left != 0 && !self.done {
            let lane = left.trailing_zeros();
            left &= left - 1;
            let places = [leaves[0].first + lane / 2, leaves[1].first + lane % 2];
            if self.question == Question::Contacts {
                self.contacts.push(pair.triangles(places));
            } else {
                (self.done, self.candidates) =
                    (true, vec![Candidate { at_least: 0.0, at_most: 0.0, places }]);
            }
        }
    }

    /// Records the distance bounds of two leaves.
    fn is_near(&mut self, item: &LeafItem, found: &LaneDistances) {
        self.tested = true;
        for lane in 0..4 {
            let (at_least, at_most) = (found.at_least[lane as usize], found.at_most[lane as usize]);
            if at_least > self.best * SLACK || at_least == f64::INFINITY {
                continue;
            }
            let places = [item.first[0] + lane / 2, item.first[1] + lane % 2];
            if at_most < self.best {
                (self.best, self.lowered) = (at_most, true);
            }
            self.candidates.push(Candidate { at_least, at_most, places });
        }
        if self.candidates.len() > self.prune_at {
            self.prune();
            self.prune_at = 1024.max(2 * self.candidates.len());
        }
    }

    fn prune(&mut self) {
        self.candidates.retain(|c| c.at_least <= self.best * SLACK);
    }
}

struct StagedSearch<'a> {
    pairs: &'a [PosedPair<'a>],
    queries: Vec<Query>,
    /// Limits per question, for the stages.
    limits: Vec<f32>,
    beyond: Vec<f64>,
    round: u64,
    /// True while distances are measured, not contacts looked for.
    has_distances: bool,
    /// True if leaves may end a search or lower its limit.
    is_eager: bool,
    stack: Vec<BoxItem>,
    capacity: usize,
    reserve: usize,
    /// Items taken off the stack for a round.
    opened: Vec<BoxItem>,
    leaves: Vec<LeafItem>,
    leaf_capacity: usize,
}

impl<'a> StagedSearch<'a> {
    fn new(pairs: &'a [PosedPair<'a>], queries: Vec<Query>, room: Room) -> Self {
        let deepest = pairs.iter().map(|pair| pair.a.tree.depth + pair.b.tree.depth).max().unwrap_or(0);
        let reserve = 7 * deepest as usize + 8;
        let (capacity, leaf_capacity) = (room.boxes.max(reserve), room.leaves.max(8));
        Self {
            pairs,
            limits: queries.iter().zip(pairs).map(|(query, pair)| query.limit(pair)).collect(),
            beyond: queries.iter().map(|query| query.best * SLACK).collect(),
            has_distances: false,
            is_eager: queries.iter().any(|query| query.question != Question::Contacts),
            queries,
            round: 0,
            stack: Vec::with_capacity(capacity),
            capacity,
            reserve,
            opened: Vec::with_capacity(capacity / 8),
            leaves: Vec::with_capacity(leaf_capacity),
            leaf_capacity,
        }
    }

    /// Measures the requested distances of pairs that are not in contact.
    fn measure(&mut self, work: &mut Work) {
        let mut apart = Vec::new();
        for (index, (query, pair)) in self.queries.iter_mut().zip(self.pairs).enumerate() {
            let Question::Within(limit) = query.question else { continue };
            if !query.done {
                (query.measuring, query.best) = (true, nearest::first_bound(pair, None, limit, work));
                (self.limits[index], self.beyond[index]) = (query.limit(pair), query.best * SLACK);
                query.lowered = true;
                apart.push(to_u32(index));
            }
        }
        self.has_distances = !apart.is_empty();
        self.run(apart, work);
    }

    /// Answers questions. They are pushed one after the other, as long as there is room.
    fn run(&mut self, questions: Vec<u32>, work: &mut Work) {
        let mut next = 0;
        loop {
            while next < questions.len()
                && self.stack.len() + self.reserve <= self.capacity
                && self.leaves.len() < self.leaf_capacity
            {
                self.begin(questions[next]);
                next += 1;
            }
            let count = self.take();
            if count > 0 {
                work.box_tests += 8 * count as u64;
                let from = self.stack.len();
                stages::open(self.pairs, &self.limits, &self.opened, &mut self.stack, &mut self.leaves);
                debug_assert!(self.stack.len() <= self.capacity && self.leaves.len() <= self.leaf_capacity);
                if self.has_distances {
                    nearest_on_top(&mut self.stack[from..]);
                }
            }
            // Drains before the next round could fill the buffer, and where that may spare work.
            let full = self.leaves.len() + 8 > self.leaf_capacity;
            if full || (!self.leaves.is_empty() && (count == 0 || self.is_eager)) {
                self.drain(work);
            } else if count == 0 && next == questions.len() {
                break;
            }
        }
    }

    /// Pushes the root boxes of a question.
    fn begin(&mut self, query: u32) {
        const WHOLE: [u32; 2] = [0, 0];
        match self.pairs[query as usize].step(WHOLE) {
            Step::Triangles(leaves) => self.leaves.push(LeafItem::new(query, leaves)),
            Step::Open(opened) => self.stack.push(BoxItem::new(query, opened, WHOLE, 0.0)),
        }
    }

    /// Takes the items of the next round from the stack, drops those that have become pointless, and returns
    /// their number.
    fn take(&mut self) -> usize {
        self.opened.clear();
        self.round += 1;
        let leaves = (self.leaf_capacity - self.leaves.len()) / 8;
        let spare = (self.capacity - self.stack.len()).saturating_sub(self.reserve) / 8;
        let most = spare.min(self.capacity / 8).max(1).min(leaves);
        if self.has_distances && most > 1 && self.is_crowded() {
            nearest_on_top(&mut self.stack);
        }
        let mut end = self.stack.len();
        let mut kept = end;
        while self.opened.len() < most && end > 0 {
            end -= 1;
            let item = self.stack[end];
            let (query, limit) = (&mut self.queries[item.query as usize], self.limits[item.query as usize]);
            if query.done || (limit >= 0.0 && item.at_least > limit) {
                continue;
            }
            // With room for only one, the newest is opened.
            if query.may_open(self.round) || most == 1 {
                self.opened.push(item);
            } else {
                kept -= 1;
                self.stack[kept] = item;
            }
        }
        self.stack.drain(end..kept);
        self.opened.len()
    }

    /// True when more items of some question wait than a round opens at first, so that their order matters.
    fn is_crowded(&mut self) -> bool {
        let mut waiting = vec![0; self.queries.len()];
        self.stack.iter().any(|item| {
            waiting[item.query as usize] += 1;
            waiting[item.query as usize] > FIRST_SHARE
        })
    }

    /// Tests the leaf pairs that wait.
    fn drain(&mut self, work: &mut Work) {
        let queries = &self.queries;
        self.leaves.retain(|item| !queries[item.query as usize].done);
        for item in &self.leaves {
            let [a, b] = item.leaves();
            work.triangle_tests += u64::from(a.count * b.count);
        }
        if self.has_distances {
            let mut bounded = Vec::with_capacity(self.leaves.len());
            stages::distances(self.pairs, &self.beyond, &self.leaves, &mut bounded);
            for (item, found) in self.leaves.iter().zip(bounded) {
                let (at, pair) = (item.query as usize, &self.pairs[item.query as usize]);
                let query = &mut self.queries[at];
                query.is_near(item, &found);
                (self.limits[at], self.beyond[at]) = (query.limit(pair), query.best * SLACK);
            }
        } else {
            let mut met = Vec::with_capacity(self.leaves.len());
            stages::contacts(self.pairs, &self.leaves, &mut met);
            for (item, found) in self.leaves.iter().zip(met) {
                self.queries[item.query as usize].meets(item, found, &self.pairs[item.query as usize], work);
            }
        }
        self.leaves.clear();
    }
}

fn nearest_on_top(items: &mut [BoxItem]) {
    items.sort_by(|x, y| y.at_least.total_cmp(&x.at_least));
}
