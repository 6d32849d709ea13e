//! The depth to which two parts are pressed into each other while they are in contact: a certified bracket of
//! the largest one over a stretch of time.
//!
//! The depth at a pose is the depth of standing parts. It changes by no more than the parts move relative to
//! each other: a point that is deep in a solid stays inside until it has moved as far as it is deep. So the
//! depth at the middle of a stretch of time, plus the largest movement within half of it ([`movement`]),
//! bounds the depth throughout. One best-first search halves the stretch with the largest bound, the earlier
//! of equals, until that bound is within the tolerance or the precision, or 1.01 times a depth that some pose
//! has. Once some pose is deeper than the tolerance, the verdict is known, and the search ends after fewer
//! poses, with the bracket that is proven by then.
//!
//! Before that, again once poses all over the time have shown about how deep the parts are, and when many
//! poses have brought little gain, all stretches are discarded in which a proof shows that no depth exceeds
//! the largest bound that is allowed ([`free`]). Parts that slide, turn or roll on each other for the whole
//! motion then need few poses.
//!
//! Every step depends on poses and exact answers alone, so the bracket has the same bits for every kind of
//! tree, executor and number of threads.

mod field;
mod free;
mod movement;
mod node;
mod pose;
mod probe;
mod saturated;
pub mod surfaces;

use std::collections::BinaryHeap;

use super::depth::{DepthQuestion, RATIO};
use super::pair_sweep::{PairSweep, SweepSearch};
use super::stage_work::StageWork;
use closefit_geometry::motion::cells::FINEST;
use field::LateMates;
use free::Fields;
use movement::Movement;
use node::{Node, cover, spread};
use pose::AtPose;
use saturated::thickest;

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
    /// The reason at some pose, or that the search ended early.
    pub why: String,
    /// True if closed components alone are deeper than the tolerance at some pose.
    pub is_deep: bool,
}

/// Largest number of poses at which a search asks for the depth.
const MOST_POSES: u32 = 1 << 16;

/// Bounds of that number once some pose is deeper than the tolerance, so that the verdict is known.
const MOST_POSES_OF_CLASH: [u32; 2] = [1 << 8, 1 << 10];

/// Number of triangles times poses of a certain clash; it sets the number of poses within these bounds.
const MOST_TRIANGLES_OF_CLASH: usize = 1 << 20;

/// Number of poses, spread over the time, from which the first lower bound comes.
const FIRST_POSES: u32 = 32;

/// Number of times that the deepest of these is improved by others half as far away.
const REFINEMENTS: u32 = 6;

/// Largest number of cuts in time, once poses have run out, of stretches in which an open component may
/// matter.
const MOST_CUTS: u32 = 1 << 14;

/// Factors of the largest bound that is allowed, up to which proofs are tried when poses have run out.
const FACTORS: [f64; 6] = [1.02, 1.1, 1.25, 1.5, 2.0, 4.0];

/// Factor by which a pose has to be deeper than all before for its depth to matter. Where a
/// depth lasts, poses then need not be compared to the last bit.
const DEEPER: f64 = 1.0 + 1.0 / 512.0;

/// Numbers of poses after which stretches are discarded by proof again, if a larger depth has been found.
const PROOFS_AFTER: [u32; 2] = [1 << 6, 1 << 9];

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
    stretch: [f64; 2],
    tolerance: f64,
    searched: &mut SweepSearch,
) -> Result<Pressed, Unknown> {
    search(sweep, stretch, (tolerance, false), searched)
}

/// Returns the same, with another bracket where the depth reaches the thickness: quick looks find that in a
/// fraction of the time.
///
/// # Errors
/// As for [`pressed`].
pub fn pressed_quickly(
    sweep: &PairSweep,
    stretch: [f64; 2],
    tolerance: f64,
    searched: &mut SweepSearch,
) -> Result<Pressed, Unknown> {
    search(sweep, stretch, (tolerance, true), searched)
}

fn search(
    sweep: &PairSweep,
    [from, to]: [f64; 2],
    (tolerance, looks_quickly): (f64, bool),
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
        mates: None,
        looks_quickly,
        has_looked: false,
        is_deep: false,
        reached: [None; 2],
        queue: BinaryHeap::new(),
    };
    let found = search.run([from, to], searched);
    found.map_err(|why| Unknown { why, is_deep: search.deepest.at_least > tolerance })
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
    /// True if the depth of a pose could not be found as closely as requested.
    ended_early: bool,
    /// The faces of both parts that are pressed against each other, once they may be looked for.
    mates: Option<LateMates>,
    /// True if quick looks show a depth as large as the thickness.
    looks_quickly: bool,
    /// True once a few poses have not shown a depth as large as the thickness.
    has_looked: bool,
    /// True if the first look has shown a depth far beyond what needs no bound.
    is_deep: bool,
    /// The thickness of the other's solid, for the surface of each part, once some pose is nearly as deep: no
    /// point of it is deeper, so it is not measured any more.
    reached: [Option<f64>; 2],
    queue: BinaryHeap<Node>,
}

