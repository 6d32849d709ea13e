//! The features of a mesh with respect to its convex hull (Ponamgi, Manocha and Lin 1995, 4.3).
//!
//! A triangle whose three corners lie on one face of the hull is a *hull feature* of that face; all others
//! are *concavity features*. The paper takes every triangle with all corners on the hull for a hull feature,
//! but such a triangle may pass through the inside. Subsets of either kind are connected across shared edges.
//! Edges between the two kinds are the *boundary*, which forms [`loops`].

mod boxes;
pub mod loops;
pub mod nesting;
mod on_hull;

use crate::ids::to_u32;
use crate::math::disjoint_sets::DisjointSets;
use crate::math::pose::Pose;
use crate::mesh::Mesh;
use crate::mesh::topology::edges::{EdgeUse, Edges};

use super::convex_hull::Hull;
pub use on_hull::OnHull;

/// Marks a concavity feature in the list of faces.
const NONE: u32 = u32::MAX;

/// The features of a mesh.
pub struct Features {
    /// The mesh, with coordinates below 2^-200 in magnitude taken for 0, as a pose takes them.
    pub mesh: Mesh,
    /// The hull, and the vertices on it.
    pub on_hull: OnHull,
    /// All subsets, in the order of their lowest triangles.
    pub subsets: Vec<Subset>,
    /// The subset of each triangle.
    pub subset_of: Vec<u32>,
    /// The edges of the mesh.
    pub edges: Edges,
    /// The hull face of each hull feature.
    face_of: Vec<u32>,
}

/// Triangles of one kind that are connected across shared edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Subset {
    /// True for hull features, false for concavity features.
    pub is_on_hull: bool,
    /// The number of triangles.
    pub triangles: u32,
    /// The lowest triangle.
    pub first: u32,
}

impl Features {
    /// Finds the features of a mesh. Returns `None` if a coordinate is larger than 2^200 in magnitude.
    pub fn of(mesh: &Mesh) -> Option<Self> {
        let vertices: Vec<_> = mesh.vertices().iter().map(|&v| Pose::IDENTITY.apply(v)).collect();
        let mesh = Mesh::new(&vertices, mesh.triangles()).ok()?;
        let hull = Hull::of(mesh.vertices())?;
        Some(Self::on(hull, mesh))
    }

    /// Finds the features of a mesh with this hull.
    pub(super) fn on(hull: Hull, mesh: Mesh) -> Self {
        let on_hull = OnHull::of(&mesh, hull);
        let face = |&corners: &[u32; 3]| on_hull.shared_faces(corners).next().unwrap_or(NONE);
        let face_of: Vec<u32> = mesh.triangles().iter().map(face).collect();
        let edges = Edges::of(&mesh);
        let mut features = Self { mesh, on_hull, subsets: Vec::new(), subset_of: Vec::new(), edges, face_of };
        features.connect();
        features
    }

    /// Returns the hull face on which a hull feature lies, the lowest if it lies on two; `None` for a
    /// concavity feature.
    pub fn face_of(&self, triangle: u32) -> Option<u32> {
        Some(self.face_of[triangle as usize]).filter(|&face| face != NONE)
    }

    /// True for a hull feature.
    pub fn is_on_hull(&self, triangle: u32) -> bool {
        self.face_of[triangle as usize] != NONE
    }

    /// Groups the triangles of either kind into subsets.
    fn connect(&mut self) {
        let mut sets = DisjointSets::new(self.face_of.len());
        for uses in self.edges.all() {
            for is_on_hull in [true, false] {
                let alike = uses.iter().map(|one| one.face).filter(|&t| self.is_on_hull(t) == is_on_hull);
                alike.reduce(|a, b| {
                    sets.join(a, b);
                    b
                });
            }
        }
        for triangle in 0..sets.count() {
            let first = sets.find(triangle);
            let subset = if first == triangle {
                self.subsets.push(Subset { is_on_hull: self.is_on_hull(triangle), triangles: 0, first });
                to_u32(self.subsets.len() - 1)
            } else {
                self.subset_of[first as usize]
            };
            self.subset_of.push(subset);
            self.subsets[subset as usize].triangles += 1;
        }
    }

    /// Returns the concavity features among the uses of an edge.
    pub fn concave<'a>(&self, uses: impl Iterator<Item = &'a EdgeUse>) -> impl Iterator<Item = u32> {
        uses.map(|one| one.face).filter(|&triangle| !self.is_on_hull(triangle))
    }

    /// Returns the number of vertices of the hull, all of which are vertices of the mesh: red, as Lin and
    /// others call it (1997, 4.1.4).
    pub fn hull_vertices(&self) -> usize {
        let mut corners = self.on_hull.faces.corners().to_vec();
        corners.sort_unstable();
        corners.dedup();
        corners.len()
    }

    /// Returns the hull edges that are red, ascending: covered by collinear edges of the mesh.
    pub fn red_edges(&self) -> Vec<u32> {
        let at = |v: u32| self.mesh.vertices()[v as usize].to_array();
        let ordered = |[a, b]: [u32; 2]| if at(a) < at(b) { [a, b] } else { [b, a] };
        let on_hull = self.edges.all().filter_map(|uses| {
            let edge = uses[0].edge;
            Some((self.on_hull.shared_edge(edge)?, ordered(edge)))
        });
        let mut pieces: Vec<_> = on_hull.collect();
        // Along a line, lexicographic order is the order on the line.
        pieces.sort_by(|(e, [a, _]), (f, [b, _])| {
            e.cmp(f).then(at(*a).partial_cmp(&at(*b)).expect("coordinates are finite"))
        });
        let along_edges = pieces.chunk_by(|(e, _), (f, _)| e == f);
        let is_red = |along: &&[(u32, [u32; 2])]| {
            let [mut reached, end] = ordered(self.on_hull.edges[along[0].0 as usize]);
            for (_, [from, to]) in along.iter() {
                if at(*from) <= at(reached) && at(*to) > at(reached) {
                    reached = *to;
                }
            }
            reached == end
        };
        along_edges.filter(is_red).map(|along| along[0].0).collect()
    }
}
