//! Faults for tests.

use super::{Child, NOTHING, WideObb};
use crate::bvh::faults::{Fault, Place};

impl WideObb {
    /// Puts a fault into the tree; false if it has no such part.
    pub(super) fn inject(&mut self, fault: Fault, mut at: Place) -> bool {
        let children: Vec<_> = self.blocks.iter().map(|block| block.child).collect();
        let (block, lane) = at.lane(&children);
        if let Some(kept) = fault.kept() {
            self.blocks[block].half[at.below(3)][lane] *= kept;
            return true;
        }
        match fault {
            Fault::Dropped => {
                self.blocks[block].child[lane] = Child::None.code();
                self.blocks[block].half.iter_mut().for_each(|half| half[lane] = NOTHING);
            }
            Fault::Replaced => {
                let [to, from] = [(); 2].map(|()| at.below(self.triangles.len()));
                self.triangles[to] = self.triangles[from];
                self.corners[to] = self.corners[from];
            }
            _ => return false,
        }
        true
    }
}
