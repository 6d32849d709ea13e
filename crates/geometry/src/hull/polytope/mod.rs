//! Convex polytopes with the Voronoi regions of their features (Lin et al. 1997, section 4.1; Ponamgi,
//! Manocha and Lin 1995, sections 3.2 and 4.1).
//!
//! The outside of a polytope falls into *cells*: the points that are closest to a face, to an edge or to a
//! vertex. A plane between two cells is stored once and used by both, with either sign, so that a point on it
//! is in either or in both, and never in neither:
//!
//! - the plane across an edge at one of its ends parts the edge's cell from the vertex's,
//! - the plane through an edge along a face's normal parts the edge's cell from the face's.
//!
//! The inside falls into *pseudo-internal* cells, a pyramid from the centroid to each face; the planes
//! through centroid and edges part them. They lead from a point inside, or on the far side of a face, out
//! through the face that the ray from the centroid leaves by.
//!
//! A point, a segment and a polygon are polytopes too. A polygon has two faces with opposite normals.
//!
//! Ponamgi divides cells with many planes, so that each has a constant number. Here the planes of a cell
//! follow each other, and eight are tested at a time.

mod build;
mod corners;
mod planes;
#[cfg(test)]
mod tests;
mod validate;

use std::ops::Range;

use glam::DVec3;

use crate::executor::Executor;
use corners::Corners;
use planes::Planes;

/// Marks the missing face next to the edge of a segment.
const NONE: u32 = u32::MAX;

/// A vertex, an edge or a face of a polytope. An edge goes by the lesser of its two half-edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feature {
    /// A vertex.
    Vertex(u32),
    /// An edge.
    Edge(u32),
    /// A face.
    Face(u32),
}

/// A convex polytope. Half-edges are numbered face by face, counterclockwise from outside.
#[derive(Clone, Debug)]
pub struct Polytope {
    /// The vertices.
    pub corners: Corners,
    /// The vertex that each half-edge leaves.
    tail: Vec<u32>,
    /// The half-edge opposite to each half-edge.
    twin: Vec<u32>,
    /// The face to the left of each half-edge.
    face: Vec<u32>,
    /// The first half-edge of each face, and the number of all.
    first: Vec<u32>,
    /// The half-edges by the vertex that they leave.
    leaving: Vec<u32>,
    /// The place in `leaving` of each vertex's first half-edge, and the number of all.
    first_leaving: Vec<u32>,
    /// The place in `leaving` of each half-edge.
    place: Vec<u32>,
    /// The plane of each face.
    faces: Planes,
    /// The plane through each half-edge along the normal of its face, which lies above.
    sides: Planes,
    /// The plane across each half-edge at its tail, in the order of `leaving`; the edge lies above.
    ends: Planes,
    /// The pseudo-internal cells, if the centroid is proven to lie inside.
    internal: Option<Internal>,
}

/// The planes through the edges and the centroid.
#[derive(Clone, Debug)]
struct Internal {
    centroid: DVec3,
    /// The edge of each half-edge.
    edge: Vec<u32>,
    /// The plane of each edge; the face of the lesser half-edge lies above.
    planes: Planes,
}

/// The way out of a cell.
#[derive(Clone, Copy, Debug)]
pub(super) struct Exit {
    /// The feature whose cell it leads to.
    pub to: Feature,
    /// False if the point is so near the plane that rounding may have put it beyond.
    pub is_certain: bool,
}

/// The numbers of tests made on the way through cells.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tested {
    /// Planes.
    pub planes: u64,
}

impl Polytope {
    /// Returns the edge of a half-edge.
    pub(super) fn edge(&self, half_edge: u32) -> Feature {
        Feature::Edge(half_edge.min(self.twin[half_edge as usize]))
    }

    /// Returns the ends of an edge, the tail of the half-edge first.
    pub fn ends_of(&self, edge: u32) -> [u32; 2] {
        [edge, self.twin[edge as usize]].map(|half_edge| self.tail[half_edge as usize])
    }

    /// Returns the half-edges of a face.
    pub fn around(&self, face: u32) -> Range<u32> {
        self.first[face as usize]..self.first[face as usize + 1]
    }

