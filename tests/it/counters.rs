//! The counters that [`PairMemory`] and [`World`] return.

use closefit::internals::bvh::Hierarchy;
use closefit::internals::bvh::wide_obb::WideObb;
use closefit::internals::engine::{check, default_tolerance};
use closefit::{
    BodyBounds, BroadPhase, CheckRequest, CollisionMesh, DVec3, HullFilter, Mesh, PairMemory, PairWork,
    PartId, Pose, Unobserved, Work, World, WorldWork,
};
use closefit_generate::shapes::Shape;
use closefit_geometry::executor::Executor;
use closefit_methods::internals::octree::{Octree, Uniform};
use closefit_methods::kind;
use closefit_testing::meshes::{self, Piece, moved};

fn torus() -> Mesh {
    Shape::Torus.mesh(500)
}

/// An octahedron whose middle is the origin, exactly.
fn octahedron() -> Mesh {
    let corners = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let corners: Vec<[f64; 3]> = corners.into_iter().flat_map(|v| [v, v.map(|x: f64| 0.0 - x)]).collect();
    let pairs = [[0, 2], [0, 3], [1, 2], [1, 3]];
    let sides: Vec<[u32; 3]> = pairs.into_iter().flat_map(|[x, y]| [4, 5].map(|z| [x, y, z])).collect();
    Mesh::new(&corners, &sides).expect("an octahedron")
}

fn beside(x: f64) -> Pose {
    Pose::translation([x, 0.3, 0.1])
}

type Posed<'a> = <WideObb as Hierarchy>::Posed<'a>;

/// A memory that knows nothing yet makes the search of a tree without one, and counts what that counts.
#[test]
fn a_first_question_counts_what_a_search_counts() {
    let mesh = torus();
    let tree = CollisionMesh::build(&mesh);
    let searched = |ask: &dyn Fn(&Posed<'_>, &Posed<'_>, &mut Work)| {
        let boxes = WideObb::build(&mesh);
        let [a, b] = [Pose::IDENTITY, beside(1.0)].map(|pose| boxes.place(&mesh, &pose, Executor::default()));
        let mut work = Work::NONE;
        ask(&a, &b, &mut work);
        work
    };
    let still = tree.at(&Pose::IDENTITY).expect("ordinary poses");
    let moved = tree.at(&beside(1.0)).expect("ordinary poses");
    let mut memory = PairMemory::default();
    assert_eq!(memory.work(), PairWork::default());
    assert!(memory.intersects(&still, &moved));
    let touching = searched(&|a, b, work| _ = WideObb::touches(a, b, work));
    assert_eq!(memory.work().tests, touching);
    let mut memory = PairMemory::default();
    assert!(memory.intersects_within(&still, &moved, 0.1));
    assert_eq!(memory.work().tests, searched(&|a, b, work| _ = WideObb::within(a, b, 0.1, work)));
}

/// Each further question adds to the work, and one that is answered from memory adds less.
#[test]
fn what_is_remembered_is_cheap() {
    let tree = CollisionMesh::build(&torus());
    let still = tree.at(&Pose::IDENTITY).expect("ordinary poses");
    let asked = |memory: &mut PairMemory, x: f64| {
        let before = memory.work().tests;
        let moved = tree.at(&beside(x)).expect("ordinary poses");
        (memory.intersects(&still, &moved), memory.work().tests.box_tests - before.box_tests)
    };
    let mut memory = PairMemory::default();
    let (first, second) = (asked(&mut memory, 1.0), asked(&mut memory, 1.0));
    assert!(first.0 && second.0 && first.1 > 0);
    assert_eq!(second.1, 0, "the contact of the first question is still one");
    assert!(memory.work().tests.triangle_tests > 0);
    // Work is kept when a query has other trees.
    let (other, before) = (CollisionMesh::build(&Shape::Sphere.mesh(100)), memory.work());
    let small = other.at(&beside(0.9)).expect("ordinary poses");
    memory.distance(&still, &small);
    assert!(memory.work().tests.box_tests > before.tests.box_tests);
}

