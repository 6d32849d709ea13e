//! Builds a polytope from an exact hull.

use glam::DVec3;

use super::corners::Corners;
use super::planes::Planes;
use super::{Internal, NONE, Polytope};
use crate::hull::convex_hull::Hull;
use crate::hull::polygons::Polygons;
use crate::ids::to_u32;
use crate::math::double_double::{DoubleDouble, Vector, cross, difference, rounded};
use crate::math::predicates::{Sign, orient3d};

impl Polytope {
    /// Builds the hull of points with coordinates of at most 1. Returns `None` if there are no points, if
    /// they are outside the range of [`Hull::of`], or if an edge or a face is so small that its plane would
    /// underflow.
    pub fn of(points: &[DVec3]) -> Option<Self> {
        let (mut used, polygons) = match Hull::of(points)? {
            Hull::Point(v) => (vec![v], Polygons::default()),
            Hull::Segment(ends) => (ends.to_vec(), Polygons::default()),
            Hull::Flat { polygon } => {
                let mut both = Polygons::default();
                both.push(polygon.iter().copied());
                both.push(polygon.iter().rev().copied());
                (polygon, both)
            }
            Hull::Solid { vertices, faces } => (vertices, faces),
        };
        used.sort_unstable();
        let vertices: Vec<DVec3> = used.iter().map(|&v| points[v as usize]).collect();
        let number = |v: &u32| to_u32(used.binary_search(v).expect("a vertex of the hull"));
        let mut built = Half::default();
        for polygon in polygons.iter() {
            built.add_face(polygon.iter().map(number));
        }
        if vertices.len() == 2 {
            built.add_segment();
        }
        let polytope = built.polytope(&vertices);
        [&polytope.faces, &polytope.sides, &polytope.ends]
            .iter()
            .all(|planes| planes.are_valid())
            .then_some(polytope)
    }
}

/// The half-edges as they are found.
#[derive(Default)]
struct Half {
    tail: Vec<u32>,
    face: Vec<u32>,
    ends: Vec<u32>,
}

impl Half {
    fn add_face(&mut self, corners: impl Iterator<Item = u32>) {
        let face = to_u32(self.ends.len());
        self.tail.extend(corners);
        self.face.resize(self.tail.len(), face);
        self.ends.push(to_u32(self.tail.len()));
    }

    fn add_segment(&mut self) {
        self.tail.extend([0, 1]);
        self.face.extend([NONE; 2]);
    }

    /// Returns the vertex that each half-edge enters.
    fn heads(&self) -> Vec<u32> {
        if self.ends.is_empty() {
            return self.tail.iter().rev().copied().collect();
        }
        let mut heads: Vec<u32> = self.tail.iter().skip(1).copied().chain([0]).collect();
        let mut start = 0;
        for &end in &self.ends {
            heads[end as usize - 1] = self.tail[start];
            start = end as usize;
        }
        heads
    }

    fn polytope(self, vertices: &[DVec3]) -> Polytope {
        let heads = self.heads();
        let twin = twins(&self.tail, &heads);
        let at = |v: u32| vertices[v as usize];
        let direction = |h: u32| (at(heads[h as usize]) - at(self.tail[h as usize])).normalize();
        let mut leaving: Vec<u32> = (0..to_u32(self.tail.len())).collect();
        leaving.sort_by_key(|&h| self.tail[h as usize]);
        let mut place = vec![0; leaving.len()];
        (0..).zip(&leaving).for_each(|(at, &h)| place[h as usize] = at);
        let before = |v: u32| to_u32(leaving.partition_point(|&h| self.tail[h as usize] < v));
        let first: Vec<u32> = std::iter::once(0).chain(self.ends.iter().copied()).collect();
        let corners_of = |f: usize| &self.tail[first[f] as usize..first[f + 1] as usize];
        let normals: Vec<DVec3> = (0..self.ends.len()).map(|f| normal(corners_of(f), vertices)).collect();
        let planes = normals.iter().enumerate().map(|(f, &normal)| (normal, at(corners_of(f)[0])));
        let with_face = (0..to_u32(self.tail.len())).filter(|&h| self.face[h as usize] != NONE);
        let sides = with_face.map(|h| {
            let inward = normals[self.face[h as usize] as usize].cross(direction(h)).normalize();
            (inward, at(self.tail[h as usize]))
        });
        Polytope {
            corners: Corners::new(vertices),
            first_leaving: (0..=to_u32(vertices.len())).map(before).collect(),
            faces: Planes::new(planes),
            sides: Planes::new(sides),
            ends: Planes::new(leaving.iter().map(|&h| (direction(h), at(self.tail[h as usize])))),
            internal: internal(vertices, &first, &self.tail, &twin),
            tail: self.tail,
            twin,
            face: self.face,
            first,
            leaving,
            place,
        }
    }
}

/// Returns the half-edge that goes back, for each.
fn twins(tails: &[u32], heads: &[u32]) -> Vec<u32> {
    let ends = |h: &u32| {
        let (a, b) = (tails[*h as usize], heads[*h as usize]);
        (a.min(b), a.max(b))
    };
    let mut order: Vec<u32> = (0..to_u32(tails.len())).collect();
    order.sort_by_key(ends);
    let mut twin = vec![NONE; tails.len()];
    for pair in order.chunks_exact(2) {
        (twin[pair[0] as usize], twin[pair[1] as usize]) = (pair[1], pair[0]);
    }
    twin
}

/// Returns the unit normal of a convex polygon. The sum of its triangles' areas is taken in double-double
/// arithmetic, so that needles have precise normals too.
fn normal(corners: &[u32], vertices: &[DVec3]) -> DVec3 {
    let from_first = |v: u32| difference(vertices[v as usize], vertices[corners[0] as usize]);
    let area = |sum: Vector, pair: &[u32]| {
        let part = cross(&from_first(pair[0]), &from_first(pair[1]));
        [0, 1, 2].map(|k| sum[k] + part[k])
    };
    rounded(&corners[1..].windows(2).fold([DoubleDouble::ZERO; 3], area)).normalize()
}

/// Returns the pseudo-internal cells, if the centroid of the vertices lies strictly below every face.
fn internal(vertices: &[DVec3], first: &[u32], tails: &[u32], twin: &[u32]) -> Option<Internal> {
    let centroid = vertices.iter().sum::<DVec3>() / vertices.len() as f64;
    let at = |h: u32| vertices[tails[h as usize] as usize];
    let is_below = |&first: &u32| orient3d(at(first), at(first + 1), at(first + 2), centroid) == Sign::Less;
    let (_, starts) = first.split_last()?;
    let exact = Hull::of(&[centroid]).is_some();
    if starts.is_empty() || !exact || !starts.iter().all(is_below) {
        return None;
    }
    let mut edge = vec![0; twin.len()];
    let mut edges = Vec::new();
    for (h, &back) in (0..).zip(twin).filter(|(h, back)| h < *back) {
        (edge[h as usize], edge[back as usize]) = (to_u32(edges.len()), to_u32(edges.len()));
        let (tail, head) = (at(h), at(back));
        edges.push(((head - tail).cross(centroid - tail).normalize(), tail));
    }
    let planes = Planes::new(edges.into_iter());
    planes.are_valid().then_some(Internal { centroid, edge, planes })
}
