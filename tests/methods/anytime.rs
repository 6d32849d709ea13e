//! Searches that are interrupted say only what is true, and end with the answers of searches that are not.
//!
//! `CLOSEFIT_CASES` sets the number of random pairs.

use closefit::{CollisionMesh, Mesh, Pose, PoseError, distance};
use closefit_geometry::exact::contact::triangles_meet;
use closefit_geometry::exact::distance::distance as distance_of_triangles;
use closefit_methods::anytime::{BoxTree, ContactSearch, DistanceSearch, Progress};
use closefit_testing::meshes::{ball, cuboid, mesh, square_ring};
use closefit_testing::motions::torus;
use closefit_testing::rng::Rng;
use glam::DVec3;

/// Returns a mesh that is round, hollow, convex, flat, strewn about, on a grid, or a single triangle.
fn shape(rng: &mut Rng) -> Mesh {
    mesh(&match rng.index(7) {
        0 => torus(12, 6, 0.35),
        1 => square_ring(0.4, 0.7, -0.1, 0.1),
        2 => ball(DVec3::ZERO, 0.8, 1),
        3 => cuboid([-0.5; 3], [0.5, 0.25, 0.5]),
        4 => {
            let strewn = (0..40).map(|_| {
                let at = rng.point();
                [at, at + rng.point() * 0.3, at + rng.point() * 0.3]
            });
            strewn.collect()
        }
        5 => (0..20).map(|_| [rng.lattice(2), rng.lattice(2), rng.lattice(2)]).collect(),
        _ => vec![[DVec3::ZERO, DVec3::X, DVec3::Y]],
    })
}

/// Returns two poses of a size, some of them far from the origin, turned, mirrored or unevenly scaled.
fn poses(rng: &mut Rng) -> [Pose; 2] {
    let far = rng.point() * [0.0, 0.0, 1e3, 1e9][rng.index(4)];
    let size = [1.0, 1.0, 1e-100, 1e50][rng.index(4)];
    [0, 1].map(|_| {
        let turn = if rng.coin() { rng.quaternion() } else { [0.0, 0.0, 0.0, 1.0] };
        let scale = [[1.0; 3], [1.0; 3], [-0.5; 3], [1.0, 2.0, 0.5]][rng.index(4)];
        let apart = if rng.coin() { rng.point() * 2.0 } else { rng.lattice(2) };
        let shift = (far + apart) * size;
        Pose::from_trs(turn, scale.map(|x| x * size), shift.to_array()).expect("finite")
    })
}

/// Returns the triangles in contact and the distance, of all pairs of triangles.
fn brute(meshes: &[Mesh; 2], poses: &[Pose; 2]) -> (Vec<[u32; 2]>, f64) {
    let posed = |side: usize| -> Vec<[DVec3; 3]> {
        let (mesh, pose) = (&meshes[side], &poses[side]);
        mesh.triangles().iter().map(|t| t.map(|v| pose.apply(mesh.vertices()[v as usize]))).collect()
    };
    let (a, b) = (posed(0), posed(1));
    let (mut found, mut least) = (Vec::new(), f64::INFINITY);
    for (i, p) in (0..).zip(&a) {
        for (j, q) in (0..).zip(&b) {
            if triangles_meet(p, q) {
                found.push([i, j]);
            }
            least = least.min(distance_of_triangles(p, q));
        }
    }
    (found, least)
}

