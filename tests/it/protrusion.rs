//! The distance by which surfaces reach out of others, against formulas, convexity, and samples with exact
//! distances.

use closefit::{CollisionMesh, DVec3, Pose, Protrusion, Unobserved, protrusion};
use closefit_testing::cases;
use closefit_testing::meshes::{Soup, ball, cuboid, mesh, moved, octahedron};
use closefit_testing::motions::torus;
use closefit_testing::rng::Rng;
use closefit_testing::solid;

/// Returns how far soups reach out of others, each at the origin.
fn out_of(surfaces: &[Soup], bodies: &[Soup], precision: f64) -> Protrusion {
    let built = |soups: &[Soup]| -> Vec<CollisionMesh> {
        soups.iter().map(|soup| CollisionMesh::build(&mesh(soup))).collect()
    };
    let (surfaces, bodies) = (built(surfaces), built(bodies));
    let surfaces: Vec<_> = surfaces.iter().map(|model| model.at(&Pose::IDENTITY).unwrap()).collect();
    let bodies: Vec<_> = bodies.iter().map(|model| model.at(&Pose::IDENTITY).unwrap()).collect();
    let (surfaces, bodies): (Vec<_>, Vec<_>) = (surfaces.iter().collect(), bodies.iter().collect());
    let found = protrusion(&surfaces, &bodies, precision, &Unobserved).unwrap();
    let reversed: Vec<_> = bodies.into_iter().rev().collect();
    let again = protrusion(&surfaces, &reversed, precision, &Unobserved).unwrap();
    assert_eq!((found.at_least, found.at_most), (again.at_least, again.at_most), "in any order");
    assert!(found.at_least <= found.at_most && !found.ended_early, "{found:?}");
    assert!(found.at_most <= (found.at_least + precision).max(1.01 * found.at_least), "{found:?}");
    found
}

fn assert_bracket(found: Protrusion, expected: f64) {
    assert!(found.at_least <= expected && expected <= found.at_most, "{found:?} has no {expected}");
}

/// Returns the distance of a point from solids, correctly rounded, and 0 inside.
fn distance_from(p: DVec3, bodies: &[Soup]) -> f64 {
    let of_one = |soup: &Soup| match solid::inside(p, soup) {
        Some(true) => 0.0,
        _ => solid::distance_of_point(p, soup),
    };
    bodies.iter().map(of_one).fold(f64::INFINITY, f64::min)
}

#[test]
fn a_box_in_a_box() {
    let (outer, inner) = (cuboid([-2.0, -1.0, -1.0], [2.0, 1.0, 1.0]), cuboid([-1.0; 3], [1.0; 3]));
    let inside = out_of(std::slice::from_ref(&inner), std::slice::from_ref(&outer), 1e-3);
    // Four of its faces lie in faces of the larger box.
    assert_eq!((inside.at_least, inside.point), (0.0, None));
    assert!(inside.at_most <= 1e-3);
    let found = out_of(&[outer], &[inner], 1e-3);
    assert_bracket(found, 1.0);
    assert_eq!(found.point.map(|p| p.x.abs()), Some(2.0));
}

#[test]
fn a_ball_in_a_box_touches_its_faces() {
    let (ball, cube) = (ball(DVec3::ZERO, 1.0, 3), cuboid([-1.0; 3], [1.0; 3]));
    let of_corner = solid::distance_of_point(DVec3::ONE, &ball);
    // The mesh lies within the ball, by the sagitta of its triangles at most.
    assert!((3_f64.sqrt() - 1.0..3_f64.sqrt() - 0.98).contains(&of_corner));
    assert_bracket(out_of(std::slice::from_ref(&cube), std::slice::from_ref(&ball), 1e-4), of_corner);
    assert_bracket(out_of(&[ball], &[cube], 1e-4), 0.0);
}

#[test]
fn two_boxes_cover_a_bar_between_them() {
    let bar = cuboid([-2.0, -0.5, -0.5], [2.0, 0.5, 0.5]);
    let halves = [cuboid([-2.0, -1.0, -1.0], [0.25, 1.0, 1.0]), cuboid([-0.25, -1.0, -1.0], [2.0, 1.0, 1.0])];
    assert_bracket(out_of(std::slice::from_ref(&bar), &halves, 1e-2), 0.0);
    // With a gap of 0.5 between them, the edges of the bar in its middle are 0.25 from both.
    let apart = [halves[0].clone(), moved(&halves[1], DVec3::X * 0.75)].map(|half| {
        half.into_iter().map(|t| t.map(|p| if p.x == 0.25 { DVec3 { x: 0.0, ..p } } else { p })).collect()
    });
    assert_bracket(out_of(&[bar], &apart, 1e-6), 0.25);
}

#[test]
fn the_same_surface_reaches_nowhere() {
    for soup in [ball(DVec3::ONE, 1.0, 3), torus(12, 8, 0.3), octahedron(DVec3::ZERO, 1e-3)] {
        let found = out_of(std::slice::from_ref(&soup), std::slice::from_ref(&soup), 1e-12);
        assert!(found.at_least == 0.0 && found.at_most <= 1e-12, "{found:?}");
    }
}

#[test]
fn corners_are_farthest_from_a_convex_body() {
    let mut rng = Rng::new("protrusions", 0);
    for _ in 0..cases(40) {
        let body = match rng.index(3) {
            0 => cuboid([-1.0, -0.5, -0.75], [1.0, 0.5, 0.75]),
            1 => octahedron(DVec3::ZERO, 1.0),
            _ => ball(DVec3::ZERO, 0.75, 2),
        };
        let surface = match rng.index(2) {
            0 => torus(7, 5, 0.4),
            _ => ball(DVec3::ZERO, 1.0, 1),
        };
        let surface = moved(&surface, rng.point());
        let expected = surface
            .iter()
            .flatten()
            .map(|&p| distance_from(p, std::slice::from_ref(&body)))
            .fold(0.0, f64::max);
        assert_bracket(out_of(&[surface], &[body], 1e-3), expected);
    }
}

#[test]
fn no_sample_is_farther_out_and_the_farthest_is_near_one() {
    let mut rng = Rng::new("protrusions", 1);
    for _ in 0..cases(2) {
        let bodies = [
            torus(9, 6, 0.4),
            moved(&cuboid([-0.5; 3], [0.5; 3]), rng.point()),
            moved(&octahedron(DVec3::ZERO, 0.6), rng.point()),
        ];
        let surface = moved(&torus(7, 5, 0.5), rng.point() * 0.3);
        let found = out_of(std::slice::from_ref(&surface), &bodies, 1e-3);
        const STEPS: u32 = 3;
        let (mut farthest, mut spacing) = (0.0f64, 0.0f64);
        for [a, b, c] in surface {
            spacing = spacing.max(a.distance(b).max(b.distance(c)).max(c.distance(a)) / f64::from(STEPS));
            for (i, j) in (0..=STEPS).flat_map(|i| (0..=STEPS - i).map(move |j| (i, j))) {
                let [u, v] = [i, j].map(|k| f64::from(k) / f64::from(STEPS));
                farthest = farthest.max(distance_from(a + (b - a) * u + (c - a) * v, &bodies));
            }
        }
        assert!(farthest <= found.at_most + 1e-12, "{found:?} is less than {farthest}");
        assert!(found.at_least <= farthest + spacing, "{found:?} is more than {farthest} and {spacing}");
    }
}
