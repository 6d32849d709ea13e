//! A refitted tree answers as one built for the deformed mesh, and as all pairs of triangles do, over
//! deformations of every kind; what does not fit is refused.
//!
//! `CLOSEFIT_CASES` sets the number of random deformations of each mesh.

use closefit::{CollisionMesh, Distance, Mesh, PairMemory, Pose, PosedMesh, RefitError, World};
use closefit_geometry::exact::contact::triangles_meet;
use closefit_geometry::exact::distance::distance as settled;
use closefit_testing::meshes::{ball, cuboid, mesh, square_ring};
use closefit_testing::motions::torus;
use closefit_testing::rng::Rng;
use glam::DVec3;

/// Meshes to deform: round, hollow, convex, a single triangle, and triangles strewn about.
fn shapes(rng: &mut Rng) -> Vec<Mesh> {
    let strewn = (0..60).map(|_| {
        let at = rng.point();
        [at, at + rng.point() * 0.3, at + rng.point() * 0.3]
    });
    let soups = [
        strewn.collect(),
        torus(12, 6, 0.35),
        ball(DVec3::ZERO, 0.8, 2),
        square_ring(0.4, 0.7, -0.1, 0.1),
        cuboid([-0.5; 3], [0.5, 0.25, 0.5]),
        vec![[DVec3::X, DVec3::Y, DVec3::Z]],
    ];
    soups.iter().map(|soup| mesh(soup)).collect()
}

/// Returns the vertices bent, jolted, stretched, flattened to a plane, a line or a point, tiny, huge or far
/// away.
fn deformed(vertices: &[DVec3], rng: &mut Rng) -> Vec<DVec3> {
    let flat = [DVec3::ONE, DVec3::new(1.0, 1.0, 0.0), DVec3::X, DVec3::ZERO];
    let (bend, wave) = (rng.point(), rng.point() * 3.0);
    let change: Box<dyn Fn(DVec3, DVec3) -> DVec3> = match rng.index(7) {
        0 => Box::new(move |v, _| v + 0.3 * bend * (wave.dot(v)).sin()),
        1 => Box::new(|v, jolt| v + 0.05 * jolt),
        2 => Box::new(|v, jolt| v + jolt),
        3 => Box::new(move |v, _| v * (DVec3::ONE + bend)),
        4 => {
            let flat = flat[rng.index(4)];
            Box::new(move |v, _| v * flat + bend)
        }
        5 => {
            let size = rng.power_of_two(-150, 150);
            Box::new(move |v, _| v * size)
        }
        _ => Box::new(move |v, _| v + bend * 1e9),
    };
    vertices.iter().map(|&v| change(v, rng.point())).collect()
}

/// Returns the mesh with other vertices.
fn reshaped(mesh: &Mesh, vertices: &[DVec3]) -> Mesh {
    Mesh::new(vertices, mesh.triangles()).expect("a valid mesh")
}

/// Returns the contacts of all pairs of triangles, and the smallest distance.
fn truth(a: &[[DVec3; 3]], b: &[[DVec3; 3]]) -> (Vec<[u32; 2]>, f64) {
    let (mut contacts, mut least) = (Vec::new(), f64::INFINITY);
    for (i, s) in (0..).zip(a) {
        for (j, t) in (0..).zip(b) {
            if triangles_meet(s, t) {
                contacts.push([i, j]);
                least = 0.0;
            } else if least > 0.0 {
                least = least.min(settled(s, t));
            }
        }
    }
    (contacts, least)
}

fn posed(mesh: &Mesh, pose: &Pose) -> Vec<[DVec3; 3]> {
    let count = u32::try_from(mesh.triangles().len()).expect("small");
    (0..count).map(|t| mesh.corners(t).map(|v| pose.apply(v))).collect()
}

fn answers(a: &PosedMesh, b: &PosedMesh) -> (bool, Vec<[u32; 2]>, Distance) {
    (closefit::intersects(a, b), closefit::contact_triangles(a, b), closefit::distance(a, b))
}

