//! The library's interface against all pairs of triangles, over frames in which bodies drift, jump, vanish
//! and come back, on any number of threads, in either order.
//!
//! `CLOSEFIT_CASES` sets the number of random worlds.

use closefit::{
    Aabb, BodyBounds, BodyContacts, BodyId, BroadPhase, CollisionMesh, Mesh, PairAnswer, PairBatch,
    PairMemory, Pool, Pose, PoseError, World,
};
use closefit_testing::all_pairs::{Truth, pose, shapes, truth};
use closefit_testing::meshes::{Soup, ball, cuboid, mesh};
use closefit_testing::motions::torus;
use closefit_testing::rng::Rng;
use glam::DVec3;

#[test]
fn pairs_are_answered_as_all_triangles_say() {
    let shapes = shapes();
    let trees: Vec<CollisionMesh> = shapes.iter().map(CollisionMesh::build).collect();
    let mut rng = Rng::new("pairs", 0);
    // One memory serves all pairs, whatever the trees and however far the poses.
    let mut memory = PairMemory::default();
    let [mut met, mut apart] = [0; 2];
    for _ in 0..closefit_testing::cases(150) {
        let [i, j] = [0; 2].map(|_| rng.index(shapes.len()));
        let (pose_a, mut pose_b) = (pose(&mut rng), pose(&mut rng));
        let step = rng.point() * 0.05;
        for _ in 0..4 {
            let (a, b) = (trees[i].at(&pose_a).unwrap(), trees[j].at(&pose_b).unwrap());
            let found = closefit::distance(&a, &b);
            assert_eq!(memory.intersects(&a, &b), closefit::intersects(&a, &b));
            assert_eq!(memory.contact_triangles(&a, &b), closefit::contact_triangles(&a, &b));
            assert_eq!(memory.distance(&a, &b), found);
            assert_eq!(closefit::distance(&b, &a).distance, found.distance);
            let mut swapped: Vec<_> =
                closefit::contact_triangles(&b, &a).iter().map(|[t, s]| [*s, *t]).collect();
            swapped.sort_unstable();
            assert_eq!(closefit::contact_triangles(&a, &b), swapped);
            match truth([&shapes[i], &shapes[j]], [&pose_a, &pose_b]) {
                Truth::Contact(triangles) => {
                    met += 1;
                    assert!(closefit::intersects(&a, &b));
                    assert_eq!(closefit::contact_triangles(&a, &b), triangles);
                    assert_eq!((found.distance, found.closest), (0.0, None));
                    assert!(
                        closefit::intersects_within(&a, &b, 0.0)
                            && !closefit::intersects_within(&a, &b, -1.0)
                    );
                    assert_eq!(memory.distance_up_to(&a, &b, -1.0), None);
                }
                Truth::Apart(distance, triangles) => {
                    apart += 1;
                    assert!(!closefit::intersects(&a, &b));
                    assert_eq!(closefit::contact_triangles(&a, &b), Vec::<[u32; 2]>::new());
                    let closest = found.closest.expect("apart");
                    assert_eq!((found.distance, closest.triangles), (distance, triangles));
                    let between = closest.points[0].distance(closest.points[1]);
                    assert!((between - distance).abs() < 1e-14, "{between} {distance}");
                    for (limit, is_within) in [(distance, true), (distance.next_down(), false)] {
                        assert_eq!(closefit::intersects_within(&a, &b, limit), is_within);
                        assert_eq!(memory.distance_up_to(&a, &b, limit), is_within.then_some(found));
                    }
                }
            }
            assert!(!closefit::intersects_within(&a, &b, f64::NAN));
            (0..3).for_each(|k| pose_b.rows[k][3] += step[k]);
        }
    }
    assert!(met > 20 && apart > 20, "{met} {apart}");
}

