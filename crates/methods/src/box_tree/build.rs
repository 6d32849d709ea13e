//! Building a tree of cuts (Zachmann 1997, "Constructing the BoxTree").
//!
//! A part of the box that the content leaves empty is cut off if it is large. Otherwise the box is cut so
//! that as many items lie below as above: at the median of the items' ends, to which the paper's interval
//! bisection converges. The axis with the least [penalty](BoxRule::crossing) wins.

use super::cuts::{Content, CutNode, CutTree, Extents};
use super::rule::{BoxRule, Levels};
use closefit_geometry::ids::to_u32;
use closefit_geometry::parallel;

/// Smallest number of items for which children are built in parallel.
const MANY: usize = 1 << 12;

impl CutTree {
    /// Builds the tree over items with these boxes. The same items give the same tree, whatever the number of
    /// threads.
    pub fn build(bounds: &[Extents], rule: &BoxRule) -> Self {
        let root = bounds.iter().copied().fold(Extents::EMPTY, Extents::union);
        let sides = (0..3).map(|k| root.hi[k] - root.lo[k]);
        let squared: f32 = sides.map(|side| side * side).sum();
        let thickness = rule.thickness * squared.sqrt();
        let items = (0..to_u32(bounds.len())).collect();
        let depth = rule.depth_for(bounds.len());
        let builder = Builder { bounds, thickness, rule };
        let Subtree { nodes, items, plane_tests } = builder.grow(items, root, depth);
        Self { nodes, root, items, thickness, plane_tests }
    }
}

struct Builder<'a> {
    bounds: &'a [Extents],
    /// Half the thickness of cuts.
    thickness: f32,
    rule: &'a BoxRule,
}

/// Nodes, the root first, with indices into themselves and into their own items.
struct Subtree {
    nodes: Vec<CutNode>,
    items: Vec<u32>,
    plane_tests: u64,
}

/// A plane that parts items.
struct Balanced {
    axis: usize,
    at: f32,
    /// The number of items of the fuller side.
    fullest: usize,
    /// The paper's penalty.
    penalty: f32,
}

impl Balanced {
    fn is_better_than(&self, other: &Self) -> bool {
        self.penalty < other.penalty || (self.penalty == other.penalty && self.fullest < other.fullest)
    }
}

