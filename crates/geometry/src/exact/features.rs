//! Finds the closest features of two triangles, as far as f64 can tell.
//!
//! The distance of disjoint triangles is attained by two edges, or by a corner and a face.

use glam::DVec3;

use crate::math::Triangle;
use crate::math::error_bounds::{SHORTEST, UNIT};

/// Edges of a triangle as corner indices; edge `i` goes from corner `i` to the next.
pub const EDGES: [[usize; 2]; 3] = [[0, 1], [1, 2], [2, 0]];

/// Two features that may contain a pair of closest points.
#[derive(Clone, Copy, Debug)]
pub enum Feature {
    /// One edge of each triangle.
    Edges(usize, usize),
    /// A corner of the first triangle and the face of the second.
    CornerFace(usize),
    /// The face of the first triangle and a corner of the second.
    FaceCorner(usize),
}

fn features() -> impl Iterator<Item = Feature> {
    let edges = (0..9).map(|k| Feature::Edges(k / 3, k % 3));
    edges.chain((0..3).map(Feature::CornerFace)).chain((0..3).map(Feature::FaceCorner))
}

/// Both triangles relative to a corner of the first, with the error bound of every length computed below.
pub struct Floats {
    /// The first triangle.
    pub a: Triangle,
    /// The second triangle.
    pub b: Triangle,
    /// Error bound of a length. Let R be the largest coordinate and u = EPSILON / 2. Recentering moves a
    /// corner by u R per coordinate, a convex combination of corners costs 6 u R more, and a scalar product
    /// with a unit vector 4 u sqrt(3) R. With 5 u for the norm and the quotient, the total for two points
    /// stays below 64 u R.
    pub error: f64,
}

impl Floats {
    /// Recenters two triangles on the first corner of `a`.
    pub fn of(a: &Triangle, b: &Triangle) -> Self {
        let origin = a[0];
        let from_origin = |t: &Triangle| [t[0] - origin, t[1] - origin, t[2] - origin];
        let (a, b) = (from_origin(a), from_origin(b));
        let most = |t: &Triangle| t[0].abs().max(t[1].abs()).max(t[2].abs());
        let reach = most(&a).max(most(&b)).max_element();
        Self { a, b, error: 64.0 * UNIT * reach }
    }

    /// Returns the closest points of both features, up to rounding. Any two points bound the distance from
    /// above, and the direction between them bounds it from below, so correctness does not require that they
    /// are the closest.
    pub fn closest(&self, feature: Feature) -> (DVec3, DVec3) {
        match feature {
            Feature::Edges(i, j) => {
                let (e, f) = (Edge::of(&self.a, i), Edge::of(&self.b, j));
                let [s, t] = self.places(i, j);
                (e.start + e.along * s, f.start + f.along * t)
            }
            Feature::CornerFace(i) => (self.a[i], closest_on_triangle(self.a[i], &self.b)),
            Feature::FaceCorner(j) => (closest_on_triangle(self.b[j], &self.a), self.b[j]),
        }
    }

    /// Returns where the closest points of two edges lie, as shares of their lengths, up to rounding; 0
    /// or 1 for their ends.
    pub fn places(&self, i: usize, j: usize) -> [f64; 2] {
        closest_of_edges(&Edge::of(&self.a, i), &Edge::of(&self.b, j))
    }

    /// Returns a lower bound of the distance between the hulls of `a` and `b`. It takes the better of two
    /// directions: the one between the closest points and, because rounding tilts that one when the points
    /// are near each other, the perpendicular to the features.
    pub fn at_least(&self, feature: Feature, a: &[DVec3], b: &[DVec3], direction: DVec3) -> f64 {
        let perpendicular = match feature {
            Feature::Edges(i, j) => {
                let ([p, p1], [q, q1]) = (ends(&self.a, i), ends(&self.b, j));
                (p1 - p).cross(q1 - q)
            }
            Feature::CornerFace(_) => normal(&self.b),
            Feature::FaceCorner(_) => normal(&self.a),
        };
        let towards = if perpendicular.dot(direction) < 0.0 { -perpendicular } else { perpendicular };
        self.extent(a, b, direction).max(self.extent(a, b, towards))
    }

    /// Returns the gap between `a` and `b` along a direction.
    fn extent(&self, a: &[DVec3], b: &[DVec3], direction: DVec3) -> f64 {
        let squared = direction.length_squared();
        // Below this, squares may have lost digits to underflow. A NaN proves nothing either.
        if squared.is_nan() || squared < SHORTEST {
            return -f64::INFINITY;
        }
        let length = squared.sqrt();
        let highest = a.iter().fold(f64::NEG_INFINITY, |m, p| m.max(direction.dot(*p)));
        let lowest = b.iter().fold(f64::INFINITY, |m, p| m.min(direction.dot(*p)));
        (lowest - highest) / length - self.error
    }

