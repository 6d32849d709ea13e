//! A verdict is the same whether topology was found at once or by that verdict, and the same as in a check,
//! which knows the exact boxes of all parts.

use std::sync::Arc;

use closefit::{
    Assembly, Between, CheckRequest, CollisionMesh, DVec3, Keyframe, Mesh, Motion, MovingMesh, PairBatch,
    PairMemory, PairRecord, PartId, Pool, Pose, PoseBatch, PoseError, PosedMesh, PreparedCheck,
    PreparedScene, Run, Verdict, Winding, World, contact_triangles, distance, intersects, time_of_impact,
    verdict,
};
use closefit_testing::all_pairs::{pose, shapes};
use closefit_testing::meshes::{ball, cuboid, mesh};
use closefit_testing::rng::Rng;

fn solids() -> Vec<Mesh> {
    let solids = [
        mesh(&cuboid([0.0; 3], [1.0; 3])),
        mesh(&ball(DVec3::ZERO, 0.6, 2)),
        // Two components, one of them open.
        mesh(&[cuboid([0.0; 3], [1.0; 3]), cuboid([2.0; 3], [2.5; 3])[1..].to_vec()].concat()),
        mesh(&cuboid([-0.05; 3], [0.05; 3])),
        mesh(&cuboid([-1.0; 3], [1.0; 3])[1..]),
    ];
    shapes().into_iter().chain(solids).collect()
}

/// Returns what a check says of two parts at poses.
fn checked(shapes: [&Mesh; 2], poses: [&Pose; 2], request: &CheckRequest) -> Option<PairRecord> {
    let mut assembly = Assembly::default();
    for (shape, &pose) in shapes.into_iter().zip(poses) {
        assembly.add("part", &Arc::new(shape.clone()), pose);
    }
    assembly.check(request).expect("in range").pairs.pop()
}

#[test]
fn verdicts_from_poses_have_the_bits_of_a_check() {
    let shapes = solids();
    let later: Vec<CollisionMesh> = shapes.iter().map(CollisionMesh::build).collect();
    let with_topology = |shape: &Mesh| CollisionMesh::build_with(shape, Winding::Repaired);
    let at_once: Vec<CollisionMesh> = shapes.iter().map(with_topology).collect();
    let mut rng = Rng::new("verdicts from poses", 0);
    let mut seen = std::collections::BTreeMap::new();
    for case in 0..closefit_testing::cases(400) {
        let [i, j] = match case % 8 {
            // A box that lacks a triangle, and a small one.
            0 => [shapes.len() - 1, shapes.len() - 2],
            _ => [0; 2].map(|_| rng.index(shapes.len())),
        };
        let (pose_a, mut pose_b) = (pose(&mut rng), pose(&mut rng));
        if case % 2 == 0 {
            // Close together, so that some contain others.
            (0..3).for_each(|k| pose_b.rows[k][3] = pose_a.rows[k][3] + 0.1 * rng.unit());
        }
        let request = CheckRequest::default().tolerance(1e-6).clearance(0.25).list_contacts();
        let found = [&later, &at_once].map(|all| {
            let [a, b] =
                [(i, &pose_a), (j, &pose_b)].map(|(shape, pose)| all[shape].at(pose).expect("small"));
            verdict(&a, &b, &request)
        });
        assert_eq!(found[0], found[1]);
        let [found, _] = found;
        *seen.entry(found.verdict).or_insert(0) += 1;
        match checked([&shapes[i], &shapes[j]], [&pose_a, &pose_b], &request) {
            Some(record) => assert_eq!(found, record),
            None => assert_eq!((found.verdict, found.ids), (Verdict::Clear, [PartId(0), PartId(1)])),
        }
    }
    for verdict in [Verdict::Clash, Verdict::Undecided, Verdict::Clearance, Verdict::Clear] {
        assert!(seen.get(&verdict).is_some_and(|&count| count > 5), "{seen:?}");
    }
}

