//! The vertices, edges and triangles of a mesh that lie on each face of its hull.

use super::Cap;
use super::triangulation::{Edge, Triangulation};
use crate::hull::features::Features;
use crate::hull::polygons::fan;
use crate::ids::to_u32;
use crate::math::predicates::{Projection, Sign, orient2d, projection_of};
use crate::mesh::topology::edges::EdgeUse;

/// The vertices, edges and triangles of a mesh on each face of its hull.
pub(super) struct OnFaces<'a> {
    features: &'a Features,
    /// Faces with the vertices on them, sorted.
    vertices: Vec<(u32, u32)>,
    /// Faces with the mesh edges on them, sorted.
    edges: Vec<(u32, [u32; 2])>,
    /// Faces with their hull features, sorted.
    triangles: Vec<(u32, u32)>,
    /// Vertices on the hull with the concavity subsets around them, sorted.
    around: Vec<(u32, u32)>,
}

impl<'a> OnFaces<'a> {
    /// Finds what lies on each face.
    pub fn of(features: &'a Features) -> Self {
        let Features { mesh, on_hull, .. } = features;
        let vertices = 0..to_u32(mesh.vertices().len());
        let mut on_faces = Self {
            features,
            vertices: vertices.flat_map(|v| on_hull.faces_of(v).iter().map(move |&face| (face, v))).collect(),
            edges: Vec::new(),
            triangles: Vec::new(),
            around: Vec::new(),
        };
        for uses in features.edges.all() {
            let edge = uses[0].edge;
            on_faces.edges.extend(on_hull.shared_faces(edge).map(|face| (face, edge)));
        }
        for (triangle, corners) in (0..).zip(mesh.triangles()) {
            match features.face_of(triangle) {
                Some(face) => on_faces.triangles.push((face, triangle)),
                None => {
                    let on_hull = corners.iter().filter(|&&v| !on_hull.faces_of(v).is_empty());
                    on_faces.around.extend(on_hull.map(|&v| (v, features.subset_of[triangle as usize])));
                }
            }
        }
        on_faces.edges.sort_unstable();
        on_faces.triangles.sort_unstable();
        on_faces.around.sort_unstable();
        on_faces.around.dedup();
        on_faces.vertices.sort_unstable();
        on_faces
    }

    /// True if a hull feature with an area lies on the face.
    pub fn is_covered(&self, face: u32) -> bool {
        let Some(projection) = self.projection(face) else { return false };
        values_of(&self.triangles, face).any(|triangle| self.turn(triangle, projection).is_ne())
    }

    /// Returns the caps of a face; none if it has no area.
    pub fn caps(&self, face: u32) -> Vec<Cap> {
        let Some(projection) = self.projection(face) else { return Vec::new() };
        let mut edges = self.outlined(face, projection);
        let is_inside =
            |edge: &Edge| edge.left != 0 && self.features.on_hull.shared_edge(edge.ends).is_none();
        if self.is_covered(face) && !edges.iter().any(is_inside) {
            return Vec::new(); // covered without a border inside, so covered whole
        }
        let place = |v: u32| projection.of(self.features.mesh.vertices()[v as usize]);
        let corners = self.features.on_hull.faces.get(face);
        let vertices: Vec<u32> = values_of(&self.vertices, face).collect();
        let triangulation = Triangulation::of(&vertices, place, &edges).or_else(|| {
            // Some edges cross. The outline of what is covered may not.
            edges.retain(|edge| edge.left != 0);
            Triangulation::of(&vertices, place, &edges)
        });
        let Some(triangulation) = triangulation else { return vec![self.whole(face)] };
        let around = |v: u32| values_of(&self.around, v).collect();
        let regions = triangulation.regions(&edges, |edge| self.subsets_beside(edge), around);
        let is_mirrored = orient2d(place(corners[0]), place(corners[1]), place(corners[2])) == Sign::Less;
        regions
            .into_iter()
            .map(|(subsets, mut triangles)| {
                if is_mirrored {
                    triangles.iter_mut().for_each(|[_, b, c]| std::mem::swap(b, c));
                }
                self.cap(face, subsets, triangles, true)
            })
            .collect()
    }

    /// Returns a projection in which the face has an area.
    fn projection(&self, face: u32) -> Option<Projection> {
        let at = |v: u32| self.features.mesh.vertices()[v as usize];
        let [a, b, c, ..] = *self.features.on_hull.faces.get(face) else { return None };
        projection_of(at(a), at(b), at(c))
    }

    /// Returns the turn of a triangle in a projection; equal if it has no area.
    fn turn(&self, triangle: u32, projection: Projection) -> Sign {
        let [a, b, c] = self.features.mesh.corners(triangle).map(|p| projection.of(p));
        orient2d(a, b, c)
    }

    /// Returns the outline of what the mesh covers of a face, and the edges of concavities on it.
    fn outlined(&self, face: u32, projection: Projection) -> Vec<Edge> {
        let mut edges: Vec<Edge> = values_of(&self.edges, face).map(|ends| Edge { ends, left: 0 }).collect();
        for triangle in values_of(&self.triangles, face) {
            let [a, b, c] = self.features.mesh.triangles()[triangle as usize];
            let along = match self.turn(triangle, projection) {
                Sign::Greater => [[a, b], [b, c], [c, a]],
                Sign::Less => [[b, a], [c, b], [a, c]],
                Sign::Equal => continue,
            };
            for [from, to] in along {
                let EdgeUse { edge, forward, .. } = EdgeUse::new(triangle, from, to);
                let place = edges.binary_search_by_key(&edge, |known| known.ends);
                let known = &mut edges[place.expect("an edge of a hull feature lies on its face")];
                known.left += if forward { 1 } else { -1 };
            }
        }
        edges.retain(|edge| edge.left != 0 || !self.subsets_beside(edge.ends).is_empty());
        edges
    }

    /// Returns the concavity subsets next to a mesh edge.
    fn subsets_beside(&self, ends: [u32; 2]) -> Vec<u32> {
        let uses = self.features.edges.uses_of(ends).iter();
        self.features.concave(uses).map(|triangle| self.features.subset_of[triangle as usize]).collect()
    }

    /// Returns the whole face as one cap over all concavities that reach it.
    fn whole(&self, face: u32) -> Cap {
        let around = |vertex| values_of(&self.around, vertex);
        let mut subsets: Vec<u32> = values_of(&self.vertices, face).flat_map(around).collect();
        subsets.sort_unstable();
        subsets.dedup();
        self.cap(face, subsets, fan(self.features.on_hull.faces.get(face)).collect(), false)
    }

    fn cap(&self, face: u32, subsets: Vec<u32>, triangles: Vec<[u32; 3]>, is_exact: bool) -> Cap {
        let area = |&[a, b, c]: &[u32; 3]| {
            let [a, b, c] = [a, b, c].map(|v| self.features.mesh.vertices()[v as usize]);
            (b - a).cross(c - a).length() * 0.5
        };
        let area = triangles.iter().map(area).sum();
        Cap { face, subsets, triangles, area, is_exact }
    }
}

/// Returns what belongs to a key in a sorted list.
pub(super) fn values_of<T: Copy>(list: &[(u32, T)], key: u32) -> impl Iterator<Item = T> + '_ {
    let first = list.partition_point(|(k, _)| *k < key);
    list[first..].iter().take_while(move |(k, _)| *k == key).map(|&(_, value)| value)
}
