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
    /// The lowest triangle of each component.
    lowest_triangles: Vec<u32>,
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
        let mut found: Vec<Option<([u32; 6], u32)>> = vec![None; topology.components.len()];
        let triangles = mesh.triangles().iter().zip(&topology.component_of);
        for (triangle, (corners, &component)) in (0..).zip(triangles) {
            let (known, _) = found[component as usize].get_or_insert(([corners[0]; 6], triangle));
            extend(known, corners);
        }
        let (components, lowest_triangles): (Vec<[u32; 6]>, Vec<u32>) = found.into_iter().flatten().unzip();
        let mut whole = components[0];
        components.iter().for_each(|of_component| extend(&mut whole, of_component));
        Self { components, lowest_triangles, whole }
    }

    /// Returns the extreme vertices of each component.
    pub fn of_components(&self) -> &[[u32; 6]] {
        &self.components
    }

    /// Returns the lowest triangle of each component.
    pub fn lowest_triangles(&self) -> &[u32] {
        &self.lowest_triangles
    }

    /// Returns the extreme vertices of the mesh.
    pub fn of_whole(&self) -> &[u32; 6] {
        &self.whole
    }
}
