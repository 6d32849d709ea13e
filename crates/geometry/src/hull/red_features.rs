//! The features of a convex hull that its mesh has too, with the triangles there: *red*, as Lin and others
//! call them (1997, 4.1.4). Those that only the hull has are *green*.
//!
//! Between red features two hulls are as far apart as their meshes. Therefore the triangles there are good
//! ones to begin with: their distance bounds the search for the closest triangles, and one contact among
//! them, of hulls that overlap, answers whether there is any. What is not found there is still to be
//! searched.
//!
//! A face is taken for red if an edge that an odd number of its triangles use lies on the hull's edges, and
//! no such edge lies elsewhere: these edges bound what the triangles cover. A mesh that covers a face twice
//! may be mistaken about it.

use std::collections::{BTreeMap, BTreeSet};

use super::convex_hull::Hull;
use super::features::Features;
use super::polytope::{Feature, Polytope};
use crate::ids::to_u32;
use crate::mesh::Mesh;
use crate::mesh::topology::edges::proper;

/// The red features of a hull.
#[derive(Clone, Debug)]
pub struct RedFeatures {
    /// The vertices of the hull, as vertices of the mesh, in the order of the polytope.
    vertices: Vec<u32>,
    /// The edges of the hull, by vertices of the mesh: the lower first, sorted.
    edges: Vec<[u32; 2]>,
    /// The number of triangles before the triangles of each feature, and of all: vertices come first, then
    /// edges, then faces.
    before: Vec<usize>,
    triangles: Vec<u32>,
}

impl RedFeatures {
    /// Finds the red features of a mesh of whose vertices its polytope was [built](Polytope::of). Returns
    /// `None` where they have no hull.
    pub fn of(mesh: Mesh) -> Option<Self> {
        let hull = Hull::of(mesh.vertices())?;
        let features = Features::on(hull, mesh);
        let mut vertices = features.on_hull.faces.corners().to_vec();
        vertices.sort_unstable();
        vertices.dedup();
        let edges = features.on_hull.edges.clone();
        let first_face = vertices.len() + edges.len();
        let mut held = at_vertices(&features, &vertices);
        held.extend(on_edges(&features).into_iter().map(|(edge, t)| (vertices.len() + edge, t)));
        let red = red_faces(&features);
        let on_face =
            |t: u32| Some((first_face + features.face_of(t).filter(|face| red.contains(face))? as usize, t));
        held.extend((0..to_u32(features.mesh.triangles().len())).filter_map(on_face));
        held.sort_unstable();
        held.dedup();
        let count = first_face + features.on_hull.faces.len();
        let before = (0..=count).map(|feature| held.partition_point(|one| one.0 < feature));
        Some(Self {
            before: before.collect(),
            triangles: held.into_iter().map(|one| one.1).collect(),
            vertices,
            edges,
        })
    }

    /// Returns the triangles at a feature of the polytope, ascending; none if it is green.
    pub fn triangles(&self, polytope: &Polytope, feature: Feature) -> &[u32] {
        let number = match feature {
            Feature::Vertex(v) => Some(v as usize),
            Feature::Edge(edge) => self.edge(polytope.ends_of(edge)),
            // A polygon has two faces, and its hull one.
            Feature::Face(face) => {
                let first = self.vertices.len() + self.edges.len();
                Some((first + face as usize).min(self.before.len() - 2))
            }
        };
        number.map_or(&[], |at| &self.triangles[self.before[at]..self.before[at + 1]])
    }

    /// Returns the number of the feature that is the edge between two vertices of the polytope.
    fn edge(&self, ends: [u32; 2]) -> Option<usize> {
        let [a, b] = ends.map(|v| self.vertices[v as usize]);
        let at = self.edges.binary_search(&[a.min(b), a.max(b)]).ok()?;
        Some(self.vertices.len() + at)
    }

    /// Returns the memory in bytes.
    pub fn bytes(&self) -> usize {
        size_of_val(&self.vertices[..])
            + size_of_val(&self.edges[..])
            + size_of_val(&self.before[..])
            + size_of_val(&self.triangles[..])
    }
}

/// Returns the triangles at each vertex of the hull.
fn at_vertices(features: &Features, vertices: &[u32]) -> Vec<(usize, u32)> {
    let corners = (0..).zip(features.mesh.triangles()).flat_map(|(t, corners)| corners.map(|v| (v, t)));
    corners.filter_map(|(v, t)| Some((vertices.binary_search(&v).ok()?, t))).collect()
}

/// Returns the triangles along each red edge of the hull.
fn on_edges(features: &Features) -> Vec<(usize, u32)> {
    let red = features.red_edges();
    let along = features.edges.all().filter_map(|uses| {
        let edge = features.on_hull.shared_edge(uses[0].edge)?;
        red.binary_search(&edge).is_ok().then_some((edge as usize, uses))
    });
    along.flat_map(|(edge, uses)| uses.iter().map(move |one| (edge, one.face))).collect()
}

