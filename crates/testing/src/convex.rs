//! Convex polytopes for tests, and their distance by all pairs of features.

use closefit_geometry::exact::contact::triangles_meet;
use closefit_geometry::hull::polytope::{Feature, Polytope};
use closefit_geometry::math::Triangle;
use closefit_geometry::math::double_double::{DoubleDouble, Vector, cross, difference, dot, minus_scaled};
use closefit_geometry::math::predicates::{Sign, orient3d};
use glam::DVec3;

/// Returns a sphere of `8 * 4^levels` faces of about equal size.
pub fn sphere(levels: u32) -> Vec<DVec3> {
    let n = 1i32 << levels;
    let mut points = Vec::new();
    for x in -n..=n {
        for y in -(n - x.abs())..=(n - x.abs()) {
            let z = n - x.abs() - y.abs();
            let p = |z: i32| DVec3::new(f64::from(x), f64::from(y), f64::from(z)).normalize();
            points.push(p(z));
            if z > 0 {
                points.push(p(-z));
            }
        }
    }
    points
}

/// Returns the triangles of the faces: one or two degenerate ones for a point or a segment.
pub fn triangles(polytope: &Polytope) -> Vec<Triangle> {
    let corner = |v: u32| polytope.corners.get(v);
    let faces: Vec<Vec<DVec3>> = faces(polytope);
    if faces.is_empty() {
        let last = polytope.corners.len() - 1;
        return vec![[corner(0), corner(u32::try_from(last).expect("small")), corner(0)]];
    }
    faces.iter().flat_map(|face| (1..face.len() - 1).map(|i| [face[0], face[i], face[i + 1]])).collect()
}

fn faces(polytope: &Polytope) -> Vec<Vec<DVec3>> {
    let of = |feature| match feature {
        Feature::Face(face) => {
            Some(polytope.around(face).map(|h| polytope.corners.get(polytope.ends_of(h)[0])).collect())
        }
        _ => None,
    };
    polytope.features().filter_map(of).collect()
}

fn edges(polytope: &Polytope) -> Vec<[DVec3; 2]> {
    let of = |feature| match feature {
        Feature::Edge(edge) => Some(polytope.ends_of(edge).map(|v| polytope.corners.get(v))),
        _ => None,
    };
    polytope.features().filter_map(of).collect()
}

/// True when the polytopes share a point. Exact: some triangles of their faces do, or a corner of one is in
/// the other.
pub fn meet(a: &Polytope, b: &Polytope) -> bool {
    let (of_a, of_b) = (triangles(a), triangles(b));
    let holds = |outer: &Polytope, p: DVec3| {
        let faces = faces(outer);
        let below = |face: &Vec<DVec3>| orient3d(face[0], face[1], face[2], p) != Sign::Greater;
        faces.len() > 2 && faces.iter().all(below)
    };
    of_a.iter().any(|s| of_b.iter().any(|t| triangles_meet(s, t)))
        || holds(a, b.corners.get(0))
        || holds(b, a.corners.get(0))
}

/// Returns the distance of polytopes that do not meet: the least of all pairs of features, in double-double
/// arithmetic.
pub fn distance(a: &Polytope, b: &Polytope) -> f64 {
    let (edges_a, edges_b) = (edges(a), edges(b));
    let mut least = f64::INFINITY;
    for p in a.corners.iter() {
        for q in b.corners.iter() {
            least = least.min(square(&difference(p, q)));
        }
    }
    for (one, other, edges) in [(a, b, &edges_b), (b, a, &edges_a)] {
        for p in one.corners.iter() {
            let by_edges = edges.iter().filter_map(|edge| point_edge(p, edge));
            let by_faces = faces(other).into_iter().filter_map(|face| point_face(p, &face));
            least = by_edges.chain(by_faces).fold(least, f64::min);
        }
    }
    for s in &edges_a {
        least = edges_b.iter().filter_map(|t| edge_edge(s, t)).fold(least, f64::min);
    }
    least.sqrt()
}

fn square(v: &Vector) -> f64 {
    dot(v, v).high
}

/// Returns the squared distance of a point from its foot on an edge, if that lies within.
fn point_edge(p: DVec3, [q, end]: &[DVec3; 2]) -> Option<f64> {
    let (along, from) = (difference(*end, *q), difference(p, *q));
    let t = dot(&from, &along).quotient(dot(&along, &along));
    within(t).then(|| square(&minus_scaled(&from, &along, t)))
}

/// Returns the squared distance of a point from its foot on a face, if that lies within.
fn point_face(p: DVec3, face: &[DVec3]) -> Option<f64> {
    let normal = cross(&difference(face[1], face[0]), &difference(face[2], face[0]));
    let next = face.iter().skip(1).chain([&face[0]]);
    let inside = face.iter().zip(next).all(|(&q, &end)| {
        let inward = cross(&normal, &difference(end, q));
        dot(&inward, &difference(p, q)) >= DoubleDouble::ZERO
    });
    let height = dot(&normal, &difference(p, face[0]));
    inside.then(|| (height * height).quotient(dot(&normal, &normal)).high)
}

/// Returns the squared distance of the feet of the common normal of two edges, if both lie within.
fn edge_edge([p, p_end]: &[DVec3; 2], [q, q_end]: &[DVec3; 2]) -> Option<f64> {
    let (u, v, between) = (difference(*p_end, *p), difference(*q_end, *q), difference(*q, *p));
    let normal = cross(&u, &v);
    let squared = dot(&normal, &normal);
    if squared == DoubleDouble::ZERO {
        return None;
    }
    let s = dot(&cross(&between, &v), &normal).quotient(squared);
    let t = dot(&cross(&between, &u), &normal).quotient(squared);
    let height = dot(&normal, &between);
    (within(s) && within(t)).then(|| (height * height).quotient(squared).high)
}

fn within(t: DoubleDouble) -> bool {
    t >= DoubleDouble::ZERO && t <= DoubleDouble::ONE
}
