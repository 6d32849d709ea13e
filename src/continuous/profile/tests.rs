use glam::{DVec2, DVec3};

use super::*;
use closefit_geometry::math::testing::Stream;

/// Returns how far a point is outside a convex polygon, counterclockwise, or outside the line through its two
/// points.
fn outside(polygon: &[DVec2], p: DVec2) -> f64 {
    let beyond = |i: usize| {
        let (a, b) = (polygon[i], polygon[(i + 1) % polygon.len()]);
        (p - a).perp_dot(b - a) / (b - a).length()
    };
    match polygon {
        [only] => only.distance(p),
        [a, b] => {
            let share = ((p - *a).dot(*b - *a) / (*b - *a).length_squared()).clamp(0.0, 1.0);
            a.lerp(*b, share).distance(p)
        }
        _ => (0..polygon.len()).map(beyond).fold(0.0, f64::max),
    }
}

#[test]
fn a_hull_contains_all_points() {
    let mut stream = Stream(31);
    for _ in 0..5_000 {
        let count = 1 + stream.below(12);
        let on_grid = stream.below(2) == 0;
        let mut point = || {
            let p = stream.point() * if on_grid { 2.0 } else { 1.0 };
            if on_grid { DVec2::new(p.x.round(), p.y.round()) } else { DVec2::new(p.x, p.y) }
        };
        let points: Vec<DVec2> = (0..count).map(|_| point()).collect();
        let mut hull = points.clone();
        polygon::hull(&mut hull);
        assert!(hull.iter().all(|p| points.contains(p)));
        assert!(points.iter().all(|p| outside(&hull, *p) < 1e-15), "{points:?} {hull:?}");
        for i in 0..hull.len() {
            // No corner lies between the others.
            let others: Vec<DVec2> = (0..hull.len()).filter(|j| *j != i).map(|j| hull[j]).collect();
            assert!(others.is_empty() || !others.contains(&hull[i]));
        }
    }
}

#[test]
fn a_triangle_stays_in_its_profile() {
    let mut stream = Stream(32);
    for _ in 0..20_000 {
        let any = (stream.point() + 1e-3).normalize();
        let direction = stream.pick(&[DVec3::Z, any]);
        let axis = Axis { point: stream.point() * stream.pick(&[0.0, 1.0, 1e4]), direction };
        let size = stream.pick(&[1.0, 1e-3, 1e3]);
        let near = stream.below(2) == 0;
        let mut point = || {
            let p = stream.point() * size;
            if near { axis.point + p } else { p }
        };
        let (p, q, r) = (point(), point(), point());
        let on_axis = axis.point + direction * stream.signed();
        let triangle = match stream.below(6) {
            0 => [p, p, p],
            1 => [p, p, q],
            2 => [on_axis, p, q],
            3 => [on_axis, axis.point, p],
            4 => [p, q, axis.point * 2.0 - p],
            _ => [p, q, r],
        };
        let polygon = axis.profile(&triangle);
        let reach = triangle.iter().map(|p| (*p - axis.point).length()).fold(0.0, f64::max);
        let mut least = f64::INFINITY;
        for i in 0..=8 {
            for j in 0..=8 - i {
                let [u, v] = [i, j].map(|k| f64::from(k) / 8.0);
                let from = triangle[0] * u + triangle[1] * v + triangle[2] * (1.0 - u - v) - axis.point;
                let place = DVec2::new(from.cross(direction).length(), from.dot(direction));
                assert!(
                    outside(&polygon, place) <= 1e-14 * (reach + axis.point.length()),
                    "{triangle:?} {axis:?}"
                );
                least = least.min(place.x);
            }
        }
        assert!(polygon.iter().all(|p| p.x <= reach * (1.0 + 1e-14)));
    }
}

/// The profile of a facet of a ring reaches from its middle to its corners, and the profile of a face
/// perpendicular to the axis is flat and reaches from its nearest point to its farthest.
#[test]
fn profiles_of_facets_and_flanges_are_tight() {
    let axis = Axis { point: DVec3::ZERO, direction: DVec3::Z };
    let at = |radius: f64, angle: f64, z: f64| DVec3::new(radius * angle.cos(), radius * angle.sin(), z);
    let least = |t: Triangle| axis.profile(&t).iter().map(|p| p.x).fold(f64::INFINITY, f64::min);
    let apothem = 0.2f64.cos();
    for triangle in [
        [at(1.0, 0.3, 0.0), at(1.0, 0.7, 0.0), at(1.0, 0.7, 0.5)],
        [at(1.0, 0.3, 0.0), at(1.0, 0.7, 0.5), at(1.0, 0.3, 0.5)],
        [at(1.0, 0.3, 0.0), at(1.0, 0.7, 0.0), at(2.0, 0.7, 0.5)],
        // A flange with few triangles.
        [at(1.0, 0.3, 0.0), at(1.0, 0.7, 0.0), at(9.0, 1.2, 0.0)],
    ] {
        assert!((least(triangle) - apothem).abs() < 1e-14, "{} {apothem} {triangle:?}", least(triangle));
    }
    assert!((least([at(1.0, 0.3, 0.0), at(2.0, 0.7, 0.0), at(9.0, -0.4, 0.0)]) - 1.0).abs() < 1e-14);
}

#[test]
fn polygons_are_farther_only_if_they_are() {
    let mut stream = Stream(33);
    let mut found = 0;
    for _ in 0..5_000 {
        let shift = DVec2::new(stream.signed(), stream.signed()) * 3.0;
        let mut polygon = |shift: DVec2| {
            let mut points: Vec<DVec2> = (0..1 + stream.below(5))
                .map(|_| stream.point())
                .map(|p| DVec2::new(p.x, p.y) + shift)
                .collect();
            polygon::hull(&mut points);
            points
        };
        let (a, b) = (polygon(DVec2::ZERO), polygon(shift));
        // Points along all edges, and inside.
        let samples = |of: &[DVec2]| {
            let mut points = Vec::new();
            for p in of {
                for q in of {
                    for r in of {
                        points.extend([*p, p.lerp(*q, 0.5), (*p + *q + *r) / 3.0, p.lerp(*q, 0.1)]);
                    }
                }
            }
            points
        };
        let (of_a, of_b) = (samples(&a), samples(&b));
        let least =
            of_a.iter().flat_map(|p| of_b.iter().map(|q| p.distance(*q))).fold(f64::INFINITY, f64::min);
        for limit in [0.0, 0.3 * least, 0.9 * least, least, 1.1 * least] {
            let farther = polygon::farther(&a, &b, limit);
            assert!(!farther || least > limit * (1.0 - 1e-14), "{a:?} {b:?}");
            assert_eq!(farther, polygon::farther(&b, &a, limit));
            found += u32::from(farther);
        }
    }
    assert!(found > 5_000, "{found}");
}
