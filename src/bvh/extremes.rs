//! The extreme vertices of each component of a mesh: if one of them is outside of a box, so is a part of the
//! component. If the boxes of extreme vertices overlap, so do the boxes of all. Either way, no other vertex
//! needs to be looked at. Where they are needed, the vertices of a component are listed, each once.

use closefit_geometry::ids::to_u32;
use closefit_geometry::mesh::Mesh;
use closefit_geometry::mesh::topology::Topology;

/// The lowest and the highest vertex along each axis of the mesh's own frame.
#[derive(Clone, Debug)]
pub struct Extremes {
    /// The extreme vertices of each component.
    components: Vec<[u32; 6]>,
    /// The lowest triangle of each component.
    lowest_triangles: Vec<u32>,
    /// The vertices of each component, one component after the other.
    vertices: Vec<u32>,
    /// The place in that list at which each component begins, and the end of the last.
    starts: Vec<u32>,
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
        let (vertices, starts) = vertices_of_components(mesh, topology);
        Self { components, lowest_triangles, vertices, starts, whole }
    }

    /// Returns the extreme vertices of each component.
    pub fn of_components(&self) -> &[[u32; 6]] {
        &self.components
    }

    /// Returns the lowest triangle of each component.
    pub fn lowest_triangles(&self) -> &[u32] {
        &self.lowest_triangles
    }

    /// Returns the vertices of a component, each once.
    pub fn vertices_of(&self, component: usize) -> &[u32] {
        &self.vertices[self.starts[component] as usize..self.starts[component + 1] as usize]
    }

    /// Returns the extreme vertices of the mesh.
    pub fn of_whole(&self) -> &[u32; 6] {
        &self.whole
    }
}

/// Returns the vertices of all components in order, and where each begins. A vertex may be in several.
fn vertices_of_components(mesh: &Mesh, topology: &Topology) -> (Vec<u32>, Vec<u32>) {
    let mut triangles: Vec<u32> = (0..to_u32(mesh.triangles().len())).collect();
    triangles.sort_by_key(|&triangle| topology.component_of[triangle as usize]);
    let mut in_component = vec![u32::MAX; mesh.vertices().len()];
    let (mut vertices, mut starts) = (Vec::with_capacity(mesh.vertices().len()), Vec::new());
    for of_one in
        triangles.chunk_by(|&a, &b| topology.component_of[a as usize] == topology.component_of[b as usize])
    {
        let component = topology.component_of[of_one[0] as usize];
        starts.push(to_u32(vertices.len()));
        for vertex in of_one.iter().flat_map(|&triangle| mesh.triangles()[triangle as usize]) {
            if std::mem::replace(&mut in_component[vertex as usize], component) != component {
                vertices.push(vertex);
            }
        }
    }
    starts.push(to_u32(vertices.len()));
    (vertices, starts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bvh::testing::meshes_of_all_scenes;
    use closefit_geometry::mesh::topology::Winding;
    use std::collections::BTreeSet;

    #[test]
    fn every_component_has_its_vertices_once() {
        for (name, mesh) in meshes_of_all_scenes(20, false) {
            let topology = Topology::of(&mesh, Winding::Repaired);
            let extremes = Extremes::of(&mesh, &topology);
            for component in 0..topology.components.len() {
                let of = mesh.triangles().iter().zip(&topology.component_of);
                let corners = of.filter(|(_, of)| **of as usize == component).flat_map(|(t, _)| *t);
                let found = extremes.vertices_of(component);
                assert_eq!(
                    BTreeSet::from_iter(found.iter().copied()),
                    BTreeSet::from_iter(corners),
                    "{name}"
                );
                assert_eq!(BTreeSet::from_iter(found).len(), found.len(), "{name}");
            }
        }
    }
}