/// Tables save box tests, which only counters show.
#[test]
fn tables_save_box_tests() {
    let tree = CollisionMesh::build(&torus());
    let still = tree.at(&Pose::IDENTITY).expect("ordinary poses");
    let (mut with, mut fresh) = (PairMemory::with_tables(), 0);
    for i in 0..20 {
        let moved = tree.at(&beside(1.0 + 1e-3 * f64::from(i))).expect("ordinary poses");
        let mut without = PairMemory::with_tables();
        assert_eq!(with.contact_triangles(&still, &moved), without.contact_triangles(&still, &moved));
        fresh += without.work().tests.box_tests;
    }
    assert!(with.work().tests.box_tests < fresh, "{:?} {fresh}", with.work());
}

/// Octrees count exchanges in lists that are kept, and volumes that are refitted.
#[test]
fn other_kinds_count_in_their_units() {
    let tree = CollisionMesh::build_as(&torus(), kind::Octree);
    let turned = Pose::from_axis_angle([0.3, 1.0, 0.2], 0.5).expect("an axis");
    let still = tree.at(&Pose::IDENTITY).expect("ordinary poses");
    let moved = tree.at(&(beside(1.0) * turned)).expect("ordinary poses");
    let mut memory = PairMemory::<kind::Octree>::default();
    let found = memory.contact_triangles(&still, &moved);
    let work = memory.work().tests;
    assert!(
        !found.is_empty() && work.updates > 0 && work.overlaps > 0 && work.exchanges != [0; 3],
        "{work:?}"
    );
    let (octree, mut expected) = (Octree::<Uniform>::build(&torus()), Work::NONE);
    let mesh = torus();
    let [a, b] = [Pose::IDENTITY, beside(1.0) * turned]
        .map(|pose| octree.place(&mesh, &pose, <Octree<Uniform> as Hierarchy>::EXECUTORS[0]));
    <Octree<Uniform>>::contacts_again(&mut Default::default(), &a, &b, usize::MAX, &mut expected);
    assert_eq!(work, expected);
}

#[test]
fn walks_over_hulls_are_counted() {
    // All its faces are triangles, so every feature of its hull is red.
    let tree = CollisionMesh::build(&octahedron());
    let still = tree.at(&Pose::IDENTITY).expect("ordinary poses");
    let mut memory = PairMemory::with_hulls(HullFilter::ClosestFeatures);
    memory.distance(&still, &tree.at(&beside(2.5)).expect("ordinary poses"));
    for i in 0..10 {
        let moved = tree.at(&beside(2.5 + 0.1 * f64::from(i))).expect("ordinary poses");
        assert!(!memory.intersects_within(&still, &moved, 0.01));
    }
    let hulls = memory.work().hulls;
    assert!(hulls.walks > 0 && hulls.steps >= hulls.walks && hulls.plane_steps > 0, "{hulls:?}");
    assert!(hulls.proofs > 0 && hulls.vertices > 0 && hulls.proven > 0, "{hulls:?}");
    assert!(hulls.red_red > 0 && hulls.settled > 0, "a convex mesh has the features of its hull: {hulls:?}");
    let without = {
        let mut memory = PairMemory::default();
        memory.distance(&still, &tree.at(&beside(2.2)).expect("ordinary poses"));
        memory.work().hulls
    };
    assert_eq!(without, Default::default());
}

/// A world of a row of fixed balls and two that move, with one query after each step.
fn walked(world: World, turns: bool) -> WorldWork {
    let tree = CollisionMesh::build(&octahedron());
    let mut world = world;
    for i in 0..30 {
        world.add_fixed(&tree, &Pose::translation([2.5 * f64::from(i), 0.0, 0.0])).expect("ordinary poses");
    }
    let at = |frame: u32, y: f64| {
        let turn = Pose::from_axis_angle([0.0, 1.0, 0.0], 0.1 * f64::from(frame)).expect("an axis");
        let x = if turns { 10.0 } else { 10.0 + 0.2 * f64::from(frame) };
        Pose::translation([x, y, 0.0]) * turn
    };
    let moving = [1.5, -1.5].map(|y| (y, world.add(&tree, &at(0, y)).expect("ordinary poses")));
    for frame in 1..=10 {
        for (y, id) in moving {
            world.set_pose(id, &at(frame, y)).expect("it is there");
        }
        world.intersecting();
    }
    world.work()
}

