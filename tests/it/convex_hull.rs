//! Convex hulls against their definition: nothing outside any face, every vertex a corner, the surface
//! closed. The checks are exact and share nothing with the construction but the predicates.

use std::collections::{BTreeMap, BTreeSet};

use closefit_geometry::hull::convex_hull::Hull;
use closefit_geometry::math::predicates::{Sign, collinear, orient3d};
use glam::DVec3;
use proptest::prelude::*;

/// Checks a solid hull and returns its volume.
fn check_solid(points: &[DVec3], vertices: &[u32], faces: &[[u32; 3]]) -> f64 {
    let at = |v: u32| points[v as usize];
    let mut edges = BTreeSet::new();
    for &[a, b, c] in faces {
        for edge in [(a, b), (b, c), (c, a)] {
            assert!(edges.insert(edge), "edge {edge:?} occurs twice");
        }
        let outside = points.iter().find(|&&p| orient3d(at(a), at(b), at(c), p) == Sign::Greater);
        assert_eq!(outside, None, "outside of face {:?}", [a, b, c]);
    }
    assert!(edges.iter().all(|&(u, v)| edges.contains(&(v, u))), "an edge has no reverse");
    let corners: Vec<u32> = edges.iter().map(|e| e.0).collect::<BTreeSet<_>>().into_iter().collect();
    assert_eq!(corners, vertices);
    assert_eq!(vertices.len() + faces.len(), edges.len() / 2 + 2, "Euler");
    // Strict: the planes through a vertex have at least three different directions.
    let mut planes_at: BTreeMap<u32, Vec<[u32; 3]>> = BTreeMap::new();
    for &face in faces {
        for v in face {
            planes_at.entry(v).or_default().push(face);
        }
    }
    for (v, planes) in planes_at {
        let mut distinct: Vec<[u32; 3]> = Vec::new();
        for face in planes {
            let coplanar =
                |[a, b, c]: [u32; 3]| face.iter().all(|&w| orient3d(at(a), at(b), at(c), at(w)).is_eq());
            if !distinct.iter().any(|&known| coplanar(known)) {
                distinct.push(face);
            }
        }
        assert!(distinct.len() >= 3, "vertex {v} is no corner");
    }
    let origin = at(vertices[0]);
    faces.iter().map(|f| f.map(|v| at(v) - origin)).map(|[a, b, c]| a.dot(b.cross(c)) / 6.0).sum()
}

fn check_flat(points: &[DVec3], polygon: &[u32]) {
    let at = |i: usize| points[polygon[i % polygon.len()] as usize];
    assert!(polygon.len() >= 3);
    // Take some point off the plane, so that the polygon's sides become sides of planes. The point must be
    // chosen exactly, because rounding could reverse the normal of a sliver.
    let size = at(0).distance(at(1)).max(at(0).abs().max_element() * 1e-3);
    let above = [DVec3::X, DVec3::Y, DVec3::Z, DVec3::NEG_X, DVec3::NEG_Y, DVec3::NEG_Z]
        .map(|axis| at(0) + axis * size)
        .into_iter()
        .find(|&p| orient3d(at(0), at(1), at(2), p) == Sign::Greater)
        .expect("three points of a polygon are on no line");
    for i in 0..polygon.len() {
        assert!(!collinear(at(i), at(i + 1), at(i + 2)), "{i} is no corner");
        for &p in points {
            assert_eq!(orient3d(at(0), at(1), at(2), p), Sign::Equal);
            assert_ne!(orient3d(at(i), at(i + 1), above, p), Sign::Greater, "{p} outside edge {i}");
        }
    }
}

fn check_segment(points: &[DVec3], [a, b]: [u32; 2]) {
    let (a, b) = (points[a as usize], points[b as usize]);
    assert_ne!(a, b);
    let (lo, hi) = (a.min(b), a.max(b));
    for &p in points {
        assert!(collinear(a, b, p) && p.cmpge(lo).all() && p.cmple(hi).all());
    }
}