#[test]
fn refitted_trees_answer_as_new_ones_and_as_all_triangles() {
    let mut rng = Rng::new("refit", 0);
    let [mut touching, mut apart] = [0; 2];
    for original in shapes(&mut rng) {
        let mut tree = CollisionMesh::build(&original);
        let bytes = tree.bytes();
        let fixed_mesh = mesh(&ball(DVec3::new(0.9, 0.1, 0.0), 0.4, 1));
        let fixed_tree = CollisionMesh::build(&fixed_mesh);
        let mut memory = PairMemory::default();
        for _ in 0..closefit_testing::cases(100) {
            let vertices = deformed(original.vertices(), &mut rng);
            tree.refit(&vertices).expect("finite, and as many as there are");
            let new_mesh = reshaped(&original, &vertices);
            let new_tree = CollisionMesh::build(&new_mesh);
            let at = match rng.index(3) {
                0 => Pose::translation((-vertices[0] + fixed_mesh.vertices()[0]).to_array()),
                1 => Pose::from_trs(rng.quaternion(), [1.0; 3], rng.point().to_array()).expect("a direction"),
                _ => Pose::IDENTITY,
            };
            let fixed = fixed_tree.at(&Pose::IDENTITY).expect("small");
            let [refitted, new] = [&tree, &new_tree].map(|tree| tree.at(&at).expect("within 2^200"));
            let found = answers(&fixed, &refitted);
            assert_eq!(found, answers(&fixed, &new));
            assert_eq!(memory.distance(&fixed, &refitted), found.2);
            assert_eq!(memory.contact_triangles(&fixed, &refitted), found.1);
            let (contacts, least) = truth(&posed(&fixed_mesh, &Pose::IDENTITY), &posed(&new_mesh, &at));
            assert_eq!((found.0, found.2.distance), (!contacts.is_empty(), least));
            assert!(closefit::intersects_within(&fixed, &refitted, least));
            assert_eq!(found.1, contacts);
            touching += u32::from(found.0);
            apart += u32::from(!found.0);
            assert_eq!(tree.bytes(), bytes);
        }
    }
    assert!(touching > 40 && apart > 40, "{touching} touching, {apart} apart");
}

#[test]
fn what_does_not_fit_is_refused_and_changes_nothing() {
    let cube = mesh(&cuboid([0.0; 3], [1.0; 3]));
    let mut tree = CollisionMesh::build(&cube);
    let mut vertices = cube.vertices().to_vec();
    let refused = tree.refit(&vertices[1..]).expect_err("one is missing");
    assert_eq!(refused, RefitError::Count { given: 7, expected: 8 });
    assert_eq!(refused.to_string(), "7 vertices for a mesh that has 8");
    vertices[5].y = f64::NEG_INFINITY;
    let refused = tree.refit(&vertices).expect_err("not finite");
    assert_eq!(refused.to_string(), "vertex 5 has the coordinate -inf, which is not a finite number");
    vertices[5].y = f64::NAN;
    assert!(matches!(tree.refit(&vertices), Err(RefitError::NotFinite { vertex: 5, .. })));
    let beside = Pose::translation([1.5, 0.0, 0.0]);
    let [a, b] = [Pose::IDENTITY, beside].map(|pose| tree.at(&pose).expect("small"));
    assert_eq!(closefit::distance(&a, &b).distance, 0.5, "the shape before");
}

#[test]
fn clones_and_worlds_keep_the_old_shape() {
    let cube = mesh(&cuboid([0.0; 3], [1.0; 3]));
    let mut tree = CollisionMesh::build(&cube);
    let (before, beside) = (tree.clone(), Pose::translation([1.5, 0.0, 0.0]));
    let mut world = World::default();
    for pose in [Pose::IDENTITY, beside] {
        world.add(&tree, &pose).expect("small");
    }
    let doubled: Vec<DVec3> = cube.vertices().iter().map(|v| v * 2.0).collect();
    tree.refit(&doubled).expect("finite");
    let distance = |tree: &CollisionMesh| {
        let [a, b] = [Pose::IDENTITY, beside].map(|pose| tree.at(&pose).expect("small"));
        closefit::distance(&a, &b).distance
    };
    assert_eq!((distance(&before), distance(&tree)), (0.5, 0.0));
    assert!(world.intersecting().is_empty());
}