    /// Returns a corner of a face.
    pub fn corner_of(&self, face: u32) -> u32 {
        self.tail[self.first[face as usize] as usize]
    }

    fn leaving(&self, vertex: u32) -> Range<u32> {
        self.first_leaving[vertex as usize]..self.first_leaving[vertex as usize + 1]
    }

    /// Returns the numbers of vertices, edges and faces.
    pub fn counts(&self) -> [usize; 3] {
        [self.corners.len(), self.tail.len() / 2, self.first.len() - 1]
    }

    /// Iterates over all features.
    pub fn features(&self) -> impl Iterator<Item = Feature> {
        let [vertices, _, faces] = self.counts().map(crate::ids::to_u32);
        let edges = (0..).zip(&self.twin).filter(|(half_edge, twin)| half_edge < *twin);
        let vertices = (0..vertices).map(Feature::Vertex);
        vertices.chain(edges.map(|(edge, _)| Feature::Edge(edge))).chain((0..faces).map(Feature::Face))
    }

    /// Returns how far the vertices reach along a direction, up to rounding. Both executors return the same
    /// bits.
    pub fn reach(&self, direction: DVec3, executor: Executor) -> f64 {
        self.corners.farthest(direction, executor)
    }

    /// Returns one of the vertices that reach farthest along a direction.
    pub fn extreme(&self, direction: DVec3) -> u32 {
        let along = self.corners.iter().map(|v| direction.dot(v));
        (0..)
            .zip(along)
            .fold((0, f64::NEG_INFINITY), |best, next| if next.1 > best.1 { next } else { best })
            .0
    }

    /// Returns the edge whose cell a point enters as it leaves a vertex's cell, across the most violated
    /// plane; or a face, if the point is below all of them. `room` is the error of the point's place.
    pub(super) fn leave_vertex(&self, vertex: u32, x: DVec3, room: f64, tested: &mut Tested) -> Option<Exit> {
        let cell = self.leaving(vertex);
        tested.planes += u64::from(cell.end - cell.start);
        let (place, by) = self.ends.highest(cell.clone(), x);
        if by > -room {
            return Some(Exit { to: self.edge(self.leaving[place as usize]), is_certain: by > room });
        }
        self.below(self.leaving[cell.start as usize..cell.end as usize].iter().copied(), x, room, tested)
    }

    /// Returns the vertex or face whose cell a point enters as it leaves an edge's cell. Vertices come first.
    /// A face is also returned if the point is below both.
    pub(super) fn leave_edge(&self, edge: u32, x: DVec3, room: f64, tested: &mut Tested) -> Option<Exit> {
        let half_edges = [edge, self.twin[edge as usize]];
        tested.planes += 2;
        for half_edge in half_edges {
            let by = -self.ends.height(self.place[half_edge as usize], x);
            if by > 0.0 {
                let to = Feature::Vertex(self.tail[half_edge as usize]);
                return Some(Exit { to, is_certain: by > room });
            }
        }
        if self.face[edge as usize] == NONE {
            return None;
        }
        tested.planes += 2;
        let [left, right] = half_edges.map(|half_edge| self.sides.height(half_edge, x));
        let by = left.max(right);
        if by > -room {
            let faces = half_edges.map(|half_edge| self.face[half_edge as usize]);
            // At the edge of a polygon both planes coincide, and the point is above one of the faces.
            let is_right = if (left - right).abs() <= room {
                tested.planes += 2;
                self.height(faces[1], x) > self.height(faces[0], x)
            } else {
                right > left
            };
            return Some(Exit { to: Feature::Face(faces[usize::from(is_right)]), is_certain: by > room });
        }
        self.below(half_edges.into_iter(), x, room, tested)
    }

