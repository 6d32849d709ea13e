//! Do two triangles share a point? Exact for every admissible input, degenerate ones included.
//!
//! Two convex sets of dimension two or less meet if and only if an edge of one meets the other (a single
//! point counts as an edge): where the planes differ, the common segment ends on an edge of one of them;
//! where they agree, the common polygon has a corner that lies on an edge of each or is a corner of one.

use std::cmp::Ordering::{Equal, Greater, Less};

use glam::DVec3;

use crate::math::Triangle;
use crate::math::predicates::{Projection, Sign, extremes, orient2d, orient3d, projection_of};

/// True when the closed convex hulls of the corners share a point.
pub fn triangles_meet(a: &Triangle, b: &Triangle) -> bool {
    let (flat_a, flat_b) = (Flat::of(a), Flat::of(b));
    match (flat_a, flat_b) {
        (Flat::Area(pa), Flat::Area(pb)) => areas_meet(a, pa, b, pb),
        (Flat::Area(pa), Flat::Segment(s)) => segment_meets_area(s, sides(&s, a), a, pa),
        (Flat::Segment(s), Flat::Area(pb)) => segment_meets_area(s, sides(&s, b), b, pb),
        (Flat::Segment(s), Flat::Segment(t)) => segments_meet(s, t),
    }
}

/// A triangle with an area, and a projection that keeps it; or the segment (perhaps a point) that it is.
enum Flat {
    Area(Projection),
    Segment([DVec3; 2]),
}

impl Flat {
    fn of(t: &Triangle) -> Self {
        match projection_of(t[0], t[1], t[2]) {
            Some(projection) => Self::Area(projection),
            None => Self::Segment(extremes(t)),
        }
    }
}

fn sides<const N: usize>(points: &[DVec3; N], plane: &Triangle) -> [Sign; N] {
    points.map(|p| orient3d(plane[0], plane[1], plane[2], p))
}

fn areas_meet(a: &Triangle, pa: Projection, b: &Triangle, pb: Projection) -> bool {
    let sides_a = sides(a, b);
    if sides_a == [Less; 3] || sides_a == [Greater; 3] {
        return false;
    }
    let sides_b = sides(b, a);
    if sides_b == [Less; 3] || sides_b == [Greater; 3] {
        return false;
    }
    let edges_meet = |t: &Triangle, s: [Sign; 3], other: &Triangle, projection| {
        [(0, 1), (1, 2), (2, 0)]
            .into_iter()
            .any(|(i, j)| segment_meets_area([t[i], t[j]], [s[i], s[j]], other, projection))
    };
    edges_meet(a, sides_a, b, pb) || edges_meet(b, sides_b, a, pa)
}

/// A closed segment against a triangle with an area, given the sides of its ends.
fn segment_meets_area(s: [DVec3; 2], side: [Sign; 2], t: &Triangle, projection: Projection) -> bool {
    match side {
        [Equal, Equal] => {
            let [p, q] = s.map(|p| projection.of(p));
            let t = t.map(|p| projection.of(p));
            point_in_area(p, &t)
                || [(0, 1), (1, 2), (2, 0)].into_iter().any(|(i, j)| segments_meet_2d([p, q], [t[i], t[j]]))
        }
        [Equal, _] => point_in_area(projection.of(s[0]), &t.map(|p| projection.of(p))),
        [_, Equal] => point_in_area(projection.of(s[1]), &t.map(|p| projection.of(p))),
        [x, y] if x == y => false,
        _ => {
            let turns = [(0, 1), (1, 2), (2, 0)].map(|(i, j)| orient3d(s[0], s[1], t[i], t[j]));
            !(turns.contains(&Less) && turns.contains(&Greater))
        }
    }
}

fn point_in_area(p: [f64; 2], t: &[[f64; 2]; 3]) -> bool {
    let turns = [(0, 1), (1, 2), (2, 0)].map(|(i, j)| orient2d(t[i], t[j], p));
    !(turns.contains(&Less) && turns.contains(&Greater))
}

/// Closed segments in space; either may be a point.
fn segments_meet(s: [DVec3; 2], t: [DVec3; 2]) -> bool {
    if orient3d(s[0], s[1], t[0], t[1]).is_ne() {
        return false;
    }
    let triples = [[s[0], s[1], t[0]], [s[0], s[1], t[1]], [t[0], t[1], s[0]], [t[0], t[1], s[1]]];
    match triples.into_iter().find_map(|[a, b, c]| projection_of(a, b, c)) {
        Some(projection) => segments_meet_2d(s.map(|p| projection.of(p)), t.map(|p| projection.of(p))),
        // All on one line: their intervals overlap.
        None => {
            let ([s0, s1], [t0, t1]) = (extremes(&s), extremes(&t));
            t0.to_array() <= s1.to_array() && s0.to_array() <= t1.to_array()
        }
    }
}

