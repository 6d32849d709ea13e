//! Statistics and defects of a mesh, as `inspect` reports them.

use glam::DVec3;

use super::Mesh;
use super::topology::edges::{CornerSet, Edges, corner_sets, proper};
use super::topology::{Topology, Winding};
use crate::bounds::aabb::Aabb;
use crate::ids::to_u32;
use crate::math::pose::Pose;
use crate::math::predicates::collinear;

/// Statistics and defects of a mesh, in its own frame and unit.
///
/// The kinds of edges may overlap: an edge along which two triangles run the same way is inconsistent and,
/// unless its shell is turned to a consistent winding, open.
#[derive(Clone, Debug, PartialEq)]
pub struct Health {
    /// Number of triangles, degenerate and duplicate ones included.
    pub triangles: u32,
    /// Number of distinct positions.
    pub vertices: u32,
    /// Lowest and highest corner, unposed.
    pub bounds: [DVec3; 2],
    /// Number of components that bound a solid.
    pub closed_components: u32,
    /// Number of components that do not bound a solid.
    pub open_components: u32,
    /// Number of components turned to a consistent winding.
    pub turned_components: u32,
    /// Number of boundary loops on one line, closed by triangles of zero area.
    pub seams: u32,
    /// Number of undirected edges whose two directions do not occur equally often, after winding and seams
    /// are repaired.
    pub open_edges: u32,
    /// Number of edges of more than two triangles, not counting triangles with a repeated corner.
    pub non_manifold_edges: u32,
    /// Number of edges of exactly two triangles that run along them in the same direction, as given in the
    /// file.
    pub inconsistent_edges: u32,
    /// Number of triangles whose corners are exactly collinear.
    pub degenerate_triangles: u32,
    /// Number of triangles with the same three corners, in any order, as an earlier one.
    pub duplicate_triangles: u32,
    /// Signed volume of all closed components, summed in f64; negative when inside out.
    pub volume: f64,
    /// Surface area of all triangles, summed in f64.
    pub area: f64,
}

impl Health {
    /// Examines a mesh in its own frame.
    pub fn of(mesh: &Mesh, winding: Winding) -> Self {
        let topology = Topology::of(mesh, winding);
        let bounds = Aabb::of(mesh.vertices().iter().copied());
        let closed = to_u32(topology.components.iter().filter(|c| c.closed).count());
        let repairs = topology.repairs();
        let mut health = Self {
            triangles: to_u32(mesh.triangles().len()),
            vertices: to_u32(mesh.vertices().len()),
            bounds: [bounds.lo, bounds.hi],
            closed_components: closed,
            open_components: to_u32(topology.components.len()) - closed,
            turned_components: repairs.shells,
            seams: repairs.seams,
            open_edges: topology.components.iter().map(|c| c.open_edges).sum(),
            non_manifold_edges: 0,
            inconsistent_edges: 0,
            degenerate_triangles: 0,
            duplicate_triangles: 0,
            volume: 0.0,
            area: 0.0,
        };
        for uses in Edges::of(mesh).irregular() {
            let uses: Vec<_> = proper(uses).collect();
            health.non_manifold_edges += u32::from(uses.len() > 2);
            health.inconsistent_edges += u32::from(uses.len() == 2 && uses[0].forward == uses[1].forward);
        }
        for group in corner_sets(mesh, 0..health.triangles).chunk_by(CornerSet::same_corners) {
            health.duplicate_triangles += to_u32(group.len() - 1);
        }
        health.measure(mesh, &topology);
        health
    }

    /// Sums volume and area, and counts the triangles without area.
    fn measure(&mut self, mesh: &Mesh, topology: &Topology) {
        // Coordinates are relative to the middle of the box, where volumes far from the origin lose least
        // precision.
        let [lo, hi] = self.bounds;
        let origin = lo + (hi - lo) * 0.5;
        for triangle in 0..self.triangles {
            let corners = mesh.corners(triangle);
            let [a, b, c] = corners.map(|p| p - origin);
            self.area += (b - a).cross(c - a).length() * 0.5;
            if topology.is_closed(triangle) {
                let volume = a.dot(b.cross(c)) / 6.0;
                self.volume += if topology.is_turned(triangle) { -volume } else { volume };
            }
            // The identity pose flushes values that are too small for the predicates, as `check` would.
            let [a, b, c] = corners.map(|p| Pose::IDENTITY.apply(p));
            self.degenerate_triangles += u32::from(collinear(a, b, c));
        }
    }

    /// True when every component bounds a solid.
    pub fn closed(&self) -> bool {
        self.open_components == 0
    }
}
