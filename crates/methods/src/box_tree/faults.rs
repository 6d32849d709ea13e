//! Faults for tests.

use super::CutTrees;
use super::cuts::{Content, CutTree};
use closefit::internals::bvh::faults::{Fault, Place};

const NOTHING: Content = Content::Leaf { first: 0, count: 0 };

impl CutTrees {
    /// Puts a fault into the tree of edges or into the tree of triangles; false if it has no such part.
    pub(super) fn inject(&mut self, fault: Fault, mut at: Place) -> bool {
        let tree = at.below(2);
        self.trees[tree].inject(fault, at)
    }
}

impl CutTree {
    fn inject(&mut self, fault: Fault, mut at: Place) -> bool {
        let node = at.below(self.nodes.len());
        match fault {
            Fault::Flipped => self.flip(node),
            Fault::Dropped => self.drop_part(node, at),
            Fault::Replaced => {
                let [to, from] = [(); 2].map(|()| at.below(self.items.len()));
                self.items[to] = self.items[from];
                true
            }
            _ => self.shrink(node, fault.kept().expect("a volume shrinks"), at),
        }
    }

    /// Moves the plane of a node inwards, or a side of the root.
    fn shrink(&mut self, node: usize, kept: f32, mut place: Place) -> bool {
        let by = (1.0 - kept) * self.root.size();
        match &mut self.nodes[node].content {
            Content::Cut { at, .. } => *at += if place.below(2) == 0 { by } else { -by },
            Content::Chipped { at, left, .. } => *at += if *left == 1 { by } else { -by },
            Content::Leaf { .. } => self.root.hi[place.below(3)] -= by,
        }
        true
    }

    /// Takes one side of a plane for the other.
    fn flip(&mut self, node: usize) -> bool {
        match &mut self.nodes[node].content {
            Content::Cut { first, .. } => {
                let first = *first as usize;
                self.nodes.swap(first, first + 1);
            }
            Content::Chipped { left, .. } => *left = 1 - *left,
            Content::Leaf { .. } => return false,
        }
        true
    }

    /// Leaves out a child, or an item of a leaf.
    fn drop_part(&mut self, node: usize, mut at: Place) -> bool {
        match &mut self.nodes[node].content {
            Content::Cut { first, .. } => {
                let child = *first as usize + at.below(2);
                self.nodes[child].content = NOTHING;
            }
            Content::Chipped { child, .. } => {
                let child = *child as usize;
                self.nodes[child].content = NOTHING;
            }
            Content::Leaf { count: 0, .. } => return false,
            Content::Leaf { first, count } => {
                *count -= 1;
                let (last, any) = (*first + *count, *first as usize + at.below(*count as usize + 1));
                self.items.swap(last as usize, any);
            }
        }
        true
    }
}
