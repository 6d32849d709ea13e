//! Many worlds against one `World` each, and their points of contact against places known in advance.

use closefit::{
    AdvanceRequest, BodyBounds, BodyGroups, BodyId, CollisionMesh, DVec3, Pool, Pose, PoseError, World,
    Worlds, WorldsError,
};
use closefit_generate::shapes::Shape;
use closefit_testing::meshes::{ball, cuboid, mesh, octahedron, prism, reversed};
use closefit_testing::rng::Rng;

const COUNT: usize = 37;

/// A scene of ten bodies, from which one was removed, with groups and an excluded pair.
fn scene() -> World {
    let shapes = [octahedron(DVec3::ZERO, 1.0), cuboid([-0.5; 3], [0.5; 3])];
    let shapes = shapes.map(|triangles| CollisionMesh::build(&mesh(&triangles)));
    let mut world = World::default();
    let add = |body: usize| {
        let add = if body.is_multiple_of(4) { World::add_fixed } else { World::add };
        add(&mut world, &shapes[body % 2], &Pose::IDENTITY).expect("admissible")
    };
    let ids: Vec<BodyId> = (0..11).map(add).collect();
    world.remove(ids[3]).expect("there");
    world.exclude(ids[1], ids[6]).expect("there");
    world.set_groups(ids[7], BodyGroups { memberships: 1, filter: 2 }).expect("there");
    world.set_groups(ids[8], BodyGroups { memberships: 2, filter: !1 }).expect("there");
    world
}

fn random_poses(count: usize, rng: &mut Rng) -> Vec<Pose> {
    let pose =
        |_| Pose::from_trs(rng.quaternion(), [1.0; 3], (rng.point() * 1.5).to_array()).expect("a rotation");
    (0..count).map(pose).collect()
}

/// Returns the bodies of a scene, as many worlds number them.
fn ids(scene: &World) -> Vec<BodyId> {
    (0..).filter_map(|number| scene.body(number)).take(scene.len()).collect()
}

#[test]
fn many_worlds_have_the_answers_of_each_world() {
    let mut rng = Rng::new("many worlds", 1);
    let (mut all, scene) = (Worlds::new(&scene(), COUNT), scene());
    let ids = ids(&scene);
    assert_eq!((all.len(), all.bodies(), ids.len()), (COUNT, 10, 10));
    let number = |id: BodyId| u32::try_from(ids.binary_search(&id).expect("there")).expect("few");
    let mut each: Vec<World> = Vec::new();
    each.resize_with(COUNT, self::scene);
    let (mut touching, mut near) = (0, 0);
    let (mut steps, mut present) = (0, vec![Pose::IDENTITY; COUNT * 10]);
    for _ in 0..3 {
        let poses = random_poses(COUNT * 10, &mut rng);
        let contacts = all.contacts(&poses).expect("admissible").clone();
        let distances = all.distances(&poses, 0.4).expect("admissible").clone();
        for threads in [1, 3] {
            let again = || (all.contacts(&poses).cloned(), all.distances(&poses, 0.4).cloned());
            let again = Pool::of(threads).install(again).expect("threads");
            assert_eq!(again.0.as_ref(), Ok(&contacts));
            assert_eq!(format!("{:?}", again.1.expect("admissible")), format!("{distances:?}"));
        }
        let request = AdvanceRequest::default().precision(1e-3);
        let found = all.advance(&poses, &request).expect("admissible");
        for (world, one) in each.iter_mut().enumerate() {
            let of_world = |poses: &[Pose]| poses[world * 10..][..10].to_vec();
            for (id, pose) in ids.iter().zip(of_world(&present)) {
                one.set_pose(*id, &pose).expect("admissible");
            }
            let next: Vec<(BodyId, Pose)> = ids.iter().copied().zip(of_world(&poses)).collect();
            let step = one.advance(&next, &request).expect("admissible");
            let told = |event: &closefit::ContactEvent| (event.change, event.times);
            assert!(found[world].events.iter().map(told).eq(step.events.iter().map(told)));
            let events = found[world].events.iter().map(|event| event.bodies.map(|id| id.0));
            assert!(events.eq(step.events.iter().map(|event| event.bodies.map(number))));
            steps += step.events.len();

            let range = |offsets: &[u64]| offsets[world] as usize..offsets[world + 1] as usize;
            let mut pairs = contacts.bodies[range(&contacts.offsets)].to_vec();
            pairs.dedup();
            let expected: Vec<_> = one.intersecting().iter().map(|bodies| bodies.map(number)).collect();
            assert_eq!(pairs, expected);
            touching += pairs.len();

            let range = range(&distances.offsets);
            let within = one.pairs_within(0.4);
            assert_eq!(range.len(), within.len());
            for (row, expected) in range.zip(within) {
                assert_eq!(distances.bodies[row], expected.bodies.map(number));
                assert_eq!(distances.distances[row], expected.distance.distance);
                match expected.distance.closest {
                    Some(closest) => {
                        assert_eq!(distances.triangles[row], closest.triangles);
                        assert_eq!(distances.points[row], closest.points.map(|point| point.to_array()));
                    }
                    None => assert!(
                        distances.points[row][0][0].is_nan() && distances.triangles[row] == [u32::MAX; 2]
                    ),
                }
                near += 1;
            }
        }
        present = poses;
    }
    assert!(touching > 500 && near > touching + 50 && steps > 500, "{touching} {near} {steps}");
}

