//! The boxes of a mesh's open components in its own coordinates. They need no vertex to be posed.

use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::mesh::Mesh;
use closefit_geometry::mesh::topology::Topology;

/// The boxes of the open components that might hold something if they were whole: the components of more than
/// one triangle.
#[derive(Clone, Debug)]
pub struct OpenBoxes {
    /// Their boxes, in the order of the components.
    pub components: Vec<Aabb>,
    /// The box around all of these.
    pub all: Aabb,
    /// The box around the mesh.
    pub whole: Aabb,
}

impl OpenBoxes {
    /// Finds the boxes.
    pub fn of(mesh: &Mesh, topology: &Topology) -> Self {
        let mut boxes = vec![Aabb::EMPTY; topology.components.len()];
        for (triangle, &component) in (0u32..).zip(&topology.component_of) {
            let bounds = &mut boxes[component as usize];
            *bounds = bounds.union(Aabb::of(mesh.corners(triangle)));
        }
        let union = |boxes: &[Aabb]| boxes.iter().copied().fold(Aabb::EMPTY, Aabb::union);
        let whole = union(&boxes);
        let open = boxes.into_iter().zip(&topology.components);
        let open = open.filter(|(_, component)| component.may_hold());
        let components: Vec<Aabb> = open.map(|(bounds, _)| bounds).collect();
        Self { all: union(&components), components, whole }
    }
}
