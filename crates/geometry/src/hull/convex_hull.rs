//! Convex hulls of points. Exact predicates decide every side; f64 distances choose only the order of work.

use glam::DVec3;

use super::polygons::{Polygons, fan};
use super::quickhull::quickhull;
use crate::ids::to_u32;
use crate::math::pose::{LARGEST, SMALLEST};
use crate::math::predicates::{Projection, Sign, collinear, orient2d, orient3d, projection_of};

/// A convex hull, by the dimension of the points. Numbers are positions in the list of points.
///
/// Hulls are strict: a vertex is a corner, never a point inside a face or on an edge, nor a duplicate of
/// another vertex.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hull {
    /// All points coincide.
    Point(u32),
    /// All points lie on the line between these two.
    Segment([u32; 2]),
    /// All points lie in one plane.
    Flat {
        /// The corners, counterclockwise around one of the plane's normals.
        polygon: Vec<u32>,
    },
    /// The hull has a volume.
    Solid {
        /// The corners, ascending.
        vertices: Vec<u32>,
        /// The faces, counterclockwise from outside. No two neighbours are coplanar.
        faces: Polygons,
    },
}

impl Hull {
    /// Computes the hull of the points. Returns `None` if there are none, or if a coordinate is neither 0 nor
    /// between 2^-200 and 2^200 in magnitude, the range in which the predicates are exact.
    ///
    /// # Panics
    /// For 2^32 points or more.
    pub fn of(points: &[DVec3]) -> Option<Self> {
        let exact = |x: f64| x == 0.0 || (SMALLEST..=LARGEST).contains(&x.abs());
        if points.is_empty() || !points.iter().all(|p| p.to_array().into_iter().all(exact)) {
            return None;
        }
        let at = |i: u32| points[i as usize];
        let a = farthest(points, |p| p.distance_squared(points[0]), |_| true)?;
        let Some(b) = farthest(points, |p| p.distance_squared(at(a)), |p| p != at(a)) else {
            return Some(Self::Point(0));
        };
        let (origin, edge) = (at(a), at(b) - at(a));
        let off_line = |p: DVec3| !collinear(origin, at(b), p);
        let Some(c) = farthest(points, |p| edge.cross(p - origin).length_squared(), off_line) else {
            return Some(segment(points));
        };
        let normal = edge.cross(at(c) - origin);
        let side = |p: DVec3| orient3d(origin, at(b), at(c), p);
        let Some(d) = farthest(points, |p| normal.dot(p - origin).abs(), |p| side(p).is_ne()) else {
            return Some(flat(points, projection_of(origin, at(b), at(c))?));
        };
        let (b, c) = if side(at(d)) == Sign::Greater { (c, b) } else { (b, c) };
        let faces = quickhull(points, [a, b, c, d]);
        let mut vertices = faces.corners().to_vec();
        vertices.sort_unstable();
        vertices.dedup();
        Some(Self::Solid { vertices, faces })
    }

    /// Returns the faces as fans of triangles: none for a point or a segment, one side of a flat hull.
    pub fn triangles(&self) -> Vec<[u32; 3]> {
        match self {
            Self::Point(_) | Self::Segment(_) => Vec::new(),
            Self::Flat { polygon } => fan(polygon).collect(),
            Self::Solid { faces, .. } => faces.iter().flat_map(fan).collect(),
        }
    }
}

/// Returns the point with the largest f64 score or, if an exact test does not admit it, the first point that
/// is admitted.
fn farthest(
    points: &[DVec3],
    score: impl Fn(DVec3) -> f64,
    admissible: impl Fn(DVec3) -> bool,
) -> Option<u32> {
    let scored = points.iter().map(|&p| score(p));
    let best = scored.enumerate().max_by(|(_, x), (_, y)| x.total_cmp(y)).map(|(i, _)| i);
    best.filter(|&i| admissible(points[i])).or_else(|| points.iter().position(|&p| admissible(p))).map(to_u32)
}

/// Returns the ends of points on a line. Lexicographic order of coordinates is monotone along a line.
fn segment(points: &[DVec3]) -> Hull {
    let order = sorted(points.len(), |i| points[i].to_array());
    Hull::Segment([order[0], order[order.len() - 1]])
}

/// Returns the hull of points in a plane by monotone chains, in a coordinate plane onto which it projects one
/// to one.
fn flat(points: &[DVec3], projection: Projection) -> Hull {
    let project = |i: u32| projection.of(points[i as usize]);
    let order = sorted(points.len(), |i| projection.of(points[i]));
    let half = |order: &mut dyn Iterator<Item = u32>| {
        let mut chain: Vec<u32> = Vec::new();
        for next in order {
            while let [.., a, b] = chain[..]
                && orient2d(project(a), project(b), project(next)).is_le()
            {
                chain.pop();
            }
            chain.push(next);
        }
        chain.pop(); // the other half starts here
        chain
    };
    let mut polygon = half(&mut order.iter().copied());
    polygon.extend(half(&mut order.iter().rev().copied()));
    Hull::Flat { polygon }
}

/// Returns positions in lexicographic order of their keys, one for each distinct key. Keys are finite.
fn sorted<const N: usize>(count: usize, key: impl Fn(usize) -> [f64; N]) -> Vec<u32> {
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|&i, &j| key(i).partial_cmp(&key(j)).unwrap_or(Sign::Equal));
    order.dedup_by(|i, j| key(*i) == key(*j));
    order.into_iter().map(to_u32).collect()
}
