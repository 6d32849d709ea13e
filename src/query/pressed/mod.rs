//! The depth to which two parts are pressed into each other while they are in contact: a certified bracket of
//! the largest one over a stretch of time.
//!
//! The depth of a pose is that of standing parts. It changes by no more than the parts move relative to each
//! other: a point that is deep in a solid stays inside until it has moved as far as it is deep. So the depth
//! at the middle of a stretch of time, plus the largest movement within half of it ([`movement`]), bounds the
//! depth throughout. One best-first search halves the stretch with the largest bound, the earlier of equals,
//! until that bound is within the tolerance or the precision, or 1.01 times a depth that some pose has.
//!
//! Before that, and again when much is known of the depth but little gained, all stretches are discarded in
//! which a proof shows that no depth exceeds the largest bound that is allowed ([`free`]). Parts that slide,
//! turn or roll on each other for the whole motion then need few poses.
//!
//! Every step depends on poses and exact answers alone, so the bracket has the same bits for every kind of
//! tree, executor and number of threads.

mod free;
mod movement;
mod pose;

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::depth::{DepthQuestion, RATIO};
use super::pair_sweep::{PairSweep, SweepSearch};
use closefit_geometry::motion::cells::{Cells, FINEST, Stretch};
use free::Fields;
use movement::Movement;
use pose::AtPose;

/// A bracket of the largest depth of two parts over a stretch of time.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Pressed {
    /// A lower bound: they are so deep at `at`.
    pub at_least: f64,
    /// An upper bound at all times of the stretch.
    pub at_most: f64,
    /// The time at which they are `at_least` deep; the beginning of the stretch if that is 0.
    pub at: f64,
}

/// The reason why the depth over a stretch of time is unknown.
#[derive(Clone, Debug, PartialEq)]
pub struct Unknown {
    /// The reason: that of some pose, or that the search ended early.
    pub why: String,
    /// True if closed components alone are deeper than the tolerance at some pose.
    pub is_deep: bool,
}

/// Largest number of poses at which a search asks for the depth.
const MOST_POSES: u32 = 1 << 16;

/// Numbers of poses after which stretches are discarded by proof again, if a larger depth has been found.
const PROOFS_AFTER: [u32; 4] = [1 << 6, 1 << 9, 1 << 12, 1 << 14];

/// Share of the largest bound that is allowed, up to which no depth needs to be known.
const SHALLOW: f64 = 0.125;

/// Share of the time of contact beyond which no proof halves a stretch.
const SHORT: f64 = 1.0 / 64.0;

/// Returns the largest depth of a pair from one time to another, both within its motion.
///
/// # Errors
/// [`Unknown`] if a part is open where that matters, if neither has a solid, or if the search ends early.
pub fn pressed(
    sweep: &PairSweep,
    [from, to]: [f64; 2],
    tolerance: f64,
    searched: &mut SweepSearch,
) -> Result<Pressed, Unknown> {
    let mut search = Search {
        sweep,
        tolerance,
        floor: tolerance.max(2.0 * sweep.unit()),
        deepest: AtPose::default(),
        at: from,
        discarded: 0.0,
        poses: 0,
        long: SHORT * (to - from),
        ended_early: false,
        queue: BinaryHeap::new(),
    };
    let found = search.run([from, to], searched);
    found.map_err(|why| Unknown { why, is_deep: search.deepest.at_least > tolerance })
}

/// A stretch of time within a span.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Node {
    /// No depth in the stretch exceeds this.
    bound: f64,
    span: usize,
    stretch: Stretch,
    /// True if the bound comes from the depth at the middle.
    is_asked: bool,
}

impl Node {
    /// Returns its start as a share of its span, exactly.
    fn share(&self) -> f64 {
        self.stretch.index as f64 / (1u64 << self.stretch.level) as f64
    }
}

impl Eq for Node {}

impl Ord for Node {
    /// The largest bound is the greatest; of equal bounds the earliest, then the longest stretch.
    fn cmp(&self, other: &Self) -> Ordering {
        (self.bound.total_cmp(&other.bound))
            .then_with(|| other.span.cmp(&self.span))
            .then_with(|| other.share().total_cmp(&self.share()))
            .then_with(|| other.stretch.level.cmp(&self.stretch.level))
    }
}

impl PartialOrd for Node {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// A search in progress.
struct Search<'s, 'a> {
    sweep: &'s PairSweep<'a>,
    tolerance: f64,
    /// The tolerance or, if larger, the precision: no smaller bound is needed.
    floor: f64,
    /// The deepest pose so far, and its time.
    deepest: AtPose,
    at: f64,
    /// The largest bound of all discarded stretches.
    discarded: f64,
    /// The number of poses so far.
    poses: u32,
    /// Stretches longer than this, in seconds, are halved by proofs.
    long: f64,
    /// True if the depth of a pose could not be found as closely as asked.
    ended_early: bool,
    queue: BinaryHeap<Node>,
}

impl Search<'_, '_> {
    fn run(&mut self, [from, to]: [f64; 2], searched: &mut SweepSearch) -> Result<Pressed, String> {
        // The pose at the end of the motion is that after a jump, which no stretch contains.
        self.discarded = self.ask(from, self.tolerance, searched)?;
        if to == self.sweep.to() && to > from {
            let at_end = self.ask(to, self.deepest.at_least.max(self.tolerance), searched)?;
            self.discarded = self.discarded.max(at_end);
        }
        let nodes = cover(self.sweep, [from, to]);
        let mut proven_to = self.limit();
        self.discard_proven(nodes, searched);
        let mut proofs = PROOFS_AFTER.into_iter().peekable();
        while let Some(top) = self.queue.pop() {
            if top.bound <= self.limit() || self.poses >= MOST_POSES || self.ended_early {
                return self.found(top.bound);
            }
            if proofs.next_if(|&poses| poses <= self.poses).is_some() && self.limit() > proven_to {
                proven_to = self.limit();
                let mut nodes = std::mem::take(&mut self.queue).into_vec();
                nodes.push(top);
                self.discard_proven(nodes, searched);
            } else if !top.is_asked {
                self.bound(top, searched)?;
            } else if top.stretch.level < FINEST {
                let halves = top.stretch.halves();
                self.queue.extend(halves.map(|stretch| Node { stretch, is_asked: false, ..top }));
            } else {
                return self.found(top.bound);
            }
        }
        self.found(0.0)
    }