/// A memory of coherence tables answers as one without, over steps of any length and from pair to pair.
#[test]
fn coherence_tables_change_no_answer() {
    let [ring, round] = [mesh(&torus(20, 10, 0.35)), mesh(&ball(DVec3::ZERO, 0.6, 2))];
    let [ring, round] = [CollisionMesh::build(&ring), CollisionMesh::build(&round)];
    let mut rng = Rng::new("coherence tables", 0);
    let mut memory = PairMemory::with_tables();
    for (still, moved) in [(&ring, &round), (&round, &ring), (&ring, &ring)] {
        let still = still.at(&Pose::IDENTITY).expect("small");
        let mut drift = |frame: u32| {
            let (sin, cos) = (f64::from(frame) * 0.01).sin_cos();
            ([0.1, sin, cos, 2.0], [3.0 * sin, 0.4 * cos, 0.2])
        };
        let mut jump = |_: u32| (rng.quaternion(), (rng.point() * 2.5).to_array());
        let mut met = 0;
        for step in [&mut drift as &mut dyn FnMut(u32) -> ([f64; 4], [f64; 3]), &mut jump] {
            for frame in 0..500 {
                let (rotation, at) = step(frame);
                let moved =
                    moved.at(&Pose::from_trs(rotation, [1.0; 3], at).expect("a rotation")).expect("small");
                let contacts = closefit::contact_triangles(&still, &moved);
                assert_eq!(memory.intersects(&still, &moved), !contacts.is_empty());
                assert_eq!(memory.distance(&still, &moved), closefit::distance(&still, &moved));
                met += u32::from(!contacts.is_empty());
                assert_eq!(memory.contact_triangles(&still, &moved), contacts);
            }
        }
        assert!((100..900).contains(&met), "{met}");
        assert!(memory.table_bytes() > 0);
    }
    assert_eq!(PairMemory::default().table_bytes(), 0);
}

/// A world, and its bodies as the test knows them.
struct Watched<'a> {
    world: World,
    shapes: &'a [Mesh],
    bodies: Vec<(BodyId, usize, Pose, bool)>,
    /// The truth of every pair in which a body moves, sorted by ids.
    truths: Vec<([BodyId; 2], Truth)>,
}

impl Watched<'_> {
    fn find_truths(&mut self) {
        self.bodies.sort_by_key(|body| body.0);
        self.truths.clear();
        for (i, a) in self.bodies.iter().enumerate() {
            for b in self.bodies[i + 1..].iter().filter(|b| !(a.3 && b.3)) {
                let truth = truth([&self.shapes[a.1], &self.shapes[b.1]], [&a.2, &b.2]);
                self.truths.push(([a.0, b.0], truth));
            }
        }
    }

    /// Returns the distance of every pair, 0 in contact.
    fn distances(&self) -> impl Iterator<Item = ([BodyId; 2], f64)> {
        self.truths.iter().map(|(bodies, truth)| match truth {
            Truth::Contact(_) => (*bodies, 0.0),
            Truth::Apart(distance, _) => (*bodies, *distance),
        })
    }

    fn check(&mut self, limits: &[f64]) {
        let contacts = self.truths.iter().filter_map(|(bodies, truth)| match truth {
            Truth::Contact(triangles) => Some(BodyContacts { bodies: *bodies, triangles: triangles.clone() }),
            Truth::Apart(..) => None,
        });
        let contacts: Vec<_> = contacts.collect();
        let intersecting: Vec<_> = contacts.iter().map(|pair| pair.bodies).collect();
        assert_eq!(self.world.intersecting(), intersecting);
        assert_eq!(self.world.contacts(), contacts);
        // A limit equal to the distance of a pair includes that pair.
        let exact = self.distances().map(|(_, d)| d).find(|d| *d > 0.0);
        for &limit in limits.iter().chain(&exact) {
            let expected: Vec<_> = self.distances().filter(|(_, d)| *d <= limit).collect();
            let found = self.world.pairs_within(limit);
            let distances: Vec<_> = found.iter().map(|pair| (pair.bodies, pair.distance.distance)).collect();
            assert_eq!(distances, expected, "limit {limit}");
            for pair in found {
                let [a, b] = pair.bodies.map(|id| self.world.posed(id).expect("it is there"));
                assert_eq!(pair.distance, closefit::distance(&a, &b));
            }
        }
    }
}

