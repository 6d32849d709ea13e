//! Counts that show how well a tree of cuts divides its items.

use std::collections::BTreeSet;

use super::cuts::{Content, CutTree, Extents};

/// The size and shape of a tree of cuts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shape {
    /// Number of items.
    pub items: usize,
    /// Number of nodes.
    pub nodes: usize,
    /// Number of leaves.
    pub leaves: usize,
    /// Entries of leaves for each item: 1 if no cut crosses any.
    pub repetition: f64,
    /// Mean share of a cut box's items that cross the cut.
    pub crossing: f64,
    /// Share of the root's volume that is cut off as empty; 0 for a root without volume.
    pub empty: f64,
    /// Largest number of balanced cuts above a leaf.
    pub depth: u32,
    /// Number of items of the fullest leaf.
    pub fullest: u32,
    /// Number of tests of an item against a plane that building took.
    pub plane_tests: u64,
}

impl CutTree {
    /// Counts the nodes of a tree over a number of items.
    pub fn shape(&self, items: usize) -> Shape {
        let volume =
            |Extents { lo, hi }: Extents| -> f64 { (0..3).map(|k| f64::from(hi[k] - lo[k])).product() };
        let (mut leaves, mut cuts, mut deepest, mut fullest) = (0, 0, 0, 0);
        let (mut empty, mut crossing) = (0.0, 0.0);
        let mut stack = vec![(self.whole(), 0)];
        while let Some((place, depth)) = stack.pop() {
            let (count, children) = self.open(place);
            match self.content(place.0) {
                Content::Leaf { count, .. } => {
                    leaves += 1;
                    (deepest, fullest) = (deepest.max(depth), fullest.max(count));
                }
                Content::Chipped { .. } => {
                    empty += volume(place.1) - volume(children[0].1);
                    stack.push((children[0], depth));
                }
                Content::Cut { .. } => {
                    let [below, above] = children.map(|(child, _)| self.below(child));
                    let both = below.intersection(&above).count();
                    crossing += both as f64 / (below.len() + above.len() - both) as f64;
                    cuts += 1;
                    stack.extend(children[..count].iter().map(|&child| (child, depth + 1)));
                }
            }
        }
        let share = |part: f64, whole: f64| if whole > 0.0 { part / whole } else { 0.0 };
        Shape {
            items,
            nodes: self.nodes.len(),
            leaves,
            repetition: share(self.items.len() as f64, items as f64),
            crossing: share(crossing, f64::from(cuts)),
            empty: share(empty, volume(self.root)),
            depth: deepest,
            fullest,
            plane_tests: self.plane_tests,
        }
    }

    /// Returns the items below a node.
    pub(super) fn below(&self, node: u32) -> BTreeSet<u32> {
        let (mut items, mut stack) = (BTreeSet::new(), vec![node]);
        while let Some(node) = stack.pop() {
            match self.content(node) {
                Content::Leaf { .. } => items.extend(self.leaf(node).iter().copied()),
                Content::Chipped { child, .. } => stack.push(child),
                Content::Cut { first, .. } => stack.extend([first, first + 1]),
            }
        }
        items
    }
}
