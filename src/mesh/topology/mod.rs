//! Components of a mesh: finds those that bound a solid, once winding and seams are repaired.

pub(crate) mod edges;
mod orientation;
mod seams;
#[cfg(test)]
mod tests;

use super::Mesh;
use crate::ids::to_u32;
use crate::math::disjoint_sets::DisjointSets;
use edges::{CornerSet, EdgeUse, Edges, corner_sets};

/// The winding in which triangles are taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Winding {
    /// Components that can be oriented are oriented, and seams are closed.
    #[default]
    Repaired,
    /// Triangles are taken as given in the file.
    AsFound,
}

/// A set of triangles that are connected across shared edges (welded by exact position).
#[derive(Clone, Debug, PartialEq)]
pub struct Component {
    /// Number of triangles.
    pub triangles: u32,
    /// True when the component bounds a solid: every directed edge occurs as often as its reverse, and the
    /// triangles do not merely cancel in opposite pairs.
    pub closed: bool,
    /// True when triangles were turned to give the component a consistent winding.
    pub turned: bool,
    /// Number of undirected edges whose two directions do not occur equally often.
    pub open_edges: u32,
}

/// A triangle of zero area, in the mesh's frame, that closes part of a seam of a closed component.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SeamTriangle {
    /// Vertex indices, in the winding of the component.
    pub corners: [u32; 3],
}

/// Numbers of repairs made to a mesh.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Repairs {
    /// Number of components turned to a consistent winding.
    pub shells: u32,
    /// Number of boundary loops on one line that were closed.
    pub seams: u32,
}

/// The components of a mesh, in the order of their lowest triangle.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Topology {
    /// Index of the component of each triangle.
    pub component_of: Vec<u32>,
    /// All components.
    pub components: Vec<Component>,
    /// Triangles that close the seams of closed components.
    pub seam_triangles: Vec<SeamTriangle>,
    /// Number of seams closed, including those of open components.
    seams: u32,
    /// True for each triangle taken in the opposite winding to the file's; empty if there are none.
    turned: Vec<bool>,
}

impl Topology {
    /// Finds the components of a mesh.
    pub fn of(mesh: &Mesh, winding: Winding) -> Self {
        let triangles = mesh.triangles().len();
        let mut edges = Edges::of(mesh);
        let mut seams = Vec::new();
        if winding == Winding::Repaired {
            seams = seams::find(mesh, &edges);
            if !seams.is_empty() {
                let polygons = seams.iter().enumerate();
                edges =
                    edges.with(polygons.flat_map(|(i, corners)| seams::polygon_uses(triangles + i, corners)));
            }
        }
        let mut topology = Self::connected(triangles + seams.len(), &edges);
        topology.seams = to_u32(seams.len());
        if winding == Winding::Repaired {
            let components = topology.components.len();
            let (turned, components) =
                orientation::turned_faces(mesh, &edges, &topology.component_of, components);
            topology.turned = turned;
            topology.components.iter_mut().zip(components).for_each(|(c, turned)| c.turned = turned);
        }
        topology.count_open_edges(&edges);
        topology.find_closed(mesh, &edges, &seams);
        topology.keep_seams(triangles, &seams);
        topology
    }

    /// Returns the memory of the components and the per-triangle lists, in bytes.
    pub fn bytes(&self) -> usize {
        size_of_val(self.component_of.as_slice())
            + size_of_val(self.components.as_slice())
            + size_of_val(self.seam_triangles.as_slice())
            + size_of_val(self.turned.as_slice())
    }

    /// True when the triangle belongs to a component that bounds a solid.
    pub fn is_closed(&self, triangle: u32) -> bool {
        self.components[self.component_of[triangle as usize] as usize].closed
    }

    /// True when the triangle is taken in the opposite winding to the file's.
    #[inline]
    pub fn is_turned(&self, triangle: u32) -> bool {
        self.turned.get(triangle as usize).is_some_and(|&turned| turned)
    }

    /// Counts the repairs.
    pub fn repairs(&self) -> Repairs {
        let shells = self.components.iter().filter(|c| c.turned).count();
        Repairs { shells: to_u32(shells), seams: self.seams }
    }