/// Boxes of every kind contain all posed vertices; the tight one is as small as can be, and a cube keeps its
/// size.
#[test]
fn boxes_contain_all_posed_vertices() {
    let mut rng = Rng::new("boxes of bodies", 0);
    for shape in shapes() {
        let tree = CollisionMesh::build(&shape);
        let mut sizes = Vec::new();
        for _ in 0..closefit_testing::cases(200) {
            let size = rng.power_of_two(-80, 80);
            let far = rng.point() * [0.0, 1.0, 1e9][rng.index(3)];
            let scale = [[1.0; 3], [-1.0; 3], [1.0, 2.0, 0.5], [0.0; 3]][rng.index(4)];
            let rotation = rng.quaternion();
            let pose =
                Pose::from_trs(rotation, scale.map(|x| x * size), (far * size).to_array()).expect("finite");
            let placed = tree.at(&pose).expect("admissible");
            let posed: Vec<DVec3> = shape.vertices().iter().map(|&v| pose.apply(v)).collect();
            let exact = Aabb::of(posed.iter().copied());
            for kind in BodyBounds::ALL {
                let bounds = placed.bounds_of(kind);
                assert!(
                    bounds.lo.cmple(exact.lo).all() && exact.hi.cmple(bounds.hi).all(),
                    "{kind:?} {pose:?}"
                );
            }
            let tight = placed.bounds_of(BodyBounds::Tight);
            let room = 1e-13 * (exact.lo.abs().max(exact.hi.abs()).max_element() + size);
            assert!((exact.lo - tight.lo).max(tight.hi - exact.hi).max_element() <= room, "{pose:?}");
            if far == DVec3::ZERO && scale == [1.0; 3] {
                let cube = placed.bounds_of(BodyBounds::Cube);
                sizes.push((cube.hi - cube.lo) / size);
            }
        }
        assert!(sizes.iter().all(|s| s.abs_diff_eq(sizes[0], 1e-12)), "{sizes:?}");
    }
}

#[test]
fn worlds_are_answered_as_all_triangles_say() {
    let shapes = shapes();
    let trees: Vec<CollisionMesh> = shapes.iter().map(CollisionMesh::build).collect();
    let mut seen = 0;
    let cases = closefit_testing::cases(1);
    for case in 0..cases {
        let mut rng = Rng::new("worlds", case);
        let default = BroadPhase::RecursiveGrid;
        let [oriented, cube, tight] = BodyBounds::ALL;
        let others = BroadPhase::ALL.iter().map(|&method| (method, 2, oriented));
        let mut worlds: Vec<_> =
            [(default, 1, oriented), (default, 3, oriented), (default, 1, cube), (default, 1, tight)]
                .into_iter()
                .chain(others)
                .map(|(method, threads, bounds)| {
                    let world = World::with_broad_phase(method).with_bounds(bounds);
                    (
                        Pool::of(threads),
                        Watched { world, shapes: &shapes, bodies: Vec::new(), truths: Vec::new() },
                    )
                })
                .collect();
        for frame in 0..8 {
            let mut all: Vec<&mut Watched> = worlds.iter_mut().map(|(_, watched)| watched).collect();
            let count = all[0].bodies.len();
            for place in 0..count {
                let old = all[0].bodies[place].2;
                let by = rng.point() * 0.05;
                let mut to = old;
                match rng.index(8) {
                    0 => to = pose(&mut rng),
                    1 => {}
                    _ => (0..3).for_each(|k| to.rows[k][3] += by[k]),
                }
                for watched in &mut all {
                    watched.world.set_pose(watched.bodies[place].0, &to).expect("admissible");
                    watched.bodies[place].2 = to;
                }
            }
            if frame % 3 == 2 {
                let place = rng.index(count);
                for watched in &mut all {
                    let (id, ..) = watched.bodies.remove(place);
                    watched.world.remove(id).expect("it is there");
                }
            }
            for _ in 0..if frame == 0 { 8 } else { 1 } {
                let (shape, pose, fixed) = (rng.index(shapes.len()), pose(&mut rng), rng.index(3) == 0);
                for watched in &mut all {
                    let world = &mut watched.world;
                    let add = if fixed { World::add_fixed } else { World::add };
                    let id = add(world, &trees[shape], &pose).expect("admissible");
                    watched.bodies.push((id, shape, pose, fixed));
                    assert_eq!((world.pose(id), world.len()), (Ok(&pose), watched.bodies.len()));
                }
            }
            all[0].find_truths();
            let truths = all[0].truths.clone();
            seen += truths.iter().filter(|(_, truth)| matches!(truth, Truth::Contact(_))).count();
            let limits = [0.0, 0.3, f64::INFINITY, 0.02 * f64::from(frame), -1.0, f64::NAN];
            for (pool, watched) in &mut worlds {
                watched.truths = truths.clone();
                pool.install(|| watched.check(&limits)).expect("threads");
            }
        }
    }
    assert!(seen > 8 * cases as usize, "{seen} in {cases} worlds");
}