#[test]
fn a_world_counts_bodies_boxes_pairs_and_tests() {
    let work = walked(World::default(), false);
    assert_eq!((work.placed, work.updates), (32 + 20, 32 + 20), "every move gives another box");
    assert_eq!((work.broad.method, work.broad.frames), (BroadPhase::RecursiveGrid, 10));
    assert!(work.broad.visits.cells > 0 && work.broad.box_tests >= work.broad.visits.box_tests);
    assert!(work.broad.shape.references >= 30, "{:?}", work.broad.shape);
    assert!((20..200).contains(&work.asked), "one or two fixed balls near each: {}", work.asked);
    assert!(work.pairs.tests.box_tests > 0 && work.pairs.hulls == Default::default());
    let lists = walked(World::with_broad_phase(BroadPhase::Lists), false);
    assert!(lists.broad.exchanges != [0; 3] && lists.broad.visits == Default::default());
    assert_eq!((lists.asked, lists.pairs), (work.asked, work.pairs), "the same pairs, asked the same");
    let hulls = walked(World::default().with_hulls(HullFilter::ClosestFeatures), false);
    assert!(hulls.pairs.hulls.walks > 0, "{hulls:?}");
}

/// The work on pairs that are no longer near is not forgotten: the work on the pairs left is a part of the
/// sum.
#[test]
fn work_on_pairs_that_part_remains() {
    let tree = CollisionMesh::build(&Shape::Sphere.mesh(100));
    let mut world = World::default();
    world.add_fixed(&tree, &Pose::IDENTITY).expect("ordinary poses");
    let moving = world.add(&tree, &beside(1.8)).expect("ordinary poses");
    world.intersecting();
    let near = world.work();
    world.set_pose(moving, &beside(9.0)).expect("it is there");
    world.intersecting();
    assert_eq!((world.work().asked, world.work().pairs), (near.asked, near.pairs));
    assert!(near.pairs.tests != Work::NONE);
    world.pairs_within(20.0);
    assert_eq!(world.work().asked, 2, "both kinds of questions count");
}

/// Only the cube around a body that turns about its middle stays as it is.
#[test]
fn cubes_around_what_only_turns_need_no_update() {
    let updates = |bounds| walked(World::default().with_bounds(bounds), true).updates;
    assert_eq!(updates(BodyBounds::Cube), 32);
    assert_eq!(updates(BodyBounds::Tight), 52);
}

/// A pair that takes more than a thousand times as long as most is in the counters, with its stage.
#[test]
fn a_slow_pair_is_named() {
    let triangle = |i: i32| {
        let at = |x: f64, y: f64| DVec3::new(f64::from(i) + x, 50.0 + y, 0.0);
        Piece::new(&format!("triangle {i}"), vec![[at(0.0, 0.0), at(0.95, 0.0), at(0.0, 1.0)]])
    };
    let triangles: Vec<Piece> = (0..12).map(triangle).collect();
    let ball = |name: &str, x: f64| Piece::new(name, moved(&meshes::ball(DVec3::ZERO, 1.0, 5), DVec3::X * x));
    let with = |more: &[Piece]| {
        let scene = meshes::scene(&[&triangles[..], more].concat());
        let request =
            CheckRequest::default().clearance(0.1).tolerance(default_tolerance(&scene).expect("ordinary"));
        check(&scene, &request, &Unobserved).expect("no limit").counters.slow
    };
    assert_eq!(with(&[]), None);
    let slow = with(&[ball("a", 0.0), ball("b", 0.3)]).expect("a slow pair");
    assert_eq!(slow.ids, [PartId(12), PartId(13)]);
    assert!(slow.time > slow.median * 1000 && slow.stage.1 <= slow.time, "{slow:?}");
}
