//! Union-find over 0..n. The leader of a set is its lowest member.

use crate::ids::to_u32;

/// Disjoint sets of indices, which can only be merged.
#[derive(Default)]
pub struct DisjointSets {
    parent: Vec<u32>,
}

impl DisjointSets {
    /// Creates `count` sets of one index each.
    pub fn new(count: usize) -> Self {
        Self { parent: (0..to_u32(count)).collect() }
    }

    /// Becomes `count` sets of one index each.
    pub fn reset(&mut self, count: usize) {
        self.parent.clear();
        self.parent.extend(0..to_u32(count));
    }

    /// Returns the number of indices.
    pub fn count(&self) -> u32 {
        to_u32(self.parent.len())
    }

    /// Returns the leader of the set that contains `x`.
    pub fn find(&mut self, mut x: u32) -> u32 {
        while self.parent[x as usize] != x {
            let grandparent = self.parent[self.parent[x as usize] as usize];
            self.parent[x as usize] = grandparent;
            x = grandparent;
        }
        x
    }

    /// Returns a lower index of the set that contains `x`, or `x` if there is none.
    pub fn before(&self, x: u32) -> u32 {
        self.parent[x as usize]
    }

    /// Merges the sets of two indices.
    pub fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.find(a), self.find(b));
        self.parent[a.max(b) as usize] = a.min(b);
    }
}
