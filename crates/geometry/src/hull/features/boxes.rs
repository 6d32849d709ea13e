//! A binary tree of boxes, to find those that contain a point.

use crate::bounds::aabb::Aabb;
use crate::ids::to_u32;
use glam::DVec3;

/// The most boxes in a leaf.
const LEAF: usize = 8;

/// Boxes sorted into a binary tree, whose nodes are in depth-first order.
pub(super) struct BoxIndex {
    nodes: Vec<FeatureNode>,
    /// The boxes of the leaves, one leaf after the other.
    items: Vec<(u32, Aabb)>,
}

struct FeatureNode {
    bounds: Aabb,
    /// The range of `items` below it.
    items: [u32; 2],
    /// The next node that is not below this one.
    next: u32,
}

impl BoxIndex {
    /// Sorts boxes, which go by their place in the list.
    pub fn of(boxes: impl Iterator<Item = Aabb>) -> Self {
        let mut index = Self { nodes: Vec::new(), items: (0..).zip(boxes).collect() };
        index.add(0, index.items.len());
        index
    }

    /// Adds the node of a range of items and those below it.
    fn add(&mut self, first: usize, end: usize) {
        let items = &mut self.items[first..end];
        let bounds = items.iter().fold(Aabb::EMPTY, |all, (_, item)| all.union(*item));
        let node = self.nodes.len();
        self.nodes.push(FeatureNode { bounds, items: [to_u32(first), to_u32(end)], next: 0 });
        if items.len() > LEAF {
            let size = bounds.hi - bounds.lo;
            let axis = (0..3).fold(0, |best, k| if size[k] > size[best] { k } else { best });
            let middle = |item: &(u32, Aabb)| item.1.lo[axis] * 0.5 + item.1.hi[axis] * 0.5;
            let half = items.len() / 2;
            let order =
                |a: &(u32, Aabb), b: &(u32, Aabb)| middle(a).total_cmp(&middle(b)).then(a.0.cmp(&b.0));
            items.select_nth_unstable_by(half, order);
            self.add(first, first + half);
            self.add(first + half, end);
        }
        self.nodes[node].next = to_u32(self.nodes.len());
    }

    /// Calls `visit` with every box that contains a point.
    pub fn containing(&self, p: DVec3, mut visit: impl FnMut(u32)) {
        let contains = |b: &Aabb| b.lo.cmple(p).all() && p.cmple(b.hi).all();
        let mut node = 0;
        while let Some(FeatureNode { bounds, items: [first, end], next }) = self.nodes.get(node) {
            let is_leaf = node + 1 == *next as usize;
            if is_leaf && contains(bounds) {
                let items = &self.items[*first as usize..*end as usize];
                items.iter().filter(|(_, item)| contains(item)).for_each(|(place, _)| visit(*place));
            }
            node = if contains(bounds) { node + 1 } else { *next as usize };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::testing::Stream;

    #[test]
    fn finds_every_box_around_a_point() {
        let mut stream = Stream(3);
        for count in [0, 1, 8, 9, 500] {
            let mut corner = || DVec3::from_array(std::array::from_fn(|_| stream.below(6) as f64));
            let boxes: Vec<Aabb> = (0..count).map(|_| Aabb::of([corner(), corner()])).collect();
            let index = BoxIndex::of(boxes.iter().copied());
            for _ in 0..50 {
                let p = corner();
                let mut found = Vec::new();
                index.containing(p, |place| found.push(place));
                found.sort_unstable();
                let around =
                    (0..).zip(&boxes).filter(|(_, b)| b.meets(&Aabb::of([p]))).map(|(place, _)| place);
                assert_eq!(found, around.collect::<Vec<u32>>());
            }
        }
    }
}
