//! Meshes with a mark, over which trees of one kind have a fault: tests see what a disagreement leads to, up to the exit
//! status of the program.

use glam::DVec3;

use crate::hierarchy::Hierarchy;
use crate::hierarchy::faults::Fault;
use crate::hierarchy::kind::TreeKind;
use crate::mesh::Mesh;

/// The vertex that marks a mesh.
pub const MARK: DVec3 = DVec3::new(0.015_625, -0.031_25, 0.007_812_5);

/// The kind of tree that has the fault.
pub const FAULTY: TreeKind = TreeKind::Kdop14;

/// Drops a child of the tree if it is of the faulty kind, over a marked mesh, and has more than one leaf.
pub fn spoiled<T: Hierarchy>(mut tree: T, mesh: &Mesh) -> T {
    if T::NAME == FAULTY.name() && mesh.vertices().contains(&MARK) && mesh.triangles().len() > 2 {
        assert!(tree.inject(Fault::Dropped, 0));
    }
    tree
}
