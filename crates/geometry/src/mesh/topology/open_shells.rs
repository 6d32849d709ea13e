//! Open components as the shells that they might be if they were whole: a consistent winding, and the
//! boundary.

use super::edges::{CornerSet, EdgeUse, Edges, corner_sets, proper};
use super::orientation::orient;
use super::{Topology, areas, is_turned};
use crate::ids::to_u32;
use crate::mesh::Mesh;

/// The open components of a mesh. Triangles on the same three corners count once, so a sheet or a shell that
/// is covered twice, back to back, is one too.
#[derive(Clone, Debug, Default)]
pub struct OpenShells {
    /// True for each triangle to take in the opposite winding to the file's.
    turned: Vec<bool>,
    /// True for each triangle that repeats the corners of a lower one.
    repeats: Vec<bool>,
    /// Open components with a consistent winding, ascending, each with the range of its boundary.
    shells: Vec<(u32, [u32; 2])>,
    boundary: Vec<[u32; 2]>,
}

impl OpenShells {
    /// Orients the open components of a mesh.
    pub fn of(mesh: &Mesh, topology: &Topology) -> Self {
        let component_of = &topology.component_of;
        let wanted: Vec<bool> = topology.components.iter().map(|component| !component.closed).collect();
        let is_open = |triangle: u32| wanted[component_of[triangle as usize] as usize];
        let triangles = to_u32(mesh.triangles().len());
        let mut repeats = vec![false; mesh.triangles().len()];
        let sets = corner_sets(mesh, (0..triangles).filter(|&triangle| is_open(triangle)));
        for group in sets.chunk_by(CornerSet::same_corners) {
            group[1..].iter().for_each(|set| repeats[set.triangle as usize] = true);
        }
        let edges = Edges::among(mesh, (0..triangles).filter(|&t| is_open(t) && !repeats[t as usize]));
        let oriented = orient(&edges, component_of, &wanted, areas(mesh));
        let agrees = |component: u32| oriented.components[component as usize].disagrees_at.is_none();
        let mut open: Vec<(u32, [u32; 2])> = Vec::new();
        for uses in edges.all() {
            let component = component_of[uses[0].face as usize];
            let way = |face: &EdgeUse| face.forward != oriented.turned[face.face as usize];
            let excess: i32 = proper(uses).map(|face| if way(face) { 1 } else { -1 }).sum();
            let [low, high] = uses[0].edge;
            let edge = if excess > 0 { [low, high] } else { [high, low] };
            open.extend(std::iter::repeat_n((component, edge), excess.unsigned_abs() as usize));
        }
        open.sort_unstable();
        let mut shells: Vec<(u32, [u32; 2])> = Vec::new();
        for component in (0..to_u32(wanted.len())).filter(|&c| wanted[c as usize] && agrees(c)) {
            let start = open.partition_point(|edge| edge.0 < component);
            let count = open[start..].partition_point(|edge| edge.0 == component);
            shells.push((component, [to_u32(start), to_u32(start + count)]));
        }
        let boundary = open.into_iter().map(|(_, edge)| edge).collect();
        Self { turned: oriented.turned, repeats, shells, boundary }
    }

    /// Returns the boundary of an open component: its edges in the direction of the triangles next to them,
    /// each as often as triangles lack a partner there. `None` if the component has no consistent winding.
    pub fn boundary(&self, component: u32) -> Option<&[[u32; 2]]> {
        let place = self.shells.binary_search_by_key(&component, |shell| shell.0).ok()?;
        let [start, end] = self.shells[place].1.map(|place| place as usize);
        Some(&self.boundary[start..end])
    }

    /// True when the triangle is to take in the opposite winding to the file's.
    pub fn is_turned(&self, triangle: u32) -> bool {
        is_turned(&self.turned, triangle)
    }

    /// True when the triangle repeats the corners of a lower one.
    pub fn is_repeated(&self, triangle: u32) -> bool {
        self.repeats[triangle as usize]
    }
}