    /// Returns the bracket, given the largest bound that is left.
    fn found(&self, left: f64) -> Result<Pressed, String> {
        let at_least = self.deepest.at_least;
        let at_most = left.max(self.discarded).max(at_least);
        if at_most.is_infinite() {
            return Err("search ended early".to_owned());
        }
        Ok(Pressed { at_least, at_most, at: self.at })
    }

    /// Returns the largest bound that changes nothing.
    fn limit(&self) -> f64 {
        self.floor.max(RATIO * self.deepest.at_least)
    }

    /// Asks for the depth at a time, up to `enough` only roughly. Returns its upper bound.
    fn ask(&mut self, time: f64, enough: f64, searched: &mut SweepSearch) -> Result<f64, String> {
        self.poses += 1;
        let question = DepthQuestion { tolerance: enough, only_verdict: false };
        let work = &mut searched.work;
        let found = self.sweep.ask_at(time, |pair| pose::at_pose(pair, question, self.tolerance, work));
        let pose::Known { depth, unknown } = found;
        if let Some(found) = depth {
            self.ended_early |= !found.is_complete;
            if found.at_least > self.deepest.at_least || self.poses == 1 {
                (self.deepest, self.at) = (found, time);
            }
        }
        match (depth, unknown) {
            (Some(found), None) => Ok(found.at_most),
            (_, why) => Err(why.unwrap_or_default()),
        }
    }

    /// Bounds the depth in a stretch by that at its middle, and keeps the stretch if that is too much.
    fn bound(&mut self, node: Node, searched: &mut SweepSearch) -> Result<(), String> {
        let time = self.sweep.cells(node.span).middle(node.stretch);
        let limit = self.limit();
        let bound = match Movement::of(self.sweep, node.span, node.stretch, self.floor) {
            // Their boxes stay apart.
            None => 0.0,
            Some(Movement { near, may_enter_open }) => {
                let enough = (limit - near).max(self.deepest.at_least).max(SHALLOW * limit);
                let at_middle = self.ask(time, enough, searched)?;
                if may_enter_open { f64::INFINITY } else { (at_middle + near).next_up() }
            }
        };
        self.keep(Node { bound: bound.min(node.bound), is_asked: true, ..node });
        Ok(())
    }

    /// Queues a stretch, or discards it if its bound changes nothing.
    fn keep(&mut self, node: Node) {
        if node.bound <= self.limit() {
            self.discarded = self.discarded.max(node.bound);
        } else {
            self.queue.push(node);
        }
    }

    /// Queues stretches without those in which a proof shows that no depth exceeds the limit.
    fn discard_proven(&mut self, nodes: Vec<Node>, searched: &mut SweepSearch) {
        let fields = Fields {
            limit: self.limit(),
            is_floor: self.limit() == self.floor,
            at: self.at,
            way: self.deepest.way,
            long: self.long,
            tolerance: self.tolerance,
        };
        let (left, has_proven) = fields.left(self.sweep, nodes, searched);
        if has_proven {
            self.discarded = self.discarded.max(fields.limit);
        }
        self.queue.extend(left);
    }
}

/// Returns stretches that together cover the time from one moment to another: of each span, the fewest whole
/// parts of its halvings that cover its cells there.
fn cover(sweep: &PairSweep, [from, to]: [f64; 2]) -> Vec<Node> {
    let mut nodes = Vec::new();
    for span in 0..sweep.spans() {
        let cells = sweep.cells(span);
        if cells.to <= from || cells.from >= to {
            continue;
        }
        let (mut first, end) = (last_before(cells, from), cells.count().min(last_before(cells, to) + 1));
        while first < end {
            // The largest part that begins at the first cell and ends in time.
            let most = (end - first).ilog2().min(first.trailing_zeros()).min(cells.level);
            let stretch = Stretch { level: cells.level - most, index: first >> most };
            nodes.push(Node { bound: f64::INFINITY, span, stretch, is_asked: false });
            first += 1 << most;
        }
    }
    nodes
}

/// Returns the last cell that starts at or before a time, or the first.
fn last_before(cells: &Cells, time: f64) -> u64 {
    let (mut low, mut high) = (0, cells.count());
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if cells.start(cells.cell(middle)) <= time { low = middle } else { high = middle }
    }
    low
}
