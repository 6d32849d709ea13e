//! Faults for tests.

use super::VolumeTree;
use super::volume::Volume;
use closefit::internals::bvh::faults::{Fault, Place};
use closefit::internals::bvh::wide_topology::Child;

impl<V: Volume> VolumeTree<V> {
    /// Puts a fault into the tree; false if it has no such part.
    pub(crate) fn inject(&mut self, fault: Fault, mut at: Place) -> bool {
        let (block, lane) = at.lane(&self.children);
        let volume = V::of_lane(&self.volumes[block], lane);
        let faulty = match (fault, fault.kept()) {
            (_, Some(kept)) => Some(volume.shrunk(at.below(16), kept)),
            (Fault::Flipped, _) => volume.flipped(at.below(16)),
            _ => None,
        };
        if let Some(faulty) = faulty {
            faulty.put(&mut self.volumes[block], lane);
            return true;
        }
        match fault {
            Fault::Dropped => self.children[block][lane] = Child::None.code(),
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
