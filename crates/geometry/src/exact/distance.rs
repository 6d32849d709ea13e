//! The distance of two triangles: the true distance between the convex hulls of their posed corners, rounded
//! once to the nearest f64 (at least 2^-1000 if they do not meet).
//!
//! Because it is correctly rounded, it does not depend on evaluation order: swapped triangles, permuted
//! corners and every tree and executor give the same bits. Three arithmetics share the work: f64 finds the
//! features that look closest, double-double arithmetic proves nearly every rounding, and integers decide the
//! rest.

use glam::DVec3;

use super::contact::triangles_meet;
use super::features::{Feature, Floats};
use super::integers::{self, Face, corner_edge, corner_face};
pub use super::refine::distance_of_points;
use super::{along_axes, refine, witness as proven};
use crate::math::grid::{Quotient, round_root};
use crate::math::rational_point::RationalPoint;
use crate::math::{Triangle, ascending};

/// Returns the correctly rounded distance; 0 if the triangles meet.
pub fn distance(a: &Triangle, b: &Triangle) -> f64 {
    if triangles_meet(a, b) { 0.0 } else { distance_apart(a, b) }
}

/// Returns the closest points of triangles that do not meet (the witness points) on `a` and on `b`, each
/// coordinate rounded once. Where several points are closest, the choice does not depend on the order of
/// corners or triangles.
pub fn witness(a: &Triangle, b: &Triangle) -> [DVec3; 2] {
    witness_without_integers(a, b).unwrap_or_else(|| witness_by_integers(a, b))
}

/// Returns [`witness`] if it can be proven without integers, otherwise `None`.
pub fn witness_without_integers(a: &Triangle, b: &Triangle) -> Option<[DVec3; 2]> {
    let proven = || proven::witness(a, b);
    let along_axes = || in_order(a, b, along_axes::witness);
    along_axes::only_points(a, b).or_else(|| match along_axes::have_corners_at_two_gaps(a, b) {
        true => along_axes().or_else(proven),
        false => proven().or_else(along_axes),
    })
}

/// Returns [`witness`], computed by integers alone.
pub fn witness_by_integers(a: &Triangle, b: &Triangle) -> [DVec3; 2] {
    in_order(a, b, |p, q| Some(integers::witness(p, q))).expect("integers need no proof")
}

/// Asks for the closest points of two triangles with their corners, and the two, in ascending order, so that
/// the answer does not depend on the order in which they are given.
fn in_order(
    a: &Triangle,
    b: &Triangle,
    find: impl Fn(&Triangle, &Triangle) -> Option<[DVec3; 2]>,
) -> Option<[DVec3; 2]> {
    let [p, q] = [ascending(a), ascending(b)];
    let corners = |t: &Triangle| t.map(|p| p.to_array());
    if corners(&q) < corners(&p) { find(&q, &p).map(|[on_b, on_a]| [on_a, on_b]) } else { find(&p, &q) }
}

/// Returns the [`distance`] of triangles that are known not to meet.
pub fn distance_apart(a: &Triangle, b: &Triangle) -> f64 {
    let floats = Floats::of(a, b);
    refine::distance_apart(a, b, &floats).unwrap_or_else(|| integers::distance_apart(a, b, &floats))
}

/// True only if the [`distance`] of triangles that do not meet is proven to be at least `bound`: cheaper than
/// the distance itself.
pub fn is_at_least(a: &Triangle, b: &Triangle, bound: f64) -> bool {
    refine::is_at_least(a, b, bound)
}

/// Returns [`distance_apart`] if it can be proven without integers, otherwise `None`.
pub fn distance_without_integers(a: &Triangle, b: &Triangle) -> Option<f64> {
    refine::distance_apart(a, b, &Floats::of(a, b))
}

/// Returns [`distance_apart`], computed by integers alone.
pub fn distance_by_integers(a: &Triangle, b: &Triangle) -> f64 {
    integers::distance_apart(a, b, &Floats::of(a, b))
}

/// An interval that certainly contains the distance of two triangles. If they meet, `at_least` is 0 or less.
/// Cheap, because it takes f64 only.
#[derive(Clone, Copy, Debug)]
pub struct Enclosure {
    /// Lower bound of the distance; may be negative.
    pub at_least: f64,
    /// Upper bound of the distance.
    pub at_most: f64,
}

/// Returns an enclosure of the distance of two triangles.
pub fn enclose(a: &Triangle, b: &Triangle) -> Enclosure {
    let floats = Floats::of(a, b);
    let (feature, offset) = floats.nearest();
    Enclosure {
        at_least: floats.at_least(feature, &floats.a, &floats.b, offset),
        at_most: offset.length() + floats.error,
    }
}

