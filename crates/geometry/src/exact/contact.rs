//! Decides whether two triangles share a point. Exact for every admissible input, degenerate ones included.
//!
//! When both triangles have an area and their planes differ, each cuts an interval out of the planes' common
//! line, and two determinants order the intervals (Guigue and Devillers, "Fast and robust triangle-triangle
//! overlap test using orientation predicates", 2003). Disjoint triangles in one plane have an edge that
//! separates them. A triangle without an area is a segment, which may be a single point.

use std::cmp::Ordering::{Equal, Greater, Less};

use glam::DVec3;

use super::sides::{side, sides};
use crate::math::Triangle;
use crate::math::predicates::{Projection, Sign, extremes, orient2d, projection_of};

/// True when the closed convex hulls of the corners share a point.
pub fn triangles_meet(a: &Triangle, b: &Triangle) -> bool {
    let sides_a = sides(a, b);
    if is_one_side(sides_a) {
        return false;
    }
    if sides_a != IN_PLANE {
        let sides_b = sides(b, a);
        if is_one_side(sides_b) {
            return false;
        }
        // Each triangle has a corner off the other's plane, so both have an area.
        if sides_b != IN_PLANE {
            return crossing_areas_meet(a, sides_a, b, sides_b);
        }
    }
    match (Flat::of(a), Flat::of(b)) {
        (Flat::Area(projection), Flat::Area(_)) => coplanar_areas_meet(a, b, projection),
        (Flat::Area(pa), Flat::Segment(s)) => segment_meets_area(s, a, pa),
        (Flat::Segment(s), Flat::Area(pb)) => segment_meets_area(s, b, pb),
        (Flat::Segment(s), Flat::Segment(t)) => segments_meet(s, t),
    }
}

/// True when a closed segment and the closed convex hull of a triangle's corners share a point.
pub fn segment_meets(segment: [DVec3; 2], t: &Triangle) -> bool {
    let sides = segment.map(|p| side(t[0], t[1], t[2], p));
    if sides == [Less; 2] || sides == [Greater; 2] {
        return false;
    }
    match Flat::of(t) {
        Flat::Area(projection) => segment_meets_area(segment, t, projection),
        Flat::Segment(other) => segments_meet(segment, other),
    }
}

const IN_PLANE: [Sign; 3] = [Equal; 3];

fn is_one_side(sides: [Sign; 3]) -> bool {
    sides == [Less; 3] || sides == [Greater; 3]
}

/// Intersects triangles in different planes, neither of which lies on one side of the other's plane.
fn crossing_areas_meet(a: &Triangle, sides_a: [Sign; 3], b: &Triangle, sides_b: [Sign; 3]) -> bool {
    let ([mut a, mut b], [apex_a, apex_b]) = ([*a, *b], [apex(sides_a), apex(sides_b)]);
    a.rotate_left(apex_a.0);
    b.rotate_left(apex_b.0);
    // Orient both so that each apex is above the other's plane; reversing a triangle swaps the sides of its
    // plane.
    if apex_a.1 == Less {
        b.swap(1, 2);
    }
    if apex_b.1 == Less {
        a.swap(1, 2);
    }
    side(a[0], a[1], b[0], b[1]).is_le() && side(a[0], a[2], b[0], b[2]).is_ge()
}

/// Returns the corner that the plane separates from the other two, or that alone touches it, and its side
/// relative to the others.
fn apex(sides: [Sign; 3]) -> (usize, Sign) {
    let only = |x: Sign| {
        let mut at = (0..3).filter(|&i| sides[i] == x);
        at.next().filter(|_| at.next().is_none())
    };
    let parted = only(Greater).map(|i| (i, Greater)).or_else(|| only(Less).map(|i| (i, Less)));
    parted.unwrap_or_else(|| {
        let touching =
            sides.iter().position(|x| x.is_eq()).expect("two corners on one side, one on the plane");
        (touching, sides[(touching + 1) % 3].reverse())
    })
}

/// Intersects triangles in one plane, in a projection that preserves their areas.
fn coplanar_areas_meet(a: &Triangle, b: &Triangle, projection: Projection) -> bool {
    let seen = |t: &Triangle| [projection.of(t[0]), projection.of(t[1]), projection.of(t[2])];
    let (a, b) = (seen(a), seen(b));
    let overlap = |k: usize| {
        let [low, high]: [fn(f64, f64) -> f64; 2] = [f64::min, f64::max];
        let extreme = |t: &[[f64; 2]; 3], of: fn(f64, f64) -> f64| of(of(t[0][k], t[1][k]), t[2][k]);
        extreme(&a, low) <= extreme(&b, high) && extreme(&b, low) <= extreme(&a, high)
    };
    overlap(0) && overlap(1) && !has_separating_edge(&a, &b) && !has_separating_edge(&b, &a)
}

/// True when an edge of `t` has all of the other triangle strictly beyond it.
fn has_separating_edge(t: &[[f64; 2]; 3], other: &[[f64; 2]; 3]) -> bool {
    let beyond = orient2d(t[0], t[1], t[2]).reverse();
    let beyond_edge = |(i, j): (usize, usize)| other.iter().all(|&p| orient2d(t[i], t[j], p) == beyond);
    [(0, 1), (1, 2), (2, 0)].into_iter().any(beyond_edge)
}

/// A triangle with an area and a projection that preserves it, or the segment (possibly a point) that a
/// degenerate triangle is.
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

/// Intersects a closed segment with a triangle that has an area.
fn segment_meets_area(s: [DVec3; 2], t: &Triangle, projection: Projection) -> bool {
    match s.map(|p| side(t[0], t[1], t[2], p)) {
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
            let turns = [(0, 1), (1, 2), (2, 0)].map(|(i, j)| side(s[0], s[1], t[i], t[j]));
            !(turns.contains(&Less) && turns.contains(&Greater))
        }
    }
}

/// True when a point lies in a triangle with an area or on its border.
pub(super) fn point_in_area(p: [f64; 2], t: &[[f64; 2]; 3]) -> bool {
    let turns = [(0, 1), (1, 2), (2, 0)].map(|(i, j)| orient2d(t[i], t[j], p));
    !(turns.contains(&Less) && turns.contains(&Greater))
}

/// Intersects closed segments in space; either may be a point.
fn segments_meet(s: [DVec3; 2], t: [DVec3; 2]) -> bool {
    if side(s[0], s[1], t[0], t[1]).is_ne() {
        return false;
    }
    let triples = [[s[0], s[1], t[0]], [s[0], s[1], t[1]], [t[0], t[1], s[0]], [t[0], t[1], s[1]]];
    match triples.into_iter().find_map(|[a, b, c]| projection_of(a, b, c)) {
        Some(projection) => segments_meet_2d(s.map(|p| projection.of(p)), t.map(|p| projection.of(p))),
        // All on one line: the segments meet if their intervals overlap.
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

/// True when a point lies in the box of two others.
pub(super) fn in_box(p: [f64; 2], a: [f64; 2], b: [f64; 2]) -> bool {
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
