//! Searches for the closest pair of triangles, nearest boxes first.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::ops::ControlFlow;

use super::axes::{BoxPairs, squared_gaps};
use super::leaves::Leaves;
use super::posed::{Pass, Places, Posed, PosedPair};
use crate::hierarchy::closest::Candidates;
use crate::hierarchy::leaf_pairs::{Leaf, TrianglePairs};
use crate::hierarchy::placement::squared_limit;
use crate::lanes::LANES;
use crate::narrow::{Nearest, SLACK, Work};

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

/// Returns the closest pair of triangles, if its distance is at most `bound`. The trees must not be in contact.
pub fn nearest(a: &Posed, b: &Posed, bound: f64, work: &mut Work) -> Option<Nearest> {
    let pair = PosedPair::new(a, b);
    candidates(&pair, bound, work).settle(&pair.triangle_pairs(), |triangles| triangles, bound, work)
}

/// Returns every pair of triangles whose distance is not proven to exceed that of another pair, or `bound`.
fn candidates(pair: &PosedPair, bound: f64, work: &mut Work) -> Candidates {
    let (executor, scale) = (pair.sides[0].executor, pair.sides[0].scale);
    let frame = pair.frames.map(|frames| frames.axes());
    let mut found = Candidates::within(bound);
    let mut farthest = squared_limit(bound, scale);
    let whole = |pass: Pass| {
        let places = pair.trees(pass).map(|tree| tree.whole());
        Entry { squared_gap: 0.0, number: 0, pass, places }
    };
    let mut queue: BinaryHeap<Entry> = Pass::ALL.map(whole).into();
    let (mut number, mut leaves, mut near) = (0, Leaves::default(), Vec::new());
    while let Some(first) = queue.pop() {
        if first.squared_gap > farthest {
            break;
        }
        if is_leaf_pair(pair, &first) {
            add_leaves(pair, &first, (&mut leaves, &mut near), &mut found, work);
            farthest = squared_limit(found.best(), scale);
            continue;
        }
        // Two pairs of boxes fill the lanes with those of their children.
        let second =
            queue.peek().filter(|second| second.squared_gap <= farthest && !is_leaf_pair(pair, second));
        let both = [Some(first), second.copied()];
        if second.is_some() {
            queue.pop();
        }
        let mut pairs = BoxPairs::default();
        let mut opened = Vec::with_capacity(LANES);
        for entry in both.into_iter().flatten() {
            let (children, count) = pair.open(entry.pass, entry.places);
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
                number += 1;
                queue.push(Entry { squared_gap, number, pass, places });
            }
        }
    }
    found
}

fn is_leaf_pair(pair: &PosedPair, entry: &Entry) -> bool {
    let trees = pair.trees(entry.pass);
    (0..2).all(|side| trees[side].is_leaf(entry.places[side].0))
}

/// Adds the triangles of two leaves: those that have an edge near a triangle of the other.
fn add_leaves(
    pair: &PosedPair,
    entry: &Entry,
    (leaves, near): (&mut Leaves, &mut Vec<[u32; 2]>),
    found: &mut Candidates,
    work: &mut Work,
) {
    let (pass, nodes) = (entry.pass, entry.places.map(|(node, _)| node));
    let edges = &pair.sides[pass.side_of_edges()].of.edges;
    let triangles = pair.triangle_pairs();
    let reach = found.best();
    let all: ControlFlow<()> = leaves.visit(pair, pass, nodes, reach, work, |edge, triangle, work| {
        let of_edge = edges.triangles(edge.edge).iter();
        near.extend(of_edge.map(|&of_edge| pass.in_order(of_edge, triangle.triangle)));
        if near.len() >= SEVERAL {
            add_triangles(&triangles, near, found, work);
        }
        ControlFlow::Continue(found.best())
    });
    debug_assert!(all.is_continue());
    add_triangles(&triangles, near, found, work);
}

/// Adds pairs of triangles, each once, and removes them from the list.
fn add_triangles(
    triangles: &TrianglePairs,
    near: &mut Vec<[u32; 2]>,
    found: &mut Candidates,
    work: &mut Work,
) {
    near.sort_unstable();
    near.dedup();
    for places in near.drain(..) {
        let leaves = places.map(|first| Leaf { first, count: 1 });
        if let Some((left, bounds)) = triangles.distances(leaves, found.best() * SLACK, work) {
            found.add(leaves, left, &bounds);
        }
    }
}