fn segments_meet_2d([p, q]: [[f64; 2]; 2], [r, s]: [[f64; 2]; 2]) -> bool {
    let (turn_r, turn_s) = (orient2d(p, q, r), orient2d(p, q, s));
    let (turn_p, turn_q) = (orient2d(r, s, p), orient2d(r, s, q));
    let crosses = |x: Sign, y: Sign| x.is_ne() && x == y.reverse();
    (crosses(turn_r, turn_s) && crosses(turn_p, turn_q))
        || (turn_r.is_eq() && in_box(r, p, q))
        || (turn_s.is_eq() && in_box(s, p, q))
        || (turn_p.is_eq() && in_box(p, r, s))
        || (turn_q.is_eq() && in_box(q, r, s))
}

fn in_box(p: [f64; 2], a: [f64; 2], b: [f64; 2]) -> bool {
    (0..2).all(|i| a[i].min(b[i]) <= p[i] && p[i] <= a[i].max(b[i]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn t(points: [[f64; 3]; 3]) -> Triangle {
        points.map(DVec3::from_array)
    }

    #[test]
    fn touching_in_every_way() {
        let a = t([[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 2.0, 0.0]]);
        let meets = [
            t([[0.0, 0.0, 0.0], [-1.0, 0.0, 1.0], [-1.0, 0.0, 2.0]]), // vertex on vertex
            t([[1.0, 0.0, 0.0], [1.0, -1.0, 1.0], [1.0, -1.0, 2.0]]), // vertex on edge
            t([[0.5, 0.5, 0.0], [0.5, 0.5, 1.0], [0.7, 0.5, 1.0]]),   // vertex in face
            t([[0.5, 0.5, -1.0], [0.5, 0.5, 1.0], [0.7, 0.5, 1.0]]),  // edge through face
            t([[1.0, -1.0, 0.0], [1.0, 3.0, 0.0], [5.0, 3.0, 0.0]]),  // coplanar crossing
            t([[0.2, 0.2, 0.0], [0.4, 0.2, 0.0], [0.2, 0.4, 0.0]]),   // coplanar inside
            t([[0.2, 0.2, 0.0], [0.2, 0.2, 0.0], [0.2, 0.2, 0.0]]),   // a point
            t([[0.2, 0.2, -1.0], [0.2, 0.2, 0.0], [0.2, 0.2, 1.0]]),  // a segment
        ];
        for b in meets {
            assert!(triangles_meet(&a, &b) && triangles_meet(&b, &a), "{b:?}");
        }
        let apart = [
            t([[0.0, 0.0, 1e-300], [1.0, 0.0, 1.0], [0.0, 1.0, 1.0]]),
            t([[3.0, 3.0, 0.0], [4.0, 3.0, 0.0], [3.0, 4.0, 0.0]]),
            t([[1.5, 1.5, -1.0], [1.5, 1.5, 0.0], [1.5, 1.5, 1.0]]),
            t([[1.1, 1.1, 0.0], [1.1, 1.1, 0.0], [1.1, 1.1, 0.0]]),
        ];
        for b in apart {
            assert!(!triangles_meet(&a, &b) && !triangles_meet(&b, &a), "{b:?}");
        }
    }

    #[test]
    fn segments_and_points() {
        let s = t([[0.0, 0.0, 0.0], [2.0, 2.0, 2.0], [1.0, 1.0, 1.0]]);
        assert!(triangles_meet(&s, &t([[0.0, 2.0, 1.0], [2.0, 0.0, 1.0], [0.0, 2.0, 1.0]])));
        assert!(triangles_meet(&s, &t([[2.0, 2.0, 2.0], [3.0, 3.0, 3.0], [3.0, 3.0, 3.0]])));
        assert!(!triangles_meet(&s, &t([[2.5, 2.5, 2.5], [3.0, 3.0, 3.0], [3.0, 3.0, 3.0]])));
        assert!(triangles_meet(&s, &t([[1.5; 3], [1.5; 3], [1.5; 3]])));
        assert!(!triangles_meet(&s, &t([[1.5, 1.5, 1.25], [1.5, 1.5, 1.25], [1.5, 1.5, 1.25]])));
    }
}
