//! The extreme vertices of each component of a mesh: if one of them is outside of a box, so is a part of the
//! component. If the boxes of extreme vertices overlap, so do the boxes of all. Either way, no other vertex
//! needs to be looked at.

use closefit_geometry::mesh::Mesh;
use closefit_geometry::mesh::topology::Topology;

/// The lowest and the highest vertex along each axis of the mesh's own frame.
#[derive(Clone, Debug)]
pub struct Extremes {
    /// The extreme vertices of each component.
    components: Vec<[u32; 6]>,
    /// The extreme vertices of the whole mesh.
    whole: [u32; 6],
}

impl Extremes {
    /// Finds the extreme vertices; of several the first, by the order of the triangles.
    pub fn of(mesh: &Mesh, topology: &Topology) -> Self {
        let vertices = mesh.vertices();
        let extend = |known: &mut [u32; 6], corners: &[u32]| {
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
        };
        let mut extremes: Vec<Option<[u32; 6]>> = vec![None; topology.components.len()];
        for (corners, &component) in mesh.triangles().iter().zip(&topology.component_of) {
            extend(extremes[component as usize].get_or_insert([corners[0]; 6]), corners);
        }
        let components: Vec<[u32; 6]> = extremes.into_iter().flatten().collect();
        let mut whole = components[0];
        components.iter().for_each(|of_component| extend(&mut whole, of_component));
        Self { components, whole }
    }

    /// Returns the extreme vertices of each component.
    pub fn of_components(&self) -> &[[u32; 6]] {
        &self.components
    }

    /// Returns the extreme vertices of the mesh.
    pub fn of_whole(&self) -> &[u32; 6] {
        &self.whole
    }
}
