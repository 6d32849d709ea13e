//! The extreme vertices of each component of a mesh: if one of them is outside of a box, so is a part of the
//! component, and no other vertex needs to be looked at.

use closefit_geometry::mesh::Mesh;
use closefit_geometry::mesh::topology::Topology;

/// The lowest and the highest vertex of each component along each axis of the mesh's own frame.
#[derive(Clone, Debug)]
pub struct Extremes(Vec<[u32; 6]>);

impl Extremes {
    /// Finds the extreme vertices; of several the first, by the order of the triangles.
    pub fn of(mesh: &Mesh, topology: &Topology) -> Self {
        let vertices = mesh.vertices();
        let mut extremes: Vec<Option<[u32; 6]>> = vec![None; topology.components.len()];
        for (corners, &component) in mesh.triangles().iter().zip(&topology.component_of) {
            let known = extremes[component as usize].get_or_insert([corners[0]; 6]);
            for &vertex in corners {
                for axis in 0..3 {
                    let at = |vertex: u32| vertices[vertex as usize][axis];
                    if at(vertex) < at(known[axis]) {
                        known[axis] = vertex;
                    }
                    if at(vertex) > at(known[3 + axis]) {
                        known[3 + axis] = vertex;
                    }
                }
            }
        }
        Self(extremes.into_iter().flatten().collect())
    }

    /// Returns the extreme vertices of each component.
    pub fn of_components(&self) -> &[[u32; 6]] {
        &self.0
    }
}
