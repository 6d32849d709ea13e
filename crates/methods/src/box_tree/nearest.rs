//! Searches for the closest pair of triangles, nearest boxes first.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::ops::ControlFlow;

use super::axes::{BoxPairs, squared_gaps};
use super::leaves::Leaves;
use super::posed::{Pass, Places, PosedBoxTree, PosedPair};
use crate::closest::Candidates;
use crate::leaf_pairs::{Leaf, TrianglePairs, all_lanes};
use closefit::Work;
use closefit::internals::bvh::placement::{ROOM, squared_limit};
use closefit::internals::narrow::{Nearest, SLACK};
use closefit_geometry::lanes::LANES;

/// Number of pairs of triangles, with repetitions, that are collected before their distances are bounded.
const SEVERAL: usize = 64;

/// Two boxes that may contain the closest triangles.
#[derive(Clone, Copy, Debug)]
struct Entry {
    squared_gap: f32,
    /// The number of entries before this one.
    number: u32,
    pass: Pass,
    places: Places,
}

impl Entry {
    /// The nearest first; the latest first among equals.
    fn key(&self) -> (f32, u32) {
        (-self.squared_gap, self.number)
    }
}

impl Ord for Entry {
    fn cmp(&self, other: &Self) -> Ordering {
        let ((gap, number), (other_gap, other_number)) = (self.key(), other.key());
        gap.total_cmp(&other_gap).then(number.cmp(&other_number))
    }
}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Entry {}

/// Returns the closest pair of triangles, if its distance is at most `bound`. The trees must not be in
/// contact.
pub fn nearest(a: &PosedBoxTree, b: &PosedBoxTree, bound: f64, work: &mut Work) -> Option<Nearest> {
    let mut run = NearestRun::within(a, b, bound);
    run.run(u64::MAX, work);
    run.settle(work)
}

/// A search for the closest pair of triangles that can be interrupted.
#[derive(Debug)]
pub struct NearestRun<'a> {
    pair: PosedPair<'a>,
    bound: f64,
    queue: BinaryHeap<Entry>,
    /// Number of entries so far.
    number: u32,
    /// Every pair of triangles so far whose distance is not proven to exceed the distance of another pair, or
    /// the bound.
    found: Candidates,
    leaves: Leaves,
    /// Pairs of triangles whose distances are not yet bounded; empty between steps.
    near: Vec<[u32; 2]>,
    /// Two triangles in contact. The search is over then.
    touching: Option<[u32; 2]>,
}

impl<'a> NearestRun<'a> {
    /// Prepares a search for distances of at most `bound`.
    pub fn within(a: &PosedBoxTree<'a>, b: &PosedBoxTree<'a>, bound: f64) -> Self {
        let pair = PosedPair::new(a, b);
        let whole = |pass: Pass| {
            let places = pair.trees(pass).map(|tree| tree.whole());
            Entry { squared_gap: 0.0, number: 0, pass, places }
        };
        let (queue, found) = (Pass::ALL.map(whole).into(), Candidates::within(bound));
        let (leaves, near) = (Leaves::default(), Vec::new());
        Self { pair, bound, queue, number: 0, found, leaves, near, touching: None }
    }

    /// Opens boxes, the nearest first, at most `steps` pairs of them.
    pub fn run(&mut self, steps: u64, work: &mut Work) {
        if self.number == 0 {
            work.begin(self.pair.frames.as_ref());
        }
        let (executor, scale) = (self.pair.sides[0].executor, self.pair.sides[0].scale);
        let frame = self.pair.frames.map(|frames| frames.axes());
        let mut farthest = squared_limit(self.found.best(), scale);
        let mut steps = steps;
        while steps > 0 {
            let Some(first) = self.queue.pop() else { break };
            steps -= 1;
            if first.squared_gap > farthest {
                self.queue.clear();
                break;
            }
            if is_leaf_pair(&self.pair, &first) {
                self.add_leaves(&first, work);
                if self.touching.is_some() {
                    self.queue.clear();
                }
                farthest = squared_limit(self.found.best(), scale);
                continue;
            }
            // Two pairs of boxes fill the lanes with the pairs of their children.
            let second = (self.queue.peek())
                .filter(|second| second.squared_gap <= farthest && !is_leaf_pair(&self.pair, second));
            let both = [Some(first), second.copied()];
            if second.is_some() {
                self.queue.pop();
            }
            let mut pairs = BoxPairs::default();
            let mut opened = Vec::with_capacity(LANES);
            for entry in both.into_iter().flatten() {
                let (children, count) = self.pair.open(entry.pass, entry.places);
                for places in children.into_iter().take(count) {
                    pairs.put(opened.len(), places.map(|(_, extents)| extents));
                    opened.push((entry.pass, places));
                }
            }
            work.box_tests += opened.len() as u64;
            let gaps = squared_gaps(executor, frame.as_ref(), &pairs);
            for ((pass, places), squared_gap) in opened.into_iter().zip(gaps) {
                // A NaN bounds nothing.
                let squared_gap = squared_gap.max(0.0);
                if squared_gap <= farthest {
                    self.number += 1;
                    self.queue.push(Entry { squared_gap, number: self.number, pass, places });
                }
            }
        }
    }

