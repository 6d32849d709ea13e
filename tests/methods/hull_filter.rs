//! The filter by convex hulls: what it proves is true, and it moves no answer.
//!
//! `CLOSEFIT_CASES` sets the number of random pairs.

use closefit::internals::bvh::mesh_hull::{HullMemory, MeshHull, Separation};
use closefit::internals::engine::{check, sweep};
use closefit::{
    Between, CheckRequest, CheckResult, CollisionMesh, Containment, DVec3, Executor, HullFilter, HullWork,
    Keyframe, Mesh, Motion, PairMemory, Pose, SweepRequest, Unobserved, Verdict, World, distance,
};
use closefit_geometry::hull::convex_hull::Hull;
use closefit_geometry::motion::Joint;
use closefit_testing::convex::sphere;
use closefit_testing::meshes::{Piece, Soup, cuboid, prism, scattered, scene};
use closefit_testing::rng::Rng;

fn checked(pieces: &[Piece], request: CheckRequest) -> [CheckResult; 3] {
    HullFilter::ALL.map(|hull| check(&scene(pieces), &request.hull(hull), &Unobserved).expect("admissible"))
}

/// A thin sheet across the diagonal of a cube from 0 to `size`, and everything above it: `x + y + z = size`.
fn diagonal(size: f64) -> Soup {
    vec![[DVec3::X * size, DVec3::Y * size, DVec3::Z * size]]
}

/// Read literally, "hulls apart" could count as the ledger's `apart`. But that is defined by boxes, and these
/// meet.
#[test]
fn hulls_apart_do_not_make_a_pair_apart() {
    let pieces = [Piece::new("sheet", diagonal(4.0)), Piece::new("cube", cuboid([3.0; 3], [5.0; 3]))];
    let [off, on, clipped] = checked(&pieces, CheckRequest::default());
    assert_eq!(on.counters.work.walks.proven, 1, "the hulls are apart");
    assert_eq!(on.counters.work.contacts.box_tests, 0, "no search for contacts");
    assert_eq!((on.ledger.apart, on.ledger.decided), (0, 1));
    assert_eq!((&on.ledger, &on.pairs), (&off.ledger, &off.pairs));
    assert_eq!((clipped.ledger, clipped.pairs), (off.ledger, off.pairs));
}

/// Read literally, hulls apart would leave nothing to be contained. But for an open shell without a
/// consistent winding the box decides: the box of a Moebius strip in the plane of the sheet holds the small
/// cube.
#[test]
fn hulls_apart_do_not_decide_containment() {
    let points = [[4.0, 0.0, 0.0], [0.0, 4.0, 0.0], [0.0, 0.0, 4.0], [1.0, 1.0, 2.0], [2.0, 1.0, 1.0]];
    let strip: Soup = (0..5).map(|i| [i, i + 1, i + 2].map(|k| DVec3::from_array(points[k % 5]))).collect();
    let pieces = [Piece::new("strip", strip), Piece::new("cube", cuboid([2.0; 3], [3.0; 3]))];
    let [off, on, clipped] = checked(&pieces, CheckRequest::default());
    assert_eq!(on.counters.work.walks.proven, 1, "the hulls are apart");
    assert_eq!(on.pairs[0].verdict, Verdict::Undecided);
    assert!(matches!(on.pairs[0].contained, Containment::Undecidable(_)));
    assert_eq!((&on.ledger, &on.pairs), (&off.ledger, &off.pairs));
    assert_eq!((clipped.ledger, clipped.pairs), (off.ledger, off.pairs));
}

/// Pairs that come within the clearance are listed with their distance, and those just beyond are not.
#[test]
fn a_clearance_between_hulls_is_kept() {
    let cube = |x: f64| cuboid([x, 0.0, 0.0], [x + 1.0, 1.0, 1.0]);
    for (gap, listed) in [(0.5, 1), (1.0, 1), (1.0 + 1e-9, 0)] {
        let pieces = [Piece::new("a", cube(0.0)), Piece::new("b", cube(1.0 + gap))];
        let [off, on, clipped] = checked(&pieces, CheckRequest::default().clearance(1.0));
        assert_eq!(on.pairs.len(), listed, "{gap}");
        assert_eq!((&on.ledger, &on.pairs), (&off.ledger, &off.pairs));
        assert_eq!((clipped.ledger, clipped.pairs), (off.ledger, off.pairs));
    }
}

