//! Searches of trees whose leaves hold pieces of triangles settle each triangle, or pair of triangles, once.

use std::hash::Hash;

use hashbrown::HashSet;

use super::VolumeTree;
use super::posed::PosedPair;
use super::volume::Volume;
use crate::leaf_pairs::{Leaf, all_lanes, lanes};

/// The items that a search has already seen; `None` if no triangle is in two leaves.
#[derive(Debug)]
pub struct Visited<T>(Option<HashSet<T>>);

impl<T: Eq + Hash> Visited<T> {
    /// Nothing yet, in a search of some trees.
    pub fn in_search<const N: usize, V: Volume>(trees: [&VolumeTree<V>; N]) -> Self {
        Self(trees.iter().any(|tree| tree.in_pieces).then(HashSet::new))
    }

    /// True when the search comes upon something for the first time.
    #[inline(always)]
    pub fn is_first(&mut self, found: T) -> bool {
        self.0.as_mut().is_none_or(|seen| seen.insert(found))
    }
}

impl Visited<[u32; 2]> {
    /// Returns the lanes, of those given, in which two leaves have a pair of triangles for the first time.
    #[inline(always)]
    pub fn first<V: Volume>(&mut self, pair: &PosedPair<V>, (mut mask, leaves): (u32, [Leaf; 2])) -> u32 {
        if self.0.is_some() {
            for (lane, places) in lanes(mask, leaves) {
                mask ^= u32::from(!self.is_first(pair.triangles(places))) << lane;
            }
        }
        mask
    }

    /// Returns the lanes in which two leaves have a pair of triangles for the first time.
    #[inline(always)]
    pub fn first_of_all<V: Volume>(&mut self, pair: &PosedPair<V>, leaves: [Leaf; 2]) -> u32 {
        self.first(pair, (all_lanes(leaves), leaves))
    }
}
