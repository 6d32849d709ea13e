//! The distance of two triangles: the true distance of their posed corners' convex hulls, rounded once to
//! the nearest f64 (at least 2^-1000 where they do not meet).
//!
//! Being correctly rounded, it depends on no order of evaluation: swapped triangles, permuted corners and
//! every backend give the same bits. The distance of disjoint triangles is that of two edges, or of a corner
//! and a face. f64 discards the features that are certainly farther; integers settle those that remain.

use std::cmp::Ordering::Less;

use glam::DVec3;
use num_bigint::BigInt;
use num_traits::{One, Zero};

use super::contact::triangles_meet;
use crate::math::Triangle;
use crate::math::exact::{self, Grid, Quotient, Vector, cross, dot, round_quotient, round_root, sub};
use crate::math::rational_point::RationalPoint;

/// Edges of a triangle by corner, edge `i` from corner `i` to the next.
const EDGES: [[usize; 2]; 3] = [[0, 1], [1, 2], [2, 0]];

/// The correctly rounded distance; 0 where the triangles meet.
pub fn distance(a: &Triangle, b: &Triangle) -> f64 {
    if triangles_meet(a, b) { 0.0 } else { distance_apart(a, b) }
}

/// [`distance`] of triangles that are known not to meet.
pub fn distance_apart(a: &Triangle, b: &Triangle) -> f64 {
    let closest = Integers::of(a, b).closest(&Floats::of(a, b).candidates());
    round_root(&closest.squared.numerator, &closest.squared.denominator, closest.exponent)
}

/// The closest points of triangles that do not meet, on `a` and on `b`, each coordinate rounded once. Where
/// several pairs are closest: the first of edge/edge, corner/face, face/corner, in the corners' order.
pub fn witness(a: &Triangle, b: &Triangle) -> [DVec3; 2] {
    let integers = Integers::of(a, b);
    let closest = integers.closest(&Floats::of(a, b).candidates());
    let [pa, pb] = [(&integers.a, closest.on_a), (&integers.b, closest.on_b)].map(|(t, foot)| match foot {
        Foot::Face => None,
        Foot::Corner(i) => Some((t[i].clone(), BigInt::one())),
        Foot::Edge { edge, numerator, denominator } => {
            let [p, q] = EDGES[edge].map(|i| &t[i]);
            let along = sub(q, p);
            let point = std::array::from_fn(|k| &p[k] * &denominator + &along[k] * &numerator);
            Some((point, denominator))
        }
    });
    let onto = |t: &[Vector; 3], (p, scale): &(Vector, BigInt)| {
        debug_assert!(scale.is_one(), "only a corner projects onto a face");
        let normal = cross(&sub(&t[1], &t[0]), &sub(&t[2], &t[0]));
        let (height, squared) = (dot(&normal, &sub(p, &t[0])), dot(&normal, &normal));
        (std::array::from_fn(|k| &p[k] * &squared - &normal[k] * &height), squared)
    };
    let (pa, pb) = match (pa, pb) {
        (Some(pa), Some(pb)) => (pa, pb),
        (Some(pa), None) => (pa.clone(), onto(&integers.b, &pa)),
        (None, Some(pb)) => (onto(&integers.a, &pb), pb),
        (None, None) => unreachable!("one side of a closest pair is an edge or a corner"),
    };
    [pa, pb].map(|(p, scale)| {
        DVec3::from_array(std::array::from_fn(|k| round_quotient(&p[k], &scale, closest.exponent)))
    })
}

/// An interval that certainly contains the distance of two triangles, whether they meet or not (then
/// `at_least` is 0 or less). Cheap: f64 only.
#[derive(Clone, Copy, Debug)]
pub struct Enclosure {
    /// The distance is no less; may be negative.
    pub at_least: f64,
    /// The distance is no more.
    pub at_most: f64,
}

/// Encloses the distance.
pub fn enclose(a: &Triangle, b: &Triangle) -> Enclosure {
    let floats = Floats::of(a, b);
    let (feature, at_most) = floats.nearest();
    let (p, q) = floats.closest(feature);
    Enclosure { at_least: floats.at_least(feature, &floats.a, &floats.b, q - p), at_most }
}