/// Finds the points of contact of two meshes: place, normal and depth.
fn points(a: (&CollisionMesh, Pose), b: (&CollisionMesh, Pose)) -> Vec<(DVec3, DVec3, f64)> {
    let mut world = World::default();
    for (mesh, pose) in [a, b] {
        world.add(mesh, &pose).expect("admissible");
    }
    let mut one = Worlds::new(&world, 1);
    let found = one.contacts(&[a.1, b.1]).expect("admissible");
    let vectors = found.points.iter().zip(&found.normals).zip(&found.depths);
    vectors.map(|((&p, &n), &depth)| (DVec3::from_array(p), DVec3::from_array(n), depth)).collect()
}

/// A box pressed into a floor, at any place and turn about the vertical, stands on four points of its border.
#[test]
fn a_box_on_a_floor_has_four_points() {
    let floor = CollisionMesh::build(&mesh(&cuboid([-10.0, -10.0, -1.0], [10.0, 10.0, 0.0])));
    let cube = CollisionMesh::build(&mesh(&cuboid([-0.5, -0.5, 0.0], [0.5, 0.5, 1.0])));
    let mut rng = Rng::new("a box on a floor", 1);
    for depth in [0.0, 1e-6, 1e-3, 0.1] {
        for _ in 0..20 {
            let turn = Pose::from_axis_angle([0.0, 0.0, 1.0], 3.0 * rng.unit()).expect("an axis");
            let at = DVec3::new(8.0 * rng.unit(), 8.0 * rng.unit(), -depth);
            let pose = Pose::translation(at.to_array()) * turn;
            for (found, up) in [
                (points((&floor, Pose::IDENTITY), (&cube, pose)), DVec3::Z),
                (points((&cube, pose), (&floor, Pose::IDENTITY)), DVec3::NEG_Z),
            ] {
                assert_eq!(found.len(), 4, "{depth}: {found:?}");
                let farthest = found.iter().map(|(p, ..)| p.distance(found[0].0)).fold(0.0, f64::max);
                assert!(farthest > 0.7, "half of the diagonal");
                for (point, normal, found_depth) in &found {
                    assert!(normal.distance(up) < 1e-9, "{normal}");
                    assert!((found_depth - depth).abs() < 1e-9, "{found_depth} {depth}");
                    assert!(point.z.abs() < 1e-9);
                    let border = turn.linear().transpose() * (*point - at);
                    assert!((border.x.abs().max(border.y.abs()) - 0.5).abs() < 1e-9, "{border}");
                }
            }
        }
    }
}

/// The edge of a wedge lies in the top of a block, across it: two ends, and where it crosses the diagonal.
/// Up to eight pairs of triangles share each of them, and compute it with other roundings.
#[test]
fn a_point_that_several_triangles_share_is_given_once() {
    let block = CollisionMesh::build(&mesh(&cuboid([0.0, 0.0, -1.0], [1.0, 1.0, 0.0])));
    let mut rng = Rng::new("one point", 1);
    for _ in 0..200 {
        // From below 0.5 to above it, so that the edge crosses either diagonal once.
        let [from, to] = [0.25 + 0.2 * rng.unit(), 0.75 + 0.2 * rng.unit()];
        let at = |x: f64, z: f64, aside: f64| DVec3::new(x, from + (to - from) * x + aside, z);
        let [p, q] = [at(-1.0, 0.0, 0.0), at(2.0, 0.0, 0.0)];
        let [a, b, c, d] = [at(-1.0, 1.0, -1.0), at(2.0, 1.0, -1.0), at(-1.0, 1.0, 1.0), at(2.0, 1.0, 1.0)];
        let wedge = [[p, a, b], [p, b, q], [p, q, d], [p, d, c], [a, c, d], [a, d, b], [p, c, a], [q, b, d]];
        let wedge = CollisionMesh::build(&mesh(&wedge));
        for (first, second) in [(&block, &wedge), (&wedge, &block)] {
            let found = points((first, Pose::IDENTITY), (second, Pose::IDENTITY));
            assert!((2..=4).contains(&found.len()), "{found:?}");
            for (k, (point, ..)) in found.iter().enumerate() {
                let others = &found[..k];
                assert!(others.iter().all(|(other, ..)| other.distance(*point) > 1e-3), "{found:?}");
            }
        }
    }
}

