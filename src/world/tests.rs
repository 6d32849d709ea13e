use glam::DVec3;

use super::*;
use closefit_geometry::math::testing::Stream;
use closefit_geometry::mesh::Mesh;

/// Returns a chain of small squares along a path.
fn chain(path: impl Fn(f64) -> DVec3, count: u32) -> CollisionMesh {
    let vertices: Vec<DVec3> = (0..=count)
        .flat_map(|i| [0.0, 1.0].map(|z| path(f64::from(i) / f64::from(count)) + DVec3::Z * z))
        .collect();
    let triangles: Vec<[u32; 3]> = (0..2 * count).map(|i| [i, i + 1, i + 2]).collect();
    CollisionMesh::build(&Mesh::new(&vertices, &triangles).expect("valid"))
}

fn small_square() -> CollisionMesh {
    let corners = [DVec3::ZERO, DVec3::X, DVec3::Y].map(|corner| corner * 0.2);
    CollisionMesh::build(&Mesh::new(&corners, &[[0, 1, 2]]).expect("valid"))
}

/// Bodies that fill little of their box, among a layer of 10 000 small fixed ones: most candidate pairs are
/// dropped, and no answer moves.
#[test]
fn bent_and_hollow_bodies_have_few_candidate_pairs() {
    let tilted = Pose::from_trs([0.0, 0.0, 0.3, 1.0], [1.0; 3], [50.0, 50.0, 0.5]).expect("a direction");
    let corner =
        |t: f64| if t < 0.5 { DVec3::X * (80.0 * t) } else { DVec3::new(40.0, 80.0 * t - 40.0, 0.0) };
    let ring = |t: f64| {
        let angle = t * std::f64::consts::TAU;
        DVec3::new(angle.cos(), angle.sin(), 0.0) * 40.0
    };
    let bar = |t: f64| DVec3::X * 40.0 * t;
    let fixed = small_square();
    for (name, body) in [("L", chain(corner, 200)), ("ring", chain(ring, 200)), ("bar", chain(bar, 200))] {
        let candidates = [&[][..], &[1], &[1, 8], &[1, 8, 64]].map(|counts: &[usize]| {
            let mut world = World::default();
            if !counts.is_empty() {
                world = world.with_sphere_levels(counts).expect("they rise");
            }
            let moving = world.add(&body, &tilted).expect("admissible");
            for i in 0..10_000 {
                let at = [f64::from(i % 100), f64::from(i / 100), 0.9];
                world.add_fixed(&fixed, &Pose::translation(at)).expect("admissible");
            }
            let found = (world.intersecting(), world.contacts(), world.pairs_within(1.0));
            let pairs: Vec<[BodyId; 2]> = world.meeting.pairs.iter().map(|pair| pair.bodies).collect();
            assert!(found.0.iter().all(|pair| pairs.contains(pair) && pair[0] == moving));
            (pairs.len(), found)
        });
        let [none, one, eight, many] = candidates.each_ref().map(|(count, _)| *count);
        println!("{name}: {none} candidate pairs by boxes, {one} by one sphere, {eight} by 8, {many} by 64");
        assert!(candidates.iter().all(|(_, found)| *found == candidates[0].1), "{name}");
        assert!(candidates[0].1.0.len() > 5, "{name} meets some");
        assert!(one <= none && 2 * eight < none && 10 * many < none, "{name}: {none} {one} {eight} {many}");
    }
}

/// Pairs that never meet have no memory, nor anything else that needs a query of a tree; a removed body
/// leaves nothing.
#[test]
fn pairs_that_never_meet_are_not_even_candidates() {
    let tree = small_square();
    let mut world = World::default();
    let mut add = |fixed: bool| {
        let add = if fixed { World::add_fixed } else { World::add };
        add(&mut world, &tree, &Pose::IDENTITY).expect("admissible")
    };
    let (a, b, c, fixed) = (add(false), add(false), add(false), add(true));
    assert_eq!(world.intersecting().len(), 6);
    assert!(!world.bodies.some_never_meet());
    world.exclude(fixed, a).expect("both are there");
    let few = BodyGroups { memberships: 1, filter: !1 };
    for id in [b, c] {
        world.set_groups(id, few).expect("it is there");
    }
    assert_eq!(world.pairs_within(1.0).len(), 4);
    let candidates: Vec<[BodyId; 2]> = world.within.pairs.iter().map(|pair| pair.bodies).collect();
    assert_eq!(candidates, [[a, b], [a, c], [b, fixed], [c, fixed]]);

    world.remove(fixed).expect("it is there");
    assert!(world.bodies.excluded.is_empty() && world.bodies.grouped == 2);
    world.remove(b).expect("it is there");
    world.set_groups(c, BodyGroups::ALL).expect("it is there");
    assert!(!world.bodies.some_never_meet());
    assert_eq!(world.intersecting(), [[a, c]]);
}

/// Few bodies are compared pair by pair. Additional far-away ones, with which a grid is used, change
/// nothing.
#[test]
fn few_bodies_have_the_pairs_of_many() {
    let mut random = Stream(5);
    let square = small_square();
    for round in 0..200 {
        let mut worlds = [(); 2].map(|()| World::default());
        for body in 0..3 + random.below(FEW as u64 - 3) {
            let (at, fixed) = (Pose::translation((random.point() * 0.3).to_array()), random.below(3) == 0);
            for world in &mut worlds {
                let added = if fixed { world.add_fixed(&square, &at) } else { world.add(&square, &at) };
                assert_eq!(added.expect("admissible").index() as u64, body);
            }
        }
        let [a, b, c] = [0, 1, 2].map(BodyId);
        for world in &mut worlds {
            world.exclude(a, b).expect("there");
            if round % 2 == 0 {
                world.remove(c).expect("there");
            }
        }
        for far in 0..2 * FEW as u32 {
            let at = Pose::translation([1e3 + 10.0 * f64::from(far), 0.0, 0.0]);
            worlds[1].add(&square, &at).expect("admissible");
        }
        let [few, many] = &mut worlds;
        assert!(few.bodies.are_few() && !many.bodies.are_few());
        assert_eq!(few.candidate_pairs(), many.candidate_pairs());
        assert_eq!(few.intersecting(), many.intersecting());
        assert_eq!(few.contacts(), many.contacts());
        assert_eq!(few.pairs_within(0.1), many.pairs_within(0.1));
    }
}