/// Where both parts have the closest features of their hulls, triangles there bound the search. A slanted
/// plane over the notch of an L is of its hull alone.
#[test]
fn triangles_at_red_features_bound_the_search() {
    let ball = |x: f64| -> Soup {
        let corners = sphere(4);
        let triangles = Hull::of(&corners).expect("admissible").triangles();
        triangles.into_iter().map(|t| t.map(|v| corners[v as usize] + DVec3::X * x)).collect()
    };
    let l = || prism(&[[0.0, 0.0], [4.0, 0.0], [4.0, 1.0], [1.0, 1.0], [1.0, 4.0], [0.0, 4.0]], 0.0, 1.0);
    let below = cuboid([1.0, -2.0, 0.25], [2.0, -0.5, 0.75]);
    let beyond = cuboid([2.75, 2.75, 0.25], [3.5, 3.5, 0.75]);
    let cases: [(Soup, Soup, [u64; 3]); 4] = [
        (ball(0.0), ball(2.25), [1, 0, 0]),
        (l(), below, [1, 0, 0]),
        (l(), beyond, [0, 1, 0]),
        (
            vec![[DVec3::ZERO, DVec3::X, DVec3::Y]],
            vec![[DVec3::Z, DVec3::X + DVec3::Z, DVec3::ONE]],
            [1, 0, 0],
        ),
    ];
    for (case, (a, b, colors)) in (0..).zip(cases) {
        let pieces = [Piece::new("a", a), Piece::new("b", b)];
        let [off, on, _] = checked(&pieces, CheckRequest::default().clearance(3.0));
        let walks = &on.counters.work.walks;
        assert_eq!([walks.red_red, walks.red_green, walks.green_green], colors, "case {case}: {walks:?}");
        assert_eq!(walks.settled > 0, colors[0] > 0);
        let [with, without] = [&on, &off].map(|one| one.counters.work.distance.box_tests);
        assert!(with <= without, "{with} box tests, and {without} without hulls");
        assert_eq!((&on.ledger, &on.pairs), (&off.ledger, &off.pairs));
    }
}

/// In a sweep, triangles at red features show at a moment that two bodies are near, which spares the search
/// of their trees. (By default few triangles are advanced, and not searched at moments.)
#[test]
fn red_features_end_the_search_of_a_moment() {
    let cube = cuboid([0.0; 3], [1.0; 3]);
    let pieces = [Piece::new("still", cube.clone()), Piece::new("moving", cube)];
    let mut scene = scene(&pieces);
    let keys = [(0.0, DVec3::new(3.0, 0.25, 0.5)), (1.0, DVec3::new(-3.0, 0.25, 0.5))];
    let keys = keys.map(|(time, translation)| Keyframe { time, rotation: [0.0, 0.0, 0.0, 1.0], translation });
    let motion = Motion::through(&keys, Between::Screw, [1.0; 3]).expect("two keyframes");
    let frame = scene.frames.add(None, Joint::Moving(motion));
    scene.parts[1].frame = Some(frame);
    let [off, on] = [HullFilter::Off, HullFilter::ClosestFeatures].map(|hull| {
        let method = "triangles=elementary".parse().expect("a method");
        let request = SweepRequest::default().between(0.0, 1.0).precision(1e-3).method(method);
        sweep(&scene, &request.hull(hull), &Unobserved).expect("admissible")
    });
    assert_eq!((&on.ledger, &on.pairs), (&off.ledger, &off.pairs));
    assert!(on.pairs[0].time_of_impact.is_some());
    let walks = &on.counters.work.walks;
    assert!(walks.red_red > 0 && walks.settled > 0, "{walks:?}");
    let [with, without] = [&on, &off].map(|one| one.counters.work.continuous.box_tests);
    assert!(with < without, "{with} box tests, and {without} without hulls");
}