    /// Returns the feature with the closest points found, and the vector from the first point to the second.
    pub fn nearest(&self) -> (Feature, DVec3) {
        let mut best = (Feature::Edges(0, 0), DVec3::INFINITY, f64::INFINITY);
        let mut offer = |feature, offset: DVec3| {
            let squared = offset.length_squared();
            if squared < best.2 {
                best = (feature, offset, squared);
            }
        };
        let edges = |t: &Triangle| [Edge::of(t, 0), Edge::of(t, 1), Edge::of(t, 2)];
        let (edges_a, edges_b) = (edges(&self.a), edges(&self.b));
        for (i, e) in edges_a.iter().enumerate() {
            for (j, f) in edges_b.iter().enumerate() {
                let [s, t] = closest_of_edges(e, f);
                offer(Feature::Edges(i, j), (f.start - e.start) + (f.along * t - e.along * s));
            }
        }
        // A corner that does not project into the face has an edge that is as close.
        let (a, b) = (Face::of(&self.a), Face::of(&self.b));
        for k in 0..3 {
            if let Some(foot) = b.foot(self.a[k]) {
                offer(Feature::CornerFace(k), foot - self.a[k]);
            }
            if let Some(foot) = a.foot(self.b[k]) {
                offer(Feature::FaceCorner(k), self.b[k] - foot);
            }
        }
        (best.0, best.1)
    }

    /// Returns all features that may be closest.
    pub fn candidates(&self) -> Vec<Feature> {
        let at_most = self.nearest().1.length() + self.error;
        let may_be_closest = |feature: &Feature| {
            let (p, q) = self.closest(*feature);
            let bound = |a: &[DVec3], b: &[DVec3]| self.at_least(*feature, a, b, q - p);
            let at_least = match *feature {
                Feature::Edges(i, j) => bound(&ends(&self.a, i), &ends(&self.b, j)),
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

/// Returns the end points of edge number `edge`.
pub fn ends(t: &Triangle, edge: usize) -> [DVec3; 2] {
    let [i, j] = EDGES[edge];
    [t[i], t[j]]
}

/// An edge as a start, a direction and its squared length.
struct Edge {
    start: DVec3,
    along: DVec3,
    squared: f64,
}

impl Edge {
    fn of(t: &Triangle, edge: usize) -> Self {
        let [start, end] = ends(t, edge);
        let along = end - start;
        Self { start, along, squared: along.length_squared() }
    }
}

/// Returns a quotient clamped to 0..1; 0 if it is NaN.
fn fraction(numerator: f64, denominator: f64) -> f64 {
    let x = numerator / denominator;
    // A NaN fails the comparison.
    let x = if x > 0.0 { x } else { 0.0 };
    if x < 1.0 { x } else { 1.0 }
}

/// Returns the positions of the closest points of two edges, as fractions of their lengths.
fn closest_of_edges(e: &Edge, f: &Edge) -> [f64; 2] {
    let (u, v, r) = (e.along, f.along, e.start - f.start);
    let (uu, vv, uv, ur, vr) = (e.squared, f.squared, u.dot(v), u.dot(r), v.dot(r));
    let s = fraction(uv * vr - ur * vv, uu * vv - uv * uv);
    let t = fraction(uv * s + vr, vv);
    [fraction(uv * t - ur, uu), t]
}

/// A triangle prepared for dropping perpendiculars onto it.
struct Face {
    start: DVec3,
    u: DVec3,
    v: DVec3,
    uu: f64,
    uv: f64,
    vv: f64,
    area_squared: f64,
}

impl Face {
    fn of(t: &Triangle) -> Self {
        let (u, v) = (t[1] - t[0], t[2] - t[0]);
        let (uu, uv, vv) = (u.dot(u), u.dot(v), v.dot(v));
        Self { start: t[0], u, v, uu, uv, vv, area_squared: uu * vv - uv * uv }
    }

    /// Returns the foot of the perpendicular from `p`, if it lies inside the triangle.
    fn foot(&self, p: DVec3) -> Option<DVec3> {
        let w = p - self.start;
        let (uw, vw) = (self.u.dot(w), self.v.dot(w));
        let (x, y) = (self.vv * uw - self.uv * vw, self.uu * vw - self.uv * uw);
        let inside = x >= 0.0 && y >= 0.0 && x + y <= self.area_squared && self.area_squared > 0.0;
        inside.then(|| self.start + self.u * (x / self.area_squared) + self.v * (y / self.area_squared))
    }
}

/// Returns the foot of the perpendicular if it lies inside, otherwise the closest corner. Closest points on
/// edges are found by the edge features.
fn closest_on_triangle(p: DVec3, t: &Triangle) -> DVec3 {
    let nearer = |a: DVec3, b: DVec3| if p.distance_squared(b) < p.distance_squared(a) { b } else { a };
    Face::of(t).foot(p).unwrap_or_else(|| nearer(nearer(t[0], t[1]), t[2]))
}
