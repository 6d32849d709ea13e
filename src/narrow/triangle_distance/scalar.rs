//! The reading copy: one pair of triangles.

use glam::DVec3;

use super::{Bounds, PARALLEL};
use closefit_geometry::bounds::aabb::Aabb;
use closefit_geometry::math::Triangle;
use closefit_geometry::math::error_bounds::{LENGTH, SHORTEST, SQUARES};

/// True only if the distance exceeds `bound`. A gap between the boxes proves it, or a gap along the offset of
/// the boxes, the line between the centres, or a normal.
pub fn beyond(a: &Triangle, b: &Triangle, bound: f64) -> bool {
    let (box_a, box_b) = (Aabb::of(*a), Aabb::of(*b));
    let before = box_b.lo - box_a.hi;
    let gap = (box_a.lo - box_b.hi).max(before).max(DVec3::ZERO);
    if gap.dot(gap) > bound * bound * (1.0 + SQUARES) {
        return true;
    }
    let limit = bound + extent(box_a, box_b) * LENGTH;
    let [a, b] = recentred(a, b);
    let middles = (b[0] + b[1] + b[2]) - (a[0] + a[1] + a[2]);
    [gap.copysign(before), middles, normal(&a), normal(&b)].into_iter().any(|direction| {
        let squared = direction.dot(direction);
        squared >= SHORTEST && gap_along(&a, &b, direction) > squared.sqrt() * limit
    })
}

/// Returns bounds of the distance of two posed triangles.
pub fn bounds(a: &Triangle, b: &Triangle) -> Bounds {
    let error = extent(Aabb::of(*a), Aabb::of(*b)) * LENGTH;
    let [a, b] = recentred(a, b);
    let (best, perpendicular) = closest(&a, &b);
    let at_most = best.squared.sqrt() + error;
    let mut at_least = gap(&a, &b, best.apart, error);
    let tilted = at_most - at_least > error * 4.0;
    if tilted {
        at_least = at_least.max(gap(&a, &b, perpendicular, error));
    }
    Bounds { at_least, at_most }
}

/// Returns the offset from a nearly closest point of the second triangle to one of the first, and the
/// perpendicular to their features, which has the same direction but for the rounding of the offset.
pub fn directions(a: &Triangle, b: &Triangle) -> [DVec3; 2] {
    let [a, b] = recentred(a, b);
    let (points, perpendicular) = closest(&a, &b);
    [points.apart, perpendicular]
}

/// Returns, for each pair of edges, the perpendicular to both; for parallel ones, that from one to the other.
/// Where triangles are much closer than they are large, rounding tilts the offset of their closest points,
/// and many features are equally close: the direction of any that are closest in truth is among these, except
/// for the normals.
pub fn edge_directions(a: &Triangle, b: &Triangle) -> [DVec3; 9] {
    let [a, b] = recentred(a, b);
    let (edges_a, edges_b) = (Edges::of(&a, &b), Edges::of(&b, &a));
    std::array::from_fn(|k| edges_a.perpendicular(&edges_b, k / 3, k % 3))
}

/// Returns nearly closest points, and the perpendicular to their features.
fn closest(a: &Triangle, b: &Triangle) -> (Points, DVec3) {
    let (edges_a, edges_b) = (Edges::of(a, b), Edges::of(b, a));
    let mut best = edges_a.closest(&edges_b, 0, 0);
    let mut edges = [0, 0];
    for (i, j) in (1..9).map(|k| (k / 3, k % 3)) {
        let found = edges_a.closest(&edges_b, i, j);
        if found.squared < best.squared {
            (best, edges) = (found, [i, j]);
        }
    }
    let mut perpendicular = edges_a.along[edges[0]].cross(edges_b.along[edges[1]]);
    for (corners, face) in [(a, &edges_b), (b, &edges_a)] {
        if let Some((normal, found)) = face.closest_corner(corners)
            && found.squared < best.squared
        {
            (best, perpendicular) = (found, normal);
        }
    }
    (best, perpendicular)
}

/// Returns the largest extent of the box around both.
pub(crate) fn extent(a: Aabb, b: Aabb) -> f64 {
    let both = a.union(b);
    let size = both.hi - both.lo;
    size.x.max(size.y).max(size.z)
}

/// Shifts both triangles so that the first corner is the origin.
pub(crate) fn recentred(a: &Triangle, b: &Triangle) -> [Triangle; 2] {
    [a, b].map(|t| t.map(|p| p - a[0]))
}

pub(crate) fn normal(t: &Triangle) -> DVec3 {
    (t[1] - t[0]).cross(t[2] - t[0])
}

