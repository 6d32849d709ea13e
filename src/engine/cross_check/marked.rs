//! Meshes with a mark, over which trees of one kind have a fault: tests see what a disagreement leads to, up
//! to the exit status of the program.

use glam::{DMat3, DVec3};

use crate::bvh::faults::Fault;
use crate::bvh::kind::TreeKind;
use crate::bvh::trees::Trees;
use closefit_geometry::mesh::Mesh;

/// The vertex that marks a mesh.
pub const MARK: DVec3 = DVec3::new(0.015_625, -0.031_25, 0.007_812_5);

/// The name of the kind of tree that has the fault.
pub const FAULTY: &str = "kdop14";

/// Drops a child of each tree of the faulty kind that is over a marked mesh and has more than one leaf.
pub fn spoiled(
    mut trees: Box<dyn Trees>,
    kind: TreeKind,
    models: &[(&Mesh, Option<DMat3>)],
) -> Box<dyn Trees> {
    for (place, (mesh, _)) in models.iter().enumerate() {
        if kind.name() == FAULTY && mesh.vertices().contains(&MARK) && mesh.triangles().len() > 2 {
            assert!(trees.inject(place, Fault::Dropped, 0));
        }
    }
    trees
}
