//! The corners of a polygon in a balanced tree of boxes: which of them are in a triangle.

use super::Flat;
use crate::ids::to_u32;

/// Number of corners of a leaf, at most.
const LEAF: usize = 8;

/// A tree of the corners that are left.
pub struct CornerTree {
    /// The corners, ordered so that the corners of each node follow one another.
    order: Vec<u32>,
    /// The place of each corner in the order.
    places: Vec<u32>,
    /// The nodes: the children of node `i` are `2 i + 1` and `2 i + 2`, with half of its corners each.
    nodes: Vec<Node>,
}

#[derive(Clone, Copy, Default)]
struct Node {
    low: [f64; 2],
    high: [f64; 2],
    /// Number of its corners that are left.
    left: u32,
}

impl CornerTree {
    /// Builds the tree of all corners.
    pub fn new(flat: &Flat) -> Self {
        let count = flat.points.len();
        let mut tree =
            Self { order: (0..to_u32(count)).collect(), places: vec![0; count], nodes: Vec::new() };
        let mut open = vec![(0, 0, count)];
        while let Some((node, from, to)) = open.pop() {
            let corners = &mut tree.order[from..to];
            let of_node = Node::of(corners, &flat.points);
            let axis = usize::from(of_node.high[1] - of_node.low[1] > of_node.high[0] - of_node.low[0]);
            if tree.nodes.len() <= node {
                tree.nodes.resize(node + 1, Node::default());
            }
            tree.nodes[node] = of_node;
            if let Some(middle) = middle(from, to) {
                let along = |&corner: &u32| flat.points[corner as usize][axis];
                corners.select_nth_unstable_by(middle - from, |a, b| along(a).total_cmp(&along(b)));
                open.extend([(2 * node + 1, from, middle), (2 * node + 2, middle, to)]);
            }
        }
        for (place, &corner) in tree.order.iter().enumerate() {
            tree.places[corner as usize] = to_u32(place);
        }
        tree
    }

    /// Removes a corner.
    pub fn remove(&mut self, corner: u32) {
        let place = self.places[corner as usize] as usize;
        let (mut node, mut from, mut to) = (0, 0, self.order.len());
        loop {
            self.nodes[node].left -= 1;
            let Some(middle) = middle(from, to) else { return };
            (node, from, to) =
                if place < middle { (2 * node + 1, from, middle) } else { (2 * node + 2, middle, to) };
        }
    }

    /// Returns a corner in a closed triangle, counterclockwise, for which `is_wanted` holds. `is_wanted` is
    /// called for corners that have been removed, too. Adds to `work` the number of nodes and corners that
    /// were visited.
    pub fn find(
        &self,
        flat: &Flat,
        triangle: &[[f64; 2]; 3],
        work: &mut u64,
        is_wanted: impl Fn(u32) -> bool,
    ) -> Option<u32> {
        let mut open = vec![(0, 0, self.order.len())];
        while let Some((node, from, to)) = open.pop() {
            *work += 1;
            if self.nodes[node].left == 0 || self.nodes[node].misses(flat, triangle) {
                continue;
            }
            match middle(from, to) {
                Some(middle) => open.extend([(2 * node + 2, middle, to), (2 * node + 1, from, middle)]),
                None => {
                    let corners = &self.order[from..to];
                    *work += corners.len() as u64;
                    if let Some(&found) = corners.iter().find(|&&corner| is_wanted(corner)) {
                        return Some(found);
                    }
                }
            }
        }
        None
    }
}

/// Returns the place at which the corners of a node are halved, unless it is a leaf.
fn middle(from: usize, to: usize) -> Option<usize> {
    (to - from > LEAF).then(|| from.midpoint(to))
}

impl Node {
    fn of(corners: &[u32], points: &[[f64; 2]]) -> Self {
        let mut node =
            Self { low: [f64::INFINITY; 2], high: [f64::NEG_INFINITY; 2], left: to_u32(corners.len()) };
        for &corner in corners {
            for (axis, x) in points[corner as usize].into_iter().enumerate() {
                node.low[axis] = node.low[axis].min(x);
                node.high[axis] = node.high[axis].max(x);
            }
        }
        node
    }

    /// True if the box lies strictly outside one edge of a triangle, or outside its box.
    fn misses(&self, flat: &Flat, triangle: &[[f64; 2]; 3]) -> bool {
        let [a, b, c] = triangle;
        let apart = (0..2).any(|axis| {
            let (low, high) = (a[axis].min(b[axis]).min(c[axis]), a[axis].max(b[axis]).max(c[axis]));
            high < self.low[axis] || self.high[axis] < low
        });
        apart
            || [[a, b], [b, c], [c, a]].into_iter().any(|[&from, &to]| {
                // The corner of the box that lies farthest to the left of the edge.
                let x = if to[1] > from[1] { self.low[0] } else { self.high[0] };
                let y = if to[0] > from[0] { self.high[1] } else { self.low[1] };
                flat.turn(from, to, [x, y]).is_lt()
            })
    }
}