/// Encloses the distance of a point from a triangle.
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
    // Of a point on the triangle, rounding decides the direction: what that proves may be negative.
    let at_least = floats.at_least(best.0, &floats.a[..1], &floats.b, best.1).max(0.0);
    Enclosure { at_least, at_most: best.2.sqrt() + floats.error }
}

/// The distance of a rational point from a triangle, rounded to the nearest f64 (at least 2^-1000 off it).
pub fn distance_of_point(p: &RationalPoint, t: &Triangle) -> f64 {
    let ((p, scale), t, grid) = p.among(*t);
    // Where the foot falls inside, no edge is nearer.
    let nearest = corner_face(&p, &t).unwrap_or_else(|| {
        let edges = (0..3).map(|edge| corner_edge(&p, &t, edge).0);
        edges.min_by(Quotient::compare).expect("a triangle has edges")
    });
    round_root(&nearest.numerator, &(&nearest.denominator * scale * scale), grid.exponent)
}

/// Two features of which one pair of closest points may come.
#[derive(Clone, Copy, Debug)]
enum Feature {
    Edges(usize, usize),
    CornerFace(usize),
    FaceCorner(usize),
}

fn features() -> impl Iterator<Item = Feature> {
    let edges = (0..9).map(|k| Feature::Edges(k / 3, k % 3));
    edges.chain((0..3).map(Feature::CornerFace)).chain((0..3).map(Feature::FaceCorner))
}

/// Both triangles relative to a corner of the first, with the error that every length below carries.
struct Floats {
    a: Triangle,
    b: Triangle,
    /// Let R be the largest coordinate, u = EPSILON / 2. Recentering moves a corner by u R per coordinate, a
    /// convex combination of corners costs 6 u R more, a scalar product with a unit vector 4 u sqrt(3) R; with
    /// the norm's and the quotient's own 5 u, all of it for two points stays below 64 u R.
    error: f64,
}

impl Floats {
    fn of(a: &Triangle, b: &Triangle) -> Self {
        let origin = a[0];
        let (a, b) = (a.map(|p| p - origin), b.map(|p| p - origin));
        let reach = a.iter().chain(&b).fold(0.0f64, |r, p| r.max(p.abs().max_element()));
        Self { a, b, error: 32.0 * f64::EPSILON * reach }
    }

    /// Points of both features that are closest but for rounding. Any two points bound the distance from
    /// above, and their direction bounds it from below, so nothing depends on their being the closest.
    fn closest(&self, feature: Feature) -> (DVec3, DVec3) {
        match feature {
            Feature::Edges(i, j) => {
                closest_of_segments(EDGES[i].map(|k| self.a[k]), EDGES[j].map(|k| self.b[k]))
            }
            Feature::CornerFace(i) => (self.a[i], closest_on_triangle(self.a[i], &self.b)),
            Feature::FaceCorner(j) => (closest_on_triangle(self.b[j], &self.a), self.b[j]),
        }
    }

    /// No pair of points of the hulls of `a` and `b` is closer than this. The direction between the closest
    /// points proves it, or better, where rounding tilts that of two points close to each other, the
    /// perpendicular to their features.
    fn at_least(&self, feature: Feature, a: &[DVec3], b: &[DVec3], direction: DVec3) -> f64 {
        let perpendicular = match feature {
            Feature::Edges(i, j) => {
                let ([p, p1], [q, q1]) = (EDGES[i].map(|k| self.a[k]), EDGES[j].map(|k| self.b[k]));
                (p1 - p).cross(q1 - q)
            }
            Feature::CornerFace(_) => normal(&self.b),
            Feature::FaceCorner(_) => normal(&self.a),
        };
        let towards = if perpendicular.dot(direction) < 0.0 { -perpendicular } else { perpendicular };
        self.extent(a, b, direction).max(self.extent(a, b, towards))
    }

    /// How far `b` is from `a` along a direction.
    fn extent(&self, a: &[DVec3], b: &[DVec3], direction: DVec3) -> f64 {
        let length = direction.length();
        if length.is_nan() || length <= 0.0 {
            return -f64::INFINITY;
        }
        let highest = a.iter().fold(f64::NEG_INFINITY, |m, p| m.max(direction.dot(*p)));
        let lowest = b.iter().fold(f64::INFINITY, |m, p| m.min(direction.dot(*p)));
        (lowest - highest) / length - self.error
    }