/// Poses that turn, mirror, scale and shear, of every size and far away.
fn pose(rng: &mut Rng) -> Pose {
    let scale = match rng.index(4) {
        0 => [1.0, 2.0, 0.25],
        1 => [-1.0; 3],
        2 => [1.0, -1.0, 1.0],
        _ => [1.0; 3],
    };
    let rotation = if rng.coin() { rng.quaternion() } else { [0.0, 0.0, 0.0, 1.0] };
    let at = rng.lattice(3) + if rng.coin() { DVec3::ZERO } else { rng.point() };
    Pose::from_trs(rotation, scale, at.to_array()).expect("a rotation")
}

fn scaled(mut pose: Pose, unit: f64, far: f64) -> Pose {
    for row in &mut pose.rows {
        row[3] += far;
        row.iter_mut().for_each(|x| *x *= unit);
    }
    pose
}

#[test]
fn what_is_proven_is_no_more_than_the_distance() {
    let (mut proven, mut work) = (0, HullWork::default());
    let cases = closefit_testing::cases(3000);
    for case in 0..cases {
        let mut rng = Rng::new("hull proofs", case);
        let meshes = [scattered(&mut rng, 12), scattered(&mut rng, 12)];
        let (unit, far) = (rng.power_of_two(-150, 130), [0.0, 0.0, 1e3, 1e9][rng.index(4)]);
        let poses = [(); 2].map(|()| scaled(pose(&mut rng), unit, far));
        let hulls = [0, 1].map(|side| {
            let linear = poses[side].linear();
            MeshHull::of(&meshes[side], Some(linear).filter(MeshHull::is_built_for)).expect("admissible")
        });
        let posed = [0, 1].map(|side| hulls[side].at(&poses[side]));
        let bounds = Executor::ALL.map(|by| Separation::of([&posed[0], &posed[1]], by, &mut work).at_least);
        assert_eq!(bounds[0].to_bits(), bounds[1].to_bits(), "both executors");
        if bounds[0] > 0.0 {
            proven += 1;
            let trees = [CollisionMesh::build(&meshes[0]), CollisionMesh::build(&meshes[1])];
            let [a, b] = [0, 1].map(|side| trees[side].at(&poses[side]).expect("admissible"));
            let truth = distance(&a, &b).distance;
            assert!(bounds[0] <= truth, "case {case}: {} exceeds {truth}", bounds[0]);
        }
    }
    println!("{proven} of {cases} proven; {work:?}");
    assert!(4 * proven > cases, "{proven} of {cases}");
}

/// The same answers with and without hulls, from frame to frame, whether they meet or not.
#[test]
fn memories_with_hulls_give_the_same_answers() {
    let ball = sphere(3);
    let triangles = Hull::of(&ball).expect("admissible").triangles();
    let mut rng = Rng::new("memories", 0);
    let rounds = if closefit_testing::is_full_run() { 12 } else { 4 };
    for round in 0..rounds {
        let convex = Mesh::new(&ball, &triangles).expect("valid");
        let meshes =
            if round % 3 == 0 { [scattered(&mut rng, 12), convex] } else { [convex.clone(), convex] };
        let trees = meshes.each_ref().map(CollisionMesh::build);
        let a = trees[0].at(&Pose::IDENTITY).expect("admissible");
        let mut memories = HullFilter::ALL.map(PairMemory::with_hulls);
        let (rotation, way) = (rng.quaternion(), rng.point() * 0.3);
        for frame in 0..80 {
            let at = DVec3::X * (3.5 - 0.04 * f64::from(frame)) + way;
            let scale = if round % 4 == 1 { [1.0, 0.5, 1.0] } else { [0.75; 3] };
            let pose = Pose::from_trs(rotation, scale, at.to_array()).expect("a rotation");
            let b = trees[1].at(&pose).expect("admissible");
            let [off, others @ ..] = memories.each_mut().map(|memory| {
                let limit = 0.5;
                if frame == 0 {
                    memory.distance(&a, &b);
                }
                let near = memory.distance_up_to(&a, &b, limit).map(|near| near.distance);
                (
                    memory.intersects(&a, &b),
                    memory.intersects_within(&a, &b, limit),
                    near,
                    memory.contact_triangles(&a, &b),
                )
            });
            for other in others {
                assert_eq!(other, off, "round {round}, frame {frame}");
            }
        }
    }
}