/// Checks any hull and returns its volume; 0 unless it is solid.
fn check(points: &[DVec3]) -> f64 {
    let hull = Hull::of(points).expect("admissible points");
    match &hull {
        Hull::Point(v) => assert!(points.iter().all(|&p| p == points[*v as usize])),
        Hull::Segment(ends) => check_segment(points, *ends),
        Hull::Flat { polygon } => check_flat(points, polygon),
        Hull::Solid { vertices, .. } => return check_solid(points, vertices, &hull.triangles()),
    }
    0.0
}

/// Rotates a point; no coordinate of the rotation is exact.
fn tilt(p: DVec3) -> DVec3 {
    let (s, c) = (libm::sin(0.7), libm::cos(0.7));
    let p = DVec3::new(c * p.x - s * p.y, s * p.x + c * p.y, p.z);
    DVec3::new(p.x, c * p.y - s * p.z, s * p.y + c * p.z)
}

fn grid(n: [i32; 3], step: DVec3) -> Vec<DVec3> {
    let axis = |n: i32| (0..=n).map(f64::from);
    axis(n[0])
        .flat_map(|x| axis(n[1]).flat_map(move |y| axis(n[2]).map(move |z| DVec3::new(x, y, z) * step)))
        .collect()
}

fn prism(sides: u32, radius: f64, height: f64) -> Vec<DVec3> {
    let angle = |i: u32| std::f64::consts::TAU * f64::from(i) / f64::from(sides);
    let corner = |i: u32, z: f64| DVec3::new(radius * libm::cos(angle(i)), radius * libm::sin(angle(i)), z);
    (0..sides).flat_map(|i| [corner(i, 0.0), corner(i, height)]).collect()
}

fn close(found: f64, expected: f64) {
    assert!((found - expected).abs() <= 1e-12 * expected, "{found} is not {expected}");
}

#[test]
fn a_cube_full_of_points_has_eight_corners() {
    for scale in [1.0, 2f64.powi(-195), 2f64.powi(195)] {
        let points: Vec<DVec3> = grid([6, 6, 6], DVec3::splat(scale));
        let hull = Hull::of(&points).expect("admissible points");
        let Hull::Solid { vertices, faces } = &hull else { panic!("not solid") };
        assert_eq!((vertices.len(), faces.len()), (8, 6));
        assert!(faces.iter().all(|face| face.len() == 4), "{faces:?}");
        close(
            check_solid(&points, vertices, &hull.triangles()),
            (6.0 * scale) * (6.0 * scale) * (6.0 * scale),
        );
    }
}

#[test]
fn a_thin_plate_keeps_its_volume() {
    // A finely divided and tilted plate of 30 x 32.6 x 0.001, whose large faces are coplanar only up to
    // rounding.
    let points: Vec<DVec3> =
        grid([30, 30, 1], DVec3::new(1.0, 32.6 / 30.0, 0.001)).into_iter().map(tilt).collect();
    let volume = check(&points);
    assert!((volume - 0.978).abs() < 1e-11, "{volume}");
    let tiny: Vec<DVec3> = grid([20, 20, 1], DVec3::new(1.0, 1.0, 1e-14)).into_iter().map(tilt).collect();
    check(&tiny);
}

#[test]
fn a_tilted_cylinder_keeps_its_volume() {
    for sides in [6, 64, 720] {
        let points: Vec<DVec3> = prism(sides, 5.0, 9.8).into_iter().map(tilt).collect();
        let n = f64::from(sides);
        let expected = 9.8 * 25.0 * n / 2.0 * libm::sin(std::f64::consts::TAU / n);
        let volume = check(&points);
        assert!((volume - expected).abs() < 1e-11 * expected, "{volume} is not {expected}");
        let far: Vec<DVec3> = points.iter().map(|&p| p + DVec3::splat(1e9)).collect();
        assert!((check(&far) - expected).abs() < 1e-6 * expected);
    }
}