/// Two points, given by the offset from one to the other.
#[derive(Clone, Copy)]
struct Points {
    apart: DVec3,
    squared: f64,
}

impl Points {
    fn new(apart: DVec3) -> Self {
        Self { apart, squared: apart.dot(apart) }
    }
}

/// A triangle's edges, edge `i` from corner `i` to the next, with scalar products.
struct Edges {
    from: Triangle,
    along: Triangle,
    squared: [f64; 3],
    /// Scalar products with the edge's own start.
    own: [f64; 3],
    /// Scalar products with the other triangle's corners.
    other: [[f64; 3]; 3],
}

impl Edges {
    fn of(t: &Triangle, other: &Triangle) -> Self {
        let along = [t[1] - t[0], t[2] - t[1], t[0] - t[2]];
        Self {
            from: *t,
            along,
            squared: along.map(|u| u.dot(u)),
            own: [0, 1, 2].map(|i| along[i].dot(t[i])),
            other: along.map(|u| other.map(|p| u.dot(p))),
        }
    }

    /// Returns nearly closest points of two closed edges.
    fn closest(&self, b: &Self, i: usize, j: usize) -> Points {
        let (u, v) = (self.along[i], b.along[j]);
        let (uu, vv) = (self.squared[i], b.squared[j]);
        let uv = self.other[i][(j + 1) % 3] - self.other[i][j];
        let (ur, vr) = (self.own[i] - self.other[i][j], b.other[j][i] - b.own[j]);
        let s = fraction((uv * vr - ur * vv) / positive(uu * vv - uv * uv));
        let t = fraction((uv * s + vr) * (1.0 / positive(vv)));
        let s = fraction((uv * t - ur) * (1.0 / positive(uu)));
        Points::new((self.from[i] - b.from[j]) + u * s - v * t)
    }

    /// Returns the perpendicular to two edges, or from one to the other if they are parallel.
    fn perpendicular(&self, b: &Self, i: usize, j: usize) -> DVec3 {
        let (u, uu) = (self.along[i], self.squared[i]);
        let (cross, apart) = (u.cross(b.along[j]), self.closest(b, i, j).apart);
        let are_parallel = cross.dot(cross) < uu * b.squared[j] * PARALLEL;
        if are_parallel { apart * uu - u * u.dot(apart) } else { cross }
    }

    /// Returns the corner nearest to this face's plane and its foot, if that is inside, with the normal.
    /// If a corner and a face are closest, that corner is the nearest to the plane, up to rounding.
    fn closest_corner(&self, corners: &Triangle) -> Option<(DVec3, Points)> {
        let (origin, [u, _, v]) = (self.from[0], self.along);
        let normal = v.cross(u);
        let level = normal.dot(origin);
        let height = corners.map(|p| (normal.dot(p) - level).abs());
        let mut nearest = 0;
        for i in 1..3 {
            if height[i] < height[nearest] {
                nearest = i;
            }
        }
        let w = corners[nearest] - origin;
        let ([uu, _, vv], uv, uw, vw) = (self.squared, u.dot(v), u.dot(w), v.dot(w));
        let inverse = 1.0 / positive(uu * vv - uv * uv);
        let (x, y) = ((vv * uw - uv * vw) * inverse, (uv * uw - uu * vw) * inverse);
        let inside = x >= 0.0 && y >= 0.0 && x + y <= 1.0;
        inside.then(|| (normal, Points::new(w - u * x + v * y)))
    }
}

/// Returns x, or a tiny number for 0, so that no quotient is NaN.
fn positive(x: f64) -> f64 {
    x.max(f64::MIN_POSITIVE)
}

fn fraction(x: f64) -> f64 {
    x.clamp(0.0, 1.0)
}

/// Returns a proven gap along a direction, or 0.
fn gap(a: &Triangle, b: &Triangle, direction: DVec3, error: f64) -> f64 {
    let squared = direction.dot(direction);
    let gap = gap_along(a, b, direction) / squared.sqrt() - error;
    if squared >= SHORTEST && gap > 0.0 { gap } else { 0.0 }
}

/// Returns how far one triangle is past the other, in units of the direction's length.
fn gap_along(a: &Triangle, b: &Triangle, direction: DVec3) -> f64 {
    let [p, q] = [a, b].map(|t| t.map(|p| direction.dot(p)));
    let least = |[x, y, z]: [f64; 3]| x.min(y).min(z);
    let greatest = |[x, y, z]: [f64; 3]| x.max(y).max(z);
    (least(q) - greatest(p)).max(least(p) - greatest(q))
}
