//! Union-find over 0..n; the leader of a set is its lowest member.

use crate::ids::to_u32;

/// Sets of indices that can only grow together.
pub struct DisjointSets {
    parent: Vec<u32>,
}

impl DisjointSets {
    /// `count` sets of one index each.
    pub fn new(count: usize) -> Self {
        Self { parent: (0..to_u32(count)).collect() }
    }

    /// How many indices there are.
    pub fn count(&self) -> u32 {
        to_u32(self.parent.len())
    }

    /// The leader of an index's set.
    pub fn find(&mut self, mut x: u32) -> u32 {
        while self.parent[x as usize] != x {
            let grandparent = self.parent[self.parent[x as usize] as usize];
            self.parent[x as usize] = grandparent;
            x = grandparent;
        }
        x
    }

    /// Makes one set of two.
    pub fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.find(a), self.find(b));
        self.parent[a.max(b) as usize] = a.min(b);
    }
}