/// The box of its vertices decides whether a pose takes one beyond 2^200, not the largest coordinate alone.
#[test]
fn a_pose_is_refused_for_a_vertex_and_not_for_a_bound() {
    let far = 2_f64.powi(199);
    let corners = [[far, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0; 3]];
    let triangle = CollisionMesh::new(&corners, &[[0, 1, 2]]).expect("valid");
    let posed = triangle.at(&Pose::scaling([1.0, 4.0, 1.0])).expect("no vertex is beyond");
    assert_eq!(verdict(&posed, &posed, &CheckRequest::default()).contacts, 1);
    assert!(intersects(&posed, &posed) && contact_triangles(&posed, &posed) == [[0, 0]]);
    assert_eq!(distance(&posed, &posed).distance, 0.0);
    let refused = |pose| triangle.at(&pose).map(|_| ()).err();
    assert_eq!(refused(Pose::scaling([4.0, 1.0, 1.0])), Some(PoseError::OutOfRange));
    let nan = refused(Pose::translation([f64::NAN; 3]));
    assert!(matches!(nan, Some(PoseError::NotFinite { value }) if value.is_nan()));
}

#[test]
fn a_built_mesh_has_its_mesh() {
    for shape in solids() {
        assert_eq!(CollisionMesh::build(&shape).mesh(), &shape);
        let same = CollisionMesh::new(shape.vertices(), shape.triangles()).expect("valid");
        assert_eq!(same.mesh(), &shape);
    }
}

/// Threads may share all doors, and messages may show them.
#[test]
fn doors_may_be_sent_and_shared_and_shown() {
    fn shared<T: Send + Sync + std::fmt::Debug>() {}
    shared::<CollisionMesh>();
    shared::<PosedMesh>();
    shared::<MovingMesh>();
    shared::<PairMemory>();
    shared::<PairBatch>();
    shared::<PoseBatch>();
    shared::<World>();
    shared::<Assembly>();
    shared::<Run<PairRecord>>();
    shared::<PreparedScene>();
    shared::<PreparedCheck>();
    shared::<Motion>();
    shared::<Pool>();
    shared::<Mesh>();
}

/// After a change of shape verdicts are about the new mesh; clones made before keep the old one.
#[test]
fn a_refitted_mesh_has_the_topology_of_the_new_shape() {
    let shape = mesh(&cuboid([0.0; 3], [1.0; 3]));
    let mut tree = CollisionMesh::build(&shape);
    assert!(tree.is_closed());
    let before = tree.clone();
    // A side of the cuboid becomes one point.
    let bent: Vec<DVec3> = shape.vertices().iter().map(|v| if v.x > 0.5 { DVec3::X } else { *v }).collect();
    tree.refit(&bent).expect("as many");
    let new = Mesh::new(&bent, shape.triangles()).expect("valid");
    assert_eq!((before.mesh(), tree.mesh()), (&shape, &new));
    let request = CheckRequest::default().tolerance(1e-6);
    let [refitted, built] = [tree, CollisionMesh::build(&new)].map(|model| {
        let [a, b] = [0.0, 0.25].map(|x| model.at(&Pose::translation([x, 0.0, 0.0])).expect("small"));
        verdict(&a, &b, &request)
    });
    assert_eq!(refitted, built);
    assert_eq!(built.verdict, Verdict::Clash);
}

#[test]
fn a_mesh_answers_over_a_motion() {
    let tree = CollisionMesh::build(&mesh(&cuboid([0.0; 3], [1.0; 3])));
    let at =
        |time, x: f64| Keyframe { time, rotation: [0.0, 0.0, 0.0, 1.0], translation: [x, 0.0, 0.0].into() };
    let through = |keys: &[Keyframe]| Motion::through(keys, Between::Screw, [1.0; 3]).expect("valid");
    let (still, coming) = (through(&[at(0.0, 0.0)]), through(&[at(0.0, 3.0), at(4.0, -1.0)]));
    let found = time_of_impact(&tree.along(&still), &tree.along(&coming), 1e-6).expect("admissible");
    let first = found.expect("they meet at 2").first;
    assert!(first.after < 2.0 && first.before > 2.0 - 1e-6);
}