/// 1 000 frames in which fixed and moving boxes are added, moved and removed, at random and in clusters. The
/// boxes of cubes that are not turned are the cubes, so brute force over boxes is the truth.
#[test]
fn worlds_change_for_a_thousand_frames() {
    let tree = CollisionMesh::build(&mesh(&cuboid([0.0; 3], [1.0; 3])));
    let mut rng = Rng::new("changing worlds", 0);
    for is_clustered in [false, true] {
        let (mut world, mut bodies) = (World::default(), Vec::<(BodyId, DVec3, bool)>::new());
        // Corners on a lattice touch, and sums of them are exact.
        let place = |rng: &mut Rng| {
            let cluster = if is_clustered { rng.lattice(1) * 512.0 } else { DVec3::ZERO };
            cluster + rng.lattice(if is_clustered { 8 } else { 12 }) * 0.25
        };
        let mut met = 0;
        for frame in 0..1000 {
            for _ in 0..if frame == 0 { 120 } else { rng.index(5) } {
                let to = place(&mut rng);
                let pose = Pose::translation(to.to_array());
                if bodies.len() < 100 || rng.index(8) == 0 {
                    let fixed = rng.index(4) > 0;
                    let add = if fixed { World::add_fixed } else { World::add };
                    bodies.push((add(&mut world, &tree, &pose).expect("admissible"), to, fixed));
                } else if rng.index(6) == 0 {
                    let (id, ..) = bodies.remove(rng.index(bodies.len()));
                    world.remove(id).expect("it is there");
                } else {
                    let moved = rng.index(bodies.len());
                    world.set_pose(bodies[moved].0, &pose).expect("admissible");
                    bodies[moved].1 = to;
                }
            }
            assert_eq!(world.len(), bodies.len());
            let pairs = (0..bodies.len()).flat_map(|i| (i + 1..bodies.len()).map(move |j| (i, j)));
            let touch = |&(i, j): &(usize, usize)| {
                // Surfaces of equal cubes meet wherever the cubes do.
                !(bodies[i].2 && bodies[j].2) && (bodies[i].1 - bodies[j].1).abs().max_element() <= 1.0
            };
            let expected: Vec<_> = pairs.filter(touch).map(|(i, j)| [bodies[i].0, bodies[j].0]).collect();
            met += expected.len();
            assert_eq!(world.intersecting(), expected, "frame {frame}");
        }
        assert!(met > 1000, "{met}");
    }
}