/// A ball pressed between the walls of a slot, and a pin pressed into a hole, have the points, normals and
/// depths that formulas for circles give, as far as triangles on the curves of contact know them.
#[test]
fn a_ball_in_a_slot_and_a_pin_in_a_hole_are_pressed_into_the_walls() {
    let sides = [cuboid([-3.0, -3.0, -3.0], [3.0, -1.0, 3.0]), cuboid([-3.0, 1.0, -3.0], [3.0, 3.0, 3.0])];
    let slot = CollisionMesh::build(&mesh(&sides.concat()));
    for overlap in [1e-2, 1e-3] {
        // Its six tips are vertices of the mesh. The triangles on the curve have a tip if the curve is small.
        let ball = CollisionMesh::build(&mesh(&ball(DVec3::ZERO, 1.0 + overlap, 4)));
        let found = points((&ball, Pose::IDENTITY), (&slot, Pose::IDENTITY));
        assert!((2..=8).contains(&found.len()), "{found:?}");
        for (point, normal, depth) in &found {
            assert!(normal.distance(DVec3::Y * point.y.signum()) < 1e-3, "{normal}");
            assert!((point.y.abs() - 1.0).abs() < 1e-12 && *depth <= overlap + 1e-9, "{depth}");
            assert!(overlap > 1e-3 || (depth - overlap).abs() < 1e-9, "{depth}");
            // The curve is the circle in which the plane of the wall cuts the ball.
            let circle = ((1.0 + overlap).powi(2) - 1.0).sqrt();
            assert!(point.x.hypot(point.z) <= circle + 1e-12, "{point}");
        }
    }
    // The pin is shifted until it overlaps the wall by 0.01: the circles cross at two places.
    let circle = |radius: f64| -> Vec<[f64; 2]> {
        let angle = |k: i32| std::f64::consts::TAU * f64::from(k) / 48.0;
        (0..48).map(|k| [radius * angle(k).cos(), radius * angle(k).sin()]).collect()
    };
    let (inner, outer) = (circle(1.0), circle(2.0));
    // The sides of a block around the hole, without the 46 triangles of each lid, and its own lids.
    let mut block = prism(&outer, -1.0, 1.0)[92..].to_vec();
    block.extend(reversed(&prism(&inner, -1.0, 1.0)[92..]));
    for k in 0..48 {
        let at = |ring: &[[f64; 2]], k: usize| DVec3::new(ring[k % 48][0], ring[k % 48][1], 1.0);
        let [p, q, r, s] = [at(&inner, k), at(&outer, k), at(&outer, k + 1), at(&inner, k + 1)];
        let lid = [[p, q, r], [p, r, s]];
        block.extend(lid);
        block.extend(reversed(&lid.map(|t| t.map(|p| p - DVec3::Z * 2.0))));
    }
    let pin = prism(&circle(0.9), -2.0, 2.0);
    // Where the wall alone is there, each place has a curve of its own, a line that bounds no area.
    let wall = reversed(&prism(&inner, -1.0, 1.0)[92..]);
    let sides = &pin[92..];
    for (pin, hole, off) in
        [(&pin[..], &block[..], 1e-6), (sides, &block, 1e-6), (&pin, &wall, 0.5), (sides, &wall, 0.5)]
    {
        let [pin, hole] = [pin, hole].map(|soup| CollisionMesh::build(&mesh(soup)));
        let found = points((&pin, Pose::translation([0.11, 0.0, 0.0])), (&hole, Pose::IDENTITY));
        assert!(!found.is_empty());
        for (point, normal, depth) in &found {
            let crossing = (1.0 - 0.9 * 0.9 + 0.11 * 0.11) / (2.0 * 0.11);
            assert!(point.x > crossing - 0.01 && point.x < 1.01 + 1e-9, "{point}");
            assert!(normal.distance(DVec3::X) < off, "{normal} at {point}");
            // Sides of 7.5 degrees that are steep to the normal overlap by more than the bodies.
            assert!((0.0..0.1).contains(depth), "{depth}");
        }
    }
}