/// Returns the red faces of the hull.
fn red_faces(features: &Features) -> BTreeSet<u32> {
    // For each face whether all edges that bound its triangles lie on edges of the hull.
    let mut is_bounded = BTreeMap::new();
    for uses in features.edges.all() {
        let mut faces: Vec<u32> = proper(uses).filter_map(|one| features.face_of(one.face)).collect();
        faces.sort_unstable();
        for same in faces.chunk_by(|f, g| f == g).filter(|same| same.len() % 2 == 1) {
            *is_bounded.entry(same[0]).or_insert(true) &=
                features.on_hull.shared_edge(uses[0].edge).is_some();
        }
    }
    is_bounded.into_iter().filter_map(|(face, is_bounded)| is_bounded.then_some(face)).collect()
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;

    /// Returns the mesh of polygons, each cut into a fan.
    fn mesh(points: &[[f64; 3]], polygons: &[&[u32]]) -> Mesh {
        let points: Vec<DVec3> = points.iter().copied().map(DVec3::from_array).collect();
        let fans = polygons.iter().flat_map(|polygon| crate::hull::polygons::fan(polygon));
        Mesh::new(&points, &fans.collect::<Vec<_>>()).expect("valid")
    }

    /// Returns the numbers of vertices, edges and faces that are red.
    fn red(mesh: &Mesh) -> [usize; 3] {
        let polytope = Polytope::of(mesh.vertices()).expect("a hull");
        let red = RedFeatures::of(mesh.clone()).expect("a hull");
        let mut counts = [0; 3];
        for feature in polytope.features() {
            let triangles = red.triangles(&polytope, feature);
            let on_feature: Vec<DVec3> = match feature {
                Feature::Vertex(v) => vec![polytope.corners.get(v)],
                Feature::Edge(edge) => polytope.ends_of(edge).map(|v| polytope.corners.get(v)).to_vec(),
                Feature::Face(_) => Vec::new(),
            };
            // Triangles of a vertex and of an edge without vertices in between have its corners.
            for &t in triangles {
                let corners = mesh.triangles()[t as usize].map(|v| mesh.vertices()[v as usize]);
                let shared = on_feature.iter().filter(|p| corners.contains(p)).count();
                assert!(shared == on_feature.len(), "{feature:?}: {corners:?}");
            }
            let kind = match feature {
                Feature::Vertex(_) => 0,
                Feature::Edge(_) => 1,
                Feature::Face(_) => 2,
            };
            counts[kind] += usize::from(!triangles.is_empty());
        }
        counts
    }

    const CUBE: [[f64; 3]; 8] = [
        [0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [1.0, 1.0, 0.0],
        [0.0, 0.0, 1.0],
        [1.0, 0.0, 1.0],
        [0.0, 1.0, 1.0],
        [1.0, 1.0, 1.0],
    ];

    const SIDES: [&[u32]; 6] =
        [&[0, 2, 3, 1], &[4, 5, 7, 6], &[0, 1, 5, 4], &[2, 6, 7, 3], &[0, 4, 6, 2], &[1, 3, 7, 5]];

    #[test]
    fn a_cube_is_red_all_over() {
        assert_eq!(red(&mesh(&CUBE, &SIDES)), [8, 12, 6]);
    }

    /// A face without one of its sides is green; without half of it, too. The edges around it are the edges
    /// of other sides.
    #[test]
    fn an_open_side_is_green() {
        assert_eq!(red(&mesh(&CUBE, &SIDES[1..])), [8, 12, 5]);
        let half = [&[&[0, 2, 3][..]], &SIDES[1..]].concat();
        assert_eq!(red(&mesh(&CUBE, &half)), [8, 12, 5]);
    }

    /// Two sides that face each other have four edges each; the four between them are green.
    #[test]
    fn edges_without_triangles_are_green() {
        assert_eq!(red(&mesh(&CUBE, &SIDES[..2])), [8, 8, 2]);
    }

    #[test]
    fn flat_meshes_have_two_red_faces() {
        assert_eq!(red(&mesh(&CUBE[..4], &SIDES[..1])), [4, 4, 2]);
        // A triangle without area, and one that is a point.
        assert_eq!(red(&mesh(&CUBE[..2], &[&[0, 1, 1]])), [2, 1, 0]);
        assert_eq!(red(&mesh(&CUBE[..1], &[&[0, 0, 0]])), [1, 0, 0]);
    }

    /// A side in four parts around a vertex in its middle is one face, and as red as a whole one.
    #[test]
    fn a_side_may_be_in_parts() {
        let points = [&CUBE[..], &[[0.5, 0.5, 0.0]]].concat();
        let parts: [&[u32]; 4] = [&[0, 2, 8], &[2, 3, 8], &[3, 1, 8], &[1, 0, 8]];
        let sides = [&parts[..], &SIDES[1..]].concat();
        assert_eq!(red(&mesh(&points, &sides)), [8, 12, 6]);
    }
}
