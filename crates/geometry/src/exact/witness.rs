//! The closest points of two triangles in double-double arithmetic, when that proves them.
//!
//! Two points are closest if the vector between them points out of both triangles: no corner lies before
//! the plane through its triangle's point, perpendicular to that vector. They are the only closest points
//! if the parts of the two triangles in these planes have a single pair of points at that vector from each
//! other: a corner and anything, or two edges that cross. f64 chooses the features on which the points lie;
//! signs in double-double arithmetic prove both, and a bound on the error of a coordinate proves its rounding
//! (Ziv's test). Where several points are closest, integers choose among them.
//!
//! Triangles are scaled as for distances. Vectors between their corners are then at most 7 long, and exact;
//! those shorter than [`SMALLEST`] are left to integers, so that the bounds are far above what products lose
//! to underflow.

use glam::DVec3;

use super::features::{Feature, Floats, ends};
use super::refine::{SMALLEST, Scaled};
use crate::math::Triangle;
use crate::math::double_double::{DoubleDouble, Vector, cross, difference, dot, minus_scaled, opposite};
use crate::math::error_bounds::{
    ALONG_NORMAL, CROSSING, FOOT_ON_EDGE, FOOT_ON_FACE, FROM_EDGE, NORMALS, ON_LINE, SCALAR_PRODUCT, UNIT,
};

/// Returns the closest points of triangles that do not meet, each coordinate rounded once; `None` if integers
/// are needed.
pub fn witness(a: &Triangle, b: &Triangle) -> Option<[DVec3; 2]> {
    let floats = Floats::of(a, b);
    let (feature, _) = floats.nearest();
    let scaled = Scaled::of(a, b)?;
    let (p, q) = (&scaled.a, &scaled.b);
    let points = match feature {
        Feature::CornerFace(i) => [p[i], foot_on_face(p, i, q)?],
        Feature::FaceCorner(j) => [foot_on_face(q, j, p)?, q[j]],
        Feature::Edges(i, j) => on_edges(p, i, q, j, floats.places(i, j))?,
    };
    // 0 is never negative.
    Some(points.map(|point| point * scaled.unit + DVec3::ZERO))
}

/// A vector between two corners, which is exact, and the sum of the sizes of its coordinates.
struct Between {
    vector: Vector,
    size: f64,
}

impl Between {
    fn of(from: DVec3, to: DVec3) -> Option<Self> {
        let vector = difference(to, from);
        let size = vector[0].high.abs() + vector[1].high.abs() + vector[2].high.abs();
        (size >= SMALLEST).then_some(Self { vector, size })
    }

    fn has(&self, k: usize) -> bool {
        self.vector[k].high != 0.0
    }
}

/// The vector product of two vectors, and the product of their sizes.
struct Normal {
    vector: Vector,
    size: f64,
    squared: DoubleDouble,
}

impl Normal {
    /// Returns the normal; `None` if the vectors are so nearly parallel that errors would be multiplied by
    /// more than 2^40.
    fn of(u: &Between, v: &Between) -> Option<Self> {
        let vector = cross(&u.vector, &v.vector);
        let squared = dot(&vector, &vector);
        let normal = Self { vector, size: u.size * v.size, squared };
        (normal.spread() < (1u64 << 40) as f64).then_some(normal)
    }

    /// Returns the product of the sizes per length of the normal: at least 1, up to rounding.
    fn spread(&self) -> f64 {
        self.size / self.length()
    }

    fn length(&self) -> f64 {
        self.squared.high.sqrt()
    }

    /// True if a vector is proven to point to the normal's side, false if to the other.
    fn is_along(&self, way: &Between) -> Option<bool> {
        let height = dot(&self.vector, &way.vector).high;
        (height.abs() > ALONG_NORMAL * self.size * way.size).then_some(height > 0.0)
    }

    /// Returns the scalar product with the normal of two vectors.
    fn times(&self, u: &Between, v: &Between) -> DoubleDouble {
        dot(&cross(&u.vector, &v.vector), &self.vector)
    }
}

/// Returns the vectors from a corner to the others that differ from it; `None` in place of one that is too
/// short.
fn from_corner(t: &Triangle, corner: DVec3) -> impl Iterator<Item = Option<Between>> {
    t.iter().filter(move |other| **other != corner).map(move |other| Between::of(corner, *other))
}

/// Rounds `base + offset`, if an error of `error` in the offset does not matter.
fn settled(base: f64, offset: DoubleDouble, error: f64) -> Option<f64> {
    let at = DoubleDouble::from(base) + offset;
    // The sum loses 4 u^2. The other 4 u^2, and the factor, are for the roundings of `low + error` below.
    let error = (error + 8.0 * UNIT * UNIT * (base.abs() + offset.high.abs())) * (1.0 + 16.0 * UNIT);
    let is_kept = |low: f64| at.high + low == at.high;
    (is_kept(at.low + error) && is_kept(at.low - error)).then_some(at.high)
}

