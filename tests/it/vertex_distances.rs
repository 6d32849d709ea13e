//! Distances of vertices from other bodies, against exact distances and the winding of closed surfaces.

use closefit::{CollisionMesh, DVec3, Pose, Unobserved, vertex_distances};
use closefit_testing::meshes::{Soup, ball, cuboid, mesh, moved, octahedron, scattered};
use closefit_testing::rational::Triangle;
use closefit_testing::rng::Rng;
use closefit_testing::solid;

/// Returns the posed triangles of a model.
fn posed(model: &CollisionMesh, pose: &Pose) -> Soup {
    let mesh = model.mesh();
    (0..mesh.triangles().len() as u32).map(|t| mesh.corners(t).map(|p| pose.apply(p))).collect()
}

/// Returns the distance of a point from the nearest surface, correctly rounded, or 0 in a solid.
fn expected(p: DVec3, others: &[Soup]) -> f64 {
    let of_one = |soup: &Soup| match solid::inside(p, soup) {
        Some(true) => 0.0,
        _ => solid::distance_of_point(p, soup),
    };
    others.iter().map(of_one).fold(f64::INFINITY, f64::min)
}

fn assert_bounds(body: (&CollisionMesh, Pose), others: &[(&CollisionMesh, Pose)]) {
    let soups: Vec<Soup> = others.iter().map(|(model, pose)| posed(model, pose)).collect();
    let bodies: Vec<_> = others.iter().map(|(model, pose)| model.at(pose).unwrap()).collect();
    let of_body = body.0.at(&body.1).unwrap();
    let found = vertex_distances(&of_body, &bodies.iter().collect::<Vec<_>>(), &Unobserved).unwrap();
    let reversed: Vec<_> = bodies.iter().rev().collect();
    assert_eq!(found, vertex_distances(&of_body, &reversed, &Unobserved).unwrap(), "in any order");
    let reach = soups.iter().flatten().flatten().map(|p| p.abs().max_element()).fold(0.0, f64::max);
    for (vertex, &at_least) in body.0.mesh().vertices().iter().zip(&found) {
        let p = body.1.apply(*vertex);
        let exact = expected(p, &soups);
        let width = 512.0 * f64::EPSILON * (reach + p.abs().max_element());
        assert!(at_least <= exact && exact <= at_least + width, "{p}: {at_least} is not just below {exact}");
    }
}

#[test]
fn bounds_are_just_below_the_distance() {
    let mut rng = Rng::new("vertex distances", 0);
    let shapes: Vec<Soup> = vec![
        cuboid([-1.0; 3], [1.0; 3]),
        octahedron(DVec3::ZERO, 1.0),
        ball(DVec3::ZERO, 1.0, 2),
        // A ball in a box, whose winding numbers add up.
        [ball(DVec3::ZERO, 0.5, 1), cuboid([-2.0; 3], [2.0; 3])].concat(),
    ];
    let models: Vec<CollisionMesh> = shapes.iter().map(|soup| CollisionMesh::build(&mesh(soup))).collect();
    for _ in 0..closefit_testing::cases(15) {
        let size = rng.power_of_two(-3, 12);
        let mut one = || {
            let translation = (rng.point() * 2.0 * size).to_array();
            let pose = Pose::from_trs(rng.quaternion(), [size * (0.2 + rng.unit()); 3], translation);
            (&models[rng.index(models.len())], pose.expect("a turn"))
        };
        let (body, others) = (one(), [one(), one(), one()]);
        assert_bounds(body, &others);
    }
    for seed in 0..closefit_testing::cases(10) {
        let mut rng = Rng::new("scattered vertices", seed);
        let [a, b] = [(); 2].map(|()| CollisionMesh::build(&scattered(&mut rng, 30)));
        assert_bounds((&a, Pose::IDENTITY), &[(&b, Pose::translation(rng.point().to_array()))]);
    }
}

#[test]
fn in_a_solid_and_on_its_surface_it_is_nought() {
    let cube = CollisionMesh::build(&mesh(&cuboid([0.0; 3], [4.0; 3])));
    let points: [Triangle; 1] = [[DVec3::splat(2.0), DVec3::new(4.0, 1.0, 1.0), DVec3::new(7.0, 1.0, 1.0)]];
    let sheet = CollisionMesh::build(&mesh(&points));
    let [sheet, cube] = [&sheet, &cube].map(|model| model.at(&Pose::IDENTITY).unwrap());
    let found = vertex_distances(&sheet, &[&cube], &Unobserved).unwrap();
    assert_eq!(found[..2], [0.0, 0.0]);
    assert!((3.0 - 1e-11..=3.0).contains(&found[2]), "{}", found[2]);
    assert_eq!(vertex_distances(&sheet, &[], &Unobserved).unwrap(), [f64::INFINITY; 3]);
}

#[test]
fn thousands_of_others_are_asked() {
    let cube = CollisionMesh::build(&mesh(&cuboid([0.0; 3], [0.5; 3])));
    let far = CollisionMesh::build(&mesh(&moved(&ball(DVec3::ZERO, 1.0, 3), DVec3::new(31.0, 31.0, -3.0))));
    let grid =
        (0..64).flat_map(|x| (0..64).map(move |y| Pose::translation([f64::from(x), f64::from(y), 0.0])));
    let others: Vec<_> = grid.map(|pose| cube.at(&pose).unwrap()).collect();
    let others: Vec<_> = others.iter().collect();
    let body = far.at(&Pose::IDENTITY).unwrap();
    let found = vertex_distances(&body, &others, &Unobserved).unwrap();
    for (vertex, at_least) in far.mesh().vertices().iter().zip(found) {
        // The nearest cube is the one below or next to it: all lie between 0 and 0.5 of a unit.
        let off = |x: f64| (x - x.floor() - 0.5).max(0.0).min((x.floor() + 1.0 - x).max(0.0));
        let exact = DVec3::new(off(vertex.x), off(vertex.y), vertex.z).length();
        assert!((at_least - exact).abs() < 1e-11, "{vertex}: {at_least} for {exact}");
    }
}