#[test]
fn low_dimensions_are_results_of_their_own() {
    let p = DVec3::new(0.1, 0.2, 0.3);
    assert_eq!(Hull::of(&[]), None);
    assert_eq!(Hull::of(&[DVec3::NAN]), None);
    assert_eq!(Hull::of(&[DVec3::splat(1e-70)]), None);
    assert_eq!(Hull::of(&[p]), Some(Hull::Point(0)));
    assert_eq!(Hull::of(&[p, p, p]), Some(Hull::Point(0)));
    assert!(matches!(Hull::of(&[p, p * 2.0, p * 4.0, p * 2.0]), Some(Hull::Segment([0, 2]))));
    let square = grid([4, 4, 0], DVec3::ONE);
    let Some(Hull::Flat { polygon }) = Hull::of(&square) else { panic!("not flat") };
    assert_eq!(polygon.len(), 4);
    check_flat(&square, &polygon);
    // Flat up to one unit in the last place.
    let mut bent = square;
    bent[12].z = f64::EPSILON;
    assert!(check(&bent) > 0.0);
}

#[test]
fn points_on_a_sphere_are_all_corners() {
    // A spiral of evenly spread points.
    let spiral = |count: u32| -> Vec<DVec3> {
        (0..count)
            .map(|i| {
                let z = 1.0 - (2.0 * f64::from(i) + 1.0) / f64::from(count);
                let (r, angle) = ((1.0 - z * z).sqrt(), 2.399963229728653 * f64::from(i));
                DVec3::new(r * libm::cos(angle), r * libm::sin(angle), z)
            })
            .collect()
    };
    let points = spiral(1000);
    let volume = check(&points);
    assert!((volume / (4.0 / 3.0 * std::f64::consts::PI) - 1.0).abs() < 0.02);
    // Too many to check every point against every face: check Euler's formula and the counts.
    let Some(Hull::Solid { vertices, faces }) = Hull::of(&spiral(100_000)) else { panic!("not solid") };
    assert_eq!((vertices.len(), faces.len()), (100_000, 199_996), "all faces are triangles");
}

#[test]
fn a_hundred_thousand_points_in_a_cube() {
    let spread = |i: u32, k: f64| (f64::from(i) * k).fract();
    let points: Vec<DVec3> = (0..100_000)
        .map(|i| DVec3::new(spread(i, 2f64.sqrt()), spread(i, 3f64.sqrt()), spread(i, 5f64.sqrt())))
        .collect();
    let volume = check(&points);
    assert!(volume > 0.99 && volume < 1.0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    /// Coarse grids produce duplicates and collinear, coplanar and cospherical points; noise bends them.
    #[test]
    fn any_points_have_a_correct_hull(
        cells in prop::collection::vec(prop::array::uniform3(-3..4i32), 1..40),
        noise in prop::collection::vec(prop::array::uniform3(-1.0..1.0f64), 40),
        bend in prop_oneof![3 => Just(0.0), 1 => Just(1e-15), 1 => Just(1e-6), 1 => Just(1.0)],
        squash in prop_oneof![2 => Just(1.0), 1 => Just(0.0), 1 => Just(1e-13)],
        turned in any::<bool>(),
        power in prop_oneof![3 => Just(0), 1 => -190..190i32],
        far in prop_oneof![3 => Just(0.0), 1 => Just(1e8)],
    ) {
        let points: Vec<DVec3> = cells
            .iter()
            .zip(&noise)
            .map(|(c, n)| {
                let p = DVec3::new(f64::from(c[0]), f64::from(c[1]), f64::from(c[2])) + DVec3::from_array(*n) * bend;
                let p = DVec3::new(p.x, p.y, p.z * squash);
                (if turned { tilt(p) } else { p } + DVec3::splat(far)) * 2f64.powi(power)
            })
            .collect();
        prop_assume!(Hull::of(&points).is_some());
        check(&points);
    }
}
