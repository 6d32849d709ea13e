//! A tree of oriented boxes over triangles, or what bounds them, in which those with a common vertex are
//! together. It finds the pairs that boxes do not separate, except pairs in boxes whose triangles all have a
//! vertex in common.

use std::ops::Range;

use glam::DVec3;

use crate::narrow::{Work, count};
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::bounds::obb::Obb;
use closefit_geometry::bounds::separating_axes::PosedBoxes;
use closefit_geometry::math::pose::Pose;

/// Marks a missing vertex.
const NONE: u32 = u32::MAX;

/// The number of vertices by which triangles are put together.
const LEVELS: usize = 2;

/// The most triangles in a leaf.
const LEAF: usize = 4;

/// A triangle in the tree.
#[derive(Clone, Copy, Debug)]
pub struct Item {
    triangle: u32,
    /// The vertices by which it is put together with others, most shared first.
    vertices: [u32; LEVELS],
    /// Points that it is in between.
    points: [DVec3; 4],
    /// The place that it is sorted by.
    place: DVec3,
}

impl Item {
    /// Makes an item of a triangle from the vertices that it may share, with how many share each, and of
    /// points that it is in between.
    pub fn new(
        triangle: u32,
        vertices: impl Iterator<Item = u32>,
        shared_by: impl Fn(u32) -> u32,
        points: [DVec3; 4],
    ) -> Self {
        let mut all: Vec<u32> = vertices.collect();
        all.sort_unstable_by_key(|&vertex| (std::cmp::Reverse(shared_by(vertex)), vertex));
        all.dedup();
        all.resize(LEVELS, NONE);
        Self { triangle, vertices: [all[0], all[1]], points, place: DVec3::ZERO }
    }

    fn middle(&self) -> DVec3 {
        self.points.iter().map(|p| *p * 0.25).sum()
    }
}

/// The tree.
#[derive(Debug)]
pub struct Tree {
    items: Vec<Item>,
    nodes: Vec<Node>,
    /// Boxes in the coordinates of the points.
    boxes: PosedBoxes,
    /// The distance beyond which boxes are separate.
    apart: f64,
}

#[derive(Debug)]
struct Node {
    bounds: Obb,
    items: Range<usize>,
    /// Vertices that all its triangles have.
    common: [u32; LEVELS],
    /// The numbers of its halves; `None` for a leaf.
    halves: Option<[usize; 2]>,
}

impl Node {
    fn shares_with(&self, other: &Self) -> bool {
        self.common.iter().any(|vertex| *vertex != NONE && other.common.contains(vertex))
    }
}

impl Tree {
    /// Builds the tree. Boxes separate triangles if they are farther apart than `apart`.
    pub fn new(mut items: Vec<Item>, apart: f64) -> Self {
        let largest = |item: &Item| item.points.iter().map(|p| p.abs().max_element()).fold(0.0, f64::max);
        let reach = items.iter().map(largest).fold(0.0, f64::max);
        let boxes = PosedBoxes::new(&Pose::IDENTITY, reach, &Pose::IDENTITY, reach);
        items.sort_unstable_by_key(|item| (item.vertices, item.triangle));
        let mut tree = Self { nodes: Vec::new(), boxes, apart, items };
        if !tree.items.is_empty() {
            tree.build(0..tree.items.len(), 0);
        }
        tree
    }