    /// Groups faces into components, numbered by their lowest members. None is marked as closed yet.
    fn connected(faces: usize, edges: &Edges) -> Self {
        let mut sets = DisjointSets::new(faces);
        for uses in edges.all() {
            for pair in uses.windows(2) {
                sets.join(pair[0].face, pair[1].face);
            }
        }
        let mut topology = Self::default();
        for face in 0..sets.count() {
            let leader = sets.find(face);
            let component = if leader == face {
                let new = Component { triangles: 0, closed: false, turned: false, open_edges: 0 };
                topology.components.push(new);
                to_u32(topology.components.len() - 1)
            } else {
                topology.component_of[leader as usize]
            };
            topology.component_of.push(component);
            topology.components[component as usize].triangles += 1;
        }
        topology
    }

    fn count_open_edges(&mut self, edges: &Edges) {
        if self.turned.is_empty() {
            edges.irregular().for_each(|uses| self.count_if_open(uses));
        } else {
            edges.all().for_each(|uses| self.count_if_open(uses));
        }
    }

    fn count_if_open(&mut self, uses: &[EdgeUse]) {
        let forward = uses.iter().filter(|u| u.forward != self.is_turned(u.face)).count();
        if 2 * forward != uses.len() {
            self.component_of_face(uses[0].face).open_edges += 1;
        }
    }

    /// Marks the closed components, and cancels the turning of components that are open all the same.
    fn find_closed(&mut self, mesh: &Mesh, edges: &Edges, seams: &[Vec<u32>]) {
        // Opposite pairs share all their edges, so if every edge has two triangles, the pair is the whole
        // component.
        let mut may_cancel: Vec<bool> = self.components.iter().map(|c| c.triangles <= 2).collect();
        for uses in edges.irregular() {
            may_cancel[self.component_of[uses[0].face as usize] as usize] = true;
        }
        for &component in &self.component_of[mesh.triangles().len()..] {
            may_cancel[component as usize] = true;
        }
        for (component, may_cancel) in self.components.iter_mut().zip(&may_cancel) {
            component.closed = !may_cancel;
        }
        let triangles = to_u32(mesh.triangles().len());
        let unsure = (0..triangles).filter(|&t| may_cancel[self.component_of[t as usize] as usize]);
        let mut sets = corner_sets(mesh, unsure);
        if !seams.is_empty() {
            let fans = (triangles..).zip(seams).flat_map(|(face, corners)| {
                seams::fan(corners).map(move |corners| CornerSet::new(face, corners))
            });
            sets.extend(fans);
            sets.sort_unstable();
        }
        // Triangles on the same three corners share edges, so a group lies in one component.
        for group in sets.chunk_by(CornerSet::same_corners) {
            let even = group.iter().filter(|t| t.even != self.is_turned(t.triangle)).count();
            if !group[0].repeats_a_corner() && 2 * even != group.len() {
                self.component_of_face(group[0].triangle).closed = true;
            }
        }
        for component in &mut self.components {
            component.closed &= component.open_edges == 0;
            component.turned &= component.closed;
        }
    }

    /// Keeps the seam triangles of closed components and drops the other seam data. Afterwards, faces are
    /// triangles only.
    fn keep_seams(&mut self, triangles: usize, seams: &[Vec<u32>]) {
        for (corners, face) in seams.iter().zip(to_u32(triangles)..) {
            if self.is_closed(face) {
                let is_turned = self.is_turned(face);
                let proper = seams::fan(corners).filter(|&corners| !edges::repeats_a_corner(corners));
                self.seam_triangles.extend(proper.map(|[a, b, c]| SeamTriangle {
                    corners: if is_turned { [a, c, b] } else { [a, b, c] },
                }));
            }
        }
        self.turned.truncate(triangles);
        for (turned, &component) in self.turned.iter_mut().zip(&self.component_of) {
            *turned &= self.components[component as usize].turned;
        }
        if !self.turned.contains(&true) {
            self.turned = Vec::new();
        }
        // Every component has a triangle, because a seam is joined to the triangles beside it.
        for component in self.component_of.drain(triangles..) {
            self.components[component as usize].triangles -= 1;
        }
    }

    fn component_of_face(&mut self, face: u32) -> &mut Component {
        &mut self.components[self.component_of[face as usize] as usize]
    }
}
