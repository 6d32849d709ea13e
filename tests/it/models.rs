//! A model and its tree are one: built by either, they answer alike; and verdicts from poses alone are those
//! of a check, which knows the exact boxes of all parts.

use std::sync::Arc;

use closefit::{
    Assembly, Between, CheckRequest, DVec3, Keyframe, Mesh, CollisionMesh, Motion, PairRecord, PartId, Pose,
    PoseError, CollisionMesh, Verdict, distance, time_of_impact, verdict,
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
    let models: Vec<CollisionMesh> = shapes.iter().map(CollisionMesh::build).collect();
    let trees: Vec<CollisionMesh> = shapes.iter().map(|shape| CollisionMesh::build(shape).model()).collect();
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
        let found = [&models, &trees].map(|all| {
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
    let model =
        CollisionMesh::build(&Mesh::new(&[[far, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0; 3]], &[[0, 1, 2]]).expect("valid"));
    let steep = Pose::scaling([1.0, 4.0, 1.0]);
    assert_eq!(model.tree().at(&steep).map(|_| ()), Err(PoseError::OutOfRange));
    let body = model.at(&steep).expect("no vertex is beyond");
    assert_eq!(verdict(&body, &body, &CheckRequest::default()).contacts, 1);
    assert_eq!(model.at(&Pose::scaling([4.0, 1.0, 1.0])).map(|_| ()).err(), Some(PoseError::OutOfRange));
    let nan = model.at(&Pose::translation([f64::NAN; 3])).map(|_| ()).err();
    assert!(matches!(nan, Some(PoseError::NotFinite { value }) if value.is_nan()));
}

#[test]
fn the_model_of_a_tree_has_its_mesh() {
    for shape in solids() {
        let tree = CollisionMesh::build(&shape);
        let model = tree.model();
        assert_eq!(model.mesh(), &shape);
        assert_eq!(CollisionMesh::build(&shape).tree().model().mesh(), &shape);
        let [one, other] = [&tree, model.tree()].map(|tree| {
            let beside = Pose::translation([9.0, 0.5, 0.25]);
            distance(&tree.at(&Pose::IDENTITY).expect("small"), &tree.at(&beside).expect("small"))
        });
        assert_eq!(one, other);
    }
}

/// After a change of shape the model is that of the new mesh; models taken before keep the old one.
#[test]
fn the_model_of_a_refitted_tree_is_that_of_the_new_mesh() {
    let shape = mesh(&cuboid([0.0; 3], [1.0; 3]));
    let mut tree = CollisionMesh::build(&shape);
    let before = tree.model();
    // A side of the cuboid becomes one point.
    let bent: Vec<DVec3> = shape.vertices().iter().map(|v| if v.x > 0.5 { DVec3::X } else { *v }).collect();
    tree.refit(&bent).expect("as many");
    let new = Mesh::new(&bent, shape.triangles()).expect("valid");
    assert_eq!((before.mesh(), tree.model().mesh()), (&shape, &new));
    let request = CheckRequest::default().tolerance(1e-6);
    let [refitted, built] = [tree.model(), CollisionMesh::build(&new)].map(|model| {
        let [a, b] = [0.0, 0.25].map(|x| model.at(&Pose::translation([x, 0.0, 0.0])).expect("small"));
        verdict(&a, &b, &request)
    });
    assert_eq!(refitted, built);
    assert_eq!(built.verdict, Verdict::Clash);
}

#[test]
fn a_tree_answers_over_a_motion_too() {
    let tree = CollisionMesh::build(&mesh(&cuboid([0.0; 3], [1.0; 3])));
    let model = tree.model();
    let at =
        |time, x: f64| Keyframe { time, rotation: [0.0, 0.0, 0.0, 1.0], translation: [x, 0.0, 0.0].into() };
    let through = |keys: &[Keyframe]| Motion::through(keys, Between::Screw, [1.0; 3]).expect("valid");
    let (still, coming) = (through(&[at(0.0, 0.0)]), through(&[at(0.0, 3.0), at(4.0, -1.0)]));
    let found = time_of_impact(&model.along(&still), &model.along(&coming), 1e-6).expect("admissible");
    let first = found.expect("they meet at 2").first;
    assert!(first.after < 2.0 && first.before > 2.0 - 1e-6);
}
