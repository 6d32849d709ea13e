//! Faults for tests.

use super::BinaryObb;
use closefit::internals::bvh::faults::{Fault, Place};

impl BinaryObb {
    /// Puts a fault into the tree; false if it has no such part.
    pub(super) fn inject(&mut self, fault: Fault, mut at: Place) -> bool {
        let node = 1 + at.below(self.nodes.len() - 1);
        if let Some(kept) = fault.kept() {
            let axis = at.below(3);
            self.nodes[node].obb.half[axis] *= f64::from(kept);
            return true;
        }
        match fault {
            // Siblings are adjacent, the first of them at an odd place.
            Fault::Dropped => self.nodes[node] = self.nodes[if node % 2 == 1 { node + 1 } else { node - 1 }],
            Fault::Replaced => {
                let [to, from] = [(); 2].map(|()| at.below(self.triangles.len()));
                self.triangles[to] = self.triangles[from];
            }
            _ => return false,
        }
        true
    }
}
