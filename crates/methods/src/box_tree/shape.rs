//! Counts that show how well a tree of cuts divides its items.

use super::cuts::{Content, CutTree, Extents};

/// The size and shape of a tree of cuts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shape {
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
    /// Number of leaves with several items that lie above the largest depth: no cut divides them.
    pub stopped: usize,
}

impl CutTree {
    /// Counts the nodes of a tree over a number of items, built with at most `deepest` balanced cuts above a
    /// leaf.
    pub fn shape(&self, items: usize, deepest: u32) -> Shape {
        let volume =
            |Extents { lo, hi }: Extents| -> f64 { (0..3).map(|k| f64::from(hi[k] - lo[k])).product() };
        let (mut leaves, mut stopped, mut cuts) = (0, 0, 0);
        let (mut empty, mut crossing) = (0.0, 0.0);
        let mut stack = vec![(self.whole(), 0)];
        while let Some((place, depth)) = stack.pop() {
            let (count, children) = self.open(place);
            match self.content(place.0) {
                Content::Leaf { count, .. } => {
                    leaves += 1;
                    stopped += usize::from(count > 1 && depth < deepest);
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
            nodes: self.nodes.len(),
            leaves,
            repetition: share(self.items.len() as f64, items as f64),
            crossing: share(crossing, f64::from(cuts)),
            empty: share(empty, volume(self.root)),
            stopped,
        }
    }
}