impl Search<'_, '_> {
    fn run(&mut self, [from, to]: [f64; 2], searched: &mut SweepSearch) -> Result<Pressed, String> {
        // The pose at the end of the motion is that after a jump, which no stretch contains.
        self.discarded = self.ask_fully(from, self.tolerance, searched)?;
        if to == self.sweep.to() && to > from {
            let at_end = self.ask_fully(to, self.deeper().max(self.tolerance), searched)?;
            self.discarded = self.discarded.max(at_end);
        }
        if let Some(found) = self.saturated([from, to], &mut searched.work) {
            return Ok(found);
        }
        self.has_looked = !self.sweep.has_incomplete_solid();
        let nodes = cover(self.sweep, [from, to]);
        if self.is_deep {
            self.queue.extend(nodes);
        } else {
            self.discard_proven(nodes, 1.0, searched);
        }
        if !self.queue.is_empty() && !self.sweep.has_incomplete_solid() {
            self.look_around([from, to], searched)?;
            if let Some(thickness) = self.thickness_reached() {
                return self.found(thickness);
            }
            self.mates = Some(LateMates::new([from, to], self.at));
            let nodes = std::mem::take(&mut self.queue).into_vec();
            self.discard_proven(nodes, 1.0, searched);
        }
        let mut proven_to = self.limit();
        let mut proofs = PROOFS_AFTER.into_iter().peekable();
        while let Some(top) = self.queue.pop() {
            let left = self.thickness_reached().map_or(top.bound, |thickness| top.bound.min(thickness));
            if left <= self.limit() || self.ended_early {
                return self.found(left);
            }
            if self.poses >= self.most_poses() {
                self.queue.push(top);
                self.bound_unasked(&mut searched.work);
                self.discard_by_larger_limits(searched);
                return self.found(self.queue.peek().map_or(0.0, |top| top.bound));
            }
            if proofs.next_if(|&poses| poses <= self.poses).is_some() && self.limit() > proven_to {
                proven_to = self.limit();
                let mut nodes = std::mem::take(&mut self.queue).into_vec();
                nodes.push(top);
                self.discard_proven(nodes, 1.0, searched);
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
        let thickest = self.reached.into_iter().flatten().fold(0.0, f64::max);
        let at_most = left.max(self.discarded).max(at_least).max(thickest);
        if at_most.is_infinite() {
            return Err("search ended early".to_owned());
        }
        Ok(Pressed { at_least, at_most, at: self.at })
    }

    /// Returns the largest bound that changes nothing.
    fn limit(&self) -> f64 {
        self.floor.max(RATIO * self.deepest.at_least)
    }

    /// Returns the depth that a pose must exceed to matter.
    fn deeper(&self) -> f64 {
        DEEPER * self.deepest.at_least
    }

    /// Returns the number of poses after which the search ends.
    fn most_poses(&self) -> u32 {
        if self.deepest.at_least <= self.tolerance {
            return MOST_POSES;
        }
        let triangles: usize = self.sweep.meshes().iter().map(|mesh| mesh.triangles().len()).sum();
        let [least, most] = MOST_POSES_OF_CLASH;
        u32::try_from(MOST_TRIANGLES_OF_CLASH / triangles).map_or(most, |poses| poses.clamp(least, most))
    }

    /// Asks for the depth at poses all over a stretch of time, and then around the deepest of them.
    fn look_around(&mut self, stretch: [f64; 2], searched: &mut SweepSearch) -> Result<(), String> {
        for time in spread(stretch, FIRST_POSES) {
            if self.thickness_reached().is_none() {
                self.ask_if_deeper(time, searched)?;
            }
        }
        let [from, to] = stretch;
        let mut step = (to - from) / f64::from(FIRST_POSES);
        for _ in 0..REFINEMENTS {
            for time in [self.at - step, self.at + step] {
                if from < time && time < to && self.thickness_reached().is_none() {
                    self.ask_if_deeper(time, searched)?;
                }
            }
            step *= 0.5;
        }
        Ok(())
    }

    /// Asks for the depth at a time, if it may be larger than all before.
    fn ask_if_deeper(&mut self, time: f64, searched: &mut SweepSearch) -> Result<(), String> {
        let enough = self.deeper().max(self.floor);
        if self.comes_free(time, enough, &mut searched.work) {
            self.poses += 1;
            return Ok(());
        }
        self.ask(time, enough, searched).map(|_| ())
    }

    /// True only if no depth at a time exceeds a length, because one part is free once it has moved by no
    /// more, the way that leads out of the deepest pose so far.
    fn comes_free(&self, time: f64, length: f64, work: &mut StageWork) -> bool {
        let Some((on, way)) = self.deepest.way else { return false };
        let linear = |time| self.sweep.ask_unbounded_at(time, |pair| pair.bodies().map(|b| b.pose.linear()));
        let (then, now) = (linear(self.at), linear(time));
        // The way may turn with either part.
        let ways = [1 - on, on].map(|part| now[part] * (then[part].inverse() * way));
        self.sweep.ask_at(time, |pair| {
            ways.iter().any(|&way| pose::comes_free(pair, on, way, length, self.tolerance, work))
        })
    }

    /// Asks for the depth at a time, up to `enough` only roughly.
    fn ask(&mut self, time: f64, enough: f64, searched: &mut SweepSearch) -> Result<AtPose, String> {
        self.poses += 1;
        let measured = self.reached.map(|thickness| thickness.is_none());
        let question = DepthQuestion { tolerance: enough, only_verdict: false, measured };
        let work = &mut searched.work;
        let pose::Known { depth, unknown } = self.sweep.ask_at(time, |pair| {
            let known = pose::at_pose(pair, question, self.tolerance, work);
            self.note_thickness(pair, &known, work);
            known
        });
        if let Some(found) = depth
            && (found.at_least > self.deepest.at_least || self.poses == 1)
        {
            (self.deepest, self.at) = (found, time);
        }
        match (depth, unknown) {
            (Some(found), None) => Ok(found),
            (_, why) => Err(why.unwrap_or_default()),
        }
    }

    /// Does the same where the search depends on the upper bound, and returns that: of the surfaces that are
    /// still measured.
    fn ask_fully(&mut self, time: f64, enough: f64, searched: &mut SweepSearch) -> Result<f64, String> {
        let found = self.ask(time, enough, searched)?;
        self.ended_early |= !found.is_complete;
        Ok(found.at_most)
    }

    /// Bounds the depth in a stretch by that at its middle, and keeps the stretch if that is too much.
    fn bound(&mut self, node: Node, searched: &mut SweepSearch) -> Result<(), String> {
        let time = self.sweep.cells(node.span).middle(node.stretch);
        let limit = self.limit();
        let bound = match Movement::of(self.sweep, node.span, node.stretch, self.floor) {
            // Their boxes stay apart.
            None => 0.0,
            Some(Movement { near, may_enter_open }) => {
                let enough = (limit - near).max(self.deeper()).max(SHALLOW * limit);
                let at_middle = self.ask_fully(time, enough, searched)?;
                if may_enter_open { f64::INFINITY } else { (at_middle + near).next_up() }
            }
        };
        self.keep(Node { bound: bound.min(node.bound), is_asked: true, ..node });
        Ok(())
    }

    /// Bounds what is queued without a bound by the thickness of the solids, cut until no open component
    /// matters there.
    fn bound_unasked(&mut self, work: &mut StageWork) {
        let (mut unbounded, bounded): (Vec<Node>, Vec<Node>) =
            std::mem::take(&mut self.queue).into_iter().partition(|node| node.bound.is_infinite());
        self.queue.extend(bounded);
        if unbounded.is_empty() {
            return;
        }
        let thickest = self.sweep.ask_at(self.at, |pair| work.depth.ask(|| thickest(pair)));
        let mut left = MOST_CUTS;
        while let Some(node) = unbounded.pop() {
            let Node { span, stretch, .. } = node;
            match Movement::of(self.sweep, span, stretch, self.floor) {
                None => self.keep(Node { bound: 0.0, ..node }),
                Some(Movement { may_enter_open: false, .. }) => self.keep(Node { bound: thickest, ..node }),
                Some(_) if left > 0 && stretch.level < FINEST => {
                    left -= 1;
                    unbounded.extend(stretch.halves().map(|stretch| Node { stretch, ..node }));
                }
                Some(_) => self.queue.push(node),
            }
        }
    }

    /// Queues a stretch, or discards it if its bound changes nothing.
    fn keep(&mut self, node: Node) {
        if node.bound <= self.limit() {
            self.discarded = self.discarded.max(node.bound);
        } else {
            self.queue.push(node);
        }
    }

    /// Queues stretches without those in which a proof shows that no depth exceeds some times the limit.
    fn discard_proven(&mut self, nodes: Vec<Node>, factor: f64, searched: &mut SweepSearch) {
        let limit = factor * self.limit();
        let fields = Fields {
            limit,
            is_floor: limit == self.floor,
            at: self.at,
            way: self.deepest.way,
            mates: self.mates.as_ref(),
            long: self.long,
            tolerance: self.tolerance,
        };
        let (left, has_proven) = fields.left(self.sweep, nodes, searched);
        if has_proven {
            self.discarded = self.discarded.max(limit);
        }
        self.queue.extend(left);
    }

    /// Bounds what is left in the queue by proofs with larger and larger limits.
    fn discard_by_larger_limits(&mut self, searched: &mut SweepSearch) {
        for factor in FACTORS {
            let limit = factor * self.limit();
            let (over, within) = std::mem::take(&mut self.queue).into_iter().partition(|n| n.bound > limit);
            self.queue.extend::<Vec<Node>>(within);
            self.discard_proven(over, factor, searched);
        }
    }
}