impl Builder<'_> {
    fn grow(&self, items: Vec<u32>, extents: Extents, levels_left: u32) -> Subtree {
        let overhang = self.overhang(&items, &extents);
        let mut plane_tests = 0;
        if levels_left > 0 && items.len() > self.rule.min {
            // The six planes at the ends of the content.
            plane_tests += 6 * items.len() as u64;
            if let Some((axis, left, at)) = self.empty_part(&items, &extents) {
                let left_below = levels_left - u32::from(self.rule.levels == Levels::AllCuts);
                let child = self.grow(items, extents.cut(axis, at)[left], left_below);
                return chipped((axis, left, at), child, overhang, plane_tests);
            }
            // The median plane of each axis.
            plane_tests += 3 * items.len() as u64;
            let cut = self.balanced_cut(&items, &extents);
            if cut.fullest as f32 <= self.rule.lambda * items.len() as f32 {
                let mut subtree = self.cut(&items, &extents, &cut, levels_left - 1, overhang);
                subtree.plane_tests += plane_tests + items.len() as u64;
                return subtree;
            }
        }
        let content = Content::Leaf { first: 0, count: to_u32(items.len()) };
        Subtree { nodes: vec![CutNode { content, overhang }], items, plane_tests }
    }

    fn cut(
        &self,
        items: &[u32],
        extents: &Extents,
        &Balanced { axis, at, .. }: &Balanced,
        levels_left: u32,
        overhang: f32,
    ) -> Subtree {
        let [mut below, mut above] = [Vec::new(), Vec::new()];
        for &item in items {
            match self.side(item, axis, at) {
                Side::Below => below.push(item),
                Side::Above => above.push(item),
                Side::Both => [&mut below, &mut above].into_iter().for_each(|side| side.push(item)),
            }
        }
        let [low, high] = extents.cut(axis, at);
        let grow_below = || self.grow(below, low, levels_left);
        let grow_above = || self.grow(above, high, levels_left);
        let (below, above) = if items.len() < MANY {
            (grow_below(), grow_above())
        } else {
            parallel::both(grow_below, grow_above)
        };
        joined((axis, at), below, above, overhang)
    }

    fn side(&self, item: u32, axis: usize, at: f32) -> Side {
        let Extents { lo, hi } = self.bounds[item as usize];
        if hi[axis] <= at + self.thickness {
            Side::Below
        } else if lo[axis] >= at - self.thickness {
            Side::Above
        } else {
            Side::Both
        }
    }

    /// Returns the box around the part of the items in a box. Items just past a cut lie on it.
    fn content(&self, items: &[u32], extents: &Extents) -> Extents {
        let all = items.iter().map(|&item| self.bounds[item as usize]).fold(Extents::EMPTY, Extents::union);
        let within = |k: usize, x: f32| x.clamp(extents.lo[k], extents.hi[k]);
        Extents {
            lo: std::array::from_fn(|k| within(k, all.lo[k])),
            hi: std::array::from_fn(|k| within(k, all.hi[k])),
        }
    }

    /// Returns the plane at an end of the content that cuts off the largest empty part, if that is large
    /// enough: its axis, the side that is left, and the plane.
    fn empty_part(&self, items: &[u32], extents: &Extents) -> Option<(usize, usize, f32)> {
        let content = self.content(items, extents);
        let mut largest = (self.rule.empty, None);
        for axis in 0..3 {
            let whole = extents.hi[axis] - extents.lo[axis];
            let ends = [
                (0, content.hi[axis], extents.hi[axis] - content.hi[axis]),
                (1, content.lo[axis], content.lo[axis] - extents.lo[axis]),
            ];
            for (left, at, empty) in ends {
                // A box without extent has no share of it: the quotient is a NaN.
                let share = empty / whole;
                if share > largest.0 {
                    largest = (share, Some((axis, left, at)));
                }
            }
        }
        largest.1
    }

    /// Returns the plane with as many items below as above that has the least penalty.
    fn balanced_cut(&self, items: &[u32], extents: &Extents) -> Balanced {
        let of_axis = |axis: usize| {
            let ends = |&item: &u32| {
                let Extents { lo, hi } = self.bounds[item as usize];
                [hi[axis] - self.thickness, lo[axis] + self.thickness]
            };
            let mut ends: Vec<f32> = items.iter().flat_map(ends).collect();
            let (below, &mut upper, _) = ends.select_nth_unstable_by(items.len(), f32::total_cmp);
            let lower = below.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            let at = (0.5 * (lower + upper)).clamp(extents.lo[axis], extents.hi[axis]);
            let [mut below, mut above] = [0, 0];
            for &item in items {
                let side = self.side(item, axis, at);
                below += usize::from(side != Side::Above);
                above += usize::from(side != Side::Below);
            }
            let crossing = below + above - items.len();
            let penalty = below.abs_diff(above) as f32 + self.rule.crossing * crossing as f32;
            Balanced { axis, at, fullest: below.max(above), penalty }
        };
        let [x, y, z] = [0, 1, 2].map(of_axis);
        [y, z].into_iter().fold(x, |best, other| if other.is_better_than(&best) { other } else { best })
    }

    fn overhang(&self, items: &[u32], extents: &Extents) -> f32 {
        let beyond = |&item: &u32| {
            let Extents { lo, hi } = self.bounds[item as usize];
            (0..3).map(|k| (hi[k] - extents.hi[k]).max(extents.lo[k] - lo[k])).fold(0.0, f32::max)
        };
        let most = items.iter().map(beyond).fold(0.0, f32::max);
        if most > 0.0 { most.next_up() } else { 0.0 }
    }
}

/// The side of a plane on which an item lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Below,
    Above,
    Both,
}

/// Puts a node with one child above a subtree.
fn chipped(
    (axis, left, at): (usize, usize, f32),
    child: Subtree,
    overhang: f32,
    plane_tests: u64,
) -> Subtree {
    let content = Content::Chipped { axis: axis as u8, left: left as u8, at, child: 1 };
    let mut nodes = vec![CutNode { content, overhang }];
    nodes.extend(child.nodes.into_iter().map(|node| moved(node, |index| index + 1, 0)));
    Subtree { nodes, items: child.items, plane_tests: plane_tests + child.plane_tests }
}

/// Puts a node above two subtrees. Their roots follow it, then the other nodes of the first and of the
/// second.
fn joined((axis, at): (usize, f32), below: Subtree, mut above: Subtree, overhang: f32) -> Subtree {
    let content = Content::Cut { axis: axis as u8, at, first: 1 };
    let mut nodes = Vec::with_capacity(1 + below.nodes.len() + above.nodes.len());
    nodes.push(CutNode { content, overhang });
    let after = to_u32(below.nodes.len());
    let of_below = |node: &CutNode| moved(*node, |index| index + 2, 0);
    let first_item = to_u32(below.items.len());
    let of_above = |node: &CutNode| moved(*node, |index| index + 1 + after, first_item);
    nodes.push(of_below(&below.nodes[0]));
    nodes.push(of_above(&above.nodes[0]));
    nodes.extend(below.nodes[1..].iter().map(of_below));
    nodes.extend(above.nodes[1..].iter().map(of_above));
    let mut items = below.items;
    items.append(&mut above.items);
    Subtree { nodes, items, plane_tests: below.plane_tests + above.plane_tests }
}

/// Renumbers a node's children, and moves its items.
fn moved(mut node: CutNode, number: impl Fn(u32) -> u32, by: u32) -> CutNode {
    match &mut node.content {
        Content::Cut { first: child, .. } | Content::Chipped { child, .. } => *child = number(*child),
        Content::Leaf { first, .. } => *first += by,
    }
    node
}
