//! The vertices of a mesh that lie exactly on the faces and edges of its hull.

use super::boxes::BoxIndex;
use crate::bounds::aabb::Aabb;
use crate::hull::convex_hull::Hull;
use crate::hull::polygons::Polygons;
use crate::ids::to_u32;
use crate::math::predicates::{collinear, orient3d};
use crate::mesh::Mesh;
use crate::parallel;

/// Marks a vertex that lies in no hull edge.
const NONE: u32 = u32::MAX;

/// The faces and edges of a hull, and the vertices of the mesh on them.
///
/// A flat hull has one face, seen from both sides. A hull that is a segment or a point has one face without
/// area, with two corners or one.
#[derive(Clone, Debug)]
pub struct OnHull {
    /// The faces, by their corners.
    pub faces: Polygons,
    /// The edges, each once, by their corners: the lower first, sorted.
    pub edges: Vec<[u32; 2]>,
    /// The end of each vertex's faces in `faces_of`.
    ends: Vec<u32>,
    faces_of: Vec<u32>,
    /// The edge in whose interior each vertex lies.
    edge_of: Vec<u32>,
}

impl OnHull {
    /// Finds the vertices on a hull of the mesh.
    pub(super) fn of(mesh: &Mesh, hull: Hull) -> Self {
        let faces = match hull {
            Hull::Point(v) => Polygons::from_iter([vec![v]]),
            Hull::Segment(ends) => Polygons::from_iter([ends.to_vec()]),
            Hull::Flat { polygon } => Polygons::from_iter([polygon]),
            Hull::Solid { faces, .. } => faces,
        };
        let mut edges: Vec<[u32; 2]> =
            faces.iter().flat_map(sides).map(|[a, b]| [a.min(b), a.max(b)]).collect();
        edges.sort_unstable();
        edges.dedup();
        let mut on = Self { faces, edges, ends: Vec::new(), faces_of: Vec::new(), edge_of: Vec::new() };
        on.find_faces(mesh);
        on.find_edges(mesh);
        on
    }

    /// Finds the faces of each vertex. All vertices lie in the hull, so one on the plane of a face lies in
    /// the face.
    fn find_faces(&mut self, mesh: &Mesh) {
        let vertices = mesh.vertices();
        let mut corners: Vec<Vec<u32>> = vec![Vec::new(); vertices.len()];
        for (face, polygon) in (0..).zip(self.faces.iter()) {
            polygon.iter().for_each(|&v| corners[v as usize].push(face));
        }
        let at = |v: u32| vertices[v as usize];
        let boxes = self.faces.iter().map(|polygon| Aabb::of(polygon.iter().map(|&v| at(v))));
        let index = BoxIndex::of(boxes);
        let polygons: Vec<&[u32]> = self.faces.iter().collect();
        parallel::for_each_part(&mut corners, parallel::SMALL, &|first, part| {
            for (faces, &p) in part.iter_mut().zip(&vertices[first..]).filter(|(faces, _)| faces.is_empty()) {
                index.containing(p, |face| {
                    let is_on = match *polygons[face as usize] {
                        [a, b, c, ..] => orient3d(at(a), at(b), at(c), p).is_eq(),
                        _ => true,
                    };
                    faces.extend(is_on.then_some(face));
                });
                faces.sort_unstable();
            }
        });
        for faces in corners {
            self.faces_of.extend(faces);
            self.ends.push(to_u32(self.faces_of.len()));
        }
    }

    /// Finds the edge in whose interior each vertex lies.
    fn find_edges(&mut self, mesh: &Mesh) {
        let at = |v: u32| mesh.vertices()[v as usize];
        let index = BoxIndex::of(self.edges.iter().map(|edge| Aabb::of(edge.map(at))));
        let mut is_corner = vec![false; mesh.vertices().len()];
        self.faces.corners().iter().for_each(|&v| is_corner[v as usize] = true);
        let mut edge_of = vec![NONE; is_corner.len()];
        parallel::fill(&mut edge_of, parallel::SMALL, |vertex| {
            let (is_corner, vertex) = (is_corner[vertex], to_u32(vertex));
            let mut found = NONE;
            if !is_corner && !self.faces_of(vertex).is_empty() {
                index.containing(at(vertex), |edge| {
                    let [a, b] = self.edges[edge as usize];
                    if collinear(at(a), at(b), at(vertex)) {
                        found = edge;
                    }
                });
            }
            found
        });
        self.edge_of = edge_of;
    }

    /// Returns the faces on which a vertex lies, ascending; none if it is inside the hull.
    pub fn faces_of(&self, vertex: u32) -> &[u32] {
        let end = |v: u32| self.ends[v as usize] as usize;
        &self.faces_of[if vertex == 0 { 0 } else { end(vertex - 1) }..end(vertex)]
    }

    /// Returns the faces on which all the vertices lie, ascending.
    pub fn shared_faces<const N: usize>(&self, vertices: [u32; N]) -> impl Iterator<Item = u32> {
        let lists = vertices.map(|v| self.faces_of(v));
        let shortest = lists.into_iter().min_by_key(|list| list.len()).unwrap_or_default();
        let is_shared = move |face: &u32| lists.iter().all(|list| list.binary_search(face).is_ok());
        shortest.iter().copied().filter(is_shared)
    }

    /// Returns the hull edge on which both vertices lie.
    pub fn shared_edge(&self, [a, b]: [u32; 2]) -> Option<u32> {
        let inside = [a, b].into_iter().map(|v| self.edge_of[v as usize]).find(|&edge| edge != NONE);
        let Some(edge) = inside else {
            return self.edges.binary_search(&[a.min(b), a.max(b)]).ok().map(to_u32);
        };
        let is_on = |v: u32| self.edge_of[v as usize] == edge || self.edges[edge as usize].contains(&v);
        (is_on(a) && is_on(b)).then_some(edge)
    }
}

/// Returns the sides of a polygon; none of a point, and one of a segment, in both directions.
fn sides(polygon: &[u32]) -> impl Iterator<Item = [u32; 2]> + '_ {
    let next = polygon.iter().cycle().skip(1);
    polygon.iter().zip(next).map(|(&a, &b)| [a, b]).filter(|[a, b]| a != b)
}