#[test]
fn what_is_known_at_any_time_is_true() {
    let mut rng = Rng::new("anytime", 1);
    let (mut touching, mut apart, mut informed) = (0, 0, 0);
    let cases = closefit_testing::cases(400);
    for _ in 0..cases {
        let (meshes, poses) = ([shape(&mut rng), shape(&mut rng)], poses(&mut rng));
        let (expected, least) = brute(&meshes, &poses);
        let trees = meshes.each_ref().map(BoxTree::build);
        let [a, b] = [0, 1].map(|side| trees[side].at(&poses[side]).expect("in range"));

        let mut search = ContactSearch::between(&a, &b);
        assert_eq!(search.contacts(), [[0; 2]; 0]);
        let mut before = 0;
        loop {
            let progress = search.run(1 + rng.index(20) as u64);
            let found = search.contacts();
            assert!(found.len() >= before && found.is_sorted());
            assert!(found.iter().all(|pair| expected.binary_search(pair).is_ok()));
            assert_eq!(progress == Progress::Done, search.boxes_left() == 0);
            before = found.len();
            if progress == Progress::Done {
                break;
            }
        }
        assert_eq!(search.contacts(), expected);

        let mut search = DistanceSearch::between(&a, &b);
        let mut bounds = search.bounds();
        loop {
            let progress = search.run(1 + rng.index(20) as u64);
            let [at_least, at_most] = search.bounds();
            assert!(at_least <= least && least <= at_most, "{least} {at_least} {at_most}");
            assert!(bounds[0] <= at_least && at_most <= bounds[1], "they shrink");
            bounds = [at_least, at_most];
            if progress == Progress::Done {
                break;
            }
            informed += u32::from(at_least > 0.0 && at_most < f64::INFINITY);
        }
        let (found, closest) = (
            search.finish(),
            distance(
                &CollisionMesh::build(&meshes[0]).at(&poses[0]).expect("in range"),
                &CollisionMesh::build(&meshes[1]).at(&poses[1]).expect("in range"),
            ),
        );
        assert_eq!(found, closest);
        assert_eq!(found.distance, least);
        *if expected.is_empty() { &mut apart } else { &mut touching } += 1;
    }
    assert!(touching > cases / 10 && apart > cases / 10 && informed > 100, "{touching} {apart} {informed}");
}

/// A search goes through the same states, however its steps are shared out.
#[test]
fn interruptions_change_nothing() {
    let rings = [torus(40, 20, 0.35), torus(37, 19, 0.3)].map(|soup| mesh(&soup));
    let trees = rings.each_ref().map(BoxTree::build);
    let turned = Pose::from_trs([0.5, 0.1, 0.2, 0.7], [1.0; 3], [1.0, 0.1, 0.0]).expect("a rotation");
    let (a, b) = (trees[0].at(&Pose::IDENTITY).expect("in range"), trees[1].at(&turned).expect("in range"));
    let mut one_by_one = ContactSearch::between(&a, &b);
    let mut rng = Rng::new("interruptions", 1);
    let mut at_once = ContactSearch::between(&a, &b);
    let mut steps = 0;
    while at_once.boxes_left() > 0 {
        let some = rng.index(100) as u64;
        at_once.run(some);
        for _ in 0..some {
            one_by_one.run(1);
        }
        assert_eq!(one_by_one.contacts(), at_once.contacts());
        assert_eq!(one_by_one.boxes_left(), at_once.boxes_left());
        steps += some;
    }
    assert!(steps > 1000 && !at_once.contacts().is_empty(), "{steps}");
    let mut resumed = at_once.clone();
    assert_eq!(resumed.run(u64::MAX), Progress::Done);
    assert_eq!(resumed.contacts(), at_once.contacts());
}

/// The distance is known to a few percent long before the search is over.
#[test]
fn bounds_close_in_early() {
    let balls = [mesh(&ball(DVec3::ZERO, 1.0, 4)), mesh(&ball(DVec3::ZERO, 1.1, 4))];
    let trees = balls.each_ref().map(BoxTree::build);
    let (a, b) =
        (trees[0].at(&Pose::IDENTITY).expect("in range"), trees[1].at(&Pose::IDENTITY).expect("in range"));
    let steps_to = |share: f64| {
        let mut search = DistanceSearch::between(&a, &b);
        let mut steps = 0;
        loop {
            let [at_least, at_most] = search.bounds();
            if at_most - at_least <= share * at_most || search.run(100) == Progress::Done {
                return steps;
            }
            steps += 100;
        }
    };
    let [roughly, exactly] = [0.5, 0.0].map(steps_to);
    assert!(roughly < exactly / 2, "{roughly} {exactly}");
}

#[test]
fn poses_out_of_range_are_refused() {
    let tree = BoxTree::build(&mesh(&cuboid([-1.0; 3], [1.0; 3])));
    let far = Pose::translation([0.0, 2f64.powi(200), 0.0]);
    assert!(matches!(tree.at(&far), Err(PoseError::OutOfRange)));
    let unknown = Pose::translation([f64::NAN, 0.0, 0.0]);
    assert!(matches!(tree.at(&unknown), Err(PoseError::NotFinite { value }) if value.is_nan()));
}