    /// The feature whose points came out closest, and an upper bound of the distance.
    fn nearest(&self) -> (Feature, f64) {
        let mut best = (Feature::Edges(0, 0), f64::INFINITY);
        for feature in features() {
            let (p, q) = self.closest(feature);
            let squared = p.distance_squared(q);
            if squared < best.1 {
                best = (feature, squared);
            }
        }
        (best.0, best.1.sqrt() + self.error)
    }

    /// The features that may be closest.
    fn candidates(&self) -> Vec<Feature> {
        let (_, at_most) = self.nearest();
        let may_be_closest = |feature: &Feature| {
            let (p, q) = self.closest(*feature);
            let bound = |a: &[DVec3], b: &[DVec3]| self.at_least(*feature, a, b, q - p);
            let at_least = match *feature {
                Feature::Edges(i, j) => bound(&EDGES[i].map(|k| self.a[k]), &EDGES[j].map(|k| self.b[k])),
                Feature::CornerFace(i) => bound(&[self.a[i]], &self.b),
                Feature::FaceCorner(j) => bound(&self.a, &[self.b[j]]),
            };
            at_least <= at_most || at_least.is_nan() // a NaN stays a candidate
        };
        features().filter(may_be_closest).collect()
    }
}

fn normal(t: &Triangle) -> DVec3 {
    (t[1] - t[0]).cross(t[2] - t[0])
}

fn fraction(numerator: f64, denominator: f64) -> f64 {
    let x = numerator / denominator;
    if x.is_finite() { x.clamp(0.0, 1.0) } else { 0.0 }
}

fn closest_of_segments([p, p1]: [DVec3; 2], [q, q1]: [DVec3; 2]) -> (DVec3, DVec3) {
    let (u, v, r) = (p1 - p, q1 - q, p - q);
    let (uu, vv, uv, ur, vr) = (u.dot(u), v.dot(v), u.dot(v), u.dot(r), v.dot(r));
    let s = fraction(uv * vr - ur * vv, uu * vv - uv * uv);
    let t = fraction(uv * s + vr, vv);
    let s = fraction(uv * t - ur, uu);
    (p + u * s, q + v * t)
}

/// The foot of the perpendicular where it falls inside, otherwise the closest corner: what lies on the
/// edges between is found by the edges themselves.
fn closest_on_triangle(p: DVec3, t: &Triangle) -> DVec3 {
    let (u, v, w) = (t[1] - t[0], t[2] - t[0], p - t[0]);
    let (uu, uv, vv, uw, vw) = (u.dot(u), u.dot(v), v.dot(v), u.dot(w), v.dot(w));
    let area = uu * vv - uv * uv;
    let (x, y) = ((vv * uw - uv * vw) / area, (uu * vw - uv * uw) / area);
    if x >= 0.0 && y >= 0.0 && x + y <= 1.0 {
        return t[0] + u * x + v * y;
    }
    let nearer = |a: DVec3, b: DVec3| if p.distance_squared(b) < p.distance_squared(a) { b } else { a };
    nearer(nearer(t[0], t[1]), t[2])
}

/// Where on a triangle a closest point lies.
#[derive(Clone, Debug)]
enum Foot {
    Corner(usize),
    /// The fraction numerator / denominator of the way along an edge.
    Edge {
        edge: usize,
        numerator: BigInt,
        denominator: BigInt,
    },
    /// Below the other triangle's corner.
    Face,
}

struct Closest {
    squared: Quotient,
    /// log2 of the grid's spacing.
    exponent: i32,
    on_a: Foot,
    on_b: Foot,
}

struct Integers {
    grid: Grid,
    a: [Vector; 3],
    b: [Vector; 3],
}

impl Integers {
    fn of(a: &Triangle, b: &Triangle) -> Self {
        let grid = Grid::of(a.iter().chain(b));
        Self { grid, a: a.map(|p| grid.vector(p)), b: b.map(|p| grid.vector(p)) }
    }