#[test]
fn worlds_with_hulls_give_the_same_answers() {
    let ball = sphere(2);
    let tree = CollisionMesh::build(
        &Mesh::new(&ball, &Hull::of(&ball).expect("admissible").triangles()).expect("valid"),
    );
    let mut worlds = HullFilter::ALL.map(|filter| World::default().with_hulls(filter));
    let mut rng = Rng::new("worlds", 0);
    let mut places: Vec<DVec3> = (0..40).map(|_| rng.point() * 4.0).collect();
    let pose = |at: &DVec3| Pose::translation(at.to_array());
    let ids = worlds.each_mut().map(|world| {
        places.iter().map(|at| world.add(&tree, &pose(at)).expect("admissible")).collect::<Vec<_>>()
    });
    for _ in 0..30 {
        places.iter_mut().for_each(|at| *at += rng.point() * 0.05);
        let answers = [0, 1, 2].map(|side| {
            let world = &mut worlds[side];
            for (id, at) in ids[side].iter().zip(&places) {
                world.set_pose(*id, &pose(at)).expect("admissible");
            }
            (world.intersecting(), world.contacts(), world.pairs_within(0.4))
        });
        assert!(!answers[0].0.is_empty());
        assert!(answers.iter().all(|answer| *answer == answers[0]));
    }
}

/// A track on which two bodies move by little from frame to frame.
#[derive(Clone, Copy, Debug)]
enum Track {
    /// One goes around the other, turns, and comes to meet it now and then.
    Orbit,
    /// One comes ever more slowly until it touches, and goes away again.
    Touch,
    /// One swings like a door against the other.
    Door,
    /// Both grow and shrink.
    Pulse,
}

impl Track {
    const ALL: [Self; 4] = [Self::Orbit, Self::Touch, Self::Door, Self::Pulse];

    /// Returns the poses of two bodies within -1 to 1 in a frame.
    fn poses(self, frame: u32, tilt: f64) -> [Pose; 2] {
        let t = f64::from(frame) * 0.02;
        let pose = |rotation: [f64; 4], scale: f64, at: [f64; 3]| {
            Pose::from_trs(rotation, [scale; 3], at).expect("a rotation")
        };
        let turn = |half: f64| [half.sin() * 0.6, 0.0, half.sin() * 0.8, half.cos()];
        let still = [0.0, 0.0, 0.0, 1.0];
        match self {
            Self::Orbit => {
                let distance = 2.0 + 0.8 * (2.0 * t + tilt).sin();
                let at = [distance * t.cos(), distance * t.sin() * 0.8, distance * t.sin() * 0.6];
                [pose(turn(0.3 * t), 1.0, [0.0; 3]), pose(turn(1.5 * t + tilt), 0.75, at)]
            }
            Self::Touch => {
                let gap = 0.5f64.powi(i32::try_from(frame % 64).expect("small"));
                let gap = if frame % 64 > 40 { 0.0 } else { gap };
                [pose(still, 1.0, [0.0; 3]), pose(still, 1.0, [2.0 + gap, 0.25, 0.0])]
            }
            Self::Door => {
                // The hinge is an edge at x = 1, and the wall at x = 3.
                let half = 0.5 * (0.8 + 0.5 * (t + tilt).sin());
                let (sin, cos) = ((2.0 * half).sin(), (2.0 * half).cos());
                let rotation = [0.0, 0.0, half.sin(), half.cos()];
                [pose(still, 1.0, [4.0, 0.0, 0.0]), pose(rotation, 1.0, [1.0 + sin - cos, -cos - sin, 0.0])]
            }
            Self::Pulse => {
                let scale = |phase: f64| (0.5 * (t + phase).sin()).exp2();
                [pose(turn(tilt), scale(0.0), [0.0; 3]), pose(still, scale(tilt), [2.5, 0.3, 0.1])]
            }
        }
    }
}