/// Returns an enclosure of the distance of a point from a triangle.
pub fn enclose_point(p: DVec3, t: &Triangle) -> Enclosure {
    let floats = Floats::of(&[p; 3], t);
    let mut best = (Feature::CornerFace(0), DVec3::ZERO, f64::INFINITY);
    let edges = [0, 1, 2].map(|edge| Feature::Edges(0, edge));
    for feature in [Feature::CornerFace(0)].into_iter().chain(edges) {
        let (_, q) = floats.closest(feature);
        if q.length_squared() < best.2 {
            best = (feature, q, q.length_squared());
        }
    }
    // For a point on the triangle, rounding decides the direction, and the bound from it may be negative.
    let at_least = floats.at_least(best.0, &floats.a[..1], &floats.b, best.1).max(0.0);
    Enclosure { at_least, at_most: best.2.sqrt() + floats.error }
}

/// Returns the distance of a rational point from a triangle, rounded to the nearest f64 (at least 2^-1000 if
/// the point is off it).
pub fn distance_of_point(p: &RationalPoint, t: &Triangle) -> f64 {
    let ((p, scale), t, grid) = p.among(*t);
    // When the foot of the perpendicular is inside, no edge is nearer.
    let face = Face::of(t);
    let nearest = corner_face(&p, &face).unwrap_or_else(|| {
        let edges = (0..3).map(|edge| corner_edge(&p, &face.corners, edge).0);
        edges.min_by(Quotient::compare).expect("a triangle has edges")
    });
    round_root(&nearest.numerator, &(&nearest.denominator * scale * scale), grid.exponent)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn t(points: [[f64; 3]; 3]) -> Triangle {
        points.map(DVec3::from_array)
    }

    #[test]
    fn known_distances() {
        let a = t([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
        let face = t([[0.2, 0.2, 0.25], [0.2, 0.2, 1.0], [0.3, 0.2, 1.0]]);
        assert_eq!(distance(&a, &face), 0.25);
        assert_eq!(witness(&a, &face), [DVec3::new(0.2, 0.2, 0.0), DVec3::new(0.2, 0.2, 0.25)]);
        let corner = t([[2.0, 0.0, 0.0], [3.0, 0.0, 0.0], [3.0, 1.0, 0.0]]);
        assert_eq!(distance(&a, &corner), 1.0);
        let edge = t([[0.25, -1.0, 0.5], [0.25, -1.0, 2.0], [0.5, -2.0, 1.0]]);
        assert_eq!(distance(&a, &edge), 1.25f64.sqrt());
        let crossing = t([[0.5, -1.0, 1.0], [0.5, 1.0, 1.0], [0.5, 0.0, 3.0]]);
        assert_eq!(distance(&a, &crossing), 1.0);
        assert_eq!(distance(&a, &a), 0.0);
    }

    #[test]
    fn a_gap_far_below_an_ulp_of_the_size() {
        let a = t([[0.0, 0.0, 0.0], [1e6, 1.0, 0.0], [0.0, 1e6, 0.0]]);
        let b = t([[1.0, 1.0, 1e-30], [2.0, 1.0, 1.0], [1.0, 2.0, 1.0]]);
        assert_eq!(distance(&a, &b), 1e-30);
        assert_eq!(distance(&b, &a), 1e-30);
    }

    #[test]
    fn degenerate_triangles() {
        let point = t([[0.0, 0.0, 3.0]; 3]);
        let segment = t([[-1.0, 4.0, 0.0], [1.0, 4.0, 0.0], [0.0, 4.0, 0.0]]);
        assert_eq!(distance(&point, &segment), 5.0);
        assert_eq!(distance(&segment, &point), 5.0);
        assert_eq!(distance(&point, &t([[0.0; 3]; 3])), 3.0);
    }

    #[test]
    fn enclosures_contain() {
        let a = t([[0.1, 0.2, 0.3], [1.7, 0.1, -0.2], [0.3, 1.1, 0.4]]);
        for k in 0..100 {
            let x = f64::from(k) * 0.037;
            let b = a.map(|p| DVec3::new(p.y + x, p.z - x, p.x + 1.5));
            let (d, e) = (distance(&a, &b), enclose(&a, &b));
            assert!(e.at_least <= d && d <= e.at_most, "{k}: {d} {e:?}");
            assert!(d == 0.0 || e.at_most - e.at_least < 1e-12, "{k}: {d} {e:?}");
        }
    }
}
