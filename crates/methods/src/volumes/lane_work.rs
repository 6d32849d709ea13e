//! Counts the volumes that a search really tests: trees of eight to a block test lanes without a volume, too.

use super::posed::{Opened, PosedPair, used};
use super::volume::Volume;

/// The volumes of a search, without empty lanes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LaneWork {
    /// Number of volumes tested: N_v of Sanna and Milani (2004).
    pub tests: u64,
    /// Number of volumes refitted to a turned frame before they were tested: N_u.
    pub updates: u64,
}

impl LaneWork {
    /// Counts an opened block, which is tested against a volume of the other tree.
    pub(super) fn open<V: Volume>(&mut self, pair: &PosedPair<V>, opened: Opened) {
        let tree = [pair.a.tree, pair.b.tree][opened.side];
        let lanes = u64::from(used(&tree.children[opened.block as usize]).count_ones());
        self.tests += lanes;
        if pair.map.as_ref().is_some_and(V::reshapes) {
            // Those of the second tree are fitted to the frame of the first.
            self.updates += if opened.side == 0 { 1 } else { lanes };
        }
    }
}
