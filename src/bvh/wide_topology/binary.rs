//! Binary trees, and their division into blocks of eight boxes at least cost (Ylitie et al. 2017, section
//! 3.1).
//!
//! A block costs one test, whatever its number of boxes, times the chance that a query reaches it: roughly
//! the area of the box around it. So full blocks at the bottom are worth more than equal areas.

use super::Child;
use super::items::{Bounds, SplitItem, is_leaf};
use super::surface_area::split;
use closefit_geometry::ids::to_u32;
use closefit_geometry::lanes::*;

/// Cost of testing a triangle, in tests of a block.
const TRIANGLE: f32 = 0.3;

/// Share of the root's area that is added to every area. Where all areas are 0, fewer blocks then cost less.
const LEAST_AREA: f32 = 1e-6;

struct BinaryNode {
    /// Least cost of the node's contents in `i + 1` boxes or fewer.
    costs: [f32; LANES],
    /// First item.
    first: u32,
    /// Number of items.
    count: u32,
    /// The second child; the first follows its parent. 0 for a leaf.
    right: u32,
}

/// A binary tree over a group of triangles.
pub(super) struct Binary {
    nodes: Vec<BinaryNode>,
    least_area: f32,
}

impl Binary {
    /// Grows a tree over items. The first will be item `first` of the whole tree.
    pub(super) fn grow(items: &mut [SplitItem], first: usize, depth: u32) -> Self {
        let bounds = Bounds::of(items.iter());
        let least_area = LEAST_AREA * bounds.area() + f32::MIN_POSITIVE;
        let mut tree = Self { nodes: Vec::with_capacity(2 * items.len()), least_area };
        tree.add(items, to_u32(first), depth, &bounds);
        in_lanes!(simd => find_costs(simd, &mut tree.nodes));
        tree
    }

    /// Adds the node of some items and the nodes below it. The costs of each are for now the costs of a
    /// leaf or, for an inner node, only its area.
    fn add(&mut self, items: &mut [SplitItem], first: u32, depth: u32, bounds: &Bounds) -> u32 {
        let index = self.nodes.len();
        let count = to_u32(items.len());
        let area = bounds.area() + self.least_area;
        let mut node = BinaryNode { costs: [area; LANES], first, count, right: 0 };
        if is_leaf(items) {
            let triangles: u32 = items.iter().map(SplitItem::count).sum();
            node.costs = [TRIANGLE * area * triangles as f32; LANES];
            self.nodes.push(node);
        } else {
            self.nodes.push(node);
            let mut halves = [Bounds::EMPTY; 2];
            let middle = split(items, depth, &mut halves);
            let (left_items, right_items) = items.split_at_mut(middle);
            self.add(left_items, first, depth + 1, &halves[0]);
            let right = self.add(right_items, first + to_u32(middle), depth + 1, &halves[1]);
            self.nodes[index].right = right;
        }
        to_u32(index)
    }

    /// Appends the blocks below the root, which is not a leaf, in depth-first order.
    pub(super) fn cut(&self, children: &mut Vec<[u32; LANES]>) {
        self.block(0, children);
    }

    fn block(&self, node: usize, children: &mut Vec<[u32; LANES]>) -> u32 {
        let BinaryNode { first, count, right, .. } = self.nodes[node];
        if right == 0 {
            return Child::Leaf { first, count }.code();
        }
        let block = children.len();
        children.push([Child::None.code(); LANES]);
        let mut lanes = Lanes { nodes: [0; LANES], used: 0 };
        self.open(node, LANES, &mut lanes);
        for lane in 0..lanes.used {
            children[block][lane] = self.block(lanes.nodes[lane], children);
        }
        Child::Block(to_u32(block)).code()
    }

    /// Chooses up to `boxes` nodes for the contents of an inner node.
    fn open(&self, node: usize, boxes: usize, lanes: &mut Lanes) {
        let halves = [node + 1, self.nodes[node].right as usize];
        let [a, b] = halves.map(|half| &self.nodes[half].costs);
        let (mut least, mut of_first) = (f32::INFINITY, 1);
        for first in 1..boxes {
            let cost = a[first - 1] + b[boxes - first - 1];
            if cost < least {
                (least, of_first) = (cost, first);
            }
        }
        for (half, boxes) in halves.into_iter().zip([of_first, boxes - of_first]) {
            let BinaryNode { costs, right, .. } = &self.nodes[half];
            if boxes == 1 || *right == 0 || costs[boxes - 1] >= costs[0] {
                lanes.nodes[lanes.used] = half;
                lanes.used += 1;
            } else {
                self.open(half, boxes, lanes);
            }
        }
    }
}

struct Lanes {
    nodes: [usize; LANES],
    used: usize,
}

/// Finds the costs of all nodes, each after those below it.
#[inline(always)]
fn find_costs<S: Simd>(simd: S, nodes: &mut [BinaryNode]) {
    for index in (0..nodes.len()).rev() {
        let right = nodes[index].right as usize;
        if right == 0 {
            continue;
        }
        // Lane i is for i + 1 boxes. If the first half has k of them, the second one has the rest: its costs,
        // k lanes later.
        let mut later = [f32::INFINITY; 2 * LANES];
        later[LANES..].copy_from_slice(&nodes[right].costs);
        let mut least = f32x8::splat(simd, f32::INFINITY);
        for (k, &of_first) in (1..LANES).zip(&nodes[index + 1].costs) {
            let of_second = f32x8::from_slice(simd, &later[LANES - k..2 * LANES - k]);
            least = least.min(of_second + f32x8::splat(simd, of_first));
        }
        let least = least.to_array();
        let area = nodes[index].costs[0];
        let whole = area + least[LANES - 1];
        let costs = f32x8::load_array_ref(simd, &least).min(f32x8::splat(simd, whole)).to_array();
        nodes[index].costs = costs;
        nodes[index].costs[0] = whole;
    }
}