#[test]
fn bounds_hold_every_posed_vertex() {
    let mut rng = Rng::new("bounds", 0);
    for _ in 0..closefit_testing::cases(2000) {
        // Off the origin by up to 2^40 of the size, posed as far away, at any scale.
        let size = rng.power_of_two(-80, 80);
        let away = rng.point() * size * rng.power_of_two(-1, 40);
        let soup: Soup = (0..6).map(|_| [0; 3].map(|_| away + rng.point() * size)).collect();
        let (mesh, shift) = (mesh(&soup), rng.power_of_two(-90, 90));
        let mut pose = Pose::from_trs(rng.quaternion(), [1.0, rng.unit(), -1.0], [shift; 3]).unwrap();
        pose.rows[0][1] += rng.unit() - 0.5;
        let (tree, exact) = (CollisionMesh::build(&mesh), mesh.posed_bounds(&pose));
        let bounds = tree.at(&pose).expect("admissible").bounds();
        assert_eq!(bounds.union(exact), bounds);
        let coordinates = (exact.lo.abs().max(exact.hi.abs()) + away.abs() + size).max_element() + shift;
        let loose = bounds.diagonal() - 3.0 * exact.diagonal();
        assert!(loose <= 1e-12 * coordinates + 6.0 * size, "{bounds:?} {exact:?}");
    }
}

#[test]
fn poses_out_of_range_are_refused() {
    let tree = CollisionMesh::build(&shapes()[0]);
    for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let refused = tree.at(&Pose::translation([0.0, value, 0.0])).map(|_| ());
        assert!(
            matches!(refused, Err(PoseError::NotFinite { value: named }) if named.to_bits() == value.to_bits())
        );
    }
    let far = Pose::translation([2e60, 0.0, 0.0]);
    assert_eq!(tree.at(&far).map(|_| ()), Err(PoseError::OutOfRange));
    let mut world = World::default();
    assert_eq!(world.add(&tree, &far), Err(PoseError::OutOfRange));
    let id = world.add(&tree, &Pose::IDENTITY).expect("admissible");
    assert_eq!(world.set_pose(id, &far), Err(PoseError::OutOfRange.into()));
    assert_eq!(world.pose(id), Ok(&Pose::IDENTITY), "it stays where it was");
    assert_eq!((world.len(), world.intersecting(), world.pairs_within(f64::INFINITY)), (1, vec![], vec![]));
}

/// Compares hundreds of queries in a batch with the same queries one by one.
#[test]
fn batches_answer_in_order() {
    let meshes = shapes();
    let trees: Vec<CollisionMesh> = meshes.iter().map(CollisionMesh::build).collect();
    let mut rng = Rng::new("batch", 0);
    let poses: Vec<[Pose; 2]> = (0..60).map(|_| [pose(&mut rng), pose(&mut rng)]).collect();
    let (mut batch, mut expected) = (PairBatch::default(), Vec::new());
    for (i, [pose_a, pose_b]) in poses.iter().enumerate() {
        let a = trees[i % trees.len()].at(pose_a).expect("admissible");
        let b = trees[(i / 2) % trees.len()].at(pose_b).expect("admissible");
        batch.contact_triangles(&a, &b);
        expected.push(PairAnswer::ContactTriangles(closefit::contact_triangles(&a, &b)));
        batch.intersects(&a, &b);
        expected.push(PairAnswer::Intersects(closefit::intersects(&a, &b)));
        for limit in [f64::INFINITY, 0.25, 0.0, -1.0] {
            batch.distance_up_to(&a, &b, limit);
            let near = closefit::intersects_within(&a, &b, limit);
            expected.push(PairAnswer::Distance(near.then(|| closefit::distance(&a, &b))));
        }
    }
    assert_eq!(batch.len(), expected.len());
    assert_eq!(batch.ask(), expected);
    assert!(PairBatch::default().is_empty() && PairBatch::default().ask().is_empty());

    // The batch uses trees as they were, even if they change their shape meanwhile or are gone.
    let mut trees = trees;
    for (tree, mesh) in trees.iter_mut().zip(&meshes) {
        tree.refit(&vec![DVec3::ZERO; mesh.vertices().len()]).expect("as many");
    }
    assert_eq!(batch.ask(), expected);
    drop(trees);
    let batch: PairBatch = batch;
    assert_eq!(std::thread::spawn(move || batch.ask()).join().expect("no panic"), expected);
}