    /// Returns one of the faces next to half-edges if a point is below all of them, deeper than rounding.
    /// If faces are nearly in one plane, points inside are too near the planes of the cells outside for those
    /// planes to decide.
    fn below(
        &self,
        mut half_edges: impl Iterator<Item = u32>,
        x: DVec3,
        room: f64,
        tested: &mut Tested,
    ) -> Option<Exit> {
        if self.first.len() <= 3 {
            return None; // a polygon has no inside
        }
        let mut last = None;
        let is_below = half_edges.all(|half_edge| {
            let face = self.face[half_edge as usize];
            tested.planes += 1;
            last = Some(Feature::Face(face));
            self.height(face, x) < -room
        });
        last.filter(|_| is_below).map(|to| Exit { to, is_certain: true })
    }

    /// Returns the edge whose cell a point enters as it leaves the prism above and below a face.
    pub(super) fn leave_face(&self, face: u32, x: DVec3, room: f64, tested: &mut Tested) -> Option<Feature> {
        let cell = self.around(face);
        tested.planes += u64::from(cell.end - cell.start);
        let (half_edge, beyond) = self.sides.deepest(cell, x);
        (beyond > room).then(|| self.edge(half_edge))
    }

    /// Returns the height of a point above a face's plane.
    pub(super) fn height(&self, face: u32, x: DVec3) -> f64 {
        self.faces.height(face, x)
    }

    /// Returns the face above whose plane a point lies highest, and the height: minus infinity without faces.
    pub(super) fn highest_face(&self, x: DVec3) -> (u32, f64) {
        self.faces.highest(0..crate::ids::to_u32(self.faces.len()), x)
    }

    /// Returns the outer normal of a face.
    pub(super) fn normal(&self, face: u32) -> DVec3 {
        self.faces.normal(face)
    }

    /// Iterates over the half-edges of a face with the heights of two points above their side planes, inside
    /// the prism.
    pub(super) fn side_heights(
        &self,
        face: u32,
        [p, q]: [DVec3; 2],
    ) -> impl Iterator<Item = (u32, [f64; 2])> {
        let cell = self.around(face);
        cell.clone().step_by(crate::lanes::LANES).flat_map(move |first| {
            let heights = self.sides.heights(first, p).into_iter().zip(self.sides.heights(first, q));
            (first..cell.end).zip(heights.map(|(p, q)| [p, q]))
        })
    }

    /// Returns the ends of an edge, or a vertex twice.
    pub(super) fn segment(&self, feature: Feature) -> [DVec3; 2] {
        let ends = match feature {
            Feature::Vertex(v) => [v; 2],
            Feature::Edge(edge) => self.ends_of(edge),
            Feature::Face(face) => [self.corner_of(face); 2],
        };
        ends.map(|v| self.corners.get(v))
    }

    /// Returns the neighbour of a face in whose pyramid a point lies that has left the face's own, across the
    /// most violated plane: `Some(None)` if it has not, and `None` without pseudo-internal cells.
    pub(super) fn leave_pyramid(&self, face: u32, x: DVec3, tested: &mut Tested) -> Option<Option<u32>> {
        let Internal { edge, planes, .. } = self.internal.as_ref()?;
        let cell = self.around(face);
        tested.planes += u64::from(cell.end - cell.start);
        let mut farthest = (None, 0.0);
        for half_edge in cell {
            let height = planes.height(edge[half_edge as usize], x);
            let twin = self.twin[half_edge as usize];
            let beyond = if half_edge < twin { -height } else { height };
            if beyond > farthest.1 {
                farthest = (Some(self.face[twin as usize]), beyond);
            }
        }
        Some(farthest.0)
    }

    /// Returns the other face of a polygon; `None` for other polytopes.
    pub(super) fn back(&self, face: u32) -> Option<u32> {
        (self.first.len() == 3).then(|| 1 - face)
    }

    /// Returns the memory in bytes.
    pub fn bytes(&self) -> usize {
        let columns = [
            &self.tail,
            &self.twin,
            &self.face,
            &self.leaving,
            &self.place,
            &self.first,
            &self.first_leaving,
        ];
        let internal = self
            .internal
            .as_ref()
            .map_or(0, |internal| size_of_val(&internal.edge[..]) + internal.planes.bytes());
        columns.iter().map(|column| size_of_val(&column[..])).sum::<usize>()
            + self.corners.bytes()
            + self.faces.bytes()
            + self.sides.bytes()
            + self.ends.bytes()
            + internal
    }
}