    /// True when all boxes have been searched that had to be.
    pub fn is_done(&self) -> bool {
        self.queue.is_empty()
    }

    /// Returns two triangles in contact, if the search has come upon some.
    pub fn touching(&self) -> Option<[u32; 2]> {
        self.touching
    }

    /// Returns an interval that certainly contains the distance, or whose lower end certainly exceeds the
    /// bound.
    pub fn bounds(&self) -> [f64; 2] {
        if self.touching.is_some() {
            return [0.0; 2];
        }
        let scale = self.pair.sides[0].scale;
        let of_boxes =
            self.queue.peek().map_or(f64::INFINITY, |nearest| distance_beyond(nearest.squared_gap, scale));
        let at_least = of_boxes.min(self.found.at_least()).max(0.0);
        [at_least, self.found.best()]
    }

    /// Returns the closest pair of triangles of a search that is done and has found no contact, if its
    /// distance is at most the bound.
    pub fn settle(self, work: &mut Work) -> Option<Nearest> {
        let Self { pair, bound, found, .. } = self;
        found.settle(&pair.triangle_pairs(), |triangles| triangles, bound, work)
    }

    /// Adds the triangles of two leaves: those that have an edge near a triangle of the other.
    fn add_leaves(&mut self, entry: &Entry, work: &mut Work) {
        let Self { pair, found, leaves, near, touching, .. } = self;
        let (pass, nodes) = (entry.pass, entry.places.map(|(node, _)| node));
        let edges = &pair.sides[pass.side_of_edges()].of.edges;
        let triangles = pair.triangle_pairs();
        let reach = found.best();
        let all: ControlFlow<()> = leaves.visit(pair, pass, nodes, reach, work, |edge, triangle, work| {
            let of_edge = edges.triangles(edge.edge).iter();
            near.extend(of_edge.map(|&of_edge| pass.in_order(of_edge, triangle.triangle)));
            if near.len() >= SEVERAL {
                *touching = touching.or(add_triangles(&triangles, near, found, work));
            }
            ControlFlow::Continue(found.best())
        });
        assert!(all.is_continue());
        *touching = touching.or(add_triangles(&triangles, near, found, work));
    }
}

/// Returns a distance that boxes exceed whose gap has this lower bound of its square in normal units.
fn distance_beyond(squared_gap: f32, scale: f64) -> f64 {
    // `squared_limit` rounds up by less than 8 times its room.
    let distance = f64::from(squared_gap).sqrt() * scale * (1.0 - 8.0 * f64::from(ROOM));
    if squared_limit(distance, scale) < squared_gap { distance } else { 0.0 }
}

fn is_leaf_pair(pair: &PosedPair, entry: &Entry) -> bool {
    let trees = pair.trees(entry.pass);
    (0..2).all(|side| trees[side].is_leaf(entry.places[side].0))
}

/// Adds pairs of triangles, each once, and removes them from the list. Returns one that is in contact.
fn add_triangles(
    triangles: &TrianglePairs,
    near: &mut Vec<[u32; 2]>,
    found: &mut Candidates,
    work: &mut Work,
) -> Option<[u32; 2]> {
    near.sort_unstable();
    near.dedup();
    let mut touching = None;
    for places in near.drain(..) {
        let leaves = places.map(|first| Leaf { first, count: 1 });
        if let Some((left, bounds)) =
            triangles.distances((all_lanes(leaves), leaves), found.best() * SLACK, work)
        {
            found.add(leaves, left, &bounds);
            if bounds.at_least[0] <= 0.0 && touching.is_none() && triangles.is_within(places, 0.0, work) {
                touching = Some(places);
            }
        }
    }
    touching
}
