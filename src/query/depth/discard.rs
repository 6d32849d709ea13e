//! Removal from the queue of triangles that share a bound.

use super::queue::{PointSet, Queued};
use super::search::DepthSearch;
use closefit_geometry::ids::to_u32;
use closefit_geometry::math::disjoint_sets::DisjointSets;
use closefit_geometry::mesh::Mesh;

impl DepthSearch<'_> {
    /// Returns the triangles with anything in the queue, ascending.
    pub fn queued(&self, side: u8) -> Vec<u32> {
        let queued = self.queue.iter().filter(|q| q.side == side);
        let mut triangles: Vec<u32> = queued.filter_map(|q| self.triangle_of(q)).collect();
        triangles.sort_unstable();
        triangles.dedup();
        triangles
    }

    fn triangle_of(&self, queued: &Queued) -> Option<u32> {
        match queued.item {
            PointSet::Triangle(t, _) => Some(t),
            PointSet::Patch(place) => Some(self.patches.peek(place).triangle),
            PointSet::Surface => None,
        }
    }

    /// Discards all queued items of some triangles, ascending, that share a bound.
    pub fn discard_queued(&mut self, side: u8, triangles: &[u32], at_most: f64) {
        if triangles.is_empty() {
            return;
        }
        self.discard(at_most);
        let mut queue = std::mem::take(&mut self.queue);
        queue.retain(|q| {
            let of = self.triangle_of(q).filter(|t| q.side == side && triangles.binary_search(t).is_ok());
            if let (Some(_), PointSet::Patch(place)) = (of, q.item) {
                self.patches.take(place);
            }
            of.is_none()
        });
        self.queue = queue;
    }
}

/// Number of vertices of a mesh for each triangle from which on these are few.
const FEW: usize = 32;

/// Keeps those triangles that lie outside. None of them may meet the solid's surface, so triangles that share
/// a corner lie on the same side.
pub fn keep_outside(mesh: &Mesh, triangles: &mut Vec<u32>, is_outside: impl Fn(u32) -> bool) {
    let corners = |t: u32| mesh.triangles()[t as usize];
    // A table of all vertices is worth its while unless the triangles are few.
    let is_dense = FEW * triangles.len() >= mesh.vertices().len();
    let mut vertices = Vec::new();
    if !is_dense {
        vertices.extend(triangles.iter().flat_map(|&t| corners(t)));
        vertices.sort_unstable();
        vertices.dedup();
    }
    let places = if is_dense { mesh.vertices().len() } else { vertices.len() };
    let place =
        |vertex: u32| if is_dense { vertex } else { to_u32(vertices.partition_point(|&v| v < vertex)) };
    let mut groups = DisjointSets::new(places);
    for &t in &*triangles {
        let [x, y, z] = corners(t).map(place);
        groups.join(x, y);
        groups.join(x, z);
    }
    let mut outside: Vec<Option<bool>> = vec![None; places];
    triangles.retain(|&t| {
        let group = groups.find(place(corners(t)[0])) as usize;
        *outside[group].get_or_insert_with(|| is_outside(t))
    });
}