fn bodies() -> [Mesh; 3] {
    let convex = |points: &[DVec3]| {
        Mesh::new(points, &Hull::of(points).expect("admissible").triangles()).expect("valid")
    };
    let corner = |i: u32| DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2)) * 2.0 - 1.0;
    let cube = convex(&(0..8).map(corner).collect::<Vec<_>>());
    let axes = [DVec3::X, DVec3::Y, DVec3::Z];
    let octahedron = convex(&axes.into_iter().flat_map(|axis| [axis, -axis]).collect::<Vec<_>>());
    [convex(&sphere(3)), cube, octahedron]
}

/// Answers from frame to frame are the answers of cold queries, which know no hulls.
#[test]
fn tracked_answers_are_cold_answers() {
    let (mut met, mut touched, frames) = (0, 0, 384);
    let (bodies, mut rng) = (bodies().each_ref().map(CollisionMesh::build), Rng::new("tracks", 0));
    for (track, pair) in Track::ALL.into_iter().flat_map(|track| (0..9).map(move |pair| (track, pair))) {
        let (trees, tilt) = ([&bodies[pair / 3], &bodies[pair % 3]], rng.unit());
        let mut memories = [(); 2].map(|()| PairMemory::with_hulls(HullFilter::ClosestFeatures));
        for frame in 0..frames {
            let poses = track.poses(frame, tilt);
            let [a, b] = [0, 1].map(|side| trees[side].at(&poses[side]).expect("admissible"));
            let truth = distance(&a, &b).distance;
            let limit = 0.25;
            // One memory serves one question only, and the other one all of them.
            let [one, all] = &mut memories;
            let near = all.distance_up_to(&a, &b, limit).map(|near| near.distance);
            let found =
                (one.intersects(&a, &b), all.intersects(&a, &b), all.intersects_within(&a, &b, limit), near);
            let cold = (truth == 0.0, truth == 0.0, truth <= limit, Some(truth).filter(|d| *d <= limit));
            assert_eq!(found, cold, "{track:?} of pair {pair}, frame {frame}");
            met += u32::from(truth == 0.0);
            touched += u32::from(matches!(track, Track::Touch) && truth == 0.0);
        }
    }
    println!("{met} of {} frames in contact", 4 * 9 * frames);
    assert!(met > 1000 && touched > 100);
}

/// Memory answers most frames, and all that it proves is true.
#[test]
fn most_frames_need_no_walk() {
    let meshes = bodies();
    let trees = meshes.each_ref().map(CollisionMesh::build);
    let hulls = meshes.each_ref().map(|mesh| MeshHull::of(mesh, None).expect("admissible"));
    let (mut work, mut farther, frames) = (HullWork::default(), 0, 2_000u32);
    for pair in 0..9 {
        let sides = [pair / 3, pair % 3];
        let mut memories = Executor::ALL.map(|executor| (executor, HullMemory::default()));
        for frame in 0..frames {
            let t = f64::from(frame) * 0.002;
            let at = [(2.3 + 0.2 * (8.0 * t).sin()) * t.cos(), 0.3, 2.3 * t.sin()];
            let poses = [
                Pose::IDENTITY,
                Pose::from_trs([0.0, t.sin(), 0.0, t.cos()], [1.0; 3], at).expect("a rotation"),
            ];
            let posed = [0, 1].map(|side| hulls[sides[side]].at(&poses[side]));
            let reach = 0.1 * f64::from(frame % 2);
            let proven = memories.each_mut().map(|(executor, memory)| {
                memory.are_farther([&posed[0], &posed[1]], reach, *executor, &mut work)
            });
            assert_eq!(proven[0], proven[1], "both executors");
            if proven[0] {
                farther += 1;
                let [a, b] = [0, 1].map(|side| trees[sides[side]].at(&poses[side]).expect("admissible"));
                assert!(distance(&a, &b).distance > reach, "pair {pair}, frame {frame}");
            }
        }
    }
    println!("{farther} of {} proven farther; {work:?}", 9 * frames);
    assert!(2 * farther > 9 * u64::from(frames));
    assert_eq!(work.kept + work.proven, 2 * farther);
    assert!(work.kept > 4 * work.proven, "{work:?}");
}