/// Balls meet along the line between their middles, tips of edges across both, and faces of open sheets too.
#[test]
fn normals_point_from_the_first_body_to_the_second() {
    let ball = CollisionMesh::build(&Shape::Sphere.mesh(300));
    let cube = CollisionMesh::build(&mesh(&cuboid([-0.5; 3], [0.5; 3])));
    let mut rng = Rng::new("normals", 1);
    for _ in 0..50 {
        let (turn, along) =
            (Pose::from_quaternion(rng.quaternion()).expect("a rotation"), rng.point().normalize());
        let found = points((&ball, turn), (&ball, Pose::translation((along * 1.9).to_array()) * turn));
        assert!((1..=4).contains(&found.len()));
        assert!(found.iter().all(|(_, normal, _)| normal.dot(along) > 0.95), "{along} {found:?}");
    }
    // Two cubes, one edge up and one edge down, that cross: each edge is a height of sqrt(1/2) away.
    let turned = |axis: [f64; 3]| Pose::from_axis_angle(axis, std::f64::consts::FRAC_PI_4).expect("an axis");
    let height = 2f64.sqrt() - 1e-3;
    let upper = Pose::translation([0.0, 0.0, height]) * turned([0.0, 1.0, 0.0]);
    let found = points((&cube, turned([1.0, 0.0, 0.0])), (&cube, upper));
    assert!(!found.is_empty());
    for (point, normal, depth) in found {
        assert!(normal.distance(DVec3::Z) < 1e-9 && (depth - 1e-3).abs() < 1e-9, "{normal} {depth}");
        assert!(point.distance(DVec3::Z * height * 0.5) < 2e-3);
    }
}

#[test]
fn wrong_poses_are_named() {
    let mut worlds = Worlds::new(&scene(), 20);
    let mut poses = vec![Pose::IDENTITY; 199];
    let count = WorldsError::Count { given: 199, worlds: 20, bodies: 10 };
    assert_eq!(worlds.contacts(&poses).map(|_| ()), Err(count));
    poses.push(Pose::IDENTITY);
    poses[173].rows[0][3] = f64::INFINITY;
    poses[18].rows[1][3] = f64::NAN;
    let refused = worlds.distances(&poses, 1.0).map(|_| ()).expect_err("refused");
    assert!(matches!(refused, WorldsError::Pose { world: 1, body: 8, error: PoseError::NotFinite { .. } }));
    poses[18] = Pose::IDENTITY;
    let why = "world 17, body 3: the pose has the entry inf, which is not a finite number";
    assert_eq!(worlds.contacts(&poses).map(|_| ()).expect_err("refused").to_string(), why);
    let request = AdvanceRequest::default().precision(1e-3);
    let refused = worlds.advance(&poses, &request).expect_err("refused").to_string();
    assert_eq!(refused, "world 17: body 3: the pose has the entry inf, which is not a finite number");
    poses[173] = Pose::translation([100.0, 0.0, 0.0]);
    assert_eq!(worlds.contacts(&poses).expect("admissible").offsets.len(), 21);
    let steps = worlds.advance(&poses, &request).expect("admissible");
    // All bodies stood at one place until one left, which a step refused before had not moved.
    let ended = steps.iter().flat_map(|step| &step.events);
    assert!(ended.clone().count() > 4 && ended.clone().all(|event| event.bodies.contains(&BodyId(3))));
    assert!(Worlds::new(&scene(), 0).contacts(&[]).expect("nothing").bodies.is_empty());
}

/// A distance may exceed the limit and yet be rounded to it.
#[test]
fn a_distance_that_is_rounded_to_the_limit_is_within_it() {
    let sheet = |x: f64| {
        let corners = [[x, 0.0, 0.0], [x, 1.0, 0.0], [x, 0.0, 1.0]].map(DVec3::from_array);
        CollisionMesh::new(&corners, &[[0, 1, 2]]).unwrap()
    };
    for bounds in [BodyBounds::default(), BodyBounds::Tight, BodyBounds::Cube] {
        let mut scene = World::default().with_bounds(bounds);
        let far = f64::from(1 << 30);
        let ids = [-1.0 / f64::from(1 << 24), far].map(|x| scene.add(&sheet(x), &Pose::IDENTITY).unwrap());
        let [a, b] = ids.map(|id| scene.posed(id).unwrap());
        assert_eq!(closefit::distance_up_to(&a, &b, far).unwrap().distance, far);
        assert_eq!(Worlds::new(&scene, 1).distances(&[Pose::IDENTITY; 2], far).unwrap().distances, [far]);
        assert_eq!(scene.pairs_within(far).len(), 1, "{bounds:?}");
    }
}