/// Returns the foot of corner `i` of `t` on a face, if it and the corner are the only closest points.
fn foot_on_face(t: &Triangle, i: usize, face: &Triangle) -> Option<DVec3> {
    let corner = t[i];
    let [u, v, w] = [face[1], face[2], corner].map(|to| Between::of(face[0], to));
    let (u, v, w) = (u?, v?, w?);
    let normal = Normal::of(&u, &v)?;
    let (x, y) = (normal.times(&w, &v), normal.times(&u, &w));
    let error = NORMALS * normal.size * (normal.size + w.size * (u.size + v.size));
    if !(x.high > error && y.high > error && (normal.squared - x - y).high > error) {
        return None;
    }
    let side = normal.is_along(&w)?;
    for other in from_corner(t, corner) {
        if normal.is_along(&other?)? != side {
            return None;
        }
    }
    let factor = dot(&normal.vector, &w.vector).quotient(normal.squared);
    let error = FOOT_ON_FACE * w.size * normal.spread();
    let coordinate = |k: usize| {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        let upright = (!u.has(i) || !v.has(j)) && (!u.has(j) || !v.has(i));
        match () {
            () if !u.has(k) && !v.has(k) => Some(face[0][k]),
            () if upright => Some(corner[k]),
            () => settled(corner[k], -(normal.vector[k] * factor), error),
        }
    };
    Some(DVec3::new(coordinate(0)?, coordinate(1)?, coordinate(2)?))
}

/// Returns the closest points of two edges if they are the only closest points of the triangles. `places` are
/// where f64 puts them.
fn on_edges(a: &Triangle, i: usize, b: &Triangle, j: usize, places: [f64; 2]) -> Option<[DVec3; 2]> {
    let corner = |edge: usize, place: f64| match place {
        0.0 => Some(edge),
        1.0 => Some((edge + 1) % 3),
        _ => None,
    };
    match (corner(i, places[0]), corner(j, places[1])) {
        (Some(i), Some(j)) => corners(a, i, b, j),
        (Some(i), None) => Some([a[i], foot_on_edge(a, i, b, j)?]),
        (None, Some(j)) => Some([foot_on_edge(b, j, a, i)?, b[j]]),
        (None, None) => crossing(a, i, b, j),
    }
}

/// Returns two corners, if they are the only closest points.
fn corners(a: &Triangle, i: usize, b: &Triangle, j: usize) -> Option<[DVec3; 2]> {
    let way = difference(b[j], a[i]);
    // All of a triangle lies beyond its corner; true if nothing but the corner lies on the plane through it.
    let is_alone = |t: &Triangle, corner: DVec3, way: &Vector| {
        let mut alone = true;
        for other in from_corner(t, corner) {
            let other = other?.vector;
            let size: f64 = (0..3).map(|k| (other[k].high * way[k].high).abs()).sum();
            // Without a product other than 0, the sum is 0.
            alone &= size > 0.0;
            if size > 0.0 && dot(&other, way).high <= SCALAR_PRODUCT * size {
                return None;
            }
        }
        Some(alone)
    };
    let alone = [is_alone(a, a[i], &opposite(&way))?, is_alone(b, b[j], &way)?];
    (alone[0] || alone[1]).then_some([a[i], b[j]])
}

/// Returns the foot of corner `i` of `t` on an edge of another triangle, if it and the corner are the only
/// closest points.
fn foot_on_edge(t: &Triangle, i: usize, of: &Triangle, edge: usize) -> Option<DVec3> {
    let corner = t[i];
    let [start, end] = ends(of, edge);
    let (v, w) = (Between::of(start, end)?, Between::of(start, corner)?);
    let (reach, length) = (dot(&v.vector, &w.vector), dot(&v.vector, &v.vector));
    let error = ON_LINE * v.size * (v.size + w.size);
    if !(reach.high > error && (length - reach).high > error) {
        return None;
    }
    let factor = reach.quotient(length);
    let way = minus_scaled(&w.vector, &v.vector, factor);
    let ahead = |other: &Between| {
        let product = dot(&way, &other.vector).high;
        (product.abs() > FROM_EDGE * w.size * other.size).then_some(product > 0.0)
    };
    for other in from_corner(t, corner) {
        if !ahead(&other?)? {
            return None;
        }
    }
    let third = of[(edge + 2) % 3];
    if third != start && third != end && ahead(&Between::of(start, third)?)? {
        return None;
    }
    let coordinate = |k: usize| {
        if v.has(k) { settled(start[k], v.vector[k] * factor, FOOT_ON_EDGE * w.size) } else { Some(start[k]) }
    };
    Some(DVec3::new(coordinate(0)?, coordinate(1)?, coordinate(2)?))
}

/// Returns the points where two edges pass each other, if they are the only closest points.
fn crossing(a: &Triangle, i: usize, b: &Triangle, j: usize) -> Option<[DVec3; 2]> {
    let ([p, p1], [q, q1]) = (ends(a, i), ends(b, j));
    let (u, v, w) = (Between::of(p, p1)?, Between::of(q, q1)?, Between::of(p, q)?);
    let normal = Normal::of(&u, &v)?;
    let side = normal.is_along(&w)?;
    for (t, edge, from, is_beyond) in [(a, i, p, !side), (b, j, q, side)] {
        let (third, [start, end]) = (t[(edge + 2) % 3], ends(t, edge));
        if third != start && third != end && normal.is_along(&Between::of(from, third)?)? != is_beyond {
            return None;
        }
    }
    // The place on an edge, and its point: `across` is the other edge.
    let point = |from: DVec3, along: &Between, across: &Between| {
        let place = normal.times(&w, across);
        let error = NORMALS * normal.size * (normal.size + w.size * across.size);
        if !(place.high > error && (normal.squared - place).high > error) {
            return None;
        }
        let factor = place.quotient(normal.squared);
        let error = CROSSING * normal.spread() * (1.0 + w.size * across.size / normal.length());
        let coordinate = |k: usize| {
            let offset = along.vector[k];
            if along.has(k) {
                settled(from[k], offset * factor, offset.high.abs() * error)
            } else {
                Some(from[k])
            }
        };
        Some(DVec3::new(coordinate(0)?, coordinate(1)?, coordinate(2)?))
    };
    Some([point(p, &u, &v)?, point(q, &v, &u)?])
}