    fn closest(&self, candidates: &[Feature]) -> Closest {
        let mut best: Option<(Quotient, Foot, Foot)> = None;
        for &feature in candidates {
            let found = match feature {
                Feature::Edges(i, j) => Some(self.edges(i, j)),
                Feature::CornerFace(i) => {
                    corner_face(&self.a[i], &self.b).map(|d| (d, Foot::Corner(i), Foot::Face))
                }
                Feature::FaceCorner(j) => {
                    corner_face(&self.b[j], &self.a).map(|d| (d, Foot::Face, Foot::Corner(j)))
                }
            };
            if let Some(found) = found
                && best.as_ref().is_none_or(|best| found.0.compare(&best.0).is_lt())
            {
                best = Some(found);
            }
        }
        // A corner/face candidate whose foot falls outside has its closest points on edges, and those are
        // candidates too, being no farther.
        let (squared, on_a, on_b) = best.expect("some edge/edge or interior corner/face pair is closest");
        Closest { squared, exponent: self.grid.exponent, on_a, on_b }
    }

    /// Closed edge `i` of a against closed edge `j` of b.
    fn edges(&self, i: usize, j: usize) -> (Quotient, Foot, Foot) {
        let ([p, p1], [q, q1]) = (EDGES[i].map(|k| &self.a[k]), EDGES[j].map(|k| &self.b[k]));
        let (u, v, r) = (sub(p1, p), sub(q1, q), sub(p, q));
        let (uu, vv, uv) = (dot(&u, &u), dot(&v, &v), dot(&u, &v));
        let (ur, vr) = (dot(&u, &r), dot(&v, &r));
        let area = &uu * &vv - &uv * &uv;
        if !area.is_zero() {
            let s = &uv * &vr - &ur * &vv;
            let t = &uu * &vr - &uv * &ur;
            let inside = |x: &BigInt| exact::sign(x).is_gt() && *x < area;
            if inside(&s) && inside(&t) {
                let volume = dot(&r, &cross(&u, &v));
                let squared = Quotient { numerator: &volume * &volume, denominator: area.clone() };
                let foot = |edge, numerator| Foot::Edge { edge, numerator, denominator: area.clone() };
                return (squared, foot(i, s), foot(j, t));
            }
        }
        let ends = |edge: usize| EDGES[edge];
        let mut best: Option<(Quotient, Foot, Foot)> = None;
        let mut offer = |squared: Quotient, on_a, on_b| {
            if best.as_ref().is_none_or(|b| squared.compare(&b.0).is_lt()) {
                best = Some((squared, on_a, on_b));
            }
        };
        for corner in ends(i) {
            let (squared, foot) = corner_edge(&self.a[corner], &self.b, j);
            offer(squared, Foot::Corner(corner), foot);
        }
        for corner in ends(j) {
            let (squared, foot) = corner_edge(&self.b[corner], &self.a, i);
            offer(squared, foot, Foot::Corner(corner));
        }
        best.expect("four ends were offered")
    }
}

/// A corner against a closed edge.
fn corner_edge(p: &Vector, t: &[Vector; 3], edge: usize) -> (Quotient, Foot) {
    let [i, j] = EDGES[edge];
    let (along, from) = (sub(&t[j], &t[i]), sub(p, &t[i]));
    let (length, reach) = (dot(&along, &along), dot(&along, &from));
    let to_corner = |k: usize| {
        let w = sub(p, &t[k]);
        (Quotient { numerator: dot(&w, &w), denominator: BigInt::one() }, Foot::Corner(k))
    };
    if exact::sign(&reach).is_le() {
        to_corner(i)
    } else if reach >= length {
        to_corner(j)
    } else {
        let numerator = dot(&from, &from) * &length - &reach * &reach;
        let squared = Quotient { numerator, denominator: length.clone() };
        (squared, Foot::Edge { edge, numerator: reach, denominator: length })
    }
}

/// A corner against a face; `None` unless its foot falls inside (on the boundary counts).
fn corner_face(p: &Vector, t: &[Vector; 3]) -> Option<Quotient> {
    let normal = cross(&sub(&t[1], &t[0]), &sub(&t[2], &t[0]));
    let squared = dot(&normal, &normal);
    if squared.is_zero() {
        return None;
    }
    let outside = EDGES.iter().any(|&[i, j]| {
        let turn = dot(&normal, &cross(&sub(&t[j], &t[i]), &sub(p, &t[i])));
        exact::sign(&turn) == Less
    });
    if outside {
        return None;
    }
    let height = dot(&normal, &sub(p, &t[0]));
    debug_assert_ne!(exact::sign(&squared), Less);
    Some(Quotient { numerator: &height * &height, denominator: squared })
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