    /// Adds the node of some items, and returns its number. The items that have a vertex of a lower level are
    /// the triangles of one such vertex.
    fn build(&mut self, range: Range<usize>, level: usize) -> usize {
        let items = &mut self.items[range.clone()];
        let first = items[0].vertices;
        let is_common = [0, 1].map(|k| items.iter().all(|item| item.vertices[k] == first[k]));
        let common = [0, 1].map(|k| if is_common[k] { first[k] } else { NONE });
        let points: Vec<DVec3> = items.iter().flat_map(|item| item.points).collect();
        let bounds = Obb::around_face(&points);
        let number = self.nodes.len();
        let count = items.len();
        let cut = (count > LEAF).then(|| {
            let level = (level..LEVELS).find(|&k| !is_common[k]).unwrap_or(LEVELS);
            (cut(items, level), level)
        });
        self.nodes.push(Node { bounds, items: range.clone(), common, halves: None });
        if let Some((cut, level)) = cut {
            let middle = range.start + cut;
            let halves = [range.start..middle, middle..range.end].map(|half| self.build(half, level));
            self.nodes[number].halves = Some(halves);
        }
        number
    }

    /// Calls `visit` with the pairs of triangles that nothing separates.
    pub fn pairs(&self, visit: &mut dyn FnMut([u32; 2])) {
        let mut box_tests = 0;
        let mut open: Vec<[usize; 2]> = if self.nodes.is_empty() { Vec::new() } else { vec![[0, 0]] };
        while let Some([i, j]) = open.pop() {
            let [a, b] = [&self.nodes[i], &self.nodes[j]];
            if a.shares_with(b) {
                continue;
            }
            if i == j {
                match a.halves {
                    Some([low, high]) => open.extend([[low, low], [high, high], [low, high]]),
                    None => self.among(a.items.clone(), visit),
                }
                continue;
            }
            box_tests += 1;
            if self.boxes.separated_by_more_than(&a.bounds, &b.bounds, self.apart) {
                continue;
            }
            match (a.halves, b.halves) {
                (Some(halves), of_b) if of_b.is_none() || a.items.len() >= b.items.len() => {
                    open.extend(halves.map(|half| [half, j]));
                }
                (_, Some(halves)) => open.extend(halves.map(|half| [i, half])),
                _ => {
                    for x in &self.items[a.items.clone()] {
                        self.items[b.items.clone()].iter().for_each(|y| visit([x.triangle, y.triangle]));
                    }
                }
            }
        }
        count(Work::boxes(box_tests));
    }

    fn among(&self, items: Range<usize>, visit: &mut dyn FnMut([u32; 2])) {
        let items = &self.items[items];
        for (k, x) in items.iter().enumerate() {
            items[k + 1..].iter().for_each(|y| visit([x.triangle, y.triangle]));
        }
    }
}

/// Sorts more than one item and returns where to cut them. Items with the same vertices up to the level stay
/// together. All share the vertices of lower levels, but not the vertex of this level.
fn cut(items: &mut [Item], level: usize) -> usize {
    let is_together = |a: &Item, b: &Item| {
        level < LEVELS && a.vertices[level] != NONE && a.vertices[level] == b.vertices[level]
    };
    for group in items.chunk_by_mut(is_together) {
        let middle = group.iter().map(Item::middle).sum::<DVec3>() / group.len() as f64;
        group.iter_mut().for_each(|item| item.place = middle);
    }
    let around = Aabb::of(items.iter().map(|item| item.place));
    let size = around.hi - around.lo;
    let axis = (0..3).max_by(|&k, &m| size[k].total_cmp(&size[m])).expect("three axes");
    let order = |a: &Item, b: &Item| {
        let along = a.place[axis].total_cmp(&b.place[axis]);
        along.then_with(|| (a.vertices, a.triangle).cmp(&(b.vertices, b.triangle)))
    };
    let middle = items.len() / 2;
    if level == LEVELS {
        items.select_nth_unstable_by(middle, order);
        return middle;
    }
    items.sort_unstable_by(order);
    let is_cut = |at: &usize| !is_together(&items[at - 1], &items[*at]);
    let [before, after] = [(1..=middle).rev().find(is_cut), (middle + 1..items.len()).find(is_cut)];
    match (before, after) {
        (Some(before), Some(after)) => {
            if middle - before <= after - middle {
                before
            } else {
                after
            }
        }
        (before, after) => before.or(after).expect("not all are together"),
    }
}
